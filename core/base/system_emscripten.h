/*
** system_emscripten.h - what a module of WebAssembly lacks of the words of Linux.  system.h
** includes it.
*/
#ifndef PQ_SYSTEM_EMSCRIPTEN_H
#define PQ_SYSTEM_EMSCRIPTEN_H

#ifdef __EMSCRIPTEN__
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#undef CLOCK_REALTIME_COARSE
#undef MADV_HUGEPAGE                   /* a part of a mapping cannot be unmapped */
#undef MREMAP_MAYMOVE

#define CLOCK_REALTIME_COARSE CLOCK_REALTIME

#define RENAME_NOREPLACE 1
#define RENAME_EXCHANGE  2

static inline int renameat2(int from_fd, const char *from, int to_fd, const char *to,
                            unsigned flags)
{
    (void)from_fd, (void)from, (void)to_fd, (void)to, (void)flags;
    errno = ENOSYS;
    return -1;
}

/* There are no pipes: nobody else runs who could write into one. */
#define STATX_INO   1
#define STATX_BTIME 2

struct statx {
    struct { int64_t tv_sec, tv_nsec; } stx_btime;
    uint64_t stx_ino;
    unsigned stx_mask, stx_mode, stx_dev_major, stx_dev_minor;
};

static inline int statx(int fd, const char *path, int flags, unsigned mask,
                        struct statx *st)
{
    (void)fd, (void)path, (void)flags, (void)mask, (void)st;
    errno = ENOSYS;
    return -1;
}
#endif

#endif
