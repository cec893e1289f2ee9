/*
** parquet.h - reads and writes Parquet files from C, without SQLite.
**
**     Parquet *p;
**     ParquetTable *t;
**     ParquetScan *s;
**     const ParquetBatch *b;
**     const ParquetVector *v;
**
**     if (parquet_new(&p) != PARQUET_OK) return 1;
**     if (parquet_open(p, "trips.parquet", 0, &t) != PARQUET_OK ||
**         parquet_scan_open(t, &s) != PARQUET_OK)
**         return fputs(parquet_error(p)->message, stderr), 1;
**     while (parquet_next(s, &b) == PARQUET_OK && b)
**         if (parquet_vector(s, 0, &v) == PARQUET_OK)
**             ... v->valid, v->values ...
**     parquet_scan_close(s); parquet_close(t); parquet_free(p);
**
** The rules:
**
**   Errors     A function that can fail returns a ParquetCode, and PARQUET_OK is 0.
**              parquet_error() then has the message, and the file, row group, column
**              and page that it is about.  What a function should have made is NULL.
**              A call on a scan that is PARQUET_USAGE changes nothing.  After all other
**              failures, and any of a writer, the object can only be closed.
**   Ownership  What ..._new and ..._open make is given back by ..._free or ..._close,
**              which take NULL too, and before what it was made from.  Everything
**              that is const belongs to the library, and lives as long as the object
**              that it was asked of, unless it is said to end earlier.  Arguments are
**              copied, unless it is said that they are not.
**   Threads    A Parquet and all that is made from it are used by one thread at a
**              time.  Two Parquets know nothing of each other.  parquet_interrupt()
**              alone may be called by any thread, and by a signal handler.
**   Files      Nothing in a file is believed before it was checked.  A damaged or a
**              hostile one is an error and never a crash, and takes no more memory
**              than parquet_set_memory() allows.
**   Texts      are UTF-8.  Those that are char pointers end with a NUL.
**
** The names begin with parquet_, Parquet and PARQUET_.  What a struct has, and what a
** number means, changes with the soname of the library only.
*/
#ifndef PARQUET_H
#define PARQUET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define PARQUET_VERSION "0.1.0"

/* The version of the library that runs. */
const char *parquet_version(void);

/* ---- a session and its errors ---- */

typedef enum ParquetCode {
    PARQUET_OK = 0,
    PARQUET_NOMEM,           /* the system has no memory left                  */
    PARQUET_BUDGET,          /* parquet_set_memory() does not allow so much    */
    PARQUET_IO,              /* the system refused: open, read, write          */
    PARQUET_CORRUPT,         /* the file contradicts itself or the format      */
    PARQUET_UNSUPPORTED,     /* well formed, but it cannot be read: a codec that
                             ** is not known, a key that is not at hand        */
    PARQUET_USAGE,           /* the call makes no sense; the message says why  */
    PARQUET_CHANGED,         /* the file is not the one that was opened, or does
                             ** not have the columns of the table              */
    PARQUET_STOPPED          /* interrupted                                    */
} ParquetCode;

/* A place that is not known is NULL, or -1. */
typedef struct ParquetError {
    ParquetCode code;
    const char *message;     /* one line, with the place in it                 */
    const char *file;
    const char *column;      /* dotted, from the root of the schema            */
    int         row_group, page;
    int64_t     offset;      /* of a byte in the file                          */
} ParquetError;

/* What is shared: keys, threads, footers that were read, and the last error. */
typedef struct Parquet Parquet;

/* PARQUET_NOMEM, or *out is a session. */
ParquetCode parquet_new(Parquet **out);
void        parquet_free(Parquet *p);

/* The last failure of a call with p or with what was made from it.  It lives until
** the next failure.  Before the first one its code is PARQUET_OK. */
const ParquetError *parquet_error(const Parquet *p);

/* The most bytes that each scan, writer and file may take that is opened from now
** on, and the footers of all tables together: 256 MB if nobody says more or less. */
void parquet_set_memory(Parquet *p, size_t bytes);

