/*
** fake_curl.c - see fake_curl.h.
*/
#define _GNU_SOURCE
#include "test/fuzz/fake_curl.h"

#include "core/remote/curl_library.h"
#include "core/remote/remote.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

PqRc __wrap_pq_curl_load(const PqCurl **out, PqErr *e);
PqRc __wrap_pq_remote_pause(PqRemote *r, const _Atomic bool *stopped, uint32_t ms,
                            PqErr *e);

enum { RIGHT_HEAD = 1, RIGHT_BODY = 2, MORE = 4, FAILS = 8, TWISTED = 16,
       ALL = RIGHT_HEAD | RIGHT_BODY, WHATS = 2 * TWISTED, PARTS_MOST = 64, BODY_MOST = 1 << 20, PERIOD = 1 << 16 };

/* What becomes of a part, by the lower half of a byte. */
typedef enum Twist {
    AS_IT_IS, LEFT_OUT, TWICE, ENDS_EARLIER, OTHER_TOTAL, HUGE_END, LINES, NO_RANGE,
    NO_BOUNDARY, WORDS, MORE_HEADERS, JOINED, LAST,
    HALF, SHIFTED, ENDS_LATER,       /* these are lies of bytes             */
    TWISTS
} Twist;

typedef size_t (*Take)(char *p, size_t size, size_t n, void *arg);

/* A transfer, and the answer that it will have. */
typedef struct Easy {
    struct Easy *next;               /* of those that run, or have ended     */
    Take         on_header, on_body, on_send;
    void        *header_arg, *body_arg, *send_arg, *own;
    const struct curl_slist *headers;
    bool         no_body, sends, has_ended, was_told;
    uint8_t      what;
    long         status;
    PqSlice      more, body, twists;
    curl_off_t   length;
    CURLcode     code;
    CURLMsg      message;
} Easy;

/* Answers are given to transfers on the thread that makes them, so each input is
** answered in the same way every time. */
static PqSlice answers;
static uint64_t file_size;
static bool was_right;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;
static bool is_woken;
static Easy *running;                /* the thread of transfers has it       */

void fake_curl_begin(PqSlice from, uint64_t size)
{
    answers = from;
    file_size = size;
    was_right = true;
}

bool fake_curl_was_right(void)
{
    return was_right;
}

uint8_t fake_byte(uint64_t at)
{
    return (uint8_t)(at * 131 + (at >> 8));
}

/* ---- a transfer -------------------------------------------------------------------- */

static void take_answer(Easy *x)
{
    static const int statuses[] = {200, 206, 304, 412, 416, 404, 403, 400, 301, 302, 307,
                                   500, 501, 503, 429, 204, 100, 401, 405, 0};
    static const CURLcode codes[] = {
        CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_COULDNT_CONNECT, CURLE_HTTP2,
        CURLE_OPERATION_TIMEDOUT, CURLE_GOT_NOTHING, CURLE_PEER_FAILED_VERIFICATION,
    };

    x->what = answers.n ? door_u8(&answers) % WHATS : ALL;
    was_right = was_right && (x->what & ~TWISTED) == ALL;
    if (x->what & FAILS) {
        x->code = codes[door_u8(&answers) % PQ_COUNT(codes)];
    }
    if (!(x->what & RIGHT_HEAD)) {
        x->status = statuses[door_u8(&answers) % PQ_COUNT(statuses)];
    }
    if (x->what & MORE) {
        x->more = door_take(&answers, door_u8(&answers));
    }
    if (!(x->what & RIGHT_BODY)) {
        x->body = door_take(&answers, door_u16(&answers));
    }
    if (x->what & TWISTED) {
        x->twists = door_take(&answers, door_u8(&answers));
    }
    for (size_t i = 0; i < x->twists.n; i++) {
        was_right = was_right && x->twists.p[i] % TWISTS < HALF;
    }
}

static void header(Easy *x, const char *line, size_t n)
{
    char *copy = (char *)door_copy((PqSlice){(const uint8_t *)line, n});

    if (x->on_header(copy, 1, n, x->header_arg) != n) {
        x->code = CURLE_WRITE_ERROR;
    }
    free(copy);
}

