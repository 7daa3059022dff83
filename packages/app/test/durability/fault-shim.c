// Loaded with LD_PRELOAD before the program under test: makes chosen calls of the system fail below a directory. It counts
// and decides in a file that it shares with the test, so that one process serves many faults. Children do not inherit it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { WRITE, SYNC, RENAME, OPEN, SPAWN, KINDS };

// As fault-shim.ts writes it.
struct control {
  long armed; // 0: nothing is counted and nothing fails
  long count; // calls since it was armed
  long first; // the first that fails, from 1
  long many;  // how many in a row
  long fired; // how many did
  long last;  // the kind that failed last
  long error[KINDS];
};

static struct control *control;
static const char *root;
static size_t root_length;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("MARGAY_FAULT_CONTROL");
  unsetenv("LD_PRELOAD");
  root = getenv("MARGAY_FAULT_ROOT");
  if (path == NULL || root == NULL) return;
  root_length = strlen(root);
  int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open64");
  int fd = real(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  void *shared = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (shared != MAP_FAILED) control = shared;
}

static int inside(const char *path) { return path != NULL && strncmp(path, root, root_length) == 0; }

static int is_armed(void) { return control != NULL && __atomic_load_n(&control->armed, __ATOMIC_SEQ_CST) != 0; }

static int fails(enum kind kind) {
  if (control->error[kind] == 0) return 0;
  long number = __atomic_add_fetch(&control->count, 1, __ATOMIC_SEQ_CST);
  if (number < control->first || number - control->first >= control->many) return 0;
  __atomic_add_fetch(&control->fired, 1, __ATOMIC_SEQ_CST);
  control->last = kind;
  errno = (int)control->error[kind];
  return 1;
}

static int fd_fails(enum kind kind, int fd) {
  if (!is_armed()) return 0;
  char name[32], path[4096];
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(name, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = '\0';
  return inside(path) && fails(kind);
}

// Relative to an open directory too: those are named /proc/self/fd/N.
static int path_fails(enum kind kind, const char *path) {
  return is_armed() && (inside(path) || strncmp(path, "/proc/self/fd/", 14) == 0) && fails(kind);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define FD_CALL(kind, type, name, parameters, arguments)                                                               \
  type name parameters {                                                                                               \
    static __typeof__(&name) real;                                                                                     \
    if (real == NULL) real = REAL(name);                                                                               \
    return fd_fails(kind, fd) ? -1 : real arguments;                                                                   \
  }

FD_CALL(WRITE, ssize_t, write, (int fd, const void *data, size_t size), (fd, data, size))
FD_CALL(WRITE, ssize_t, writev, (int fd, const struct iovec *parts, int count), (fd, parts, count))
FD_CALL(WRITE, ssize_t, pwrite64, (int fd, const void *data, size_t size, off64_t at), (fd, data, size, at))
FD_CALL(WRITE, int, ftruncate64, (int fd, off64_t size), (fd, size))
FD_CALL(SYNC, int, fsync, (int fd), (fd))
FD_CALL(SYNC, int, fdatasync, (int fd), (fd))

#define PATH_CALL(name, parameters, path, arguments)                                                                   \
  int name parameters {                                                                                                \
    static __typeof__(&name) real;                                                                                     \
    if (real == NULL) real = REAL(name);                                                                               \
    return path_fails(RENAME, path) ? -1 : real arguments;                                                             \
  }

PATH_CALL(rename, (const char *from, const char *to), to, (from, to))
PATH_CALL(link, (const char *from, const char *to), to, (from, to))
PATH_CALL(mkdir, (const char *path, mode_t mode), path, (path, mode))

#define OPEN_CALL(name, parameters, arguments)                                                                         \
  int name parameters {                                                                                                \
    static __typeof__(&name) real;                                                                                     \
    if (real == NULL) real = REAL(name);                                                                               \
    mode_t mode = 0;                                                                                                   \
    if (flags & (O_CREAT | O_TMPFILE)) {                                                                               \
      va_list rest;                                                                                                    \
      va_start(rest, flags);                                                                                           \
      mode = va_arg(rest, mode_t);                                                                                     \
      va_end(rest);                                                                                                    \
    }                                                                                                                  \
    return path_fails(OPEN, path) ? -1 : real arguments;                                                               \
  }

OPEN_CALL(open, (const char *path, int flags, ...), (path, flags, mode))
OPEN_CALL(open64, (const char *path, int flags, ...), (path, flags, mode))
OPEN_CALL(openat, (int at, const char *path, int flags, ...), (at, path, flags, mode))

pid_t fork(void) {
  static pid_t (*real)(void);
  if (real == NULL) real = REAL(fork);
  return is_armed() && fails(SPAWN) ? -1 : real();
}
