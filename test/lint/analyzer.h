/*
** analyzer.h - what the static analyzer cannot see from one file.
**
** pq_fail never returns PQ_OK.  Without knowing it, the analyzer follows a
** path on which a failed call counts as success and finds uninitialised
** results there.  Included before everything else by make lint, and only
** there.
*/
#ifndef ANALYZER_H
#define ANALYZER_H

#include "core/base/err.h"

#define pq_fail(e, rc_, ...) (pq_fail((e), (rc_), __VA_ARGS__), (rc_))

#endif
