/*
** format.h - the structs of parquet.thrift, as they lie in memory.
**
** Names and field numbers are the format's own.  Each struct begins with a
** mask of the fields that were present: PQ_HAS(s, PQ_STATISTICS_NULL_COUNT).
** A union is a struct whose mask holds at most one bit; an unknown member
** leaves it 0 with PQ_HAS_UNKNOWN set.  Lists and binaries are borrowed from
** the bytes that were parsed or live in the arena given to the parser.
**
** format_tables.c has one row per field, in the order of the specification;
** the reader, the writer and the printer (thrift/compact.h) work from those
** rows.  Fields and members that are not in a table are skipped.
*/
#ifndef PQ_FORMAT_H
#define PQ_FORMAT_H

#include "core/thrift/compact.h"

#define PQ_HAS(s, field) (((s)->has >> (field)) & 1u)
#define PQ_HAS_UNKNOWN PQ_THRIFT_UNKNOWN   /* bit: a field without a row */

/* The bit of a field in has, if it is there. */
static inline uint32_t pq_has_if(bool there, int field)
{
    return (uint32_t)there << field;
}

typedef struct PqI64List { int64_t *v; uint32_t n; } PqI64List;
typedef struct PqI32List { int32_t *v; uint32_t n; } PqI32List;
typedef struct PqBoolList { uint8_t *v; uint32_t n; } PqBoolList;
typedef struct PqSliceList { PqSlice *v; uint32_t n; } PqSliceList;

typedef struct PqSizeStatistics {
    uint32_t  has;
    int64_t   unencoded_byte_array_data_bytes;
    PqI64List repetition_level_histogram;
    PqI64List definition_level_histogram;
} PqSizeStatistics;
enum {
    PQ_SIZE_STATISTICS_BYTES = 1,
    PQ_SIZE_STATISTICS_REPETITION = 2,
    PQ_SIZE_STATISTICS_DEFINITION = 3
};

typedef struct PqBoundingBox {
    uint32_t has;
    double   xmin, xmax, ymin, ymax, zmin, zmax, mmin, mmax;
} PqBoundingBox;
enum {
    PQ_BOX_XMIN = 1, PQ_BOX_XMAX, PQ_BOX_YMIN, PQ_BOX_YMAX,
    PQ_BOX_ZMIN, PQ_BOX_ZMAX, PQ_BOX_MMIN, PQ_BOX_MMAX
};

typedef struct PqGeospatialStatistics {
    uint32_t      has;
    PqBoundingBox bbox;
    PqI32List     geospatial_types;
} PqGeospatialStatistics;
enum { PQ_GEOSPATIAL_BBOX = 1, PQ_GEOSPATIAL_TYPES = 2 };

typedef struct PqStatistics {
    uint32_t has;
    PqSlice  max, min;                       /* deprecated: signed order */
    int64_t  null_count, distinct_count;
    PqSlice  max_value, min_value;
    bool     is_max_value_exact, is_min_value_exact;
    int64_t  nan_count;
} PqStatistics;
enum {
    PQ_STATISTICS_MAX = 1, PQ_STATISTICS_MIN = 2,
    PQ_STATISTICS_NULL_COUNT = 3, PQ_STATISTICS_DISTINCT_COUNT = 4,
    PQ_STATISTICS_MAX_VALUE = 5, PQ_STATISTICS_MIN_VALUE = 6,
    PQ_STATISTICS_MAX_EXACT = 7, PQ_STATISTICS_MIN_EXACT = 8,
    PQ_STATISTICS_NAN_COUNT = 9
};

typedef struct PqEmpty { uint32_t has; } PqEmpty;

typedef struct PqDecimalType { uint32_t has; int32_t scale, precision; } PqDecimalType;
enum { PQ_DECIMAL_SCALE = 1, PQ_DECIMAL_PRECISION = 2 };

typedef struct PqTimeUnit { uint32_t has; PqEmpty millis, micros, nanos; } PqTimeUnit;
enum { PQ_TIME_UNIT_MILLIS = 1, PQ_TIME_UNIT_MICROS = 2, PQ_TIME_UNIT_NANOS = 3 };

