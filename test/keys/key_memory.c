/*
** key_memory.c - a program that gives keys to the extension, and searches its own
** memory for them.
**
** While a key is held, its bytes may only be in memory that is left out of core
** dumps.  After it was forgotten or replaced, or the connection closed, they are
** nowhere.
**
** What is hard is that the search must not find itself.  So the wanted bytes are
** kept as their complement, the program wipes its own copies before it searches,
** and the window through which memory is read is left out.
**
** Not searched for while a key is in use: OpenSSL keeps what it makes of a key,
** which begins with the key, in memory of its own, and wipes that when the key
** goes.
*/
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEY = 32, WINDOW = 1 << 20, BASE64 = 44 };

static sqlite3 *db;
static unsigned char window[WINDOW + BASE64];
static unsigned char wanted[BASE64];     /* the complement */
static size_t n_wanted;
static int passed, failed;

/* ---- the search ------------------------------------------------------------ */

typedef struct Found {
    int dumped, undumped;            /* places in memory that a core has, or not */
} Found;

static bool is_here(const unsigned char *p)
{
    for (size_t i = 0; i < n_wanted; i++) {
        if ((unsigned char)~p[i] != wanted[i]) {
            return false;
        }
    }
    return true;
}

static int count(int mem, uint64_t from, uint64_t to)
{
    uint64_t own = (uint64_t)(uintptr_t)window, at;
    int n = 0;

    for (at = from; at < to; at += WINDOW) {
        size_t ask = to - at < sizeof window ? (size_t)(to - at)
                                             : sizeof window;
        ssize_t got = pread(mem, window, ask, (off_t)at);

        for (ssize_t i = 0; i + (ssize_t)n_wanted <= got && i < WINDOW; i++) {
            uint64_t here = at + (uint64_t)i;

            n += (here < own || here >= own + sizeof window) &&
                 is_here(window + i);
        }
    }
    return n;
}

static Found search(void)
{
    FILE *maps = fopen("/proc/self/smaps", "r");
    int mem = open("/proc/self/mem", O_RDONLY), n = 0;
    unsigned long long from, to, next_from, next_to;
    Found found = {0, 0};
    bool any = false;
    char line[512], rights[8];

    if (!maps || mem < 0) {
        perror("/proc/self");
        exit(1);
    }
    while (fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%llx-%llx %7s", &next_from, &next_to, rights) == 3) {
            any = rights[0] == 'r' && !strstr(line, "[v");
            from = next_from;
            to = next_to;
        } else if (strncmp(line, "VmFlags:", 8) == 0 && any) {
            n = count(mem, from, to);
            *(strstr(line, " dd") ? &found.undumped : &found.dumped) += n;
            if (n && getenv("WHERE")) {
                printf("%llx-%llx %d%s\n", from, to, n, line);
            }
        }
    }
    fclose(maps);
    close(mem);
    memset(window, 0, sizeof window);
    return found;
}

static void expect(const char *what, bool held)
{
    Found f = search();
    bool good = f.dumped == 0 && (held ? f.undumped > 0 : f.undumped == 0);

    passed += good;
    failed += !good;
    if (!good) {
        printf("! %s: %d times in memory, and %d times where no core dump has "
               "it\n", what, f.dumped, f.undumped);
    }
}

/* ---- keys -------------------------------------------------------------------- */

static void look_for(const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        wanted[i] = (unsigned char)~bytes[i];
    }
    n_wanted = n;
}

static void wipe(void *p, size_t n)
{
    for (volatile unsigned char *z = p; n > 0; n--) {
        *z++ = 0;
    }
}

/* SQLite's own generator would keep what it gave. */
static void draw(unsigned char *key)
{
    int fd = open("/dev/urandom", O_RDONLY);

    if (fd < 0 || read(fd, key, KEY) != KEY) {
        perror("/dev/urandom");
        exit(1);
    }
    close(fd);
    look_for(key, KEY);
}

static void run(const char *sql)
{
    char *error = NULL;

    if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK) {
        printf("! %s: %s\n", sql, error);
        failed++;
    }
    sqlite3_free(error);
}

