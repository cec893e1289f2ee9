/*
** small_file.h - for tests of the footer and what it refers to: a worked
** example, sample files if there are any, and files built by hand.
*/
#ifndef SMALL_FILE_H
#define SMALL_FILE_H

#include "core/meta/footer.h"
#include "test/unit/test.h"

#include <stdlib.h>
#include <unistd.h>

/* parquet-go, five rows of one required text column, "text1" to "text5"
** (walkthrough-hexdump-ja.txt). */
#define WALKTHROUGH                                                   \
    "504152311506155a155a15aba384b4034c150a1500150a15001500150012"    \
    "000005000000746578743105000000746578743205000000746578743305"    \
    "000000746578743405000000746578743519120019180574657874311918"    \
    "057465787435150019160000191c1608159201160000001504192c480c4d"    \
    "795479706553696d706c65150200150c250018047465787425004c1c0000"    \
    "00160a191c191c26001c150c191500191804746578741500160a16920116"    \
    "920126083c580574657874351805746578743100191c1506150015020000"    \
    "16cc011516169a01153200169201160a190c160816920100190c18376769"    \
    "746875622e636f6d2f706172717565742d676f2f706172717565742d676f"    \
    "2076657273696f6e20302e32332e30286275696c642029191c1c000000ba"    \
    "00000050415231"

/* An open file; close it with small_close, also after a failure. */
typedef struct Small {
    PqSource *source;
    PqInput   in;
    PqFooter *footer;
} Small;

static inline PqRc small_open(Test *t, PqSlice bytes, Small *s)
{
    memset(s, 0, sizeof *s);
    PQ_TRY(pq_source_open_memory(t->mem, "small.parquet", bytes, &s->source,
                                 t->e));
    s->in.source = s->source;
    return pq_footer_read(&s->in, NULL, t->mem, &s->footer, t->e);
}

/* Opens a sample file by its name; sets t->skipped if there are none. */
static inline PqRc small_open_sample(Test *t, const char *name, Small *s)
{
    const char *root = getenv("PARQUET_TESTING");
    char path[1024];

    memset(s, 0, sizeof *s);
    snprintf(path, sizeof path, "%s/%s",
             root ? root : "../shared/parquet-testing", name);
    if (access(path, R_OK) != 0) {
        t->skipped = NO_SAMPLES;
        return PQ_IO;
    }
    PQ_TRY(pq_source_open(t->mem, path, &s->source, t->e));
    s->in.source = s->source;
    return pq_footer_read(&s->in, NULL, t->mem, &s->footer, t->e);
}

static inline void small_close(Small *s)
{
    pq_footer_release(s->footer);
    pq_source_close(s->source);
}

#endif
