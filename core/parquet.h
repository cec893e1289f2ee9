/*
** parquet.h - the engine's face: what a host of it may use, in the order in
** which it is needed.
**
** Everything above core/ includes this file and nothing else of core/;
** test/lint/floors.sh sees to it.  Each header begins with what it is for.
**
**   a query    engine -> listing -> table -> scan -> batches of vectors
**   a copy     schema_make -> copy -> slabs of cells
**   a look     footer -> chunks -> pages
*/
#ifndef PQ_PARQUET_H
#define PQ_PARQUET_H

/* ---- to read ---- */

/* Files in, batches out.  Brings files/engine.h, files/listing.h and
** files/table.h: what a connection keeps, which files there are, which columns
** they have. */
#include "core/scan/scan.h"
#include "core/scan/unnest.h"
/* Conditions on a column, which skip row groups and pages and leave out rows. */
#include "core/scan/condition.h"
/* ... on the boxes of geometries. */
#include "core/scan/geo_condition.h"
#include "core/scan/row_box.h"
/* The first rows in some order, without sorting them all. */
#include "core/top/top.h"
/* All rows, those with equal keys side by side. */
#include "core/group/grouping.h"
#include "core/rollup/rollup.h"
/* Keys are numbered. */
#include "core/group/group_texts.h"
/* A column in a few words. */
#include "core/summary/summary.h"
/* Rows by a value of a column, for joins. */
#include "core/scan/key_index.h"
#include "core/scan/lookup.h"
/* Files that cannot be read, if they are to be skipped. */
#include "core/files/left_out.h"
#include "core/base/lake.h"
#include "core/files/path_list.h"
#include "core/base/path_hint.h"
/* A summary becomes the files that it names, where their folders are columns. */
#include "core/files/unfold.h"
/* Columns that are paths into Variants. */
#include "core/files/table_paths.h"
/* A column of lists, structs or variants as JSON text. */
#include "core/nested/json_rows.h"
/* A column of points, or of lists of points, as WKB. */
#include "core/nested/geo_rows.h"

/* ---- Variants ---- */

#include "core/variant/variant_build.h"  /* brings variant_value.h           */
#include "core/variant/variant_cast.h"
#include "core/variant/variant_parse.h"  /* out of JSON                      */
#include "core/variant/variant_path.h"
#include "core/variant/variant_type.h"

/* ---- encryption ---- */

#include "core/base/secret.h"            /* to wipe what was a key           */
#include "core/crypto/key_choice.h"      /* keys by name                     */
#include "core/write/file_seal.h"        /* how a copy is encrypted          */

/* ---- geometries ---- */

#include "core/geo/geo_names.h"
#include "core/geo/hilbert.h"
#include "core/geo/wkb.h"                /* brings geo_box.h                 */
#include "core/geo/wkt.h"

/* ---- to know what values mean ---- */

#include "core/base/ascii.h"             /* names without case               */
#include "core/meta/place.h"             /* the integer that a value is      */
#include "core/meta/rank.h"              /* ... or one of the same order     */
#include "core/meta/stats.h"             /* bounds that can be trusted       */
#include "core/text/number_text.h"
#include "core/text/time_text.h"
#include "core/text/json_text.h"         /* JSON strings, hex, UUIDs         */

/* ---- to look inside files ---- */

#include "core/meta/footer.h"
#include "core/meta/geometry.h"
#include "core/geo/geo_names.h"
#include "core/meta/page_index.h"
#include "core/meta/bloom.h"
#include "core/meta/plain_text.h"        /* a bound as readable text         */
#include "core/files/chunk_files.h"      /* a summary's chunks lie elsewhere */
#include "core/column/chunk_read.h"      /* pages, one after the other       */
#include "core/column/page_crc.h"
#include "core/verify/verify.h"          /* is all of it true?               */

/* ---- geometries ---- */

#include "core/meta/geometry.h"          /* brings geoparquet.h, wkb.h       */
#include "core/geo/wkt.h"

/* ---- to write ---- */

#include "core/meta/schema_make.h"       /* columns from names and types     */
#include "core/write/copy.h"             /* rows in, files out               */
#include "core/column/cells.h"           /* what a row is made of            */
#include "core/column/chunk_options.h"   /* how a column is written          */
#include "core/codec/codec.h"
#include "core/encoding/encoder.h"
#include "core/nested/json_shred.h"      /* JSON text into leaves            */
#include "core/nested/variant_shred.h"   /* ... and Variants                 */
#include "core/write/file_name.h"        /* names of files, from a pattern   */
#include "core/meta/writer.h"            /* what created_by begins with      */

/* ---- to take texts for values ---- */

#include "core/text/number_parse.h"
#include "core/text/time_parse.h"
#include "core/text/hex_parse.h"         /* bytes and UUIDs                  */
#include "core/text/json_read.h"
#include "core/text/text_kind.h"         /* a type for texts without one     */

/* ---- Variants ---- */

#include "core/variant/variant_path.h"
#include "core/variant/variant_parse.h"
#include "core/variant/variant_cast.h"
#include "core/variant/variant_type.h"

/* ---- tools ---- */

#include "core/base/build.h"             /* for parquet_version()            */
#include "core/base/clock.h"
#include "core/base/sort.h"              /* rowids                           */
#include "core/column/vector.h"
#include "core/simd/kernels.h"           /* loops over batches               */

#endif
