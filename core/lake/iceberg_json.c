/*
** iceberg_json.c - the metadata of a table gets a snapshot more.
*/
#include "core/lake/iceberg_write_inside.h"
#include "core/lake/json_members.h"
#include "core/lake/log_put.h"
#include "core/text/json_text.h"
#include "core/text/number_parse.h"

enum { METADATA_KEPT = 100 };

/* ---- edits ------------------------------------------------------------------------------- */

/* A member of an object and the JSON that it gets. */
typedef struct Change {
    const char *key;
    PqBuf       text;
    bool        done;
} Change;

typedef struct Edit {
    Change *v;
    size_t  n;
    PqBuf  *out;
    bool    any;
} Edit;

static PqRc edit_member(void *arg, PqJsonRead *r, PqSlice key, const PqJsonToken *value, PqErr *e)
{
    Edit *x = arg;
    PqSlice text;

    PQ_TRY(pq_json_read_skip(r, value, &text, e));
    for (size_t i = 0; i < x->n; i++) {
        if (pq_slice_is(key, x->v[i].key)) {
            x->v[i].done = true;
            text = pq_buf_view(&x->v[i].text);
        }
    }
    pq_buf_text(x->out, x->any ? "," : "");
    x->any = true;
    pq_json_text_string(key, x->out);
    pq_buf_byte(x->out, ':');
    pq_buf_add(x->out, text.p, text.n);
    return PQ_OK;
}

/* An object with other members; those that it lacks come last. */
static PqRc edit(PqSlice json, Change *v, size_t n, PqArena *a, PqBuf *out, PqErr *e)
{
    Edit x = {.v = v, .n = n, .out = out};

    pq_buf_byte(out, '{');
    PQ_TRY(json.n ? pq_json_object(json, a, edit_member, &x, e) : PQ_OK);
    for (size_t i = 0; i < n; i++) {
        if (!v[i].done) {
            pq_buf_printf(out, "%s\"%s\":", x.any ? "," : "", v[i].key);
            pq_buf_add(out, v[i].text.p, v[i].text.n);
            x.any = true;
        }
    }
    pq_buf_byte(out, '}');
    return pq_buf_ok(out) ? PQ_OK : e->rc;
}

/* A list, of which the last elements stay, and a place for one more. */
static PqRc begin_append(PqIcebergWrite *w, PqSlice list, size_t most, PqBuf *out, PqErr *e)
{
    PqJsonList l = pq_json_list(list, &w->t.scratch);
    size_t n = 0;

    while (pq_json_list_next(&l, e)) {
        n++;
    }
    pq_buf_byte(out, '[');
    for (l = pq_json_list(list, &w->t.scratch); pq_json_list_next(&l, e); n--) {
        if (n < most) {
            pq_buf_add(out, l.element.p, l.element.n);
            pq_buf_byte(out, ',');
        }
    }
    return e->rc;
}

/* ---- the snapshot ------------------------------------------------------------------------ */

/* Totals are those of the snapshot before, if it has them. */
static PqRc add_summary(PqIcebergWrite *w, PqSlice snapshot, PqBuf *out, PqErr *e)
{
    static const char *const names[] = {"total-data-files", "total-records", "total-files-size",
                                        "total-delete-files", "total-position-deletes",
                                        "total-equality-deletes"};
    const int64_t more[] = {w->n_files, w->n_rows, w->n_bytes, 0, 0, 0};
    PqSlice summary = {0}, text[PQ_COUNT(names)] = {{0}};
    const PqJsonMember of[] = {{"summary", &summary, NULL}};
    PqJsonMember totals[PQ_COUNT(names)];
    int64_t n;

    for (size_t i = 0; i < PQ_COUNT(names); i++) {
        totals[i] = (PqJsonMember){names[i], &text[i], NULL};
    }
    PQ_TRY(snapshot.n ? pq_json_pick_of(snapshot, &w->t.scratch, of, 1, e) : PQ_OK);
    PQ_TRY(summary.n ? pq_json_pick_of(summary, &w->t.scratch, totals, PQ_COUNT(totals), e)
                     : PQ_OK);
    pq_buf_text(out, "{\"operation\":\"append\",\"engine-name\":");
    pq_json_text_string(pq_slice_text(w->plan.writer), out);
    pq_buf_printf(out, ",\"added-data-files\":\"%lld\",\"added-records\":\"%lld\","
                  "\"added-files-size\":\"%lld\"", (long long)w->n_files, (long long)w->n_rows,
                  (long long)w->n_bytes);
    for (size_t i = 0; i < PQ_COUNT(names); i++) {
        if (!snapshot.n) {
            n = 0;
        } else if (!text[i].n || pq_number_parse_i64(text[i], &n) != PQ_PARSE_OK || n < 0 ||
                   n > INT64_MAX - more[i]) {
            continue;
        }
        pq_buf_printf(out, ",\"%s\":\"%lld\"", names[i], (long long)(n + more[i]));
    }
    pq_buf_byte(out, '}');
    return PQ_OK;
}

