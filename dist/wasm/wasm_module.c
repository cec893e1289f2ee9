/*
** wasm_module.c - what the module of WebAssembly has beside SQLite and the extension: its
** beginning, SQLite's calls in a form that JavaScript can use without structs, and what
** emscripten's headers declare and its library does not have.
*/
#include <errno.h>
#include "parquet.h"
#include "sqlite3.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

/* Runs when the module is loaded, before any connection is opened. */
__attribute__((constructor)) static void begin(void)
{
    sqlite3_auto_extension((void (*)(void))sqlite3_parquet_init);
}

/* JavaScript has no pointers to functions of C, such as SQLITE_TRANSIENT. */
int wasm_bind_text(sqlite3_stmt *stmt, int i, char *text, int n)
{
    return sqlite3_bind_text(stmt, i, text, n, free);
}

int wasm_bind_blob(sqlite3_stmt *stmt, int i, void *p, int n)
{
    return sqlite3_bind_blob(stmt, i, p, n, free);
}

/* getentropy gives at most 256 bytes; getrandom may give fewer than are wanted. */
ssize_t getrandom(void *to, size_t n, unsigned flags)
{
    n = n < 256 ? n : 256;
    return getentropy(to, n) == 0 ? (ssize_t)n : -1;
}

int sync_file_range(int fd, off_t at, off_t n, unsigned flags)
{
    errno = ENOSYS;
    return -1;
}