/* How many threads of its own the library may use for what is opened from now on:
** to read ahead, and to encode columns.  0, as at first, is none.  It uses at most
** 8, and calls nothing of the caller from them. */
void parquet_set_threads(Parquet *p, unsigned n);

/* Stops the call that runs, or else the next one that takes long: within about a
** tenth of a second it fails with PARQUET_STOPPED.  Any thread may call this, and
** a signal handler. */
void parquet_interrupt(Parquet *p);

/* asked(arg) is called now and then by long calls, on the thread that made them.
** Once it returns true, the call fails as if it was interrupted.  NULL: nobody is
** asked. */
void parquet_on_progress(Parquet *p, bool (*asked)(void *arg), void *arg);

/* ---- types and values ---- */

/* How values are stored, and what a ParquetVector is an array of. */
typedef enum ParquetStorage {
    PARQUET_BOOLEAN = 0,     /* uint8_t, 0 or 1                                */
    PARQUET_INT32 = 1,       /* int32_t                                        */
    PARQUET_INT64 = 2,       /* int64_t                                        */
    PARQUET_INT96 = 3,       /* 12 bytes: an instant, as old writers have it   */
    PARQUET_FLOAT = 4,       /* float                                          */
    PARQUET_DOUBLE = 5,      /* double                                         */
    PARQUET_BYTE_ARRAY = 6,  /* ParquetBytes                                   */
    PARQUET_FIXED = 7        /* ParquetBytes, all of one length                */
} ParquetStorage;

/* What they mean. */
typedef enum ParquetMeaning {
    PARQUET_PLAIN = 0,       /* nothing else                                   */
    PARQUET_STRING, PARQUET_ENUM, PARQUET_JSON, PARQUET_BSON, PARQUET_UUID,
    PARQUET_INTEGER,         /* of bits, is_signed                             */
    PARQUET_DECIMAL,         /* of precision digits, scale of them after the
                             ** point; bytes begin with the highest            */
    PARQUET_DATE,            /* days since 1970                                */
    PARQUET_TIME,            /* units since midnight                           */
    PARQUET_TIMESTAMP,       /* units since 1970; utc: it is an instant        */
    PARQUET_INTERVAL, PARQUET_FLOAT16,
    PARQUET_ALWAYS_NULL,     /* it says nothing: all values are NULL           */
    PARQUET_GEOMETRY, PARQUET_GEOGRAPHY      /* WKB                            */
} ParquetMeaning;

typedef enum ParquetUnit { PARQUET_MILLIS, PARQUET_MICROS, PARQUET_NANOS } ParquetUnit;

/* Members that a meaning does not have are 0.  To write, only PARQUET_PLAIN needs a
** storage, and PARQUET_FIXED a length: of other meanings both follow, those of a DECIMAL
** from its precision. */
typedef struct ParquetType {
    ParquetStorage storage;
    ParquetMeaning meaning;
    uint32_t       length;   /* of PARQUET_FIXED, in bytes                     */
    int            bits;     /* PARQUET_INTEGER: 8, 16, 32, 64                 */
    bool           is_signed;
    bool           utc;      /* PARQUET_TIME, PARQUET_TIMESTAMP                */
    ParquetUnit    unit;
    int            precision, scale;
} ParquetType;

/* The bytes of a value; a BYTE_ARRAY is followed by a NUL that is not counted. */
typedef struct ParquetBytes {
    const uint8_t *p;
    uint32_t       n;
} ParquetBytes;

typedef enum ParquetClass {
    PARQUET_CLASS_NULL, PARQUET_CLASS_INT, PARQUET_CLASS_REAL, PARQUET_CLASS_TEXT,
    PARQUET_CLASS_BYTES
} ParquetClass;

