/*
** format_tables.c - parquet.thrift as tables: a row per field, in its order; and
** the names of its enum values.
**
**   {4, INT, REQUIRED, ONE(PqColumnMetaData, codec), .label = pq_codec_name}
**    |  |    |             |                 |                |
**    id kind needed        C struct          member           for printing
**
** A row has the name of its member; ONE_AS gives another one where the format
** does.
**
** REQUIRED are the fields that this engine cannot do without.  The format
**   requires more.  Files that lack one of these are read anyway:
**   FileMetaData.version, .num_rows       the row groups count the rows
**   RowGroup.total_byte_size
**   ColumnChunk.file_offset               deprecated
**   ColumnMetaData.encodings, .path_in_schema, .total_uncompressed_size
**                                         the pages and the schema say it;
**                                         newer writers leave the path out
**   ColumnIndex.boundary_order            absent: UNORDERED
**   the members of logical types          a type that lacks one is ignored
**   the unions of BloomFilterHeader       absent: an unknown kind of filter
**   SortingColumn.descending, .nulls_first
*/
#include "core/codec/codec.h"
#include "core/encoding/decoder.h"
#include "core/meta/format.h"

enum {
    BOOL = PQ_THRIFT_BOOL,
    INT = PQ_THRIFT_INT,
    DOUBLE = PQ_THRIFT_DOUBLE,
    BINARY = PQ_THRIFT_BINARY,
    TEXT = PQ_THRIFT_TEXT,
    STRUCT = PQ_THRIFT_STRUCT,
    BOOLS = PQ_THRIFT_LIST | PQ_THRIFT_BOOL,
    INTS = PQ_THRIFT_LIST | PQ_THRIFT_INT,
    BINARIES = PQ_THRIFT_LIST | PQ_THRIFT_BINARY,
    TEXTS = PQ_THRIFT_LIST | PQ_THRIFT_TEXT,
    STRUCTS = PQ_THRIFT_LIST | PQ_THRIFT_STRUCT,
    RAWS = PQ_THRIFT_LIST | PQ_THRIFT_RAW,
    REQUIRED = PQ_THRIFT_REQUIRED,
    TRUE_IF_ABSENT = PQ_THRIFT_TRUE
};

#define ONE_AS(s, member, text)                                     \
    .offset = offsetof(s, member), .size = sizeof(((s *)0)->member), \
    .name = text
#define ONE(s, member) ONE_AS(s, member, #member)
#define MANY(s, member)                                                  \
    .offset = offsetof(s, member), .size = sizeof(*((s *)0)->member.v), \
    .name = #member

#define TABLE_OF(type, text, is_union, ...)                        \
    {text, (const PqThriftField[]){__VA_ARGS__},                   \
     PQ_COUNT(((const PqThriftField[]){__VA_ARGS__})), sizeof(type), is_union}
#define STRUCT_OF(type, text, ...) TABLE_OF(type, text, false, __VA_ARGS__)
#define UNION_OF(type, text, ...) TABLE_OF(type, text, true, __VA_ARGS__)

/* Structs without fields: only their presence matters. */
static const PqThriftStruct empty = {"empty", NULL, 0, sizeof(PqEmpty), false};

/* ------------------------------------------------------------ statistics */

static const PqThriftStruct size_statistics = STRUCT_OF(
    PqSizeStatistics, "SizeStatistics",
    {1, INT, 0, ONE(PqSizeStatistics, unencoded_byte_array_data_bytes)},
    {2, INTS, 0, MANY(PqSizeStatistics, repetition_level_histogram)},
    {3, INTS, 0, MANY(PqSizeStatistics, definition_level_histogram)});

static const PqThriftStruct bounding_box = STRUCT_OF(
    PqBoundingBox, "BoundingBox",
    {1, DOUBLE, REQUIRED, ONE(PqBoundingBox, xmin)},
    {2, DOUBLE, REQUIRED, ONE(PqBoundingBox, xmax)},
    {3, DOUBLE, REQUIRED, ONE(PqBoundingBox, ymin)},
    {4, DOUBLE, REQUIRED, ONE(PqBoundingBox, ymax)},
    {5, DOUBLE, 0, ONE(PqBoundingBox, zmin)},
    {6, DOUBLE, 0, ONE(PqBoundingBox, zmax)},
    {7, DOUBLE, 0, ONE(PqBoundingBox, mmin)},
    {8, DOUBLE, 0, ONE(PqBoundingBox, mmax)});