/* TimestampType and TimeType */
typedef struct PqTimeType {
    uint32_t   has;
    bool       is_adjusted_to_utc;
    PqTimeUnit unit;
} PqTimeType;
enum { PQ_TIME_TYPE_UTC = 1, PQ_TIME_TYPE_UNIT = 2 };

typedef struct PqIntType { uint32_t has; int8_t bit_width; bool is_signed; } PqIntType;
enum { PQ_INT_TYPE_BIT_WIDTH = 1, PQ_INT_TYPE_SIGNED = 2 };

typedef struct PqVariantType { uint32_t has; int8_t specification_version; } PqVariantType;
enum { PQ_VARIANT_TYPE_VERSION = 1 };

/* GeometryType and GeographyType */
typedef struct PqGeoType { uint32_t has; PqSlice crs; int32_t algorithm; } PqGeoType;
enum { PQ_GEO_TYPE_CRS = 1, PQ_GEO_TYPE_ALGORITHM = 2 };

typedef struct PqLogicalType {
    uint32_t      has;
    PqEmpty       string, map, list, enumeration, date, unknown, json, bson,
                  uuid, float16, file;
    PqDecimalType decimal;
    PqTimeType    time, timestamp;
    PqIntType     integer;
    PqVariantType variant;
    PqGeoType     geometry, geography;
} PqLogicalType;
enum {
    PQ_LOGICAL_STRING = 1, PQ_LOGICAL_MAP = 2, PQ_LOGICAL_LIST = 3,
    PQ_LOGICAL_ENUM = 4, PQ_LOGICAL_DECIMAL = 5, PQ_LOGICAL_DATE = 6,
    PQ_LOGICAL_TIME = 7, PQ_LOGICAL_TIMESTAMP = 8, PQ_LOGICAL_INTEGER = 10,
    PQ_LOGICAL_UNKNOWN = 11, PQ_LOGICAL_JSON = 12, PQ_LOGICAL_BSON = 13,
    PQ_LOGICAL_UUID = 14, PQ_LOGICAL_FLOAT16 = 15, PQ_LOGICAL_VARIANT = 16,
    PQ_LOGICAL_GEOMETRY = 17, PQ_LOGICAL_GEOGRAPHY = 18, PQ_LOGICAL_FILE = 19
};

enum {
    PQ_CONVERTED_UTF8 = 0, PQ_CONVERTED_MAP, PQ_CONVERTED_MAP_KEY_VALUE,
    PQ_CONVERTED_LIST, PQ_CONVERTED_ENUM, PQ_CONVERTED_DECIMAL,
    PQ_CONVERTED_DATE, PQ_CONVERTED_TIME_MILLIS, PQ_CONVERTED_TIME_MICROS,
    PQ_CONVERTED_TIMESTAMP_MILLIS, PQ_CONVERTED_TIMESTAMP_MICROS,
    PQ_CONVERTED_UINT_8, PQ_CONVERTED_UINT_16, PQ_CONVERTED_UINT_32,
    PQ_CONVERTED_UINT_64, PQ_CONVERTED_INT_8, PQ_CONVERTED_INT_16,
    PQ_CONVERTED_INT_32, PQ_CONVERTED_INT_64, PQ_CONVERTED_JSON,
    PQ_CONVERTED_BSON, PQ_CONVERTED_INTERVAL
};

enum { PQ_REQUIRED = 0, PQ_OPTIONAL = 1, PQ_REPEATED = 2 };

typedef struct PqSchemaElement {
    uint32_t      has;
    int32_t       type, type_length, repetition_type;
    PqSlice       name;
    int32_t       num_children, converted_type, scale, precision, field_id;
    PqLogicalType logical_type;
} PqSchemaElement;
enum {
    PQ_SCHEMA_TYPE = 1, PQ_SCHEMA_TYPE_LENGTH = 2, PQ_SCHEMA_REPETITION = 3,
    PQ_SCHEMA_NAME = 4, PQ_SCHEMA_NUM_CHILDREN = 5, PQ_SCHEMA_CONVERTED = 6,
    PQ_SCHEMA_SCALE = 7, PQ_SCHEMA_PRECISION = 8, PQ_SCHEMA_FIELD_ID = 9,
    PQ_SCHEMA_LOGICAL = 10
};

