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

enum { DEPTH_MOST = 32, ENTITY_MOST = 10 };

typedef struct Xml {
    PqSlice        all, rest;
    PqSlice        open[DEPTH_MOST]; /* names of elements that have begun        */
    uint32_t       depth;
    const uint8_t *content;          /* of the one that began last               */
    bool           leaf;             /* nothing has ended since it began         */
    bool           over;             /* the outermost has ended                  */
} Xml;

typedef struct Element {
    PqSlice  name, parent;           /* without a prefix                         */
    uint32_t depth;                  /* 1: the outermost                         */
    PqSlice  raw;                    /* its text as it is written; none if other
                                     ** elements are within                      */
} Element;

static PQ_COLD PqRc wrong(const Xml *x, const char *what, PqErr *e)
{
    return pq_fail(e, PQ_CORRUPT, "the server's XML %s, at byte %zu", what, x->all.n - x->rest.n);
}

static void xml_begin(Xml *x, PqSlice text)
{
    *x = (Xml){.all = text, .rest = text};
    if (text.n >= 3 && memcmp(text.p, "\xef\xbb\xbf", 3) == 0) {
        pq_slice_cut(&x->rest, 3);
    }
}

static bool begins(PqSlice s, const char *with)
{
    size_t n = strlen(with);

    return s.n >= n && memcmp(s.p, with, n) == 0;
}

/* Cuts off what ends with a character; false if that does not come. */
static bool cut_through(PqSlice *s, int end, PqSlice *out)
{
    const uint8_t *at = s->n ? memchr(s->p, end, s->n) : NULL;

    *out = pq_slice_cut(s, at ? (size_t)(at - s->p) : 0);
    pq_slice_cut(s, at != NULL);
    return at != NULL;
}

static PqSlice without_prefix(PqSlice name)
{
    const uint8_t *colon = name.n ? memchr(name.p, ':', name.n) : NULL;

    if (colon) {
        pq_slice_cut(&name, (size_t)(colon + 1 - name.p));
    }
    return name;
}

static void end_element(Xml *x, PqSlice raw, Element *out)
{
    out->depth = x->depth;
    out->name = without_prefix(x->open[--x->depth]);
    out->parent = x->depth ? without_prefix(x->open[x->depth - 1]) : pq_slice("", 0);
    out->raw = x->leaf ? raw : pq_slice("", 0);
    x->leaf = false;
    x->over = x->depth == 0;
}

/* After "</". */
static PqRc read_end(Xml *x, Element *out, PqErr *e)
{
    PqSlice raw = pq_slice(x->content, (size_t)(x->rest.p - 2 - x->content)), name;

    if (!x->depth || !cut_through(&x->rest, '>', &name) ||
        !pq_slice_equal(pq_parse_trim(name), x->open[x->depth - 1])) {
        return wrong(x, "has an element that ends and did not begin", e);
    }
    end_element(x, raw, out);
    return PQ_OK;
}

/* After "<".  *ended: it has no content, <Prefix/>. */
static PqRc read_begin(Xml *x, Element *out, bool *ended, PqErr *e)
{
    PqSlice tag;
    size_t n = 0, end = 0;
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
    while (n < tag.n && !pq_ascii_is_blank(tag.p[n])) {
        n++;
    }
    if (n == 0) {
        return wrong(x, "has an element without a name", e);
    }
    x->open[x->depth++] = pq_slice(tag.p, n);
    x->content = x->rest.p;
    x->leaf = true;
    if (*ended) {
        end_element(x, pq_slice("", 0), out);
    }
    return PQ_OK;
}

/* The next element that ends; *more is false after the outermost one. */
static PqRc xml_next(Xml *x, Element *out, bool *more, PqErr *e)
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
        if (begins(x->rest, "?") && !x->depth) {
            if (!cut_through(&x->rest, '>', &text)) {
                return wrong(x, "ends within its first line", e);
            }
        } else if (begins(x->rest, "!") || begins(x->rest, "?")) {
            return wrong(x, "has what no answer needs", e);
        } else if (begins(x->rest, "/")) {
            pq_slice_cut(&x->rest, 1);
            PQ_TRY(read_end(x, out, e));
            *more = true;
        } else {
            PQ_TRY(read_begin(x, out, more, e));
        }
    }
    return PQ_OK;
}

/* ---- texts ---------------------------------------------------------------------- */

