/*
** sort.h - sorts integers, mostly rowids.
*/
#ifndef PQ_SORT_H
#define PQ_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void pq_sort_i64(int64_t *v, size_t n);

/* The same, several times as fast for thousands: room is for n, too. */
void pq_sort_i64_in(int64_t *v, int64_t *room, uint32_t n);

bool pq_is_sorted_i64(const int64_t *v, uint32_t n);

/* The same, but removes duplicates; returns how many are left. */
size_t pq_sort_i64_once(int64_t *v, size_t n);

#endif
