/*
** key_material.c - reads key material, and unwraps keys.
**
** All of it is hostile: sizes are limited, objects are flat, a member that
** counts may be there only once, and no message repeats the text.
*/
#define _GNU_SOURCE
#include "core/crypto/key_material.h"

#include "core/base/secret.h"
#include "core/text/base64.h"
#include "core/text/json_read.h"
#include "core/text/parse.h"

#include <stdlib.h>

enum {
    METADATA_MOST = 1 << 16,         /* bytes of JSON in the Parquet file    */
    FILE_MOST = 4 << 20,             /* ... in the file beside it            */
    WRAP_EXTRA = PQ_NONCE_BYTES + PQ_TAG_BYTES,
    WRAPPED_MOST = PQ_KEY_MOST + WRAP_EXTRA,
    KEK_ID_MOST = 256
};

/* ---- flat JSON ---------------------------------------------------------- */

static PQ_COLD PqRc damaged(const char *what, PqErr *e)
{
    return pq_fail(e, PQ_CORRUPT, "the key material is damaged: %s", what);
}

static PqRc next(PqJsonRead *r, PqJsonToken *out, PqErr *e)
{
    PqErr own;
    PqRc rc;

    pq_err_init(&own);
    rc = pq_json_read_next(r, out, &own);
    return rc == PQ_CORRUPT
               ? pq_fail(e, rc, "the key material is damaged: malformed JSON "
                         "at byte %zu", r->at)
           : rc != PQ_OK ? pq_fail(e, rc, "%s", own.text)
                         : PQ_OK;
}

static PqRc begin_object(PqJsonRead *r, PqSlice json, PqArena *a, PqErr *e)
{
    PqJsonToken t;

    pq_json_read_begin(r, json, a);
    PQ_TRY(next(r, &t, e));
    return t.kind == PQ_JSON_OBJECT ? PQ_OK
                                    : damaged("it is not an object", e);
}

static PqKeyMember member_of(PqSlice name)
{
    PqKeyMember m = PQ_KM_TYPE;

    while (m < PQ_KM_COUNT && !pq_slice_is(name, pq_key_members[m].name)) {
        m++;
    }
    return m;
}

static PqRc set_member(PqKeyMaterial *f, PqKeyMember m, const PqJsonToken *t,
                       PqErr *e)
{
    bool is_bool = t->kind == PQ_JSON_TRUE || t->kind == PQ_JSON_FALSE;

    if (t->kind == PQ_JSON_NULL) {
        return PQ_OK;
    }
    if (f->there[m] ||
        (pq_key_members[m].is_bool ? !is_bool : t->kind != PQ_JSON_STRING)) {
        return pq_fail(e, PQ_CORRUPT, "the key material is damaged: %s %s",
                       pq_key_members[m].name, f->there[m] ? "is there twice"
                       : pq_key_members[m].is_bool ? "is not true or false"
                                            : "is not a text");
    }
    f->there[m] = true;
    f->text[m] = t->text;
    f->yes[m] = t->kind == PQ_JSON_TRUE;
    return PQ_OK;
}

/* Members of other names are skipped if they are scalars. */
static PqRc read_flat(PqSlice json, PqArena *a, PqKeyMaterial *out, PqErr *e)
{
    PqJsonToken t;
    PqJsonRead r;
    PqKeyMember m;

    *out = (PqKeyMaterial){.missing = NULL};
    PQ_TRY(begin_object(&r, json, a, e));
    for (;;) {
        PQ_TRY(next(&r, &t, e));
        if (t.kind == PQ_JSON_OBJECT_END) {
            return next(&r, &t, e);
        }
        m = member_of(t.text);
        PQ_TRY(next(&r, &t, e));
        if (t.kind == PQ_JSON_OBJECT || t.kind == PQ_JSON_ARRAY) {
            return damaged("an object within an object", e);
        }
        if (m < PQ_KM_COUNT) {
            PQ_TRY(set_member(out, m, &t, e));
        }
    }
}

static PqRc need(const PqKeyMaterial *f, PqKeyMember m, PqErr *e)
{
    return f->there[m] ? PQ_OK
                       : pq_fail(e, PQ_CORRUPT, "the key material is damaged: "
                                 "%s is missing", pq_key_members[m].name);
}