/* After the '&'. */
static bool read_entity(PqSlice *s, uint8_t **to)
{
    static const struct { const char *name; uint8_t c; } named[] = {
        {"lt;", '<'}, {"gt;", '>'}, {"amp;", '&'}, {"quot;", '"'}, {"apos;", '\''},
    };
    bool hex = begins(*s, "#x");
    uint32_t c = 0;

    for (size_t i = 0; i < PQ_COUNT(named); i++) {
        if (begins(*s, named[i].name)) {
            pq_slice_cut(s, strlen(named[i].name));
            *(*to)++ = named[i].c;
            return true;
        }
    }
    if (!begins(*s, "#")) {
        return false;
    }
    for (size_t i = hex ? 2 : 1; i < s->n && i < ENTITY_MOST; i++) {
        int digit = pq_ascii_hex(s->p[i]);

        if (s->p[i] == ';') {
            pq_slice_cut(s, i + 1);
            *to += pq_utf8_put(c, *to);
            return c > 0 && (c < 0xd800 || c > 0xdfff);
        }
        if (digit < 0 || digit > (hex ? 15 : 9)) {
            return false;
        }
        c = c * (hex ? 16 : 10) + (uint32_t)digit;
        if (c > 0x10ffff) {
            return false;
        }
    }
    return false;
}

/* Entities are longer than what they stand for. */
static PqRc text_of(PqArena *a, PqSlice raw, const char **out, PqErr *e)
{
    uint8_t *text = pq_arena_bytes(a, raw.n + 1, e), *to = text;

    if (!text) {
        return e->rc;
    }
    while (raw.n) {
        if (raw.p[0] == '&') {
            pq_slice_cut(&raw, 1);
            if (!read_entity(&raw, &to)) {
                return pq_fail(e, PQ_CORRUPT, "the server's XML has an unknown entity");
            }
        } else {
            *to++ = *pq_slice_cut(&raw, 1).p;
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
    bool      more, encoded, is_listing;
} Reading;

static PqRc add(Reading *r, const char ***list, uint32_t *n, PqSlice raw, PqErr *e)
{
    PQ_TRY(PQ_ARENA_GROW(r->a, *list, *n, e));
    return text_of(r->a, raw, &(*list)[(*n)++], e);
}

/* Is it an element of this name within one of that name? */
static bool is_within(const Element *el, const char *parent, const char *name)
{
    return pq_slice_is(el->parent, parent) && pq_slice_is(el->name, name);
}

static PqRc take(Reading *r, const Element *el, PqErr *e)
{
    PqS3Page *page = r->page;

    if (el->depth == 3) {
        return is_within(el, "Contents", "Key")
                   ? add(r, &page->keys, &page->n_keys, el->raw, e)
               : is_within(el, "CommonPrefixes", "Prefix")
                   ? add(r, &page->prefixes, &page->n_prefixes, el->raw, e)
                   : PQ_OK;
    }
    if (el->depth == 2 && pq_slice_is(el->name, "NextContinuationToken")) {
        return text_of(r->a, el->raw, &page->next, e);
    }
    if (el->depth == 2 && pq_slice_is(el->name, "Contents")) {
        return ++r->n_objects == page->n_keys
                   ? PQ_OK
                   : pq_fail(e, PQ_CORRUPT, "the server lists an object that has not "
                             "one key");
    }
    if (el->depth == 2 && pq_slice_is(el->name, "IsTruncated")) {
        r->more = pq_parse_is_word(pq_parse_trim(el->raw), "true");
    } else if (el->depth == 2 && pq_slice_is(el->name, "EncodingType")) {
        r->encoded = pq_parse_is_word(pq_parse_trim(el->raw), "url");
    } else if (el->depth == 1) {
        r->is_listing = pq_slice_is(el->name, "ListBucketResult");
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
    Element el;
    Xml x;

    *out = (PqS3Page){.next = NULL};
    xml_begin(&x, xml);
    for (;;) {
        PQ_TRY(xml_next(&x, &el, &more, e));
        if (!more) {
            break;
        }
        PQ_TRY(take(&r, &el, e));
    }
    if (!r.is_listing) {
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
    Element el;
    Xml x;

    xml_begin(&x, xml);
    while (!text && xml_next(&x, &el, &more, e) == PQ_OK && more) {
        if (pq_slice_is(el.name, name) && (!parent || pq_slice_is(el.parent, parent)) &&
            text_of(a, el.raw, &text, e) != PQ_OK) {
            return NULL;
        }
    }
    return text;
}

const char *pq_s3_trouble(PqArena *a, PqSlice xml, const char *name)
{
    const char *text;
    PqErr ignored;

    pq_err_init(&ignored);
    text = pq_s3_element(a, xml, "Error", name, &ignored);
    return text ? text : "";
}
