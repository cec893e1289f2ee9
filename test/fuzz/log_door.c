/*
** log_door.c - fuzz door to core/lake: the log of a Delta table or the metadata of an Iceberg
** table, as a stranger wrote it.
**
**   0  mode      what the rest is
**
**   log          lines, an action each.  What they say becomes a snapshot.  No file is
**                opened, so deleted rows are only those that the log itself has
**   schema       1  how columns are mapped
**                2  the schema of a table, as JSON
**   metadata     the metadata of an Iceberg table: its schema, its snapshots.  No manifest is
**                opened
*/
#include "core/lake/delta_log.h"
#include "core/lake/iceberg.h"
#include "test/fuzz/door.h"

#include <stdlib.h>

enum { LOG, SCHEMA, METADATA, MODES };

/* The footer of a table is that of a file without rows, and columns have the names of
** the files. */
static void check_schema(const PqFooter *f, const PqLakeNames *names)
{
    const PqNode *root = f->schema.root;

    DOOR_CHECK(root && root->kind == PQ_NODE_STRUCT && f->schema.n_elements > 0);
    for (uint32_t i = 0; i < root->n_children; i++) {
        DOOR_CHECK(root->child[i]->name);
        DOOR_CHECK(!names->n || names->fields[root->child[i]->element].physical.n);
    }
}

static void check_snapshot(const PqLakeSnapshot *s)
{
    check_schema(s->schema, &s->names);
    for (uint32_t i = 0; i < s->n_files; i++) {
        const PqListedFile *f = &s->files[i];

        DOOR_CHECK(f->path && strlen(f->path) == f->n_base);
        DOOR_CHECK(i == 0 || strcmp(s->files[i - 1].path, f->path) < 0);
        DOOR_CHECK(s->has_deletes || !f->n_deleted);
        for (uint32_t k = 0; k < s->n_folder_columns; k++) {
            const PqHiveValue *v = &f->hive[k];

            DOOR_CHECK(!v->text || *v->text);
            DOOR_CHECK(!v->is_integer || s->folder_types[k] == PQ_HIVE_INTEGER);
        }
    }
}

/* Deletes in files are left out. */
static void open_no_file(PqDeltaLog *d)
{
    for (uint32_t i = 0; i < d->n; i++) {
        if (d->files[i].deletes && !pq_slice_is(d->files[i].deletes->storage_type, "i")) {
            d->files[i].deletes = NULL;
        }
    }
}

static void read_log(PqSlice in, PqMem *mem, PqErr *e)
{
    PqPlaces places = {0};
    PqLakeReading r = {.table = "t", .places = &places, .version = -1, .mem = mem};
    PqDeltaLog d;
    PqRc rc = pq_lake_snapshot_new(mem, &r.s, e);

    DOOR_CHECK(rc == PQ_OK && pq_delta_log_begin(&d, &r, e) == PQ_OK);
    while (in.n && rc == PQ_OK) {
        const uint8_t *end = memchr(in.p, '\n', in.n);
        PqSlice line = door_take(&in, end ? (size_t)(end - in.p) : in.n);

        rc = line.n ? pq_delta_action(&d, line, e) : PQ_OK;
        door_take(&in, 1);
    }
    open_no_file(&d);
    rc = rc ? rc : pq_delta_table(&r, &d, e);
    if (rc == PQ_OK) {
        check_snapshot(r.s);
    }
    pq_delta_log_end(&d);
    pq_lake_snapshot_release(r.s);
}

static void read_schema(PqSlice in, PqMem *mem, PqErr *e)
{
    PqLakeMapping mapping = (PqLakeMapping)(door_u8(&in) % 4);
    PqLakeNames names;
    PqFooter *f;
    PqArena a;

    pq_arena_init(&a, mem);
    if (pq_lake_schema(in, mapping, false, &a, mem, &f, &names, e) == PQ_OK) {
        check_schema(f, &names);
        DOOR_CHECK(mapping != PQ_LAKE_BY_NAME || !names.n);
    }
    pq_footer_release(f);
    pq_arena_free(&a);
}

static void read_metadata(PqSlice in, bool versions, PqMem *mem, PqErr *e)
{
    PqArena found;
    PqLakeVersions all = {.arena = &found};
    PqEngine engine = {0};
    const PqPlacesFile file = {"t/metadata/v1.metadata.json", in};
    PqPlaces places = {.own = &file, .n_own = 1};
    PqLakeReading r = {.table = file.path, .places = &places, .engine = &engine,
                       .version = -1, .mem = mem, .versions = versions ? &all : NULL};
    PqIceberg t = {.r = &r, .places = places};
    PqLakeNames names;
    PqFooter *f = NULL;

    pq_arena_init(&found, mem);
    DOOR_CHECK(pq_lake_snapshot_new(mem, &r.s, e) == PQ_OK);
    t.arena = &r.s->arena;
    pq_arena_init(&t.scratch, mem);
    DOOR_CHECK(pq_iceberg_folder(&t, e) == PQ_OK && strcmp(t.folder, "t") == 0);
    if (versions) {
        pq_iceberg_versions(&t, e);
    } else if (pq_iceberg_metadata(&t, e) == PQ_OK &&
               pq_lake_schema(t.schema, PQ_LAKE_ICEBERG, true, &found, mem, &f, &names, e) == PQ_OK) {
        check_schema(f, &names);
    }
    pq_footer_release(f);
    pq_arena_free(&t.scratch);
    pq_lake_snapshot_release(r.s);
    pq_arena_free(&found);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    PqErr e;
    PqMem *mem = door_open(&e);
    uint8_t *own = door_copy(pq_slice(bytes, n));
    PqSlice in = pq_slice(own, n);

    e.where.file = DOOR_FILE;
    switch (door_u8(&in) % MODES) {
    case LOG:
        read_log(in, mem, &e);
        break;
    case SCHEMA:
        read_schema(in, mem, &e);
        break;
    default:
        read_metadata(in, false, mem, &e);
        pq_err_clear(&e);
        read_metadata(in, true, mem, &e);
    }
    DOOR_CHECK(pq_mem_peak(mem) <= 1000 * n + (1 << 18));
    door_check_error(&e, NULL);
    free(own);
    door_close(mem);
    return 0;
}
