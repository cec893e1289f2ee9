/*
** aws_config_test.c - what AWS's own tools would find in the environment and in two
** files.
*/
#define _GNU_SOURCE                  /* setenv, mkdtemp */
#include "test/unit/test.h"

#include "core/remote/aws_config.h"
#include "core/remote/held.h"

#include <stdlib.h>
#include <unistd.h>

static void clear_environment(void)
{
    static const char *const names[] = {
        "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_REGION",
        "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_PROFILE",
        "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE", "AWS_WEB_IDENTITY_TOKEN_FILE",
        "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    };

    for (size_t i = 0; i < PQ_COUNT(names); i++) {
        unsetenv(names[i]);
    }
}

/* "id secret token region endpoint", or the message. */
static const char *find(Test *t, PqArena *a, const char *credentials, const char *config,
                        const char *profile)
{
    PqAwsFiles files = {pq_slice_text(credentials), pq_slice_text(config)};
    PqSecret f = PQ_NO_SECRET;

    if (pq_aws_config_find_in(a, &files, profile, &f, t->e) != PQ_OK) {
        const char *text = pq_arena_text(a, t->e->text, strlen(t->e->text), t->e);

        pq_err_clear(t->e);
        return text ? text : "";
    }
    return pq_arena_printf(a, t->e, "%s %s %s %s %s", f.key_id, f.secret,
                           f.session_token, f.region, f.endpoint);
}

#define KEYS "aws_access_key_id = id\naws_secret_access_key = sec\n"

TEST(aws_config, sections_and_settings_are_read)
{
    static const struct { const char *credentials, *config, *profile, *found; } cases[] = {
        {"[default]\n" KEYS, "", "", "id sec   "},
        {"[default]\r\nAWS_Access_Key_ID=id\r\naws_secret_access_key=a/b+c==\r\n"
         "aws_session_token = t = \r\n", "", "", "id a/b+c== t =  "},
        {"  [ default ] # x\n\n  aws_access_key_id = id ; c\n  aws_secret_access_key "
         "=  s#e;c\t# c\n#aws_session_token=no\n ;x", "", "", "id s#e;c   "},
        {"[other]\n" KEYS "[default]\naws_access_key_id=a\naws_secret_access_key=b", "",
         "other", "id sec   "},
        {"", "[default]\n" KEYS "region=r\n", "", "id sec  r "},
        {"", "[profile default]\n" KEYS, "", "id sec   "},
        {"", "[profile   my own]\n" KEYS, "my own", "id sec   "},
        {"['my own']\n" KEYS, "[profile \"my own\"]\nregion=r", "my own", "id sec  r "},
        {"[default]\n" KEYS "aws_access_key_id = later", "", "", "later sec   "},
        {"[default]\n" KEYS, "[default]\nregion = a\n[x]\nregion=b\n[default]\nregion =c\n"
         "s3 =\n  endpoint_url = no\n  region = no\n", "", "id sec  c "},
        {"[default]\n" KEYS, "[default]\n  S3 =\n    region = no\n  region = r", "",
         "id sec  r "},
        {"[default]\n" KEYS "region = mine", "[default]\nregion = other", "",
         "id sec  mine "},
        {"[default]\n" KEYS, "[default]\naws_session_token = no", "", "id sec   "},
    };
    PqArena a;

    clear_environment();
    pq_arena_init(&a, t->mem);
    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        CHECK_TEXT(find(t, &a, cases[i].credentials, cases[i].config, cases[i].profile),
                   cases[i].found);
    }
    pq_arena_free(&a);
}

