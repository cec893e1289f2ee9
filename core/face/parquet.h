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
**              After a failure parquet_error() has the message, and its file, row
**              group, column and page, and a pointer that the function should have
**              set is NULL.  If a call on a scan fails with PARQUET_USAGE, nothing
**              has changed.  After any other failure, or any failure of a writer,
**              the object can only be closed.
**   Ownership  Objects of ..._new and ..._open are freed by ..._free or ..._close,
**              which also take NULL.  Free an object before the one that it was
**              made from.  Everything const belongs to the library, and lives as
**              long as the object that gave it, unless a comment says less.
**              Arguments are copied, unless a comment says that they are not.
**   Threads    One thread at a time may use a Parquet and everything that is made
**              from it.  Two Parquets are independent.  Only parquet_interrupt()
**              may be called by any thread, and by a signal handler.
**   Files      Nothing in a file is believed before it is checked.  A damaged or
**              hostile file is an error and never a crash, and takes no more
**              memory than parquet_set_memory() allows.
**   Texts      are UTF-8.  Texts of type char * end with a NUL.
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

/* The version of the library that is running. */
const char *parquet_version(void);

/* ---- a session and its errors ---- */

typedef enum ParquetCode {
    PARQUET_OK = 0,
    PARQUET_NOMEM,           /* the system has no memory left                  */
    PARQUET_BUDGET,          /* parquet_set_memory() does not allow so much    */
    PARQUET_IO,              /* the system failed to open, read or write       */
    PARQUET_CORRUPT,         /* the file contradicts itself or the format      */
    PARQUET_UNSUPPORTED,     /* well formed, but it cannot be read: the codec
                             ** is not known, or a key is missing              */
    PARQUET_USAGE,           /* the call makes no sense; the message says why  */
    PARQUET_CHANGED,         /* the file is not the one that was opened, or does
                             ** not have the columns of the table              */
    PARQUET_STOPPED          /* interrupted                                    */
} ParquetCode;

/* A member that is not known is NULL, or -1. */
typedef struct ParquetError {
    ParquetCode code;
    const char *message;     /* one line, with the place in it                 */
    const char *file;
    const char *column;      /* dotted, from the root of the schema            */
    int         row_group, page;
    int64_t     offset;      /* of a byte in the file                          */
} ParquetError;

/* A session: what all its tables and files share.  That is the keys, the
** threads, the footers that were read, and the last error. */
typedef struct Parquet Parquet;

/* Makes a session.  It fails only with PARQUET_NOMEM. */
ParquetCode parquet_new(Parquet **out);
void        parquet_free(Parquet *p);

/* The last failure of a call with p, or with an object made from p.  It lives
** until the next failure.  Before the first failure its code is PARQUET_OK. */
const ParquetError *parquet_error(const Parquet *p);

/* Sets the most bytes that each scan, writer and file opened from now on may
** take, and the footers of all tables together.  The default is 256 MB. */
void parquet_set_memory(Parquet *p, size_t bytes);

/* Sets how many threads of its own the library may use to read ahead and to
** encode columns, for objects that are opened from now on.  The default is 0.
** The library uses at most 8, and calls no function of the caller from them. */
void parquet_set_threads(Parquet *p, unsigned n);

/* Stops the running call, or the next call that takes long: within about a
** tenth of a second it fails with PARQUET_STOPPED.  Any thread or signal
** handler may call this. */
void parquet_interrupt(Parquet *p);

/* Long calls call asked(arg) now and then, on their own thread.  When it
** returns true, the call fails as if it was interrupted.  NULL: nothing is
** called. */
void parquet_on_progress(Parquet *p, bool (*asked)(void *arg), void *arg);

/* ---- types and values ---- */

/* How values are stored.  The comments say what a ParquetVector is an array
** of. */
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