static const PqThriftStruct geospatial_statistics = STRUCT_OF(
    PqGeospatialStatistics, "GeospatialStatistics",
    {1, STRUCT, 0, ONE(PqGeospatialStatistics, bbox), &bounding_box},
    {2, INTS, 0, MANY(PqGeospatialStatistics, geospatial_types)});

const PqThriftStruct pq_format_statistics = STRUCT_OF(
    PqStatistics, "Statistics",
    {1, BINARY, 0, ONE(PqStatistics, max)},
    {2, BINARY, 0, ONE(PqStatistics, min)},
    {3, INT, 0, ONE(PqStatistics, null_count)},
    {4, INT, 0, ONE(PqStatistics, distinct_count)},
    {5, BINARY, 0, ONE(PqStatistics, max_value)},
    {6, BINARY, 0, ONE(PqStatistics, min_value)},
    {7, BOOL, 0, ONE(PqStatistics, is_max_value_exact)},
    {8, BOOL, 0, ONE(PqStatistics, is_min_value_exact)},
    {9, INT, 0, ONE(PqStatistics, nan_count)});

/* ---------------------------------------------------------- logical types */

static const PqThriftStruct decimal_type = STRUCT_OF(
    PqDecimalType, "DecimalType",
    {1, INT, 0, ONE(PqDecimalType, scale)},
    {2, INT, 0, ONE(PqDecimalType, precision)});

static const PqThriftStruct time_unit = UNION_OF(
    PqTimeUnit, "TimeUnit",
    {1, STRUCT, 0, ONE_AS(PqTimeUnit, millis, "MILLIS"), &empty},
    {2, STRUCT, 0, ONE_AS(PqTimeUnit, micros, "MICROS"), &empty},
    {3, STRUCT, 0, ONE_AS(PqTimeUnit, nanos, "NANOS"), &empty});

static const PqThriftField time_type_rows[] = {
    {1, BOOL, 0, ONE_AS(PqTimeType, is_adjusted_to_utc, "isAdjustedToUTC")},
    {2, STRUCT, 0, ONE(PqTimeType, unit), &time_unit},
};
static const PqThriftStruct timestamp_type =
    {"TimestampType", time_type_rows, PQ_COUNT(time_type_rows), sizeof(PqTimeType), false};
static const PqThriftStruct time_type =
    {"TimeType", time_type_rows, PQ_COUNT(time_type_rows), sizeof(PqTimeType), false};

static const PqThriftStruct int_type = STRUCT_OF(
    PqIntType, "IntType",
    {1, INT, 0, ONE_AS(PqIntType, bit_width, "bitWidth")},
    {2, BOOL, 0, ONE_AS(PqIntType, is_signed, "isSigned")});

static const PqThriftStruct variant_type = STRUCT_OF(
    PqVariantType, "VariantType",
    {1, INT, 0, ONE(PqVariantType, specification_version)});

static const PqThriftField geo_type_rows[] = {
    {1, TEXT, 0, ONE(PqGeoType, crs)},
    {2, INT, 0, ONE(PqGeoType, algorithm), .label = pq_format_edges_name},
};
static const PqThriftStruct geometry_type =    /* has no algorithm */
    {"GeometryType", geo_type_rows, 1, sizeof(PqGeoType), false};
static const PqThriftStruct geography_type =
    {"GeographyType", geo_type_rows, PQ_COUNT(geo_type_rows), sizeof(PqGeoType), false};

