/*
** path_list.c - reads a list of paths.
**
** Errors of the JSON reader become errors of the call: no file is damaged, so
** code that leaves out damaged files must not swallow them.
*/
#include "core/files/path_list.h"

#include "core/text/json_read.h"

#define BLANKS " \t\r\n"

bool pq_path_list_is(const char *text)
{
    const char *first;

    if (*text != '[') {
        return false;
    }
    first = text + 1 + strspn(text + 1, BLANKS);
    return *first == '"' ||
           (*first == ']' && !first[1 + strspn(first + 1, BLANKS)]);
}

static PqRc next(PqJsonRead *r, PqJsonToken *token, PqErr *e)
{
    PqErr why = PQ_NO_ERR;

    if (pq_json_read_next(r, token, &why) == PQ_OK) {
        return PQ_OK;
    }
    return why.rc == PQ_CORRUPT
               ? pq_fail(e, PQ_USAGE, "the list of paths is %s", why.text)
               : pq_fail(e, why.rc, "%s", why.text);
}

static PqRc add(const PqJsonToken *token, PqPaths *out, PqErr *e)
{
    PqSlice path = token->text;

    if (token->kind != PQ_JSON_STRING) {
        return pq_fail(e, PQ_USAGE, "the list of paths has something else than a "
                       "text at byte %zu", token->at);
    }
    if (!path.n || memchr(path.p, 0, path.n)) {
        return pq_fail(e, PQ_USAGE, "the list of paths has %s at byte %zu",
                       path.n ? "a path with a NUL in it" : "an empty path",
                       token->at);
    }
    return pq_paths_add(out, path.p, path.n, e);
}

PqRc pq_path_list_read(const char *text, PqPaths *out, PqErr *e)
{
    PqJsonToken token;
    PqJsonRead r;

    pq_json_read_begin(&r, pq_slice_text(text), out->arena);
    PQ_TRY(next(&r, &token, e));     /* the bracket */
    for (;;) {
        PQ_TRY(next(&r, &token, e));
        if (token.kind == PQ_JSON_ARRAY_END) {
            break;
        }
        PQ_TRY(add(&token, out, e));
    }
    PQ_TRY(next(&r, &token, e));
    return out->n ? PQ_OK
                  : pq_fail(e, PQ_USAGE, "the list of paths is empty");
}
