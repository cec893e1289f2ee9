/*
** sort.h - sorts integers, mostly rowids.
*/
#ifndef PQ_SORT_H
#define PQ_SORT_H

#include <stddef.h>
#include <stdint.h>

void pq_sort_i64(int64_t *v, size_t n);

/* The same, but removes duplicates; returns how many are left. */
size_t pq_sort_i64_once(int64_t *v, size_t n);

#endif