static const PqThriftStruct logical_type = UNION_OF(
    PqLogicalType, "LogicalType",
    {1, STRUCT, 0, ONE_AS(PqLogicalType, string, "STRING"), &empty},
    {2, STRUCT, 0, ONE_AS(PqLogicalType, map, "MAP"), &empty},
    {3, STRUCT, 0, ONE_AS(PqLogicalType, list, "LIST"), &empty},
    {4, STRUCT, 0, ONE_AS(PqLogicalType, enumeration, "ENUM"), &empty},
    {5, STRUCT, 0, ONE_AS(PqLogicalType, decimal, "DECIMAL"), &decimal_type},
    {6, STRUCT, 0, ONE_AS(PqLogicalType, date, "DATE"), &empty},
    {7, STRUCT, 0, ONE_AS(PqLogicalType, time, "TIME"), &time_type},
    {8, STRUCT, 0, ONE_AS(PqLogicalType, timestamp, "TIMESTAMP"),
     &timestamp_type},
    {10, STRUCT, 0, ONE_AS(PqLogicalType, integer, "INTEGER"), &int_type},
    {11, STRUCT, 0, ONE_AS(PqLogicalType, unknown, "UNKNOWN"), &empty},
    {12, STRUCT, 0, ONE_AS(PqLogicalType, json, "JSON"), &empty},
    {13, STRUCT, 0, ONE_AS(PqLogicalType, bson, "BSON"), &empty},
    {14, STRUCT, 0, ONE_AS(PqLogicalType, uuid, "UUID"), &empty},
    {15, STRUCT, 0, ONE_AS(PqLogicalType, float16, "FLOAT16"), &empty},
    {16, STRUCT, 0, ONE_AS(PqLogicalType, variant, "VARIANT"), &variant_type},
    {17, STRUCT, 0, ONE_AS(PqLogicalType, geometry, "GEOMETRY"),
     &geometry_type},
    {18, STRUCT, 0, ONE_AS(PqLogicalType, geography, "GEOGRAPHY"),
     &geography_type},
    {19, STRUCT, 0, ONE_AS(PqLogicalType, file, "FILE"), &empty});

/* ---------------------------------------------------------------- schema */

const PqThriftStruct pq_format_schema_element = STRUCT_OF(
    PqSchemaElement, "SchemaElement",
    {1, INT, 0, ONE(PqSchemaElement, type), .label = pq_physical_name},
    {2, INT, 0, ONE(PqSchemaElement, type_length)},
    {3, INT, 0, ONE(PqSchemaElement, repetition_type),
     .label = pq_format_repetition_name},
    {4, TEXT, REQUIRED, ONE(PqSchemaElement, name)},
    {5, INT, 0, ONE(PqSchemaElement, num_children)},
    {6, INT, 0, ONE(PqSchemaElement, converted_type),
     .label = pq_format_converted_name},
    {7, INT, 0, ONE(PqSchemaElement, scale)},
    {8, INT, 0, ONE(PqSchemaElement, precision)},
    {9, INT, 0, ONE(PqSchemaElement, field_id)},
    {10, STRUCT, 0, ONE_AS(PqSchemaElement, logical_type, "logicalType"),
     &logical_type});

/* ----------------------------------------------------------------- pages */

static const PqThriftStruct data_page = STRUCT_OF(
    PqDataPageHeader, "DataPageHeader",
    {1, INT, REQUIRED, ONE(PqDataPageHeader, num_values)},
    {2, INT, REQUIRED, ONE(PqDataPageHeader, encoding),
     .label = pq_encoding_name},
    {3, INT, REQUIRED, ONE(PqDataPageHeader, definition_level_encoding),
     .label = pq_encoding_name},
    {4, INT, REQUIRED, ONE(PqDataPageHeader, repetition_level_encoding),
     .label = pq_encoding_name},
    {5, STRUCT, 0, ONE(PqDataPageHeader, statistics), &pq_format_statistics});

static const PqThriftStruct dictionary_page = STRUCT_OF(
    PqDictionaryPageHeader, "DictionaryPageHeader",
    {1, INT, REQUIRED, ONE(PqDictionaryPageHeader, num_values)},
    {2, INT, REQUIRED, ONE(PqDictionaryPageHeader, encoding),
     .label = pq_encoding_name},
    {3, BOOL, 0, ONE(PqDictionaryPageHeader, is_sorted)});

