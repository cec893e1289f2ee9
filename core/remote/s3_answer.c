/*
** s3_answer.c - reads XML element by element.
**
**   <ListBucketResult xmlns="...">
**     <EncodingType>url</EncodingType>           may come after the keys, so it is
**     <Contents>                                 looked for first
**       <Key>a%3D1/x+y.parquet</Key>             a=1/x y.parquet
**       <Size>1000</Size>                        not needed
**     </Contents>
**     <CommonPrefixes><Prefix>b/</Prefix></CommonPrefixes>
**     <IsTruncated>true</IsTruncated>
**     <NextContinuationToken>1ueG</NextContinuationToken>
**
** The reader hands out each element where it ends, with its path, and with the text that stands
** before its end: all of it, if no other element is within.  It works on a copy, in which texts
** end with a NUL and stay where they are.
*/
#include "core/remote/s3_answer.h"

#include "core/base/ascii.h"
#include "core/text/parse.h"
#include "core/text/utf8.h"

#include <stdio.h>
#include <stdlib.h>

enum { PATH_MOST = 256, UNICODE_MOST = 0x10ffff };

#define BLANKS " \t\r\n"
#define LISTING "/ListBucketResult"

static PQ_COLD PqRc wrong(const char *what, PqErr *e)
{
    return pq_fail(e, PQ_CORRUPT, "the server's XML %s", what);
}

/* path: "/ListBucketResult/Contents/Key".  Whatever it returns but PQ_OK ends the walk. */
typedef PqRc (*Take)(void *arg, const char *path, char *text, PqErr *e);

