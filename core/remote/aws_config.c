/*
** aws_config.c - reads the environment and the two files.
**
**   [profile work]                 a section; "default" needs no "profile"
**   region = eu-west-1             a setting, whose name has no case
**   s3 =
**     region = other               indented further: passed over
**   # a comment                    at the beginning of a line, or after a blank
**
** Of a setting that is there twice the last one counts.
*/
#define _POSIX_C_SOURCE 200809L      /* access */
#include "core/remote/aws_config.h"

#include "core/base/source.h"
#include "core/text/parse.h"

#include <stdlib.h>
#include <unistd.h>

enum { FILE_MOST = 1 << 20 };

static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value ? value : "";
}

/* ---- files ---------------------------------------------------------------------- */

static PqRc read_source(PqArena *a, PqSource *source, PqSlice *out, PqErr *e)
{
    uint64_t n = pq_source_size(source);
    uint8_t *text;

    if (n > FILE_MOST) {
        return pq_fail(e, PQ_USAGE, "its %llu bytes are more than a file of settings "
                       "has", (unsigned long long)n);
    }
    text = pq_arena_bytes(a, (size_t)n, e);
    *out = pq_slice(text, (size_t)n);
    return text ? pq_source_read(source, 0, (size_t)n, text, e) : e->rc;
}

/* A file that does not exist is empty.  "~/" is the home of the user. */
static PqRc read_file(PqArena *a, const char *from, const char *usual, PqSlice *out,
                      PqErr *e)
{
    const char *path = *variable(from) ? variable(from) : usual;
    PqWhere where = e->where;
    PqSource *source;

    *out = pq_slice("", 0);
    if (strncmp(path, "~/", 2) == 0) {
        if (!*variable("HOME")) {
            return PQ_OK;
        }
        path = pq_arena_printf(a, e, "%s%s", variable("HOME"), path + 1);
    }
    if (!path || access(path, F_OK) != 0) {
        return e->rc;
    }
    if (pq_source_open(a->mem, path, &source, e) == PQ_OK) {
        pq_where_reset(e);
        e->where.file = pq_source_path(source);
        read_source(a, source, out, e);
        e->where = where;
        pq_source_close(source);
    }
    return e->rc;
}

/* ---- settings ------------------------------------------------------------------- */

/* head is what stands between the brackets: "work", of ~/.aws/config "profile work". */
static bool is_section(PqSlice head, bool config, const char *name)
{
    const size_t n = strlen("profile");

    head = pq_parse_trim(head);
    if (config && !pq_slice_is(head, "default")) {
        if (head.n <= n || memcmp(head.p, "profile", n) != 0 ||
            !pq_ascii_is_blank(head.p[n])) {
            return false;
        }
        pq_slice_cut(&head, n);
        head = pq_parse_trim(head);
    }
    if (head.n >= 2 && (head.p[0] == '"' || head.p[0] == '\'') &&
        head.p[head.n - 1] == head.p[0]) {
        head = pq_slice(head.p + 1, head.n - 2);
    }
    return pq_slice_is(head, name);
}

typedef struct Line {
    PqSlice  text;                   /* without blanks around it and comment     */
    unsigned indent;
    PqSlice  name, value;            /* of "name = value"                        */
} Line;

static PqSlice cut_before(PqSlice *s, int c)
{
    const uint8_t *at = s->n ? memchr(s->p, c, s->n) : NULL;
    PqSlice front = pq_slice_cut(s, at ? (size_t)(at - s->p) : s->n);

    pq_slice_cut(s, 1);
    return front;
}

static Line take_line(PqSlice *text)
{
    PqSlice s = cut_before(text, '\n');
    Line line = {.indent = 0};

    while (line.indent < s.n && pq_ascii_is_blank(s.p[line.indent])) {
        line.indent++;
    }
    for (size_t i = 0; i < s.n; i++) {
        if ((s.p[i] == '#' || s.p[i] == ';') &&
            (i == 0 || pq_ascii_is_blank(s.p[i - 1]))) {
            s.n = i;
        }
    }
    line.text = line.value = pq_parse_trim(s);
    line.name = pq_parse_trim(cut_before(&line.value, '='));
    line.value = pq_parse_trim(line.value);
    return line;
}

/* The value of a setting of a profile; false: there is none.  key NULL: is there such a
** profile? */
static bool find(PqSlice text, bool config, const char *profile, const char *key,
                 PqSlice *out)
{
    bool inside = false, first = false, found = false;
    unsigned indent = 0;             /* of the section's first setting           */

    while (text.n) {
        Line line = take_line(&text);

        if (!line.text.n) {
            continue;
        }
        if (line.text.p[0] == '[') {
            pq_slice_cut(&line.text, 1);
            inside = first = is_section(cut_before(&line.text, ']'), config, profile);
            found = found || (inside && !key);
        } else if (inside && key) {
            indent = first ? line.indent : indent;
            first = false;
            if (line.indent <= indent && pq_parse_is_word(line.name, key)) {
                *out = line.value;
                found = true;
            }
        }
    }
    return found;
}

/* ---- the search ----------------------------------------------------------------- */

typedef struct Search {
    PqArena          *a;
    const PqAwsFiles *files;
    const char       *profile;
    PqAwsFound       *out;
} Search;

