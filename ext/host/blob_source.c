/*
** blob_source.c - reads through sqlite3_blob_read.
**
** The hard part is to know that the BLOB is still the one that was opened.  SQLite
** aborts an open BLOB handle when its row is written, by this connection.  Other
** connections cannot write what a reader's transaction sees.  For the next statement
** it is the same BLOB if nothing was written to the database meanwhile.
*/
#include "ext/host/blob_source.h"

#include <stdlib.h>

typedef struct BlobSource {
    PqSource      source;
    sqlite3      *db;
    sqlite3_blob *blob;
} BlobSource;

static const PqSourceKind blob_kind;

/* ---- names ------------------------------------------------------------------- */

typedef struct BlobName {
    char         *schema, *table, *column;   /* all in the block of the schema */
    sqlite3_int64 rowid;
} BlobName;

/* Takes the last part off; the table's name may have dots itself. */
static char *cut_last(char *text)
{
    char *dot = strrchr(text, '.');

    if (dot) {
        *dot++ = 0;
    }
    return dot;
}

static PqRc parse_name(PqMem *mem, const char *path, BlobName *out, PqErr *e)
{
    const char *text = path + strlen("blob:");
    char *rowid, *end = NULL;

    out->schema = pq_mem_text(mem, text, strlen(text), e);
    PQ_TRY(out->schema ? PQ_OK : e->rc);
    rowid = cut_last(out->schema);
    out->column = rowid ? cut_last(out->schema) : NULL;
    out->table = out->column ? strchr(out->schema, '.') : NULL;
    if (out->table) {
        *out->table++ = 0;
        out->rowid = strtoll(rowid, &end, 10);
    }
    return out->table && *rowid && !*end
               ? PQ_OK
               : pq_fail(e, PQ_USAGE, "the path of a BLOB is blob:schema.table.column.rowid");
}

/* ---- the source ---------------------------------------------------------------- */

static PqRc blob_error(const BlobSource *s, int rc, PqErr *e)
{
    if (rc == SQLITE_ABORT) {
        return pq_source_changed(&s->source, e);
    }
    return pq_fail(e, rc == SQLITE_NOMEM ? PQ_NOMEM : PQ_IO, "cannot read: %s",
                   sqlite3_errmsg(s->db));
}

static PqRc read_blob(PqSource *source, uint64_t offset, size_t n, void *out, PqErr *e)
{
    BlobSource *s = (BlobSource *)source;
    int rc = sqlite3_blob_read(s->blob, out, (int)n, (int)offset);

    return rc == SQLITE_OK ? PQ_OK : blob_error(s, rc, e);
}

/* A handle whose row was written gives no more bytes, not even none. */
static PqRc check_blob(PqSource *source, PqErr *e)
{
    uint8_t byte;

    return pq_source_size(source) ? read_blob(source, 0, 1, &byte, e) : PQ_OK;
}

static PqRc open_again(PqSource *s, PqMem *mem, PqSource **out, PqErr *e)
{
    *out = NULL;
    PQ_TRY(check_blob(s, e));
    PQ_TRY(pqext_blob_open(((BlobSource *)s)->db, mem, s->path, out, e));
    (*out)->id = s->id;              /* its row was not written              */
    return PQ_OK;
}

static void close_blob(PqSource *s)
{
    sqlite3_blob_close(((BlobSource *)s)->blob);
}

static const PqSourceKind blob_kind = {
    .size = sizeof(BlobSource), .read = read_blob, .check = check_blob,
    .again = open_again, .close = close_blob,
};

/* How often was something written to its database?  While something is being written that is
** not known, and it may be taken back: so each time is another one. */
static void identify(BlobSource *s, const char *schema)
{
    static _Atomic int64_t n_opened;
    const char *file = sqlite3_db_filename(s->db, schema), *path = s->source.path;
    bool is_writing = sqlite3_txn_state(s->db, schema) == SQLITE_TXN_WRITE;
    unsigned version = 0;

    sqlite3_file_control(s->db, schema, SQLITE_FCNTL_DATA_VERSION, &version);
    s->source.id = (PqFileId){.device = pq_hash_bytes(path, strlen(path)),
                              .inode = file ? pq_hash_bytes(file, strlen(file)) : 0,
                              .size = sqlite3_blob_bytes(s->blob), .mtime_ns = version,
                              .ctime_ns = is_writing ? ++n_opened : 0};
}

PqRc pqext_blob_open(void *db, PqMem *mem, const char *path, PqSource **out, PqErr *e)
{
    BlobName name = {.schema = NULL};
    const char *outer = e->where.file;
    BlobSource *s = NULL;
    int rc;

    *out = NULL;
    e->where.file = path;
    if (parse_name(mem, path, &name, e) == PQ_OK &&
        pq_source_new(mem, &blob_kind, path, (PqFileId){0}, out, e) == PQ_OK) {
        s = (BlobSource *)*out;
        s->db = db;
        rc = sqlite3_blob_open(db, name.schema, name.table, name.column, name.rowid, 0, &s->blob);
        if (rc != SQLITE_OK) {
            blob_error(s, rc, e);
        } else {
            identify(s, name.schema);
        }
    }
    pq_mem_free(name.schema);
    e->where.file = outer;
    if (e->rc != PQ_OK) {
        pq_source_close(*out);
        *out = NULL;
    }
    return e->rc;
}
