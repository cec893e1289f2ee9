/*
** json_read.h - reads JSON text, one token after the other.
**
**   {"a":[1,"x\n"]}      OBJECT  KEY a  ARRAY  NUMBER 1  STRING x<LF>
**   0    5 6 8    14     ARRAY_END  OBJECT_END  END
**
** The caller pulls tokens.  The grammar is RFC 8259 and nothing more.  Not
** decided here: the value of a number (9e999), the meaning of a second member
** of the same name, and whether the bytes of a string are UTF-8.  The depth is
** limited: the reader keeps a bit per level and never recurses.  Positions are
** byte offsets into the text.
*/
#ifndef PQ_JSON_READ_H
#define PQ_JSON_READ_H

#include "core/base/arena.h"

typedef enum PqJsonKind {
    PQ_JSON_END,                     /* of the whole text                    */
    PQ_JSON_NULL, PQ_JSON_TRUE, PQ_JSON_FALSE,
    PQ_JSON_NUMBER,                  /* text: as written                     */
    PQ_JSON_STRING,                  /* text: unescaped                      */
    PQ_JSON_KEY,                     /* of an object's member; likewise      */
    PQ_JSON_ARRAY, PQ_JSON_ARRAY_END,
    PQ_JSON_OBJECT, PQ_JSON_OBJECT_END
} PqJsonKind;

typedef struct PqJsonToken {
    PqJsonKind kind;
    PqSlice    text;                 /* in the JSON text, or in the arena    */
    size_t     at;                   /* where it begins                      */
} PqJsonToken;

enum { PQ_JSON_DEPTH = 1000 };

typedef struct PqJsonRead {
    PqSlice  text;
    size_t   at;
    PqArena *arena;                  /* for strings with escapes             */
    uint32_t depth;                  /* open arrays and objects              */
    uint32_t expects;                /* private to json_read.c               */
    uint64_t is_object[(PQ_JSON_DEPTH + 63) / 64];
} PqJsonRead;

void pq_json_read_begin(PqJsonRead *r, PqSlice text, PqArena *a);

/* The next token; PQ_CORRUPT with "malformed JSON at byte N: ..." if there is
** none.  Do not call it again after a failure. */
PqRc pq_json_read_next(PqJsonRead *r, PqJsonToken *out, PqErr *e);

/* Skips the rest of the value that the last token, begin, began: an array or an
** object; a scalar has no rest.  *whole is the text of the whole value; whole
** may be NULL. */
PqRc pq_json_read_skip(PqJsonRead *r, const PqJsonToken *begin, PqSlice *whole,
                       PqErr *e);

#endif
