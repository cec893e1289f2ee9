/*
** kernels.c - the one place that asks the CPU.
**
** Tables are in the order of what they need: a CPU that runs one runs all
** before it.  Two threads may choose at the same time, but they choose the
** same, so no lock is needed.
*/
#include "core/simd/kernels.h"

#include <stdatomic.h>

static const PqKernels *const tables[] = {
    &pq_kernels_scalar,
#if defined(__x86_64__)
    &pq_kernels_avx2,
#endif
};

static size_t n_runnable(void)
{
    size_t n = 1;

#if defined(__x86_64__)
    __builtin_cpu_init();
    n += __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");
#endif
    return n;
}

const PqKernels *pq_kernels(void)
{
    static _Atomic(const PqKernels *) chosen;
    const PqKernels *k = atomic_load_explicit(&chosen, memory_order_relaxed);

    if (!k) {
        k = tables[n_runnable() - 1];
        atomic_store_explicit(&chosen, k, memory_order_relaxed);
    }
    return k;
}

size_t pq_kernels_all(const PqKernels *const **out)
{
    *out = tables;
    return n_runnable();
}
