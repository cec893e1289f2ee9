/*
** parquet.h - the engine as a host sees it.
**
** Everything above core/ includes this file and nothing else of core/.
*/
#ifndef PQ_PARQUET_H
#define PQ_PARQUET_H

#include "core/base/build.h"
#include "core/base/clock.h"
#include "core/base/sort.h"
#include "core/codec/codec.h"
#include "core/column/cells.h"
#include "core/column/chunk_options.h"
#include "core/column/chunk_read.h"
#include "core/column/page_crc.h"
#include "core/column/vector.h"
#include "core/encoding/encoder.h"
#include "core/meta/bloom.h"
#include "core/meta/footer.h"
#include "core/meta/page_index.h"
#include "core/meta/place.h"
#include "core/meta/plain_text.h"
#include "core/meta/schema_make.h"
#include "core/meta/stats.h"
#include "core/nested/json_rows.h"
#include "core/nested/json_shred.h"
#include "core/files/chunk_files.h"
#include "core/scan/key_index.h"
#include "core/files/left_out.h"
#include "core/scan/condition.h"
#include "core/scan/scan.h"
#include "core/verify/verify.h"
#include "core/simd/kernels.h"
#include "core/text/hex_parse.h"
#include "core/text/json_read.h"
#include "core/text/json_text.h"
#include "core/text/number_parse.h"
#include "core/text/number_text.h"
#include "core/text/text_kind.h"
#include "core/text/time_parse.h"
#include "core/text/time_text.h"
#include "core/top/top.h"
#include "core/variant/variant.h"
#include "core/write/copy.h"
#include "core/write/file_name.h"

#endif