/* Gives the bytes as a parameter that SQLite does not copy, and wipes them.  It would
** copy a text that does not say that it ends with a NUL. */
static void give(const char *sql, void *bytes, size_t n, bool is_text)
{
    sqlite3_stmt *s = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &s, NULL);

    if (rc == SQLITE_OK) {
        rc = is_text ? sqlite3_bind_text(s, 1, bytes, -1, SQLITE_STATIC)
                     : sqlite3_bind_blob(s, 1, bytes, (int)n, SQLITE_STATIC);
    }
    if (rc != SQLITE_OK || sqlite3_step(s) != SQLITE_ROW) {
        printf("! %s: %s\n", sql, sqlite3_errmsg(db));
        failed++;
    }
    sqlite3_finalize(s);
    wipe(bytes, n);
}

static void give_new(const char *name)
{
    unsigned char key[KEY];
    char sql[80];

    draw(key);
    snprintf(sql, sizeof sql, "SELECT parquet_key('%s', ?)", name);
    give(sql, key, KEY, false);
}

static void to_base64(const unsigned char *key, char out[BASE64 + 1])
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    int i, k = 0;

    for (i = 0; i < KEY; i += 3) {
        uint32_t v = (uint32_t)key[i] << 16;

        v |= i + 1 < KEY ? (uint32_t)key[i + 1] << 8 : 0;
        v |= i + 2 < KEY ? key[i + 2] : 0;
        out[k++] = digits[v >> 18];
        out[k++] = digits[v >> 12 & 63];
        out[k++] = i + 1 < KEY ? digits[v >> 6 & 63] : '=';
        out[k++] = i + 2 < KEY ? digits[v & 63] : '=';
    }
    out[k] = 0;
}

/* ---- the cases ---------------------------------------------------------------- */

static void from_blob(void)
{
    give_new("a");
    expect("a key that is held", true);
    run("SELECT parquet_key('a', NULL)");
    expect("a key that was forgotten", false);
}

static void replaced(void)
{
    unsigned char other[KEY];

    give_new("a");
    memset(other, 7, KEY);
    give("SELECT parquet_key('a', ?)", other, KEY, false);
    expect("a key that was replaced", false);
}

static void from_base64(void)
{
    unsigned char key[KEY];
    char text[BASE64 + 1];

    draw(key);
    to_base64(key, text);
    wipe(key, KEY);
    give("SELECT parquet_key('a', ?)", text, BASE64, true);
    expect("a key out of base64", true);
    run("SELECT parquet_key('a', NULL)");
    expect("a key out of base64 that was forgotten", false);
}

/* The text of the file, too, must be gone. */
static void from_file(bool escaped)
{
    unsigned char key[KEY];
    char text[BASE64 + 1];
    int fd = open("keys.json", O_WRONLY | O_CREAT | O_TRUNC, 0600);

    draw(key);
    to_base64(key, text);
    if (escaped) {
        dprintf(fd, "{\"a\": \"\\u00%02x%s\"}\n", text[0], text + 1);
    } else {
        dprintf(fd, "{\"a\": \"%s\"}\n", text);
    }
    close(fd);
    run("SELECT parquet_key_file('keys.json')");
    wipe(key, KEY);
    expect(escaped ? "a key out of a file with escapes" : "a key out of a file",
           true);
    look_for((const unsigned char *)text, BASE64);
    wipe(text, sizeof text);
    expect(escaped ? "the text of a file with escapes" : "the text of a file",
           false);
    run("SELECT parquet_key('a', NULL)");
}

/* Its bytes, as they are or in base64 with a line end. */
static void from_file_of_one(bool is_text)
{
    unsigned char key[KEY];
    char text[BASE64 + 1];
    int fd = open("k.key", O_WRONLY | O_CREAT | O_TRUNC, 0600);

    draw(key);
    to_base64(key, text);
    if (is_text) {
        dprintf(fd, "%s\n", text);
    } else if (write(fd, key, KEY) != KEY) {
        printf("! k.key could not be written\n");
        failed++;
    }
    close(fd);
    wipe(text, sizeof text);
    run("SELECT parquet_key_file('a', 'k.key')");
    wipe(key, KEY);
    expect(is_text ? "the base64 of a file" : "the bytes of a file", true);
    run("SELECT parquet_key('a', NULL)");
    expect(is_text ? "the base64 of a file, forgotten"
                   : "the bytes of a file, forgotten", false);
}

