/*
** trouble.c - says why a server did not answer as it should.
**
** What a server says may repeat what it was asked, and that may be a secret.  So of
** XML only the code and the message are shown, and of other bodies nothing.
*/
#include "core/remote/trouble.h"

#include <stdio.h>

/* What to do, by the code of S3 or the status. */
static const struct {
    const char *code;
    const char *words;
} by_code[] = {
    {"ExpiredToken", "the session token has expired: give parquet_secret a new one"},
    {"InvalidAccessKeyId", "the server does not know this key_id"},
    {"SignatureDoesNotMatch", "is the secret right, and the region?"},
    {"RequestTimeTooSkewed", "this machine's clock is wrong"},
    {"NoSuchBucket", "is the name of the bucket right, and the endpoint?"},
    {"NoSuchKey", "no object has this key; keys are case-sensitive"},
    {"AuthorizationHeaderMalformed", "give parquet_secret the bucket's region"},
    {"PermanentRedirect", "give parquet_secret the bucket's region or endpoint"},
};

static bool is_presigned(const PqUrl *u)
{
    return strstr(u->query, "Signature=") || strstr(u->query, "sig=");
}

static const char *refused(const PqUrl *u, bool had_secret)
{
    if (is_presigned(u)) {
        return "the signature in the URL may have expired";
    }
    return had_secret ? "the secret for this URL does not open it"
                      : "parquet_secret gives a secret for it";
}

static const char *hint_of(const PqUrl *u, int status, const PqS3Trouble *t,
                           bool had_secret)
{
    for (size_t i = 0; i < PQ_COUNT(by_code); i++) {
        if (strcmp(by_code[i].code, t->code) == 0) {
            return by_code[i].words;
        }
    }
    switch (status) {
    case 401: case 403: return refused(u, had_secret);
    case 404:           return "is the path right?";
    case 405:           return "the server takes no files here";
    case 407:           return "the proxy wants a user and a password";
    case 429: case 503: return "the server is busy: try again later";
    default:            return NULL;
    }
}

PqRc pq_trouble_of_answer(const PqUrl *u, const PqHttpAnswer *a,
                          const PqS3Trouble *t, bool had_secret, uint32_t retries,
                          PqErr *e)
{
    const char *hint = hint_of(u, a->status, t, had_secret);
    char after[48] = "";

    if (retries) {
        snprintf(after, sizeof after, ", after %u retries", retries);
    }
    pq_fail(e, PQ_IO, "the server answers %d%s%.80s%s%.200s%s", a->status,
            *t->code ? " " : "", t->code, *t->message ? ": " : "", t->message,
            after);
    if (hint) {
        pq_err_hint(e, "%s", hint);
    }
    return e->rc;
}

PqRc pq_trouble_of_transfer(bool asks, const char *why, uint32_t retries, PqErr *e)
{
    const char *what = asks ? "fetch" : "send";

    return retries ? pq_fail(e, PQ_IO, "cannot %s: %s, after %u retries", what, why,
                             retries)
                   : pq_fail(e, PQ_IO, "cannot %s: %s", what, why);
}
