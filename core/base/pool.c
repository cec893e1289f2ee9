/*
** pool.c - one lock, one queue.
**
** A job runs without the lock; its state changes only under it.  Two things are
** hard.  After a fork the child has no threads, and the lock is in an unknown
** state, so a forked pool touches neither.  And a waiting thread must never
** wait for a thread that does not come, so it runs a job itself if no thread
** has begun it.
**
** Waking a thread costs microseconds, and one that is woken while the lock is held
** sleeps again.  So threads are woken after the lock was let go, and only where one
** sleeps.
*/
#define _GNU_SOURCE
#include "core/base/pool.h"

#include "core/base/clock.h"
#include "core/base/system.h"

#include <string.h>

struct PqPool {
    pthread_mutex_t lock;
    pthread_cond_t  work, done;
    PqJob          *first, **last;
    unsigned        n_wanted, n_threads, n_named;
    unsigned        n_idle, n_waiting;  /* threads that sleep for work, done */
    bool            stop;
    pid_t           owner;
    pthread_t       thread[PQ_POOL_THREADS];
};

/* A child of the process that made the pool has no threads, and the lock may
** have been held at the fork.  There nothing of the pool is touched, and the
** caller of pq_pool_add runs the job. */
static bool forked(const PqPool *p)
{
    return p->owner != getpid();
}

unsigned pq_pool_spare_processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);

    return n <= 1 ? 0 : n > 5 ? 4 : (unsigned)n - 1;
}

PqRc pq_pool_new(PqMem *mem, unsigned n_threads, PqPool **out, PqErr *e)
{
    PqPool *p = pq_mem_zeros(mem, 1, sizeof *p, e);

    *out = p;
    if (!p) {
        return e->rc;
    }
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->work, NULL);
    pq_clock_cond(&p->done);
    p->last = &p->first;
    p->owner = getpid();
    p->n_wanted = n_threads < PQ_POOL_THREADS ? n_threads : PQ_POOL_THREADS;
    return PQ_OK;
}

void pq_pool_grow(PqPool *p, unsigned n_threads)
{
    if (forked(p)) {
        return;
    }
    n_threads = n_threads < PQ_POOL_THREADS ? n_threads : PQ_POOL_THREADS;
    pthread_mutex_lock(&p->lock);
    if (p->n_wanted < n_threads) {
        p->n_wanted = n_threads;
    }
    pthread_mutex_unlock(&p->lock);
}

/* The oldest job, out of the queue and running. */
static PqJob *take(PqPool *p)
{
    PqJob *job = p->first;

    p->first = job->next;
    if (!p->first) {
        p->last = &p->first;
    }
    job->state = PQ_JOB_RUNNING;
    return job;
}