/* A file that others can read is not even opened for its bytes. */
static void from_file_for_all(void)
{
    unsigned char key[KEY];
    int fd = open("open.key", O_WRONLY | O_CREAT | O_TRUNC, 0644);

    draw(key);
    if (write(fd, key, KEY) != KEY || fchmod(fd, 0644) != 0) {
        printf("! open.key could not be written\n");
        failed++;
    }
    close(fd);
    wipe(key, KEY);
    if (sqlite3_exec(db, "SELECT parquet_key_file('a', 'open.key')", NULL, NULL,
                     NULL) == SQLITE_OK) {
        printf("! a key that others can read was taken\n");
        failed++;
    }
    expect("a key that others can read", false);
}

/* A text is decoded up to an escape that is none. */
static void from_malformed_file(void)
{
    unsigned char key[KEY];
    char text[BASE64 + 1];
    int fd = open("keys.json", O_WRONLY | O_CREAT | O_TRUNC, 0600);

    draw(key);
    to_base64(key, text);
    wipe(key, KEY);
    dprintf(fd, "{\"a\": \"%s\\q\"}\n", text);
    close(fd);
    look_for((const unsigned char *)text, BASE64);
    wipe(text, sizeof text);
    if (sqlite3_exec(db, "SELECT parquet_key_file('keys.json')", NULL, NULL,
                     NULL) == SQLITE_OK) {
        printf("! a malformed file of keys was read\n");
        failed++;
    }
    expect("the text of a malformed file", false);
}

static void used(void)
{
    give_new("a");
    run("SELECT parquet_copy_to('SELECT 1 AS x, ''y'' AS y', 'e.parquet', "
        "'{\"encryption\": {\"footer_key\": \"a\"}}')");
    run("CREATE VIRTUAL TABLE temp.e USING parquet('e.parquet')");
    run("SELECT * FROM e");
    run("SELECT * FROM parquet_verify('e.parquet')");
    run("DROP TABLE e");
    run("SELECT parquet_key('a', NULL)");
    expect("a key that was used and forgotten", false);
}

static void of_table(void)
{
    give_new("a");
    run("SELECT parquet_copy_to('SELECT 1 AS x, ''y'' AS y', 'e.parquet', "
        "'{\"encryption\": {\"footer_key\": \"a\"}}')");
    run("CREATE VIRTUAL TABLE temp.e USING parquet('e.parquet')");
    run("CREATE VIRTUAL TABLE temp.f USING parquet('e.parquet')");
    run("SELECT * FROM e, f");
    run("SELECT parquet_key('a', NULL)");
    expect("a key of tables, that was forgotten", false);
    give_new("a");
    expect("a key whose tables had another one", true);
    run("DROP TABLE e");
    run("DROP TABLE f");
    run("SELECT parquet_key('a', NULL)");
    expect("a key whose tables went before it", false);
}

static void refused(void)
{
    unsigned char key[KEY];

    draw(key);
    memset(key + 31, 0, 1);
    look_for(key, 31);
    give("SELECT coalesce(1, parquet_key('a', ?))", key, KEY, false);
    expect("a key that was not given", false);
}

/* A token for a server, of the usual length or of some kilobytes. */
static void of_server(bool is_long, bool used)
{
    enum { PADDING = 3000 };
    unsigned char key[KEY];
    char json[BASE64 + PADDING + 64], text[BASE64 + 1];
    int n;

    draw(key);
    to_base64(key, text);
    wipe(key, KEY);
    look_for((const unsigned char *)text, BASE64);
    n = snprintf(json, sizeof json, "{\"bearer_token\": \"\\u0041%*s%s\"}",
                 is_long ? PADDING : 0, "", text);
    wipe(text, sizeof text);
    give("SELECT parquet_secret('https://127.0.0.1:1/', ?)", json,
         (size_t)n, true);
    expect("a token that is held", true);
    if (used) {
        sqlite3_exec(db, "SELECT * FROM parquet_schema('https://127.0.0.1:1/x.parquet')",
                     NULL, NULL, NULL);
    }
    run("SELECT parquet_secret('https://127.0.0.1:1/', NULL)");
    expect(used ? "a token that was used and forgotten" : "a token that was forgotten",
           false);
}

