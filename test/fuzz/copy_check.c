/*
** copy_check.c - the rows of the files against those of the table: see
** copy_door.c.
*/
#include "sql/did_you_mean.h"
#include "sql/value/type_name.h"
#include "test/fuzz/copy_door.h"
#include "test/unit/every_batch.h"

#include <stdlib.h>

enum { MOST_LEAVES = 64 };

/* One column of the files, and what should be in it. */
typedef struct Expected {
    DoorFill fill;
    DoorAt  *rows[MOST_LEAVES];      /* of each leaf: where each row begins */
} Expected;

typedef struct Check {
    Copying  *c;
    PqListing listing;
    PqTable  *table;
    Expected  columns[COPY_COLUMNS];
    uint32_t  of[COPY_COLUMNS];      /* which column of t it is */
    PqFillRules rules[COPY_COLUMNS];
    uint32_t  n;
    bool      left_out[COPY_COLUMNS];        /* what is NULL is not known */
    bool      has_id;                /* id is a number: rows can be found */
    uint8_t  *seen;                  /* how often each row was found */
    uint64_t  n_rows;
} Check;

static bool is_partition(const Copying *c, const char *name)
{
    uint32_t i;

    for (i = 0; i < c->o.partition_by.n; i++) {
        const char *column = c->o.partition_by.v[i].name;
        if (strcmp(column, name) == 0 || pq_ascii_same(column, name)) {
            return true;
        }
    }
    return false;
}

/* The type that "types" gives the column, or NULL. */
static const char *type_said(const Copying *c, const char *name)
{
    uint32_t i;

    for (i = 0; i < c->o.types.n; i++) {
        const char *typed = c->o.types.v[i].name;
        if (strcmp(typed, name) == 0 || pq_ascii_same(typed, name)) {
            return c->o.types.v[i].value;
        }
    }
    return NULL;
}

static bool is_typed(const Copying *c, const char *name)
{
    const char *said = type_said(c, name);

    return said && !pqsql_type_is_auto(said);
}

static bool is_auto(const Copying *c, const char *name)
{
    const char *said = type_said(c, name);

    return said ? pqsql_type_is_auto(said) : c->o.types_auto;
}

static void forget_empty_texts(PqCells *cells)
{
    uint32_t i;

    for (i = 0; i < cells->n; i++) {
        if (cells->cells[i].kind == PQ_CELL_TEXT && cells->cells[i].n == 0) {
            cells->cells[i].kind = PQ_CELL_NULL;
        }
    }
}

/* The classes that a column takes if no type was given.  0: that depends on its
** first rows, and their number is not known. */
static uint8_t classes_of(const PqNode *node)
{
    const unsigned text = PQ_CLASS(PQ_CELL_TEXT), blob = PQ_CLASS(PQ_CELL_BLOB);
    const unsigned numbers = PQ_CLASS(PQ_CELL_INT) | PQ_CLASS(PQ_CELL_REAL);
    const PqType *t = &node->type;
    unsigned classes = text;

    if (node->kind != PQ_NODE_LEAF) {
        return (uint8_t)text;
    }
    if (t->logical == PQ_TYPE_STRING || t->logical == PQ_TYPE_DECIMAL) {
        return 0;
    }
    if (t->logical == PQ_TYPE_INT) {
        classes = numbers | (pq_type_is_u64(t) ? text : 0);
    } else if (t->logical == PQ_TYPE_UUID) {
        classes = text | blob;
    } else if (t->logical == PQ_TYPE_BSON || t->logical == PQ_TYPE_GEOMETRY ||
               t->logical == PQ_TYPE_GEOGRAPHY) {
        classes = blob;
    } else if (t->logical == PQ_TYPE_NONE && t->physical != PQ_INT96) {
        classes = t->physical == PQ_BYTE_ARRAY || t->physical == PQ_FIXED
                      ? blob : numbers;
    } else if (t->logical == PQ_TYPE_FLOAT16) {
        classes = PQ_CLASS(PQ_CELL_NULL);
    }
    return (uint8_t)classes;
}

