/*
** copy_door.c - fuzz door to core/write, and to its options and names of types:
** a table, options and rows become files, by parquet_copy_to.
**
**   0  mode      bit 0: 0: a text, for the readers of options and type names
**                (the rest)
**                else bit 1: the path ends in a slash; bit 2: it is copied to
**                twice; bit 3: ordered by the second column; bit 4: through a
**                link; bits 5-6: what was there before, see clutter
**   1  options   u16 length, text
**   3  stop      u8: interrupted when it has been asked so often; 0: never
**   4  fault     u16: which allocation, read, write or name of the last copy
**                fails, where threads is 0; 0: none
**   6  times     u8: how often the rows are there, each time a little different
**   7  columns   u8, one to five beside the first; of each
**                u8 length, declared type
**      the rest  cells (door_cells.h), row by row
**
** The first column of the table, id, numbers the rows.  The files must have the
** values of the table, converted to the types of the files, and every row must
** be in the folder of its keys.  parquet_verify must find nothing.  A copy that
** failed must leave what was there before and nothing else, unless a fault came
** while it was taken back.
*/
#define _XOPEN_SOURCE 700
#include "sql/value/type_name.h"
#include "test/fuzz/copy_door.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_ROWS = 3000, PATH_ROOM = COPY_PATH };

int sqlite3_parquet_init(sqlite3 *db, char **error,
                         const struct sqlite3_api_routines *api);

const char *const copy_names[COPY_COLUMNS] = {"id", "a", "b c", "K=%", "_e",
                                              "\xc3\xa9"};

/* ---- the table ----------------------------------------------------------- */

static const char *scratch_folder(void)
{
    return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
}

/* A node of the declared type, or else of a text.  Cells are made for it. */
static const PqNode *node_of(Copying *c, const char *declared)
{
    PqsqlType text = {.kind = PQ_NODE_LEAF, .type = {
        .physical = PQ_BYTE_ARRAY, .logical = PQ_TYPE_STRING}};
    PqsqlType *type = NULL;
    PqSchemaElementList elements;
    PqSchema schema;
    PqSchemaMake *m;
    PqErr e;

    pq_err_init(&e);
    if (pqsql_type_parse(declared, &c->arena, &type, &e) != PQ_OK) {
        door_check_error(&e, NULL);
        pq_err_clear(&e);
        type = &text;
    }
    DOOR_CHECK(pq_schema_make_new(c->mem, &m, &e) == PQ_OK);
    for (;;) {
        pqsql_type_make(type, "x", false, m);
        if (pq_schema_make_end(m, &c->arena, &elements, &e) == PQ_OK) {
            break;
        }
        door_check_error(&e, NULL);
        DOOR_CHECK(type != &text);
        pq_err_clear(&e);
        type = &text;
    }
    pq_schema_make_free(m);
    DOOR_CHECK(pq_schema_build(&elements, &c->arena, &schema, &e) == PQ_OK);
    return schema.root->child[0];
}

/* The type that the options give the column, or else the declared one. */
static const char *type_of(const Copying *c, const char *name,
                           const char *declared)
{
    uint32_t i;

    for (i = 0; i < c->o.types.n; i++) {
        if (strcmp(c->o.types.v[i].name, name) == 0) {
            return c->o.types.v[i].value;
        }
    }
    return declared;
}

/* A declared type may have words, numbers and brackets.  Anything else becomes
** a quoted name. */
static void declare(const char *type, char *out, size_t room)
{
    size_t i, n = 0;

    for (i = 0; type[i] && n + 2 < room; i++) {
        out[n++] = type[i] == '"' ? '\'' : type[i];
    }
    out[n] = 0;
}

