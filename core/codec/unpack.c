/*
** unpack.c - what the codecs that decode in steps share.
**
** What is hard is who owns what: u->lib is a library's context, kept for the
** next page of the same codec and freed when a page of another one comes.  The
** error and the announced size go into the state before each call, because the
** library's allocator reports to them.
*/
#include "core/codec/codec_inside.h"

#include <assert.h>

/* Bytes to feed to a library that takes any number of them. */
enum { SOME = 1 << 14 };

bool pq_unpack_can(int codec)
{
    const PqCodecWork *work = pq_codec_work(codec);

    return work && work->unpack_begin;
}

bool pq_unpack_resumes(int codec)
{
    return pq_unpack_can(codec) && pq_codec_work(codec)->resumes;
}

bool pq_unpack_spoils(int codec)
{
    return pq_unpack_can(codec) && pq_codec_work(codec)->spoils;
}

PqRc pq_unpack_feed(PqUnpack *u, size_t n, PqErr *e)
{
    PqFeed *f = u->feed;

    n = n < f->n + f->left ? n : f->n + f->left;
    return PQ_LIKELY(n <= f->n) ? PQ_OK : f->more(f, n, e);
}

PqRc pq_unpack_feed_some(PqUnpack *u, PqErr *e)
{
    return u->feed->n > 0 ? PQ_OK : pq_unpack_feed(u, SOME, e);
}

void pq_unpack_took(PqUnpack *u, size_t n)
{
    u->feed->p += n;
    u->feed->n -= n;
}

PqRc pq_unpack_begin(PqUnpack *u, PqCodecState *s, int codec, PqFeed *feed,
                     size_t n_out, PqErr *e)
{
    if (u->lib_codec != codec) {
        pq_unpack_free(u);
    }
    *u = (PqUnpack){.state = s, .feed = feed, .codec = codec,
                    .n_out = n_out, .lib = u->lib, .lib_codec = codec};
    u->whole = !pq_unpack_can(codec) || n_out == 0 || n_out > INT32_MAX ||
               feed->n + feed->left == 0;
    if (u->whole) {
        return PQ_OK;
    }
    s->e = e;
    s->n_out = n_out;
    return pq_codec_work(codec)->unpack_begin(u, e);
}

PqRc pq_unpack_more(PqUnpack *u, size_t upto, size_t expect, PqErr *e)
{
    assert(!u->whole && upto > u->at && upto <= u->n_out);
    u->state->e = e;
    u->state->n_out = u->n_out;
    return pq_codec_work(u->codec)->unpack_more(u, upto, upto > expect ? upto : expect, e);
}

void pq_unpack_end(PqUnpack *u)
{
    u->feed = NULL;
    u->out = NULL;
    u->at = u->n_out = 0;
}

void pq_unpack_free(PqUnpack *u)
{
    if (u->lib) {
        pq_codec_work(u->lib_codec)->unpack_free(u);
        u->lib = NULL;
    }
}
