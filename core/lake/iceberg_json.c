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
    PqSlice     text;
    bool        done;
} Change;

typedef struct Edit {
    Change *v;
    size_t  n;
    PqBuf   out;
} Edit;

static void put_member(Edit *x, PqSlice key, PqSlice text)
{
    pq_json_text_print(&x->out, x->out.n > 1 ? ",%t:%j" : "%t:%j", key, text);
}

static PqRc edit_member(void *arg, PqJsonRead *r, PqSlice key, const PqJsonToken *value, PqErr *e)
{
    Edit *x = arg;
    PqSlice text;

    PQ_TRY(pq_json_read_skip(r, value, &text, e));
    for (size_t i = 0; i < x->n; i++) {
        if (pq_slice_is(key, x->v[i].key)) {
            x->v[i].done = true;
            text = x->v[i].text;
        }
    }
    put_member(x, key, text);
    return PQ_OK;
}

/* An object with other members; those that it lacks come last. */
static PqSlice edit(PqSlice json, Change *v, size_t n, PqArena *a, PqErr *e)
{
    Edit x = {.v = v, .n = n};

    pq_buf_init(&x.out, a->mem, e);
    pq_buf_byte(&x.out, '{');
    if (json.n) {
        pq_json_object(json, a, edit_member, &x, e);
    }
    for (size_t i = 0; i < n; i++) {
        if (!v[i].done) {
            put_member(&x, pq_slice_text(v[i].key), v[i].text);
        }
    }
    pq_buf_byte(&x.out, '}');
    return pq_arena_take_bytes(a, &x.out);
}

/* A list with one element more, of which the last ones stay. */
static PqSlice append(PqSlice list, size_t most, PqSlice element, PqArena *a, PqErr *e)
{
    PqJsonList l = pq_json_list(list, a);
    size_t n = 1;
    PqBuf out;

    pq_buf_init(&out, a->mem, e);
    pq_buf_byte(&out, '[');
    while (pq_json_list_next(&l, e)) {
        n++;
    }
    for (l = pq_json_list(list, a); pq_json_list_next(&l, e); n--) {
        if (n <= most) {
            pq_json_text_print(&out, "%j,", l.element);
        }
    }
    pq_json_text_print(&out, "%j]", element);
    return pq_arena_take_bytes(a, &out);
}

/* ---- the snapshot ------------------------------------------------------------------------ */

/* Totals are those of the snapshot before, if it has them. */
static PqRc add_summary(PqIcebergWrite *w, PqSlice snapshot, PqBuf *out, PqErr *e)
{
    static const char *const names[] = {"total-data-files", "total-records", "total-files-size",
                                        "total-delete-files", "total-position-deletes",
                                        "total-equality-deletes"};
    const PqLakeWriter *b = &w->base;
    const int64_t more[] = {b->n_files, b->n_rows, b->n_bytes, 0, 0, 0};
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
    pq_json_text_print(out, "{'operation':'append','engine-name':%s,'added-data-files':'%d',"
                       "'added-records':'%d','added-files-size':'%d'", b->plan.writer, b->n_files,
                       b->n_rows, b->n_bytes);
    for (size_t i = 0; i < PQ_COUNT(names); i++) {
        if (!snapshot.n) {
            n = 0;
        } else if (!text[i].n || pq_number_parse_i64(text[i], &n) != PQ_PARSE_OK || n < 0 ||
                   n > INT64_MAX - more[i]) {
            continue;
        }
        pq_json_text_print(out, ",%s:'%d'", names[i], n + more[i]);
    }
    pq_buf_byte(out, '}');
    return PQ_OK;
}

static PqSlice snapshot_of(PqIcebergWrite *w, PqSlice parent, int64_t at, int64_t next_row,
                           PqErr *e)
{
    PqArena *a = &w->t.scratch;
    PqBuf out;

    pq_buf_init(&out, a->mem, e);
    pq_json_text_print(&out, "{'snapshot-id':%d,'timestamp-ms':%d", w->new.snapshot, at);
    if (w->m.schema_id >= 0) {
        pq_json_text_print(&out, ",'schema-id':%d", w->m.schema_id);
    }
    if (parent.n) {
        pq_json_text_print(&out, ",'parent-snapshot-id':%d", w->m.snapshot);
    }
    if (w->m.format > 1) {
        pq_json_text_print(&out, ",'sequence-number':%d", w->m.sequence + 1);
    }
    if (w->m.format > 2) {
        pq_json_text_print(&out, ",'first-row-id':%d,'added-rows':%d", w->m.next_row,
                           next_row - w->m.next_row);
    }
    pq_json_text_print(&out, ",'manifest-list':%s,'summary':",
                       pq_iceberg_located(w, a, "metadata", pq_path_name(w->list), e));
    add_summary(w, parent, &out, e);
    pq_buf_byte(&out, '}');
    return pq_arena_take_bytes(a, &out);
}

/* {"main":{"snapshot-id":1,"type":"branch"},"audit":{...}} */
static PqSlice refs_of(PqIcebergWrite *w, PqSlice id, PqErr *e)
{
    PqArena *a = &w->t.scratch;
    PqSlice old = pq_slice_text("{\"type\":\"branch\"}");
    const PqJsonMember members[] = {{"main", &old, NULL}};
    Change change = {.key = "snapshot-id", .text = id}, main = {.key = "main"};

    if (w->m.refs.n) {
        pq_json_pick_of(w->m.refs, a, members, 1, e);
    }
    main.text = edit(old, &change, 1, a, e);
    return edit(w->m.refs, &main, 1, a, e);
}

/* ---- the metadata ------------------------------------------------------------------------ */

PqRc pq_iceberg_write_metadata(PqIcebergWrite *w, PqSlice parent, int64_t next_row, PqSlice *out,
                               PqErr *e)
{
    PqArena *a = &w->t.scratch;
    const PqIcebergMetadata *m = &w->m;
    int64_t now = pq_log_now(), at = now > m->updated ? now : m->updated;
    const char *before = pq_iceberg_located(w, a, "metadata", pq_path_name(m->path), e);
    PqSlice id = pq_json_text_make(a, e, "%d", w->new.snapshot);
    PqSlice snapshot = snapshot_of(w, parent, at, next_row, e);
    PqSlice since = pq_json_text_make(a, e, "{'timestamp-ms':%d,'snapshot-id':%j}", at, id);
    PqSlice old = pq_json_text_make(a, e, "{'timestamp-ms':%d,'metadata-file':%s}", m->updated,
                                    before);
    /* Those that the format has not yet come last. */
    Change v[] = {
        {"last-updated-ms", pq_json_text_make(a, e, "%d", at), false},
        {"current-snapshot-id", id, false},
        {"snapshots", append(m->snapshots, SIZE_MAX, snapshot, a, e), false},
        {"snapshot-log", append(m->snapshot_log, SIZE_MAX, since, a, e), false},
        {"metadata-log", append(m->metadata_log, METADATA_KEPT, old, a, e), false},
        {"refs", refs_of(w, id, e), false},
        {"last-sequence-number", pq_json_text_make(a, e, "%d", m->sequence + 1), false},
        {"next-row-id", pq_json_text_make(a, e, "%d", next_row), false}};
    enum { REFS = 5, SEQUENCE, NEXT_ROW };
    size_t n = m->format == 1 ? m->refs.n ? SEQUENCE : REFS
               : m->format == 2 ? NEXT_ROW : PQ_COUNT(v);

    *out = edit(m->json, v, n, a, e);
    return e->rc;
}
