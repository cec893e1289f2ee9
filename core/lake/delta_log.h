/*
** delta_log.h - what the log of a Delta table says, action by action.
**
**   {"protocol":{"minReaderVersion":1,...}}
**   {"metaData":{"schemaString":"...","partitionColumns":["day"],...}}
**   {"add":{"path":"day=1/a.parquet","partitionValues":{"day":"1"},...}}
**   {"remove":{"path":"day=1/a.parquet",...}}
**
** A commit has a line for each action; a checkpoint, which is a Parquet file, a row for
** each, and its rows are read as such lines.  A later action replaces an earlier one
** about the same file with the same deletes.
*/
#ifndef PQ_DELTA_LOG_H
#define PQ_DELTA_LOG_H

#include "core/lake/checkpoint_rows.h"
#include "core/lake/deletion_vector.h"
#include "core/lake/lake_schema.h"
#include "core/lake/snapshot.h"
#include "core/numbering/text_numbers.h"

/* A member of partitionValues or of configuration; text NULL: null. */
typedef struct PqDeltaPair {
    const char *key, *text;
} PqDeltaPair;

typedef struct PqDeltaPairs {
    PqDeltaPair *v;
    uint32_t     n;
} PqDeltaPairs;

typedef struct PqDeltaFile {
    const char  *path;               /* as it is opened                      */
    PqSlice      said;               /* the action, if the log keeps it      */
    const char  *column;             /* ... and which it is                  */
    PqDeltaPairs values;             /* of partition columns                 */
    int64_t      size;
    char        *stats;              /* n_stats bytes of JSON; NULL: none    */
    uint32_t     n_stats;
    bool         is_there;           /* added, and not removed since         */
    PqDeletionVector *deletes;       /* NULL: none                           */
} PqDeltaFile;

typedef struct PqDeltaLog {
    const char    *table;            /* its folder                           */
    const char    *folder;           /* _delta_log in it                     */
    const PqPlaces *places;
    PqMem         *mem;
    PqArena        arena;            /* of what the log says                 */
    PqArena        scratch;          /* of a line                            */
    PqTextNumbers  keys;             /* path and deletes -> file             */
    PqDeltaFile   *files;
    uint32_t       n, room;
    size_t         stats_bytes;      /* of all files                         */
    int64_t        version;          /* up to which it was read              */
    PqFileId       id;               /* of the file that ended it            */
    const char    *protocol, *metadata;      /* the actions, as JSON; NULL: none yet */
    const char    *schema;           /* JSON                                 */
    const char   **partition;        /* columns                              */
    uint32_t       n_partition;
    PqDeltaPairs   settings;         /* configuration                        */
    const char    *provider;         /* of the files' format                 */
    int64_t        reader, writer;   /* minReaderVersion, minWriterVersion   */
    const char   **features;         /* readerFeatures                       */
    const char   **writer_features;
    uint32_t       n_features, n_writer_features;
    const PqLakeSnapshot *base;      /* an older version, of which this has what followed;
                                     ** NULL: all of it                      */
    bool           keeps_said;       /* of a file, what was said, and nothing else; and
                                     ** transactions and domains, as files without a path */
    const char   **sidecars;         /* further files of a checkpoint        */
    uint32_t       n_sidecars;
} PqDeltaLog;

/* The names of its files begin with a version of so many digits. */
enum { PQ_DELTA_DIGITS = 20 };
const char *pq_delta_log_file(const PqDeltaLog *d, PqArena *a, int64_t version, const char *ending,
                              PqErr *e);

/* To be ended also after a failure. */
PqRc pq_delta_log_begin(PqDeltaLog *d, const PqLakeReading *r, PqErr *e);
void pq_delta_log_end(PqDeltaLog *d);

/* One line. */
PqRc pq_delta_action(PqDeltaLog *d, PqSlice line, PqErr *e);

/* The actions about the table itself, without their names. */
PqRc pq_delta_protocol(PqDeltaLog *d, PqSlice said, PqErr *e);
PqRc pq_delta_metadata(PqDeltaLog *d, PqSlice said, PqErr *e);

/* Was anything said of the file, without deleted rows, at this path? */
bool pq_delta_knows(PqDeltaLog *d, const char *path);

/* A path as an action has it, as it is opened. */
PqRc pq_delta_path(PqDeltaLog *d, PqSlice text, const char **out, PqErr *e);

/* delta_protocol.c: can this reader read the table?  Else the error names what it lacks. */
PqRc pq_delta_check(const PqDeltaLog *d, PqLakeMapping *mapping, PqErr *e);

/* ... can this writer write into it?  removes: files too. */
PqRc pq_delta_check_write(PqDeltaLog *d, bool removes, PqErr *e);

/* delta_table.c: fills the snapshot once the log is read. */
PqRc pq_delta_table(PqLakeReading *r, PqDeltaLog *d, PqErr *e);

/* A member of the configuration; NULL: it has none. */
const char *pq_delta_setting(const PqDeltaLog *d, const char *key);

bool pq_delta_is_set(const PqDeltaLog *d, const char *key, const char *to);

/* delta_checkpoint.c: a file that has the log up to r->version. */
bool pq_delta_checkpoint_is_due(const PqDeltaLog *d, int64_t version);
PqRc pq_delta_checkpoint(PqLakeReading *r, const char *writer, PqErr *e);

/* delta_snapshot.c: visits the lines of a file, which has the identity *id. */
PqRc pq_delta_lines(const PqPlaces *places, PqMem *mem, const char *path, const PqStop *stop,
                    PqLineVisit visit, void *arg, PqFileId *id, PqErr *e);

/* All actions up to the version, unless it is known.
** known NULL: that is not asked. */
PqRc pq_delta_replay(PqDeltaLog *d, PqLakeReading *r, bool *known, PqErr *e);

/* All commits that the log has, to r->versions. */
PqRc pq_delta_versions(PqDeltaLog *d, PqLakeReading *r, PqErr *e);

#endif