static bool make_table(Copying *c, const PqNode **nodes)
{
    char sql[COPY_COLUMNS * 320] = "CREATE TABLE t(id INTEGER", type[256];
    uint32_t n = 1 + door_u8(&c->in) % (COPY_COLUMNS - 1), i;

    nodes[0] = node_of(c, "BIGINT");
    for (i = 1; i <= n; i++) {
        PqSlice s = door_take(&c->in, door_u8(&c->in));
        size_t at = strlen(sql);
        char declared[256] = "";

        if (s.n) {
            memcpy(declared, s.p, s.n);
        }
        declare(declared, type, sizeof type);
        snprintf(sql + at, sizeof sql - at, ", \"%s\" \"%s\"", copy_names[i],
                 type);
        nodes[i] = node_of(c, type_of(c, copy_names[i], declared));
    }
    strcat(sql, ")");
    c->n_columns = n + 1;
    return sqlite3_exec(c->db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

static void bind_cell(sqlite3_stmt *s, int i, const PqCells *cells)
{
    uint32_t last = cells->n - 1;
    const PqCell *v = &cells->cells[last];

    switch (v->kind) {
    case PQ_CELL_INT:
        sqlite3_bind_int64(s, i, v->i);
        break;
    case PQ_CELL_REAL:
        sqlite3_bind_double(s, i, v->r);
        break;
    case PQ_CELL_TEXT:
        sqlite3_bind_text(s, i, (const char *)v->p, (int)v->n,
                          SQLITE_TRANSIENT);
        break;
    case PQ_CELL_BLOB:
        sqlite3_bind_blob(s, i, v->p, (int)v->n, SQLITE_TRANSIENT);
        break;
    default:
        sqlite3_bind_null(s, i);
    }
}

static void insert_rows(Copying *c, const PqNode *const *nodes, uint32_t times)
{
    PqSlice from = c->in;
    uint32_t time, i, id = 0;
    sqlite3_stmt *s = NULL;
    PqCells one;
    char sql[100] = "INSERT INTO t VALUES(?";

    for (i = 1; i < c->n_columns; i++) {
        strcat(sql, ",?");
    }
    strcat(sql, ")");
    DOOR_CHECK(sqlite3_prepare_v2(c->db, sql, -1, &s, NULL) == SQLITE_OK);
    pq_cells_init(&one, c->mem);
    for (time = 0; time < times; time++) {
        for (c->in = from; c->in.n > 0 && id < MOST_ROWS; id++) {
            sqlite3_bind_int64(s, 1, id);
            for (i = 1; i < c->n_columns; i++) {
                PqErr e;

                pq_err_init(&e);
                pq_cells_reset(&one);
                door_cell(&c->in, nodes[i], time, &one, &e);
                if (one.n) {
                    bind_cell(s, (int)i + 1, &one);
                }
            }
            DOOR_CHECK(sqlite3_step(s) == SQLITE_DONE);
            sqlite3_reset(s);
        }
    }
    pq_cells_free(&one);
    sqlite3_finalize(s);
}

static void add_cell(PqCells *to, sqlite3_value *v, bool as_text, PqErr *e)
{
    int type = sqlite3_value_type(v);

    DOOR_CHECK(pq_cells_reserve(to, e) == PQ_OK);
    if (type == SQLITE_NULL) {
        pq_cells_null(to);
    } else if (type == SQLITE_TEXT || as_text) {
        const void *p = sqlite3_value_text(v);
        DOOR_CHECK(pq_cells_bytes(to, PQ_CELL_TEXT, p ? p : "",
                                  (size_t)sqlite3_value_bytes(v), e) == PQ_OK);
    } else if (type == SQLITE_INTEGER) {
        pq_cells_int(to, sqlite3_value_int64(v));
    } else if (type == SQLITE_FLOAT) {
        pq_cells_real(to, sqlite3_value_double(v));
    } else {
        const void *p = sqlite3_value_blob(v);
        DOOR_CHECK(pq_cells_bytes(to, PQ_CELL_BLOB, p ? p : "",
                                  (size_t)sqlite3_value_bytes(v), e) == PQ_OK);
    }
}

/* The rows as they are in the table, which may differ from those inserted. */
static void take_rows(Copying *c)
{
    sqlite3_stmt *s = NULL;
    uint32_t i;

    for (i = 0; i < c->n_columns; i++) {
        pq_cells_init(&c->cells[i], c->mem);
        pq_cells_init(&c->texts[i], c->mem);
    }
    DOOR_CHECK(sqlite3_prepare_v2(c->db, "SELECT * FROM t ORDER BY id", -1, &s,
                                  NULL) == SQLITE_OK);
    while (sqlite3_step(s) == SQLITE_ROW) {
        for (i = 0; i < c->n_columns; i++) {
            sqlite3_value *v = sqlite3_column_value(s, (int)i);

            add_cell(&c->cells[i], v, false, &c->e);
            add_cell(&c->texts[i], v, true, &c->e);
        }
    }
    sqlite3_finalize(s);
}

/* ---- the copy ------------------------------------------------------------ */

static int asked(void *copying)
{
    Copying *c = copying;

    return door_stop_asked(&c->stop);
}

/* Copies, and returns whether that succeeded. */
static bool copy(Copying *c, int64_t fault)
{
    static const char *const queries[] = {"SELECT * FROM t",
                                          "SELECT * FROM t ORDER BY 2"};
    sqlite3_stmt *s = NULL;
    int rc;

    DOOR_CHECK(sqlite3_prepare_v2(c->db, "SELECT parquet_copy_to(?1, ?2, ?3)",
                                  -1, &s, NULL) == SQLITE_OK);
    sqlite3_bind_text(s, 1, queries[c->mode >> 3 & 1], -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 2, c->path, -1, SQLITE_STATIC);
    if (c->options) {
        sqlite3_bind_text(s, 3, c->options, -1, SQLITE_STATIC);
    } else {
        sqlite3_bind_text(s, 3, "{}", -1, SQLITE_STATIC);
    }
    sqlite3_progress_handler(c->db, 5, asked, c);
    pq_fault_set(fault);
    rc = sqlite3_step(s);
    pq_fault_set(0);
    sqlite3_progress_handler(c->db, 0, NULL, NULL);
    if (rc == SQLITE_ROW) {
        DOOR_CHECK(sqlite3_column_int64(s, 0) == c->cells[0].n);
    } else {
        DOOR_CHECK(rc == SQLITE_ERROR || rc == SQLITE_INTERRUPT ||
                   rc == SQLITE_NOMEM);
        door_check_text(sqlite3_errmsg(c->db), NULL);
    }
    sqlite3_finalize(s);
    return rc == SQLITE_ROW;
}

/* ---- what became of it --------------------------------------------------- */

static unsigned n_entries;

static int count_entry(const char *path, const struct stat *st, int flag,
                       struct FTW *at)
{
    n_entries += at->level > 0;
    return 0;
}

static int remove_entry(const char *path, const struct stat *st, int flag,
                        struct FTW *at)
{
    return remove(path);
}

/* Files and folders below the root, hidden ones too. */
static unsigned count_entries(const Copying *c)
{
    n_entries = 0;
    DOOR_CHECK(nftw(c->root, count_entry, 8, FTW_PHYS) == 0);
    return n_entries;
}

static void copy_and_check(Copying *c, int64_t fault)
{
    unsigned before = count_entries(c);

    if (copy(c, fault)) {
        bool adds = c->copied && c->o.overwrite == PQ_OVERWRITE_APPEND;

        c->most = adds ? c->most + 1 : 1;
        c->copied = true;
    } else {
        DOOR_CHECK(fault || count_entries(c) == before);
    }
    if (c->copied) {
        copy_check(c);
    }
}

/* ---- the door ------------------------------------------------------------ */

static char *text_of(PqSlice s)
{
    char *p = malloc(s.n + 1);

    DOOR_CHECK(p != NULL);
    if (s.n) {
        memcpy(p, s.p, s.n);
    }
    p[s.n] = 0;
    return p;
}

static void put_file(const char *folder, const char *name)
{
    char path[PATH_ROOM];
    FILE *f;

    snprintf(path, sizeof path, "%.100s/%s", folder, name);
    f = fopen(path, "w");
    DOOR_CHECK(f != NULL && fputs("PAR1", f) >= 0);
    fclose(f);
}

/* Puts something there before the copy.  1: files that readers do not take for
** data.  2: these and a link.  3: an empty folder. */
static void clutter(const Copying *c, unsigned what)
{
    char path[PATH_ROOM];

    if (what == 0 || c->mode & 16) {
        return;
    }
    DOOR_CHECK(mkdir(c->path, 0700) == 0);
    if (what < 3) {
        put_file(c->path, "_metadata");
        put_file(c->path, ".data_0.parquet.crc");
        put_file(c->path, "note.txt");
    }
    if (what == 2) {
        snprintf(path, sizeof path, "%.100s/link", c->path);
        DOOR_CHECK(symlink(c->root, path) == 0);
    }
}

static void open_place(Copying *c)
{
    snprintf(c->root, sizeof c->root, "%s/door-XXXXXX", scratch_folder());
    DOOR_CHECK(mkdtemp(c->root) != NULL);
    snprintf(c->path, sizeof c->path, "%s/out%s", c->root,
             c->mode & 2 ? "/" : ".parquet");
    if (c->mode & 16 && !(c->mode & 2)) {    /* a link to a missing file */
        char to[PATH_ROOM];

        snprintf(to, sizeof to, "%s/real.parquet", c->root);
        DOOR_CHECK(symlink(to, c->path) == 0);
    }
    clutter(c, c->mode >> 5 & 3);
}

static void copying(PqSlice in, uint8_t mode)
{
    Copying c = {.in = in, .mode = mode};
    const PqNode *nodes[COPY_COLUMNS];
    PqErr ignored;
    uint32_t times, i;

    c.mem = pq_mem_new((size_t)128 << 20);
    DOOR_CHECK(c.mem != NULL);
    pq_err_init(&c.e);
    pq_err_init(&ignored);
    pq_arena_init(&c.arena, c.mem);
    c.options = text_of(door_take(&c.in, door_u16(&c.in)));
    if (pqsql_copy_options_parse(c.options, &c.arena, &c.o, &ignored) !=
        PQ_OK) {
        door_check_error(&ignored, NULL);
    }
    c.stop.left = door_u8(&c.in);
    c.fault = door_u16(&c.in);
    c.fault = c.o.threads == 0 ? c.fault : 0;    /* else it varies */
    times = 1 + door_u8(&c.in);
    open_place(&c);
    sqlite3_auto_extension((void (*)(void))sqlite3_parquet_init);
    DOOR_CHECK(sqlite3_open(":memory:", &c.db) == SQLITE_OK);
    if (make_table(&c, nodes)) {
        insert_rows(&c, nodes, times);
        take_rows(&c);
        if (c.mode & 4) {
            copy_and_check(&c, 0);
        }
        copy_and_check(&c, c.fault);
        for (i = 0; i < c.n_columns; i++) {
            pq_cells_free(&c.cells[i]);
            pq_cells_free(&c.texts[i]);
        }
    }
    DOOR_CHECK(sqlite3_close(c.db) == SQLITE_OK);
    DOOR_CHECK(nftw(c.root, remove_entry, 8, FTW_DEPTH | FTW_PHYS) == 0);
    free(c.options);
    pq_arena_free(&c.arena);
    DOOR_CHECK(pq_mem_used(c.mem) == 0);
    pq_mem_release(c.mem);
}

/* Any text is understood, or refused with a message. */
static void words(PqSlice in)
{
    char *text = text_of(in);
    PqsqlCopyOptions o;
    PqsqlType *type = NULL, *hint = NULL;
    PqErr e;
    PqMem *mem = door_open(&e);
    PqArena a;

    pq_arena_init(&a, mem);
    if (pqsql_copy_options_parse(text, &a, &o, &e) == PQ_OK) {
        for (uint32_t i = 0; i < o.n_columns; i++) {
            pqsql_copy_options_chunk(&o, &o.columns[i]);
        }
    }
    door_check_error(&e, NULL);
    pq_err_clear(&e);
    if (pqsql_type_parse(text, &a, &type, &e) == PQ_OK) {
        DOOR_CHECK(type && type->height <= PQSQL_TYPE_DEPTH);
    }
    door_check_error(&e, NULL);
    pq_err_clear(&e);
    DOOR_CHECK(pqsql_type_hint(text, &a, &hint, &e) == PQ_OK ||
               e.rc == PQ_BUDGET);
    DOOR_CHECK(!hint || type || hint->height <= PQSQL_TYPE_DEPTH);
    free(text);
    pq_arena_free(&a);
    door_close(mem);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    PqSlice in = {bytes, n};
    uint8_t mode = door_u8(&in);

    if (mode & 1) {
        copying(in, mode);
    } else {
        words(in);
    }
    return 0;
}
