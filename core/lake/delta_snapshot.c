/*
** delta_snapshot.c - which files of a Delta log make a snapshot, and reading them.
**
**   ...10.checkpoint.parquet                          all up to version 10
**   ...10.checkpoint.0000000001.0000000002.parquet    half of that
**   ...10.checkpoint.<uuid>.json or .parquet          it may name _sidecars
**   ...11.json                                        what version 11 changed
**
** The newest whole checkpoint that is not newer than the version begins, and each
** commit after it follows.  A gap is an error: its changes would be missing.
*/
#include "core/lake/delta_log.h"

#include "core/base/ascii.h"
#include "core/base/folder.h"
#include "core/lake/checkpoint_rows.h"

#include <errno.h>
#include <stdlib.h>

enum { DIGITS = 20, PART_DIGITS = 10, LOG_BYTES = 1 << 30 };

typedef struct LogFile {
    int64_t     version;
    const char *name;
    bool        is_commit;
    uint32_t    part, parts;         /* of a checkpoint; 1, 1: it is whole   */
} LogFile;

typedef struct Snapshot {
    PqDeltaLog   *log;
    PqEngine     *engine;
    const PqStop *stop;
    LogFile      *files;             /* in the arena of the listing          */
    uint32_t      n;
    const char   *of;                /* the file that is read                */
} Snapshot;

/* The number that n digits are; -1: they are none. */
static int64_t number_of(const char *s, size_t n)
{
    int64_t v = 0;

    for (size_t i = 0; i < n; i++) {
        if (!pq_ascii_is_digit(s[i]) || v > (INT64_MAX - 9) / 10) {
            return -1;
        }
        v = 10 * v + (s[i] - '0');
    }
    return v;
}

static bool ends(const char *name, const char *with)
{
    size_t n = strlen(name), m = strlen(with);

    return n >= m && strcmp(name + n - m, with) == 0;
}

/* What a name in the log is; false: nothing that a reader needs. */
static bool is_log_file(const char *name, LogFile *out)
{
    static const char mark[] = ".checkpoint.";
    const char *rest = name + DIGITS;

    *out = (LogFile){.part = 1, .parts = 1};
    if (strlen(name) < DIGITS || (out->version = number_of(name, DIGITS)) < 0) {
        return false;
    }
    out->is_commit = strcmp(rest, ".json") == 0;
    if (out->is_commit || strcmp(rest, ".checkpoint.parquet") == 0) {
        return true;
    }
    if (strncmp(rest, mark, strlen(mark)) != 0 ||
        !(ends(name, ".parquet") || ends(name, ".json"))) {
        return false;
    }
    rest += strlen(mark);
    if (strlen(rest) == 2 * PART_DIGITS + strlen("..parquet") && rest[PART_DIGITS] == '.' &&
        number_of(rest, PART_DIGITS) > 0) {
        int64_t part = number_of(rest, PART_DIGITS);
        int64_t parts = number_of(rest + PART_DIGITS + 1, PART_DIGITS);

        out->part = (uint32_t)part;
        out->parts = (uint32_t)parts;
        return parts >= part && parts < UINT32_MAX;
    }
    return true;
}

static PqRc list_log(Snapshot *s, PqErr *e)
{
    PqArena *a = s->log->arena;
    const char *folder = pq_arena_printf(a, e, "%s/_delta_log", s->log->table);
    DIR *d = folder ? pq_folder_open(folder) : NULL;
    struct dirent *entry;
    int err;

    PQ_TRY(folder ? PQ_OK : e->rc);
    if (!d) {
        return pq_fail_system(e, "cannot read the log of the table", errno);
    }
    while (e->rc == PQ_OK && (entry = pq_folder_next(d)) != NULL) {
        LogFile f;

        if (is_log_file(entry->d_name, &f) &&
            PQ_ARENA_GROW(a, s->files, s->n, e) == PQ_OK &&
            (f.name = pq_arena_printf(a, e, "%s/%s", folder, entry->d_name)) != NULL) {
            s->files[s->n++] = f;
        }
    }
    err = errno;
    closedir(d);
    return e->rc ? e->rc
           : err ? pq_fail_system(e, "cannot read the log of the table", err) : PQ_OK;
}

/* By version, then by parts; the parts of one checkpoint in their order. */
static int compare(const void *x, const void *y)
{
    const LogFile *a = x, *b = y;

    return a->version != b->version ? (a->version > b->version) - (a->version < b->version)
           : a->is_commit != b->is_commit ? a->is_commit - b->is_commit
           : a->parts != b->parts ? (a->parts > b->parts) - (a->parts < b->parts)
                                  : (a->part > b->part) - (a->part < b->part);
}

/* ---- reading ----------------------------------------------------------------------------- */

static PqRc read_line(void *arg, PqSlice line, PqErr *e)
{
    return pq_delta_action(((Snapshot *)arg)->log, line, e);
}