enum {
    PQ_PAGE_DATA = 0, PQ_PAGE_INDEX = 1, PQ_PAGE_DICTIONARY = 2,
    PQ_PAGE_DATA_V2 = 3
};
enum { PQ_BOUNDARY_UNORDERED = 0, PQ_BOUNDARY_ASCENDING, PQ_BOUNDARY_DESCENDING };

typedef struct PqDataPageHeader {
    uint32_t     has;
    int32_t      num_values, encoding, definition_level_encoding,
                 repetition_level_encoding;
    PqStatistics statistics;
} PqDataPageHeader;
enum {
    PQ_DATA_PAGE_NUM_VALUES = 1, PQ_DATA_PAGE_ENCODING = 2,
    PQ_DATA_PAGE_DEFINITION = 3, PQ_DATA_PAGE_REPETITION = 4,
    PQ_DATA_PAGE_STATISTICS = 5
};

typedef struct PqDictionaryPageHeader {
    uint32_t has;
    int32_t  num_values, encoding;
    bool     is_sorted;
} PqDictionaryPageHeader;
enum { PQ_DICTIONARY_NUM_VALUES = 1, PQ_DICTIONARY_ENCODING = 2, PQ_DICTIONARY_SORTED = 3 };

typedef struct PqDataPageHeaderV2 {
    uint32_t     has;
    int32_t      num_values, num_nulls, num_rows, encoding,
                 definition_levels_byte_length, repetition_levels_byte_length;
    bool         is_compressed;              /* true when absent */
    PqStatistics statistics;
} PqDataPageHeaderV2;
enum {
    PQ_DATA_PAGE_V2_NUM_VALUES = 1, PQ_DATA_PAGE_V2_NUM_NULLS = 2,
    PQ_DATA_PAGE_V2_NUM_ROWS = 3, PQ_DATA_PAGE_V2_ENCODING = 4,
    PQ_DATA_PAGE_V2_DEFINITION_LENGTH = 5, PQ_DATA_PAGE_V2_REPETITION_LENGTH = 6,
    PQ_DATA_PAGE_V2_IS_COMPRESSED = 7, PQ_DATA_PAGE_V2_STATISTICS = 8
};

typedef struct PqPageHeader {
    uint32_t               has;
    int32_t                type, uncompressed_page_size, compressed_page_size,
                           crc;
    PqDataPageHeader       data_page;
    PqEmpty                index_page;
    PqDictionaryPageHeader dictionary_page;
    PqDataPageHeaderV2     data_page_v2;
} PqPageHeader;
enum {
    PQ_PAGE_HEADER_TYPE = 1, PQ_PAGE_HEADER_UNCOMPRESSED = 2,
    PQ_PAGE_HEADER_COMPRESSED = 3, PQ_PAGE_HEADER_CRC = 4,
    PQ_PAGE_HEADER_DATA = 5, PQ_PAGE_HEADER_INDEX = 6,
    PQ_PAGE_HEADER_DICTIONARY = 7, PQ_PAGE_HEADER_DATA_V2 = 8
};

/* Three unions with one known member each, which is field 1. */
typedef struct PqBloomAlgorithm { uint32_t has; PqEmpty block; } PqBloomAlgorithm;
typedef struct PqBloomHash { uint32_t has; PqEmpty xxhash; } PqBloomHash;
typedef struct PqBloomCompression { uint32_t has; PqEmpty uncompressed; } PqBloomCompression;
typedef struct PqBloomFilterHeader {
    uint32_t           has;
    int32_t            num_bytes;
    PqBloomAlgorithm   algorithm;
    PqBloomHash        hash;
    PqBloomCompression compression;
} PqBloomFilterHeader;
enum { PQ_BLOOM_ONLY = 1 };          /* BLOCK, XXHASH, UNCOMPRESSED */
enum {
    PQ_BLOOM_NUM_BYTES = 1, PQ_BLOOM_ALGORITHM = 2, PQ_BLOOM_HASH = 3,
    PQ_BLOOM_COMPRESSION = 4
};

