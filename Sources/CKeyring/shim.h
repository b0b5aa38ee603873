#include <linux/keyctl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

// The kernel's keys, which glibc has no functions for; `syscall` takes variable arguments, and Swift calls no such function.
// Each returns what the kernel does: a key's number, a length or 0; or -1 with the reason in errno.

static inline long keyring_add(const char *name, const void *payload, size_t length, int32_t ring) {
  return syscall(SYS_add_key, "user", name, payload, length, ring);
}

static inline long keyring_search(int32_t ring, const char *name) {
  return syscall(SYS_keyctl, KEYCTL_SEARCH, ring, "user", name, 0);
}

static inline long keyring_read(int32_t key, void *buffer, size_t length) {
  return syscall(SYS_keyctl, KEYCTL_READ, key, buffer, length);
}

static inline long keyring_set_timeout(int32_t key, uint32_t seconds) {
  return syscall(SYS_keyctl, KEYCTL_SET_TIMEOUT, key, seconds);
}

static inline long keyring_set_permissions(int32_t key, uint32_t permissions) {
  return syscall(SYS_keyctl, KEYCTL_SETPERM, key, permissions);
}

static inline long keyring_link(int32_t key, int32_t ring) { return syscall(SYS_keyctl, KEYCTL_LINK, key, ring); }

static inline long keyring_unlink(int32_t key, int32_t ring) { return syscall(SYS_keyctl, KEYCTL_UNLINK, key, ring); }

static inline long keyring_invalidate(int32_t key) { return syscall(SYS_keyctl, KEYCTL_INVALIDATE, key); }