static void *work(void *arg)
{
    PqPool *p = arg;
    int self;

    pthread_mutex_lock(&p->lock);
    self = (int)p->n_named++;
    while (!p->stop) {
        PqJob *job;

        if (!p->first) {
            p->n_idle++;
            pthread_cond_wait(&p->work, &p->lock);
            p->n_idle--;
            continue;
        }
        job = take(p);
        pthread_mutex_unlock(&p->lock);
        job->run(job, self);
        pthread_mutex_lock(&p->lock);
        job->state = PQ_JOB_DONE;
        if (p->n_waiting) {
            pthread_mutex_unlock(&p->lock);
            pthread_cond_broadcast(&p->done);
            pthread_mutex_lock(&p->lock);
        }
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

bool pq_pool_start_thread(pthread_t *out, void *(*run)(void *), void *arg)
{
    sigset_t all, before;
    bool ok;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    ok = pthread_create(out, NULL, run, arg) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ok;
}

/* When a thread cannot be started, the pool goes on with fewer. */
static void start_threads(PqPool *p)
{
    while (p->n_threads < p->n_wanted &&
           pq_pool_start_thread(&p->thread[p->n_threads], work, p)) {
        p->n_threads++;
    }
    p->n_wanted = p->n_threads;
}

void pq_pool_add(PqPool *p, PqJob *job)
{
    bool idle;

    if (forked(p)) {
        job->run(job, -1);
        job->state = PQ_JOB_DONE;
        return;
    }
    pthread_mutex_lock(&p->lock);
    job->next = NULL;
    job->state = PQ_JOB_QUEUED;
    *p->last = job;
    p->last = &job->next;
    if (p->n_threads < p->n_wanted) {
        start_threads(p);
    }
    idle = p->n_idle > 0;
    pthread_mutex_unlock(&p->lock);
    if (idle) {
        pthread_cond_signal(&p->work);
    }
}

/* Takes a queued job out of the middle of the queue. */
static void unqueue(PqPool *p, PqJob *job)
{
    PqJob **at = &p->first;

    while (*at != job) {
        at = &(*at)->next;
    }
    *at = job->next;
    if (p->last == &job->next) {
        p->last = at;
    }
    job->state = PQ_JOB_RUNNING;
}

static bool is_pending(const PqJob *job)
{
    return job->state == PQ_JOB_QUEUED || job->state == PQ_JOB_RUNNING;
}

/* Runs a queued job; needs the lock, and has it again afterwards. */
static void run_here(PqPool *p, PqJob *job)
{
    unqueue(p, job);
    pthread_mutex_unlock(&p->lock);
    job->run(job, -1);
    pthread_mutex_lock(&p->lock);
    job->state = PQ_JOB_DONE;
}

/* Until any job is done; false: the time is over. */
static bool sleep_until(PqPool *p, const struct timespec *until)
{
    int rc;

    p->n_waiting++;
    rc = pthread_cond_timedwait(&p->done, &p->lock, until);
    p->n_waiting--;
    return rc == 0;
}

static bool in_time(PqPool *p, PqJob *job, unsigned ms, bool may_do_it)
{
    struct timespec until;
    bool done;

    if (forked(p)) {
        job->state = PQ_JOB_NONE;
        return true;
    }
    pthread_mutex_lock(&p->lock);
    if (job->state == PQ_JOB_QUEUED && (may_do_it || p->n_threads == 0)) {
        run_here(p, job);
    }
    until = pq_clock_in_ms(ms);
    while (is_pending(job) && sleep_until(p, &until)) {
    }
    done = !is_pending(job);
    if (done) {
        job->state = PQ_JOB_NONE;
    }
    pthread_mutex_unlock(&p->lock);
    return done;
}

static int first_of(PqJob *const *jobs, uint32_t n, PqJobState state)
{
    for (uint32_t i = 0; i < n; i++) {
        if (jobs[i]->state == state) {
            return (int)i;
        }
    }
    return -1;
}

/* Without threads the first one is run here. */
static void run_one(PqPool *p, PqJob *const *jobs, uint32_t n)
{
    int i = p->n_threads == 0 ? first_of(jobs, n, PQ_JOB_QUEUED) : -1;

    if (i >= 0) {
        run_here(p, jobs[i]);
    }
}

int pq_pool_wait_for_any(PqPool *p, PqJob *const *jobs, uint32_t n, unsigned ms)
{
    struct timespec until;
    bool here = !forked(p);
    int i;

    if (here) {
        pthread_mutex_lock(&p->lock);
        run_one(p, jobs, n);
        until = pq_clock_in_ms(ms);
        while (first_of(jobs, n, PQ_JOB_DONE) < 0 && sleep_until(p, &until)) {
        }
    }
    i = first_of(jobs, n, PQ_JOB_DONE);
    if (i >= 0) {
        jobs[i]->state = PQ_JOB_NONE;
    }
    if (here) {
        pthread_mutex_unlock(&p->lock);
    }
    return i;
}

bool pq_pool_wait_for(PqPool *p, PqJob *job, unsigned ms)
{
    return in_time(p, job, ms, true);
}

bool pq_pool_wait_for_thread(PqPool *p, PqJob *job, unsigned ms)
{
    return in_time(p, job, ms, false);
}

void pq_pool_free(PqPool *p)
{
    if (!p) {
        return;
    }
    if (forked(p)) {
        pq_mem_free(p);
        return;
    }
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    for (unsigned i = 0; i < p->n_threads; i++) {
        pthread_join(p->thread[i], NULL);
    }
    pthread_cond_destroy(&p->work);
    pthread_cond_destroy(&p->done);
    pthread_mutex_destroy(&p->lock);
    pq_mem_free(p);
}
