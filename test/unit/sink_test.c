/*
** sink_test.c - a file holds exactly what was written, and a sink that failed
** stays failed.
*/
#define _GNU_SOURCE
#include "core/base/sink.h"
#include "test/unit/test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Place {
    char folder[256], path[300];
} Place;

static Place begin(void)
{
    const char *tmp = getenv("TMPDIR");
    Place p;

    snprintf(p.folder, sizeof p.folder, "%s/sink_test.XXXXXX",
             tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(p.folder)) {
        perror(p.folder);
        abort();
    }
    snprintf(p.path, sizeof p.path, "%s/x", p.folder);
    return p;
}

static int names_in(const char *folder)
{
    DIR *d = opendir(folder);
    int n = 0;

    while (d && readdir(d)) {
        n++;
    }
    closedir(d);
    return n - 2;
}

static void end(const Place *p)
{
    unlink(p->path);
    rmdir(p->folder);
}

/* Byte i of what the tests write. */
static uint8_t byte_at(uint64_t i)
{
    return (uint8_t)(i * 2654435761u >> 13);
}

static void fill(uint8_t *p, uint64_t at, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        p[i] = byte_at(at + i);
    }
}

static bool is_filled(const uint8_t *p, uint64_t at, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (p[i] != byte_at(at + i)) {
            return false;
        }
    }
    return true;
}

static const size_t pieces[] = {1, 65535, 1, 65536, 0, 3, 65537, 200000,
                                70, 20 << 20, 5, 65530, 6};

static size_t write_pieces(PqSink *s, PqErr *e)
{
    uint8_t *p = malloc((size_t)20 << 20);
    size_t at = 0;

    for (size_t i = 0; p && i < PQ_COUNT(pieces); i++) {
        fill(p, at, pieces[i]);
        if (pq_sink_write(s, p, pieces[i], e) != PQ_OK) {
            break;
        }
        at += pieces[i];
    }
    free(p);
    return at;
}

TEST(sink, pieces_of_every_size_lie_in_the_file_in_order)
{
    Place place = begin();
    struct stat st;
    uint8_t *back;
    PqSink *s;
    size_t n;
    int fd;

    CHECK_OK(pq_sink_create(t->mem, place.path, "shown", &s, t->e));
    n = write_pieces(s, t->e);
    CHECK_INT(pq_sink_offset(s), n);
    CHECK_OK(pq_sink_flush(s, t->e));
    CHECK_OK(pq_sink_settle(s, NULL, t->e));
    CHECK_OK(pq_sink_sync(s, t->e));
    pq_sink_close(s);

    CHECK(stat(place.path, &st) == 0 && (size_t)st.st_size == n);
    back = malloc(n);
    fd = open(place.path, O_RDONLY | O_CLOEXEC);
    CHECK(back && read(fd, back, n) == (ssize_t)n);
    CHECK(is_filled(back, 0, n));
    close(fd);
    free(back);
    end(&place);
}

TEST(sink, a_file_that_exists_is_not_touched)
{
    Place place = begin();
    PqSink *s;

    CHECK_OK(pq_sink_create(t->mem, place.path, "shown", &s, t->e));
    pq_sink_close(s);
    CHECK_FAILS(pq_sink_create(t->mem, place.path, "the name", &s, t->e),
                PQ_IO, "the name: cannot create: File exists");
    CHECK(!s);
    end(&place);
}

TEST(sink, permissions_are_those_the_process_gives)
{
    mode_t before = umask(027);
    Place place = begin();
    struct stat st;
    PqSink *s;

    CHECK_OK(pq_sink_create(t->mem, place.path, "shown", &s, t->e));
    umask(before);
    pq_sink_close(s);
    CHECK(stat(place.path, &st) == 0);
    CHECK_INT(st.st_mode & 0777, 0640);
    end(&place);
}

TEST(sink, what_was_not_flushed_is_given_up)
{
    Place place = begin();
    struct stat st;
    PqSink *s;

    CHECK_OK(pq_sink_create(t->mem, place.path, "shown", &s, t->e));
    CHECK_OK(pq_sink_write(s, "abc", 3, t->e));
    CHECK_OK(pq_sink_flush(s, t->e));
    CHECK_OK(pq_sink_write(s, "def", 3, t->e));
    pq_sink_close(s);
    CHECK(stat(place.path, &st) == 0);
    CHECK_INT(st.st_size, 3);
    end(&place);
}

/* The lowest descriptor that is free. */
static int descriptor(void)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

    close(fd);
    return fd;
}

TEST(sink, a_paused_sink_holds_nothing_and_goes_on_where_it_was)
{
    Place place = begin();
    const int free_before = descriptor();
    char back[10] = {0};
    size_t idle;
    PqSink *s;
    FILE *f;

    CHECK_OK(pq_sink_create(t->mem, place.path, "shown", &s, t->e));
    idle = pq_mem_used(t->mem);
    CHECK_OK(pq_sink_write(s, "abc", 3, t->e));
    CHECK(pq_mem_used(t->mem) > idle);
    CHECK_OK(pq_sink_pause(s, t->e));
    CHECK_INT(descriptor(), free_before);
    CHECK_INT(pq_mem_used(t->mem), idle);
    CHECK_INT(pq_sink_offset(s), 3);
    CHECK_OK(pq_sink_pause(s, t->e));
    CHECK_OK(pq_sink_flush(s, t->e));
    CHECK_INT(descriptor(), free_before);
    CHECK_OK(pq_sink_write(s, "def", 3, t->e));
    CHECK_OK(pq_sink_pause(s, t->e));
    CHECK_OK(pq_sink_read(s, 2, 3, back, t->e));
    CHECK_TEXT(back, "cde");
    CHECK_OK(pq_sink_pause(s, t->e));
    CHECK_OK(pq_sink_settle(s, NULL, t->e));
    CHECK_OK(pq_sink_pause(s, t->e));
    CHECK_OK(pq_sink_sync(s, t->e));
    pq_sink_close(s);
    f = fopen(place.path, "rb");
    CHECK(f && fread(back, 1, sizeof back, f) == 6);
    CHECK_BYTES(back, 6, "abcdef", 6);
    fclose(f);
    end(&place);
}