static const PqThriftStruct data_page_v2 = STRUCT_OF(
    PqDataPageHeaderV2, "DataPageHeaderV2",
    {1, INT, REQUIRED, ONE(PqDataPageHeaderV2, num_values)},
    {2, INT, REQUIRED, ONE(PqDataPageHeaderV2, num_nulls)},
    {3, INT, REQUIRED, ONE(PqDataPageHeaderV2, num_rows)},
    {4, INT, REQUIRED, ONE(PqDataPageHeaderV2, encoding),
     .label = pq_encoding_name},
    {5, INT, REQUIRED, ONE(PqDataPageHeaderV2, definition_levels_byte_length)},
    {6, INT, REQUIRED, ONE(PqDataPageHeaderV2, repetition_levels_byte_length)},
    {7, BOOL, TRUE_IF_ABSENT, ONE(PqDataPageHeaderV2, is_compressed)},
    {8, STRUCT, 0, ONE(PqDataPageHeaderV2, statistics), &pq_format_statistics});

const PqThriftStruct pq_format_page_header = STRUCT_OF(
    PqPageHeader, "PageHeader",
    {1, INT, REQUIRED, ONE(PqPageHeader, type),
     .label = pq_format_page_type_name},
    {2, INT, REQUIRED, ONE(PqPageHeader, uncompressed_page_size)},
    {3, INT, REQUIRED, ONE(PqPageHeader, compressed_page_size)},
    {4, INT, 0, ONE(PqPageHeader, crc)},
    {5, STRUCT, 0, ONE_AS(PqPageHeader, data_page, "data_page_header"),
     &data_page},
    {6, STRUCT, 0, ONE_AS(PqPageHeader, index_page, "index_page_header"),
     &empty},
    {7, STRUCT, 0,
     ONE_AS(PqPageHeader, dictionary_page, "dictionary_page_header"),
     &dictionary_page},
    {8, STRUCT, 0, ONE_AS(PqPageHeader, data_page_v2, "data_page_header_v2"),
     &data_page_v2});

/* ---------------------------------------------------------- bloom filters */

static const PqThriftStruct bloom_algorithm = UNION_OF(
    PqBloomAlgorithm, "BloomFilterAlgorithm",
    {1, STRUCT, 0, ONE_AS(PqBloomAlgorithm, block, "BLOCK"), &empty});

static const PqThriftStruct bloom_hash = UNION_OF(
    PqBloomHash, "BloomFilterHash",
    {1, STRUCT, 0, ONE_AS(PqBloomHash, xxhash, "XXHASH"), &empty});

static const PqThriftStruct bloom_compression = UNION_OF(
    PqBloomCompression, "BloomFilterCompression",
    {1, STRUCT, 0, ONE_AS(PqBloomCompression, uncompressed, "UNCOMPRESSED"),
     &empty});

const PqThriftStruct pq_format_bloom_header = STRUCT_OF(
    PqBloomFilterHeader, "BloomFilterHeader",
    {1, INT, REQUIRED, ONE_AS(PqBloomFilterHeader, num_bytes, "numBytes")},
    {2, STRUCT, 0, ONE(PqBloomFilterHeader, algorithm), &bloom_algorithm},
    {3, STRUCT, 0, ONE(PqBloomFilterHeader, hash), &bloom_hash},
    {4, STRUCT, 0, ONE(PqBloomFilterHeader, compression), &bloom_compression});

/* ---------------------------------------------------------- column chunks */

const PqThriftStruct pq_format_key_value = STRUCT_OF(
    PqKeyValue, "KeyValue",
    {1, TEXT, REQUIRED, ONE(PqKeyValue, key)},
    {2, TEXT, 0, ONE(PqKeyValue, value)});

static const PqThriftStruct sorting_column = STRUCT_OF(
    PqSortingColumn, "SortingColumn",
    {1, INT, REQUIRED, ONE(PqSortingColumn, column_idx)},
    {2, BOOL, 0, ONE(PqSortingColumn, descending)},
    {3, BOOL, 0, ONE(PqSortingColumn, nulls_first)});

static const PqThriftStruct page_encoding_stats = STRUCT_OF(
    PqPageEncodingStats, "PageEncodingStats",
    {1, INT, REQUIRED, ONE(PqPageEncodingStats, page_type),
     .label = pq_format_page_type_name},
    {2, INT, REQUIRED, ONE(PqPageEncodingStats, encoding),
     .label = pq_encoding_name},
    {3, INT, REQUIRED, ONE(PqPageEncodingStats, count)});

