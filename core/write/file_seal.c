/*
** file_seal.c - which key seals which leaf, and the locks of one file.
**
** Only the user's options are hard: every path must lead somewhere, and nothing
** may be said twice.  If a list were misunderstood, a column that the user
** wants sealed would stay open.
*/
#include "core/write/file_seal.h"

#include "core/base/random.h"
#include "core/write/file_write.h"

/* --- what the user says of a leaf ----------------------------------------- */

/* Is it the path of the leaf, or of a node above it? */
static bool leads_to(const char *path, const PqSliceList *leaf)
{
    size_t left = strlen(path);

    for (uint32_t i = 0; i < leaf->n; i++) {
        PqSlice name = leaf->v[i];

        if (i && (left == 0 || *path++ != '.' || left-- == 0)) {
            return false;
        }
        if (left < name.n || memcmp(path, name.p, name.n) != 0) {
            return false;
        }
        path += name.n;
        left -= name.n;
        if (left == 0) {
            return true;
        }
    }
    return false;
}

/* What the options say about a leaf: its key, or that it stays clear, or
** neither. */
typedef struct Said {
    const PqColumnKeyName *key;
    bool   clear;
    size_t n;                        /* bytes of the path                    */
} Said;

/* If two options name the same path, *again is the later one. */
static Said said_of(const PqSealPlan *p, uint32_t leaf_number,
                    const char **again)
{
    const PqSliceList *leaf = &p->paths[leaf_number];
    const PqEncryption *how = p->how;
    Said best = {0};

    for (uint32_t i = 0; i < how->keys.n_columns; i++) {
        const PqColumnKeyName *c = &how->keys.columns[i];
        size_t n = strlen(c->column);

        if (leads_to(c->column, leaf) && n >= best.n) {
            *again = best.key && n == best.n ? c->column : *again;
            best = (Said){c, false, n};
        }
    }
    for (uint32_t i = 0; i < how->n_clear; i++) {
        size_t n = strlen(how->clear[i]);

        if (leads_to(how->clear[i], leaf) && n >= best.n) {
            *again = best.key && n == best.n ? how->clear[i] : *again;
            best = (Said){NULL, true, n};
        }
    }
    return best;
}

/* --- the plan ------------------------------------------------------------- */

static PqRc find_key(const PqEncryption *how, const char *name, PqKey **out,
                     PqErr *e)
{
    char words[PQ_KEY_WORDS];
    PqKey *k = pq_key_ring_find(how->keys.ring, pq_slice_text(name));

    if (!k) {
        pq_key_words(pq_slice_text(name), words);
        pq_fail(e, PQ_USAGE, "encryption: %s is not at hand", words);
        pq_key_hint(words, e);
        return e->rc;
    }
    *out = pq_key_hold(k);
    return PQ_OK;
}

static PqRc check_path(const PqSealPlan *p, const char *option,
                       const char *path, PqErr *e)
{
    for (uint32_t i = 0; i < p->n_leaves; i++) {
        if (leads_to(path, &p->paths[i])) {
            return PQ_OK;
        }
    }
    return pq_fail(e, PQ_USAGE, "encryption: %s: there is no column %.200s",
                   option, path);
}

static PqRc check_paths(const PqSealPlan *p, PqErr *e)
{
    const PqEncryption *how = p->how;

    for (uint32_t i = 0; i < how->keys.n_columns; i++) {
        PQ_TRY(check_path(p, "column_keys", how->keys.columns[i].column, e));
    }
    for (uint32_t i = 0; i < how->n_clear; i++) {
        PQ_TRY(check_path(p, "clear_columns", how->clear[i], e));
    }
    return p->n_leaves <= PQ_ORDINAL_MOST + 1
               ? PQ_OK
               : pq_fail(e, PQ_USAGE, "encryption: a file of %u columns cannot "
                         "be encrypted, because the format numbers at most %d; "
                         "fewer columns in the query, or several files, help",
                         p->n_leaves, PQ_ORDINAL_MOST + 1);
}

static PqRc choose_key(PqSealPlan *p, uint32_t leaf, PqErr *e)
{
    const PqEncryption *how = p->how;
    PqKey **out = &p->leaf_keys[leaf];
    const char *again = NULL;
    Said said = said_of(p, leaf, &again);

    if (again) {
        return pq_fail(e, PQ_USAGE, "encryption: column %.200s is there twice "
                       "in column_keys and clear_columns: it has one key, or "
                       "none", again);
    }
    if (said.key) {
        return find_key(how, said.key->key, out, e);
    }
    *out = said.clear || how->others_clear ? NULL
                                           : pq_key_hold(p->footer_key);
    return PQ_OK;
}

PqRc pq_seal_plan_new(const PqEncryption *how, const PqSchema *schema,
                      PqMem *mem, PqSealPlan **out, PqErr *e)
{
    const PqSchemaElementList elements = {(PqSchemaElement *)schema->elements,
                                          schema->n_elements};
    PqSealPlan *p;
    PqRc rc;

    *out = NULL;
    PQ_TRY(PQ_NEW(mem, p, 1, e));
    pq_arena_init(&p->arena, mem);
    p->how = how;
    p->n_leaves = schema->n_leaves;
    PQ_GO(PQ_NEW(mem, p->leaf_keys, p->n_leaves + (size_t)1, e));
    PQ_GO(pq_file_write_paths(&elements, p->n_leaves, &p->arena, &p->paths, e));
    PQ_GO(check_paths(p, e));
    PQ_GO(find_key(how, how->keys.footer_key, &p->footer_key, e));
    for (uint32_t i = 0; i < p->n_leaves; i++) {
        PQ_GO(choose_key(p, i, e));
    }
    if (how->material) {
        PQ_GO(pq_key_wrap_new(mem, how->material, !how->wrap_once, &p->wrap, e));
    }
    *out = p;
    p = NULL;
done:
    pq_seal_plan_free(p);
    return rc;
}