/* What a number in a column of times means. */
static PqNumberTime number_time(const Copying *c, const char *name)
{
    int set = c->o.chunk.timestamp;
    uint32_t i;

    for (i = 0; i < c->o.n_columns; i++) {
        const PqsqlColumnSettings *s = &c->o.columns[i];
        if ((strcmp(s->column, name) == 0 ||
             pq_ascii_same(s->column, name)) &&
            s->chunk.timestamp != PQSQL_UNSAID) {
            set = s->chunk.timestamp;
        }
    }
    return set == 1 ? PQ_NUMBER_TIME_RAW : PQ_NUMBER_TIME_EPOCH;
}

static uint32_t column_of(const Copying *c, const char *name)
{
    uint32_t i;

    for (i = 0; i < c->n_columns; i++) {
        if (strcmp(copy_names[i], name) == 0) {
            return i;
        }
    }
    door_broken(__FILE__, __LINE__, "a column is one of the table");
}

/* The cells as values of the type that the files have. */
static PqRc expect(Check *k, uint32_t i, PqErr *e)
{
    const PqSchema *schema = &k->table->footers[0]->schema;
    const PqNode *node = schema->root->child[i];
    Expected *x = &k->columns[i];
    uint32_t column = column_of(k->c, node->name), misfit, leaf, row;
    PqCells *cells = &k->c->cells[column];
    PqFillRules *rules = &k->rules[i];

    k->of[i] = column;
    k->has_id = k->has_id ||
                (column == 0 && node->kind == PQ_NODE_LEAF &&
                 node->type.physical == PQ_INT64 &&
                 (node->type.logical == PQ_TYPE_NONE ||
                  node->type.logical == PQ_TYPE_INT));
    *rules = (PqFillRules){.number_time = number_time(k->c, node->name),
                           .null_misfits = k->c->o.null_misfits != 0};
    if (is_auto(k->c, node->name) || k->c->o.types_auto) {
        forget_empty_texts(cells);
    }
    if (!is_typed(k->c, node->name)) {
        bool by_kind = is_auto(k->c, node->name);

        rules->exact_numbers = !by_kind;
        rules->classes = by_kind ? 0 : classes_of(node);
        k->left_out[i] = rules->null_misfits && !rules->classes;
    }
    PQ_TRY(door_fill_open(&x->fill, schema, node, rules, k->c->mem, e));
    k->n++;
    PQ_TRY(door_fill_cells(&x->fill, cells, 0, cells->n, NULL, &misfit, e));
    DOOR_CHECK(misfit == cells->n);  /* else there would be no file */
    for (leaf = 0; leaf < node->n_leaves && leaf < MOST_LEAVES; leaf++) {
        DoorAt at = {0, 0};

        x->rows[leaf] = calloc(cells->n + (size_t)1, sizeof(DoorAt));
        DOOR_CHECK(x->rows[leaf] != NULL);
        for (row = 0; row < cells->n; row++) {
            x->rows[leaf][row] = at;
            at = door_row_after(&x->fill.batches[leaf], at);
        }
    }
    return PQ_OK;
}

/* Compares the row's value in the column of a key with its folder.  The empty
** text has no folder of its own. */
static bool same_key(const PqCells *texts, uint32_t row, const char *found)
{
    PqStr s = pq_cell_str(&texts->cells[row]);

    return texts->cells[row].kind == PQ_CELL_NULL || s.n == 0
               ? found == NULL
               : found && pq_slice_is(pq_slice(s.p, s.n), found);
}

/* Checks that a file is in the folder of the keys of its rows, as folders are
** read. */
static void check_folder(Check *k, uint32_t row, uint32_t file)
{
    const Copying *c = k->c;
    uint32_t i, j, at;

    for (i = 0; i < c->n_columns; i++) {
        if (!is_partition(c, copy_names[i])) {
            continue;
        }
        for (at = j = 0; j < k->listing.n_folder_columns; j++) {
            at = strcmp(k->listing.folder_columns[j], copy_names[i]) ? at
                                                                     : j + 1;
        }
        DOOR_CHECK(at > 0);
        DOOR_CHECK(same_key(&c->texts[i], row,
                            k->listing.files[file].hive[at - 1].text));
    }
}

static PqRc check_leaves(Check *k, PqScan *s, uint32_t i, const int64_t *ids,
                         uint32_t n_rows, PqErr *e)
{
    const Expected *x = &k->columns[i];
    uint32_t leaf, row;

    for (leaf = 0; leaf < x->fill.node->n_leaves && leaf < MOST_LEAVES;
         leaf++) {
        const PqVector *v;
        uint32_t slot = 0;

        PQ_TRY(pq_scan_vector(s, x->fill.node->first_leaf + leaf, &v, e));
        DOOR_CHECK(v->n_rows == n_rows);
        for (row = 0; row < n_rows; row++) {
            door_check_row(&x->fill.batches[leaf], x->rows[leaf][ids[row]], v,
                           &slot);
        }
        DOOR_CHECK(slot == v->n_slots);
    }
    return PQ_OK;
}