/* "Range: bytes=5-9" or "bytes=-9"; false: all of the file is asked for. */
static bool range_of(const Easy *x, uint64_t *begin, uint64_t *end)
{
    unsigned long long from, to;

    *begin = 0;
    *end = file_size;
    for (const struct curl_slist *h = x->headers; h; h = h->next) {
        if (sscanf(h->data, "Range: bytes=-%llu", &to) == 1) {
            *begin = file_size > to ? file_size - to : 0;
            return true;
        }
        if (sscanf(h->data, "Range: bytes=%llu-%llu", &from, &to) == 2) {
            *begin = from;
            *end = to < file_size ? to + 1 : file_size;
            return true;
        }
    }
    return false;
}

/* "Range: bytes=5-9,20-29": how many; 0: it is one, or all of the file. */
static uint32_t ranges_of(const Easy *x, PqExtent *out)
{
    unsigned long long from, to;
    uint32_t n = 0;

    for (const struct curl_slist *h = x->headers; h; h = h->next) {
        const char *at = strncmp(h->data, "Range: ", 7) == 0 ? strchr(h->data, '=') : NULL;

        if (at && strchr(at, ',')) {
            for (; at; at = strchr(at + 1, ',')) {
                DOOR_CHECK(sscanf(at + 1, "%llu-%llu", &from, &to) == 2 && from <= to);
                DOOR_CHECK(to < file_size && n < PARTS_MOST);
                DOOR_CHECK(n == 0 || out[n - 1].end < from);
                out[n++] = (PqExtent){from, to + 1};
            }
        }
    }
    return n;
}

static void right_head(Easy *x)
{
    PqExtent parts[PARTS_MOST];
    uint64_t begin, end;
    char line[200];
    int n;

    x->status = 200;
    if (ranges_of(x, parts)) {
        x->status = 206;
    } else if (range_of(x, &begin, &end)) {
        x->status = begin < end ? 206 : 416;
        n = begin < end ? snprintf(line, sizeof line, "Content-Range: bytes %llu-%llu/%llu\r\n",
                                   (unsigned long long)begin, (unsigned long long)end - 1,
                                   (unsigned long long)file_size)
                        : snprintf(line, sizeof line, "Content-Range: bytes */%llu\r\n",
                                   (unsigned long long)file_size);
        header(x, line, (size_t)n);
    }
    header(x, "ETag: \"1\"\r\n", 11);
}

static void send_body(Easy *x, const uint8_t *p, size_t n)
{
    x->length = (curl_off_t)n;
    for (size_t at = 0, some; at < n && x->code != CURLE_WRITE_ERROR; at += some) {
        some = n - at < 10000 ? n - at : 10000;
        if (x->on_body((char *)(uintptr_t)(p + at), 1, some, x->body_arg) != some) {
            x->code = CURLE_WRITE_ERROR;
        }
    }
}

/* The file repeats itself, so any part of it is a part of its beginning. */
static const uint8_t *file_at(uint64_t at)
{
    static uint8_t bytes[BODY_MOST + PERIOD];

    for (size_t i = sizeof bytes; !bytes[1] && i-- > 0;) {
        bytes[i] = fake_byte(i);
    }
    return bytes + at % PERIOD;
}

static void send_text(Easy *x, const char *text)
{
    send_body(x, (const uint8_t *)text, strlen(text));
}

/* It says of which bytes it is, and these are `sent`. */
static void send_part(Easy *x, PqExtent says, PqExtent sent, uint64_t total, int twist)
{
    const char *line = twist == LINES ? "\n" : "\r\n";
    char head[400];

    snprintf(head, sizeof head, "%s%s--B%s", twist == WORDS ? "\r\nthese are more" : "", line,
             line);
    send_text(x, twist == NO_BOUNDARY ? line : head);
    for (int i = 0; i < 20 && twist == MORE_HEADERS; i++) {
        send_text(x, "X-More: of what nobody asked for\r\n");
    }
    snprintf(head, sizeof head, "Content-Range: bytes %llu-%llu/%llu%s",
             (unsigned long long)says.begin, (unsigned long long)says.end - 1,
             (unsigned long long)total, line);
    send_text(x, twist == NO_RANGE ? "" : head);
    send_text(x, line);
    if (sent.end - sent.begin <= BODY_MOST) {
        send_body(x, file_at(sent.begin), (size_t)(sent.end - sent.begin));
    }
}

