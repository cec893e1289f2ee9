/*
** s3_answer.c - reads XML element by element.
**
**   <ListBucketResult xmlns="...">
**     <EncodingType>url</EncodingType>           may come after the keys, so they
**     <Contents>                                 are decoded at the end
**       <Key>a%3D1/x+y.parquet</Key>             a=1/x y.parquet
**       <Size>1000</Size>                        not needed
**     </Contents>
**     <CommonPrefixes><Prefix>b/</Prefix></CommonPrefixes>
**     <IsTruncated>true</IsTruncated>
**     <NextContinuationToken>1ueG</NextContinuationToken>
**
** The reader hands out each element where it ends, so those within come first.  What an
** element holds is a text only if no other element is within; it stays where it is
** until somebody wants it.
*/
#include "core/remote/s3_answer.h"

#include "core/base/ascii.h"
#include "core/text/parse.h"
#include "core/text/utf8.h"

enum { DEPTH_MOST = 32, UNICODE_MOST = 0x10ffff };

#define LISTING "ListBucketResult"

/* What is left of a text, and the element that ended last. */
typedef struct Xml {
    PqSlice        all, rest;
    PqSlice        name[DEPTH_MOST]; /* of elements that have begun, without prefixes;
                                     ** name[depth] is that of the one that ended    */
    uint32_t       depth;            /* around it; 0: it was the outermost           */
    const uint8_t *content;          /* of the one that began last                   */
    PqSlice        raw;              /* its text as it is written; none if other
                                     ** elements are within                          */
    bool           leaf;             /* nothing has ended since one began            */
    bool           over;             /* the outermost has ended                      */
} Xml;

static PQ_COLD PqRc wrong(const Xml *x, const char *what, PqErr *e)
{
    return pq_fail(e, PQ_CORRUPT, "the server's XML %s, at byte %zu", what, x->all.n - x->rest.n);
}

static bool begins(PqSlice s, const char *with)
{
    size_t n = strlen(with);

    return s.n >= n && memcmp(s.p, with, n) == 0;
}

static bool skip(PqSlice *s, const char *what)
{
    return begins(*s, what) && pq_slice_cut(s, strlen(what)).n;
}

static void xml_begin(Xml *x, PqSlice text)
{
    *x = (Xml){.all = text, .rest = text};
    skip(&x->rest, "\xef\xbb\xbf");
}

/* Cuts off what ends with a character; false if that does not come. */
static bool cut_through(PqSlice *s, int end, PqSlice *out)
{
    const uint8_t *at = s->n ? memchr(s->p, end, s->n) : NULL;

    *out = pq_slice_cut(s, at ? (size_t)(at - s->p) : 0);
    pq_slice_cut(s, at != NULL);
    return at != NULL;
}

/* What stands before a blank and after a colon. */
static PqSlice name_of(PqSlice tag)
{
    PqSlice name = pq_slice(tag.p, 0), prefix;

    while (name.n < tag.n && !pq_ascii_is_blank(tag.p[name.n])) {
        name.n++;
    }
    cut_through(&name, ':', &prefix);
    return name;
}

static void end_element(Xml *x, PqSlice raw)
{
    x->raw = x->leaf ? raw : pq_slice("", 0);
    x->leaf = false;
    x->over = --x->depth == 0;
}

/* After "</". */
static PqRc read_end(Xml *x, PqErr *e)
{
    PqSlice raw = pq_slice(x->content, (size_t)(x->rest.p - 2 - x->content)), tag;

    if (!x->depth || !cut_through(&x->rest, '>', &tag) ||
        !pq_slice_equal(name_of(tag), x->name[x->depth - 1])) {
        return wrong(x, "has an element that ends and did not begin", e);
    }
    end_element(x, raw);
    return PQ_OK;
}