/* A process that answers each request with 404, on connections that stay open.  It
** begins before there is a secret.  Returns its port. */
static int begin_server(pid_t *pid)
{
    static const char no[] = "HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n";
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int s = socket(AF_INET, SOCK_STREAM, 0), c;
    socklen_t n = sizeof at;
    char text[8192];

    if (s < 0 || bind(s, (struct sockaddr *)&at, n) || listen(s, 8) ||
        getsockname(s, (struct sockaddr *)&at, &n)) {
        perror("a server");
        exit(1);
    }
    *pid = fork();
    if (*pid == 0) {
        while ((c = accept(s, NULL, NULL)) >= 0) {
            if (fork() == 0) {
                while (read(c, text, sizeof text) > 0 && write(c, no, sizeof no - 1) > 0) {
                }
                _exit(0);
            }
            close(c);
        }
        _exit(0);
    }
    close(s);
    return ntohs(at.sin_port);
}

/* A secret that was sent, or signed with.  members has %s in its place. */
static void sent(int port, const char *what, const char *scheme, const char *members)
{
    unsigned char key[KEY];
    char json[512], text[BASE64 + 1], sql[256], kept[64];

    draw(key);
    to_base64(key, text);
    wipe(key, KEY);
    for (char *c = text; *c; c++) {      /* it may be in a URL */
        *c = *c == '/' || *c == '+' || *c == '=' ? '_' : *c;
    }
    look_for((const unsigned char *)text, BASE64);
    snprintf(json, sizeof json, members, text, port);
    wipe(text, sizeof text);
    snprintf(kept, sizeof kept, "%s of a request", what);
    snprintf(sql, sizeof sql, "SELECT parquet_secret('%s', ?)", scheme);
    give(sql, json, strlen(json), true);
    snprintf(sql, sizeof sql, "SELECT * FROM parquet_schema('%sx.parquet')", scheme);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK ||
        !strstr(sqlite3_errmsg(db), "404")) {
        printf("! %s: %s\n", what, sqlite3_errmsg(db));
        failed++;
    }
    expect(kept, true);
    snprintf(sql, sizeof sql, "SELECT parquet_secret('%s', NULL)", scheme);
    run(sql);
    snprintf(kept, sizeof kept, "%s of a request, forgotten", what);
    expect(kept, false);
}

static void of_requests(int port)
{
    char url[64];

    snprintf(url, sizeof url, "http://127.0.0.1:%d/", port);
    sent(port, "a token", url, "{\"bearer_token\": \"%s\"}");
    sent(port, "a header", url, "{\"headers\": {\"X-Key\": \"%s\"}}");
    sent(port, "a password", url, "{\"user\": \"me\", \"password\": \"%s\"}");
    sent(port, "a proxy's password", url, "{\"proxy\": \"http://me:%s@127.0.0.1:%d\"}");
    sent(port, "a session token", "s3://b/",
         "{\"key_id\": \"id\", \"secret\": \"s\", \"session_token\": \"%s\", "
         "\"endpoint\": \"127.0.0.1:%d\", \"use_ssl\": false}");
    sent(port, "a secret", "s3://b/",
         "{\"key_id\": \"id\", \"secret\": \"%s\", "
         "\"endpoint\": \"127.0.0.1:%d\", \"use_ssl\": false}");
}

static void closed(void)
{
    give_new("a");
    run("CREATE TABLE kept(x)");
    sqlite3_close(db);
    expect("a key whose connection is closed", false);
}

int main(int argc, char **argv)
{
    pid_t server;
    int port = begin_server(&server);
    char *error = NULL;

    if (argc != 2 || sqlite3_open(":memory:", &db) != SQLITE_OK) {
        return 1;
    }
    sqlite3_enable_load_extension(db, 1);
    if (sqlite3_load_extension(db, argv[1], NULL, &error) != SQLITE_OK) {
        printf("%s\n", error);
        return 1;
    }
    from_blob();
    replaced();
    from_base64();
    from_file(false);
    from_file(true);
    from_file_of_one(false);
    from_file_of_one(true);
    from_file_for_all();
    from_malformed_file();
    used();
    of_table();
    refused();
    of_server(false, false);
    of_server(true, false);
    of_server(true, true);
    of_requests(port);
    closed();
    kill(server, SIGKILL);
    printf("keys: %d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