/* The first of n parts; how many were sent. */
static uint32_t send_twisted(Easy *x, const PqExtent *p, uint32_t n, int twist)
{
    PqExtent says = *p, sent = *p;
    uint64_t total = file_size;
    uint32_t used = twist == JOINED && n > 1 ? 2 : 1;

    says.end = sent.end = p[used - 1].end;
    switch (twist) {
    case LEFT_OUT:     return 1;
    case TWICE:        send_part(x, says, sent, total, twist); break;
    case HALF:         sent.end -= (sent.end - sent.begin) / 2; break;
    case ENDS_EARLIER: says.end -= says.end - says.begin > 1; break;
    case OTHER_TOTAL:  total++; break;
    case HUGE_END:     says.end = (uint64_t)1 << 63; total = says.end; break;
    case SHIFTED:      says.begin++; says.end++; break;
    case ENDS_LATER:   says.end++; break;
    default:           break;
    }
    send_part(x, says, sent, total, twist);
    return used;
}

static void send_parts(Easy *x, const PqExtent *p, uint32_t n)
{
    int twist = AS_IT_IS;

    for (uint32_t i = 0; i < n && twist != LAST;) {
        twist = x->twists.n ? *door_take(&x->twists, 1).p % TWISTS : AS_IT_IS;
        i += send_twisted(x, p + i, n - i, twist);
    }
    send_text(x, "\r\n--B--\r\n");
}

static void right_body(Easy *x)
{
    PqExtent parts[PARTS_MOST];
    uint32_t n = ranges_of(x, parts);
    uint64_t begin, end;

    if (n) {
        send_parts(x, parts, x->status < 300 ? n : 0);
        return;
    }
    range_of(x, &begin, &end);
    if (x->status < 300 && begin < end && end - begin <= BODY_MOST) {
        send_body(x, file_at(begin), (size_t)(end - begin));
    }
}

static void transfer(Easy *x)
{
    char sent[1000];
    size_t n;

    while (x->sends && (n = x->on_send(sent, 1, sizeof sent, x->send_arg)) > 0 &&
           n != CURL_READFUNC_ABORT) {
    }
    header(x, "HTTP/1.1 206 Some\r\n", 19);
    if (x->what & RIGHT_HEAD) {
        right_head(x);
    }
    for (PqSlice left = x->more; left.n;) {
        const uint8_t *line_end = memchr(left.p, '\n', left.n);
        PqSlice line = door_take(&left, line_end ? (size_t)(line_end - left.p) + 1 : left.n);

        header(x, (const char *)line.p, line.n);
    }
    if (x->no_body || x->code == CURLE_WRITE_ERROR) {
        return;
    }
    if (x->what & RIGHT_BODY) {
        right_body(x);
    } else {
        send_body(x, x->body.p, x->body.n);
    }
}

/* ---- what libcurl has ---------------------------------------------------------------- */

static CURLcode global_init_mem(long flags, curl_malloc_callback m, curl_free_callback f,
                                curl_realloc_callback r, curl_strdup_callback s,
                                curl_calloc_callback c)
{
    (void)flags, (void)m, (void)f, (void)r, (void)s, (void)c;
    return CURLE_OK;
}

static struct curl_slist *slist_append(struct curl_slist *list, const char *text)
{
    struct curl_slist *more = malloc(sizeof *more), *at = list;

    DOOR_CHECK(more && (more->data = strdup(text)));
    more->next = NULL;
    while (at && at->next) {
        at = at->next;
    }
    if (at) {
        at->next = more;
    }
    return list ? list : more;
}

static void slist_free_all(struct curl_slist *list)
{
    while (list) {
        struct curl_slist *next = list->next;

        free(list->data);
        free(list);
        list = next;
    }
}

static CURL *easy_init(void)
{
    Easy *x = calloc(1, sizeof *x);

    DOOR_CHECK(x != NULL);
    x->length = -1;
    take_answer(x);
    return x;
}

static void easy_cleanup(CURL *easy)
{
    free(easy);
}

