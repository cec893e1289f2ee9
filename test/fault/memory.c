/*
** memory.c - allocators that fail when told to, and count what is allocated.
**
**   who                   goes through            fails as
**   core/                 pq_mem_*, pq_fault_here FAULT_ENGINE
**   SQLite, ext/ and sql/ sqlite_methods          FAULT_SQLITE, .._ON
**   libc, libzstd, ...    malloc of this program  FAULT_LIBRARY
**
** A malloc that a program defines is used by everybody, shared libraries too.
** The return address tells who called: an address in this program means core/,
** which has its own points.  A sanitizer needs malloc for itself.  With one,
** the libraries have no points, and the sanitizer finds leaks.
*/
#define _GNU_SOURCE
#include "test/fault/fault.h"

#include "core/base/mem.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
#define OWN_MALLOC 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OWN_MALLOC 0
#endif
#endif
#ifndef OWN_MALLOC
#define OWN_MALLOC 1
#endif

const char *const fault_names[FAULT_KINDS] = {"engine", "sqlite", "sqlite, on",
                                              "libraries"};

static FaultKind armed_kind;
static int64_t sqlite_at, sqlite_seen;
static bool sqlite_on;
static _Atomic int64_t library_at, library_seen, blocks_out;

void fault_arm(FaultKind kind, int64_t nth)
{
    armed_kind = kind;
    sqlite_seen = 0;
    library_seen = 0;
    switch (kind) {
    case FAULT_ENGINE:
        pq_fault_set(nth);
        break;
    case FAULT_LIBRARY:
        library_at = nth;
        break;
    default:
        sqlite_on = kind == FAULT_SQLITE_ON;
        sqlite_at = nth;
        break;
    }
}

int64_t fault_disarm(void)
{
    int64_t engine = pq_fault_count();

    pq_fault_set(0);
    library_at = 0;
    sqlite_at = 0;
    return armed_kind == FAULT_ENGINE    ? engine
           : armed_kind == FAULT_LIBRARY ? library_seen
                                         : sqlite_seen;
}

/* ---- the system's -------------------------------------------------------- */

#if OWN_MALLOC

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t alignment, size_t n);
void  __libc_free(void *p);

extern char __executable_start, etext;

#pragma GCC visibility push(default)

/* Does one of the libraries call, and is this the point that fails? */
static bool library_fails(const void *caller)
{
    const char *at = caller;

    if (library_at == 0 || (at >= &__executable_start && at < &etext)) {
        return false;
    }
    return atomic_fetch_add(&library_seen, 1) + 1 == library_at;
}

static void *given(void *p)
{
    if (p) {
        atomic_fetch_add_explicit(&blocks_out, 1, memory_order_relaxed);
    }
    return p;
}

static void *refused(void)
{
    errno = ENOMEM;
    return NULL;
}

#define FAILS() library_fails(__builtin_return_address(0))

void *malloc(size_t n)
{
    return FAILS() ? refused() : given(__libc_malloc(n));
}

void *calloc(size_t count, size_t size)
{
    return FAILS() ? refused() : given(__libc_calloc(count, size));
}

void *realloc(void *p, size_t n)
{
    void *moved;

    if (FAILS()) {
        return refused();
    }
    moved = __libc_realloc(p, n);
    return p ? moved : given(moved);
}

void *memalign(size_t alignment, size_t n)
{
    return FAILS() ? refused() : given(__libc_memalign(alignment, n));
}

void *aligned_alloc(size_t alignment, size_t n)
{
    return FAILS() ? refused() : given(__libc_memalign(alignment, n));
}

int posix_memalign(void **out, size_t alignment, size_t n)
{
    *out = FAILS() ? NULL : given(__libc_memalign(alignment, n));
    return *out ? 0 : ENOMEM;
}

void free(void *p)
{
    if (p) {
        atomic_fetch_sub_explicit(&blocks_out, 1, memory_order_relaxed);
        __libc_free(p);
    }
}

#pragma GCC visibility pop

#else
#define __libc_malloc  malloc
#define __libc_realloc realloc
#define __libc_free    free
#endif

int64_t fault_blocks_out(void)
{
    return blocks_out;
}

bool fault_knows_blocks(void)
{
    return OWN_MALLOC;
}

/* ---- SQLite's ------------------------------------------------------------ */

/* Before each block, its size; sixteen bytes to stay aligned. */
enum { HEAD = 16 };

static bool sqlite_fails(void)
{
    int64_t nth;

    if (sqlite_at == 0) {
        return false;
    }
    nth = ++sqlite_seen;
    return sqlite_on ? nth >= sqlite_at : nth == sqlite_at;
}

static void *head_of(void *p)
{
    return (char *)p - HEAD;
}

static void *with_head(void *head, int n)
{
    if (!head) {
        return NULL;
    }
    *(int *)head = n;
    return (char *)head + HEAD;
}

static void *sqlite_malloc(int n)
{
    return sqlite_fails() ? NULL
                          : with_head(__libc_malloc((size_t)n + HEAD), n);
}

static void *sqlite_realloc(void *p, int n)
{
    return sqlite_fails() ? NULL
                          : with_head(__libc_realloc(head_of(p),
                                                     (size_t)n + HEAD), n);
}

static void sqlite_free(void *p)
{
    __libc_free(head_of(p));
}

static int sqlite_size(void *p)
{
    return p ? *(int *)head_of(p) : 0;
}

static int sqlite_roundup(int n)
{
    return (n + 7) & ~7;
}

static int sqlite_init(void *unused)
{
    return SQLITE_OK;
}

static void sqlite_end(void *unused)
{
}

void fault_memory_begin(void)
{
    static const sqlite3_mem_methods sqlite_methods = {
        sqlite_malloc, sqlite_free, sqlite_realloc, sqlite_size,
        sqlite_roundup, sqlite_init, sqlite_end, NULL,
    };

    /* Lookaside would hide most of the small ones. */
    sqlite3_config(SQLITE_CONFIG_MALLOC, &sqlite_methods);
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 1);
}
