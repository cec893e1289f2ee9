/*
** delta_protocol.c - what a Delta table asks of those who read it, and of those who write it.
*/
#include "core/lake/delta_log.h"

#include "core/base/ascii.h"

const char *pq_delta_setting(const PqDeltaLog *d, const char *key)
{
    const char *found = NULL;

    for (uint32_t i = 0; i < d->settings.n; i++) {
        if (strcmp(d->settings.v[i].key, key) == 0) {
            found = d->settings.v[i].text;
        }
    }
    return found;
}

bool pq_delta_is_set(const PqDeltaLog *d, const char *key, const char *to)
{
    const char *text = pq_delta_setting(d, key);

    return text && pq_ascii_same(text, to);
}

static bool has(const char *const *names, size_t n, const char *name)
{
    size_t i = 0;

    while (i < n && strcmp(names[i], name) != 0) {
        i++;
    }
    return i < n;
}

/* ---- to be read -------------------------------------------------------------------------- */

static PqRc mapping_of(const PqDeltaLog *d, PqLakeMapping *mapping, PqErr *e)
{
    bool may = d->reader == 2 || has(d->features, d->n_features, "columnMapping");
    const char *mode = may ? pq_delta_setting(d, "delta.columnMapping.mode") : NULL;

    *mapping = !mode || strcmp(mode, "none") == 0 ? PQ_LAKE_BY_NAME
               : strcmp(mode, "id") == 0          ? PQ_LAKE_BY_ID
                                                  : PQ_LAKE_BY_PHYSICAL_NAME;
    return *mapping != PQ_LAKE_BY_PHYSICAL_NAME || strcmp(mode, "name") == 0
               ? PQ_OK
               : pq_fail(e, PQ_UNSUPPORTED, "columns are mapped by \"%s\"", mode);
}

PqRc pq_delta_check(const PqDeltaLog *d, PqLakeMapping *mapping, PqErr *e)
{
    static const char *const known[] = {
        "columnMapping", "deletionVectors", "timestampNtz", "v2Checkpoint",
        "vacuumProtocolCheck", "typeWidening", "typeWidening-preview", "variantType",
        "variantType-preview", "variantShredding", "variantShredding-preview"};

    if (!d->protocol || d->reader < 1) {
        return pq_fail(e, PQ_CORRUPT, "the log does not say which protocol the table has");
    }
    if (!d->schema) {
        return pq_fail(e, PQ_CORRUPT, "the log has no schema of the table");
    }
    if (d->provider && !pq_ascii_same(d->provider, "parquet")) {
        return pq_fail(e, PQ_UNSUPPORTED, "the files of the table are %s, not Parquet",
                       d->provider);
    }
    if (d->reader > 3) {
        return pq_fail(e, PQ_UNSUPPORTED, "the table asks for version %lld of readers; this "
                       "one knows 1 to 3", (long long)d->reader);
    }
    for (uint32_t i = 0; d->reader == 3 && i < d->n_features; i++) {
        if (!has(known, PQ_COUNT(known), d->features[i])) {
            return pq_fail(e, PQ_UNSUPPORTED, "the table has the feature %s, which this "
                           "reader does not know", d->features[i]);
        }
    }
    return mapping_of(d, mapping, e);
}

/* ---- to be written ----------------------------------------------------------------------- */

static PqRc check_settings(const PqDeltaLog *d, bool removes, PqErr *e)
{
    static const char constraint[] = "delta.constraints.";

    for (uint32_t i = 0; i < d->settings.n; i++) {
        if (strncmp(d->settings.v[i].key, constraint, strlen(constraint)) == 0) {
            return pq_lake_cannot_write("CHECK constraints (checkConstraints)", e);
        }
    }
    if (pq_delta_is_set(d, "delta.enableRowTracking", "true")) {
        return pq_lake_cannot_write("tracked rows (rowTracking)", e);
    }
    return removes && pq_delta_is_set(d, "delta.appendOnly", "true")
               ? pq_fail(e, PQ_USAGE, "rows may only be added to the table "
                         "(delta.appendOnly)")
               : PQ_OK;
}

PqRc pq_delta_check_write(PqDeltaLog *d, bool removes, PqErr *e)
{
    enum { LEAST = 1, FEATURES = 7 };
    /* These ask nothing of this writer as long as the schema and the settings of the table,
    ** which are looked at too, do not use them. */
    static const char *const known[] = {
        "allowColumnDefaults", "appendOnly", "changeDataFeed", "checkConstraints",
        "checkpointProtection", "clustering", "columnMapping", "deletionVectors",
        "domainMetadata", "generatedColumns", "identityColumns", "inCommitTimestamp",
        "invariants", "timestampNtz", "typeWidening", "typeWidening-preview", "v2Checkpoint",
        "vacuumProtocolCheck"};
    static const PqLakeAsk asks[] = {
        {"delta.invariants", "invariants"},
        {"delta.generationExpression", "generated columns (generatedColumns)"},
        {"delta.identity.start", "identity columns (identityColumns)"},
        {"delta.identity.step", "identity columns (identityColumns)"},
        {"CURRENT_DEFAULT", "defaults of columns (allowColumnDefaults)"}};
    PqLakeMapping mapping;

    PQ_TRY(pq_delta_check(d, &mapping, e));
    if (d->writer < LEAST || d->writer > FEATURES) {
        return pq_fail(e, PQ_UNSUPPORTED, "the table asks for version %lld of writers; this one "
                       "knows 1 to 7", (long long)d->writer);
    }
    for (uint32_t i = 0; d->writer == FEATURES && i < d->n_writer_features; i++) {
        if (!has(known, PQ_COUNT(known), d->writer_features[i])) {
            return pq_lake_cannot_write(pq_arena_printf(&d->scratch, e, "the feature %s",
                                                        d->writer_features[i]), e);
        }
    }
    PQ_TRY(check_settings(d, removes, e));
    return pq_lake_check_asks(pq_slice_text(d->schema), &d->scratch, asks, PQ_COUNT(asks), e);
}
