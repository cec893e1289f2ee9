/*
** cli_parquet.c - the rows of a query as a Parquet file on stdout.
**
** A file of Parquet is not written from its front to its end in one go: it becomes
** whole in a folder of its own, and is sent from there.
*/
#define _GNU_SOURCE                  /* mkdtemp                                   */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An error of reading is said; one of writing is seen by cli_end. */
static int send(const char *path)
{
    char block[65536];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : 1;

    while (n > 0 && (n = read(fd, block, sizeof block)) > 0) {
        if (fwrite(block, 1, (size_t)n, stdout) < (size_t)n) {
            n = 0;
        }
    }
    if (n < 0) {
        cli_say("%s: %s", path, strerror(errno));
    }
    if (fd >= 0) {
        close(fd);
    }
    return n < 0 ? CLI_FAILED : CLI_DONE;
}

int cli_write_parquet(sqlite3 *db, sqlite3_stmt *s)
{
    const char *tmp = getenv("TMPDIR");
    char *folder = sqlite3_mprintf("%s/parquet-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    char *path = folder && mkdtemp(folder) ? sqlite3_mprintf("%s/rows.parquet", folder)
                                           : NULL;
    sqlite3_stmt *copy;
    int status = CLI_FAILED;

    if (!path) {
        cli_say("%s: %s", folder ? folder : "-o parquet", strerror(errno));
    } else if ((copy = cli_statement(db, "SELECT parquet_copy_to(?, ?)", sqlite3_sql(s),
                                     path)) != NULL) {
        status = sqlite3_step(copy) == SQLITE_ROW ? send(path) : cli_say_error(db);
        sqlite3_finalize(copy);
    }
    if (path) {
        unlink(path);
        rmdir(folder);
    }
    sqlite3_free(path);
    sqlite3_free(folder);
    return status;
}