static PqRc add_snapshot(PqIcebergWrite *w, PqSlice parent, int64_t at, int64_t next_row,
                         PqBuf *out, PqErr *e)
{
    const char *list = pq_iceberg_located(w, &w->t.scratch, "metadata",
                                          strrchr(w->list, '/') + 1, e);

    PQ_TRY(list ? PQ_OK : e->rc);
    pq_buf_printf(out, "{\"snapshot-id\":%lld,\"timestamp-ms\":%lld", (long long)w->snapshot,
                  (long long)at);
    if (w->schema_id >= 0) {
        pq_buf_printf(out, ",\"schema-id\":%lld", (long long)w->schema_id);
    }
    if (parent.n) {
        pq_buf_printf(out, ",\"parent-snapshot-id\":%lld", (long long)w->m.snapshot);
    }
    if (w->format > 1) {
        pq_buf_printf(out, ",\"sequence-number\":%lld", (long long)w->m.sequence + 1);
    }
    if (w->format > 2) {
        pq_buf_printf(out, ",\"first-row-id\":%lld,\"added-rows\":%lld", (long long)w->m.next_row,
                      (long long)(next_row - w->m.next_row));
    }
    pq_buf_text(out, ",\"manifest-list\":");
    pq_json_text_string(pq_slice_text(list), out);
    pq_buf_text(out, ",\"summary\":");
    PQ_TRY(add_summary(w, parent, out, e));
    pq_buf_byte(out, '}');
    return PQ_OK;
}

/* {"main":{"snapshot-id":1,"type":"branch"},"audit":{...}} */
static PqRc add_refs(PqIcebergWrite *w, PqBuf *out, PqErr *e)
{
    Change main = {.key = "main"}, id = {.key = "snapshot-id"};
    PqSlice old = {0};
    const PqJsonMember members[] = {{"main", &old, NULL}};

    PQ_TRY(w->m.refs.n ? pq_json_pick_of(w->m.refs, &w->t.scratch, members, 1, e) : PQ_OK);
    if (!old.n) {
        old = pq_slice_text("{\"type\":\"branch\"}");
    }
    pq_buf_init(&main.text, w->plan.mem, e);
    pq_buf_init(&id.text, w->plan.mem, e);
    pq_buf_printf(&id.text, "%lld", (long long)w->snapshot);
    if (edit(old, &id, 1, &w->t.scratch, &main.text, e) == PQ_OK) {
        edit(w->m.refs, &main, 1, &w->t.scratch, out, e);
    }
    pq_buf_free(&main.text);
    pq_buf_free(&id.text);
    return e->rc;
}

/* ---- the metadata ------------------------------------------------------------------------ */

/* Those that the format has not yet come last. */
enum { UPDATED, CURRENT, SNAPSHOTS, SNAPSHOT_LOG, METADATA_LOG, REFS, SEQUENCE, NEXT_ROW, CHANGES };

static PqRc fill_changes(PqIcebergWrite *w, PqSlice parent, int64_t next_row, Change *v, PqErr *e)
{
    const char *before = pq_iceberg_located(w, &w->t.scratch, "metadata",
                                            strrchr(w->m.path, '/') + 1, e);
    int64_t at = pq_log_now();

    PQ_TRY(before ? PQ_OK : e->rc);
    at = at > w->m.updated ? at : w->m.updated;
    pq_buf_printf(&v[UPDATED].text, "%lld", (long long)at);
    pq_buf_printf(&v[CURRENT].text, "%lld", (long long)w->snapshot);
    PQ_TRY(begin_append(w, w->m.snapshots, SIZE_MAX, &v[SNAPSHOTS].text, e));
    PQ_TRY(add_snapshot(w, parent, at, next_row, &v[SNAPSHOTS].text, e));
    PQ_TRY(begin_append(w, w->m.snapshot_log, SIZE_MAX, &v[SNAPSHOT_LOG].text, e));
    pq_buf_printf(&v[SNAPSHOT_LOG].text, "{\"timestamp-ms\":%lld,\"snapshot-id\":%lld}",
                  (long long)at, (long long)w->snapshot);
    PQ_TRY(begin_append(w, w->m.metadata_log, METADATA_KEPT, &v[METADATA_LOG].text, e));
    pq_buf_printf(&v[METADATA_LOG].text, "{\"timestamp-ms\":%lld,\"metadata-file\":",
                  (long long)w->m.updated);
    pq_json_text_string(pq_slice_text(before), &v[METADATA_LOG].text);
    pq_buf_byte(&v[METADATA_LOG].text, '}');
    for (int i = SNAPSHOTS; i <= METADATA_LOG; i++) {
        pq_buf_byte(&v[i].text, ']');
    }
    pq_buf_printf(&v[SEQUENCE].text, "%lld", (long long)w->m.sequence + 1);
    pq_buf_printf(&v[NEXT_ROW].text, "%lld", (long long)next_row);
    return add_refs(w, &v[REFS].text, e);
}

PqRc pq_iceberg_write_metadata(PqIcebergWrite *w, PqSlice parent, int64_t next_row, PqErr *e)
{
    Change v[CHANGES] = {{.key = "last-updated-ms"}, {.key = "current-snapshot-id"},
                         {.key = "snapshots"}, {.key = "snapshot-log"}, {.key = "metadata-log"},
                         {.key = "refs"}, {.key = "last-sequence-number"}, {.key = "next-row-id"}};
    size_t n = w->format == 1 ? w->m.refs.n ? SEQUENCE : REFS
               : w->format == 2 ? NEXT_ROW : CHANGES;
    PqBuf out;

    pq_buf_init(&out, w->plan.mem, e);
    for (size_t i = 0; i < CHANGES; i++) {
        pq_buf_init(&v[i].text, w->plan.mem, e);
    }
    if (fill_changes(w, parent, next_row, v, e) == PQ_OK &&
        edit(w->m.json, v, n, &w->t.scratch, &out, e) == PQ_OK) {
        pq_log_write(w->plan.mem, w->temp, w->temp, pq_buf_view(&out), e);
    }
    for (size_t i = 0; i < CHANGES; i++) {
        pq_buf_free(&v[i].text);
    }
    pq_buf_free(&out);
    return e->rc;
}

