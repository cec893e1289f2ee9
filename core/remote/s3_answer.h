/*
** s3_answer.h - the XML that a server of S3 answers with: a page of a listing, what
** went wrong, an upload that began or was completed.
**
** Any of it is a claim: elements that are not known are passed over, nesting is at
** most 32 deep, entities are &lt; &gt; &amp; &quot; &apos; and &#..; alone, and there
** are no comments, CDATA and DTD, which no server sends.
*/
#ifndef PQ_S3_ANSWER_H
#define PQ_S3_ANSWER_H

#include "core/base/arena.h"
#include "core/base/bytes.h"

/* ListObjectsV2, asked with encoding-type=url: keys and prefixes are decoded. */
typedef struct PqS3Page {
    const char **keys;
    const char **prefixes;           /* CommonPrefixes: "folders"                */
    uint32_t     n_keys, n_prefixes;
    const char  *next;               /* continuation token; NULL: the last page  */
} PqS3Page;

PqRc pq_s3_page_read(PqArena *a, PqSlice xml, PqS3Page *out, PqErr *e);

/* The text of the first element of a name ("UploadId"), within one of another name, or
** at any depth if parent is NULL.  NULL: no element has that name. */
const char *pq_s3_element(PqArena *a, PqSlice xml, const char *parent, const char *name, PqErr *e);

/* What an <Error> says as its Code, Message or Region; "": nothing. */
const char *pq_s3_trouble(PqArena *a, PqSlice xml, const char *name);

#endif
