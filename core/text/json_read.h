/*
** json_read.h - JSON text, one token after the other.
**
**   {"a":[1,"x\n"]}      OBJECT  KEY a  ARRAY  NUMBER 1  STRING x<LF>
**   0    5 6 8    14     ARRAY_END  OBJECT_END  END
**
** Pull: the caller asks for the next token, and what is expected next follows
** from the ones before.  RFC 8259, nothing more; what a number is worth, 9e999
** for one, is not decided here, and neither is what a second member of the same
** name means, or whether the bytes of a string are UTF-8.  The depth is
** limited, so the reader keeps a bit per level and never recurses.  Positions
** are byte offsets into the text.
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
    uint32_t depth;                  /* of arrays and objects around         */
    uint32_t expects;                /* inside json_read.c                   */
    uint64_t is_object[(PQ_JSON_DEPTH + 63) / 64];
} PqJsonRead;

void pq_json_read_begin(PqJsonRead *r, PqSlice text, PqArena *a);

/* PQ_CORRUPT with "malformed JSON at byte N: ..." where it is none; a failed
** reader is not asked again. */
PqRc pq_json_read_next(PqJsonRead *r, PqJsonToken *out, PqErr *e);

/* Past the rest of the value whose beginning was the last token: an array, an
** object, or a scalar, which has no rest.  *whole (may be NULL) is its text
** from that beginning on. */
PqRc pq_json_read_skip(PqJsonRead *r, const PqJsonToken *begin, PqSlice *whole,
                       PqErr *e);

#endif
