/*
** secret.c - pages of 64 places, one bit for each that is taken.
**
** Pages are not named by their places: freeing looks for the page that a place
** lies in.  A process has few keys, so the list is short.
*/
#define _GNU_SOURCE
#include "core/base/secret.h"

#include "core/base/mem.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PLACES = 64, PAGE_BYTES = PLACES * PQ_SECRET_BYTES };

typedef struct Page {
    uint8_t     *at;
    uint64_t     taken;              /* bit i: place i */
    struct Page *next;
} Page;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Page *pages;                  /* under lock, like what follows */
static void (*watcher)(const uint8_t *page, size_t n);

void pq_wipe(void *p, size_t n)
{
    if (n) {
        explicit_bzero(p, n);
    }
}

void pq_secret_watch(void (*watch)(const uint8_t *page, size_t n))
{
    pthread_mutex_lock(&lock);
    watcher = watch;
    pthread_mutex_unlock(&lock);
}

static Page *new_page(void)
{
    Page *page = pq_fault_here() ? NULL : calloc(1, sizeof *page);
    void *at;

    if (!page) {
        return NULL;
    }
    at = pq_fault_here() ? MAP_FAILED
                         : mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) {
        free(page);
        return NULL;
    }
    (void)madvise(at, PAGE_BYTES, MADV_DONTDUMP);
    (void)mlock(at, PAGE_BYTES);
    page->at = at;
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

    if (watcher) {
        watcher(page->at, PAGE_BYTES);
    }
    munmap(page->at, PAGE_BYTES);
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
