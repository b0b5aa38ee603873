"""Measures how fast files are sealed, beside libsodium alone over as many bytes in chunks of 64 KiB, in turns.

libsodium seals one buffer again and again, which stays in the cache: the most that this machine can do on one core. A file is also hashed, for its
tree: the least that one core needs for that is libsodium's encryption and its hash of as many bytes, one after the other.
"""

import ctypes
import ctypes.util
import statistics
import subprocess
import time

MEBIBYTES = 256
ROUNDS = 9
CHUNK = 65_536


class Sodium:
    """Seconds that libsodium takes for all bytes, on one core."""

    def __init__(self):
        self.sodium = ctypes.CDLL(ctypes.util.find_library("sodium") or "libsodium.so.23")
        self.sodium.sodium_init()
        self.output = ctypes.create_string_buffer(CHUNK + 16)
        self.hash = ctypes.create_string_buffer(32)

    def encrypt(self):
        call, length, text = self.sodium.crypto_aead_xchacha20poly1305_ietf_encrypt, ctypes.c_ulonglong(CHUNK), bytes(CHUNK)
        associated, count, nonce, key = bytes(19), ctypes.c_ulonglong(19), bytes(24), bytes(32)
        begin = time.perf_counter()
        for _ in range(MEBIBYTES * 16):
            call(self.output, None, text, length, associated, count, None, nonce, key)
        return time.perf_counter() - begin

    def digest(self):
        call, length, text = self.sodium.crypto_generichash, ctypes.c_ulonglong(1 << 20), bytes(1 << 20)
        begin = time.perf_counter()
        for _ in range(MEBIBYTES):
            call(self.hash, ctypes.c_size_t(32), text, length, None, ctypes.c_size_t(0))
        return time.perf_counter() - begin


def main(todo_sim):
    sodium = Sodium()
    names = {
        "encrypt": "libsodium: XChaCha20-Poly1305",
        "digest": "libsodium: BLAKE2b",
        "both": "libsodium: one after the other, one core",
        "chunks": "chunks sealed, without the tree",
        "file-1": "a file with its tree, one core",
        "file-2": "a file with its tree, two cores",
    }
    seconds = {name: [] for name in names}
    for _ in range(ROUNDS):
        seconds["encrypt"].append(sodium.encrypt())
        seconds["digest"].append(sodium.digest())
        seconds["both"].append(seconds["encrypt"][-1] + seconds["digest"][-1])
        command = [todo_sim, "sealing", "--mebibytes", str(MEBIBYTES)]
        for line in subprocess.run(command, capture_output=True, check=True, text=True).stdout.splitlines():
            name, value = line.split()
            seconds[name].append(float(value))
    print("| what | MiB/s, median | fastest | : libsodium's encryption | : both of libsodium's |")
    print("|---|---:|---:|---:|---:|")
    for name, title in names.items():
        speeds = [MEBIBYTES / value for value in seconds[name]]
        ratios = [
            statistics.median(one / other for one, other in zip(seconds[least], seconds[name])) for least in ("encrypt", "both")
        ]
        print(f"| {title} | {statistics.median(speeds):,.0f} | {max(speeds):,.0f} | {ratios[0]:.2f} | {ratios[1]:.2f} |", flush=True)