/* Has it the members that unwrapping needs? */
static PqRc check_material(const PqKeyMaterial *f, PqErr *e)
{
    if (!f->there[PQ_KM_TYPE] ||
        !pq_slice_is(f->text[PQ_KM_TYPE], PQ_KEY_MATERIAL_TYPE)) {
        return damaged("keyMaterialType is not " PQ_KEY_MATERIAL_TYPE, e);
    }
    PQ_TRY(need(f, PQ_KM_MASTER, e));
    PQ_TRY(need(f, PQ_KM_WRAPPED_DEK, e));
    PQ_TRY(need(f, PQ_KM_DOUBLE, e));
    if (f->yes[PQ_KM_DOUBLE]) {
        PQ_TRY(need(f, PQ_KM_KEK_ID, e));
        PQ_TRY(need(f, PQ_KM_WRAPPED_KEK, e));
    }
    return PQ_OK;
}

/* ---- the file beside ---------------------------------------------------- */

typedef struct Entry {
    PqSlice reference, material;
} Entry;

struct PqMaterialFile {
    PqMem   *mem;
    char    *path;
    PqFileId id;
    PqBuf    bytes;
    PqArena  arena;
    Entry   *entries;                /* by reference */
    uint32_t n, room;
    bool     absent;
    bool     current;                /* looked at for the footer that is read */
};

void pq_material_file_free(PqMaterialFile *f)
{
    if (f) {
        pq_mem_free(f->entries);
        pq_arena_free(&f->arena);
        pq_buf_free(&f->bytes);
        pq_mem_free(f->path);
        pq_mem_free(f);
    }
}

static int by_reference(const void *a, const void *b)
{
    const Entry *x = a, *y = b;

    return pq_slice_compare(x->reference, y->reference);
}

static PqRc read_entries(PqMaterialFile *f, PqErr *e)
{
    PqJsonToken t;
    PqJsonRead r;
    Entry *entry;

    PQ_TRY(begin_object(&r, pq_buf_view(&f->bytes), &f->arena, e));
    for (;;) {
        PQ_TRY(next(&r, &t, e));
        if (t.kind == PQ_JSON_OBJECT_END) {
            break;
        }
        PQ_TRY(PQ_GROW(f->mem, f->entries, f->n, f->room, e));
        entry = &f->entries[f->n++];
        entry->reference = t.text;
        PQ_TRY(next(&r, &t, e));
        if (t.kind != PQ_JSON_STRING) {
            return damaged("a reference without text", e);
        }
        entry->material = t.text;
    }
    PQ_TRY(next(&r, &t, e));
    if (f->n) {
        qsort(f->entries, f->n, sizeof *f->entries, by_reference);
    }
    for (uint32_t i = 1; i < f->n; i++) {
        if (by_reference(&f->entries[i - 1], &f->entries[i]) == 0) {
            return damaged("a reference is there twice", e);
        }
    }
    return PQ_OK;
}

static PqRc load(PqMaterialFile *f, PqSource *source, PqErr *e)
{
    uint64_t size = pq_source_size(source);

    if (size > FILE_MOST) {
        return pq_fail(e, PQ_CORRUPT, "key material of %llu bytes; more than "
                       "%d are not read", (unsigned long long)size, FILE_MOST);
    }
    f->id = pq_source_id(source);
    PQ_TRY(pq_buf_resize(&f->bytes, (size_t)size, e));
    if (size) {
        PQ_TRY(pq_source_read(source, 0, (size_t)size, f->bytes.p, e));
    }
    return read_entries(f, e);
}

/* The source is NULL if no file is at the path. */
static PqRc read_file(PqMem *mem, PqSource *source, const char *path,
                      PqMaterialFile **out, PqErr *e)
{
    PqMaterialFile *f = pq_mem_zeros(mem, 1, sizeof *f, e);
    const char *outer = e->where.file;

    *out = NULL;
    if (!f) {
        return e->rc;
    }
    f->mem = mem;
    f->absent = !source;
    pq_buf_init(&f->bytes, mem, NULL);
    pq_arena_init(&f->arena, mem);
    f->path = pq_mem_text(mem, path, strlen(path), e);
    if (f->path && source) {
        e->where.file = f->path;
        load(f, source, e);
        e->where.file = outer;
    }
    if (e->rc != PQ_OK) {
        pq_material_file_free(f);
        return e->rc;
    }
    *out = f;
    return PQ_OK;
}

PqRc pq_material_file_read(PqMem *mem, PqSource *source, PqMaterialFile **out,
                           PqErr *e)
{
    return read_file(mem, source, pq_source_path(source), out, e);
}

PqRc pq_material_file_find(const PqMaterialFile *f, PqSlice reference,
                           PqArena *a, PqKeyMaterial *out, PqErr *e)
{
    const Entry wanted = {.reference = reference};
    const Entry *found = f->n ? bsearch(&wanted, f->entries, f->n,
                                        sizeof wanted, by_reference)
                              : NULL;

    *out = (PqKeyMaterial){.missing = NULL};
    if (!found) {
        return pq_fail(e, PQ_CORRUPT, "%s has no key material of the name that "
                       "the file refers to", f->path);
    }
    if (found->material.n > METADATA_MOST) {
        return damaged("it is too long", e);
    }
    PQ_TRY(read_flat(found->material, a, out, e));
    return check_material(out, e);
}

