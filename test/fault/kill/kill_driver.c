/*
** kill_driver.c - a copy without a query, for kill.sh and full_disk.sh to end
** at any moment.
**
**   kill_driver file   out.parquet  7  8000000     that many bytes, made from 7
**   kill_driver folder out          7  8000000     in 24 files of 8 partitions;
**                                                  the 7 chooses which
**   kill_driver partitions out      7  8000000     in 24 files of the same 8
**                                                  partitions, whose names it
**                                                  chooses; part=kept stays
**
** Old files are replaced.  Exits with 1 and the message on stderr when the copy
** fails.
*/
#include "core/write/publish.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { AT_ONCE = 10000, PARTITIONS = 8, FILES = 3 };

static PqRc fill(PqPublish *p, const char *name, unsigned from, size_t n,
                 PqErr *e)
{
    uint8_t bytes[AT_ONCE];
    uint32_t x = from * 2654435761u + 1;
    bool taken;
    PqSink *s;

    PQ_TRY(pq_publish_file(p, name, &taken, &s, e));
    while (n) {
        size_t some = n < AT_ONCE ? n : AT_ONCE;

        for (size_t i = 0; i < some; i++) {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
            bytes[i] = (uint8_t)x;
        }
        PQ_TRY(pq_sink_write(s, bytes, some, e));
        n -= some;
    }
    return pq_publish_done(p, s, e);
}

static PqRc fill_folder(PqPublish *p, bool same, unsigned from, size_t n,
                        PqErr *e)
{
    char name[100];

    for (unsigned i = 0; i < PARTITIONS * FILES; i++) {
        snprintf(name, sizeof name, "part=%u/data_%u.parquet",
                 i / FILES + (same ? 0 : from % 2 * PARTITIONS / 2),
                 i % FILES + (same ? from % 2 : 0));
        PQ_TRY(fill(p, name, from + i, n / (PARTITIONS * FILES), e));
    }
    return PQ_OK;
}

/* The first time, makes a partition that no copy replaces. */
static void keep_one(const char *folder)
{
    char path[500];
    FILE *f;

    mkdir(folder, 0777);
    snprintf(path, sizeof path, "%s/part=kept", folder);
    if (mkdir(path, 0777) == 0) {
        snprintf(path, sizeof path, "%s/part=kept/data_0.parquet", folder);
        if ((f = fopen(path, "w")) != NULL) {
            fputs("kept", f);
            fclose(f);
        }
    }
}

int main(int argc, char **argv)
{
    static const char *const columns[] = {"part"};
    PqPublishPlan plan = {.overwrite = PQ_OVERWRITE_REPLACE,
                          .folder_columns = columns,
                          .n_folder_columns = 1};
    PqMem *mem = pq_mem_new((size_t)1 << 26);
    PqPublish *p = NULL;
    bool is_folder, same;
    unsigned from;
    size_t n;
    PqErr e;
    PqRc rc;

    if (argc != 5 || !mem) {
        fprintf(stderr, "kill_driver file|folder|partitions TARGET NUMBER "
                        "BYTES\n");
        return 2;
    }
    pq_err_init(&e);
    same = !strcmp(argv[1], "partitions");
    is_folder = same || !strcmp(argv[1], "folder");
    if (same) {
        plan.overwrite = PQ_OVERWRITE_PARTITIONS;
        keep_one(argv[2]);
    }
    from = (unsigned)atoi(argv[3]);
    n = (size_t)atol(argv[4]);
    plan.is_folder = is_folder;
    plan.target = argv[2];
    PQ_GO(pq_publish_open(mem, &plan, &p, &e));
    PQ_GO(is_folder ? fill_folder(p, same, from, n, &e)
                    : fill(p, NULL, from, n, &e));
    PQ_GO(pq_publish_commit(p, &e));
done:
    pq_publish_free(p);
    pq_mem_release(mem);
    if (rc != PQ_OK) {
        fprintf(stderr, "%s\n", e.text);
    }
    return rc != PQ_OK;
}