typedef struct PqKeyValue { uint32_t has; PqSlice key, value; } PqKeyValue;
enum { PQ_KEY_VALUE_KEY = 1, PQ_KEY_VALUE_VALUE = 2 };
typedef struct PqKeyValueList { PqKeyValue *v; uint32_t n; } PqKeyValueList;

typedef struct PqSortingColumn {
    uint32_t has;
    int32_t  column_idx;
    bool     descending, nulls_first;
} PqSortingColumn;
typedef struct PqSortingColumnList { PqSortingColumn *v; uint32_t n; } PqSortingColumnList;

typedef struct PqPageEncodingStats {
    uint32_t has;
    int32_t  page_type, encoding, count;
} PqPageEncodingStats;
typedef struct PqPageEncodingStatsList {
    PqPageEncodingStats *v;
    uint32_t             n;
} PqPageEncodingStatsList;

typedef struct PqColumnMetaData {
    uint32_t                has;
    int32_t                 type;
    PqI32List               encodings;
    PqSliceList             path_in_schema;
    int32_t                 codec;
    int64_t                 num_values, total_uncompressed_size,
                            total_compressed_size;
    PqKeyValueList          key_value_metadata;
    int64_t                 data_page_offset, index_page_offset,
                            dictionary_page_offset;
    PqStatistics            statistics;
    PqPageEncodingStatsList encoding_stats;
    int64_t                 bloom_filter_offset;
    int32_t                 bloom_filter_length;
    PqSizeStatistics        size_statistics;
    PqGeospatialStatistics  geospatial_statistics;
} PqColumnMetaData;
enum {
    PQ_COLUMN_TYPE = 1, PQ_COLUMN_ENCODINGS = 2, PQ_COLUMN_PATH = 3,
    PQ_COLUMN_CODEC = 4, PQ_COLUMN_NUM_VALUES = 5,
    PQ_COLUMN_UNCOMPRESSED_SIZE = 6, PQ_COLUMN_COMPRESSED_SIZE = 7,
    PQ_COLUMN_KEY_VALUES = 8, PQ_COLUMN_DATA_PAGE_OFFSET = 9,
    PQ_COLUMN_INDEX_PAGE_OFFSET = 10, PQ_COLUMN_DICTIONARY_PAGE_OFFSET = 11,
    PQ_COLUMN_STATISTICS = 12, PQ_COLUMN_ENCODING_STATS = 13,
    PQ_COLUMN_BLOOM_OFFSET = 14, PQ_COLUMN_BLOOM_LENGTH = 15,
    PQ_COLUMN_SIZE_STATISTICS = 16, PQ_COLUMN_GEOSPATIAL_STATISTICS = 17
};

typedef struct PqColumnKey {             /* EncryptionWithColumnKey */
    uint32_t    has;
    PqSliceList path_in_schema;
    PqSlice     key_metadata;
} PqColumnKey;
enum { PQ_COLUMN_KEY_PATH = 1, PQ_COLUMN_KEY_METADATA = 2 };

typedef struct PqColumnCryptoMetaData {
    uint32_t    has;
    PqEmpty     footer_key;
    PqColumnKey column_key;
} PqColumnCryptoMetaData;
enum { PQ_CRYPTO_FOOTER_KEY = 1, PQ_CRYPTO_COLUMN_KEY = 2 };

