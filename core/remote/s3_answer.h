/*
** s3_answer.h - the XML that a server of S3 answers with: a page of a listing, what
** went wrong, an upload that began or was completed.
**
** Any of it is a claim: elements that are not known are passed over, the names of elements
** that are within each other have at most 255 bytes, entities are &lt; &gt; &amp; &quot; &apos;
** and &#..; alone, and there are no comments, CDATA and DTD, and no '>' in attributes, which no
** server sends.
*/
#ifndef PQ_S3_ANSWER_H
#define PQ_S3_ANSWER_H

#include "core/base/arena.h"
#include "core/base/bytes.h"

typedef struct PqS3Found {
    const char *key;
    bool        is_folder;           /* of CommonPrefixes                        */
} PqS3Found;

/* ListObjectsV2, asked with encoding-type=url: keys are decoded. */
typedef struct PqS3Page {
    PqS3Found  *found;
    uint32_t    n;
    const char *next;                /* continuation token; NULL: the last page  */
} PqS3Page;

PqRc pq_s3_page_read(PqArena *a, PqSlice xml, PqS3Page *out, PqErr *e);

/* The text of the first element whose path ends so ("/UploadId", "/Error/Code"), as long as all
** before it is right.  NULL: there is none. */
const char *pq_s3_element(PqArena *a, PqSlice xml, const char *end, PqErr *e);

#endif
