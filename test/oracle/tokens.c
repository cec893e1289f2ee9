/*
** tokens.c - is SQL cut into tokens (sql/token.h) as the SQLite that runs cuts it?
**
** Texts are made of pieces that are put side by side by chance.  SQLite tells
** where its next token is: after SAVEPOINT a no other token may come, so the error
** has its text and its place.  Where this SQLite takes no token, there may be a
** number here: one that another version takes.
**
** Usage: tokens SEED CASES
*/
#include "sql/token.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROOM = 400, MOST_PIECES = 6 };

static const char before[] = "SAVEPOINT [a]";

static const char *const pieces[] = {
    "ORDER", "by", "x", "X", "e", "_", "$", "a1", "\xc3\xbc", "\xef\xbb\xbf",
    "\xef\xbb", "0", "1", "12", "0x", "0x1F", "0X2", "1e5", "1.", ".5", "1e", "1e+",
    "1_0", "0x1_F", "?", "?1", ":a", "@a", "$a", "#1", ":", "::", "(", ")", "(b)",
    "'a'", "'", "\"", "\"a\"", "`", "`a`", "[", "[a]", "]", "''", "x'", "x'00'",
    "x'0'", "X'gg'", "--", "-- a\n", "/*", "*/", "/* a */", "/**/", "/*/", " ",
    "\n", "\t", "\v", "\f", "\r", "-", "->", "->>", "+", "*", "/", "%", "=", "==",
    "<", "<=", "<>", "<<", ">", ">=", ">>", "!", "!=", "|", "||", "&", "~", ",", ".",
    "^", "{", "\\", "\x01",
};

static uint64_t state;

static size_t chance(size_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)(state % n);
}

static void make(char *text)
{
    size_t n = 1 + chance(MOST_PIECES);

    *text = 0;
    for (size_t i = 0; i < n; i++) {
        strcat(text, pieces[chance(PQ_COUNT(pieces))]);
    }
}

/* What SQLite reads next at z: its text.  *wrong: it takes none. */
static PqSlice next_of_sqlite(sqlite3 *db, const char *z, bool *wrong)
{
    char sql[ROOM + sizeof before];
    sqlite3_stmt *stmt = NULL;
    const char *said, *end;
    int rc, at;

    snprintf(sql, sizeof sql, "%s%s", before, z);
    rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);
    sqlite3_finalize(stmt);
    *wrong = false;
    at = sqlite3_error_offset(db);
    if (rc == SQLITE_OK || at < 0) {
        return pq_slice(z, 0);       /* there is none any more */
    }
    said = sqlite3_errmsg(db);
    *wrong = strncmp(said, "unrecognized", 12) == 0;
    said = strchr(said, '"') + 1;
    end = strrchr(said, '"');
    return pq_slice(z + at - (sizeof before - 1), (size_t)(end - said));
}

/* Before 3.46 a number of hexadecimal digits ended before _. */
static bool is_cut_otherwise(const char *text)
{
    return sqlite3_libversion_number() < 3046000 && strchr(text, '_') &&
           (strstr(text, "0x") || strstr(text, "0X"));
}

static bool agree(sqlite3 *db, const char *text)
{
    const char *at = text;

    for (;;) {
        bool wrong;
        PqSlice wanted = next_of_sqlite(db, at, &wrong);
        PqsqlToken got = pqsql_next_token(&at);

        if (wrong && (got.kind == PQSQL_TOKEN_WRONG ||
                      got.kind == PQSQL_TOKEN_NUMBER)) {
            return true;
        }
        if (wrong || got.kind == PQSQL_TOKEN_WRONG || got.n != wanted.n ||
            (got.n > 0 && got.at != (const char *)wanted.p)) {
            printf("! %s\n    SQLite: %.*s\n    here:   %.*s\n", text, (int)wanted.n,
                   (const char *)wanted.p, (int)got.n, got.at);
            return false;
        }
        if (got.n == 0) {
            return true;
        }
    }
}

int main(int argc, char **argv)
{
    unsigned long passed = 0, failed = 0, n;
    sqlite3 *db;

    if (argc != 3 || sqlite3_open(":memory:", &db) != SQLITE_OK) {
        return 2;
    }
    state = strtoull(argv[1], NULL, 10) * 2654435761u + 88172645463325252u;
    n = strtoul(argv[2], NULL, 10);
    for (unsigned long i = 0; i < n; i++) {
        char text[ROOM];

        make(text);
        if (is_cut_otherwise(text) || agree(db, text)) {
            passed++;
        } else {
            failed++;
        }
    }
    sqlite3_close(db);
    printf("tokens: %lu passed, %lu failed\n", passed, failed);
    return failed > 0;
}