/* A file of lines. */
static PqRc read_lines(Snapshot *s, const char *path, PqErr *e)
{
    const PqWhere outer = pq_where_enter(e, path);
    PqMem *mem = s->log->mem;
    PqSource *source = NULL;
    PqSlice rest;
    PqBuf text;
    PqRc rc;

    pq_buf_init(&text, mem, NULL);
    PQ_GO(pq_places_open(s->log->places, mem, path, &source, e));
    if (pq_source_size(source) > LOG_BYTES) {
        rc = pq_fail(e, PQ_BUDGET, "%llu bytes of log in one file",
                     (unsigned long long)pq_source_size(source));
        goto done;
    }
    PQ_GO(pq_buf_resize(&text, (size_t)pq_source_size(source), e));
    PQ_GO(pq_source_read(source, 0, text.n, text.p, e));
    rest = pq_buf_view(&text);
    for (uint64_t n = 0; rest.n; n++) {
        const uint8_t *end = memchr(rest.p, '\n', rest.n);
        size_t length = end ? (size_t)(end - rest.p) : rest.n;

        e->where.offset = rest.p - text.p;
        PQ_GO(n % 256 ? PQ_OK : pq_stop_poll(s->stop, e));
        if (length) {
            PQ_GO(pq_delta_action(s->log, pq_slice(rest.p, length), e));
        }
        rest = pq_slice(rest.p + length, rest.n - length);
        rest = rest.n ? pq_slice(rest.p + 1, rest.n - 1) : rest;
    }
    rc = PQ_OK;
done:
    pq_source_close(source);
    pq_buf_free(&text);
    e->where = outer;
    return rc;
}

static PqRc read_checkpoint(Snapshot *s, const char *path, PqErr *e)
{
    static const PqWantedField wanted[] = {
        {"add", "path"}, {"add", "partitionValues"}, {"add", "deletionVector"},
        {"remove", "path"}, {"remove", "deletionVector"},
        {"metaData", "schemaString"}, {"metaData", "partitionColumns"},
        {"metaData", "configuration"}, {"metaData", "format"},
        {"protocol", "minReaderVersion"}, {"protocol", "readerFeatures"},
        {"sidecar", "path"}};

    return ends(path, ".json") ? read_lines(s, path, e)
                               : pq_checkpoint_rows(s->engine, s->log->places, path, wanted,
                                                    PQ_COUNT(wanted), s->stop, read_line, s,
                                                    e);
}

/* The sidecars that a checkpoint named. */
static PqRc read_sidecars(Snapshot *s, PqErr *e)
{
    for (uint32_t i = 0; i < s->log->n_sidecars; i++) {
        const char *path = pq_arena_printf(s->log->arena, e, "%s/_delta_log/_sidecars/%s",
                                           s->log->table, s->log->sidecars[i]);

        PQ_TRY(path ? PQ_OK : e->rc);
        PQ_TRY(read_checkpoint(s, path, e));
    }
    return PQ_OK;
}

/* ---- which ------------------------------------------------------------------------------- */

/* Does a whole checkpoint begin at file i? */
static bool is_whole(const Snapshot *s, uint32_t i)
{
    const LogFile *f = &s->files[i];

    for (uint32_t k = 0; k < f->parts; k++) {
        if (i + k >= s->n || f[k].version != f->version || f[k].is_commit ||
            f[k].parts != f->parts || f[k].part != k + 1) {
            return false;
        }
    }
    return !f->is_commit;
}

/* The newest version that the log has. */
static int64_t newest(const Snapshot *s)
{
    return s->n ? s->files[s->n - 1].version : -1;
}

static PqRc begin(Snapshot *s, int64_t version, int64_t *next, PqErr *e)
{
    uint32_t at = s->n, i;

    for (i = 0; i < s->n && s->files[i].version <= version; i++) {
        at = is_whole(s, i) && (at == s->n || s->files[i].version > s->files[at].version)
                 ? i : at;
    }
    *next = 0;
    if (at < s->n) {
        *next = s->files[at].version + 1;
        for (i = 0; i < s->files[at].parts; i++) {
            PQ_TRY(read_checkpoint(s, s->files[at + i].name, e));
        }
        PQ_TRY(read_sidecars(s, e));
    }
    return PQ_OK;
}

PqRc pq_delta_replay(PqDeltaLog *d, const PqLakeReading *r, PqErr *e)
{
    Snapshot s = {.log = d, .engine = r->engine, .stop = r->stop};
    int64_t version, next;

    PQ_TRY(list_log(&s, e));
    if (s.n) {
        qsort(s.files, s.n, sizeof *s.files, compare);
    }
    version = r->version < 0 ? newest(&s) : r->version;
    if (version < 0) {
        return pq_fail(e, PQ_CORRUPT, "the log of the table has no commit");
    }
    if (version > newest(&s)) {
        return pq_fail(e, PQ_USAGE, "the table has no version %lld; its newest is %lld",
                       (long long)version, (long long)newest(&s));
    }
    r->s->version = version;
    PQ_TRY(begin(&s, version, &next, e));
    for (uint32_t i = 0; i < s.n && next <= version; i++) {
        if (s.files[i].is_commit && s.files[i].version == next) {
            PQ_TRY(read_lines(&s, s.files[i].name, e));
            next++;
        }
    }
    return next > version
               ? PQ_OK
               : pq_fail(e, PQ_CORRUPT, "the log lacks version %lld, and no checkpoint has it",
                         (long long)next);
}
