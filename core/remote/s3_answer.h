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

typedef PqRc (*PqS3See)(void *arg, const char *key, bool is_folder, PqErr *e);

/* ListObjectsV2, asked with encoding-type=url: what it lists is decoded and seen, CommonPrefixes
** as folders.  *next: the continuation token; NULL: this is the last page. */
PqRc pq_s3_page_read(PqArena *a, PqSlice xml, PqS3See see, void *arg, const char **next, PqErr *e);

/* The text of the first element whose path ends so ("/UploadId", "/Error/Code"), as long as all
** before it is right.  NULL: there is none. */
const char *pq_s3_element(PqArena *a, PqSlice xml, const char *end, PqErr *e);

#endif
