/*
** http_headers.c - the headers of an answer, for all who send requests.
*/
#include "core/remote/http.h"

#include "core/text/parse.h"

const char *const pq_http_methods[] = {
    [PQ_HTTP_GET] = "GET", [PQ_HTTP_HEAD] = "HEAD", [PQ_HTTP_PUT] = "PUT",
    [PQ_HTTP_POST] = "POST", [PQ_HTTP_DELETE] = "DELETE",
};

void pq_http_take_headers(PqHttpAnswer *a, char *text, size_t n)
{
#define H(name, field) {name, &a->field},
    const struct {
        const char  *name;
        const char **to;
    } wanted[] = {PQ_HTTP_HEADERS(H)};
#undef H
    PqSlice left = pq_slice(text, n);

    for (size_t i = 0; i < PQ_COUNT(wanted); i++) {
        *wanted[i].to = "";
    }
    while (left.n) {
        PqSlice line = pq_slice_before(&left, '\n'), name = pq_slice_before(&line, ':');
        PqSlice value = pq_parse_trim(line);

        for (size_t i = 0; value.n && i < PQ_COUNT(wanted); i++) {
            if (!**wanted[i].to && pq_parse_is_word(name, wanted[i].name) &&
                !memchr(value.p, 0, value.n)) {
                *wanted[i].to = (const char *)value.p;
                text[value.p - (const uint8_t *)text + (ptrdiff_t)value.n] = 0;
            }
        }
    }
}
