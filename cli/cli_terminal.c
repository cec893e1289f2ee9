/*
** cli_terminal.c - what a person sees: messages, clean texts, and a question.
*/
#define _GNU_SOURCE
#include "cli/cli.h"


#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

int cli_width(void)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");

    if (!isatty(STDOUT_FILENO)) {
        return 0;
    }
    if (columns && atoi(columns) > 0) {
        return atoi(columns);
    }
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col
                                                                           : 80;
}

/* What a terminal would act on: controls of ASCII and of Latin-1, and the characters
** that turn the direction of a text around. */
static bool acts(const uint8_t *c, size_t n)
{
    if (n == 1) {
        return (c[0] < 0x20 && c[0] != '\n' && c[0] != '\t') || c[0] == 0x7f;
    }
    if (n == 2) {
        return c[0] == 0xc2 && c[1] < 0xa0;
    }
    return n == 3 && c[0] == 0xe2 &&
           ((c[1] == 0x80 && c[2] >= 0xaa && c[2] <= 0xae) ||
            (c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9));
}

char *cli_clean(const void *s, size_t n, size_t most, size_t *out_n)
{
    const uint8_t *p = s, *end = p + n;
    size_t used = 0, step;
    uint8_t *out;
    bool good;

    n = most > 0 && n > most ? most : n;
    out = sqlite3_malloc64(3 * n + 4);
    for (; out && p < end && used < 3 * n; p += step) {
        step = pq_utf8_step(p, end, &good);
        if (!good) {
            used += pq_utf8_put(0xfffd, out + used);
        } else if (acts(p, step)) {          /* a control has a picture of itself */
            used += pq_utf8_put(step > 1 ? 0xfffd : *p == 0x7f ? 0x2421 : 0x2400u + *p,
                                out + used);
        } else {
            memcpy(out + used, p, step);
            used += step;
        }
    }
    if (out) {
        out[used] = 0;
        *out_n = used;
    }
    return (char *)out;
}

static void put(FILE *f, const char *s, size_t n)
{
    char *clean = NULL;
    size_t clean_n = 0;

    if (isatty(fileno(f))) {
        clean = cli_clean(s, n, 0, &clean_n);
        s = clean ? clean : "";
        n = clean_n;
    }
    fwrite(s, 1, n, f);
    sqlite3_free(clean);
}

void cli_print_text(const char *s, size_t n)
{
    put(stdout, s, n);
}

void cli_say(const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    text = sqlite3_vmprintf(format, args);
    va_end(args);
    fflush(stdout);
    fputs("parquet: ", stderr);
    if (text) {
        put(stderr, text, strlen(text));
    }
    fputc('\n', stderr);
    sqlite3_free(text);
}

int cli_say_error(sqlite3 *db)
{
    const char *message = sqlite3_errmsg(db);
    bool unsafe = strncmp(message, "unsafe use of", strlen("unsafe use of")) == 0;

    if (!cli_interrupted()) {
        cli_say("%s%s", message, unsafe ? " in a view or trigger; --trust allows it in "
                                          "databases of your own" : "");
    }
    return CLI_FAILED;
}

static struct {
    int            tty;
    struct termios shown;
} asked;

/* Nothing has begun while a question is open, so an interrupt ends the process; and the
** terminal has to show again what is typed. */
static void on_interrupt(int number)
{
    tcsetattr(asked.tty, TCSAFLUSH, &asked.shown);
    signal(number, SIG_DFL);
    raise(number);
}

bool cli_ask(const char *prompt, char *out, size_t room)
{
    int tty = open("/dev/tty", O_RDWR | O_CLOEXEC);
    struct sigaction here = {.sa_handler = on_interrupt}, before;
    struct termios hidden;
    ssize_t n = -1;
    size_t used = 0;

    if (tty < 0 || tcgetattr(tty, &asked.shown) != 0) {
        cli_say("%s can only be asked for on a terminal", prompt);
        return false;
    }
    asked.tty = tty;
    hidden = asked.shown;
    sigaction(SIGINT, &here, &before);
    hidden.c_lflag &= ~(tcflag_t)ECHO;
    tcsetattr(tty, TCSAFLUSH, &hidden);
    dprintf(tty, "%s: ", prompt);
    while (used + 1 < room && (n = read(tty, out + used, 1)) == 1 && out[used] != '\n') {
        used++;
    }
    out[used] = 0;
    tcsetattr(tty, TCSAFLUSH, &asked.shown);
    dprintf(tty, "\n");
    sigaction(SIGINT, &before, NULL);
    close(tty);
    return n == 1;
}
