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

/* Visits the elements of the array that began with the last token; their keys are
** empty. */
PqRc pq_json_elements(PqJsonRead *r, PqJsonVisit visit, void *arg, PqErr *e);

/* The members of a text that is an object, and nothing else. */
PqRc pq_json_object(PqSlice text, PqArena *a, PqJsonVisit visit, void *arg, PqErr *e);

/* A member that is wanted.  null leaves it as it is, as if it were missing. */
typedef struct PqJsonMember {
    const char *key;
    PqSlice    *text;                /* what it is; of a string, its text        */
    int64_t    *number;
} PqJsonMember;

/* Those of the object that began with the last token, or of a text that is one. */
PqRc pq_json_pick(PqJsonRead *r, const PqJsonMember *m, size_t n, PqErr *e);
PqRc pq_json_pick_of(PqSlice text, PqArena *a, const PqJsonMember *m, size_t n, PqErr *e);

/* The elements of a text that is an array, or of an empty text, each as the text of a
** member. */
typedef PqRc (*PqJsonEach)(void *arg, PqSlice element, PqErr *e);
PqRc pq_json_each(PqSlice text, PqArena *a, PqJsonEach each, void *arg, PqErr *e);

/* A whole number; false: it is none that fits. */
bool pq_json_int(const PqJsonToken *t, int64_t *out);

#endif
