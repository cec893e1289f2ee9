/*
** access.c - secrets by prefix, and prefixes that are allowed.
**
**   held   [ s3:// | s3://bucket/ | https://a.org/ | https://b.org/ allows ]
**   grant    holds one of them
**
** With the provider env the environment and ~/.aws are read for each grant: people change
** what they say while a program runs.
*/
#include "core/remote/held.h"

#include "core/remote/aws_config.h"

#include <pthread.h>
#include <stdlib.h>

enum { SECRETS_BYTES = 16 << 20 };

struct PqAccess {
    PqMem           *mem, *secrets;
    pthread_mutex_t  lock;           /* of the rest                              */
    PqHeld         **held;
    uint32_t         n, room;
};

PqRc pq_access_new(PqMem *mem, PqAccess **out, PqErr *e)
{
    PqAccess *x;

    *out = NULL;
    PQ_TRY(PQ_NEW(mem, x, 1, e));
    x->secrets = pq_mem_new_secret(SECRETS_BYTES);
    if (!x->secrets) {
        pq_mem_free(x);
        return pq_fail(e, PQ_NOMEM, "out of memory");
    }
    x->mem = mem;
    pthread_mutex_init(&x->lock, NULL);
    *out = x;
    return PQ_OK;
}

void pq_access_free(PqAccess *x)
{
    if (x) {
        for (uint32_t i = 0; i < x->n; i++) {
            pq_held_release(x->held[i]);
        }
        pq_mem_free(x->held);
        pq_mem_release(x->secrets);
        pthread_mutex_destroy(&x->lock);
        pq_mem_free(x);
    }
}

/* ---- the list -------------------------------------------------------------------- */

/* Takes h over, in the place of an earlier one with its prefix; or forgets both. */
static PqRc put(PqAccess *x, PqHeld *h, bool forgets, PqErr *e)
{
    uint32_t i = 0;
    PqHeld *old;
    PqRc rc;

    pthread_mutex_lock(&x->lock);
    while (i < x->n && !(x->held[i]->allows == h->allows &&
                         pq_url_below(&x->held[i]->prefix, &h->prefix) &&
                         pq_url_below(&h->prefix, &x->held[i]->prefix))) {
        i++;
    }
    rc = PQ_GROW(x->mem, x->held, i, x->room, e);
    old = rc == PQ_OK && i < x->n ? x->held[i] : NULL;
    if (rc == PQ_OK && !forgets) {
        x->n += i == x->n;
        x->held[i] = h;
        h = NULL;
    } else if (old) {
        x->held[i] = x->held[--x->n];
    }
    pthread_mutex_unlock(&x->lock);
    pq_held_release(old);
    pq_held_release(h);
    return rc;
}

PqRc pq_access_put(PqAccess *x, const char *prefix, const PqSlice *json, PqErr *e)
{
    PqHeld *h;

    PQ_TRY(pq_held_new(x->mem, x->secrets, prefix, &h, e));
    if (json && pq_held_read(h, *json, e) != PQ_OK) {
        pq_held_release(h);
        return e->rc;
    }
    return put(x, h, !json, e);
}

PqRc pq_access_allow(PqAccess *x, const char *prefix, PqErr *e)
{
    PqHeld *h;

    PQ_TRY(pq_held_new(x->mem, x->secrets, prefix, &h, e));
    h->allows = true;
    return put(x, h, false, e);
}

/* ---- grants ---------------------------------------------------------------------- */

/* The longest prefix above a URL, of a secret, or one that is allowed.  The caller releases
** it.  NULL: there is none. */
static PqHeld *find(PqAccess *x, const PqUrl *u, bool allows)
{
    size_t most = 0;
    PqHeld *best = NULL;

    pthread_mutex_lock(&x->lock);
    for (uint32_t i = 0; i < x->n; i++) {
        const PqUrl *prefix = &x->held[i]->prefix;
        size_t n = 1 + strlen(prefix->host) + strlen(prefix->path);

        if (x->held[i]->allows == allows && n > most && pq_url_below(prefix, u)) {
            best = x->held[i];
            most = n;
        }
    }
    if (best) {
        atomic_fetch_add(&best->holders, 1);
    }
    pthread_mutex_unlock(&x->lock);
    return best;
}

static bool has(PqAccess *x, const PqUrl *u, bool allows)
{
    PqHeld *h = find(x, u, allows);

    pq_held_release(h);
    return h != NULL;
}

PqRc pq_access_grant(PqAccess *x, const PqUrl *u, PqGrant *out, PqErr *e)
{
    PqHeld *h = find(x, u, false);

    *out = (PqGrant){.s = h ? h->s : PQ_NO_SECRET, .held = h};
    pq_arena_init(&out->texts, x->secrets);
    if (h && h->env && pq_aws_config_find(&out->texts, h->profile, &out->s, e) != PQ_OK) {
        pq_access_release(out);
    }
    return e->rc;
}

void pq_access_release(PqGrant *g)
{
    pq_held_release(g->held);
    pq_arena_free(&g->texts);
    *g = (PqGrant){.s = PQ_NO_SECRET};
}

/* ---- may a server be asked? ------------------------------------------------------ */

bool pq_access_may_connect(void *access, const uint8_t *address, size_t n)
{
    PqAccess *x = access;
    bool may = !pq_address_is_link_local(address, n);

    pthread_mutex_lock(&x->lock);
    for (uint32_t i = 0; i < x->n && !may; i++) {
        uint8_t its[16];

        may = x->held[i]->allows && pq_url_address(&x->held[i]->prefix, its) == n &&
              memcmp(its, address, n) == 0;
    }
    pthread_mutex_unlock(&x->lock);
    return may;
}

static bool no_network(void)
{
    const char *value = getenv("PARQUET_NO_NETWORK");

    return value && *value && strcmp(value, "0") != 0;
}

static PqRc refuse(PqAccess *x, const PqUrl *u, const char *why, PqErr *e)
{
    PqUrl root = *u;
    const char *shown;
    PqArena a;

    root.path = u->scheme == PQ_SCHEME_S3 ? "" : "/";
    pq_arena_init(&a, x->mem);
    shown = pq_url_shown(&a, &root, e);
    if (shown) {
        pq_fail(e, PQ_USAGE, "%s", why);
        pq_err_hint(e, "SELECT parquet_allow('%s') allows it", shown);
    }
    pq_arena_free(&a);
    return e->rc;
}

PqRc pq_access_check(PqAccess *x, const PqUrl *u, bool own, PqErr *e)
{
    bool allowed = has(x, u, true);

    if (no_network()) {
        return pq_fail(e, PQ_USAGE, "no server is asked: PARQUET_NO_NETWORK is set in "
                       "the environment");
    }
    if (pq_url_link_local(u) && !allowed) {
        return refuse(x, u, "a link-local address, where machines keep their own "
                      "secrets, is asked only if this connection allows it", e);
    }
    if (!own && !allowed && !has(x, u, false)) {
        return refuse(x, u, "a URL in a stored schema, or one that it leads to, is asked "
                      "only if this connection allows it", e);
    }
    return PQ_OK;
}