/* One value of any type, where speed does not count: to be written, or compared
** with, or read (parquet_value).
**
**   BOOLEAN and integers          INT; a UINT64 above 2^63-1 is a TEXT of digits
**   FLOAT, DOUBLE, FLOAT16        REAL
**   DATE TIME TIMESTAMP INTERVAL  TEXT, as in ISO 8601: 2024-03-01 13:45:00.25
**   INT96, DECIMAL, UUID          TEXT, a DECIMAL with all digits of its scale
**   STRING, ENUM, JSON            TEXT
**   lists, maps, structs, ...     TEXT, which is JSON
**   all else                      BYTES
**
** To be written, a value may have any form that its column can take without loss: a
** DECIMAL is an INT or a TEXT, a BYTE_ARRAY a TEXT, a TIMESTAMP also the seconds
** since 1970.  The message says what does not fit. */
typedef struct ParquetValue {
    ParquetClass what;
    int64_t      i;
    double       r;
    const char  *p;          /* TEXT, BYTES                                    */
    size_t       n;          /* ... how many bytes, without a NUL              */
} ParquetValue;

/* Texts and bytes are borrowed. */
static inline ParquetValue parquet_null(void)
{
    ParquetValue v = {PARQUET_CLASS_NULL, 0, 0, NULL, 0};
    return v;
}

static inline ParquetValue parquet_int(int64_t i)
{
    ParquetValue v = {PARQUET_CLASS_INT, i, 0, NULL, 0};
    return v;
}

static inline ParquetValue parquet_real(double r)
{
    ParquetValue v = {PARQUET_CLASS_REAL, 0, r, NULL, 0};
    return v;
}

static inline ParquetValue parquet_text(const char *text)
{
    ParquetValue v = {PARQUET_CLASS_TEXT, 0, 0, text, strlen(text)};
    return v;
}

static inline ParquetValue parquet_bytes(const void *p, size_t n)
{
    ParquetValue v = {PARQUET_CLASS_BYTES, 0, 0, (const char *)p, n};
    return v;
}

/* ---- a table: one file, or all files of a folder ---- */

typedef enum ParquetKind {
    PARQUET_LEAF,            /* values of its type                             */
    PARQUET_STRUCT, PARQUET_LIST, PARQUET_MAP,
    PARQUET_VARIANT,         /* these four: values are texts of JSON           */
    PARQUET_FOLDER           /* what year=2024 in a path says about its rows   */
} ParquetKind;

typedef struct ParquetColumn {
    const char *name;        /* unique, whatever the case of its letters       */
    ParquetKind kind;
    ParquetType type;        /* of the vectors of the column, in every file    */
    const char *type_name;   /* "DECIMAL(10,2)", for people                    */
    bool        never_null;  /* all files promise it                           */
    bool        inside;      /* a leaf inside of a struct, which is a column too:
                             ** "route.from".  These come last                 */
} ParquetColumn;

typedef struct ParquetTable ParquetTable;

enum {
    PARQUET_HIVE = 1,        /* folders named key=value are columns            */
    PARQUET_UNION = 2,       /* the columns are those of all files; otherwise those
                             ** of the first, which each other must have.  Messages
                             ** call this union_by_name=on                     */
    PARQUET_UNCHECKED = 4    /* pages are read whose checksum says that they are
                             ** damaged; messages call this checksum=off       */
};

/* Opens what path means: a file; a folder, with all *.parquet and *.parq below it; a
** pattern with * ? [..] or **; or a JSON list of such.  flags are of those above.
** Reads the first footer (PARQUET_UNION: all of them), and no data.
** PARQUET_IO if there is no such file. */
ParquetCode parquet_open(Parquet *p, const char *path, unsigned flags, ParquetTable **out);
void        parquet_close(ParquetTable *t);

/* Columns have the numbers 0 to parquet_n_columns() - 1; NULL: there is no such. */
int                  parquet_n_columns(const ParquetTable *t);
const ParquetColumn *parquet_column(const ParquetTable *t, int column);

/* The number of the column of that name; -1: there is none.  Case does not count. */
int                  parquet_column_named(const ParquetTable *t, const char *name);

/* The files, in the order in which they are read; NULL: there is no such. */
int                  parquet_n_files(const ParquetTable *t);
const char          *parquet_path(const ParquetTable *t, int file);

/* ---- a scan: the rows of a table that pass conditions ---- */

typedef struct ParquetScan ParquetScan;

