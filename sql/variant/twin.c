/*
** twin.c - the texts that SQLite holds, and their Variants.
**
** A text and its twin are one allocation, which begins with a link.  There are
** rarely more of them than registers of the running statements, so they are
** found in a small table of lists, by their place in memory.
*/
#include "sql/variant/twin.h"

typedef struct Twin {
    struct Twin  *next, **back;
    PqsqlTwins   *of;
    size_t        text_n, blob_n;
    char          text[];            /* text, NUL, blob */
} Twin;

enum { LISTS = 64 };

struct PqsqlTwins {
    Twin    *list[LISTS];
    uint64_t n;                      /* twins that SQLite holds             */
    uint32_t begun;
    bool     closed;                 /* the connection let go of it         */
};

static size_t list_of(const char *text)
{
    return ((uintptr_t)text >> 4 ^ (uintptr_t)text >> 12) % LISTS;
}

PqsqlTwins *pqsql_twins_new(void)
{
    PqsqlTwins *t = sqlite3_malloc(sizeof *t);

    if (t) {
        memset(t, 0, sizeof *t);
    }
    return t;
}

/* The last text may be let go of after the connection's modules. */
void pqsql_twins_free(PqsqlTwins *t)
{
    if (t && t->n > 0) {
        t->closed = true;
    } else {
        sqlite3_free(t);
    }
}

static void let_go(void *text)
{
    Twin *twin = (Twin *)(void *)((char *)text - offsetof(Twin, text));
    PqsqlTwins *t = twin->of;

    *twin->back = twin->next;
    if (twin->next) {
        twin->next->back = twin->back;
    }
    sqlite3_free(twin);
    t->n--;
    if (t->closed) {
        pqsql_twins_free(t);
    }
}

bool pqsql_twin_of(const PqsqlTwins *t, sqlite3_value *v, PqSlice *blob)
{
    const char *text;
    const Twin *twin;

    if (!t || t->n == 0 || sqlite3_value_type(v) != SQLITE_TEXT) {
        return false;
    }
    text = (const char *)sqlite3_value_text(v);
    for (twin = t->list[list_of(text)]; twin && twin->text != text;
         twin = twin->next) {
    }
    if (twin) {
        *blob = pq_slice(twin->text + twin->text_n + 1, twin->blob_n);
    }
    return twin != NULL;
}

void pqsql_twin_result(PqsqlTwins *t, sqlite3_context *ctx, PqSlice text,
                       PqSlice blob)
{
    Twin *twin = sqlite3_malloc64(sizeof *twin + text.n + 1 + blob.n), **list;

    if (!twin) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    list = &t->list[list_of(twin->text)];
    *twin = (Twin){*list, list, t, text.n, blob.n};
    memcpy(twin->text, text.p, text.n);
    twin->text[text.n] = 0;
    if (blob.n) {
        memcpy(twin->text + text.n + 1, blob.p, blob.n);
    }
    if (*list) {
        (*list)->back = &twin->next;
    }
    *list = twin;
    t->n++;
    sqlite3_result_text(ctx, twin->text, -1, let_go);
}

void pqsql_twins_begin(PqsqlTwins *t)
{
    t->begun++;
}

void pqsql_twins_end(PqsqlTwins *t)
{
    t->begun--;
}

bool pqsql_twins_wanted(const PqsqlTwins *t)
{
    return t->begun > 0;
}