/* Reads the file at path, or takes what the ring has of it if it has not
** changed.  *out is NULL if no file is there. */
static PqRc open_file(PqKeyRing *ring, PqSource *own, const char *path,
                      PqMaterialFile **out, PqErr *e)
{
    PqMaterialFile **kept;
    PqSource *source;
    PqMem *mem;
    bool same;
    PqRc rc = PQ_OK;

    kept = pq_key_ring_material(ring, &mem);
    same = *kept && strcmp((*kept)->path, path) == 0;
    if (!same || !(*kept)->current) {
        PQ_TRY(pq_source_beside(own, mem, path, true, &source, e));
        if (!same || !source || (*kept)->absent ||
            !pq_file_id_equal((*kept)->id, pq_source_id(source))) {
            pq_material_file_free(*kept);
            *kept = NULL;
            rc = read_file(mem, source, path, kept, e);
        }
        pq_source_close(source);
        PQ_TRY(rc);
        (*kept)->current = true;
    }
    *out = (*kept)->absent ? NULL : *kept;
    return PQ_OK;
}

void pq_key_material_doubt(PqKeyRing *ring)
{
    PqMem *mem;
    PqMaterialFile *kept = *pq_key_ring_material(ring, &mem);

    if (kept) {
        kept->current = false;
    }
}

static const char beside_prefix[] = "_KEY_MATERIAL_FOR_";
static const char beside_end[] = ".json";

char *pq_key_material_path(const char *path, PqArena *a, PqErr *e)
{
    size_t at = (size_t)(pq_path_name(path) - path);

    return pq_arena_printf(a, e, "%.*s%s%s%s", (int)at, path, beside_prefix,
                           path + at, beside_end);
}

char *pq_key_material_of(const char *path, PqArena *a, PqErr *e)
{
    const size_t front = sizeof beside_prefix - 1, back = sizeof beside_end - 1;
    size_t at = (size_t)(pq_path_name(path) - path), n = strlen(path + at);

    return n > front + back && !strncmp(path + at, beside_prefix, front) &&
                   !strcmp(path + at + n - back, beside_end)
               ? pq_arena_printf(a, e, "%.*s%.*s", (int)at, path,
                                 (int)(n - front - back), path + at + front)
               : NULL;
}

static PqRc read_beside(PqSlice reference, PqKeyRing *ring, PqSource *source,
                        PqArena *a, PqKeyMaterial *out, PqErr *e)
{
    char *beside = pq_key_material_path(source ? pq_source_path(source) : "", a, e);
    PqMaterialFile *file = NULL;

    PQ_TRY(beside ? PQ_OK : e->rc);
    if (ring && source) {
        PQ_TRY(open_file(ring, source, beside, &file, e));
    }
    if (!file) {
        *out = (PqKeyMaterial){.missing = beside};
        return PQ_OK;
    }
    return pq_material_file_find(file, reference, a, out, e);
}

/* Could it be key material?  Any other metadata are the name of a key. */
static bool may_be_material(PqSlice metadata)
{
    const char *type = pq_key_members[PQ_KM_TYPE].name;
    PqSlice s = pq_parse_trim(metadata);

    return metadata.n <= METADATA_MOST && s.n && s.p[0] == '{' &&
           memmem(s.p, s.n, type, strlen(type));
}

PqRc pq_key_material_read(PqSlice metadata, PqKeyRing *ring, PqSource *source,
                          PqArena *a, PqKeyMaterial *out, bool *is, PqErr *e)
{
    *out = (PqKeyMaterial){.missing = NULL};
    *is = may_be_material(metadata);
    if (!*is) {
        return PQ_OK;
    }
    PQ_TRY(read_flat(metadata, a, out, e));
    PQ_TRY(need(out, PQ_KM_INTERNAL, e));
    if (out->yes[PQ_KM_INTERNAL]) {
        return check_material(out, e);
    }
    PQ_TRY(need(out, PQ_KM_REFERENCE, e));
    return read_beside(out->text[PQ_KM_REFERENCE], ring, source, a, out, e);
}

/* ---- unwrapping --------------------------------------------------------- */