static CURLcode easy_setopt(CURL *easy, CURLoption option, ...)
{
    Easy *x = easy;
    va_list more;

    va_start(more, option);
    switch ((int)option) {
    case CURLOPT_PRIVATE: x->own = va_arg(more, void *); break;
    case CURLOPT_HTTPHEADER: x->headers = va_arg(more, struct curl_slist *); break;
    case CURLOPT_HEADERFUNCTION: x->on_header = va_arg(more, Take); break;
    case CURLOPT_HEADERDATA: x->header_arg = va_arg(more, void *); break;
    case CURLOPT_WRITEFUNCTION: x->on_body = va_arg(more, Take); break;
    case CURLOPT_WRITEDATA: x->body_arg = va_arg(more, void *); break;
    case CURLOPT_READFUNCTION: x->on_send = va_arg(more, Take); break;
    case CURLOPT_READDATA: x->send_arg = va_arg(more, void *); break;
    case CURLOPT_NOBODY: x->no_body = va_arg(more, long); break;
    case CURLOPT_UPLOAD: x->sends = va_arg(more, long); break;
    default: break;
    }
    va_end(more);
    return CURLE_OK;
}

static CURLcode easy_getinfo(CURL *easy, CURLINFO what, ...)
{
    const Easy *x = easy;
    va_list more;

    va_start(more, what);
    switch ((int)what) {
    case CURLINFO_RESPONSE_CODE: *va_arg(more, long *) = x->status; break;
    case CURLINFO_CONTENT_LENGTH_DOWNLOAD_T: *va_arg(more, curl_off_t *) = x->length; break;
    default: *va_arg(more, void **) = x->own; break;
    }
    va_end(more);
    return CURLE_OK;
}

static const char *easy_strerror(CURLcode code)
{
    (void)code;
    return "it failed";
}

static CURLM *multi_init(void)
{
    is_woken = false;
    return &lock;
}

static CURLMcode multi_cleanup(CURLM *m)
{
    (void)m;
    running = NULL;
    return CURLM_OK;
}

static CURLMcode multi_setopt(CURLM *m, CURLMoption option, ...)
{
    (void)m, (void)option;
    return CURLM_OK;
}

static CURLMcode multi_add_handle(CURLM *m, CURL *easy)
{
    Easy *x = easy;

    (void)m;
    x->next = running;
    running = x;
    return CURLM_OK;
}

static CURLMcode multi_remove_handle(CURLM *m, CURL *easy)
{
    (void)m;
    for (Easy **at = &running; *at; at = &(*at)->next) {
        if (*at == easy) {
            *at = (*at)->next;
            break;
        }
    }
    return CURLM_OK;
}

static CURLMcode multi_perform(CURLM *m, int *n)
{
    (void)m;
    for (Easy *x = running; x; x = x->next) {
        if (!x->has_ended) {
            transfer(x);
            x->has_ended = true;
        }
    }
    *n = 0;
    return CURLM_OK;
}

static CURLMsg *multi_info_read(CURLM *m, int *left)
{
    (void)m;
    *left = 0;
    for (Easy *x = running; x; x = x->next) {
        if (x->has_ended && !x->was_told) {
            x->was_told = true;
            x->message = (CURLMsg){.msg = CURLMSG_DONE, .easy_handle = x};
            x->message.data.result = x->code;
            return &x->message;
        }
    }
    return NULL;
}

static CURLMcode multi_poll(CURLM *m, struct curl_waitfd *more, unsigned n, int ms, int *out)
{
    (void)m, (void)more, (void)n, (void)ms, (void)out;
    pthread_mutex_lock(&lock);
    while (!is_woken) {
        pthread_cond_wait(&woken, &lock);
    }
    is_woken = false;
    pthread_mutex_unlock(&lock);
    return CURLM_OK;
}

static CURLMcode multi_wakeup(CURLM *m)
{
    (void)m;
    pthread_mutex_lock(&lock);
    is_woken = true;
    pthread_cond_signal(&woken);
    pthread_mutex_unlock(&lock);
    return CURLM_OK;
}

PqRc __wrap_pq_curl_load(const PqCurl **out, PqErr *e)
{
    static const PqCurl fake = {
        global_init_mem, slist_append, slist_free_all, easy_init, easy_cleanup,
        easy_setopt, easy_getinfo, easy_strerror, multi_init, multi_cleanup, multi_setopt,
        multi_add_handle, multi_remove_handle, multi_perform, multi_poll, multi_wakeup,
        multi_info_read,
    };

    (void)e;
    *out = &fake;
    return PQ_OK;
}

PqRc __wrap_pq_remote_pause(PqRemote *r, const _Atomic bool *stopped, uint32_t ms, PqErr *e)
{
    (void)r, (void)stopped, (void)ms, (void)e;
    return PQ_OK;
}