/* After "<".  *ended: it has no content, <Prefix/>. */
static PqRc read_begin(Xml *x, bool *ended, PqErr *e)
{
    PqSlice tag, name;
    size_t end = 0;
    int quote = 0;

    for (; end < x->rest.n && (quote || x->rest.p[end] != '>'); end++) {
        int c = x->rest.p[end];

        quote = quote ? (c == quote ? 0 : quote) : c == '"' || c == '\'' ? c : 0;
    }
    if (end == x->rest.n || x->depth == DEPTH_MOST) {
        return wrong(x, end == x->rest.n ? "ends within an element" : "is too deep", e);
    }
    tag = pq_slice_cut(&x->rest, end);
    pq_slice_cut(&x->rest, 1);
    *ended = tag.n && tag.p[tag.n - 1] == '/';
    tag.n -= *ended;
    name = name_of(tag);
    if (!name.n) {
        return wrong(x, "has an element without a name", e);
    }
    x->name[x->depth++] = name;
    x->content = x->rest.p;
    x->leaf = true;
    if (*ended) {
        end_element(x, pq_slice("", 0));
    }
    return PQ_OK;
}

/* The next element that ends; *more is false after the outermost one. */
static PqRc xml_next(Xml *x, bool *more, PqErr *e)
{
    PqSlice text;

    *more = false;
    while (!x->over && !*more) {
        if (!cut_through(&x->rest, '<', &text)) {
            return wrong(x, "ends too early", e);
        }
        if (!x->depth && pq_parse_trim(text).n) {
            return wrong(x, "does not begin with an element", e);
        }
        if (skip(&x->rest, "/")) {
            *more = true;
            PQ_TRY(read_end(x, e));
        } else if (begins(x->rest, "!") || (begins(x->rest, "?") && x->depth)) {
            return wrong(x, "has what no answer needs", e);
        } else if (!begins(x->rest, "?")) {
            PQ_TRY(read_begin(x, more, e));
        } else if (!cut_through(&x->rest, '>', &text)) {
            return wrong(x, "ends within its first line", e);
        }
    }
    return PQ_OK;
}

/* Is it an element of this name, so deep, within one of that name? */
static bool is_within(const Xml *x, uint32_t depth, const char *parent, const char *name)
{
    return x->depth == depth && pq_slice_is(x->name[depth], name) &&
           pq_slice_is(x->name[depth - 1], parent);
}

/* ---- texts ---------------------------------------------------------------------- */

