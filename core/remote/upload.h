/*
** upload.h - objects that are written: sinks whose bytes become requests.
**
**   s3://    alone, less than a part   PUT at the end
**            else                      POST ?uploads
**                                      PUT ?partNumber=1  2  3 ...   side by side,
**                                          while bytes come
**                                      POST ?uploadId=...: only now it is there
**   http://  https://                  PUT at the end, out of a file without a name
**
** A part is kept until the server has it, so it can be sent again.  Parts have 8 MB;
** after each 1,000 they are twice as large, up to 64 MB, because there may be 10,000:
** together 500 GB.  With little memory they are smaller, but for 5 MB, which is the
** least that S3 takes.
**
** Uploads belong to one PqUploads, the one of a copy.  They share its memory.  A sink
** that is paused puts the begin of its part into a scratch file.  Nothing is there
** before pq_uploads_finish, which asks for all of them at once; what it does not reach
** is taken back.
*/
#ifndef PQ_UPLOAD_H
#define PQ_UPLOAD_H

#include "core/base/sink.h"
#include "core/remote/request.h"

typedef struct PqUploads PqUploads;

/* The least memory that a copy gives its uploads: two of the least parts. */
enum { PQ_UPLOAD_LEAST = 12 << 20 };

/* only_new: an object that is there meanwhile is an error, as far as the server knows
** that (If-None-Match: *).  terms are borrowed. */
PqRc pq_uploads_new(PqRemote *r, size_t memory, bool only_new,
                    const PqRemoteTerms *terms, PqUploads **out, PqErr *e);

/* undo: uploads that were begun are aborted, and if they are only_new, objects that
** were made are deleted.  u may be NULL. */
void pq_uploads_free(PqUploads *u, bool undo);

/* Belongs to u, which closes it.  url is copied but for its texts.  alone: the only
** one, as all of http are. */
PqRc pq_upload_new(PqUploads *u, const PqUrl *url, const char *shown, bool alone,
                   PqSink **out, PqErr *e);

/* All of it was written. */
PqRc pq_upload_end(PqSink *s, PqErr *e);

/* Makes objects of all, which have ended.  After a failure some may be there. */
PqRc pq_uploads_finish(PqUploads *u, PqErr *e);

#endif
