/*
** folder_hint.h - the hint about a folder in which no Parquet file was found.
*/
#ifndef PQ_FOLDER_HINT_H
#define PQ_FOLDER_HINT_H

#include "core/base/err.h"

/* Adds to an error what the folder holds, and how to read Parquet files with
** other names. */
void pq_folder_hint(const char *folder, PqErr *e);

#endif