TEST(sink, a_paused_sink_does_not_write_to_another_file)
{
    Place place = begin();
    PqSink *s;

    for (int i = 0; i < 3; i++) {
        CHECK_OK(pq_sink_create(t->mem, place.path, "shown", &s, t->e));
        CHECK_OK(pq_sink_write(s, "abc", 3, t->e));
        CHECK_OK(pq_sink_pause(s, t->e));
        if (i == 0) {                /* longer than it was */
            CHECK(truncate(place.path, 5) == 0);
        } else {
            unlink(place.path);
        }
        if (i == 1) {                /* a link to somewhere else */
            CHECK(symlink("/dev/null", place.path) == 0);
        }
        CHECK_OK(pq_sink_write(s, "def", 3, t->e));
        CHECK_FAILS(pq_sink_flush(s, t->e), PQ_IO, "shown: ");
        CHECK_FAILS(pq_sink_sync(s, t->e), PQ_IO, "after an earlier error");
        pq_sink_close(s);
        unlink(place.path);
    }
    end(&place);
}

TEST(sink, a_scratch_file_has_no_name_and_is_read_back)
{
    Place place = begin();
    uint8_t back[1000];
    PqSink *s;
    size_t n;

    CHECK_OK(pq_sink_scratch(t->mem, place.folder, &s, t->e));
    CHECK_INT(names_in(place.folder), 0);
    n = write_pieces(s, t->e);
    for (size_t at = 0; at + sizeof back <= n; at += 65001) {
        CHECK_OK(pq_sink_read(s, at, sizeof back, back, t->e));
        CHECK(is_filled(back, at, sizeof back));
    }
    CHECK_OK(pq_sink_read(s, n - 3, 3, back, t->e));
    CHECK(is_filled(back, n - 3, 3));
    CHECK_OK(pq_sink_write(s, "xyz", 3, t->e));
    CHECK_OK(pq_sink_read(s, n, 3, back, t->e));
    CHECK_BYTES(back, 3, "xyz", 3);
    CHECK_FAILS(pq_sink_read(s, n + 1, 3, back, t->e), PQ_USAGE, "written");
    CHECK_FAILS(pq_sink_read(s, UINT64_MAX, 2, back, t->e), PQ_USAGE,
                "written");
    pq_sink_close(s);
    CHECK_FAILS(pq_sink_scratch(t->mem, place.path, &s, t->e), PQ_IO,
                "temporary file in this folder: No such");
    end(&place);
}

/* SIGXFSZ would end the process, so it is ignored as hosts do that care. */
TEST(sink, a_file_at_its_limit_is_named_and_stays_failed)
{
    struct rlimit before, now;
    Place place = begin();
    uint8_t *p = calloc(1, 1 << 20);
    PqSink *s;

    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    now = before;
    now.rlim_cur = 100000;
    CHECK(p && setrlimit(RLIMIT_FSIZE, &now) == 0);
    CHECK_OK(pq_sink_create(t->mem, place.path, "out.parquet", &s, t->e));
    t->e->where.column = "elsewhere";
    CHECK_FAILS(pq_sink_write(s, p, 1 << 20, t->e), PQ_IO,
                "out.parquet: cannot write: File too large");
    CHECK_TEXT(t->e->where.column, "elsewhere");
    t->e->where.column = NULL;
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_DFL);
    CHECK_FAILS(pq_sink_write(s, p, 1, t->e), PQ_IO, "out.parquet: ");
    CHECK_FAILS(pq_sink_flush(s, t->e), PQ_IO, "earlier error");
    CHECK_FAILS(pq_sink_sync(s, t->e), PQ_IO, "earlier error");
    pq_sink_close(s);
    free(p);
    end(&place);
}

static PqRc use_both(const Place *place, PqMem *mem, PqErr *e)
{
    PqSink *file = NULL, *scratch = NULL;
    uint8_t back[8];
    PqRc rc;

    PQ_GO(pq_sink_create(mem, place->path, "out.parquet", &file, e));
    PQ_GO(pq_sink_scratch(mem, place->folder, &scratch, e));
    PQ_GO(pq_sink_write(scratch, "abcdefgh", 8, e));
    PQ_GO(pq_sink_read(scratch, 0, 8, back, e));
    PQ_GO(pq_sink_write(file, back, 8, e));
    PQ_GO(pq_sink_sync(file, e));
done:
    pq_sink_close(file);
    pq_sink_close(scratch);
    return rc;
}

TEST(sink, every_failure_is_an_error_with_words)
{
    Place place = begin();
    int64_t n = 1, full = 0;
    PqRc rc;

    do {
        pq_fault_set(n++);
        rc = use_both(&place, t->mem, t->e);
        pq_fault_set(0);
        unlink(place.path);
        CHECK(rc == PQ_OK || t->e->text[0]);
        full += strstr(t->e->text, "no space left") != NULL;
        pq_err_clear(t->e);
        CHECK_INT(pq_mem_used(t->mem), 0);
        CHECK_INT(names_in(place.folder), 0);
    } while (rc != PQ_OK);
    CHECK_INT(full, 2);
    CHECK(n > 10);
    end(&place);
}
