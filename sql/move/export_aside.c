/*
** export_aside.c - an export that replaces another one in one moment.
**
**   manifest.json says   events.parquet                        schema.sql
**   1  second names      events.parquet = events.1.parquet     schema.sql = .schema.sql.old
**   2  it says           events.1.parquet                      .schema.sql.old
**   3  the last pass     events.parquet is new                 schema.sql is new
**      ... at its end    manifest.json is new, and says        events.parquet, schema.sql
**   4  they go           events.1.parquet                      .schema.sql.old
**
** New files change places with the old ones of their names one by one.  The manifest names
** none of these meanwhile, so an import finds the old state until the last name has changed,
** and the new one from then on.  An export that is killed leaves second names.  The next one
** leaves alone those that the manifest says, and removes them like other old files.
*/
#include "sql/move/move.h"

#include "core/base/system.h"

#include <errno.h>

static const char *in_folder(PqsqlMove *m, const char *name)
{
    return pq_arena_printf(&m->arena, &m->e, "%s%s", m->folder, name);
}

/* A name that no file has; NULL: the file cannot have two. */
static const char *second_name(PqsqlMove *m, const PqsqlManifest *then, const char *file)
{
    enum { MOST = 1000 };
    const char *from = in_folder(m, file), *name, *to;
    int n = (int)(strlen(file) - strlen(".parquet"));

    for (int k = 1; k < MOST && n > 0 && m->e.rc == PQ_OK; k++) {
        name = pq_arena_printf(&m->arena, &m->e, "%.*s.%d.parquet", n, file, k);
        to = name ? in_folder(m, name) : NULL;
        if (to && !pqsql_manifest_has_file(&m->manifest, name) &&
            !pqsql_manifest_has_file(then, name)) {
            if (link(from, to) == 0) {
                return name;
            }
            if (errno != EEXIST) {
                return NULL;
            }
        }
    }
    return NULL;
}

static bool make_names(PqsqlMove *m, PqsqlAside *a)
{
    const char *from = in_folder(m, PQSQL_MOVE_SQL), *to = in_folder(m, PQSQL_MOVE_OLD_SQL);

    for (uint32_t i = 0; i < a->aside.n_tables; i++) {
        PqsqlMoveTable *t = &a->aside.tables[i];

        if (t->how == PQSQL_MOVE_ROWS && pqsql_manifest_has_file(&m->manifest, t->file)) {
            const char *name = second_name(m, &a->before, t->file);

            if (!name) {
                return false;
            }
            t->file = name;
        }
    }
    if (!from || !to || strcmp(a->before.sql, PQSQL_MOVE_OLD_SQL) == 0) {
        return m->e.rc == PQ_OK;
    }
    a->aside.sql = PQSQL_MOVE_OLD_SQL;
    unlink(to);
    return link(from, to) == 0;
}

static void remove_names(PqsqlMove *m, const PqsqlAside *a)
{
    const char *name;

    for (uint32_t i = 0; i < a->aside.n_tables; i++) {
        name = a->aside.tables[i].file;
        if (name != a->before.tables[i].file && (name = in_folder(m, name)) != NULL) {
            unlink(name);
        }
    }
    if (a->aside.sql != a->before.sql &&
        (name = in_folder(m, PQSQL_MOVE_OLD_SQL)) != NULL) {
        unlink(name);
    }
}

static PqRc publish(PqsqlMove *m, const PqPublishHost *host, const PqsqlManifest *manifest)
{
    PqPublishPlan plan = {.target = in_folder(m, "manifest.json"),
                          .overwrite = PQ_OVERWRITE_REPLACE, .host = host};
    PqPublish *p = NULL;
    PqSink *sink;
    PqBuf b;

    pq_buf_init(&b, m->mem, &m->e);
    if (plan.target && pqsql_manifest_write(m, manifest, &b) == PQ_OK &&
        pq_publish_open(m->mem, &plan, &p, &m->e) == PQ_OK &&
        pq_publish_file(p, NULL, NULL, &sink, &m->e) == PQ_OK &&
        pq_sink_write(sink, b.p, b.n, &m->e) == PQ_OK &&
        pq_publish_done(p, sink, &m->e) == PQ_OK) {
        pq_publish_commit(p, &m->e);
    }
    pq_publish_free(p);
    pq_buf_free(&b);
    return m->e.rc;
}

PqRc pqsql_aside_begin(PqsqlMove *m, const PqPublishHost *host, PqsqlAside *a)
{
    if (pqsql_grow_begin(m, &a->before) != PQ_OK) {
        if (m->e.rc == PQ_CORRUPT) { /* nobody reads that                    */
            pq_err_clear(&m->e);
        }
        return m->e.rc;
    }
    a->aside = a->before;
    PQ_TRY(PQ_ARENA_NEW(&m->arena, a->aside.tables, a->before.n_tables + 1u, &m->e));
    pq_bytes_copy(a->aside.tables, a->before.tables, a->before.n_tables * sizeof *a->aside.tables);
    a->is_said = make_names(m, a) && publish(m, host, &a->aside) == PQ_OK;
    if (!a->is_said) {
        remove_names(m, a);
    }
    return m->e.rc;
}

PqRc pqsql_aside_end(PqsqlMove *m, const PqPublishHost *host, PqsqlAside *a)
{
    const PqErr first = m->e;

    if (a->is_said && first.rc == PQ_OK) {
        a->before.sql = NULL;        /* whatever name it has had             */
        a->aside.sql = PQSQL_MOVE_OLD_SQL;
        remove_names(m, a);
    } else if (a->is_said) {
        pq_err_clear(&m->e);
        if (publish(m, host, &a->before) == PQ_OK) {
            remove_names(m, a);
        }
        m->e = first;
    }
    return m->e.rc;
}
