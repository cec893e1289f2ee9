/*
** rollup_wholes.h - groups that have some keys in common are one whole.
**
**   keys      region  user        whole     of the keys: region
**   groups    1       A           0
**             2       A           1
**             1       B           0
**
** Wholes are numbered from 0 on, in the order in which their first groups come.
*/
#ifndef PQ_ROLLUP_WHOLES_H
#define PQ_ROLLUP_WHOLES_H

#include "core/rollup/rollup.h"

/* Puts the whole of each of the n groups in the list (NULL: the first n) into
** wholes; *n_wholes: how many there are.  All groups are in memory.  keys: the
** numbers of the keys, at least one. */
PqRc pq_rollup_wholes(const PqRollup *r, const uint32_t *keys, uint32_t n_keys,
                      const uint32_t *list, uint32_t n, uint32_t *wholes,
                      uint32_t *n_wholes, PqErr *e);

#endif