const PqThriftStruct pq_format_column_meta = STRUCT_OF(
    PqColumnMetaData, "ColumnMetaData",
    {1, INT, REQUIRED, ONE(PqColumnMetaData, type), .label = pq_physical_name},
    {2, INTS, 0, MANY(PqColumnMetaData, encodings), .label = pq_encoding_name},
    {3, TEXTS, 0, MANY(PqColumnMetaData, path_in_schema)},
    {4, INT, REQUIRED, ONE(PqColumnMetaData, codec), .label = pq_codec_name},
    {5, INT, REQUIRED, ONE(PqColumnMetaData, num_values)},
    {6, INT, 0, ONE(PqColumnMetaData, total_uncompressed_size)},
    {7, INT, REQUIRED, ONE(PqColumnMetaData, total_compressed_size)},
    {8, STRUCTS, 0, MANY(PqColumnMetaData, key_value_metadata), &pq_format_key_value},
    {9, INT, REQUIRED, ONE(PqColumnMetaData, data_page_offset)},
    {10, INT, 0, ONE(PqColumnMetaData, index_page_offset)},
    {11, INT, 0, ONE(PqColumnMetaData, dictionary_page_offset)},
    {12, STRUCT, 0, ONE(PqColumnMetaData, statistics), &pq_format_statistics},
    {13, STRUCTS, 0, MANY(PqColumnMetaData, encoding_stats),
     &page_encoding_stats},
    {14, INT, 0, ONE(PqColumnMetaData, bloom_filter_offset)},
    {15, INT, 0, ONE(PqColumnMetaData, bloom_filter_length)},
    {16, STRUCT, 0, ONE(PqColumnMetaData, size_statistics), &size_statistics},
    {17, STRUCT, 0, ONE(PqColumnMetaData, geospatial_statistics),
     &geospatial_statistics});

static const PqThriftStruct column_key = STRUCT_OF(
    PqColumnKey, "EncryptionWithColumnKey",
    {1, TEXTS, 0, MANY(PqColumnKey, path_in_schema)},
    {2, BINARY, 0, ONE(PqColumnKey, key_metadata)});

static const PqThriftStruct column_crypto = UNION_OF(
    PqColumnCryptoMetaData, "ColumnCryptoMetaData",
    {1, STRUCT, 0,
     ONE_AS(PqColumnCryptoMetaData, footer_key, "ENCRYPTION_WITH_FOOTER_KEY"),
     &empty},
    {2, STRUCT, 0,
     ONE_AS(PqColumnCryptoMetaData, column_key, "ENCRYPTION_WITH_COLUMN_KEY"),
     &column_key});

const PqThriftStruct pq_format_chunk = STRUCT_OF(
    PqColumnChunk, "ColumnChunk",
    {1, TEXT, 0, ONE(PqColumnChunk, file_path)},
    {2, INT, 0, ONE(PqColumnChunk, file_offset)},
    {3, STRUCT, 0, ONE(PqColumnChunk, meta_data), &pq_format_column_meta},
    {4, INT, 0, ONE(PqColumnChunk, offset_index_offset)},
    {5, INT, 0, ONE(PqColumnChunk, offset_index_length)},
    {6, INT, 0, ONE(PqColumnChunk, column_index_offset)},
    {7, INT, 0, ONE(PqColumnChunk, column_index_length)},
    {8, STRUCT, 0, ONE(PqColumnChunk, crypto_metadata), &column_crypto},
    {9, BINARY, 0, ONE(PqColumnChunk, encrypted_column_metadata)});

const PqThriftStruct pq_format_row_group = STRUCT_OF(
    PqRowGroup, "RowGroup",
    {1, RAWS, REQUIRED, MANY(PqRowGroup, columns), &pq_format_chunk},
    {2, INT, 0, ONE(PqRowGroup, total_byte_size)},
    {3, INT, REQUIRED, ONE(PqRowGroup, num_rows)},
    {4, STRUCTS, 0, MANY(PqRowGroup, sorting_columns), &sorting_column},
    {5, INT, 0, ONE(PqRowGroup, file_offset)},
    {6, INT, 0, ONE(PqRowGroup, total_compressed_size)},
    {7, INT, 0, ONE(PqRowGroup, ordinal)});

