/*
** ftw.h - nftw, of which the unit tests need only: the folders after what is in them.
*/
#ifndef TEST_WINDOWS_FTW_H
#define TEST_WINDOWS_FTW_H

#include "core/base/system.h"

struct FTW {
    int level;
};

enum { FTW_DEPTH = 1, FTW_PHYS = 2 };

int nftw(const char *path, int (*each)(const char *, const struct stat *, int, struct FTW *),
         int most, int flags);

#endif