typedef enum ParquetOp {
    PARQUET_EQ, PARQUET_NE, PARQUET_LT, PARQUET_LE, PARQUET_GT, PARQUET_GE,
    PARQUET_IS_NULL, PARQUET_NOT_NULL            /* the value is not looked at */
} ParquetOp;

/* t must live as long as the scan.  A table may have many scans. */
ParquetCode parquet_scan_open(ParquetTable *t, ParquetScan **out);
void        parquet_scan_close(ParquetScan *s);

/* Leaves only rows that pass.  Conditions are joined by AND, and are given before
** the first parquet_next().  Files, row groups and pages in which nothing can pass
** are not read: their statistics, Bloom filters and dictionaries are asked.
**
** v is converted to the column's type first, as if it was to be written there; what
** cannot be converted is PARQUET_USAGE.  Numbers and times compare by value, texts
** and bytes by their bytes.  NULL and NaN pass no comparison; NaN is not null.
** Columns that are no leaves, and types without an order, take only some: lists and
** the like ask for NULL, an INTERVAL for equality too. */
ParquetCode parquet_where(ParquetScan *s, int column, ParquetOp op, ParquetValue v);

/* ... is equal to one of n values. */
ParquetCode parquet_where_in(ParquetScan *s, int column, const ParquetValue *v,
                             size_t n);

/* Only rows [first, first + n) of a file of the table, counted from 0.  May be given
** once. */
ParquetCode parquet_where_rows(ParquetScan *s, int file, int64_t first, int64_t n);

/* Some rows of one row group.  The vectors of a batch have n_rows rows.  Those that
** pass are rows[0] to rows[n - 1], ascending; what vectors have in others does not
** count. */
typedef struct ParquetBatch {
    int             file, row_group;
    int64_t         first_row;   /* of the n_rows rows, in the file            */
    uint32_t        n_rows;
    uint32_t        n;           /* at least 1                                 */
    const uint32_t *rows;
} ParquetBatch;

/* The next rows; *out is NULL after the last ones.  Ends the life of the batch
** before, and of its vectors. */
ParquetCode parquet_next(ParquetScan *s, const ParquetBatch **out);

/* The values of a column for the rows of a batch.  Row r has a value if bit r of
** valid is set: valid[r / 64] >> r % 64 & 1.  valid NULL: all rows have one.  The
** value is values[r], or values[ids[r]] where ids is not NULL: then values are the
** n_values entries of a dictionary. */
typedef struct ParquetVector {
    ParquetType     type;        /* of the column                              */
    uint32_t        n_rows, n_values;
    const uint64_t *valid;
    const uint32_t *ids;
    const void     *values;
} ParquetVector;

/* Decodes a column of the batch; a column that nobody asks for is not read.  Lives
** until the next parquet_next(). */
ParquetCode parquet_vector(ParquetScan *s, int column, const ParquetVector **out);

/* One value of the batch; see ParquetValue.  Lives as long as the batch. */
ParquetCode parquet_value(ParquetScan *s, int column, uint32_t row, ParquetValue *out);

/* What the scan that was closed last has done. */
typedef struct ParquetScanned {
    int64_t files, files_skipped, row_groups, row_groups_skipped;
    int64_t pages, pages_skipped, rows, rows_skipped, bytes_read;
    size_t  peak_memory;
} ParquetScanned;

const ParquetScanned *parquet_scanned(const Parquet *p);

/* ---- a schema to write ---- */

typedef struct ParquetSchema ParquetSchema;

ParquetCode parquet_schema_new(Parquet *p, ParquetSchema **out);
void        parquet_schema_free(ParquetSchema *s);

/* Adds a column, or a field of what is open.  required: no NULL is written to it.
** A mistake is kept, and parquet_writer_open() fails with it. */
void parquet_schema_leaf(ParquetSchema *s, const char *name, ParquetType type,
                         bool required);

/* Opens a STRUCT (fields follow), a LIST (its element), a MAP (its key and value) or
** a VARIANT (nothing); names of elements, keys and values are NULL.  Each is ended by
** parquet_schema_end(). */
void parquet_schema_begin(ParquetSchema *s, ParquetKind kind, const char *name,
                          bool required);
void parquet_schema_end(ParquetSchema *s);

