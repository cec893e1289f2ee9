/*
** lake_snapshot.c - is held and let go.
*/
#include "core/files/lake_snapshot.h"

PqRc pq_lake_snapshot_new(PqMem *mem, PqLakeSnapshot **out, PqErr *e)
{
    PqArena a;

    pq_arena_init(&a, mem);
    *out = pq_arena_zeros(&a, 1, sizeof **out, e);
    if (!*out) {
        pq_arena_free(&a);
        return e->rc;
    }
    (*out)->arena = a;
    (*out)->holders = 1;
    return PQ_OK;
}

void pq_lake_snapshot_release(PqLakeSnapshot *s)
{
    if (s && --s->holders == 0) {
        PqArena a = s->arena;        /* which has s itself, too              */

        pq_footer_release(s->schema);
        pq_arena_free(&a);
    }
}
