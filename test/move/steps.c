/*
** steps.c - a library for LD_PRELOAD that ends or stops a process before a step that changes
** a file, or lets the step fail.
**
**   steps_begin("/a/folder", 7, 0)         the seventh step is not taken: kill -9
**   steps_begin("/a/folder", 7, ENOSPC)    it fails, and so do later ones that need space
**   steps_begin("/a/folder", 7, EIO)       it alone fails
**   steps_begin("/a/folder", 7, EAGAIN)    the process stops before it, until SIGCONT
**   steps_begin("/a/folder", 0, 0)         steps are only counted
**
** Steps are what changes files or names in the folder or below.
*/
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MOST_FDS = 4096 };

static char folder[PATH_MAX];
static int at, fails_with;
static atomic_int n_steps;
static atomic_bool is_in[MOST_FDS];

void steps_begin(const char *in, int step, int error)
{
    strncpy(folder, in, sizeof folder - 1);
    at = step;
    fails_with = error;
    n_steps = 0;
}

int steps_count(void)
{
    return n_steps;
}

/* False: the step fails, with errno. */
static bool step(bool counts, bool needs_space)
{
    int n;

    if (!counts || !*folder) {
        return true;
    }
    n = atomic_fetch_add(&n_steps, 1) + 1;
    if (at && n >= at && !fails_with) {
        kill(getpid(), SIGKILL);
    }
    if (at && n == at && fails_with == EAGAIN) {
        raise(SIGSTOP);
        return true;
    }
    if (at && fails_with && (n == at || (n > at && needs_space && fails_with == ENOSPC))) {
        errno = fails_with;
        return false;
    }
    return true;
}

static bool below(const char *path)
{
    char real[PATH_MAX] = "";

    if (path && *path != '/' && getcwd(real, sizeof real / 2)) {
        strcat(real, "/");
    }
    if (path && strlen(path) < sizeof real / 2) {
        strcat(real, path);
    }
    return *folder && strncmp(real, folder, strlen(folder)) == 0;
}

static bool of(int fd)
{
    return fd >= 0 && fd < MOST_FDS && is_in[fd];
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int note(int fd, const char *path)
{
    if (fd >= 0 && fd < MOST_FDS) {
        is_in[fd] = below(path);
    }
    return fd;
}

#define OPEN(name)                                                                     \
    int name(const char *path, int flags, ...)                                         \
    {                                                                                  \
        va_list list;                                                                  \
        mode_t mode;                                                                   \
                                                                                       \
        va_start(list, flags);                                                         \
        mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;             \
        va_end(list);                                                                  \
        return step(flags & (O_CREAT | O_TRUNC) && below(path), flags & O_CREAT)       \
                   ? note(REAL(name)(path, flags, mode), path) : -1;                   \
    }
OPEN(open)
OPEN(open64)

/* A path that begins at an open folder is not looked at. */
#define OPENAT(name)                                                                   \
    int name(int dir, const char *path, int flags, ...)                                \
    {                                                                                  \
        va_list list;                                                                  \
        mode_t mode;                                                                   \
                                                                                       \
        va_start(list, flags);                                                         \
        mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;             \
        va_end(list);                                                                  \
        return step(flags & (O_CREAT | O_TRUNC) && below(path), flags & O_CREAT)       \
                   ? note(REAL(name)(dir, path, flags, mode), path) : -1;              \
    }
OPENAT(openat)
OPENAT(openat64)

#define STEP(type, name, counts, space, parameters, arguments)                         \
    type name parameters                                                               \
    {                                                                                  \
        return step(counts, space) ? REAL(name) arguments : -1;                        \
    }
STEP(ssize_t, write, of(fd), true, (int fd, const void *p, size_t n), (fd, p, n))
STEP(ssize_t, pwrite, of(fd), true, (int fd, const void *p, size_t n, off_t o), (fd, p, n, o))
STEP(ssize_t, pwrite64, of(fd), true, (int fd, const void *p, size_t n, off64_t o), (fd, p, n, o))
STEP(ssize_t, writev, of(fd), true, (int fd, const struct iovec *v, int n), (fd, v, n))
STEP(int, fsync, of(fd), true, (int fd), (fd))
STEP(int, fdatasync, of(fd), true, (int fd), (fd))
STEP(int, ftruncate, of(fd), false, (int fd, off_t n), (fd, n))
STEP(int, ftruncate64, of(fd), false, (int fd, off64_t n), (fd, n))
STEP(int, unlink, below(path), false, (const char *path), (path))
STEP(int, rmdir, below(path), false, (const char *path), (path))
STEP(int, mkdir, below(path), true, (const char *path, mode_t mode), (path, mode))
STEP(int, link, below(to), true, (const char *from, const char *to), (from, to))
STEP(int, rename, below(to), false, (const char *from, const char *to), (from, to))
STEP(int, renameat2, below(to), false,
     (int a, const char *from, int b, const char *to, unsigned flags), (a, from, b, to, flags))
