/* Fails the N-th I/O call under a folder, or does half of it. For tests only: built by failing.py when there is a C
 * compiler, loaded with LD_PRELOAD, harmless until it is armed. Counts only calls on files below the folder; pipes,
 * terminals and everything elsewhere are let through. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/* Kinds of calls, as bits of a mask. */
enum { READS = 1, WRITES = 2, SYNCS = 4, MAKES = 8, MOVES = 16, REMOVES = 32, CUTS = 64 };

static char root[PATH_MAX];
static size_t root_length;
static int kinds, wrong, sticky, half;
static long wanted;
static atomic_long counted;
static char hit[256];

void failing_arm(const char *folder, int mask, int number, int error, int stays, int halves) {
    root_length = strlen(folder);
    memcpy(root, folder, root_length + 1);
    wanted = number, wrong = error, sticky = stays, half = halves, hit[0] = 0;
    atomic_store(&counted, 0);
    kinds = mask;
}

long failing_counted(void) { return atomic_load(&counted); }
const char *failing_hit(void) { return hit; }

static int below(const char *path) {
    return strncmp(path, root, root_length) == 0 && (path[root_length] == '/' || path[root_length] == 0);
}

static ssize_t name_of(int fd, char *into) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, into, PATH_MAX - 1);
    if (length >= 0) into[length] = 0;
    return length;
}

/* Whether this call is to fail: 1 for the one that was asked for (kept for the report), 2 for those after it. */
static int fails(int kind, const char *what, const char *path) {
    if (!(kinds & kind) || !below(path)) return 0;
    long now = atomic_fetch_add(&counted, 1) + 1;
    if (wanted <= 0 || !(now == wanted || (sticky && now > wanted))) return 0;
    if (now == wanted) snprintf(hit, sizeof hit, "%s %.200s", what, path + root_length);
    return now == wanted ? 1 : 2;
}

static int fd_fails(int kind, const char *what, int fd) {
    char path[PATH_MAX];
    if (!(kinds & kind) || name_of(fd, path) < 0) return 0;
    return fails(kind, what, path);
}

static int at_fails(int kind, const char *what, int folder, const char *path) {
    char whole[2 * PATH_MAX];
    if (!(kinds & kind) || path == NULL) return 0;
    if (path[0] == '/' || folder == AT_FDCWD) return fails(kind, what, path);
    ssize_t length = name_of(folder, whole);
    if (length < 0) return 0;
    snprintf(whole + length, sizeof whole - length, "/%s", path);
    return fails(kind, what, whole);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define FAIL do { errno = wrong; return -1; } while (0)

/* A call that moves bytes: fails, or moves half of them and says so. */
#define MOVING(name, kind, signature, given, count, ...)                                                    \
    ssize_t name signature {                                                                                \
        static __typeof__(&name) real;                                                                      \
        if (!real) real = REAL(name);                                                                       \
        int fault = fd_fails(kind, #name, given);                                                           \
        if (fault) {                                                                                        \
            if (!half || fault == 2 || count < 2) FAIL;                                                     \
            count /= 2;                                                                                     \
        }                                                                                                   \
        return real(__VA_ARGS__);                                                                           \
    }
MOVING(read, READS, (int fd, void *to, size_t count), fd, count, fd, to, count)
MOVING(pread64, READS, (int fd, void *to, size_t count, off64_t at), fd, count, fd, to, count, at)
MOVING(pread, READS, (int fd, void *to, size_t count, off_t at), fd, count, fd, to, count, at)
MOVING(write, WRITES, (int fd, const void *from, size_t count), fd, count, fd, from, count)
MOVING(pwrite64, WRITES, (int fd, const void *from, size_t count, off64_t at), fd, count, fd, from, count, at)
MOVING(pwrite, WRITES, (int fd, const void *from, size_t count, off_t at), fd, count, fd, from, count, at)

#define BY_FD(name, kind, signature, ...)                                                                   \
    int name signature {                                                                                    \
        static __typeof__(&name) real;                                                                      \
        if (!real) real = REAL(name);                                                                       \
        if (fd_fails(kind, #name, fd)) FAIL;                                                                \
        return real(__VA_ARGS__);                                                                           \
    }
BY_FD(fsync, SYNCS, (int fd), fd)
BY_FD(fdatasync, SYNCS, (int fd), fd)
BY_FD(ftruncate, CUTS, (int fd, off_t length), fd, length)
BY_FD(ftruncate64, CUTS, (int fd, off64_t length), fd, length)
BY_FD(fchmod, MOVES, (int fd, mode_t mode), fd, mode)

#define BY_PATH(name, kind, folder, path, signature, ...)                                                   \
    int name signature {                                                                                    \
        static __typeof__(&name) real;                                                                      \
        if (!real) real = REAL(name);                                                                       \
        if (at_fails(kind, #name, folder, path)) FAIL;                                                      \
        return real(__VA_ARGS__);                                                                           \
    }
BY_PATH(mkdir, MAKES, AT_FDCWD, path, (const char *path, mode_t mode), path, mode)
BY_PATH(mkdirat, MAKES, folder, path, (int folder, const char *path, mode_t mode), folder, path, mode)
BY_PATH(chmod, MOVES, AT_FDCWD, path, (const char *path, mode_t mode), path, mode)
BY_PATH(rename, MOVES, AT_FDCWD, to, (const char *from, const char *to), from, to)
BY_PATH(renameat, MOVES, there, to, (int here, const char *from, int there, const char *to), here, from, there, to)
BY_PATH(renameat2, MOVES, there, to, (int here, const char *from, int there, const char *to, unsigned flags),
        here, from, there, to, flags)
BY_PATH(link, MAKES, AT_FDCWD, to, (const char *from, const char *to), from, to)
BY_PATH(linkat, MAKES, there, to, (int here, const char *from, int there, const char *to, int flags),
        here, from, there, to, flags)
BY_PATH(unlink, REMOVES, AT_FDCWD, path, (const char *path), path)
BY_PATH(unlinkat, REMOVES, folder, path, (int folder, const char *path, int flags), folder, path, flags)

#define MODE(flags, mode)                                                                                   \
    mode_t mode = 0;                                                                                        \
    if ((flags) & (O_CREAT | O_TMPFILE)) {                                                                  \
        va_list rest;                                                                                       \
        va_start(rest, flags);                                                                              \
        mode = va_arg(rest, mode_t);                                                                        \
        va_end(rest);                                                                                       \
    }
#define OPENS(name)                                                                                         \
    int name(const char *path, int flags, ...) {                                                            \
        MODE(flags, mode)                                                                                   \
        static int (*real)(const char *, int, ...);                                                         \
        if (!real) real = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, #name);                         \
        if (at_fails(flags & O_CREAT ? MAKES : READS, #name, AT_FDCWD, path)) FAIL;                         \
        return real(path, flags, mode);                                                                     \
    }
#define OPENS_AT(name)                                                                                      \
    int name(int folder, const char *path, int flags, ...) {                                                \
        MODE(flags, mode)                                                                                   \
        static int (*real)(int, const char *, int, ...);                                                    \
        if (!real) real = (int (*)(int, const char *, int, ...))dlsym(RTLD_NEXT, #name);                    \
        if (at_fails(flags & O_CREAT ? MAKES : READS, #name, folder, path)) FAIL;                           \
        return real(folder, path, flags, mode);                                                             \
    }
OPENS(open)
OPENS(open64)
OPENS_AT(openat)
OPENS_AT(openat64)