/* What stored values mean. */
typedef enum ParquetMeaning {
    PARQUET_PLAIN = 0,       /* just the stored values                         */
    PARQUET_STRING, PARQUET_ENUM, PARQUET_JSON, PARQUET_BSON, PARQUET_UUID,
    PARQUET_INTEGER,         /* of bits, is_signed                             */
    PARQUET_DECIMAL,         /* has `precision` digits, `scale` of them after the
                             ** point; bytes are big-endian                    */
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

/* The bytes of a value.  After a BYTE_ARRAY comes a NUL that is not
** counted. */
typedef struct ParquetBytes {
    const uint8_t *p;
    uint32_t       n;
} ParquetBytes;

typedef enum ParquetClass {
    PARQUET_CLASS_NULL, PARQUET_CLASS_INT, PARQUET_CLASS_REAL, PARQUET_CLASS_TEXT,
    PARQUET_CLASS_BYTES
} ParquetClass;

/* One value of any type, where speed does not matter: for writing, for
** conditions, and for reading (parquet_value).
**
**   BOOLEAN and integers          INT; a UINT64 above 2^63-1 is a TEXT of digits
**   FLOAT, DOUBLE, FLOAT16        REAL
**   DATE TIME TIMESTAMP INTERVAL  TEXT, as in ISO 8601: 2024-03-01 13:45:00.25
**   INT96, DECIMAL, UUID          TEXT, a DECIMAL with all digits of its scale
**   STRING, ENUM, JSON            TEXT
**   lists, maps, structs, ...     TEXT, which is JSON
**   all else                      BYTES
**
** For writing, a value may have any form that its column can store without
** loss.  A DECIMAL can be an INT or a TEXT, a BYTE_ARRAY a TEXT, and a
** TIMESTAMP also a number of seconds since 1970.  If a value does not fit, the
** message says so. */
typedef struct ParquetValue {
    ParquetClass what;
    int64_t      i;
    double       r;
    const char  *p;          /* TEXT, BYTES                                    */
    size_t       n;          /* ... how many bytes, without a NUL              */
} ParquetValue;

/* These make a value; texts and bytes are not copied. */
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
    PARQUET_VARIANT,         /* these four: values are JSON texts              */
    PARQUET_FOLDER           /* the value of year=2024 in a path, for all its rows */
} ParquetKind;

typedef struct ParquetColumn {
    const char *name;        /* unique, whatever the case of its letters       */
    ParquetKind kind;
    ParquetType type;        /* of the column's vectors, in every file         */
    const char *type_name;   /* "DECIMAL(10,2)", for people                    */
    bool        never_null;  /* all files say that it has no NULL              */
    bool        inside;      /* a leaf inside a struct that is a column too:
                             ** "route.from".  These come last                 */
} ParquetColumn;

typedef struct ParquetTable ParquetTable;

enum {
    PARQUET_HIVE = 1,        /* folders named key=value are columns            */
    PARQUET_UNION = 2,       /* the columns of all files; otherwise the columns of
                             ** the first, which all others must have.  A value
                             ** of a file that the column's type cannot hold is
                             ** PARQUET_UNSUPPORTED.  Messages call this
                             ** union_by_name=on                               */
    PARQUET_UNCHECKED = 4    /* pages are read even if their checksum says that they
                             ** are damaged; messages call this checksum=off   */
};

/* Opens a path, which is a file; a folder, with all *.parquet and *.parq below
** it; a pattern with * ? [..] or **; or a JSON list of these.  flags: any of
** the flags above.  Reads the first footer (PARQUET_UNION: all of them), and no
** data.  PARQUET_IO if no such file exists. */
ParquetCode parquet_open(Parquet *p, const char *path, unsigned flags, ParquetTable **out);
void        parquet_close(ParquetTable *t);

/* Columns have the numbers 0 to parquet_n_columns() - 1; NULL: there is no such. */
int                  parquet_n_columns(const ParquetTable *t);
const ParquetColumn *parquet_column(const ParquetTable *t, int column);

