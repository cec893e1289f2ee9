/*
** json_members.h - the members of a JSON object, one call for each.
**
** Logs are JSON objects of which a reader needs a few members, in any order; the
** others are passed over.
*/
#ifndef PQ_JSON_MEMBERS_H
#define PQ_JSON_MEMBERS_H

#include "core/text/json_read.h"

/* value is the member's first token.  Of an array or an object the visitor may
** read as much as it likes, or nothing. */
typedef PqRc (*PqJsonVisit)(void *arg, PqJsonRead *r, PqSlice key,
                            const PqJsonToken *value, PqErr *e);

/* Visits the members of the object that began with the last token. */
PqRc pq_json_members(PqJsonRead *r, PqJsonVisit visit, void *arg, PqErr *e);

/* The members of a text that is an object, and nothing else. */
PqRc pq_json_object(PqSlice text, PqArena *a, PqJsonVisit visit, void *arg, PqErr *e);

/* A member that is wanted.  null leaves it as it is, as if it were missing. */
typedef struct PqJsonMember {
    const char *key;                 /* "format/provider": that of a member that is an object */
    PqSlice    *text;                /* what it is; of a string, its text        */
    int64_t    *number;
} PqJsonMember;

/* At most so many; none lies in another one. */
enum { PQ_JSON_PICK_MOST = 24 };

/* Those of the object that began with the last token, or of a text that is one. */
PqRc pq_json_pick(PqJsonRead *r, const PqJsonMember *m, size_t n, PqErr *e);
PqRc pq_json_pick_of(PqSlice text, PqArena *a, const PqJsonMember *m, size_t n, PqErr *e);

/* The elements of a text that is an array, or of an empty text:
**
**   PqJsonList l = pq_json_list(text, a);
**   while (pq_json_list_next(&l, e)) { ... l.element ... }
**
** It ends with an error too, which e has then. */
typedef struct PqJsonList {
    PqJsonRead r;
    PqSlice    element;              /* what it is; of a string, its text        */
} PqJsonList;

PqJsonList pq_json_list(PqSlice text, PqArena *a);
bool pq_json_list_next(PqJsonList *l, PqErr *e);

/* A whole number; false: it is none that fits. */
bool pq_json_int(const PqJsonToken *t, int64_t *out);

#endif
