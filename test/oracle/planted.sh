#!/usr/bin/env bash
# planted.sh - do where.py and joins.py see what they are there for?
#
# Faults are put, one at a time, into a copy of the sources, each a slip that
# somebody could make.  The extension is made again, and the 2,000 cases of one
# seed have to fail.  A fault that no longer applies fails the run: whoever
# changed the line has to say where the fault would be now.
#
#   planted.sh              all of them
#   planted.sh NAME...      these
#
# Takes a minute for each few faults, so make check does not do it.
set -u
cd "$(dirname "$0")/../.."

SEED=${SEED:-1}
CASES=${CASES:-2000}
python=python3
[ -x /usr/bin/python3 ] && python=/usr/bin/python3
root=$PWD
build=${BUILD:-build}
scratch=$root/$build/planted
samples=(test/samples/*.parquet test/samples/weather)
caught=0 missed=() broken=()

make --no-print-directory -s all || exit 1
rm -rf "$scratch"
mkdir -p "$scratch"
cp -a Makefile core ext sql dist "$scratch"
mkdir "$scratch/build"
cp -a "$build/core" "$build/ext" "$build/sql" "$scratch/build"

rebuild() {
    make --no-print-directory -s -C "$scratch" BUILD=build SO=parquet.so \
        OPT=-O1 WARN=-w parquet.so >"$scratch/make.log" 2>&1
}

# Changes the one place where FILE has OLD.
replace() {
    $python - "$scratch/$1" "$2" "$3" <<'PY'
import sys
path, old, new = sys.argv[1:]
text = open(path).read()
if text.count(old) != 1:
    sys.exit("%d places" % text.count(old))
open(path, "w").write(text.replace(old, new))
PY
}

# A failure that tells its case, or a crash.
by=where
fails() {                            # LOG
    local status cases=$CASES
    rm -rf "$scratch/made"
    [ $by = where ] || cases=10
    OTHERS=0 FIRST=1 timeout 600 $python test/oracle/$by.py \
        "$scratch/parquet.so" "$SEED" "$cases" "$scratch/made" \
        "${samples[@]}" >"$1" 2>&1
    status=$?
    grep -qE '^FAIL case|^WRONG' "$1" || [ $status -ge 124 ]
}

plant() {                            # NAME FILE OLD NEW
    local name=$1 file=$2 log=$scratch/$1.log
    [ -z "$wanted" ] || [[ " $wanted " == *" $name "* ]] || return
    if ! replace "$file" "$3" "$4" 2>"$log" || ! rebuild; then
        echo "cannot be planted   $name: $(tail -n 1 "$log" "$scratch/make.log")"
        broken+=("$name")
    else
        if fails "$log"; then
            caught=$((caught + 1))
            printf 'caught       %-40s %s\n' "$name" \
                "$(grep -m 1 -aoE 'case [0-9]* of|^WRONG [^:]*' "$log")"
        else
            printf 'NOT CAUGHT   %s\n' "$name"
            missed+=("$name")
        fi
    fi
    cp "$root/$file" "$scratch/$file"
}

wanted="$*"
if ! rebuild || fails "$scratch/none.log"; then
    echo "the sources fail as they are:"
    tail -n 5 "$scratch/make.log" "$scratch/none.log"
    exit 1
fi

# ---- bounds ---------------------------------------------------------------------

plant bound-less-equal-is-less ext/condition/prune.c \
    'case PQEXT_LE: return pqext_value_compare(min, operand) > 0;' \
    'case PQEXT_LE: return pqext_value_compare(min, operand) >= 0;'
plant bound-greater-equal-is-greater ext/condition/prune.c \
    'case PQEXT_GE: return pqext_value_compare(max, operand) < 0;' \
    'case PQEXT_GE: return pqext_value_compare(max, operand) <= 0;'
plant bound-equal-excludes-the-end ext/condition/prune.c \
    'pqext_value_compare(operand, max) > 0;' \
    'pqext_value_compare(operand, max) >= 0;'
plant bound-of-a-chunk-with-nan-texts ext/condition/prune.c \
    'pq_type_is_float(type) &&
        b->bounds.n_nans != 0' \
    'pq_type_is_float(type) &&
        b->bounds.n_nans > 0'
plant is-null-forgets-nan ext/condition/prune.c \
    'return b->bounds.n_nulls == 0 &&' \
    'return b->bounds.n_nulls == 0 ||'
plant not-null-where-some-are ext/condition/prune.c \
    'return all_null(p, b);
    default:' \
    'return b->bounds.n_nulls > 0;
    default:'
plant date-before-the-year-0-is-a-bound ext/condition/prune.c \
    "n == 0 || text[0] == '-' || text[0] == '+'" 'n == 0'
plant uint32-bound-is-signed ext/condition/prune.c \
    'integer(is_unsigned ? (int64_t)u : (int64_t)(int32_t)u)' \
    'integer((int64_t)(int32_t)u)'
plant uint64-bound-is-signed ext/condition/prune.c \
    'return !is_unsigned || out->i >= 0;' 'return true;'
plant decimal-int32-bound-is-unsigned ext/condition/prune.c \
    'unscaled = (int32_t)pq_load_u32(v.p);' \
    'unscaled = (int64_t)pq_load_u32(v.p);'
plant decimal-bytes-bound-is-unsigned ext/condition/prune.c \
    '} else if (!pq_decimal_fits_i64(v, &unscaled)) {' \
    '} else if (!pq_decimal_fits_i64(v, &unscaled) ||
               (v.n < 8 && (unscaled &= ((int64_t)1 << 8 * v.n) - 1, 0))) {'
plant operand-without-affinity ext/condition/compare.c \
    'int type = numeric ? sqlite3_value_numeric_type(v) : sqlite3_value_type(v);' \
    'int type = numeric ? sqlite3_value_type(v) : sqlite3_value_type(v);'
plant text-bound-against-a-number ext/condition/prune.c \
    'return operand->kind == PQEXT_TEXT;' 'return true;'
plant text-bound-where-texts-are-numbers ext/condition/prune.c \
    'case PQEXT_LE: return !numbers;' 'case PQEXT_LE: return true;'
plant text-bound-above-a-number-like-operand ext/condition/prune.c \
    'case PQEXT_GE: return !pqext_reads_as_number(operand);' \
    'case PQEXT_GE: return true;'
plant text-bound-equal-to-a-number-like-operand ext/condition/prune.c \
    'return !numbers || !pqext_reads_as_number(operand);' 'return true;'
plant uint64-bound-against-a-number-like-text ext/condition/prune.c \
    '    if (min->kind == PQEXT_NUMBER) {
        return !pqext_reads_as_number(operand);' \
    '    if (min->kind == PQEXT_NUMBER) {
        return true;'
plant operand-is-taken-for-a-plain-text ext/condition/prune.c \
    'is_text = p->is_text;' 'is_text = true;'
plant half-of-nans-are-all ext/condition/prune.c \
    'x->n_nans == b->n_values - x->n_nulls' 'true'
plant bound-of-another-type ext/condition/prune.c \
    'if (!pq_type_equal(&b->leaf->type, &p->column->type))' 'if (0)'

# ---- Bloom filters and dictionaries ----------------------------------------------

plant bloom-of-a-number-like-text ext/condition/equal.c \
    'return !pqext_reads_as_number(operand);' 'return true;'
plant bloom-of-a-number-in-a-text-column ext/condition/equal.c \
    'return given->logical == PQ_TYPE_INT && operand->is_int;' 'return true;'
plant bloom-of-another-type ext/condition/equal.c \
    'return p->hashed && pq_type_equal(&leaf->type, &p->column->type);' \
    'return p->hashed;'
plant bloom-asks-for-the-first-only core/scan/scan_bloom.c \
    'hashes, n, &maybe, e)' 'hashes, 1, &maybe, e)'
plant bloom-of-one-zero sql/value/stored.c \
    'return r == 0 ? add(j, &r, sizeof r) : PQ_OK;' 'return PQ_OK;'
plant bloom-of-one-zero-of-floats sql/value/stored.c \
    'return f == 0 ? add(j, &g, sizeof g) : PQ_OK;' 'return PQ_OK;'
plant bloom-of-one-decimal sql/value/stored.c \
    '    for (; v < end; v++) {' '    if (v < end) {'
plant bloom-of-an-integer-cut-short sql/value/stored.c \
    '*out = j->number.i;' '*out = (int16_t)j->number.i;'
plant dictionary-and-plain-pages core/scan/scan_dict.c \
    'if (!pq_encoding_is_dictionary(pages->v[i].encoding)) {' 'if (0) {'
plant dictionary-and-plain-pages-listed core/scan/scan_dict.c \
    'encodings->v[i] != PQ_ENCODING_BIT_PACKED' 'false'
plant dictionary-misses-its-last core/scan/scan_dict.c \
    'for (i = 0; i < dict->n; i++) {' 'for (i = 0; i + 1 < dict->n; i++) {'
plant dictionary-of-nan-texts core/scan/scan_dict.c \
    'b.bounds.n_nans = 1;' 'b.bounds.all_null = true;'

# ---- pages ------------------------------------------------------------------------

plant page-cut-takes-a-row-more core/scan/scan_prune.c \
    'PQ_TRY(cut_rows(s, cut, rows.begin, e));' \
    'PQ_TRY(cut_rows(s, cut, rows.begin + 1, e));'
plant header-of-the-page-before core/scan/scan_headers.c \
    'PqHeaderPage page = {.first_row = *row, .bounds' \
    'PqHeaderPage page = {.first_row = *row ? *row - 1 : 0, .bounds'
plant headers-of-the-file-before core/scan/scan_file.c \
    'pq_scan_forget_headers(s);' ''
plant last-pages-are-cut-to-the-start core/scan/scan_prune.c \
    ': cut_rows(s, cut, s->footer->' ': cut_rows(s, cut - 1, s->footer->'
plant rows-behind-a-cut-are-lost core/scan/scan_prune.c \
    'if (r.end > end) {' 'if (r.end > end && r.begin >= first) {'

# ---- what a filter says of a value --------------------------------------------------

plant null-is-not-equal ext/condition/filter.c \
    'return f->op == PQEXT_IS_NULL || f->op == PQEXT_IS_NOT;' \
    'return f->op == PQEXT_IS_NULL || f->op == PQEXT_IS_NOT || f->op == PQEXT_NE;'
plant not-equal-to-null ext/condition/filter.c \
    'if (term.op == PQEXT_NE) {' 'if (0) {'
plant text-is-omitted-without-a-literal ext/condition/filter.c \
    'return literal && op != PQEXT_IN &&' \
    'return !literal || op == PQEXT_IN ||'
plant uint64-is-omitted ext/condition/filter.c \
    'return !pq_type_is_u64(&c->type);' 'return true;'
plant number-with-blanks-behind-it sql/value/numeric.c \
    'return at + run_of(s, at, blanks);' 'return at;'

plant text-greater-than-a-number-like-text ext/condition/filter_range.c \
    '(f->looks && !f->literal &&' '(false && !f->literal &&'
plant in-forgets-the-last ext/condition/list.c \
    'return at < l->n && pqext' 'return at + (l->n > 1) < l->n && pqext'
plant in-halves-past-the-first ext/condition/list.c \
    'uint32_t low = 0, high = l->n;' 'uint32_t low = l->n > 1, high = l->n;'
plant in-list-of-numbers-and-texts-like-them ext/condition/filter.c \
    'pqext_list_has_numbers(l) && pqsql_looks' 'false && pqsql_looks'
plant in-list-bounds-exclude-the-end ext/condition/prune.c \
    'pqext_value_compare(&p->list->v[at], max) > 0;' \
    'pqext_value_compare(&p->list->v[at], max) >= 0;'
plant in-list-of-numbers-in-bounds-of-texts ext/condition/prune.c \
    'min->kind == PQEXT_TEXT && pqext_list_has' 'false && pqext_list_has'
plant in-list-is-cut-short ext/cursor/cursor_terms.c \
    '    if (!whole) {
        c->n_proofs = n_proofs;' \
    '    if (0) {
        c->n_proofs = n_proofs;'
plant is-null-of-a-parameter ext/cursor/cursor_terms.c \
    'term.op = null ? PQEXT_IS_NULL : PQEXT_EQ;' 'term.op = PQEXT_EQ;'

# ---- ranges of what is stored ---------------------------------------------------------

plant range-less-takes-the-end ext/condition/filter_range.c \
    '            high--;' '            ;'
plant range-of-equals-takes-one-more ext/condition/filter_range.c \
    'high = has_beyond ? beyond - 1 : s->most;' \
    'high = has_beyond ? beyond : s->most;'
plant range-of-texts-against-a-number ext/condition/filter_range.c \
    '(operand->kind == PQEXT_NUMBER ||' '(false ||'
plant dates-before-the-year-0-in-ranges ext/condition/filter_range.c \
    'first_day = -719528' 'first_day = -800000000'
plant ranges-of-another-type ext/condition/filter_range.c \
    'if (!pq_type_equal(&leaf->type, &f->column->type)) {' 'if (0) {'
plant ranges-in-the-list-are-signed ext/condition/filter_apply.c \
    '? (int64_t)((const uint32_t *)values)[at]' \
    '? (int64_t)((const int32_t *)values)[at]'
plant kernel-excludes-the-end core/simd/kernels_scalar.c \
    'uint32_t span, uint64_t *bits)
{
    EACH_BIT(in[i] - low <= span)' \
    'uint32_t span, uint64_t *bits)
{
    EACH_BIT(in[i] - low < span)'
plant kernel-of-doubles-excludes-the-end core/simd/kernels_avx2.c \
    '_mm256_cmp_pd(v, high, _CMP_LE_OQ)' '_mm256_cmp_pd(v, high, _CMP_LT_OQ)'

# ---- batches -----------------------------------------------------------------------------

plant dictionary-of-the-chunk-before ext/condition/filter_apply.c \
    'if (f->dict_serial == d->serial) {' 'if (f->dict_serial) {'
plant ranges-of-the-file-before ext/condition/filter_apply.c \
    'if (f->file_serial != pq_scan_file_serial(s)) {' 'if (!f->file_serial) {'
plant nan-passes-not-equal ext/condition/filter_apply.c \
    '    if (is_float_form(f->stored.form)) {
        settle_nans' \
    '    if (0) {
        settle_nans'
plant nulls-of-a-vector-do-not-pass ext/condition/filter_apply.c \
    '(bits[w] & valid) | (nulls & ~valid)' '(bits[w] & valid)'

# ---- LIKE and GLOB -------------------------------------------------------------------------

plant like-minds-the-case ext/condition/like.c \
    'return a == b || (!p->glob && fold(a) == fold(b));' 'return a == b;'
plant like-takes-an-underline-for-itself ext/condition/like.c \
    "c != '%' && c != '_'" "c != '%'"
plant glob-takes-a-set-for-itself ext/condition/like.c \
    "c != '?' && c != '['" "c != '?'"

# ---- the plan, rowids and files ---------------------------------------------------------------

plant collation-is-not-asked ext/plan/plan.c \
    'return collation && sqlite3_stricmp(collation, "BINARY") == 0;' \
    'return collation != NULL;'
plant rowid-less-equal-is-less ext/cursor/cursor_terms.c \
    'cut(r, 0, x < INT64_MAX ? x + 1 : x)' 'cut(r, 0, x)'
plant rowid-list-misses-the-first ext/cursor/cursor_terms.c \
    'if (x < r->v[k].begin || (n > 0' 'if (x <= r->v[k].begin || (n > 0'
plant numbers-are-texts ext/condition/compare.c \
    'return !pqext_number_of(text, &x) || !pqext_number_of(operand, &y) ||
           x == y || pqext_op_holds(op, (x > y) - (x < y));' 'return false;'
plant hive-list-of-one-is-none ext/cursor/cursor_files.c \
    't->is_null = list->n == 0;' 't->is_null = list->n <= 1;'
plant bit-63-is-one-column ext/plan/plan.c \
    'if (column < 63) {           /* bit 63: perhaps another one as well  */
            others &= ~((sqlite3_uint64)1 << column);' \
    '{
            others &= ~((sqlite3_uint64)1 << (column < 63 ? column : 63));'

# ---- outer joins ----------------------------------------------------------------------------

# SQLite from 3.51.0 on does not need what these take away.
if $python -c 'import sqlite3, sys
sys.exit(sqlite3.sqlite_version_info >= (3, 51, 0))'; then
    plant outer-joins-are-like-others ext/plan/outer.c \
        'return sqlite3_libversion_number() < FIXED_IN;' 'return false;'
    plant outer-joins-beside-omission ext/plan/plan.c \
        '(pqext_outer_offers(term.op) && !is_all_of_from(info)) ||' ''
    by=joins
    plant outer-joins-of-views ext/plan/outer.c \
        "WHERE type IN ('view', 'trigger')" "WHERE type IN ('trigger')"
    by=where
fi

echo
echo "planted: $caught caught, ${#missed[@]} not, ${#broken[@]} could not be planted"
[ ${#missed[@]} -eq 0 ] && [ ${#broken[@]} -eq 0 ] && [ $caught -gt 0 ]