/* The number of the column with this name; -1: there is none.  Case does not
** matter. */
int                  parquet_column_named(const ParquetTable *t, const char *name);

/* The files, in the order in which they are read; NULL: there is no such. */
int                  parquet_n_files(const ParquetTable *t);
const char          *parquet_path(const ParquetTable *t, int file);

/* ---- a scan: the rows of a table that pass conditions ---- */

typedef struct ParquetScan ParquetScan;

typedef enum ParquetOp {
    PARQUET_EQ, PARQUET_NE, PARQUET_LT, PARQUET_LE, PARQUET_GT, PARQUET_GE,
    PARQUET_IS_NULL, PARQUET_NOT_NULL            /* the value is ignored */
} ParquetOp;

/* Opens a scan.  t must live as long as the scan.  A table may have many
** scans. */
ParquetCode parquet_scan_open(ParquetTable *t, ParquetScan **out);
void        parquet_scan_close(ParquetScan *s);

/* Adds a condition that rows must pass.  Conditions are joined by AND, and must
** be added before the first parquet_next().  Files, row groups and pages in
** which no row can pass are not read, as far as statistics, Bloom filters and
** dictionaries tell.
**
** First v is converted to the column's type, as if it was written there;
** PARQUET_USAGE if it cannot be converted.  Numbers and times compare by value,
** texts and bytes by their bytes.  NULL and NaN pass no comparison; NaN is not
** null.  Some columns take only some conditions: lists and the like take
** PARQUET_IS_NULL and PARQUET_NOT_NULL, and an INTERVAL also equality. */
ParquetCode parquet_where(ParquetScan *s, int column, ParquetOp op, ParquetValue v);

/* Adds the condition that the column is equal to one of n values. */
ParquetCode parquet_where_in(ParquetScan *s, int column, const ParquetValue *v,
                             size_t n);

/* Scans only rows [first, first + n) of one file of the table; rows count from
** 0.  It may be called once. */
ParquetCode parquet_where_rows(ParquetScan *s, int file, int64_t first, int64_t n);

/* Some rows of one row group.  The vectors of a batch have n_rows rows.  The
** rows that pass are rows[0] to rows[n - 1], ascending.  Vectors are undefined
** in other rows. */
typedef struct ParquetBatch {
    int             file, row_group;
    int64_t         first_row;   /* of the n_rows rows, in the file            */
    uint32_t        n_rows;
    uint32_t        n;           /* at least 1                                 */
    const uint32_t *rows;
} ParquetBatch;

/* Gives the next batch; *out is NULL after the last one.  The batch before and
** its vectors are gone. */
ParquetCode parquet_next(ParquetScan *s, const ParquetBatch **out);

/* The values of a column in a batch.  Row r has a value if bit r of valid is
** set: valid[r / 64] >> r % 64 & 1.  valid NULL: all rows have one.  The value
** is values[r], or values[ids[r]] where ids is not NULL: then values are the
** n_values entries of a dictionary. */
typedef struct ParquetVector {
    ParquetType     type;        /* of the column                              */
    uint32_t        n_rows, n_values;
    const uint64_t *valid;
    const uint32_t *ids;
    const void     *values;
} ParquetVector;

/* Decodes a column of the batch; a column that nobody asks for is not read.
** The vector lives until the next parquet_next(). */
ParquetCode parquet_vector(ParquetScan *s, int column, const ParquetVector **out);

/* Gives one value of the batch (see ParquetValue).  It lives as long as the
** batch. */
ParquetCode parquet_value(ParquetScan *s, int column, uint32_t row, ParquetValue *out);

/* What the last scan that was closed has done. */
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

/* Adds a column, or a field of an open STRUCT, LIST or MAP.  required: it has
** no NULL.  A mistake is kept, and parquet_writer_open() fails with it. */
void parquet_schema_leaf(ParquetSchema *s, const char *name, ParquetType type,
                         bool required);

