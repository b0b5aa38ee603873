#include <dlfcn.h>
#include <errno.h>
#include <linux/landlock.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// What a process may not do any more. `prctl` and `syscall` take variable arguments, and Swift calls no such function.
// Each returns 0, or -1 with the reason in errno.

// No memory of it is written to a file, and nobody else of the same user reads or traces it.
static inline int confine_undumpable(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

// No program that it starts can do more than it can.
static inline int confine_no_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

// No file or folder, where the kernel has Landlock.
static inline int confine_no_files(void) {
  struct landlock_ruleset_attr attributes = {.handled_access_fs = (1u << 13) - 1};
  int rules = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
  if (rules < 0) return errno == ENOSYS || errno == EOPNOTSUPP ? 0 : -1;
  int result = (int)syscall(SYS_landlock_restrict_self, rules, 0);
  close(rules);
  return result;
}

// libseccomp, before no file can be opened any more. NULL: it is not there.
static inline void *confine_library(void) { return dlopen("libseccomp.so.2", RTLD_NOW); }

// No system call but these: another one fails with EPERM. Needs no new privileges.
static inline int confine_calls(void *library, const int32_t *calls, size_t count) {
  const uint32_t allow = 0x7fff0000u, refuse = 0x00050000u | EPERM;
  void *(*init)(uint32_t) = (void *(*)(uint32_t))dlsym(library, "seccomp_init");
  int (*add)(void *, uint32_t, int, unsigned int, ...) =
      (int (*)(void *, uint32_t, int, unsigned int, ...))dlsym(library, "seccomp_rule_add");
  int (*load)(const void *) = (int (*)(const void *))dlsym(library, "seccomp_load");
  if (!init || !add || !load) {
    errno = ENOSYS;
    return -1;
  }
  void *filter = init(refuse);
  int result = filter ? 0 : -ENOMEM;
  for (size_t index = 0; index < count && result == 0; index++) result = add(filter, allow, calls[index], 0);
  if (result == 0) result = load(filter);
  if (result < 0) errno = -result;
  return result < 0 ? -1 : 0;
}
