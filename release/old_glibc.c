/*
** old_glibc.c - functions that glibc has since 2.18, for a library that may need no
** newer one than that: old_glibc.sh.
**
** Each is the system call that glibc makes.  On a kernel that does not know it, it
** fails with ENOSYS, as it does there.
*/
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Since 2.33 these are functions, and not macros over __xstat.  The kernel's
** struct stat is glibc's on machines of 64 bits. */
_Static_assert(sizeof(long) == 8, "a machine of 64 bits");

int stat(const char *path, struct stat *st)
{
    return (int)syscall(SYS_newfstatat, AT_FDCWD, path, st, 0);
}

int lstat(const char *path, struct stat *st)
{
    return (int)syscall(SYS_newfstatat, AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

int fstat(int fd, struct stat *st)
{
    return (int)syscall(SYS_fstat, fd, st);
}

int fstatat(int fd, const char *path, struct stat *st, int flags)
{
    return (int)syscall(SYS_newfstatat, fd, path, st, flags);
}

int statx(int fd, const char *path, int flags, unsigned mask, struct statx *st)
{
    return (int)syscall(SYS_statx, fd, path, flags, mask, st);
}

int renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags)
{
    return (int)syscall(SYS_renameat2, from_fd, from, to_fd, to, flags);
}

ssize_t getrandom(void *to, size_t n, unsigned flags)
{
    return syscall(SYS_getrandom, to, n, flags);
}

void explicit_bzero(void *p, size_t n)
{
    memset(p, 0, n);
    __asm__ __volatile__("" : : "r"(p) : "memory");
}