/* Decodes a wrapped key.  *n is 0 if it was wrapped in a way that is unknown
** here. */
static PqRc decode(PqSlice text, PqArena *a, uint8_t out[WRAPPED_MOST],
                   size_t *n, PqErr *e)
{
    PqSlice s = pq_parse_trim(text);
    PqKeyMaterial flat;

    *n = 0;
    if (s.n && s.p[0] == '{') {
        PQ_TRY(read_flat(s, a, &flat, e));
        if (!flat.there[PQ_KM_ENCRYPTED] ||
            !pq_slice_is(flat.text[PQ_KM_VERSION], PQ_KEY_NO_VERSION)) {
            return PQ_OK;
        }
        s = flat.text[PQ_KM_ENCRYPTED];
    }
    if (!pq_base64_parse(s, out, WRAPPED_MOST, n) || *n < WRAP_EXTRA ||
        !pq_key_size_ok(*n - WRAP_EXTRA)) {
        *n = 0;
    }
    return PQ_OK;
}

/* Opens a wrapped key of n bytes with k, in place: the result is at wrapped +
** PQ_NONCE_BYTES. */
static PqRc unwrap(PqKey *k, PqSlice id, uint8_t *wrapped, size_t n, PqErr *e)
{
    uint8_t *key = wrapped + PQ_NONCE_BYTES;
    PqAad aad = {id, {NULL, 0}};
    char words[PQ_KEY_WORDS];
    PqErr own;
    PqRc rc;

    pq_err_init(&own);
    n -= WRAP_EXTRA;
    rc = pq_key_gcm_open(k, wrapped, aad, key, n, key + n, key, &own);
    return rc == PQ_CORRUPT
               ? pq_fail(e, rc, "the key material does not authenticate with "
                         "%s: it was wrapped with another key, or was damaged "
                         "or changed",
                         pq_key_words(pq_slice_text(pq_key_name(k)), words))
           : rc != PQ_OK ? pq_fail(e, rc, "%s", own.text)
                         : PQ_OK;
}

/* Unwraps text with k to a new key, which is called like k.  NULL: it was
** wrapped in a way that is unknown here. */
static PqRc unwrap_key(PqKey *k, PqSlice id, PqSlice text, PqMem *mem,
                       PqArena *a, PqKey **out, PqErr *e)
{
    uint8_t bytes[WRAPPED_MOST];
    size_t n;
    PqRc rc;

    *out = NULL;
    rc = decode(text, a, bytes, &n, e);
    if (rc == PQ_OK && n) {
        rc = unwrap(k, id, bytes, n, e);
    }
    if (rc == PQ_OK && n) {
        rc = pq_key_new(mem, pq_key_name(k),
                        pq_slice(bytes + PQ_NONCE_BYTES, n - WRAP_EXTRA), out,
                        e);
    }
    pq_wipe(bytes, sizeof bytes);
    return rc;
}

static PqRc unwrap_twice(const PqKeyMaterial *m, PqKey *master, PqMem *mem,
                         PqArena *a, PqKey **out, PqErr *e)
{
    uint8_t id[KEK_ID_MOST];
    PqKey *kek;
    size_t n;
    PqRc rc;

    PQ_TRY(unwrap_key(master, m->text[PQ_KM_MASTER], m->text[PQ_KM_WRAPPED_KEK],
                      mem, a, &kek, e));
    if (!kek) {
        return PQ_OK;
    }
    rc = pq_base64_parse(m->text[PQ_KM_KEK_ID], id, sizeof id, &n)
             ? unwrap_key(kek, pq_slice(id, n), m->text[PQ_KM_WRAPPED_DEK], mem,
                          a, out, e)
             : damaged("keyEncryptionKeyID is not base64", e);
    pq_key_release(kek);
    if (rc == PQ_OK && !*out) {
        rc = damaged("wrappedDEK is not a wrapped key", e);
    }
    return rc;
}

PqRc pq_key_material_open(const PqKeyMaterial *m, const PqKeyRing *ring,
                          PqMem *mem, PqArena *a, PqKeyFound *out, PqErr *e)
{
    PqSlice id = m->text[PQ_KM_MASTER];
    PqKey *master = ring && !m->missing ? pq_key_ring_find(ring, id) : NULL;
    char words[PQ_KEY_WORDS];
    const char *name = pq_key_words(id, words);

    if (m->missing) {
        out->wants = pq_arena_printf(a, e, "a key that the missing file %s "
                                     "describes", m->missing);
    } else if (!master) {
        out->wants = pq_arena_printf(a, e, "%s", name);
    } else {
        out->wants = pq_arena_printf(a, e, "a key that a key management "
                                     "service has wrapped, in a way of its "
                                     "own, with %s", name);
    }
    if (!out->wants) {
        return e->rc;
    }
    return !master ? PQ_OK
           : m->yes[PQ_KM_DOUBLE]
               ? unwrap_twice(m, master, mem, a, &out->key, e)
               : unwrap_key(master, id, m->text[PQ_KM_WRAPPED_DEK], mem, a,
                            &out->key, e);
}