typedef struct PqColumnChunk {
    uint32_t               has;
    PqSlice                file_path;
    int64_t                file_offset;
    PqColumnMetaData       meta_data;
    int64_t                offset_index_offset;
    int32_t                offset_index_length;
    int64_t                column_index_offset;
    int32_t                column_index_length;
    PqColumnCryptoMetaData crypto_metadata;
    PqSlice                encrypted_column_metadata;
    const struct PqLock   *lock;     /* not of the format: what its modules are
                                     ** sealed with, see module.h            */
} PqColumnChunk;
enum {
    PQ_CHUNK_FILE_PATH = 1, PQ_CHUNK_FILE_OFFSET = 2, PQ_CHUNK_META_DATA = 3,
    PQ_CHUNK_OFFSET_INDEX_OFFSET = 4, PQ_CHUNK_OFFSET_INDEX_LENGTH = 5,
    PQ_CHUNK_COLUMN_INDEX_OFFSET = 6, PQ_CHUNK_COLUMN_INDEX_LENGTH = 7,
    PQ_CHUNK_CRYPTO = 8, PQ_CHUNK_ENCRYPTED_META = 9
};

/* columns are not parsed with the row group, only located: see footer.h.  For
** writing they are serialised ColumnChunk structs. */
typedef struct PqRowGroup {
    uint32_t            has;
    PqSliceList         columns;             /* the bytes of each ColumnChunk */
    int64_t             total_byte_size, num_rows;
    PqSortingColumnList sorting_columns;
    int64_t             file_offset, total_compressed_size;
    int16_t             ordinal;
} PqRowGroup;
enum {
    PQ_ROW_GROUP_COLUMNS = 1, PQ_ROW_GROUP_BYTES = 2, PQ_ROW_GROUP_ROWS = 3,
    PQ_ROW_GROUP_SORTING = 4, PQ_ROW_GROUP_FILE_OFFSET = 5,
    PQ_ROW_GROUP_COMPRESSED = 6, PQ_ROW_GROUP_ORDINAL = 7
};
typedef struct PqRowGroupList { PqRowGroup *v; uint32_t n; } PqRowGroupList;

typedef struct PqColumnOrder {
    uint32_t has;                            /* 0: unknown, trust no bounds */
    PqEmpty  type_order, ieee754, int96;
} PqColumnOrder;
enum { PQ_ORDER_TYPE = 1, PQ_ORDER_IEEE754 = 2, PQ_ORDER_INT96 = 3 };
typedef struct PqColumnOrderList { PqColumnOrder *v; uint32_t n; } PqColumnOrderList;

typedef struct PqPageLocation {
    uint32_t has;
    int64_t  offset;
    int32_t  compressed_page_size;
    int64_t  first_row_index;
} PqPageLocation;
typedef struct PqPageLocationList { PqPageLocation *v; uint32_t n; } PqPageLocationList;

typedef struct PqOffsetIndex {
    uint32_t           has;
    PqPageLocationList page_locations;
    PqI64List          unencoded_byte_array_data_bytes;
} PqOffsetIndex;
enum { PQ_OFFSET_INDEX_LOCATIONS = 1, PQ_OFFSET_INDEX_BYTES = 2 };

typedef struct PqColumnIndex {
    uint32_t    has;
    PqBoolList  null_pages;
    PqSliceList min_values, max_values;
    int32_t     boundary_order;
    PqI64List   null_counts, repetition_level_histograms,
                definition_level_histograms, nan_counts;
} PqColumnIndex;
enum {
    PQ_COLUMN_INDEX_NULL_PAGES = 1, PQ_COLUMN_INDEX_MIN = 2,
    PQ_COLUMN_INDEX_MAX = 3, PQ_COLUMN_INDEX_ORDER = 4,
    PQ_COLUMN_INDEX_NULL_COUNTS = 5, PQ_COLUMN_INDEX_REPETITION = 6,
    PQ_COLUMN_INDEX_DEFINITION = 7, PQ_COLUMN_INDEX_NAN_COUNTS = 8
};

/* AesGcmV1 and AesGcmCtrV1 */
typedef struct PqAesSettings {
    uint32_t has;
    PqSlice  aad_prefix, aad_file_unique;
    bool     supply_aad_prefix;
} PqAesSettings;
enum { PQ_AES_PREFIX = 1, PQ_AES_UNIQUE = 2, PQ_AES_SUPPLY_PREFIX = 3 };

