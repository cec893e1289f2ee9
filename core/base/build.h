/*
** build.h - the compiler's name, for parquet_version().
*/
#ifndef PQ_BUILD_H
#define PQ_BUILD_H

#if defined(__clang__)
#define PQ_COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define PQ_COMPILER "gcc " __VERSION__
#else
#define PQ_COMPILER "an unnamed compiler"
#endif

#endif
