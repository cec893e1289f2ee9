/*
** journal.c - reads the lines of a journal.
*/
#define _GNU_SOURCE
#include "core/base/journal.h"

#include "core/base/system.h"

#include <stdio.h>
#include <string.h>

/* Of 300,000 files, more than one call replaces. */
enum { MOST_BYTES = 64 << 20 };

static bool has_end(const char *text, size_t n, const char *end)
{
    size_t n_end = strlen(end);

    return n >= n_end && memcmp(text + n - n_end, end, n_end) == 0;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

bool pq_journal_is_name(const char *name)
{
    size_t n = strlen(name);

    return *name == '.' && ((begins(name, PQ_JOURNAL_LOCK) && has_end(name, n, ".lock")) ||
                            (begins(name, "." PQ_JOURNAL_MARK ".") && has_end(name, n, ".tmp")));
}

/* Nothing outside of the folder is meant, whoever wrote the line. */
static bool is_inside(const char *path)
{
    return *path && !pq_system_is_absolute(path) &&
           strncmp(path, "../", 3) != 0 && !strstr(path, "/../");
}

static bool parse(const char *text, PqJournalLine *out)
{
    unsigned long long inode;
    long long seconds, ns, size;
    int at = 0;

    if ((*text != '+' && *text != '-') ||
        sscanf(text + 1, " %llu %lld %lld %lld %n", &inode, &seconds, &ns, &size, &at) != 4 ||
        !at || !is_inside(text + 1 + at)) {
        return false;
    }
    *out = (PqJournalLine){inode, seconds, ns, size, text + 1 + at, *text == '+'};
    return true;
}

PqRc pq_journal_read(int fd, PqMem *mem, PqJournal *out, bool *whole, PqErr *e)
{
    char *line, *end;
    size_t n;

    *out = (PqJournal){0};
    *whole = fstat(fd, &out->st) == 0 && S_ISREG(out->st.st_mode) &&
             out->st.st_size <= MOST_BYTES;
    n = *whole ? (size_t)out->st.st_size : 0;
    if (!n) {
        return PQ_OK;
    }
    out->text = pq_mem_zeros(mem, n + 1, 1, e);
    PQ_TRY(out->text ? PQ_OK : e->rc);
    *whole = pread(fd, out->text, n, 0) == (ssize_t)n;
    out->done = *whole && has_end(out->text, n, PQ_JOURNAL_DONE);
    for (line = out->text; *whole && (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = 0;
        if (PQ_GROW(mem, out->line, out->n, out->room, e) != PQ_OK) {
            pq_journal_free(out);
            return e->rc;
        }
        out->n += parse(line, &out->line[out->n]);
    }
    return PQ_OK;
}

void pq_journal_free(PqJournal *j)
{
    pq_mem_free(j->text);
    pq_mem_free(j->line);
    *j = (PqJournal){0};
}

bool pq_journal_drops(const PqJournal *j, const PqJournalLine *line, const struct stat *st)
{
    return line->comes != j->done && st->st_ino == line->inode && st->st_size == line->size &&
           st->st_mtim.tv_sec == line->seconds && st->st_mtim.tv_nsec == line->ns;
}
