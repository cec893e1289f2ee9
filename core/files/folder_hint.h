/*
** folder_hint.h - what a folder holds in which no Parquet file was found.
*/
#ifndef PQ_FOLDER_HINT_H
#define PQ_FOLDER_HINT_H

#include "core/base/err.h"

/* Adds to an error about the folder what is in it, and how files whose names end
** otherwise are read. */
void pq_folder_hint(const char *folder, PqErr *e);

#endif