typedef struct PqEncryptionAlgorithm {
    uint32_t      has;
    PqAesSettings gcm, gcm_ctr;
} PqEncryptionAlgorithm;
enum { PQ_ENCRYPTION_GCM = 1, PQ_ENCRYPTION_GCM_CTR = 2 };

typedef struct PqSchemaElementList { PqSchemaElement *v; uint32_t n; } PqSchemaElementList;

typedef struct PqFileMetaData {
    uint32_t              has;
    int32_t               version;
    PqSchemaElementList   schema;
    int64_t               num_rows;
    PqRowGroupList        row_groups;
    PqKeyValueList        key_value_metadata;
    PqSlice               created_by;
    PqColumnOrderList     column_orders;
    PqEncryptionAlgorithm encryption_algorithm;
    PqSlice               footer_signing_key_metadata;
} PqFileMetaData;
enum {
    PQ_FILE_VERSION = 1, PQ_FILE_SCHEMA = 2, PQ_FILE_NUM_ROWS = 3,
    PQ_FILE_ROW_GROUPS = 4, PQ_FILE_KEY_VALUES = 5, PQ_FILE_CREATED_BY = 6,
    PQ_FILE_COLUMN_ORDERS = 7, PQ_FILE_ENCRYPTION = 8,
    PQ_FILE_SIGNING_KEY = 9
};

typedef struct PqFileCryptoMetaData {
    uint32_t              has;
    PqEncryptionAlgorithm encryption_algorithm;
    PqSlice               key_metadata;
} PqFileCryptoMetaData;
enum { PQ_FILE_CRYPTO_ALGORITHM = 1, PQ_FILE_CRYPTO_KEY = 2 };

/* The tables of structs that are read, written or shown on their own.  The rows
** lead to the tables of all other structs inside. */
extern const PqThriftStruct pq_format_file, pq_format_row_group,
    pq_format_chunk, pq_format_column_meta, pq_format_page_header,
    pq_format_offset_index, pq_format_column_index, pq_format_bloom_header,
    pq_format_file_crypto, pq_format_schema_element, pq_format_key_value,
    pq_format_statistics, pq_format_column_order;

/* pq_format_read_NAME advances *bytes past the struct; what the result points to
** is in the bytes or the arena.  pq_format_write_NAME writes the fields whose
** bit is set in has. */
#define PQ_FORMAT_DOORS(name, Type)                                         \
    static inline PqRc pq_format_read_##name(PqSlice *bytes, PqArena *a,    \
                                             Type *out, PqErr *e)           \
    {                                                                       \
        return pq_compact_read(&pq_format_##name, bytes, a, out, e);        \
    }                                                                       \
    static inline void pq_format_write_##name(const Type *in, PqBuf *out)   \
    {                                                                       \
        pq_compact_write(&pq_format_##name, in, out);                       \
    }

PQ_FORMAT_DOORS(file, PqFileMetaData)
PQ_FORMAT_DOORS(chunk, PqColumnChunk)
PQ_FORMAT_DOORS(page_header, PqPageHeader)
PQ_FORMAT_DOORS(offset_index, PqOffsetIndex)
PQ_FORMAT_DOORS(column_index, PqColumnIndex)
PQ_FORMAT_DOORS(bloom_header, PqBloomFilterHeader)
PQ_FORMAT_DOORS(column_meta, PqColumnMetaData)
PQ_FORMAT_DOORS(file_crypto, PqFileCryptoMetaData)

/* The format's names of enum values; NULL for an unknown value.  The names of
** types, encodings and codecs are in decoder.h and codec.h. */
const char *pq_format_converted_name(int converted_type);  /* "UTF8"       */
const char *pq_format_repetition_name(int repetition);     /* "OPTIONAL"   */
const char *pq_format_page_type_name(int page_type);       /* "DATA_PAGE"  */
const char *pq_format_boundary_name(int boundary_order);   /* "ASCENDING"  */
const char *pq_format_edges_name(int algorithm);           /* "SPHERICAL"  */

#endif