void pq_seal_plan_free(PqSealPlan *p)
{
    if (p) {
        for (uint32_t i = 0; p->leaf_keys && i < p->n_leaves; i++) {
            pq_key_release(p->leaf_keys[i]);
        }
        pq_key_release(p->footer_key);
        pq_key_wrap_free(p->wrap);
        pq_arena_free(&p->arena);
        pq_mem_free(p->leaf_keys);
        pq_mem_free(p);
    }
}

void pq_seal_plan_follow(PqSealPlan *p, uint32_t leaf, uint32_t of)
{
    const char *again = NULL;
    Said said = said_of(p, leaf, &again);
    PqKey *key = p->leaf_keys[of];

    if (!said.key && !said.clear) {
        pq_key_release(p->leaf_keys[leaf]);
        p->leaf_keys[leaf] = key ? pq_key_hold(key) : NULL;
    }
}

bool pq_seal_plan_tells(const PqSealPlan *p, uint32_t leaf)
{
    return !p->leaf_keys[leaf] || (!p->how->plaintext_footer &&
                                   p->leaf_keys[leaf] == p->footer_key);
}

/* Whoever knows the order of sealed values, and the values of other columns,
** knows who earns more than whom.  Each claim stands on its own, so the others
** stay. */
uint32_t pq_seal_plan_hide(const PqSealPlan *p, PqSortingColumn *claims,
                           uint32_t n)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (!p || pq_seal_plan_tells(p, (uint32_t)claims[i].column_idx)) {
            claims[kept++] = claims[i];
        }
    }
    return kept;
}

/* --- the locks of a file -------------------------------------------------- */

/* A lock with the key of the plan, or with a new key that the plan's key wraps.
** number: see pq_key_wrap_make. */
static PqRc make_lock(PqFileSeal *s, PqKey *key, int number, PqLock *out,
                      PqSlice *metadata, PqErr *e)
{
    *out = (PqLock){.ctr = s->plan->how->ctr, .aad = pq_buf_view(&s->aad)};
    *metadata = pq_slice_text(s->plan->how->hide_key_names ? "" : pq_key_name(key));
    if (s->plan->wrap) {
        return pq_key_wrap_make(s->plan->wrap, key, number, &s->arena, &s->beside,
                                &out->key, metadata, e);
    }
    out->key = pq_key_hold(key);
    return PQ_OK;
}

static PqRc make_locks(PqFileSeal *s, PqErr *e)
{
    const PqSealPlan *p = s->plan;
    int n_own = 0;

    PQ_TRY(make_lock(s, p->footer_key, -1, &s->footer, &s->footer_metadata, e));
    for (uint32_t i = 0; i < p->n_leaves; i++) {
        if (p->leaf_keys[i] == p->footer_key) {
            s->of_leaf[i] = s->footer;
            pq_key_hold(s->footer.key);
        } else if (p->leaf_keys[i]) {
            PQ_TRY(make_lock(s, p->leaf_keys[i], n_own++, &s->of_leaf[i],
                             &s->leaf_metadata[i], e));
        }
    }
    if (s->beside.n) {
        pq_buf_byte(&s->beside, '}');
    }
    return pq_buf_ok(&s->beside) ? PQ_OK : e->rc;
}

static PqRc make_aad(PqFileSeal *s, PqErr *e)
{
    PqSlice prefix = pq_slice_text(s->plan->how->keys.aad_prefix);

    PQ_TRY(pq_random_fill(s->unique, sizeof s->unique, e));
    PQ_TRY(pq_buf_set(&s->aad, prefix, e));
    return pq_buf_append(&s->aad, s->unique, sizeof s->unique, e);
}

PqRc pq_file_seal_new(const PqSealPlan *plan, PqMem *mem, PqFileSeal **out,
                      PqErr *e)
{
    PqFileSeal *s;
    PqRc rc;

    *out = NULL;
    PQ_TRY(PQ_NEW(mem, s, 1, e));
    s->plan = plan;
    pq_buf_init(&s->aad, mem, NULL);
    pq_buf_init(&s->beside, mem, e);
    pq_arena_init(&s->arena, mem);
    s->of_leaf = pq_mem_zeros(mem, plan->n_leaves + (size_t)1,
                              sizeof *s->of_leaf, e);
    s->leaf_metadata = pq_mem_zeros(mem, plan->n_leaves + (size_t)1,
                                    sizeof *s->leaf_metadata, e);
    PQ_GO(s->of_leaf && s->leaf_metadata ? PQ_OK : e->rc);
    PQ_GO(make_aad(s, e));
    PQ_GO(make_locks(s, e));
    s->beside.sink = NULL;           /* e is of this call                    */
    *out = s;
    s = NULL;
done:
    pq_file_seal_free(s);
    return rc;
}

void pq_file_seal_free(PqFileSeal *s)
{
    if (s) {
        for (uint32_t i = 0; s->of_leaf && i < s->plan->n_leaves; i++) {
            pq_key_release(s->of_leaf[i].key);
        }
        pq_key_release(s->footer.key);
        pq_buf_free(&s->aad);
        pq_buf_free(&s->beside);
        pq_arena_free(&s->arena);
        pq_mem_free(s->of_leaf);
        pq_mem_free(s->leaf_metadata);
        pq_mem_free(s);
    }
}

size_t pq_file_seal_memory(const PqFileSeal *s)
{
    return s ? sizeof *s + s->aad.room + s->beside.room +
                   s->plan->n_leaves *
                       (sizeof *s->of_leaf + sizeof *s->leaf_metadata)
             : 0;
}
