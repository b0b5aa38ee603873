"""What so many bare signature checks take on one core: the least that one core could do, whatever a program is written in."""

import ctypes
import ctypes.util
import time

MESSAGE = bytes(500)
COUNT = 1_000


class Checks:
    """Ed25519 checks by libsodium of one signature over 500 bytes, which is what a todo's record has."""

    def __init__(self):
        self.sodium = ctypes.CDLL(ctypes.util.find_library("sodium") or "libsodium.so.23")
        self.sodium.sodium_init()
        self.public = ctypes.create_string_buffer(32)
        secret = ctypes.create_string_buffer(64)
        self.signature = ctypes.create_string_buffer(64)
        self.sodium.crypto_sign_keypair(self.public, secret)
        self.sodium.crypto_sign_detached(
            self.signature, None, MESSAGE, ctypes.c_ulonglong(len(MESSAGE)), secret)

    def seconds(self):
        """Of one check, measured now."""
        check, length = self.sodium.crypto_sign_verify_detached, ctypes.c_ulonglong(len(MESSAGE))
        begin = time.perf_counter()
        for _ in range(COUNT):
            assert check(self.signature, MESSAGE, length, self.public) == 0
        return (time.perf_counter() - begin) / COUNT
