"""Requests that somebody sends over and over, or all at once."""

import http.client
import os

from forging import requests

CONNECTIONS = 128


def crowd(flood):
    """128 connections of one account, each of which asks for the heads of 1,000 branches, five times."""
    flood.open()
    branch = flood.list_of(flood.mallory, "Heads")
    wanted = requests.HeadsRequest(branches=[branch.id] * 1000)

    def send(number):
        mine = flood.sender(flood.mallory)
        return [mine.send("/v1/heads", wanted).word for _ in range(5)]

    with flood.meanwhile():
        flood.at_once(CONNECTIONS, send)
    flood.only("200", "429 too-many")


def replays(flood):
    """One request that was signed once, 500 times each from four connections."""
    flood.open()
    headers = flood.attacker.headers("POST", "/v1/logins/open", "", b"")

    def send(number):
        connection, found = http.client.HTTPConnection("127.0.0.1", flood.port, timeout=20), []
        for _ in range(500):
            connection.request("POST", "/v1/logins/open", b"", headers)
            answer = connection.getresponse()
            answer.read()
            found.append(str(answer.status))
        connection.close()
        return found

    with flood.meanwhile():
        flood.at_once(4, send)
    flood.at_most("200", 1)
    flood.only("200", "401")


def restores(flood):
    """5,000 lines in a request to a server that takes none back, ten each from four connections."""
    flood.open()
    branch = flood.list_of(flood.mallory, "Lost")
    start = len(branch.lines)
    lines = b"".join((start + n).to_bytes(8, "big") + b"\1" + os.urandom(48) for n in range(1, 5001))
    wanted = requests.RestoreRequest(branch=branch.id, after_line=start, after_hash=branch.hashes[-1], lines=lines)

    def send(number):
        mine = flood.sender(flood.mallory)
        return [mine.send("/v1/restore", wanted).word for _ in range(10)]

    with flood.meanwhile():
        flood.at_once(4, send)
    flood.only("403 restore-closed")
