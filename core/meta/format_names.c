/*
** format_names.c - the names of the format's enum values.
**
** For messages and metadata functions.  The numbers come from files, so any
** number may be asked for: one that the format does not have has no name.
*/
#include "core/meta/format.h"

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
