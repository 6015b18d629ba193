/* Loaded before libc (LD_PRELOAD): writes down what a process does to the files below DISK_TRACE_ROOT, in the file
 * DISK_TRACE_FILE, so that the disk can be put together as a power failure would leave it (power.py reads it).
 *
 * A record: struct record, then `bytes` bytes of payload. What takes time has a record before (its kind) and one after
 * (DONE), each with the same id; it is then certain that what was done before a sync began is what the sync brings to
 * the disk. io_uring goes past this. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum kind { OPENED = 1, CLOSING, DONE, FAILED, WRITE, SYNC, TRUNCATE, ALLOCATE, RENAME, UNLINK, MAKE_DIRECTORY };

struct record {
  uint32_t kind;
  int32_t descriptor;
  uint64_t id;
  uint64_t offset; /* OPENED: flags; TRUNCATE, ALLOCATE: the end */
  uint64_t bytes;  /* of the payload: WRITE: data; RENAME: both paths with a zero between; else a path */
};

enum { DESCRIPTORS_MAX = 65536 };
static unsigned char is_traced[DESCRIPTORS_MAX];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int trace = -1;
static uint64_t next_id;
static const char* root;
static size_t root_bytes;

#define REAL(name) ((__typeof__(&name))real(#name))
static void* real(const char* name) {
  return dlsym(RTLD_NEXT, name);
}