/* ------------------------------------------------------------ page indexes */

const PqThriftStruct pq_format_column_order = UNION_OF(
    PqColumnOrder, "ColumnOrder",
    {1, STRUCT, 0, ONE_AS(PqColumnOrder, type_order, "TYPE_ORDER"), &empty},
    {2, STRUCT, 0, ONE_AS(PqColumnOrder, ieee754, "IEEE_754_TOTAL_ORDER"),
     &empty},
    {3, STRUCT, 0, ONE_AS(PqColumnOrder, int96, "INT96_TIMESTAMP_ORDER"),
     &empty});

static const PqThriftStruct page_location = STRUCT_OF(
    PqPageLocation, "PageLocation",
    {1, INT, REQUIRED, ONE(PqPageLocation, offset)},
    {2, INT, REQUIRED, ONE(PqPageLocation, compressed_page_size)},
    {3, INT, REQUIRED, ONE(PqPageLocation, first_row_index)});

const PqThriftStruct pq_format_offset_index = STRUCT_OF(
    PqOffsetIndex, "OffsetIndex",
    {1, STRUCTS, REQUIRED, MANY(PqOffsetIndex, page_locations),
     &page_location},
    {2, INTS, 0, MANY(PqOffsetIndex, unencoded_byte_array_data_bytes)});

const PqThriftStruct pq_format_column_index = STRUCT_OF(
    PqColumnIndex, "ColumnIndex",
    {1, BOOLS, REQUIRED, MANY(PqColumnIndex, null_pages)},
    {2, BINARIES, REQUIRED, MANY(PqColumnIndex, min_values)},
    {3, BINARIES, REQUIRED, MANY(PqColumnIndex, max_values)},
    {4, INT, 0, ONE(PqColumnIndex, boundary_order),
     .label = pq_format_boundary_name},
    {5, INTS, 0, MANY(PqColumnIndex, null_counts)},
    {6, INTS, 0, MANY(PqColumnIndex, repetition_level_histograms)},
    {7, INTS, 0, MANY(PqColumnIndex, definition_level_histograms)},
    {8, INTS, 0, MANY(PqColumnIndex, nan_counts)});

/* ------------------------------------------------------- encryption, file */

static const PqThriftField aes_rows[] = {
    {1, BINARY, 0, ONE(PqAesSettings, aad_prefix)},
    {2, BINARY, 0, ONE(PqAesSettings, aad_file_unique)},
    {3, BOOL, 0, ONE(PqAesSettings, supply_aad_prefix)},
};
static const PqThriftStruct aes_gcm =
    {"AesGcmV1", aes_rows, PQ_COUNT(aes_rows), sizeof(PqAesSettings), false};
static const PqThriftStruct aes_gcm_ctr =
    {"AesGcmCtrV1", aes_rows, PQ_COUNT(aes_rows), sizeof(PqAesSettings), false};

static const PqThriftStruct encryption = UNION_OF(
    PqEncryptionAlgorithm, "EncryptionAlgorithm",
    {1, STRUCT, 0, ONE_AS(PqEncryptionAlgorithm, gcm, "AES_GCM_V1"), &aes_gcm},
    {2, STRUCT, 0, ONE_AS(PqEncryptionAlgorithm, gcm_ctr, "AES_GCM_CTR_V1"),
     &aes_gcm_ctr});

const PqThriftStruct pq_format_file = STRUCT_OF(
    PqFileMetaData, "FileMetaData",
    {1, INT, 0, ONE(PqFileMetaData, version)},
    {2, STRUCTS, REQUIRED, MANY(PqFileMetaData, schema), &pq_format_schema_element},
    {3, INT, 0, ONE(PqFileMetaData, num_rows)},
    {4, STRUCTS, REQUIRED, MANY(PqFileMetaData, row_groups),
     &pq_format_row_group},
    {5, STRUCTS, 0, MANY(PqFileMetaData, key_value_metadata), &pq_format_key_value},
    {6, TEXT, 0, ONE(PqFileMetaData, created_by)},
    {7, STRUCTS, 0, MANY(PqFileMetaData, column_orders), &pq_format_column_order},
    {8, STRUCT, 0, ONE(PqFileMetaData, encryption_algorithm), &encryption},
    {9, BINARY, 0, ONE(PqFileMetaData, footer_signing_key_metadata)});

