/*
** iceberg_manifest.c - the manifests of a snapshot, and the files they name.
**
** Fields have numbers, by the specification.
*/
#include "core/lake/iceberg.h"

#include "core/base/ascii.h"
#include "core/text/number_parse.h"
#include "core/text/time_text.h"

enum {
    LIST_PATH = 500, LIST_LENGTH = 501, LIST_SPEC = 502, LIST_SEQUENCE = 515, LIST_CONTENT = 517,
    LIST_KEY = 519, LIST_FIRST_ROW = 520,
    ENTRY_STATUS = 0, ENTRY_FILE = 2, ENTRY_SEQUENCE = 3,
    FILE_PATH = 100, FILE_FORMAT = 101, FILE_PARTITION = 102, FILE_ROWS = 103,
    FILE_BYTES = 104, FILE_FIRST_ROW = 142,
    FILE_KEY = 131, FILE_CONTENT = 134, FILE_IDS = 135, FILE_OF = 143, FILE_OFFSET = 144,
    FILE_SIZE = 145
};

enum { STATUS_ADDED = 1, STATUS_DELETED = 2 };

/* Counts of columns, places to split at, the order of rows; and bounds, of deletes. */
static const int32_t not_wanted[] = {108, 109, 111, 132, 137, 140, 0};
static const int32_t not_of_deletes[] = {108, 109, 110, 111, 125, 128, 132, 137, 140, 0};

typedef struct Manifest {
    PqIceberg    *t;
    const char   *path;
    int64_t       length, sequence, spec_id;
    int64_t       next_row;          /* id of the first row of its next file without one; -1:
                                     ** its files have none                  */
    const PqIcebergSpec *spec;
    bool          of_deletes, known;
} Manifest;

/* ---- partitions -------------------------------------------------------------------------- */

/* Equal bytes for equal partitions of a spec. */
static PqRc name_partition(Manifest *m, const PqAvroValue *partition, PqStr *out, PqErr *e)
{
    bool any = false;
    PqBuf b;

    pq_buf_init(&b, m->t->r->mem, e);
    pq_buf_printf(&b, "%lld", (long long)m->spec->id);
    for (uint32_t k = 0; k < m->spec->n; k++) {
        const PqAvroValue *v = pq_avro_field(partition, (int32_t)m->spec->part[k].id);
        PqAvroKind kind = v ? v->type->kind : PQ_AVRO_NULL;

        any = any || !m->spec->part[k].is_void;
        pq_buf_byte(&b, ';');
        if (kind == PQ_AVRO_FLOAT || kind == PQ_AVRO_DOUBLE || kind == PQ_AVRO_BOOLEAN ||
            kind == PQ_AVRO_INT || kind == PQ_AVRO_LONG) {
            pq_buf_byte(&b, 'n');
            pq_buf_add(&b, &v->i, sizeof v->i);
        } else if (v) {
            pq_buf_printf(&b, "%zu:", v->bytes.n);
            pq_buf_add(&b, v->bytes.p, v->bytes.n);
        }
    }
    out->n = any ? (uint32_t)b.n : 0;
    out->p = (const uint8_t *)pq_arena_take(&m->t->scratch, &b);
    return e->rc;
}

/* The text of a value; NULL: there is none that is as good as the value. */
static PqRc text_of(PqIceberg *t, const PqNode *node, const PqAvroValue *v, const char **out,
                    PqErr *e)
{
    enum { FIRST_DAY = -719528, LAST_DAY = 2932896 };    /* 0000-01-01, 9999-12-31 */
    char text[PQ_TIME_TEXT_ROOM];

    *out = NULL;
    if (node->type.logical == PQ_TYPE_STRING) {
        bool plain = v->type->kind == PQ_AVRO_STRING && v->bytes.n &&
                     !memchr(v->bytes.p, 0, v->bytes.n);

        *out = plain ? pq_arena_text(t->arena, v->bytes.p, v->bytes.n, e) : NULL;
    } else if (v->type->kind == PQ_AVRO_BOOLEAN) {
        *out = v->i ? "true" : "false";
    } else if (v->type->kind != PQ_AVRO_INT && v->type->kind != PQ_AVRO_LONG) {
        return PQ_OK;
    } else if (node->type.logical != PQ_TYPE_DATE) {
        *out = pq_arena_printf(t->arena, e, "%lld", (long long)v->i);
    } else if (v->i >= FIRST_DAY && v->i <= LAST_DAY) {
        *out = pq_arena_text(t->arena, text, pq_time_text_date((int32_t)v->i, text), e);
    }
    return e->rc;
}

