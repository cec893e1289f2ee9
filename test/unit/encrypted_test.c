/*
** encrypted_test.c - reads encrypted files: the official samples of two writers.
**
** All samples but two have the same 50 rows, so one function knows their values.
*/
#include "core/column/leaf_read.h"
#include "core/meta/bloom.h"
#include "test/unit/test.h"

#include <stdlib.h>
#include <unistd.h>

enum { ROWS = 50, MOST_COLUMNS = 9 };

/* ---- keys --------------------------------------------------------------- */

/* The published keys are digits: the first one, and how the last one ends. */
static void digits(char *out, size_t n, int first, int last)
{
    for (size_t i = 0; i < n; i++) {
        out[i] = (char)('0' + (first + (int)i) % 10);
    }
    if (last >= 0) {
        out[n - 1] = (char)('0' + last);
    }
}

static PqRc put(Test *t, PqKeyRing *ring, const char *name, size_t n,
                int first, int last)
{
    char key[PQ_KEY_MOST];

    digits(key, n, first, last);
    return pq_key_ring_put(ring, name, pq_slice(key, n), t->e);
}

/* kf, and kc1 to kc8. */
static PqRc published_keys(Test *t, size_t n, PqKeyRing **out)
{
    char name[16];

    PQ_TRY(pq_key_ring_new(t->mem, out, t->e));
    PQ_TRY(put(t, *out, "kf", n, 0, -1));
    for (int i = 1; i <= 8; i++) {
        snprintf(name, sizeof name, "kc%d", i);
        PQ_TRY(put(t, *out, name, n, 1, n == 16 ? i - 1 : i + 1));
    }
    return PQ_OK;
}

/* ---- a sample ----------------------------------------------------------- */

typedef struct Sample {
    PqKeyRing  *ring;
    PqKeyChoice keys;
    PqSource   *source;
    PqInput     in;
    PqFooter   *footer;
} Sample;

static void path_of(const char *name, char *out, size_t room)
{
    const char *root = getenv("PARQUET_TESTING");

    snprintf(out, room, "%s/data/%s.parquet.encrypted",
             root ? root : "../shared/parquet-testing", name);
}

static PqRc read_footer(Test *t, Sample *s)
{
    pq_footer_release(s->footer);
    s->footer = NULL;
    return pq_footer_read(&s->in, &s->keys, t->mem, &s->footer, t->e);
}

/* Opens the file, not its footer.  The keys are at hand, and none is named.
** Sets t->skipped without samples. */
static PqRc open_sample(Test *t, const char *name, Sample *s)
{
    char path[1024];

    memset(s, 0, sizeof *s);
    path_of(name, path, sizeof path);
    if (access(path, R_OK) != 0) {
        t->skipped = NO_SAMPLES;
        return PQ_IO;
    }
    PQ_TRY(published_keys(t, strstr(name, "aes256") ? 32 : 16, &s->ring));
    s->keys.ring = s->ring;
    PQ_TRY(pq_source_open(t->mem, path, &s->source, t->e));
    s->in.source = s->source;
    return PQ_OK;
}

static void close_sample(Sample *s)
{
    pq_footer_release(s->footer);
    pq_source_close(s->source);
    pq_key_ring_free(s->ring);
}

/* ---- its rows ------------------------------------------------------------ */

static bool is_row(const PqLeaf *leaf, const PqVector *v, uint32_t i)
{
    const char *path = leaf->path;
    char text[24];

    if (strcmp(path, "boolean_field") == 0) {
        return *(const uint8_t *)pq_vector_at(v, 1, i) == (i % 2 == 0);
    }
    if (strcmp(path, "int32_field") == 0) {
        return *(const int32_t *)pq_vector_at(v, 4, i) == (int32_t)i;
    }
    if (strcmp(path, "float_field") == 0) {
        return *(const float *)pq_vector_at(v, 4, i) == (float)i * 1.1f;
    }
    if (strcmp(path, "double_field") == 0) {
        return *(const double *)pq_vector_at(v, 8, i) ==
               (double)i * 1.1111111;
    }
    if (strcmp(path, "ba_field") == 0) {
        const PqStr *s = pq_vector_at(v, sizeof *s, i);

        snprintf(text, sizeof text, "parquet%03u", i);
        return i % 2 ? !pq_vector_is_valid(v, i)
                     : s->n == strlen(text) && !memcmp(s->p, text, s->n);
    }
    return true;                     /* that it can be read is enough */
}

