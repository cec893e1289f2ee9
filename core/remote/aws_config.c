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
#define _POSIX_C_SOURCE 200809L      /* stat */
#include "core/remote/aws_config.h"

#include "core/base/source.h"
#include "core/base/system.h"
#include "core/remote/held.h"
#include "core/text/parse.h"

#include <stdio.h>
#include <stdlib.h>

enum { FILE_MOST = 1 << 20 };

/* "": it is not set, or there is no name. */
static const char *variable(const char *name)
{
    const char *value = name ? getenv(name) : NULL;

    return value ? value : "";
}

/* What is looked for: its name in a file, and variables that go before it. */
static const struct {
    const char *name, *variables[2];
} settings[] = {
    {"aws_access_key_id", {"AWS_ACCESS_KEY_ID"}},
    {"aws_secret_access_key", {"AWS_SECRET_ACCESS_KEY"}},
    {"aws_session_token", {"AWS_SESSION_TOKEN"}},
    {"region", {"AWS_REGION", "AWS_DEFAULT_REGION"}},
    {"endpoint_url", {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"}},
    /* These stand in the place of keys: somebody would have to be asked. */
    {.name = "sso_session"}, {.name = "sso_start_url"}, {.name = "credential_process"},
    {.name = "login_session"}, {.name = "web_identity_token_file"}, {.name = "role_arn"},
};

enum { KEY_ID, SECRET, TOKEN, REGION, ENDPOINT, WAYS, N_SETTINGS = PQ_COUNT(settings),
       ROLE = N_SETTINGS - 1 };

/* Of one place. */
typedef struct Settings {
    bool    is_there;                /* the profile, in this file                */
    PqSlice v[N_SETTINGS];           /* p NULL: it is not there                  */
} Settings;

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

/* The two files: the variable that names one, and where it usually is. */
static const char *const usual[][2] = {
    {"AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials"},
    {"AWS_CONFIG_FILE", "~/.aws/config"},
};

/* A file that does not exist is empty.  "~/" is the home of the user. */
static PqRc read_file(PqArena *a, size_t i, PqSlice *out, PqErr *e)
{
    const char *named = *variable(usual[i][0]) ? variable(usual[i][0]) : usual[i][1];
    bool at_home = strncmp(named, "~/", 2) == 0;
    const char *path = pq_arena_printf(a, e, "%s%s", at_home ? variable("HOME") : "",
                                       named + at_home);
    PqSource *source;
    PqWhere outer;
    struct stat st;

    *out = pq_slice("", 0);
    if (path && (!at_home || *variable("HOME")) && stat(path, &st) == 0 &&
        pq_source_open(a->mem, path, &source, e) == PQ_OK) {
        outer = pq_where_enter(e, pq_source_path(source));
        read_source(a, source, out, e);
        e->where = outer;
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
        if (head.n <= n || memcmp(head.p, "profile", n) != 0 || !pq_ascii_is_blank(head.p[n])) {
            return false;
        }
        pq_slice_cut(&head, n);
        head = pq_parse_trim(head);
    }
    if (head.n >= 2 && (head.p[0] == '"' || head.p[0] == '\'') && head.p[head.n - 1] == head.p[0]) {
        head = pq_slice(head.p + 1, head.n - 2);
    }
    return pq_slice_is(head, name);
}

/* Without comment and blanks around it.  *indent: of blanks before it. */
static PqSlice take_line(PqSlice *text, size_t *indent)
{
    PqSlice s = pq_slice_before(text, '\n'), line;

    for (size_t i = 0; i < s.n; i++) {
        if ((s.p[i] == '#' || s.p[i] == ';') && (i == 0 || pq_ascii_is_blank(s.p[i - 1]))) {
            s.n = i;
        }
    }
    line = pq_parse_trim(s);
    *indent = (size_t)(line.p - s.p);
    return line;
}

static void read_profile(PqSlice text, bool config, const char *profile, Settings *out)
{
    size_t indent, most = 0;         /* most: of the section's first setting     */
    bool inside = false, first = false;

    while (text.n) {
        PqSlice value = take_line(&text, &indent), name;

        if (value.n && value.p[0] == '[') {
            pq_slice_cut(&value, 1);
            inside = first = is_section(pq_slice_before(&value, ']'), config, profile);
            out->is_there |= inside;
        } else if (value.n && inside) {
            most = first ? indent : most;
            first = false;
            name = pq_parse_trim(pq_slice_before(&value, '='));
            for (size_t i = 0; i < N_SETTINGS && indent <= most; i++) {
                if (pq_parse_is_word(name, settings[i].name)) {
                    out->v[i] = pq_parse_trim(value);
                }
            }
        }
    }
}

static void read_environment(Settings *out)
{
    for (size_t i = 0; i < N_SETTINGS; i++) {
        for (int k = 0; k < 2 && !out->v[i].n; k++) {
            out->v[i] = pq_slice_text(variable(settings[i].variables[k]));
        }
    }
}

/* ---- the search ----------------------------------------------------------------- */

static PqRc keep(PqArena *a, PqSlice value, const char **out, PqErr *e)
{
    PQ_TRY(pq_held_check_text("provider", value, e));
    *out = pq_arena_text(a, value.p, value.n, e);
    return *out ? PQ_OK : e->rc;
}

/* Says what stands in the place of keys. */
static PqRc no_key(const Settings *credentials, const Settings *config,
                   const char *profile, PqErr *e)
{
    for (size_t i = WAYS; i < N_SETTINGS; i++) {
        if (credentials->v[i].p || config->v[i].p) {
            pq_fail(e, PQ_USAGE, "the profile %.60s of AWS has %s, and nobody is asked "
                    "for keys here", profile, settings[i].name);
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
    return credentials->is_there || config->is_there
               ? pq_fail(e, PQ_USAGE, "the profile %.60s of AWS has no "
                         "aws_access_key_id", profile)
               : pq_fail(e, PQ_USAGE, "no keys of AWS were found: the environment has "
                         "no AWS_ACCESS_KEY_ID, and neither ~/.aws/credentials nor "
                         "~/.aws/config has the profile %.60s", profile);
}

static PqRc take_key(PqArena *a, const Settings *s, PqSecret *out, PqErr *e)
{
    if (!s->v[SECRET].n) {
        return pq_fail(e, PQ_USAGE, "aws_access_key_id is there, but no aws_secret_access_key");
    }
    PQ_TRY(keep(a, s->v[KEY_ID], &out->key_id, e));
    PQ_TRY(keep(a, s->v[SECRET], &out->secret, e));
    return keep(a, s->v[TOKEN], &out->session_token, e);
}

PqRc pq_aws_config_find_in(PqArena *a, const PqAwsFiles *files, const char *profile,
                           PqSecret *out, PqErr *e)
{
    enum { ENVIRONMENT, CREDENTIALS, CONFIG, PLACES };
    const char *chosen = *profile ? profile : variable("AWS_PROFILE");
    PqSlice region = pq_slice("", 0), endpoint = region;
    Settings s[PLACES] = {0};
    int i = *profile ? CREDENTIALS : ENVIRONMENT, with_key;

    chosen = *chosen ? chosen : "default";
    read_environment(&s[ENVIRONMENT]);
    read_profile(files->credentials, false, chosen, &s[CREDENTIALS]);
    read_profile(files->config, true, chosen, &s[CONFIG]);
    while (i < PLACES && !s[i].v[KEY_ID].n) {
        i++;
    }
    /* A role is not the identity whose keys are written beside it. */
    with_key = i > ENVIRONMENT && (s[CREDENTIALS].v[ROLE].p || s[CONFIG].v[ROLE].p) ? PLACES : i;
    PQ_TRY(with_key == PLACES
               ? no_key(&s[CREDENTIALS], &s[CONFIG], chosen, e)
               : take_key(a, &s[with_key], out, e));
    for (i = CONFIG; i >= ENVIRONMENT; i--) {
        region = s[i].v[REGION].n ? s[i].v[REGION] : region;
        endpoint = s[i].v[ENDPOINT].n ? s[i].v[ENDPOINT] : endpoint;
    }
    PQ_TRY(*out->region ? PQ_OK : keep(a, region, &out->region, e));
    return *out->endpoint ? PQ_OK : keep(a, endpoint, &out->endpoint, e);
}

PqRc pq_aws_config_find(PqArena *a, const char *profile, PqSecret *out, PqErr *e)
{
    PqAwsFiles files;

    PQ_TRY(read_file(a, 0, &files.credentials, e));
    PQ_TRY(read_file(a, 1, &files.config, e));
    return pq_aws_config_find_in(a, &files, profile, out, e);
}
