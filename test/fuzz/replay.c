/*
** replay.c - a fuzz door without a fuzzer: runs the named files, one by one.
**
**   replay/footer FILE...      the last line is how many there were
**
** If a file kills the process (by a sanitizer, by a check of the door, by
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

static const char *now = "";

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

int main(int argc, char **argv)
{
    int i;

    signal(SIGABRT, last_words);
    signal(SIGALRM, last_words);
    for (i = 1; i < argc; i++) {
        size_t n;
        uint8_t *p = read_file(argv[i], &n);

        now = argv[i];
        alarm(MOST_SECONDS);
        LLVMFuzzerTestOneInput(p, n);
        alarm(0);
        free(p);
    }
    printf("%d inputs\n", argc - 1);
    return 0;
}