/* Reads a column, first its last row and then all of them. */
static PqRc read_column(Test *t, Sample *s, PqReadCtx *ctx, uint32_t leaf,
                        uint32_t *n_right)
{
    const PqLeaf *of = &s->footer->schema.leaves[leaf];
    uint32_t n = (uint32_t)s->footer->groups[0].num_rows, i;
    PqLeafReader r;
    PqVector v;
    PqRc rc;

    PQ_GO(pq_leaf_reader_init(&r, ctx, t->e));
    PQ_GO(pq_footer_chunk(s->footer, 0, leaf, pq_leaf_reader_arena(&r),
                          &r.chunk.chunk, t->e));
    PQ_GO(pq_leaf_reader_open(&r, &s->in, of, 0, n,
                              s->footer->file.created_by, of->max_rep > 0,
                              t->e));
    if (of->max_rep == 0) {
        PQ_GO(pq_leaf_read(&r, n - 1, 1, &v, t->e));
    }
    PQ_GO(pq_leaf_read(&r, 0, n, &v, t->e));
    for (i = 0; i < n && (n != ROWS || is_row(of, &v, i)); i++) {
        ++*n_right;
    }
done:
    pq_leaf_reader_reset(&r);
    return rc;
}

static PqRc read_columns(Test *t, Sample *s, uint32_t *n_right)
{
    PqReadCtx ctx;
    PqRc rc = PQ_OK;

    *n_right = 0;
    PQ_TRY(pq_read_ctx_init(&ctx, t->mem, t->e));
    for (uint32_t i = 0; i < s->footer->schema.n_leaves; i++) {
        PQ_GO(read_column(t, s, &ctx, i, n_right));
    }
done:
    pq_read_ctx_reset(&ctx);
    return rc;
}

/* How many of these columns are encrypted with a key of their own. */
static const struct {
    const char *name, *aad_prefix;
    bool        sealed_footer, ctr;
    uint32_t    n_own, n_sealed;
} samples[] = {
    {"uniform_encryption", NULL, true, false, 0, 8},
    {"encrypt_columns_and_footer", NULL, true, false, 2, 2},
    {"encrypt_columns_and_footer_aad", NULL, true, false, 2, 2},
    {"encrypt_columns_and_footer_aad", "tester", true, false, 2, 2},
    {"encrypt_columns_and_footer_ctr", NULL, true, true, 2, 2},
    {"encrypt_columns_and_footer_disable_aad_storage", "tester", true, false,
     2, 2},
    {"encrypt_columns_plaintext_footer", NULL, false, false, 2, 2},
    {"aes256/uniform_encryption", NULL, true, false, 0, 8},
    {"aes256/encrypt_columns_and_footer", NULL, true, false, 8, 8},
    {"aes256/encrypt_columns_and_footer_ctr", NULL, true, true, 8, 8},
    {"aes256/encrypt_columns_and_footer_disable_aad_storage", "tester", true,
     false, 8, 8},
    {"aes256/encrypt_columns_plaintext_footer", NULL, false, false, 8, 8},
};

static void count_locks(const PqFileLocks *l, uint32_t *n_own,
                        uint32_t *n_sealed)
{
    *n_own = *n_sealed = 0;
    for (uint32_t i = 0; i < l->n_leaves; i++) {
        *n_own += l->of_leaf[i] && l->of_leaf[i] != &l->footer;
        *n_sealed += l->of_leaf[i] != NULL;
    }
}