/* ---- a writer: rows in, files out ---- */

typedef enum ParquetCodec {
    PARQUET_UNCOMPRESSED = 0, PARQUET_SNAPPY = 1, PARQUET_GZIP = 2, PARQUET_BROTLI = 4,
    PARQUET_ZSTD = 6, PARQUET_LZ4_RAW = 7
} ParquetCodec;

typedef enum ParquetOverwrite {
    PARQUET_REFUSE,          /* PARQUET_IO or PARQUET_USAGE if something is there;
                             ** for a folder: a Parquet file                   */
    PARQUET_REPLACE,         /* old files go when the new ones are whole; of a folder,
                             ** those that this library has written, and others are
                             ** an error                                       */
    PARQUET_APPEND,          /* a folder gets more files                       */
    PARQUET_PARTITIONS,      /* partitions that get a new file lose their old ones */
    PARQUET_REPLACE_PARQUET  /* one file is replaced if it is Parquet, or empty; a
                             ** folder is as with PARQUET_REFUSE               */
} ParquetOverwrite;

/* A column, by its dotted path, or all that is below it; and the name of its key. */
typedef struct ParquetColumnKey {
    const char *column, *key;
} ParquetColumnKey;

/* Filled by parquet_write_options() with what is good for most files.  What it points
** to is not copied, and must live as long as the writer. */
typedef struct ParquetWriteOptions {
    ParquetCodec     codec;
    int              level;              /* of the codec; 0: the usual one     */
    uint64_t         row_group_rows, row_group_bytes;    /* at most            */
    uint64_t         file_rows, file_bytes;  /* of a folder, at most; 0: any   */
    ParquetOverwrite overwrite;
    bool             is_folder;          /* the path is that of a folder       */
    const char *const *partition_by;     /* names of columns that are folders, in
                                         ** this order, and not in the schema  */
    size_t           n_partition_by;
    const char *const *key_values;       /* key, value, key, value, ...        */
    size_t           n_key_values;       /* pairs                              */
    const char      *footer_key;         /* the name of a key: files are encrypted */
    const ParquetColumnKey *column_keys; /* other keys; all others of columns are
                                         ** the footer's                       */
    size_t           n_column_keys;
    bool             plaintext_footer;   /* it is signed, and anybody reads it */
} ParquetWriteOptions;

void parquet_write_options(ParquetWriteOptions *out);

typedef struct ParquetWriter ParquetWriter;

/* Begins a file at path, or files in a folder.  Until parquet_publish() they have
** other names, and nothing that was there is touched: a process that dies leaves the
** old files as they were.  options may be NULL.  schema must live as long as the writer,
** can be used again, and gets no more columns. */
ParquetCode parquet_writer_open(Parquet *p, const char *path, ParquetSchema *schema,
                                const ParquetWriteOptions *options,
                                ParquetWriter **out);

/* Begins a row.  partition has the text of each column of partition_by, or NULL for
** NULL; without such columns it is NULL. */
ParquetCode parquet_row_begin(ParquetWriter *w, const char *const *partition);

/* Gives the row's next column its value, in the order of the schema.  A column that
** is nested takes a TEXT of JSON.  That a value does not fit may be found later, by
** a call that writes the rows; the message then has its column and row. */
ParquetCode parquet_put(ParquetWriter *w, ParquetValue v);

/* Ends it.  Columns that got no value are NULL. */
ParquetCode parquet_row_end(ParquetWriter *w);

/* Writes what is left, and gives all files their names, or none. */
ParquetCode parquet_publish(ParquetWriter *w);

/* After parquet_publish(), or to give up: then all that was written is removed. */
void parquet_writer_close(ParquetWriter *w);

typedef struct ParquetWritten {
    uint64_t rows, bytes;        /* bytes that went out so far                 */
    uint32_t files, row_groups;
} ParquetWritten;

ParquetWritten parquet_written(const ParquetWriter *w);

/* ---- what a file says about itself ---- */

typedef struct ParquetFile ParquetFile;

/* Opens one file and reads its footer. */
ParquetCode parquet_file_open(Parquet *p, const char *path, ParquetFile **out);
void        parquet_file_close(ParquetFile *f);

