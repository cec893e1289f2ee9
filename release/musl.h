/*
** musl.h - system calls that musl 1.2.3 has no function for.  It is included before
** each source of the project when that is compiled for musl.
**
** The headers that go with them are the kernel's.
*/
#include <sys/stat.h>
#include <sys/syscall.h>

/* unistd.h would take names, such as pause, from sources that do without it. */
long syscall(long number, ...);

/* linux/stat.h repeats what sys/stat.h has, unless this is glibc. */
#define __GLIBC__ 2
#include <linux/stat.h>
#undef __GLIBC__

#define RENAME_NOREPLACE 1
#define RENAME_EXCHANGE  2

static inline int statx(int fd, const char *path, int flags, unsigned mask,
                        struct statx *st)
{
    return (int)syscall(SYS_statx, fd, path, flags, mask, st);
}

static inline int renameat2(int from_fd, const char *from, int to_fd, const char *to,
                            unsigned flags)
{
    return (int)syscall(SYS_renameat2, from_fd, from, to_fd, to, flags);
}