static PqRc check_batch(void *check, PqScan *s, PqErr *e)
{
    const PqBatch *b = pq_scan_batch(s);
    Check *k = check;
    int64_t ids[PQ_BATCH_ROWS];
    const PqVector *v;
    uint32_t i, row;

    k->n_rows += b->n_rows;
    if (!k->has_id) {
        return PQ_OK;
    }
    for (i = 0; k->of[i] != 0; i++) {
    }
    PQ_TRY(pq_scan_vector(s, k->columns[i].fill.node->first_leaf, &v, e));
    for (row = 0; row < b->n_rows; row++) {
        DOOR_CHECK(pq_vector_is_valid(v, row));
        ids[row] = *(const int64_t *)pq_vector_at(v, 8, row);
        DOOR_CHECK(ids[row] >= 0 && ids[row] < k->c->cells[0].n);
        k->seen[ids[row]]++;
        check_folder(k, (uint32_t)ids[row], b->file);
    }
    for (i = 0; i < k->n; i++) {
        if (!k->left_out[i]) {
            PQ_TRY(check_leaves(k, s, i, ids, b->n_rows, e));
        }
    }
    return PQ_OK;
}

static PqRc verify_file(Check *k, const char *path, PqErr *e)
{
    PqFooter *f = NULL;
    PqInput in = {0};
    PqRc rc;

    PQ_GO(pq_source_open(k->c->mem, path, &in.source, e));
    PQ_GO(pq_footer_read(&in, NULL, k->c->mem, &f, e));
    PQ_GO(door_verify(k->c->mem, &in, f, e));
done:
    pq_footer_release(f);
    pq_source_close(in.source);
    return rc;
}

static PqRc check_files(Check *k, PqEngine *engine, PqErr *e)
{
    const PqTableOptions to = {0};
    uint32_t i;

    PQ_TRY(pq_listing_make(k->c->path, true, NULL, engine->mem, NULL, &k->listing,
                           e));
    for (i = 0; i < k->listing.n_files; i++) {
        PQ_TRY(verify_file(k, k->listing.files[i].path, e));
    }
    PQ_TRY(pq_table_new(engine, &k->listing, &to, &k->table, e));
    for (i = 0; i < k->table->footers[0]->schema.root->n_children; i++) {
        DOOR_CHECK(!is_partition(k->c, k->table->footers[0]->schema.root
                                     ->child[i]->name));
        PQ_TRY(expect(k, i, e));
    }
    return every_batch(k->table, &k->listing, check_batch, k, e);
}

void copy_check(Copying *c)
{
    Check k = {.c = c, .seen = calloc(c->cells[0].n + (size_t)1, 1)};
    PqEngine *engine = NULL;
    uint32_t i, leaf;
    PqErr e;
    PqRc rc;

    pq_err_init(&e);
    DOOR_CHECK(k.seen && pq_engine_new(&engine, &e) == PQ_OK);
    rc = check_files(&k, engine, &e);
    if (rc == PQ_IO && c->cells[0].n == 0) {
        rc = PQ_OK;                  /* a folder without rows has no files */
    }
    if (rc != PQ_OK && rc != PQ_BUDGET) {
        door_broken(__FILE__, __LINE__, e.text);
    }
    if (rc == PQ_OK) {
        DOOR_CHECK(k.n_rows == (uint64_t)c->most * c->cells[0].n);
        for (i = 0; k.has_id && i < c->cells[0].n; i++) {
            DOOR_CHECK(k.seen[i] == c->most);
        }
    }
    for (i = 0; i < COPY_COLUMNS; i++) {
        for (leaf = 0; leaf < MOST_LEAVES; leaf++) {
            free(k.columns[i].rows[leaf]);
        }
        if (k.columns[i].fill.node) {
            door_fill_close(&k.columns[i].fill);
        }
    }
    pq_table_free(k.table);
    if (k.listing.n_files) {
        pq_listing_free(&k.listing);
    }
    pq_engine_free(engine);
    free(k.seen);
}