__attribute__((constructor)) static void begin(void) {
  root = getenv("DISK_TRACE_ROOT");
  const char* file = getenv("DISK_TRACE_FILE");
  if (!root || !file) return;
  root_bytes = strlen(root);
  trace = (int)syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int is_below(const char* path) {
  return trace >= 0 && path && strncmp(path, root, root_bytes) == 0 &&
         (path[root_bytes] == '/' || path[root_bytes] == 0);
}
static int traces(int descriptor) {
  return trace >= 0 && descriptor >= 0 && descriptor < DESCRIPTORS_MAX && is_traced[descriptor];
}

static void put(const void* bytes, size_t count) {
  for (const char* at = bytes; count > 0;) {
    const long written = syscall(SYS_write, trace, at, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) abort();
    at += written;
    count -= (size_t)written;
  }
}

static uint64_t note(enum kind kind, int descriptor, uint64_t id, uint64_t offset, const void* payload, size_t bytes) {
  const int error = errno;
  pthread_mutex_lock(&mutex);
  if (id == 0) id = ++next_id;
  const struct record record = {kind, descriptor, id, offset, bytes};
  put(&record, sizeof(record));
  put(payload, bytes);
  pthread_mutex_unlock(&mutex);
  errno = error;
  return id;
}

static long done(uint64_t id, long result) {
  note(result < 0 ? FAILED : DONE, -1, id, result < 0 ? 0 : (uint64_t)result, "", 0);
  return result;
}

static int opened(int descriptor, const char* path, int flags) {
  if (descriptor < 0 || descriptor >= DESCRIPTORS_MAX || !is_below(path)) return descriptor;
  is_traced[descriptor] = 1;
  note(OPENED, descriptor, 0, (uint64_t)flags, path, strlen(path));
  return descriptor;
}

static mode_t mode_of(int flags, va_list arguments) {
  return flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

#define OPEN(name)                                             \
  int name(const char* path, int flags, ...) {                 \
    va_list arguments;                                         \
    va_start(arguments, flags);                                \
    const mode_t mode = mode_of(flags, arguments);             \
    va_end(arguments);                                         \
    return opened(REAL(name)(path, flags, mode), path, flags); \
  }
OPEN(open)
OPEN(open64)

int openat(int directory, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return opened(REAL(openat)(directory, path, flags, mode), path, flags);
}

int close(int descriptor) {
  if (traces(descriptor)) {
    is_traced[descriptor] = 0;
    note(CLOSING, descriptor, 0, 0, "", 0);
  }
  return REAL(close)(descriptor);
}

ssize_t write(int descriptor, const void* bytes, size_t count) {
  if (!traces(descriptor)) return REAL(write)(descriptor, bytes, count);
  const off_t offset = lseek(descriptor, 0, SEEK_CUR);
  return done(note(WRITE, descriptor, 0, (uint64_t)offset, bytes, count), REAL(write)(descriptor, bytes, count));
}

#define PWRITE(name, offset_type)                                                     \
  ssize_t name(int descriptor, const void* bytes, size_t count, offset_type offset) { \
    if (!traces(descriptor)) return REAL(name)(descriptor, bytes, count, offset);     \
    return done(note(WRITE, descriptor, 0, (uint64_t)offset, bytes, count),           \
                REAL(name)(descriptor, bytes, count, offset));                        \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define SYNC_BY(name)                                                              \
  int name(int descriptor) {                                                       \
    if (!traces(descriptor)) return REAL(name)(descriptor);                        \
    return (int)done(note(SYNC, descriptor, 0, 0, "", 0), REAL(name)(descriptor)); \
  }
SYNC_BY(fsync)
SYNC_BY(fdatasync)

#define TRUNCATE_BY(name, offset_type)                                                                  \
  int name(int descriptor, offset_type end) {                                                           \
    if (!traces(descriptor)) return REAL(name)(descriptor, end);                                        \
    return (int)done(note(TRUNCATE, descriptor, 0, (uint64_t)end, "", 0), REAL(name)(descriptor, end)); \
  }
TRUNCATE_BY(ftruncate, off_t)
TRUNCATE_BY(ftruncate64, off64_t)

#define ALLOCATE_BY(name, offset_type)                                                 \
  int name(int descriptor, int mode, offset_type offset, offset_type bytes) {          \
    if (!traces(descriptor)) return REAL(name)(descriptor, mode, offset, bytes);       \
    if (mode != 0) abort();                                                            \
    return (int)done(note(ALLOCATE, descriptor, 0, (uint64_t)(offset + bytes), "", 0), \
                     REAL(name)(descriptor, mode, offset, bytes));                     \
  }
ALLOCATE_BY(fallocate, off_t)
ALLOCATE_BY(fallocate64, off64_t)

int rename(const char* from, const char* to) {
  if (!is_below(from)) return REAL(rename)(from, to);
  char paths[8192];
  const size_t from_bytes = strlen(from), to_bytes = strlen(to);
  if (from_bytes + to_bytes + 1 > sizeof(paths)) abort();
  memcpy(paths, from, from_bytes + 1);
  memcpy(paths + from_bytes + 1, to, to_bytes);
  return (int)done(note(RENAME, -1, 0, 0, paths, from_bytes + 1 + to_bytes), REAL(rename)(from, to));
}

#define UNLINK_BY(name)                                                             \
  int name(const char* path) {                                                      \
    if (!is_below(path)) return REAL(name)(path);                                   \
    return (int)done(note(UNLINK, -1, 0, 0, path, strlen(path)), REAL(name)(path)); \
  }
UNLINK_BY(unlink)
UNLINK_BY(remove)
UNLINK_BY(rmdir)

/* What std::filesystem::remove_all does within a directory that it has open. */
int unlinkat(int directory, const char* path, int flags) {
  char link[64], whole[4096 + 1];
  if (directory == AT_FDCWD || path[0] == '/') {
    if (!is_below(path)) return REAL(unlinkat)(directory, path, flags);
    return (int)done(note(UNLINK, -1, 0, 0, path, strlen(path)), REAL(unlinkat)(directory, path, flags));
  }
  snprintf(link, sizeof(link), "/proc/self/fd/%d", directory);
  const ssize_t bytes = readlink(link, whole, sizeof(whole) - 1);
  if (bytes < 0 || bytes + strlen(path) + 2 > sizeof(whole)) return REAL(unlinkat)(directory, path, flags);
  whole[bytes] = '/';
  strcpy(whole + bytes + 1, path);
  if (!is_below(whole)) return REAL(unlinkat)(directory, path, flags);
  return (int)done(note(UNLINK, -1, 0, 0, whole, strlen(whole)), REAL(unlinkat)(directory, path, flags));
}

int mkdir(const char* path, mode_t mode) {
  if (!is_below(path)) return REAL(mkdir)(path, mode);
  return (int)done(note(MAKE_DIRECTORY, -1, 0, 0, path, strlen(path)), REAL(mkdir)(path, mode));
}
