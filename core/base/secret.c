/*
** secret.c - pages of 64 places, one bit for each that is taken; and whole pages.
**
** Pages are not named by their places: freeing looks for the page that a place
** lies in.  A process has few keys, so the list is short.
*/
#define _GNU_SOURCE
#include "core/base/secret.h"

#include "core/base/mem.h"
#include "core/base/system.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 64, PAGE_BYTES = PLACES * PQ_SECRET_BYTES };

typedef struct Page {
    uint8_t     *at;
    uint64_t     taken;              /* bit i: place i */
    struct Page *next;
} Page;

typedef void Watch(const uint8_t *page, size_t n);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Page *pages;                  /* under lock */
static Watch *_Atomic watcher;

void pq_wipe(void *p, size_t n)
{
    if (n) {
        explicit_bzero(p, n);
    }
}

void pq_secret_watch(void (*watch)(const uint8_t *page, size_t n))
{
    watcher = watch;
}

void *pq_secret_map(size_t n)
{
    void *at = pq_fault_here() ? MAP_FAILED
                               : mmap(NULL, n, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (at == MAP_FAILED) {
        return NULL;
    }
    (void)madvise(at, n, MADV_DONTDUMP);
    (void)mlock(at, n);
    return at;
}

void pq_secret_unmap(void *p, size_t n)
{
    Watch *watch = watcher;

    pq_wipe(p, n);
    if (watch) {
        watch(p, n);
    }
    munmap(p, n);
}

static Page *new_page(void)
{
    Page *page = pq_fault_here() ? NULL : calloc(1, sizeof *page);

    if (!page) {
        return NULL;
    }
    page->at = pq_secret_map(PAGE_BYTES);
    if (!page->at) {
        free(page);
        return NULL;
    }
    page->next = pages;
    pages = page;
    return page;
}

void *pq_secret_new(PqErr *e)
{
    uint8_t *p = NULL;
    Page *page;
    int i;

    pthread_mutex_lock(&lock);
    for (page = pages; page && page->taken == UINT64_MAX; page = page->next) {
    }
    page = page ? page : new_page();
    if (page) {
        i = __builtin_ctzll(~page->taken);
        page->taken |= UINT64_C(1) << i;
        p = page->at + i * PQ_SECRET_BYTES;
    }
    pthread_mutex_unlock(&lock);
    if (!p) {
        pq_fail(e, PQ_NOMEM, "out of memory for a key");
    }
    return p;
}

/* Needs the lock. */
static void drop_page(Page **link)
{
    Page *page = *link;

    pq_secret_unmap(page->at, PAGE_BYTES);
    *link = page->next;
    free(page);
}

void pq_secret_free(void *p)
{
    uint8_t *at = p;
    Page **link;

    if (!p) {
        return;
    }
    pq_wipe(p, PQ_SECRET_BYTES);
    pthread_mutex_lock(&lock);
    for (link = &pages; *link && (at < (*link)->at ||
                                  at >= (*link)->at + PAGE_BYTES);
         link = &(*link)->next) {
    }
    assert(*link);
    (*link)->taken &= ~(UINT64_C(1) << (at - (*link)->at) / PQ_SECRET_BYTES);
    if (!(*link)->taken) {
        drop_page(link);
    }
    pthread_mutex_unlock(&lock);
}