TEST(encrypted, samples_of_two_writers_are_read_with_their_keys)
{
    for (size_t k = 0; k < PQ_COUNT(samples); k++) {
        uint32_t n_own = 0, n_sealed = 0, n_right = 0, n_leaves = 0;
        PqFileLocks locks = {0};
        Sample s;
        PqRc rc;

        PQ_GO(open_sample(t, samples[k].name, &s));
        s.keys.aad_prefix = samples[k].aad_prefix;
        PQ_GO(read_footer(t, &s));
        locks = *s.footer->locks;
        n_leaves = locks.n_leaves;
        count_locks(s.footer->locks, &n_own, &n_sealed);
        PQ_GO(read_columns(t, &s, &n_right));
done:
        close_sample(&s);
        if (t->skipped) {
            return;
        }
        if (rc != PQ_OK) {
            test_fail(t, __FILE__, __LINE__, "%s: %s", samples[k].name,
                      t->e->text);
            return;
        }
        CHECK_INT(n_right, n_leaves * ROWS);
        CHECK_INT(n_own, samples[k].n_own);
        CHECK_INT(n_sealed, samples[k].n_sealed);
        CHECK_INT(locks.ctr, samples[k].ctr);
        CHECK_INT(locks.encrypted_footer, samples[k].sealed_footer);
        CHECK(locks.verified);
    }
}

/* ---- other samples -------------------------------------------------------- */

TEST(encrypted, keys_that_a_file_beside_has_wrapped_are_unwrapped)
{
    uint32_t n_right = 0, n_rows = 0;
    Sample s;
    PqRc rc;

    PQ_GO(open_sample(t, "external_key_material_java", &s));
    PQ_GO(read_footer(t, &s));
    n_rows = (uint32_t)s.footer->n_rows * s.footer->schema.n_leaves;
    PQ_GO(read_columns(t, &s, &n_right));
done:
    close_sample(&s);
    if (!t->skipped) {
        CHECK_OK(rc);
        CHECK(n_rows > 0);
        CHECK_INT(n_right, n_rows);
    }
}

/* Is the double in the filter of the column? */
static PqRc probe(Test *t, Sample *s, uint32_t leaf, double v, bool *maybe)
{
    PqColumnChunk chunk;
    PqBloom bloom;
    PqArena a;
    PqRc rc;

    *maybe = false;
    pq_arena_init(&a, t->mem);
    PQ_GO(pq_footer_chunk(s->footer, 0, leaf, &a, &chunk, t->e));
    PQ_GO(pq_bloom_open(&s->in, &chunk, 0, leaf, t->mem, &bloom, t->e));
    if (bloom.n_blocks) {
        rc = pq_bloom_probe(&s->in, &bloom,
                            pq_bloom_hash(pq_slice(&v, sizeof v)), maybe,
                            t->e);
        *maybe = *maybe || rc != PQ_OK;
    }
    pq_bloom_close(&bloom);
done:
    pq_arena_free(&a);
    return rc;
}

TEST(encrypted, an_encrypted_bloom_filter_has_values_and_lacks_others)
{
    bool there = false, other = true;
    uint32_t n_right = 0, n_rows = 0;
    Sample s;
    PqRc rc;

    PQ_GO(open_sample(t, "encrypt_columns_and_footer_bloom_filter", &s));
    PQ_GO(read_footer(t, &s));
    n_rows = (uint32_t)s.footer->n_rows * s.footer->schema.n_leaves;
    PQ_GO(read_columns(t, &s, &n_right));
    PQ_GO(probe(t, &s, 0, 1999.5, &there));
    PQ_GO(probe(t, &s, 0, 0.123456, &other));
done:
    close_sample(&s);
    if (!t->skipped) {
        CHECK_OK(rc);
        CHECK_INT(n_rows, 8000);
        CHECK_INT(n_right, n_rows);
        CHECK_INT(there, 1);
        CHECK_INT(other, 0);
    }
}