const PqThriftStruct pq_format_file_crypto = STRUCT_OF(
    PqFileCryptoMetaData, "FileCryptoMetaData",
    {1, STRUCT, REQUIRED, ONE(PqFileCryptoMetaData, encryption_algorithm),
     &encryption},
    {2, BINARY, 0, ONE(PqFileCryptoMetaData, key_metadata)});

/* ------------------------------------------------- names of enum values */

/* The numbers come from files, so any number may be asked for. */
static const char *pick(const char *const *names, size_t count, int i)
{
    return i >= 0 && (size_t)i < count ? names[i] : NULL;
}

const char *pq_format_converted_name(int converted_type)
{
    static const char *const names[] = {
        [PQ_CONVERTED_UTF8] = "UTF8",
        [PQ_CONVERTED_MAP] = "MAP",
        [PQ_CONVERTED_MAP_KEY_VALUE] = "MAP_KEY_VALUE",
        [PQ_CONVERTED_LIST] = "LIST",
        [PQ_CONVERTED_ENUM] = "ENUM",
        [PQ_CONVERTED_DECIMAL] = "DECIMAL",
        [PQ_CONVERTED_DATE] = "DATE",
        [PQ_CONVERTED_TIME_MILLIS] = "TIME_MILLIS",
        [PQ_CONVERTED_TIME_MICROS] = "TIME_MICROS",
        [PQ_CONVERTED_TIMESTAMP_MILLIS] = "TIMESTAMP_MILLIS",
        [PQ_CONVERTED_TIMESTAMP_MICROS] = "TIMESTAMP_MICROS",
        [PQ_CONVERTED_UINT_8] = "UINT_8",
        [PQ_CONVERTED_UINT_16] = "UINT_16",
        [PQ_CONVERTED_UINT_32] = "UINT_32",
        [PQ_CONVERTED_UINT_64] = "UINT_64",
        [PQ_CONVERTED_INT_8] = "INT_8",
        [PQ_CONVERTED_INT_16] = "INT_16",
        [PQ_CONVERTED_INT_32] = "INT_32",
        [PQ_CONVERTED_INT_64] = "INT_64",
        [PQ_CONVERTED_JSON] = "JSON",
        [PQ_CONVERTED_BSON] = "BSON",
        [PQ_CONVERTED_INTERVAL] = "INTERVAL",
    };
    return pick(names, PQ_COUNT(names), converted_type);
}

const char *pq_format_repetition_name(int repetition)
{
    static const char *const names[] = {
        [PQ_REQUIRED] = "REQUIRED",
        [PQ_OPTIONAL] = "OPTIONAL",
        [PQ_REPEATED] = "REPEATED",
    };
    return pick(names, PQ_COUNT(names), repetition);
}

const char *pq_format_page_type_name(int page_type)
{
    static const char *const names[] = {
        [PQ_PAGE_DATA] = "DATA_PAGE",
        [PQ_PAGE_INDEX] = "INDEX_PAGE",
        [PQ_PAGE_DICTIONARY] = "DICTIONARY_PAGE",
        [PQ_PAGE_DATA_V2] = "DATA_PAGE_V2",
    };
    return pick(names, PQ_COUNT(names), page_type);
}

const char *pq_format_boundary_name(int boundary_order)
{
    static const char *const names[] = {
        [PQ_BOUNDARY_UNORDERED] = "UNORDERED",
        [PQ_BOUNDARY_ASCENDING] = "ASCENDING",
        [PQ_BOUNDARY_DESCENDING] = "DESCENDING",
    };
    return pick(names, PQ_COUNT(names), boundary_order);
}

const char *pq_format_edges_name(int algorithm)
{
    static const char *const names[] = {"SPHERICAL", "VINCENTY", "THOMAS",
                                        "ANDOYER", "KARNEY"};
    return pick(names, PQ_COUNT(names), algorithm);
}
