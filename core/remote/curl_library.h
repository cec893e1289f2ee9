/*
** curl_library.h - the functions of libcurl, loaded when they are needed first.
**
** The extension is not linked with libcurl: most statements read local files, and
** a machine without libcurl can load the extension.  libcurl wipes memory that it frees,
** because requests have secrets, unless the program itself set libcurl up before.
*/
#ifndef PQ_CURL_LIBRARY_H
#define PQ_CURL_LIBRARY_H

#include "core/base/err.h"

#define CURL_DISABLE_TYPECHECK       /* its macros take the functions' names */
#include <curl/curl.h>

#undef curl_easy_setopt
#undef curl_easy_getinfo

/* An option that newer headers warn of, and one that is younger than the oldest. */
#define PQ_CURL_PROTOCOLS ((CURLoption)(CURLOPTTYPE_LONG + 181))
#define PQ_CURL_QUICK_EXIT ((CURLoption)(CURLOPTTYPE_LONG + 322))

#define PQ_CURL_FUNCTIONS(F)                                                     \
    F(curl_global_init_mem) F(curl_slist_append) F(curl_slist_free_all)              \
    F(curl_easy_init) F(curl_easy_cleanup) F(curl_easy_setopt)                   \
    F(curl_easy_getinfo) F(curl_easy_strerror)                                   \
    F(curl_multi_init) F(curl_multi_cleanup) F(curl_multi_setopt)                \
    F(curl_multi_add_handle) F(curl_multi_remove_handle) F(curl_multi_perform)   \
    F(curl_multi_poll) F(curl_multi_wakeup) F(curl_multi_info_read)

typedef struct PqCurl {
#define F(name) __typeof__(&name) name;
    PQ_CURL_FUNCTIONS(F)
#undef F
} PqCurl;

/* PQ_UNSUPPORTED, and what to install, if it is missing.  It stays loaded. */
PqRc pq_curl_load(const PqCurl **out, PqErr *e);

#endif
