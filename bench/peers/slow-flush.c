/*
 * Makes every flush to disk of a process take at least FLUSH_US microseconds (npm run bench -- peers --flush-us N).
 *
 * Loaded by LD_PRELOAD before the C library, it stands in for the calls that wait for a disk: fsync, fdatasync, syncfs, msync(MS_SYNC),
 * sync_file_range that waits, and writes to a file that was opened with O_DSYNC or O_SYNC. The real call comes first; what is left of the time
 * is slept, as a thread that waits for a disk sleeps. Calls that do not wait for a disk, and calls that fail, are as they were.
 *
 * A program that does not call the C library (one written in Go) is not slowed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#ifndef FLUSH_US
#error "compile with -DFLUSH_US=N"
#endif

#define MICROSECOND 1000L
#define SECOND 1000000000L

/* The function that this library stands in for. */
#define REAL(name)                                                                                                     \
  static __typeof__(&name) real;                                                                                       \
  if (real == NULL) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static struct timespec now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return at;
}

/* Sleeps until FLUSH_US after `start`. */
static void wait_since(struct timespec start) {
  int kept = errno;
  struct timespec until = start;
  until.tv_nsec += FLUSH_US % 1000000L * MICROSECOND;
  until.tv_sec += FLUSH_US / 1000000L + until.tv_nsec / SECOND;
  until.tv_nsec %= SECOND;
  /* By default Linux lets a thread sleep up to 50 us longer. 0 is the thread's default again. */
  prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) continue;
  prctl(PR_SET_TIMERSLACK, 0, 0, 0, 0);
  errno = kept;
}

/* Makes the call; when it goes well it takes its time. */
#define SLOWED(type, call)                                                                                             \
  struct timespec start = now();                                                                                       \
  type result = call;                                                                                                  \
  if (result >= 0) wait_since(start);                                                                                  \
  return result

int fsync(int fd) {
  REAL(fsync);
  SLOWED(int, real(fd));
}

int fdatasync(int fd) {
  REAL(fdatasync);
  SLOWED(int, real(fd));
}

int syncfs(int fd) {
  REAL(syncfs);
  SLOWED(int, real(fd));
}

int msync(void *at, size_t length, int flags) {
  REAL(msync);
  if ((flags & MS_SYNC) == 0) return real(at, length, flags);
  SLOWED(int, real(at, length, flags));
}

/* Without this flag it only asks for pages to be written soon. */
int sync_file_range(int fd, off64_t from, off64_t length, unsigned int flags) {
  REAL(sync_file_range);
  if ((flags & SYNC_FILE_RANGE_WAIT_AFTER) == 0) return real(fd, from, length, flags);
  SLOWED(int, real(fd, from, length, flags));
}

/*
 * Descriptors that were opened with O_DSYNC or O_SYNC (which has the bit of O_DSYNC). They are never forgotten, because numbers come
 * back in many ways: before a write to one of them is slowed, the kernel is asked how it is open now.
 */
#define MOST_DESCRIPTORS 65536
static volatile char was_opened_flushed[MOST_DESCRIPTORS];

static int opened(int fd, int flags) {
  if (fd >= 0 && fd < MOST_DESCRIPTORS && (flags & O_DSYNC) != 0) was_opened_flushed[fd] = 1;
  return fd;
}

static int is_flushed(int fd) {
  if (fd < 0 || fd >= MOST_DESCRIPTORS || !was_opened_flushed[fd]) return 0;
  return (fcntl(fd, F_GETFL) & O_DSYNC) != 0;
}

/* The mode is there when the file may be made. */
#define MODE(flags)                                                                                                    \
  mode_t mode = 0;                                                                                                     \
  if (((flags) & (O_CREAT | __O_TMPFILE)) != 0) {                                                                      \
    va_list rest;                                                                                                      \
    va_start(rest, flags);                                                                                             \
    mode = va_arg(rest, mode_t);                                                                                       \
    va_end(rest);                                                                                                      \
  }

int open(const char *path, int flags, ...) {
  MODE(flags);
  REAL(open);
  return opened(real(path, flags, mode), flags);
}

int open64(const char *path, int flags, ...) {
  MODE(flags);
  REAL(open64);
  return opened(real(path, flags, mode), flags);
}

int openat(int folder, const char *path, int flags, ...) {
  MODE(flags);
  REAL(openat);
  return opened(real(folder, path, flags, mode), flags);
}

int openat64(int folder, const char *path, int flags, ...) {
  MODE(flags);
  REAL(openat64);
  return opened(real(folder, path, flags, mode), flags);
}

ssize_t write(int fd, const void *bytes, size_t count) {
  REAL(write);
  if (!is_flushed(fd)) return real(fd, bytes, count);
  SLOWED(ssize_t, real(fd, bytes, count));
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  REAL(writev);
  if (!is_flushed(fd)) return real(fd, parts, count);
  SLOWED(ssize_t, real(fd, parts, count));
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
  REAL(pwrite);
  if (!is_flushed(fd)) return real(fd, bytes, count, at);
  SLOWED(ssize_t, real(fd, bytes, count, at));
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
  REAL(pwrite64);
  if (!is_flushed(fd)) return real(fd, bytes, count, at);
  SLOWED(ssize_t, real(fd, bytes, count, at));
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) {
  REAL(pwritev);
  if (!is_flushed(fd)) return real(fd, parts, count, at);
  SLOWED(ssize_t, real(fd, parts, count, at));
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at) {
  REAL(pwritev64);
  if (!is_flushed(fd)) return real(fd, parts, count, at);
  SLOWED(ssize_t, real(fd, parts, count, at));
}
