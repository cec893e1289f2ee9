/*
** lake_writer.c - writers of a table make versions one after the other.
*/
#include "core/lake/lake_writer.h"

enum { MOST_TRIES = 500 };

PqRc pq_lake_enter(PqLakeWriter *w, const PqPublish *p, PqLakeTry try_once, const char *folder,
                   const PqStop *stop, bool *entered, PqErr *e)
{
    for (int i = 0; i < MOST_TRIES && !*entered; i++) {
        PQ_TRY(pq_stop_poll(stop, e));
        PQ_TRY(try_once(w->log.arg, p, i, entered, e));
    }
    if (!*entered) {
        return pq_fail(e, PQ_IO, "other writers have taken %d versions in a row: run the copy "
                       "again", (int)MOST_TRIES);
    }
    if (folder && pq_publish_sync_folder(folder, e) != PQ_OK) {
        pq_err_hint(e, "%s %lld is in the %s and has all rows, but a crash of the machine may "
                    "take it back", w->version, (long long)w->log.version, w->place);
    }
    return e->rc;
}
