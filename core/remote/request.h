/*
** request.h - a question to a server, with all that it takes to be answered.
**
**   s3://bucket/a.parquet  ->  https://bucket.s3.eu-west-1.amazonaws.com/a.parquet
**   with the secret of the longest prefix, signed
**   503, 429, reset        ->  again, after growing pauses
**   301 without a place    ->  again, in the bucket's region
**   302 elsewhere          ->  there, without any secret
**
** A request is begun and waited for.  Between the two, others may be begun: they
** are in flight side by side.  Its answer is what the server says in the end.  One that whoever
** asks does not want is an error, which names the URL without its query, the status, the
** server's words, and what to do.
**
** What is written is sent again like what is asked: the body is kept until then.
** Only what asks is redirected.
*/
#ifndef PQ_REQUEST_H
#define PQ_REQUEST_H

#include "core/remote/remote.h"

/* What the options of a table say: how long a server is waited for, and how much is
** fetched of a file that has to be fetched whole. */
typedef struct PqPatience {
    int64_t retries;
    int64_t timeout;                 /* seconds without a byte                   */
    int64_t spool;                   /* bytes                                    */
} PqPatience;

extern const PqPatience pq_usual_patience;

/* On whose behalf a server is asked, and how patiently. */
typedef struct PqRemoteTerms {
    bool       own;                  /* see pq_access_check                 */
    /* Of a file that is opened: */
    bool       last_known;           /* the version that was seen last will do:
                                     ** nothing is asked (for estimates)    */
    bool       optional;             /* *out is NULL if it does not exist   */
    bool       one_of_many;          /* a short tail will do                */
    bool       columns_only;         /* ... and a shorter one, for its footer */
    bool       bytes;                /* its bytes are wanted, and not only whether it has changed */
    const void *statement;           /* see pq_remote_expect                */
    PqPatience patience;
} PqRemoteTerms;

/* Borrowed until the request is freed. */
typedef struct PqQuestion {
    PqHttpMethod method;
    const PqUrl *url;
    const char  *query;              /* as it is signed (sign.h); NULL: the URL's
                                     ** own                                      */
    const char  *range;              /* "bytes=0-99"; NULL: all of it            */
    const char  *if_match, *if_none_match;
    const char  *content_type;
    PqSlice      body;
    PqSink      *body_in;            /* see PqHttpRequest                        */
    const char  *judged;             /* "404 412": wanted, besides 200 to 299; NULL: none */
    size_t       most;               /* bytes of an answer                       */
    bool         spools;             /* see PqHttpRequest.spool                  */
    bool         has_parts;          /* see PqHttpRequest                        */
    const PqRemoteTerms *terms;      /* NULL: its own, and the usual patience    */
} PqQuestion;

typedef struct PqRequest PqRequest;

PqRc pq_request_begin(PqRemote *r, const PqQuestion *q, PqRequest **out, PqErr *e);

/* Waits for the answer, sends again where that may help.  One thread at a time.  An answer that
** is not wanted is an error, and in *out all the same. */
PqRc pq_request_wait(PqRequest *x, const _Atomic bool *stopped, PqHttpAnswer **out, PqErr *e);

/* Has the answer come, or does it come within ms?  Then pq_request_wait takes no time, or
** sends the question again.  This may return earlier if another answer has come. */
bool pq_request_is_there(PqRequest *x, uint32_t ms);

/* Was it sent more than once?  Then the server may have done twice what it says. */
bool pq_request_was_repeated(const PqRequest *x);

/* An answer that is not wanted after all, as an error. */
PqRc pq_request_refused(const PqRequest *x, const PqHttpAnswer *a, PqErr *e);

/* Cancels what is in flight.  x may be NULL. */
void pq_request_free(PqRequest *x);

/* Begins and waits.  The caller frees *x; it is NULL after a failure. */
PqRc pq_request_ask(PqRemote *r, const PqQuestion *q, const _Atomic bool *stopped, PqRequest **x,
                    PqHttpAnswer **out, PqErr *e);

#endif