static PqRc keep(Search *s, PqSlice value, const char **out, PqErr *e)
{
    if (value.n && memchr(value.p, 0, value.n)) {
        return pq_fail(e, PQ_USAGE, "a setting in a file of AWS has a NUL");
    }
    *out = pq_arena_text(s->a, value.p, value.n, e);
    return *out ? PQ_OK : e->rc;
}

/* Of the profile, in either file. */
static bool in_profile(const Search *s, const char *key, PqSlice *out)
{
    return find(s->files->credentials, false, s->profile, key, out) ||
           find(s->files->config, true, s->profile, key, out);
}

static const char *const key_parts[][2] = {
    {"AWS_ACCESS_KEY_ID", "aws_access_key_id"},
    {"AWS_SECRET_ACCESS_KEY", "aws_secret_access_key"},
    {"AWS_SESSION_TOKEN", "aws_session_token"},
};

/* file NULL: the environment. */
static PqRc find_key(Search *s, const PqSlice *file, PqErr *e)
{
    const char **parts[] = {&s->out->key_id, &s->out->secret, &s->out->session_token};

    for (size_t i = 0; i < PQ_COUNT(parts); i++) {
        PqSlice value = pq_slice_text(file ? "" : variable(key_parts[i][0]));

        if (file) {
            find(*file, file == &s->files->config, s->profile, key_parts[i][1], &value);
        }
        if (!value.n && i < 2) {
            return i == 0 ? PQ_OK
                          : pq_fail(e, PQ_USAGE, "%s is there, but no %s",
                                    key_parts[0][file != NULL],
                                    key_parts[1][file != NULL]);
        }
        PQ_TRY(keep(s, value, parts[i], e));
    }
    return PQ_OK;
}

/* Says what stands in the place of keys. */
static PqRc no_key(Search *s, PqErr *e)
{
    static const char *const ways[] = {
        "sso_session", "sso_start_url", "credential_process", "login_session",
        "web_identity_token_file", "role_arn",
    };
    PqSlice value;

    for (size_t i = 0; i < PQ_COUNT(ways); i++) {
        if (in_profile(s, ways[i], &value)) {
            pq_fail(e, PQ_USAGE, "the profile %.60s of AWS has %s, and nobody is asked "
                    "for keys here", s->profile, ways[i]);
            pq_err_hint(e, "aws configure export-credentials --format env prints keys "
                        "for the environment");
            return e->rc;
        }
    }
    if (*variable("AWS_WEB_IDENTITY_TOKEN_FILE") ||
        *variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") ||
        *variable("AWS_CONTAINER_CREDENTIALS_FULL_URI")) {
        return pq_fail(e, PQ_USAGE, "the environment says where to ask for keys of "
                       "AWS, and nobody is asked here: AWS_ACCESS_KEY_ID, "
                       "AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN are needed");
    }
    return in_profile(s, NULL, &value)
               ? pq_fail(e, PQ_USAGE, "the profile %.60s of AWS has no "
                         "aws_access_key_id", s->profile)
               : pq_fail(e, PQ_USAGE, "there are no keys of AWS: no AWS_ACCESS_KEY_ID "
                         "in the environment, and no profile %.60s in "
                         "~/.aws/credentials and ~/.aws/config", s->profile);
}

/* A role is not the identity whose keys are written beside it. */
static PqRc find_keys(Search *s, bool environment, PqErr *e)
{
    PqSlice role;

    if (environment) {
        PQ_TRY(find_key(s, NULL, e));
    }
    if (!*s->out->key_id && !in_profile(s, "role_arn", &role)) {
        PQ_TRY(find_key(s, &s->files->credentials, e));
        if (!*s->out->key_id) {
            PQ_TRY(find_key(s, &s->files->config, e));
        }
    }
    return *s->out->key_id ? PQ_OK : no_key(s, e);
}

static PqRc find_setting(Search *s, const char *const variables[2], const char *key,
                         const char **out, PqErr *e)
{
    PqSlice value = {(const uint8_t *)"", 0};

    for (int i = 0; i < 2 && !value.n; i++) {
        value = pq_slice_text(variable(variables[i]));
    }
    if (!value.n) {
        in_profile(s, key, &value);
    }
    return keep(s, value, out, e);
}

PqRc pq_aws_config_find_in(PqArena *a, const PqAwsFiles *files, const char *profile,
                           PqAwsFound *out, PqErr *e)
{
    static const char *const regions[] = {"AWS_REGION", "AWS_DEFAULT_REGION"};
    static const char *const endpoints[] = {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"};
    const char *chosen = *profile ? profile : variable("AWS_PROFILE");
    Search s = {a, files, *chosen ? chosen : "default", out};

    *out = (PqAwsFound){"", "", "", "", ""};
    PQ_TRY(find_keys(&s, !*profile, e));
    PQ_TRY(find_setting(&s, regions, "region", &out->region, e));
    return find_setting(&s, endpoints, "endpoint_url", &out->endpoint, e);
}

PqRc pq_aws_config_find(PqArena *a, const char *profile, PqAwsFound *out, PqErr *e)
{
    PqAwsFiles files;

    PQ_TRY(read_file(a, "AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials",
                     &files.credentials, e));
    PQ_TRY(read_file(a, "AWS_CONFIG_FILE", "~/.aws/config", &files.config, e));
    return pq_aws_config_find_in(a, &files, profile, out, e);
}
