/*
** replay.c - a fuzz door without a fuzzer: gives it the named inputs, one by one.
**
**   replay/footer NAME...      the last line says how many inputs there were
**
** A NAME that ends in .tar is a pack (corpus.sh): each of its files is an input.
** Any other file is one input.
**
** If an input kills the process (by a sanitizer, by a check of the door, by
** running for ten minutes), its name is printed.  For this sanitizers have to
** abort: ASAN_OPTIONS=abort_on_error=1.
*/
#define _POSIX_C_SOURCE 200809L
#include "test/fuzz/door.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_SECONDS = 600 };

/* The parts of a tar file that matter here. */
enum { TAR_BLOCK = 512, TAR_NAME = 100, TAR_SIZE_AT = 124 };

static const char *now = "";
static int n_inputs;

static void last_words(int signal_number)
{
    static const char what[] = "\nended by this input, which goes through its door alone: ";

    if (write(STDERR_FILENO, what, sizeof what - 1) < 0 ||
        write(STDERR_FILENO, now, strlen(now)) < 0 ||
        write(STDERR_FILENO, "\n", 1) < 0) {
        _exit(2);
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static uint8_t *read_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    uint8_t *p = NULL;
    long size;

    if (f && fseek(f, 0, SEEK_END) == 0 && (size = ftell(f)) >= 0 &&
        fseek(f, 0, SEEK_SET) == 0 && (p = malloc((size_t)size + 1)) != NULL) {
        *n = fread(p, 1, (size_t)size, f);
    }
    if (!p) {
        perror(path);
        exit(2);
    }
    fclose(f);
    return p;
}

static void replay(const char *name, PqSlice input)
{
    uint8_t *p = door_copy(input);

    now = name;
    alarm(MOST_SECONDS);
    LLVMFuzzerTestOneInput(p, input.n);
    alarm(0);
    free(p);
    n_inputs++;
}

/* A file in a pack is a block that has its name and its size in octal digits, and
** then its bytes, filled up to whole blocks.  A block of zeros ends the pack. */
static void replay_pack(const char *path, PqSlice pack)
{
    char name[1000];

    now = path;
    while (pack.n >= TAR_BLOCK && pack.p[0]) {
        const char *head = (const char *)door_take(&pack, TAR_BLOCK).p;
        size_t n = strtoul(head + TAR_SIZE_AT, NULL, 8);

        snprintf(name, sizeof name, "%s: %.*s", path, (int)TAR_NAME, head);
        DOOR_CHECK(n < pack.n);
        replay(name, (PqSlice){pack.p, n});
        door_take(&pack, (n + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK);
    }
    DOOR_CHECK(pack.n >= TAR_BLOCK);
}

static int is_pack(const char *path)
{
    size_t n = strlen(path);

    return n > 4 && strcmp(path + n - 4, ".tar") == 0;
}

int main(int argc, char **argv)
{
    int i;

    signal(SIGABRT, last_words);
    signal(SIGALRM, last_words);
    for (i = 1; i < argc; i++) {
        PqSlice file = {NULL, 0};
        uint8_t *p = read_file(argv[i], &file.n);

        file.p = p;
        if (is_pack(argv[i])) {
            replay_pack(argv[i], file);
        } else {
            replay(argv[i], file);
        }
        free(p);
    }
    printf("%d inputs\n", n_inputs);
    return 0;
}