/* The values of the columns that some spec takes as they are. */
static PqRc take_values(Manifest *m, const PqAvroValue *partition, PqIcebergFile *f, PqErr *e)
{
    PqIceberg *t = m->t;

    PQ_TRY(PQ_ARENA_NEW(&t->scratch, f->values, t->n_keys + 1u, e));
    for (uint32_t i = 0; i < t->n_keys; i++) {
        PqIcebergKey *key = &t->keys[i];
        const PqAvroValue *v = NULL;
        bool has = false;

        for (uint32_t k = 0; k < m->spec->n; k++) {
            if (m->spec->part[k].identity &&
                m->spec->part[k].source == t->r->s->names.fields[key->node->element].id) {
                has = true;
                v = pq_avro_field(partition, (int32_t)m->spec->part[k].id);
            }
        }
        key->everywhere = key->everywhere && has;
        if (v && key->is_simple) {
            PQ_TRY(text_of(t, key->node, v, &f->values[i], e));
            key->is_simple = f->values[i] != NULL;
        }
    }
    return PQ_OK;
}

/* ---- files ------------------------------------------------------------------------------- */

static PqRc take_ids(PqIceberg *t, const PqAvroValue *file, PqIcebergFile *f, PqErr *e)
{
    const PqAvroValue *ids = pq_avro_field(file, FILE_IDS);
    uint32_t n = ids && ids->type->kind == PQ_AVRO_ARRAY ? ids->n : 0;

    PQ_TRY(PQ_ARENA_NEW(&t->scratch, f->ids, n + 1u, e));
    for (uint32_t i = 0; i < n; i++) {
        const PqAvroValue *v = &ids->v[i];
        uint32_t at = f->n_ids;

        if (!v->type || (v->type->kind != PQ_AVRO_INT && v->type->kind != PQ_AVRO_LONG) ||
            v->i < 0 || v->i > INT32_MAX) {
            return pq_fail(e, PQ_CORRUPT, "equality_ids has something else");
        }
        for (; at && f->ids[at - 1] > v->i; at--) {
            f->ids[at] = f->ids[at - 1];
        }
        f->ids[at] = (int32_t)v->i;
        f->n_ids++;
    }
    return n ? PQ_OK : pq_fail(e, PQ_CORRUPT, "a delete file does not say which columns it "
                               "compares");
}

static PqRc take_vector(const PqAvroValue *file, PqIcebergFile *f, PqErr *e)
{
    f->content = PQ_ICEBERG_VECTOR;
    if (!f->of || !pq_avro_int(file, FILE_OFFSET, &f->offset) ||
        !pq_avro_int(file, FILE_SIZE, &f->size) || f->offset < 0 || f->size < 0) {
        return pq_fail(e, PQ_CORRUPT, "a deletion vector has no place, or no file");
    }
    return PQ_OK;
}

static PqRc check_content(const Manifest *m, int64_t content, PqSlice format, PqSlice key,
                          const PqIcebergFile *f, PqErr *e)
{
    if (content < PQ_ICEBERG_DATA || content > PQ_ICEBERG_VALUES ||
        m->of_deletes != (content != PQ_ICEBERG_DATA)) {
        return pq_fail(e, PQ_CORRUPT, "%.300s has content %lld in a manifest of %s", f->path,
                       (long long)content, m->of_deletes ? "deletes" : "data");
    }
    if (key.n) {
        return pq_fail(e, PQ_UNSUPPORTED, "%.300s is encrypted", f->path);
    }
    if (pq_ascii_compare(format.p, format.n, "parquet") != 0 &&
        (content != PQ_ICEBERG_POSITIONS || pq_ascii_compare(format.p, format.n, "puffin") != 0)) {
        return pq_fail(e, PQ_UNSUPPORTED, "%.300s is %.*s, not Parquet", f->path,
                       (int)(format.n < 20 ? format.n : 20), (const char *)format.p);
    }
    return PQ_OK;
}

/* Files that came with the manifest have ids of the list, one file after the other. */
static void take_first_row(Manifest *m, const PqAvroValue *file, PqIcebergFile *f)
{
    f->first_row = -1;
    if (!pq_avro_int(file, FILE_FIRST_ROW, &f->first_row) && m->next_row >= 0 && f->n_rows >= 0 &&
        f->n_rows <= INT64_MAX - m->next_row) {
        f->first_row = m->next_row;
        m->next_row += f->n_rows;
    }
}