TEST(aws_config, what_cannot_be_had_is_an_error_that_says_so)
{
    static const struct { const char *credentials, *config, *profile, *says; } cases[] = {
        {"", "", "", "no keys of AWS"}, {"", "", "x", "has the profile x"},
        {"[x]\n", "", "x", "profile x of AWS has no aws_access_key_id"},
        {"[x]\n" KEYS, "", "", "has the profile default"},
        {"[default]\naws_access_key_id=SECRET", "", "", "no aws_secret_access_key"},
        {"[default]\naws_access_key_id=SECRET", "[default]\n" KEYS, "",
         "no aws_secret_access_key"},
        {"", "[default]\nsso_session = SECRET", "", "default of AWS has sso_session"},
        {"", "[profile p]\nsso_start_url = SECRET", "p", "p of AWS has sso_start_url"},
        {"[default]\n" KEYS, "[default]\nrole_arn = SECRET\nsource_profile = x", "",
         "has role_arn"},
        {"[default]\nrole_arn=SECRET\nweb_identity_token_file=x", "", "",
         "has web_identity_token_file"},
        {"", "[default]\ncredential_process = SECRET", "", "export-credentials"},
        {"default]\n" KEYS, "", "", "has the profile default"},
        {"[default\n[x]\n" KEYS, "[profiledefault]\n" KEYS, "", "has no aws_access"},
        {"[profile default]\n" KEYS, "[x]\n" KEYS, "x", "has the profile x"},
    };
    PqArena a;

    clear_environment();
    pq_arena_init(&a, t->mem);
    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        const char *said = find(t, &a, cases[i].credentials, cases[i].config,
                                cases[i].profile);

        if (!strstr(said, cases[i].says) || strstr(said, "SECRET")) {
            test_fail(t, __FILE__, __LINE__, "\"%s\", not \"%s\"", said, cases[i].says);
        }
    }
    setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://SECRET", 1);
    CHECK(strstr(find(t, &a, "", "", ""), "nobody is asked here"));
    clear_environment();
    pq_arena_free(&a);
}

TEST(aws_config, the_environment_goes_first_unless_a_profile_is_named)
{
    static const char files[] = "[default]\n" KEYS "aws_session_token=t\n[other]\n"
        "aws_access_key_id=o\naws_secret_access_key=p\nregion=q\nendpoint_url=http://r\n";
    PqArena a;

    clear_environment();
    pq_arena_init(&a, t->mem);
    setenv("AWS_PROFILE", "other", 1);
    CHECK_TEXT(find(t, &a, files, "", ""), "o p  q http://r");
    CHECK_TEXT(find(t, &a, files, "", "default"), "id sec t  ");
    setenv("AWS_ACCESS_KEY_ID", "E", 1);
    CHECK(strstr(find(t, &a, files, "", ""), "no aws_secret_access_key"));
    setenv("AWS_SECRET_ACCESS_KEY", "F", 1);
    CHECK_TEXT(find(t, &a, files, "", ""), "E F  q http://r");
    CHECK_TEXT(find(t, &a, files, "", "default"), "id sec t  ");
    setenv("AWS_SESSION_TOKEN", "G", 1);
    setenv("AWS_DEFAULT_REGION", "H", 1);
    setenv("AWS_ENDPOINT_URL", "http://i", 1);
    CHECK_TEXT(find(t, &a, files, "", ""), "E F G H http://i");
    setenv("AWS_REGION", "J", 1);
    setenv("AWS_ENDPOINT_URL_S3", "http://k", 1);
    CHECK_TEXT(find(t, &a, files, "", ""), "E F G J http://k");
    setenv("AWS_ACCESS_KEY_ID", "", 1);
    CHECK_TEXT(find(t, &a, files, "", ""), "o p  J http://k");
    CHECK_TEXT(find(t, &a, "", "", ""), "no keys of AWS were found: the environment has no "
               "AWS_ACCESS_KEY_ID, and neither ~/.aws/credentials nor ~/.aws/config has the "
               "profile other");
    clear_environment();
    pq_arena_free(&a);
}

/* ---- the files themselves ---------------------------------------------------------- */

static char folder[64];

static void write_file(const char *name, const char *text)
{
    char path[128];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    f = fopen(path, "w");
    if (f) {
        fputs(text, f);
        fclose(f);
    }
}

static PqRc grant_env(Test *t, const char *json, PqGrant *g)
{
    PqSlice text = pq_slice_text(json);
    PqAccess *x;
    PqArena a;
    PqUrl u;

    pq_arena_init(&a, t->mem);
    if (pq_access_new(t->mem, &x, t->e) == PQ_OK) {
        if (pq_access_put(x, "s3://", &text, t->e) == PQ_OK &&
            pq_url_parse(&a, "s3://b/x", &u, t->e) == PQ_OK) {
            pq_access_grant(x, &u, g, t->e);
        }
        pq_access_free(x);           /* the grant outlives it */
    }
    pq_arena_free(&a);
    return t->e->rc;
}

