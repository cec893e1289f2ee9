/*
** system_macos.h - what macOS calls otherwise, or lacks, of the words of Linux.  system.h
** includes it.
*/
#ifndef PQ_SYSTEM_MACOS_H
#define PQ_SYSTEM_MACOS_H

#ifdef __APPLE__
#include <errno.h>
#include <malloc/malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define malloc_usable_size malloc_size

/* Two numbers here, and file systems say this one. */
#undef EOPNOTSUPP
#define EOPNOTSUPP ENOTSUP

#define st_mtim st_mtimespec
#define st_ctim st_ctimespec

/* Times of files are as fine as the clock. */
#define CLOCK_REALTIME_COARSE CLOCK_REALTIME

/* A file without a name: then a folder is opened for writing, which fails with EISDIR. */
#define O_TMPFILE 0

/* Core dumps are off unless somebody wants them. */
#define MADV_DONTDUMP MADV_NORMAL

#define RENAME_NOREPLACE RENAME_EXCL
#define RENAME_EXCHANGE  RENAME_SWAP
#define renameat2        renameatx_np

static inline ssize_t getrandom(void *to, size_t n, unsigned flags)
{
    (void)flags;
    arc4random_buf(to, n);
    return (ssize_t)n;
}

static inline void explicit_bzero(void *p, size_t n)
{
    memset(p, 0, n);
    __asm__ volatile("" : : "r"(p) : "memory");
}

/* Nothing waits for a part of a file; fsync writes all of it. */
#define SYNC_FILE_RANGE_WRITE       0
#define SYNC_FILE_RANGE_WAIT_BEFORE 0
#define SYNC_FILE_RANGE_WAIT_AFTER  0
#define sync_file_range(fd, at, n, how) ((void)(fd), (void)(at), (void)(n), (void)(how), 0)

/* A process that another thread starts at this moment may have the socket too. */
#define SOCK_CLOEXEC 0

#define STATX_INO   1
#define STATX_BTIME 2

struct statx {
    struct timespec stx_btime;
    uint64_t stx_ino;
    unsigned stx_mask, stx_mode, stx_dev_major, stx_dev_minor;
};

/* Of a path from the folder of this process. */
static inline int statx(int fd, const char *path, int flags, unsigned mask,
                        struct statx *out)
{
    struct stat st;

    (void)fd, (void)flags;
    if (stat(path, &st) != 0) {
        return -1;
    }
    *out = (struct statx){.stx_btime = st.st_birthtimespec, .stx_ino = st.st_ino,
                          .stx_mask = mask, .stx_mode = st.st_mode,
                          .stx_dev_minor = (unsigned)st.st_dev};
    return 0;
}
#endif

#endif
