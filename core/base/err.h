/*
** err.h - an error that knows its place.
**
** The place is state: whoever moves (to the next file, row group, column,
** page) writes it into PqErr.where, and the line that fails says only what is
** wrong.  The text is made at once, because everything the place borrows may
** be gone when somebody reads it:
**
**   e->where = { "trips.parquet", "fare.amount", 3, 12, 81920 }
**   pq_fail(e, PQ_UNSUPPORTED, "codec %s", "LZO")
**   -> trips.parquet, row group 3, column fare.amount, page 12, byte 81920:
**      codec LZO
**
** The first failure wins; later ones on the same PqErr are consequences.
** One PqErr per thread.  Names come from files and may hold anything: control
** characters are shown as escapes, so that a message is always one line.
*/
#ifndef PQ_ERR_H
#define PQ_ERR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum PqRc {
    PQ_OK = 0,
    PQ_NOMEM,        /* the host has no memory left                        */
    PQ_BUDGET,       /* would exceed what the user allowed: memory=        */
    PQ_IO,           /* the system refused: open, read, write              */
    PQ_CORRUPT,      /* the file contradicts itself or the format          */
    PQ_UNSUPPORTED,  /* well formed, but not readable here                 */
    PQ_USAGE,        /* the caller asked for something that makes no sense */
    PQ_CHANGED,      /* the file is not the one that was opened            */
    PQ_STOPPED       /* interrupted by the user                            */
} PqRc;

typedef struct PqWhere {
    const char *file;            /* borrowed from the open file           */
    const char *column;          /* dotted path, borrowed from the schema */
    int         row_group, page; /* -1: not inside one                    */
    int64_t     offset;          /* of the bytes being read, -1: unknown  */
} PqWhere;

enum { PQ_ERR_TEXT = 1024, PQ_ERR_FILE = 300, PQ_ERR_COLUMN = 200 };

typedef struct PqErr {
    PqRc    rc;
    PqWhere where;
    char    text[PQ_ERR_TEXT];   /* complete, place included, once rc is set */
    /* The place again, for programs: where has moved on since.  "": not known. */
    char    file[PQ_ERR_FILE], column[PQ_ERR_COLUMN];
    int     row_group, page;
    int64_t offset;
} PqErr;

#if defined(__GNUC__)
#define PQ_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define PQ_COLD __attribute__((cold, noinline))
#define PQ_INLINE static inline __attribute__((always_inline))   /* each call
                                     ** gets a copy for its constants       */
#define PQ_LIKELY(x) __builtin_expect(!!(x), 1)
#define PQ_UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define PQ_PRINTF(f, a)
#define PQ_COLD
#define PQ_INLINE static inline
#define PQ_LIKELY(x) (x)
#define PQ_UNLIKELY(x) (x)
#endif

/* No error, nowhere. */
#define PQ_NO_ERR ((PqErr){.where = {NULL, NULL, -1, -1, -1}})
void pq_err_init(PqErr *e);

/* Forgets the error, keeps the place. */
void pq_err_clear(PqErr *e);

/* Outside any file. */
void pq_where_reset(PqErr *e);

/* In this file, and nowhere in it.  Returns where the caller was, to go back to. */
PqWhere pq_where_enter(PqErr *e, const char *file);

/* Returns rc, so that a failing line can return its result.  When e already
** holds an error, it stays as it is and its code is returned. */
PQ_COLD PqRc pq_fail(PqErr *e, PqRc rc, const char *fmt, ...) PQ_PRINTF(3, 4);

/* An errno, in the system's words: "what: No such file or directory". */
PQ_COLD PqRc pq_fail_system(PqErr *e, const char *what, int err);

/* The words of errno; they may be in buf. */
PQ_COLD const char *pq_system_words(int err, char *buf, size_t n);

/* Appends to an error's text: what to do about it. */
PQ_COLD void pq_err_hint(PqErr *e, const char *fmt, ...) PQ_PRINTF(2, 3);

/* The only two control-flow macros. */
#define PQ_TRY(x)                    \
    do {                             \
        PqRc rc_ = (x);              \
        if (PQ_UNLIKELY(rc_ != PQ_OK)) return rc_; \
    } while (0)

#define PQ_GO(x)                     \
    do {                             \
        rc = (x);                    \
        if (PQ_UNLIKELY(rc != PQ_OK)) goto done; \
    } while (0)

#define PQ_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
