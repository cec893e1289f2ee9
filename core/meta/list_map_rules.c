/*
** list_map_rules.c - is a group of the schema a LIST, a MAP, a VARIANT, a FILE,
** or just fields?
**
** An annotation is not enough: the group must also have the form that goes with
** it, otherwise it is just fields.  Lists of old writers are hard, because they
** leave out the layer between the list and its elements:
**
**   optional group tags (LIST)         optional group tags (LIST)
**     repeated group list                repeated binary array
**       optional binary element
**   PQ_SHAPE_LIST_OF_LAYER             PQ_SHAPE_LIST_OF_ELEMENT
*/
#include "core/meta/schema_inside.h"

static bool is_leaf_of(const PqSchemaElement *el, PqPhysical type)
{
    return !pq_schema_is_group(el) && el->type == (int32_t)type &&
           pq_schema_repetition(el) != PQ_REPEATED;
}

static bool says(const PqSchemaElement *el, int logical, int converted)
{
    if (PQ_HAS(el, PQ_SCHEMA_LOGICAL) && el->logical_type.has != 0) {
        return PQ_HAS(&el->logical_type, logical);
    }
    return PQ_HAS(el, PQ_SCHEMA_CONVERTED) && el->converted_type == converted;
}

static bool says_logical(const PqSchemaElement *el, int logical)
{
    return PQ_HAS(el, PQ_SCHEMA_LOGICAL) && PQ_HAS(&el->logical_type, logical);
}

/* LogicalTypes.md, "Backward-compatibility rules" of lists: the element is the
** repeated field (rules 1 to 4), or the only field in it (rule 5). */
static bool is_element(const PqSchemaBuild *b, uint32_t list, uint32_t repeated)
{
    const PqSchemaElement *el = &b->el[repeated];
    PqSlice name = b->el[list].name;

    if (!pq_schema_is_group(el) || b->item[repeated].kids != 1 ||
        pq_schema_repetition(&b->el[repeated + 1]) == PQ_REPEATED) {
        return true;
    }
    return pq_slice_is(el->name, "array") ||
           (el->name.n == name.n + 6 &&
            (name.n == 0 || memcmp(el->name.p, name.p, name.n) == 0) &&
            memcmp(el->name.p + name.n, "_tuple", 6) == 0);
}

static bool is_map(const PqSchemaBuild *b, uint32_t repeated)
{
    uint32_t kids = b->item[repeated].kids;

    return pq_schema_is_group(&b->el[repeated]) && (kids == 1 || kids == 2);
}

/* Does the group have metadata, and a value or a typed_value? */
static bool is_variant(const PqSchemaBuild *b, uint32_t group)
{
    bool metadata = false, value = false;
    uint32_t end = group + b->item[group].size;

    for (uint32_t i = group + 1; i < end; i += b->item[i].size) {
        if (pq_slice_is(b->el[i].name, "metadata")) {
            metadata = is_leaf_of(&b->el[i], PQ_BYTE_ARRAY);
        } else if (pq_slice_is(b->el[i].name, "value")) {
            value = is_leaf_of(&b->el[i], PQ_BYTE_ARRAY);
            if (!value) {
                return false;
            }
        } else if (pq_slice_is(b->el[i].name, "typed_value")) {
            value = true;
        }
    }
    return metadata && value;
}

bool pq_schema_is_file_field(PqSlice name, const PqType *type)
{
    static const struct {
        const char *name;
        PqPhysical  physical;
        PqLogical   logical;
    } fields[] = {
        {"uri", PQ_BYTE_ARRAY, PQ_TYPE_STRING},
        {"offset", PQ_INT64, PQ_TYPE_NONE},
        {"size", PQ_INT64, PQ_TYPE_NONE},
        {"content_type", PQ_BYTE_ARRAY, PQ_TYPE_STRING},
        {"checksum", PQ_BYTE_ARRAY, PQ_TYPE_STRING},
        {"inline", PQ_BYTE_ARRAY, PQ_TYPE_NONE},
    };

    for (size_t i = 0; i < PQ_COUNT(fields); i++) {
        if (pq_slice_is(name, fields[i].name)) {
            return type->physical == fields[i].physical &&
                   type->logical == fields[i].logical;
        }
    }
    return false;
}

/* Does the group have only fields of a FILE? */
static bool is_file(const PqSchemaBuild *b, uint32_t group)
{
    uint32_t end = group + b->item[group].size;

    for (uint32_t i = group + 1; i < end; i++) {
        PqType type;

        if (pq_schema_is_group(&b->el[i]) ||
            pq_schema_repetition(&b->el[i]) != PQ_OPTIONAL) {
            return false;
        }
        type = pq_type_of_element(&b->el[i], b->arena, b->e);
        if (!pq_schema_is_file_field(b->el[i].name, &type)) {
            return false;
        }
    }
    return true;
}

/* QUIRK: by LogicalTypes.md there are files whose maps are annotated with
** MAP_KEY_VALUE, which is for the layer; test
** map_key_value_outside_a_map_is_the_map. */
PqSchemaShape pq_schema_shape(const PqSchemaBuild *b, uint32_t i)
{
    const PqSchemaElement *el = &b->el[i];
    bool one_repeated = b->item[i].kids == 1 &&
                        pq_schema_repetition(&b->el[i + 1]) == PQ_REPEATED;

    if (b->item[i].n_leaves == 0) {
        return PQ_SHAPE_PLAIN;
    }
    if (one_repeated && says(el, PQ_LOGICAL_LIST, PQ_CONVERTED_LIST)) {
        return is_element(b, i, i + 1) ? PQ_SHAPE_LIST_OF_ELEMENT
                                       : PQ_SHAPE_LIST_OF_LAYER;
    }
    if (one_repeated && is_map(b, i + 1) &&
        (says(el, PQ_LOGICAL_MAP, PQ_CONVERTED_MAP) ||
         says(el, PQ_LOGICAL_MAP, PQ_CONVERTED_MAP_KEY_VALUE))) {
        return PQ_SHAPE_MAP_OF_LAYER;
    }
    if (says_logical(el, PQ_LOGICAL_VARIANT) && is_variant(b, i)) {
        return PQ_SHAPE_VARIANT;
    }
    return says_logical(el, PQ_LOGICAL_FILE) && is_file(b, i)
               ? PQ_SHAPE_FILE : PQ_SHAPE_PLAIN;
}