typedef struct ParquetFileInfo {
    int64_t     n_rows;
    int         n_row_groups, n_leaves, n_key_values;
    const char *created_by;      /* "" if it does not say                      */
    bool        encrypted;
} ParquetFileInfo;

const ParquetFileInfo *parquet_file_info(const ParquetFile *f);

/* A leaf of the schema: what is stored of a column. */
typedef struct ParquetLeaf {
    const char *path;            /* dotted                                     */
    ParquetType type;
    const char *type_name;
    int         max_def, max_rep;    /* levels                                 */
} ParquetLeaf;

/* NULL: there is no leaf of that number. */
const ParquetLeaf *parquet_file_leaf(const ParquetFile *f, int leaf);

/* An entry of the file's metadata; false: there is none of that number. */
bool parquet_file_key_value(const ParquetFile *f, int i, ParquetBytes *key,
                            ParquetBytes *value);

typedef struct ParquetRowGroup {
    int64_t n_rows, first_row, n_bytes;  /* n_bytes: uncompressed              */
} ParquetRowGroup;

/* False: there is no row group of that number. */
bool parquet_file_row_group(const ParquetFile *f, int i, ParquetRowGroup *out);

/* The values of a leaf in a row group, as the file has them. */
typedef struct ParquetChunk {
    int64_t     n_values;        /* nulls included                             */
    int64_t     n_nulls;         /* -1: not known                              */
    int64_t     offset, compressed, uncompressed;    /* of its bytes           */
    const char *codec;           /* "ZSTD"                                     */
    const char *encodings;       /* "RLE, PLAIN"                               */
    const char *min, *max;       /* texts of bounds that can be trusted; NULL: not
                                 ** known                                      */
    bool        has_bloom, has_page_index;
} ParquetChunk;

/* Lives until the next call with f. */
ParquetCode parquet_file_chunk(ParquetFile *f, int row_group, int leaf,
                               const ParquetChunk **out);

/* ---- is all of it true? ---- */

typedef enum ParquetSeverity {
    PARQUET_ERROR,               /* who believes the file gets wrong answers   */
    PARQUET_WARNING,             /* something is wrong, and no answer suffers  */
    PARQUET_NOTE                 /* what cannot be seen                        */
} ParquetSeverity;

typedef struct ParquetFinding {
    ParquetSeverity severity;
    int             row_group, page;     /* -1: it is not about one            */
    const char     *column;              /* NULL: it is not about one          */
    int64_t         offset;              /* -1: not known                      */
    const char     *what;                /* "null_count"                       */
    const char     *expected, *found;    /* or NULL                            */
    const char     *message;
} ParquetFinding;

typedef struct ParquetVerify ParquetVerify;

/* Decodes everything in a file, and compares it with what the file says.  f must live
** as long. */
ParquetCode parquet_verify_open(ParquetFile *f, ParquetVerify **out);
void        parquet_verify_close(ParquetVerify *v);

/* The next finding, until the next call; *out is NULL after the last one.  Damage is
** a finding and not an error.  parquet_file_open() fails where not even the footer
** can be read. */
ParquetCode parquet_verify_next(ParquetVerify *v, const ParquetFinding **out);

/* ---- keys of encrypted files ---- */

/* Gives the session a key of 16, 24 or 32 bytes, or replaces the one of that name.
** Files say the name of their key; where one does not, all keys are tried.  The bytes
** lie in memory that is not swapped where the system allows that, and is wiped. */
ParquetCode parquet_key(Parquet *p, const char *name, const void *bytes, size_t n);

/* Forgets it; what is open keeps it until it is closed.  False: there was none. */
bool        parquet_key_forget(Parquet *p, const char *name);

/* For files that are opened from now on: the keys of the footer and of columns by
** name, and the AAD prefix that a file does not store.  Each may be NULL.  A file that
** is not encrypted then fails, if keys were named. */
ParquetCode parquet_key_choice(Parquet *p, const char *footer_key,
                               const ParquetColumnKey *columns, size_t n,
                               const char *aad_prefix);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
