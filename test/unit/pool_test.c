/*
** pool_test.c - each job is run once, by a thread or by the waiting caller.
*/
#define _GNU_SOURCE
#include "core/base/pool.h"
#include "test/unit/test.h"

#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Counting {
    PqJob job;
    int   runs, by;
} Counting;

static void count_run(PqJob *job, int thread)
{
    Counting *c = (Counting *)job;

    c->runs++;
    c->by = thread;
}

static void wait_for(PqPool *p, PqJob *job)
{
    while (!pq_pool_wait_for(p, job, 60000)) {
    }
}

static void each_job_runs_once(Test *t, unsigned n_threads)
{
    enum { JOBS = 500 };
    static Counting jobs[JOBS];
    PqPool *p;
    int i;

    memset(jobs, 0, sizeof jobs);
    CHECK_OK(pq_pool_new(t->mem, n_threads, &p, t->e));
    for (i = 0; i < JOBS; i++) {
        jobs[i].job.run = count_run;
        pq_pool_add(p, &jobs[i].job);
        if (i >= 20) {
            wait_for(p, &jobs[i - 20].job);
        }
    }
    for (i = JOBS - 1; i >= JOBS - 20; i--) {
        wait_for(p, &jobs[i].job);
    }
    pq_pool_free(p);
    for (i = 0; i < JOBS; i++) {
        CHECK_INT(jobs[i].runs, 1);
        CHECK(jobs[i].by >= -1 && jobs[i].by < (int)n_threads);
    }
}

TEST(pool, each_job_runs_once_with_three_threads)
{
    each_job_runs_once(t, 3);
}

TEST(pool, without_threads_the_one_who_waits_does_the_work)
{
    each_job_runs_once(t, 0);
}

static void any_of_several(Test *t, unsigned n_threads)
{
    enum { JOBS = 7, ROUNDS = 200 };
    Counting jobs[JOBS] = {{.runs = 0}};
    PqJob *of[JOBS];
    PqPool *p;
    int i, left = ROUNDS;

    CHECK_OK(pq_pool_new(t->mem, n_threads, &p, t->e));
    for (i = 0; i < JOBS; i++) {
        of[i] = &jobs[i].job;
        of[i]->run = count_run;
    }
    CHECK_INT(pq_pool_wait_for_any(p, of, JOBS, 0), -1);
    for (i = 0; i < JOBS; i++) {
        pq_pool_add(p, of[i]);
    }
    for (left -= JOBS; left > -JOBS; left--) {
        do {
            i = pq_pool_wait_for_any(p, of, JOBS, 1000);
        } while (i < 0);
        if (left > 0) {
            pq_pool_add(p, of[i]);
        }
    }
    for (i = 0, left = 0; i < JOBS; i++) {
        left += jobs[i].runs;
        CHECK_INT((int)of[i]->state, PQ_JOB_NONE);
    }
    CHECK_INT(left, ROUNDS);
    pq_pool_free(p);
}

TEST(pool, any_of_several_jobs_is_waited_for)
{
    any_of_several(t, 3);
    any_of_several(t, 0);
}

TEST(pool, a_forked_child_does_its_jobs_itself)
{
    Counting before = {.job = {.run = count_run}};
    Counting c = {.job = {.run = count_run}};
    int status = -1;
    PqPool *p;
    pid_t child;

    CHECK_OK(pq_pool_new(t->mem, 2, &p, t->e));
    pq_pool_add(p, &before.job);
    wait_for(p, &before.job);
    child = fork();
    if (child == 0) {
        alarm(600);                  /* a hang is a failure, too */
        pq_pool_add(p, &c.job);
        wait_for(p, &c.job);
        pq_pool_free(p);
        _exit(c.runs == 1 ? 0 : 1);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK_INT(status, 0);
    pq_pool_free(p);
}

TEST(pool, a_job_can_be_queued_again)
{
    Counting c = {.job = {.run = count_run}};
    PqPool *p;
    int i;

    CHECK_OK(pq_pool_new(t->mem, 1, &p, t->e));
    for (i = 0; i < 100; i++) {
        pq_pool_add(p, &c.job);
        wait_for(p, &c.job);
    }
    pq_pool_free(p);
    CHECK_INT(c.runs, 100);
}

typedef struct Held {
    PqJob       job;
    atomic_bool go;
    int         by;
} Held;

static void held_run(PqJob *job, int thread)
{
    Held *h = (Held *)job;

    while (!h->go) {
        usleep(1000);
    }
    h->by = thread;
}

TEST(pool, a_job_that_is_left_to_the_threads_is_done_by_one)
{
    Held h = {.job = {.run = held_run}, .by = -2};
    PqPool *p;

    CHECK_OK(pq_pool_new(t->mem, 1, &p, t->e));
    pq_pool_add(p, &h.job);
    CHECK(!pq_pool_wait_for_thread(p, &h.job, 0));
    CHECK(!pq_pool_wait_for_thread(p, &h.job, 5));
    h.go = true;
    CHECK(pq_pool_wait_for_thread(p, &h.job, 600000));
    CHECK_INT(h.by, 0);
    pq_pool_free(p);
}

TEST(pool, a_job_that_is_left_to_no_threads_is_done)
{
    Counting c = {.job = {.run = count_run}};
    PqPool *p;

    CHECK_OK(pq_pool_new(t->mem, 0, &p, t->e));
    pq_pool_add(p, &c.job);
    CHECK(pq_pool_wait_for_thread(p, &c.job, 0));
    CHECK_INT(c.runs, 1);
    CHECK_INT(c.by, -1);
    pq_pool_free(p);
}