static PqRc take_file(Manifest *m, const PqAvroValue *file, int64_t sequence, PqErr *e)
{
    PqIceberg *t = m->t;
    const PqAvroValue *partition = pq_avro_field(file, FILE_PARTITION);
    PqIcebergFiles *to = m->of_deletes ? &t->deletes : &t->files;
    PqIcebergFile f = {.sequence = sequence, .n_bytes = -1};
    PqSlice path, format = {0}, key = {0}, of;
    int64_t content = PQ_ICEBERG_DATA;

    if (!pq_avro_bytes(file, FILE_PATH, &path) || !pq_avro_bytes(file, FILE_FORMAT, &format) ||
        !pq_avro_int(file, FILE_ROWS, &f.n_rows)) {
        return pq_fail(e, PQ_CORRUPT, "an entry has no path, no format, or no number of rows");
    }
    pq_avro_int(file, FILE_CONTENT, &content);
    pq_avro_int(file, FILE_BYTES, &f.n_bytes);
    pq_avro_bytes(file, FILE_KEY, &key);
    if (pq_avro_bytes(file, FILE_OF, &of)) {
        f.of = pq_arena_text(&t->scratch, of.p, of.n, e);
    }
    f.path = pq_arena_text(&t->scratch, path.p, path.n, e);
    PQ_TRY(e->rc);
    PQ_TRY(check_content(m, content, format, key, &f, e));
    f.content = (PqIcebergContent)content;
    PQ_TRY(name_partition(m, partition, &f.partition, e));
    if (content == PQ_ICEBERG_DATA) {
        take_first_row(m, file, &f);
        PQ_TRY(take_values(m, partition, &f, e));
        PQ_TRY(pq_iceberg_bounds(t, file, &f, e));
    } else if (content == PQ_ICEBERG_VALUES) {
        PQ_TRY(take_ids(t, file, &f, e));
    } else if (pq_ascii_compare(format.p, format.n, "puffin") == 0) {
        PQ_TRY(take_vector(file, &f, e));
    }
    PQ_TRY(PQ_ARENA_GROW(&t->scratch, to->v, to->n, e));
    to->v[to->n++] = f;
    return PQ_OK;
}

/* A new entry without a sequence number has that of its manifest. */
static PqRc take_entry(void *arg, const PqAvroValue *record, PqErr *e)
{
    Manifest *m = arg;
    const PqAvroValue *file = pq_avro_field(record, ENTRY_FILE);
    int64_t status = -1, sequence = -1;

    if (!pq_avro_int(record, ENTRY_STATUS, &status) || status < 0 ||
        status > STATUS_DELETED || !file) {
        return pq_fail(e, PQ_CORRUPT, "an entry has no status, or no file");
    }
    PQ_TRY(m->spec ? PQ_OK : pq_iceberg_spec(m->t, m->spec_id, &m->spec, e));
    if (status == STATUS_DELETED) {
        return PQ_OK;
    }
    if (!pq_avro_int(record, ENTRY_SEQUENCE, &sequence) &&
        (status == STATUS_ADDED || !m->sequence)) {
        sequence = m->sequence;
    }
    return sequence >= 0 ? take_file(m, file, sequence, e)
                         : pq_fail(e, PQ_CORRUPT, "a file that is not new has no sequence "
                                   "number");
}

static PqRc take_metadata(void *arg, PqSlice key, PqSlice value, PqErr *e)
{
    Manifest *m = arg;

    if (m->spec_id < 0 && pq_slice_is(key, "partition-spec-id") &&
        pq_number_parse_i64(value, &m->spec_id) != PQ_PARSE_OK) {
        return pq_fail(e, PQ_CORRUPT, "partition-spec-id is not a number");
    }
    return PQ_OK;
}

/* ---- manifests --------------------------------------------------------------------------- */

PqRc pq_iceberg_avro(PqIceberg *t, PqSlice text, const PqAvroUse *use, PqErr *e)
{
    const PqWhere outer = e->where;
    const char *path;
    PqBuf bytes;
    PqRc rc;

    PQ_TRY(pq_iceberg_path(t, text, &path, e));
    pq_where_enter(e, path);
    pq_buf_init(&bytes, t->r->mem, NULL);
    rc = pq_iceberg_bytes(t, path, PQ_LOG_ALL, &bytes, e);
    rc = rc ? rc : pq_avro_read(pq_buf_view(&bytes), use, t->r->mem, e);
    pq_buf_free(&bytes);
    e->where = outer;
    return rc;
}

typedef struct Manifests {
    PqIceberg *t;
    Manifest  *v;
    uint32_t   n;
} Manifests;

static PqRc add_manifest(Manifests *s, Manifest m, PqSlice path, PqErr *e)
{
    m.t = s->t;
    m.path = pq_arena_text(&s->t->scratch, path.p, path.n, e);
    PQ_TRY(m.path ? PQ_OK : e->rc);
    PQ_TRY(PQ_ARENA_GROW(&s->t->scratch, s->v, s->n, e));
    s->v[s->n++] = m;
    return PQ_OK;
}

