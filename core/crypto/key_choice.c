/*
** key_choice.c - a named key, a key by its metadata, or any.
**
** A name that a user gives goes before the file's own metadata.  There is one
** exception: if the metadata is key material, and the user names its master
** key, the key is unwrapped.  Nobody has the wrapped key by name.
*/
#include "core/crypto/key_choice.h"

#include "core/crypto/key_material.h"
#include "core/text/utf8.h"

bool pq_key_choice_names(const PqKeyChoice *c)
{
    return c && (c->footer_key || c->n_columns || c->aad_prefix);
}

const char *pq_key_choice_column(const PqKeyChoice *c, const char *leaf_path)
{
    const char *found = NULL;
    size_t longest = 0;

    for (uint32_t i = 0; c && i < c->n_columns; i++) {
        const char *path = c->columns[i].column;
        size_t n = strlen(path);

        if (strncmp(leaf_path, path, n) == 0 &&
            (leaf_path[n] == 0 || leaf_path[n] == '.') &&
            (!found || n > longest)) {
            found = c->columns[i].key;
            longest = n;
        }
    }
    return found;
}

/* Lengths go before texts, so that two texts never look like another one. */
static void add_text(PqBuf *out, char what, const char *text)
{
    if (text) {
        pq_buf_printf(out, "%c%zu:%s", what, strlen(text), text);
    }
}

void pq_key_choice_text(const PqKeyChoice *c, PqBuf *out)
{
    if (!c) {
        return;
    }
    add_text(out, 'f', c->footer_key);
    for (uint32_t i = 0; i < c->n_columns; i++) {
        add_text(out, 'c', c->columns[i].column);
        add_text(out, 'k', c->columns[i].key);
    }
    add_text(out, 'a', c->aad_prefix);
    pq_buf_printf(out, "r%llu", c->ring ? (unsigned long long)
                                          pq_key_ring_version(c->ring)
                                        : 0);
}

/* ---- finding ------------------------------------------------------------ */

static bool is_text(PqSlice s)
{
    return s.n && pq_utf8_valid(s) && !memchr(s.p, 0, s.n);
}

/* Says which key is missing, by its name or metadata. */
static PqRc want(PqSlice name, PqArena *a, PqKeyFound *out, PqErr *e)
{
    char words[PQ_KEY_WORDS];
    const char *says = is_text(name) ? pq_key_words(name, words)
                       : name.n      ? "a key that the file describes in bytes"
                                     : "a key that the file does not name";

    out->wants = pq_arena_text(a, says, strlen(says), e);
    return out->wants ? PQ_OK : e->rc;
}

PqRc pq_key_find(const PqKeyChoice *c, const char *named, PqSlice metadata,
                 PqSource *source, PqMem *mem, PqArena *a, PqKeyFound *out,
                 PqErr *e)
{
    PqKeyRing *ring = c ? c->ring : NULL;
    PqSlice name = named ? pq_slice_text(named) : metadata;
    PqKeyMaterial material;
    bool is_material;

    *out = (PqKeyFound){NULL, false, NULL};
    PQ_TRY(want(name, a, out, e));
    PQ_TRY(pq_key_material_read(metadata, ring, source, a, &material,
                                &is_material, e));
    if (is_material && (!named || pq_slice_is(material.text[PQ_KM_MASTER],
                                               named))) {
        return pq_key_material_open(&material, ring, mem, a, out, e);
    }
    if (name.n == 0) {
        out->try_all = true;
        return PQ_OK;
    }
    out->key = ring ? pq_key_ring_find(ring, name) : NULL;
    if (out->key) {
        pq_key_hold(out->key);
    }
    return PQ_OK;
}