/* Opens a STRUCT (its fields follow), a LIST (its element follows), a MAP (its
** key and value follow) or a VARIANT (nothing follows).  Names of elements,
** keys and values are NULL.  parquet_schema_end() ends each. */
void parquet_schema_begin(ParquetSchema *s, ParquetKind kind, const char *name,
                          bool required);
void parquet_schema_end(ParquetSchema *s);

/* ---- a writer: rows in, files out ---- */

typedef enum ParquetCodec {
    PARQUET_UNCOMPRESSED = 0, PARQUET_SNAPPY = 1, PARQUET_GZIP = 2, PARQUET_BROTLI = 4,
    PARQUET_ZSTD = 6, PARQUET_LZ4_RAW = 7
} ParquetCodec;

typedef enum ParquetOverwrite {
    PARQUET_REFUSE,          /* PARQUET_IO or PARQUET_USAGE if the file exists, or
                             ** the folder has a Parquet file                  */
    PARQUET_REPLACE,         /* old files are removed when the new ones are whole; in
                             ** a folder, files that this library did not write are
                             ** an error                                       */
    PARQUET_APPEND,          /* a folder gets more files                       */
    PARQUET_PARTITIONS,      /* partitions that get a new file lose their old files */
    PARQUET_REPLACE_PARQUET  /* one file is replaced if it is Parquet, or empty; a
                             ** folder is as with PARQUET_REFUSE               */
} ParquetOverwrite;

/* The dotted path of a column, which stands for all columns below it too, and
** the name of its key. */
typedef struct ParquetColumnKey {
    const char *column, *key;
} ParquetColumnKey;

/* parquet_write_options() fills it with what is good for most files.  Arrays
** and texts are not copied, and must live as long as the writer. */
typedef struct ParquetWriteOptions {
    ParquetCodec     codec;
    int              level;              /* of the codec; 0: the usual one     */
    uint64_t         row_group_rows, row_group_bytes;    /* at most            */
    uint64_t         file_rows, file_bytes;  /* of a folder, at most; 0: any   */
    ParquetOverwrite overwrite;
    bool             is_folder;          /* the path is a folder               */
    const char *const *partition_by;     /* names of columns that are folders, in
                                         ** this order, and not in the schema  */
    size_t           n_partition_by;
    const char *const *key_values;       /* key, value, key, value, ...        */
    size_t           n_key_values;       /* pairs                              */
    const char      *footer_key;         /* the name of a key; NULL: not encrypted */
    const ParquetColumnKey *column_keys; /* columns with keys of their own; others
                                         ** have the footer's key              */
    size_t           n_column_keys;
    bool             plaintext_footer;   /* it is signed, and anybody can read it */
} ParquetWriteOptions;

void parquet_write_options(ParquetWriteOptions *out);

typedef struct ParquetWriter ParquetWriter;

/* Begins a file at path, or files in a folder.  Until parquet_publish() they
** have other names, and old files are not touched: a process that dies leaves
** these as they were.  options may be NULL.  schema must live as long as the
** writer.  It can be used again, but takes no more columns. */
ParquetCode parquet_writer_open(Parquet *p, const char *path, ParquetSchema *schema,
                                const ParquetWriteOptions *options,
                                ParquetWriter **out);

/* Begins a row.  partition has a text for each column of partition_by, where
** NULL means NULL.  Without partition_by, it is NULL. */
ParquetCode parquet_row_begin(ParquetWriter *w, const char *const *partition);

/* Gives the row's next column its value, in the order of the schema.  A nested
** column takes a TEXT of JSON.  If a value does not fit, a later call that
** writes the rows may fail for it; the message then has its column and row. */
ParquetCode parquet_put(ParquetWriter *w, ParquetValue v);

/* Ends the row.  Columns that got no value are NULL. */
ParquetCode parquet_row_end(ParquetWriter *w);

/* Writes the rest, and gives either all files their names, or none. */
ParquetCode parquet_publish(ParquetWriter *w);