/* The first element, after a mark of UTF-8, blanks and <?xml ...?>. */
static char *first_of(char *at)
{
    at += strncmp(at, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    at += strspn(at, BLANKS);
    if (strncmp(at, "<?", 2) == 0) {
        at += strcspn(at, ">");
        at += strspn(at, ">" BLANKS);
    }
    return at;
}

/* Without its prefix and its attributes. */
static const char *name_of(char *tag)
{
    const char *colon;

    tag[strcspn(tag, "/" BLANKS)] = 0;
    colon = strchr(tag, ':');
    return colon ? colon + 1 : tag;
}

static PqRc enter(char path[PATH_MOST], const char *name, PqErr *e)
{
    size_t n = strlen(path), room = PATH_MOST - n;

    if (!*name || *name == '!' || *name == '?') {
        return wrong("has what no answer needs", e);
    }
    return (size_t)snprintf(path + n, room, "/%s", name) < room ? PQ_OK : wrong("is too deep", e);
}

static PqRc walk(char *at, Take take, void *arg, PqErr *e)
{
    char path[PATH_MOST] = "";

    at = first_of(at);
    if (*at != '<') {
        return wrong("does not begin with an element", e);
    }
    do {
        char *text = at, *tag = at + strcspn(at, "<"), *end = tag + strcspn(tag, ">"), *last;
        bool ends = *end && tag[1] == '/', is_empty = *end && end[-1] == '/';
        const char *name;

        if (!*end) {
            return wrong("ends too early", e);
        }
        *tag = *end = 0;
        at = end + 1;
        name = name_of(tag + 1 + ends);
        PQ_TRY(ends ? PQ_OK : enter(path, name, e));
        last = strrchr(path, '/');
        if (!last || strcmp(last + 1, name) != 0) {
            return wrong("has an element that ends and did not begin", e);
        }
        if (ends || is_empty) {
            PQ_TRY(take(arg, path, ends ? text : end, e));
            *last = 0;
        }
    } while (*path);
    return PQ_OK;
}

/* ---- texts ---------------------------------------------------------------------- */

/* The character of the entity that begins here, and what follows it; 0: it is none. */
static uint32_t read_entity(const char **at)
{
    static const struct { const char *text; char c; } named[] = {
        {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''},
    };
    unsigned long c;
    bool is_hex;
    char *end;

    for (size_t i = 0; i < PQ_COUNT(named); i++) {
        if (strncmp(*at, named[i].text, strlen(named[i].text)) == 0) {
            *at += strlen(named[i].text);
            return (uint32_t)named[i].c;
        }
    }
    if (strncmp(*at, "&#", 2) != 0) {
        return 0;
    }
    is_hex = (*at)[2] == 'x';
    c = strtoul(*at + 2 + is_hex, &end, is_hex ? 16 : 10);
    *at = end + 1;
    return *end != ';' || c > UNICODE_MOST || (c >= 0xd800 && c <= 0xdfff) ? 0 : (uint32_t)c;
}

/* In place: entities are longer than what they stand for. */
static PqRc read_text(char *to, PqErr *e)
{
    const char *at = to;

    while (*at) {
        if (*at == '&') {
            uint32_t c = read_entity(&at);

            PQ_TRY(c ? PQ_OK : wrong("has an unknown entity", e));
            to += pq_utf8_put(c, (uint8_t *)to);
        } else {
            *to++ = *at++;
        }
    }
    *to = 0;
    return PQ_OK;
}

/* ---- a page of a listing --------------------------------------------------------- */

typedef struct Reading {
    PqS3See     see;
    void       *arg;
    const char *next;
    bool        is_listing, more, encoded;
} Reading;

/* In place.  Servers write a blank as %20 or as '+', and a '+' always as %2B. */
static void decode(char *to)
{
    const char *at = to;
    size_t left = strlen(at), used;

    for (; left; at += used, left -= used) {
        uint8_t c = pq_ascii_decoded((const uint8_t *)at, left, &used);

        *to++ = used == 1 && c == '+' ? ' ' : (char)c;
    }
    *to = 0;
}

static PqRc take(void *reading, const char *path, char *text, PqErr *e)
{
    Reading *r = reading;
    bool is_key = strcmp(path, LISTING "/Contents/Key") == 0;

    if (is_key || strcmp(path, LISTING "/CommonPrefixes/Prefix") == 0) {
        PQ_TRY(read_text(text, e));
        if (r->encoded) {
            decode(text);
        }
        return r->see(r->arg, text, !is_key, e);
    }
    if (strcmp(path, LISTING "/NextContinuationToken") == 0) {
        r->next = text;
        return read_text(text, e);
    }
    if (strcmp(path, LISTING "/IsTruncated") == 0) {
        r->more = pq_parse_is_word(pq_parse_trim(pq_slice_text(text)), "true");
    }
    r->is_listing = strcmp(path, LISTING) == 0;
    return PQ_OK;
}

PqRc pq_s3_page_read(PqArena *a, PqSlice xml, PqS3See see, void *arg, const char **next, PqErr *e)
{
    Reading r = {.see = see, .arg = arg};
    char *text = pq_arena_text(a, xml.p, xml.n, e);

    PQ_TRY(text ? PQ_OK : e->rc);
    r.encoded = strstr(text, "EncodingType>url<") != NULL;
    PQ_TRY(walk(text, take, &r, e));
    if (!r.is_listing) {
        return pq_fail(e, PQ_CORRUPT, "the server's answer is not a listing");
    }
    if (r.more && !(r.next && *r.next)) {
        return pq_fail(e, PQ_CORRUPT, "the server's listing goes on, but it does not say where");
    }
    *next = r.more ? r.next : NULL;
    return PQ_OK;
}

/* ---- other answers --------------------------------------------------------------- */

typedef struct Wanted {
    const char *end, *text;
} Wanted;

/* What follows the first one is not looked at: it may be cut off. */
static PqRc take_first(void *wanted, const char *path, char *text, PqErr *e)
{
    Wanted *w = wanted;
    size_t n = strlen(path), n_end = strlen(w->end);

    if (n < n_end || strcmp(path + n - n_end, w->end) != 0) {
        return PQ_OK;
    }
    PQ_TRY(read_text(text, e));
    w->text = text;
    return PQ_STOPPED;
}

const char *pq_s3_element(PqArena *a, PqSlice xml, const char *end, PqErr *e)
{
    Wanted w = {.end = end};
    char *text = pq_arena_text(a, xml.p, xml.n, e);

    if (text) {
        walk(text, take_first, &w, e);
    }
    return w.text;
}