static PqRc take_manifest(void *arg, const PqAvroValue *record, PqErr *e)
{
    Manifest m = {.spec_id = -1, .next_row = -1};
    int64_t content = 0;
    PqSlice path, key = {0};

    if (!pq_avro_bytes(record, LIST_PATH, &path)) {
        return pq_fail(e, PQ_CORRUPT, "a manifest has no path");
    }
    pq_avro_int(record, LIST_LENGTH, &m.length);
    pq_avro_int(record, LIST_SPEC, &m.spec_id);
    pq_avro_int(record, LIST_SEQUENCE, &m.sequence);
    pq_avro_int(record, LIST_CONTENT, &content);
    pq_avro_int(record, LIST_FIRST_ROW, &m.next_row);
    pq_avro_bytes(record, LIST_KEY, &key);
    if (content < 0 || content > 1 || key.n) {
        return pq_fail(e, PQ_UNSUPPORTED, "a manifest %s", key.n ? "is encrypted"
                                                               : "is of neither data nor "
                                                                 "deletes");
    }
    m.of_deletes = content == 1;
    return add_manifest(arg, m, path, e);
}

/* Of a snapshot without a list. */
static PqRc take_paths(Manifests *s, PqErr *e)
{
    PqJsonList l = pq_json_list(s->t->manifests, &s->t->scratch);

    while (pq_json_list_next(&l, e)) {
        PQ_TRY(add_manifest(s, (Manifest){.spec_id = -1, .next_row = -1}, l.element, e));
    }
    return e->rc;
}

/* Those that a server has are asked for side by side. */
static PqRc expect(PqIceberg *t, const Manifests *s, uint32_t i, PqErr *e)
{
    const char *path;

    for (bool more = pq_url_is(t->folder); more && i < s->n; i++) {
        PQ_TRY(pq_iceberg_path(t, pq_slice_text(s->v[i].path), &path, e));
        more = pq_remote_expect(t->places.remote, path, &t->places.terms);
    }
    return PQ_OK;
}

/* A manifest is never written to, so those of the base are not read again.  Deletes count for files
** by ages and partitions, which a snapshot does not have. */
static PqRc leave_out_known(PqIceberg *t, Manifests *s, PqErr *e)
{
    PqLakeSnapshot *to = t->r->s;
    uint32_t number, n = 0;
    bool fits = true;

    PQ_TRY(PQ_ARENA_NEW(t->arena, to->parts, s->n + 1u, e));
    for (to->n_parts = 0; to->n_parts < s->n; to->n_parts++) {
        const Manifest *m = &s->v[to->n_parts];
        PqStr *part = &to->parts[to->n_parts];
        const char *text;

        text = pq_arena_printf(t->arena, e, "%lld %lld %s", (long long)m->length,
                               (long long)m->next_row, m->path);
        PQ_TRY(text ? PQ_OK : e->rc);
        *part = (PqStr){(const uint8_t *)text, (uint32_t)strlen(text)};
        PQ_TRY(pq_text_numbers_find(&t->paths, part, 1, &number, e));
        fits = fits && number == to->n_parts && m->length > 0 && !m->of_deletes;
    }
    for (uint32_t i = 0; t->base && i < t->base->n_parts; i++) {
        PQ_TRY(pq_text_numbers_find(&t->paths, &t->base->parts[i], 1, &number, e));
        fits = fits && number < s->n;
        if (fits) {
            s->v[number].known = true;
        }
    }
    pq_text_numbers_reset(&t->paths);
    t->base = fits ? t->base : NULL;
    for (uint32_t i = 0; t->base && i < to->n_parts; i++) {
        s->v[n] = s->v[i];
        n += !s->v[i].known;
    }
    s->n = t->base ? n : s->n;
    return PQ_OK;
}

PqRc pq_iceberg_manifests(PqIceberg *t, PqErr *e)
{
    Manifests s = {.t = t};
    const PqAvroUse list = {.stop = t->r->stop, .record = take_manifest, .arg = &s};

    PQ_TRY(t->list.n ? pq_iceberg_avro(t, t->list, &list, e) : take_paths(&s, e));
    PQ_TRY(leave_out_known(t, &s, e));
    for (uint32_t i = 0; i < s.n; i++) {
        const PqAvroUse use = {.passed_over = s.v[i].of_deletes ? not_of_deletes : not_wanted,
                               .stop = t->r->stop, .metadata = take_metadata,
                               .record = take_entry, .arg = &s.v[i]};

        PQ_TRY(expect(t, &s, i, e));
        PQ_TRY(pq_iceberg_avro(t, pq_slice_text(s.v[i].path), &use, e));
    }
    return PQ_OK;
}
