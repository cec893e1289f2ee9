/*
** curl_library.c - finds libcurl.  The variants that distributions have differ in
** their library of TLS only.  The one with NSS is not taken: there a CA file that was
** given for one server is trusted for all others from then on.
*/
#define _GNU_SOURCE                  /* dladdr */
#include "core/remote/curl_library.h"

#include "core/base/secret.h"
#include "core/base/system.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {PQ_SYSTEM_LIBCURL};

static PqCurl loaded;

/* dlsym gives a pointer to data: POSIX says that it holds a function. */
static bool find(void *library, const char *name, void *function)
{
    void *at = dlsym(library, name);

    memcpy(function, &at, sizeof at);
    return at != NULL;
}

/* What libcurl frees had secrets in it. */
static void wiping_free(void *p)
{
    if (p) {
        pq_wipe(p, malloc_usable_size(p));
        free(p);
    }
}

static void *wiping_realloc(void *p, size_t n)
{
    size_t had = p ? malloc_usable_size(p) : 0;
    void *to = malloc(n);

    if (to && p) {
        memcpy(to, p, had < n ? had : n);
        wiping_free(p);
    }
    return to;
}

/* libcurl may call functions of this library as long as the process lives, so it stays. */
static bool take_functions(void *library)
{
#define F(name) && find(library, #name, &loaded.name)
    bool all = true PQ_CURL_FUNCTIONS(F) &&
               loaded.curl_global_init_mem(CURL_GLOBAL_DEFAULT, malloc, wiping_free,
                                           wiping_realloc, strdup, calloc) == CURLE_OK;
#undef F
    Dl_info here;

    if (all && dladdr(&loaded, &here)) {
        (void)dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
    }
    return all;
}

PqRc pq_curl_load(const PqCurl **out, PqErr *e)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool is_loaded;
    bool found = false;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < PQ_COUNT(names) && !is_loaded; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);

        found |= library != NULL;
        is_loaded = library && take_functions(library);
    }
    if (!is_loaded) {
        pq_fail(e, PQ_UNSUPPORTED, found ? "this libcurl is older than 7.68"
                                         : "files on servers need libcurl");
        pq_err_hint(e, PQ_SYSTEM_LIBCURL_FROM);
    }
    pthread_mutex_unlock(&lock);
    *out = &loaded;
    return e->rc;
}
