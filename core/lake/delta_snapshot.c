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
#include "core/lake/json_members.h"
#include "core/lake/log_names.h"
#include "core/text/number_parse.h"

#include <stdio.h>
#include <stdlib.h>

enum { PART_DIGITS = 10 };

/* Of a commit, or of a hint. */
static const PqLogPart some = {.n = 1 << 20, .or_less = true};

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
    PqPlaces      places;            /* to open its files with               */
    LogFile      *files;             /* in the arena of the log              */
    uint32_t      n;
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
    const char *rest = name + PQ_DELTA_DIGITS;

    *out = (LogFile){.part = 1, .parts = 1};
    if (strlen(name) < PQ_DELTA_DIGITS || (out->version = number_of(name, PQ_DELTA_DIGITS)) < 0) {
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

static PqRc take_name(void *arg, const char *name, PqErr *e)
{
    Snapshot *s = arg;
    LogFile f;

    if (is_log_file(name, &f)) {
        PQ_TRY(PQ_ARENA_GROW(&s->log->arena, s->files, s->n, e));
        f.name = pq_arena_printf(&s->log->arena, e, "%s/%s", s->log->folder, name);
        PQ_TRY(f.name ? PQ_OK : e->rc);
        s->files[s->n++] = f;
    }
    return PQ_OK;
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

/* from: of a log in a bucket, files of older versions need not be listed. */
static PqRc list_log(Snapshot *s, int64_t from, PqErr *e)
{
    char name[PQ_DELTA_DIGITS + 1];

    snprintf(name, sizeof name, "%0*lld", PQ_DELTA_DIGITS, (long long)from);
    s->n = 0;
    PQ_TRY(pq_log_names(&s->places, s->log->folder, from > 0 ? name : NULL, &s->log->scratch,
                        s->stop, take_name, s, e));
    if (s->n) {
        qsort(s->files, s->n, sizeof *s->files, compare);
    }
    return PQ_OK;
}

/* ---- reading ----------------------------------------------------------------------------- */

PqRc pq_delta_lines(const PqPlaces *places, PqMem *mem, const char *path, const PqStop *stop,
                    PqLineVisit visit, void *arg, PqFileId *id, PqErr *e)
{
    const PqWhere outer = pq_where_enter(e, path);
    PqSlice rest;
    PqBuf text;
    PqRc rc;

    pq_buf_init(&text, mem, NULL);
    PQ_GO(pq_log_read(places, mem, path, PQ_LOG_ALL, &text, id, e));
    rest = pq_buf_view(&text);
    for (uint64_t n = 0; rest.n; n++) {
        PqSlice line = pq_slice_before(&rest, '\n');

        e->where.offset = line.p - text.p;
        PQ_GO(n % 256 ? PQ_OK : pq_stop_poll(stop, e));
        PQ_GO(line.n ? visit(arg, line, e) : PQ_OK);
    }
done:
    pq_buf_free(&text);
    e->where = outer;
    return rc;
}

static PqRc read_line(void *arg, PqSlice line, PqErr *e)
{
    return pq_delta_action(((Snapshot *)arg)->log, line, e);
}

static PqRc read_lines(Snapshot *s, const char *path, PqErr *e)
{
    return pq_delta_lines(&s->places, s->log->mem, path, s->stop, read_line, s,
                          &s->log->id, e);
}

static PqRc read_checkpoint(Snapshot *s, const char *path, PqErr *e)
{
    static const PqWantedField wanted[] = {
        {"add", "path"}, {"add", "partitionValues"}, {"add", "deletionVector"},
        {"add", "size"}, {"add", "stats"}, {"add", "stats_parsed"},
        {"remove", "path"}, {"remove", "deletionVector"},
        {"metaData", "schemaString"}, {"metaData", "partitionColumns"},
        {"metaData", "configuration"}, {"metaData", "format"},
        {"protocol", "minReaderVersion"}, {"protocol", "readerFeatures"},
        {"protocol", "minWriterVersion"}, {"protocol", "writerFeatures"},
        {"sidecar", "path"}};
    static const PqWantedField all[] = {
        {"add", NULL}, {"remove", NULL}, {"metaData", NULL}, {"protocol", NULL}, {"txn", NULL},
        {"domainMetadata", NULL}, {"sidecar", NULL}};
    bool said = s->log->keeps_said;

    return ends(path, ".json")
               ? read_lines(s, path, e)
               : pq_checkpoint_rows(s->engine, &s->places, path, said ? all : wanted,
                                    said ? PQ_COUNT(all) : PQ_COUNT(wanted), s->stop,
                                    read_line, s, e);
}

/* The sidecars that a checkpoint named. */
static PqRc read_sidecars(Snapshot *s, PqErr *e)
{
    for (uint32_t i = 0; i < s->log->n_sidecars; i++) {
        const char *path = pq_arena_printf(&s->log->arena, e, "%s/_sidecars/%s",
                                           s->log->folder, s->log->sidecars[i]);

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

/* The newest whole checkpoint that is not newer than the version; n: none. */
static uint32_t find_checkpoint(const Snapshot *s, int64_t version)
{
    uint32_t at = s->n;

    for (uint32_t i = 0; i < s->n && s->files[i].version <= version; i++) {
        at = is_whole(s, i) && (at == s->n || s->files[i].version > s->files[at].version)
                 ? i : at;
    }
    return at;
}

static PqRc begin(Snapshot *s, uint32_t at, int64_t *next, PqErr *e)
{
    *next = 0;
    if (at < s->n) {
        *next = s->files[at].version + 1;
        for (uint32_t i = 0; i < s->files[at].parts; i++) {
            PQ_TRY(read_checkpoint(s, s->files[at + i].name, e));
        }
        PQ_TRY(read_sidecars(s, e));
    }
    return PQ_OK;
}

/* _last_checkpoint may be old, wrong or missing: then the whole log is listed. */
static PqRc read_hint(Snapshot *s, int64_t *version, PqErr *e)
{
    PqArena *a = &s->log->scratch;
    const char *path = pq_arena_printf(a, e, "%s/_last_checkpoint", s->log->folder);
    PqPlaces places = s->places;
    PqErr wrong = PQ_NO_ERR;
    PqFileId id;
    PqBuf text;

    places.terms.optional = true;
    pq_buf_init(&text, s->log->mem, NULL);
    if (path && pq_log_read(&places, s->log->mem, path, some, &text, &id, e) == PQ_OK) {
        pq_json_pick_of(pq_buf_view(&text), a, &(PqJsonMember){"version", NULL, version}, 1,
                        &wrong);
    }
    pq_buf_free(&text);
    return e->rc;
}

/* Lists what a version needs, and finds the checkpoint that begins it.  kept: a version
** that is known. */
static PqRc find_files(Snapshot *s, int64_t kept, int64_t *version, uint32_t *checkpoint,
                       PqErr *e)
{
    int64_t wanted = *version, from = kept;

    PQ_TRY(pq_url_is(s->log->folder) && kept <= 0 ? read_hint(s, &from, e) : PQ_OK);
    from = from < 0 || (wanted >= 0 && wanted < from) ? 0 : from;
    for (;;) {
        PQ_TRY(list_log(s, from, e));
        *version = wanted < 0 ? newest(s) : wanted;
        *checkpoint = find_checkpoint(s, *version);
        if (from <= 0 || *checkpoint < s->n || (kept > 0 && s->n)) {
            return PQ_OK;
        }
        from = 0;
    }
}

/* The identity of the last file of a version; false: none is there. */
static PqRc identify(const Snapshot *s, int64_t version, PqFileId *id, bool *is_there,
                     PqErr *e)
{
    const LogFile *last = NULL;
    PqSource *source;

    for (uint32_t i = 0; i < s->n; i++) {
        last = s->files[i].version == version ? &s->files[i] : last;
    }
    *is_there = last != NULL;
    if (last) {
        PQ_TRY(pq_places_open(&s->places, s->log->mem, last->name, &source, e));
        *id = pq_source_id(source);
        pq_source_close(source);
    }
    return PQ_OK;
}

/* ---- when --------------------------------------------------------------------------------- */

typedef struct CommitInfo {
    int64_t own, said;               /* inCommitTimestamp, timestamp; -1: none.  They
                                     ** are milliseconds                    */
    int64_t at;                      /* ... and the one that counts          */
    PqSlice operation;               /* until the next commit is read        */
    int64_t output, inserted;        /* rows; -1: not said                   */
} CommitInfo;

/* Writers name metrics in two ways, and Spark writes numbers as texts. */
static int64_t metric_of(PqSlice text, PqSlice other)
{
    int64_t n;

    text = text.n ? text : other;
    return text.n && pq_number_parse_i64(text, &n) == PQ_PARSE_OK ? n : -1;
}

static PqRc take_info(PqSlice line, PqArena *a, CommitInfo *t, PqErr *e)
{
#define OF_METRICS "commitInfo/operationMetrics/"
    PqSlice output[2] = {{0}}, inserted[2] = {{0}};
    const PqJsonMember members[] = {
        {"commitInfo/inCommitTimestamp", NULL, &t->own}, {"commitInfo/timestamp", NULL, &t->said},
        {"commitInfo/operation", &t->operation, NULL},
        {OF_METRICS "numOutputRows", &output[0], NULL},
        {OF_METRICS "num_added_rows", &output[1], NULL},
        {OF_METRICS "numTargetRowsInserted", &inserted[0], NULL},
        {OF_METRICS "num_target_rows_inserted", &inserted[1], NULL}};

    PQ_TRY(pq_json_pick_of(line, a, members, PQ_COUNT(members), e));
    t->output = metric_of(output[0], output[1]);
    t->inserted = metric_of(inserted[0], inserted[1]);
    return PQ_OK;
}

/* The first lines may have it; what is no JSON is not looked at here. */
static CommitInfo info_in(Snapshot *s, PqSlice text)
{
    CommitInfo t = {.own = -1, .said = -1, .at = -1, .output = -1, .inserted = -1};
    PqErr wrong = PQ_NO_ERR;

    while (text.n && t.own < 0 && t.said < 0) {
        PqSlice line = pq_slice_before(&text, '\n');

        if (line.n > 14 && memcmp(line.p, "{\"commitInfo\":", 14) == 0) {
            take_info(line, &s->log->scratch, &t, &wrong);
        }
    }
    return t;
}

/* A file on a disk has a time of its own, which a server does not tell. */
static PqRc info_of_commit(Snapshot *s, const char *path, CommitInfo *t, PqErr *e)
{
    PqWhere outer = pq_where_enter(e, path);
    PqSlice begin;
    PqFileId id;
    PqBuf text;
    PqRc rc;

    pq_buf_init(&text, s->log->mem, NULL);
    pq_arena_reset(&s->log->scratch);
    PQ_GO(pq_log_read(&s->places, s->log->mem, path, some, &text, &id, e));
    PQ_GO(pq_arena_copy(&s->log->scratch, pq_buf_view(&text), &begin, e));
    *t = info_in(s, begin);
    t->at = t->own >= 0 && t->own < INT64_MAX / 1000 ? t->own * 1000
            : !pq_url_is(path)                       ? id.mtime_ns / 1000
            : t->said >= 0 && t->said < INT64_MAX / 1000 ? t->said * 1000 : INT64_MAX;
done:
    pq_buf_free(&text);
    e->where = outer;
    return rc;
}

/* The newest version that is not later than a time. */
static PqRc find_time(Snapshot *s, int64_t as_of, int64_t *version, PqErr *e)
{
    PQ_TRY(list_log(s, 0, e));
    for (uint32_t i = s->n; i > 0; i--) {
        CommitInfo t;

        if (s->files[i - 1].is_commit) {
            PQ_TRY(pq_stop_poll(s->stop, e));
            PQ_TRY(info_of_commit(s, s->files[i - 1].name, &t, e));
            if (t.at <= as_of) {
                *version = s->files[i - 1].version;
                return PQ_OK;
            }
        }
    }
    return pq_fail(e, PQ_USAGE, "the log has no commit that is so old");
}

PqRc pq_delta_versions(PqDeltaLog *d, PqLakeReading *r, PqErr *e)
{
    Snapshot s = {.log = d, .engine = r->engine, .stop = r->stop, .places = *d->places};

    PQ_TRY(list_log(&s, 0, e));
    for (uint32_t i = 0; i < s.n; i++) {
        const LogFile *f = &s.files[i];
        CommitInfo t;

        if (f->is_commit) {
            PQ_TRY(pq_stop_poll(s.stop, e));
            PQ_TRY(info_of_commit(&s, f->name, &t, e));
            PQ_TRY(pq_lake_add_version(r, f->version, f->version, t.at, t.operation,
                                       t.inserted >= 0 ? t.inserted : t.output, e));
        }
    }
    return PQ_OK;
}

/* ---- replaying ----------------------------------------------------------------------------- */

/* Commits that a server has are asked for side by side. */
static void expect_commits(const Snapshot *s, uint32_t i, int64_t version)
{
    bool more = pq_url_is(s->log->folder);

    for (; more && i < s->n && s->files[i].version <= version; i++) {
        more = !s->files[i].is_commit ||
               pq_remote_expect(s->places.remote, s->files[i].name, &s->places.terms);
    }
}

/* As far as they follow each other. */
static PqRc read_commits(Snapshot *s, int64_t version, int64_t *next, PqErr *e)
{
    for (uint32_t i = 0; i < s->n && *next <= version; i++) {
        if (s->files[i].is_commit && s->files[i].version == *next) {
            expect_commits(s, i, version);
            PQ_TRY(read_lines(s, s->files[i].name, e));
            ++*next;
        }
    }
    return PQ_OK;
}

static PqRc replay(Snapshot *s, int64_t version, uint32_t checkpoint, PqErr *e)
{
    int64_t next;

    PQ_TRY(begin(s, checkpoint, &next, e));
    PQ_TRY(read_commits(s, version, &next, e));
    return next > version
               ? PQ_OK
               : pq_fail(e, PQ_CORRUPT, "the log lacks version %lld, and no checkpoint has it",
                         (long long)next);
}

static PqRc check_version(const Snapshot *s, int64_t version, PqErr *e)
{
    return version < 0 ? pq_fail(e, PQ_CORRUPT, "the log of the table has no commit")
           : version > newest(s)
               ? pq_fail(e, PQ_USAGE, "the table has no version %lld; its newest is %lld",
                         (long long)version, (long long)newest(s))
               : PQ_OK;
}

/* Reads only the commits after a version that is known, if the table itself is the same. */
static PqRc extend(Snapshot *s, const PqLakeSnapshot *kept, int64_t version, PqErr *e)
{
    enum { MOST_COMMITS = 64 };
    PqDeltaLog *d = s->log;
    const char *metadata, *protocol;
    int64_t next = kept->version + 1;
    bool is_there;
    PqFileId id;

    if (kept->has_deletes || next > version || version - next >= MOST_COMMITS) {
        return PQ_OK;                /* deleted rows do not say which vector they are */
    }
    PQ_TRY(identify(s, kept->version, &id, &is_there, e));
    if (!is_there || !pq_file_id_equal(id, kept->id)) {
        return PQ_OK;
    }
    PQ_TRY(pq_delta_protocol(d, pq_slice_text(kept->protocol), e));
    PQ_TRY(pq_delta_metadata(d, pq_slice_text(kept->metadata), e));
    protocol = d->protocol;
    metadata = d->metadata;
    PQ_TRY(read_commits(s, version, &next, e));
    if (next > version && d->protocol == protocol && d->metadata == metadata) {
        d->base = kept;
        return PQ_OK;
    }
    d->protocol = d->metadata = d->schema = NULL;        /* all of it is read, after all */
    for (uint32_t i = 0; i < d->n; i++) {
        d->files[i].is_there = false;
    }
    return PQ_OK;
}

PqRc pq_delta_replay(PqDeltaLog *d, PqLakeReading *r, bool *known, PqErr *e)
{
    Snapshot s = {.log = d, .engine = r->engine, .stop = r->stop, .places = *d->places};
    const PqLakeSnapshot *kept;
    bool asks = known != NULL, ignored;
    int64_t version;
    uint32_t checkpoint = 0;
    PqFileId id;
    PqRc rc;

    known = asks ? known : &ignored;
    *known = false;
    PQ_TRY(r->as_of < INT64_MAX ? find_time(&s, r->as_of, &r->version, e) : PQ_OK);
    version = r->version;
    kept = asks ? pq_kept_lakes_find(&r->engine->lakes, r->table, version) : NULL;
    PQ_TRY(find_files(&s, kept ? kept->version : 0, &version, &checkpoint, e));
    PQ_TRY(check_version(&s, version, e));
    if (kept && pq_kept_lakes_find(&r->engine->lakes, r->table, version)) {
        PQ_TRY(identify(&s, version, &id, known, e));
        *known = *known && pq_lake_is_known(r, version, id);
    }
    if (*known) {
        return PQ_OK;
    }
    s.places.terms.statement = &s;
    rc = kept ? extend(&s, kept, version, e) : PQ_OK;
    if (rc == PQ_OK && kept && !d->base && pq_url_is(d->folder)) {
        version = r->version;        /* what is older was not listed         */
        rc = find_files(&s, 0, &version, &checkpoint, e);
        rc = rc ? rc : check_version(&s, version, e);
    }
    d->version = version;
    rc = rc || d->base ? rc : replay(&s, version, checkpoint, e);
    if (rc == PQ_OK && !d->base && checkpoint < s.n && s.files[checkpoint].version == version) {
        rc = identify(&s, version, &d->id, known, e);
        *known = false;
    }
    if (pq_url_is(d->folder)) {
        pq_remote_expect_none(s.places.remote, &s);
    }
    return rc;
}