/* After the '&'. */
static bool read_entity(PqSlice *s, uint8_t **to)
{
    static const struct { const char *name; uint8_t c; } named[] = {
        {"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''},
    };
    uint32_t c = 0, base;
    PqSlice name;

    if (!cut_through(s, ';', &name)) {
        return false;
    }
    for (size_t i = 0; i < PQ_COUNT(named); i++) {
        c = pq_slice_is(name, named[i].name) ? named[i].c : c;
    }
    base = skip(&name, "#x") ? 16 : skip(&name, "#") ? 10 : 0;
    for (; base && name.n && c <= UNICODE_MOST; pq_slice_cut(&name, 1)) {
        uint32_t digit = (uint32_t)pq_ascii_hex(name.p[0]);

        c = digit < base ? c * base + digit : UNICODE_MOST + 1;
    }
    if (c == 0 || c > UNICODE_MOST || (c >= 0xd800 && c <= 0xdfff)) {
        return false;
    }
    *to += pq_utf8_put(c, *to);
    return true;
}

/* Entities are longer than what they stand for. */
static PqRc text_of(PqArena *a, PqSlice raw, const char **out, PqErr *e)
{
    uint8_t *text = pq_arena_bytes(a, raw.n + 1, e), *to = text;

    if (!text) {
        return e->rc;
    }
    while (raw.n) {
        if (!skip(&raw, "&")) {
            *to++ = *pq_slice_cut(&raw, 1).p;
        } else if (!read_entity(&raw, &to)) {
            return pq_fail(e, PQ_CORRUPT, "the server's XML has an unknown entity");
        }
    }
    *to = 0;
    *out = (const char *)text;
    return memchr(text, 0, (size_t)(to - text))
               ? pq_fail(e, PQ_CORRUPT, "the server's XML has a NUL in a text")
               : PQ_OK;
}

/* ---- a page of a listing --------------------------------------------------------- */

typedef struct Reading {
    PqArena  *a;
    PqS3Page *page;
    uint32_t  n_objects;             /* each has a key                           */
    bool      more, encoded;
} Reading;

static PqRc add(Reading *r, const char ***list, uint32_t *n, PqSlice raw, PqErr *e)
{
    PQ_TRY(PQ_ARENA_GROW(r->a, *list, *n, e));
    return text_of(r->a, raw, &(*list)[(*n)++], e);
}

static PqRc take(Reading *r, const Xml *x, PqErr *e)
{
    PqS3Page *page = r->page;

    if (is_within(x, 2, "Contents", "Key")) {
        return add(r, &page->keys, &page->n_keys, x->raw, e);
    }
    if (is_within(x, 2, "CommonPrefixes", "Prefix")) {
        return add(r, &page->prefixes, &page->n_prefixes, x->raw, e);
    }
    if (is_within(x, 1, LISTING, "NextContinuationToken")) {
        return text_of(r->a, x->raw, &page->next, e);
    }
    if (is_within(x, 1, LISTING, "Contents")) {
        return ++r->n_objects == page->n_keys
                   ? PQ_OK
                   : pq_fail(e, PQ_CORRUPT, "the server lists an object that has not "
                             "one key");
    }
    if (is_within(x, 1, LISTING, "IsTruncated")) {
        r->more = pq_parse_is_word(pq_parse_trim(x->raw), "true");
    } else if (is_within(x, 1, LISTING, "EncodingType")) {
        r->encoded = pq_parse_is_word(pq_parse_trim(x->raw), "url");
    }
    return PQ_OK;
}

/* In place.  Servers write a blank as %20 or as '+', and a '+' always as %2B. */
static void decode(const char *text)
{
    char *to = (char *)(uintptr_t)text;
    size_t left = strlen(text), used;

    for (; left; text += used, left -= used) {
        uint8_t c = pq_ascii_decoded((const uint8_t *)text, left, &used);

        *to++ = used == 1 && c == '+' ? ' ' : (char)c;
    }
    *to = 0;
}

PqRc pq_s3_page_read(PqArena *a, PqSlice xml, PqS3Page *out, PqErr *e)
{
    Reading r = {.a = a, .page = out};
    bool more = true;
    Xml x;

    *out = (PqS3Page){.next = NULL};
    for (xml_begin(&x, xml); more;) {
        PQ_TRY(xml_next(&x, &more, e));
        PQ_TRY(more ? take(&r, &x, e) : PQ_OK);
    }
    if (!pq_slice_is(x.name[0], LISTING)) {
        return pq_fail(e, PQ_CORRUPT, "the server's answer is not a listing");
    }
    for (uint32_t i = 0; i < out->n_keys && r.encoded; i++) {
        decode(out->keys[i]);
    }
    for (uint32_t i = 0; i < out->n_prefixes && r.encoded; i++) {
        decode(out->prefixes[i]);
    }
    if (r.more && !(out->next && *out->next)) {
        return pq_fail(e, PQ_CORRUPT, "the server's listing goes on, but it does not say where");
    }
    out->next = r.more ? out->next : NULL;
    return PQ_OK;
}

/* ---- other answers --------------------------------------------------------------- */

const char *pq_s3_element(PqArena *a, PqSlice xml, const char *parent, const char *name, PqErr *e)
{
    const char *text = NULL;
    bool more = true;
    Xml x;

    xml_begin(&x, xml);
    while (!text && xml_next(&x, &more, e) == PQ_OK && more) {
        if (pq_slice_is(x.name[x.depth], name) &&
            (!parent || (x.depth && pq_slice_is(x.name[x.depth - 1], parent))) &&
            text_of(a, x.raw, &text, e) != PQ_OK) {
            return NULL;
        }
    }
    return text;
}

const char *pq_s3_trouble(PqArena *a, PqSlice xml, const char *name)
{
    PqErr ignored = PQ_NO_ERR;
    const char *text = pq_s3_element(a, xml, "Error", name, &ignored);

    return text ? text : "";
}
