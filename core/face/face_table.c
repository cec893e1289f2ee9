/*
** face_table.c - the columns and files of a table.
**
** The engine's table also has columns that only SQL needs: paths into Variants,
** other forms of a column, and the place of a row, which a batch says here.
*/
#include "core/face/face.h"

#include "core/base/ascii.h"

static bool is_shown(const PqColumn *c)
{
    return c->kind == PQ_COLUMN_HIVE ||
           (c->kind == PQ_COLUMN_NODE && !c->as_blob && !c->as_wkb);
}

static ParquetKind kind_of(const PqColumn *c)
{
    static const ParquetKind of_node[] = {
        [PQ_NODE_LEAF] = PARQUET_LEAF, [PQ_NODE_STRUCT] = PARQUET_STRUCT,
        [PQ_NODE_LIST] = PARQUET_LIST, [PQ_NODE_MAP] = PARQUET_MAP,
        [PQ_NODE_VARIANT] = PARQUET_VARIANT,
    };

    return c->kind == PQ_COLUMN_HIVE ? PARQUET_FOLDER : of_node[c->node->kind];
}

/* The type of the vectors: JSON texts for nested columns. */
static PqType type_of(const PqColumn *c)
{
    static const PqType integer = {.physical = PQ_INT64};
    static const PqType text = {.physical = PQ_BYTE_ARRAY, .logical = PQ_TYPE_STRING};
    static const PqType json = {.physical = PQ_BYTE_ARRAY, .logical = PQ_TYPE_JSON};

    if (c->kind == PQ_COLUMN_HIVE) {
        return c->hive_type == PQ_HIVE_INTEGER ? integer : text;
    }
    return c->node->kind == PQ_NODE_LEAF ? c->type : json;
}

static uint32_t folder_of(const PqListing *l, const PqColumn *c)
{
    uint32_t i = 0;

    while (i < l->n_folder_columns &&
           strcmp(l->folder_columns[i], c->folder_column) != 0) {
        i++;
    }
    return i;
}

static PqRc show_columns(ParquetTable *t)
{
    static const char *const nested[] = {
        [PARQUET_STRUCT] = "STRUCT", [PARQUET_LIST] = "LIST", [PARQUET_MAP] = "MAP",
        [PARQUET_VARIANT] = "VARIANT",
    };
    uint32_t n = t->table->n_columns;

    t->columns = pq_arena_zeros(&t->h.arena, n + 1u, sizeof *t->columns, &t->h.e);
    t->of = pq_arena_zeros(&t->h.arena, n + 1u, sizeof *t->of, &t->h.e);
    for (uint32_t i = 0; t->of && i < n && t->h.e.rc == PQ_OK; i++) {
        const PqColumn *c = &t->table->columns[i];
        FaceColumn *of = &t->of[t->n_columns];
        ParquetKind kind;

        if (!is_shown(c)) {
            continue;
        }
        kind = kind_of(c);
        *of = (FaceColumn){.number = i, .type = type_of(c)};
        of->folder = kind == PARQUET_FOLDER ? folder_of(&t->listing, c) : 0;
        t->columns[t->n_columns++] = (ParquetColumn){
            .name = c->name, .kind = kind, .type = pq_face_type(&of->type),
            .type_name = kind == PARQUET_LEAF || kind == PARQUET_FOLDER
                             ? pq_face_type_name(&of->type, &t->h) : nested[kind],
            .never_null = c->not_null, .inside = c->hidden,
        };
    }
    return t->h.e.rc;
}

static PqRc open_table(ParquetTable *t, const char *path, unsigned flags)
{
    PqTableOptions how = {.union_by_name = (flags & PARQUET_UNION) != 0,
                          .stop = t->h.p->stop};

    t->unchecked = flags & PARQUET_UNCHECKED;
    PQ_TRY(pq_face_list(&t->h, path, flags & PARQUET_HIVE ? PQ_LIST_HIVE : 0, &t->listing));
    PQ_TRY(pq_table_new(t->h.p->engine, &t->listing, &how, &t->table, &t->h.e));
    return show_columns(t);
}

ParquetCode parquet_open(Parquet *p, const char *path, unsigned flags, ParquetTable **out)
{
    ParquetTable *t = pq_face_new(p, sizeof *t);

    if (t && open_table(t, path, flags) != PQ_OK) {
        pq_face_end(&t->h);
        parquet_close(t);
        t = NULL;
    }
    *out = t;
    return t ? PARQUET_OK : p->error.code;
}

void parquet_close(ParquetTable *t)
{
    if (t) {
        pq_table_free(t->table);
        pq_listing_free(&t->listing);
        pq_face_free(&t->h);
    }
}

int parquet_n_columns(const ParquetTable *t)
{
    return t->n_columns;
}

const ParquetColumn *parquet_column(const ParquetTable *t, int column)
{
    return column >= 0 && column < t->n_columns ? &t->columns[column] : NULL;
}

int parquet_column_named(const ParquetTable *t, const char *name)
{
    for (int i = 0; i < t->n_columns; i++) {
        if (pq_ascii_same(t->columns[i].name, name)) {
            return i;
        }
    }
    return -1;
}

int parquet_n_files(const ParquetTable *t)
{
    return (int)t->listing.n_files;
}

const char *parquet_path(const ParquetTable *t, int file)
{
    return file >= 0 && file < parquet_n_files(t) ? t->listing.files[file].path : NULL;
}