TEST(aws_config, a_secret_of_the_provider_env_says_what_is_so_now)
{
    const char *home = getenv("HOME");
    char old[256], path[128];
    PqGrant g;

    snprintf(old, sizeof old, "%s", home ? home : "");
    strcpy(folder, "/tmp/aws_config_XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
    clear_environment();
    setenv("HOME", folder, 1);
    CHECK_FAILS(grant_env(t, "{\"provider\":\"env\"}", &g), PQ_USAGE, "no keys of AWS");
    snprintf(path, sizeof path, "mkdir %s/.aws", folder);
    CHECK(system(path) == 0);
    write_file(".aws/credentials", "[default]\n" KEYS);
    write_file(".aws/config", "[default]\nregion=r\nendpoint_url=http://H:9/\n");
    CHECK_OK(grant_env(t, "{\"provider\":\"env\"}", &g));
    CHECK_TEXT(g.s.key_id, "id");
    CHECK_TEXT(g.s.region, "r");
    CHECK_TEXT(g.s.endpoint, "http://H:9/");
    CHECK(g.held);
    pq_access_release(&g);
    CHECK_OK(grant_env(t, "{\"provider\":\"env\",\"region\":\"mine\",\"url_style\":\"vhost\","
                       "\"endpoint\":\"a.org\",\"requester_pays\":1}", &g));
    CHECK_TEXT(g.s.region, "mine");
    CHECK_TEXT(g.s.endpoint, "a.org");
    CHECK(g.s.ssl && g.s.requester_pays);
    CHECK_TEXT(g.s.url_style, "vhost");
    pq_access_release(&g);
    write_file("other", "[p]\naws_access_key_id=a\naws_secret_access_key=b\x01\n");
    snprintf(path, sizeof path, "%s/other", folder);
    setenv("AWS_SHARED_CREDENTIALS_FILE", path, 1);
    CHECK_FAILS(grant_env(t, "{\"provider\":\"env\",\"profile\":\"p\"}", &g), PQ_USAGE,
                "control character");
    setenv("AWS_SHARED_CREDENTIALS_FILE", "~/other", 1);
    CHECK_FAILS(grant_env(t, "{\"provider\":\"env\",\"profile\":\"p\"}", &g), PQ_USAGE,
                "control character");
    setenv("AWS_SHARED_CREDENTIALS_FILE", folder, 1);
    CHECK_FAILS(grant_env(t, "{\"provider\":\"env\",\"profile\":\"p\"}", &g), PQ_IO, folder);
    CHECK(truncate(path, 2 << 20) == 0);
    setenv("AWS_SHARED_CREDENTIALS_FILE", path, 1);
    CHECK_FAILS(grant_env(t, "{\"provider\":\"env\",\"profile\":\"p\"}", &g), PQ_USAGE,
                "2097152 bytes");
    clear_environment();
    setenv("HOME", old, 1);
    snprintf(path, sizeof path, "rm -r %s", folder);
    CHECK(system(path) == 0);
}

static void grant(Test *t, PqAccess *x, PqGrant *g)
{
    PqArena a;
    PqUrl u;

    pq_arena_init(&a, t->mem);
    CHECK_OK(pq_url_parse(&a, "s3://b/x", &u, t->e));
    CHECK_OK(pq_access_grant(x, &u, g, t->e));
    pq_arena_free(&a);
}

TEST(aws_config, what_the_files_say_now_is_granted)
{
    const PqSlice secret = pq_slice_text("{\"provider\":\"env\"}");
    char path[128];
    PqGrant first, g;
    PqAccess *x;

    strcpy(folder, "/tmp/aws_config_XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
    clear_environment();
    snprintf(path, sizeof path, "%s/own", folder);
    setenv("AWS_SHARED_CREDENTIALS_FILE", path, 1);
    setenv("AWS_CONFIG_FILE", "/none", 1);
    write_file("own", "[default]\n" KEYS
               "[p]\naws_access_key_id=p\naws_secret_access_key=p\n");
    CHECK_OK(pq_access_new(t->mem, &x, t->e));
    CHECK_OK(pq_access_put(x, "s3://", &secret, t->e));
    grant(t, x, &first);
    setenv("AWS_PROFILE", "p", 1);
    grant(t, x, &g);
    CHECK_TEXT(g.s.key_id, "p");
    pq_access_release(&g);
    unsetenv("AWS_PROFILE");
    write_file("own", "[default]\naws_access_key_id=new\naws_secret_access_key=s\n");
    grant(t, x, &g);
    CHECK_TEXT(g.s.key_id, "new");
    pq_access_release(&g);
    CHECK_TEXT(first.s.key_id, "id");        /* as long as it is held */
    pq_access_release(&first);
    CHECK_OK(pq_access_put(x, "s3://", NULL, t->e));
    pq_access_free(x);
    clear_environment();
    CHECK(remove(path) == 0 && remove(folder) == 0);
}
