/*
** http_inside.h - what http.c and http_exchange.c share: an exchange, its list, and
** the lock of both.
*/
#ifndef PQ_HTTP_INSIDE_H
#define PQ_HTTP_INSIDE_H

#include "core/base/system.h"
#include "core/remote/curl_library.h"
#include "core/remote/http.h"

#include <pthread.h>

struct PqExchange {
    PqHttp        *http;
    PqExchange    *next;
    CURL          *easy;
    struct curl_slist *headers;
    PqHttpRequest  q;                /* its texts belong to the caller      */
    size_t         n_sent;           /* of its body                         */
    PqBuf          head;             /* headers of the answer, the last one */
    size_t         n_header_bytes;   /* ... and of all that came before it  */
    int64_t        heard;            /* when; 0: since on_progress saw it   */
    bool           has_ended;        /* under the lock, like the next two   */
    bool           is_taken;         /* the thread has it                   */
    bool           abandoned;        /* the thread frees it                 */
    char           refused[INET6_ADDRSTRLEN];        /* that address; ""      */
    PqErr          e;                /* of memory, a file without a name, headers */
    PqHttpAnswer   answer;
    char           why[CURL_ERROR_SIZE];
};

struct PqHttp {
    const PqCurl   *curl;
    CURLM          *multi;
    pthread_mutex_t lock;            /* of the next three                   */
    pthread_cond_t  changed;
    PqExchange     *all;
    bool            stop;            /* set under ends_lock, too            */
    PqHttp         *next;            /* under ends_lock                     */
    pthread_t       thread;
    pid_t           owner;
};

/* An exchange that is not in the list yet. */
PqRc pq_exchange_new(PqHttp *h, PqMem *mem, const PqHttpRequest *q, PqExchange **out, PqErr *e);

/* Frees one that is in no list, and that libcurl does not work on. */
void pq_exchange_drop(PqExchange *x);

/* Makes the answer of what its transfer came to. */
void pq_exchange_conclude(PqExchange *x, CURLcode code);

#endif