/* Frees a writer.  Without parquet_publish(), everything that it wrote is
** removed. */
void parquet_writer_close(ParquetWriter *w);

typedef struct ParquetWritten {
    uint64_t rows, bytes;        /* bytes: written so far                      */
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

/* A leaf of the schema, which has stored values. */
typedef struct ParquetLeaf {
    const char *path;            /* dotted                                     */
    ParquetType type;
    const char *type_name;
    int         max_def, max_rep;    /* levels                                 */
} ParquetLeaf;

/* NULL: there is no leaf of that number. */
const ParquetLeaf *parquet_file_leaf(const ParquetFile *f, int leaf);

/* Entry i of the file's metadata; false: there is no such entry. */
bool parquet_file_key_value(const ParquetFile *f, int i, ParquetBytes *key,
                            ParquetBytes *value);

typedef struct ParquetRowGroup {
    int64_t n_rows, first_row, n_bytes;  /* n_bytes: uncompressed              */
} ParquetRowGroup;

/* False: there is no row group i. */
bool parquet_file_row_group(const ParquetFile *f, int i, ParquetRowGroup *out);

/* The chunk of a leaf in a row group, as the file describes it. */
typedef struct ParquetChunk {
    int64_t     n_values;        /* nulls included                             */
    int64_t     n_nulls;         /* -1: not known                              */
    int64_t     offset, compressed, uncompressed;    /* of its bytes           */
    const char *codec;           /* "ZSTD"                                     */
    const char *encodings;       /* "RLE, PLAIN"                               */
    const char *min, *max;       /* bounds as texts, if they can be trusted;
                                 ** NULL: not known                            */
    bool        has_bloom, has_page_index;
} ParquetChunk;

/* Texts live until the next call with f. */
ParquetCode parquet_file_chunk(ParquetFile *f, int row_group, int leaf,
                               const ParquetChunk **out);

/* ---- is all of it true? ---- */

typedef enum ParquetSeverity {
    PARQUET_ERROR,               /* a reader that believes it gives wrong answers */
    PARQUET_WARNING,             /* something is wrong, but answers are right  */
    PARQUET_NOTE                 /* something could not be checked             */
} ParquetSeverity;

typedef struct ParquetFinding {
    ParquetSeverity severity;
    int             row_group, page;     /* -1: not about one                  */
    const char     *column;              /* NULL: not about one                */
    int64_t         offset;              /* -1: not known                      */
    const char     *what;                /* "null_count"                       */
    const char     *expected, *found;    /* or NULL                            */
    const char     *message;
} ParquetFinding;

typedef struct ParquetVerify ParquetVerify;

/* Decodes everything in a file, and compares it with what the file says.  f
** must live as long as *out. */
ParquetCode parquet_verify_open(ParquetFile *f, ParquetVerify **out);
void        parquet_verify_close(ParquetVerify *v);

/* Gives the next finding, which lives until the next call; *out is NULL after
** the last one.  Damage is a finding, not an error.  But parquet_file_open()
** fails if the footer cannot be read. */
ParquetCode parquet_verify_next(ParquetVerify *v, const ParquetFinding **out);

/* ---- keys of encrypted files ---- */

/* Gives the session a key of 16, 24 or 32 bytes, or replaces the key with that
** name.  A file usually names its keys; if it does not, all keys are tried.
** The bytes are in memory that is wiped, and that is not swapped if the system
** allows it. */
ParquetCode parquet_key(Parquet *p, const char *name, const void *bytes, size_t n);

/* Forgets a key.  Open objects keep it until they are closed.  False: there was
** none. */
bool        parquet_key_forget(Parquet *p, const char *name);

/* For files that are opened from now on: names the keys of the footer and of
** columns, and sets the AAD prefix if files do not store it.  Each may be NULL.
** If keys are named, a file that is not encrypted fails. */
ParquetCode parquet_key_choice(Parquet *p, const char *footer_key,
                               const ParquetColumnKey *columns, size_t n,
                               const char *aad_prefix);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
