#!/usr/bin/env bash
# planted.sh - do where.py, joins.py, subqueries.py, grouped.py, rollups.py,
# rollup_ids.py, unnests.py, summaries.py, statements.py, reconnects.py, variants.py,
# geometries.py, geo_own.py, crypto_own.py and grown.py find faults?
#
# Faults are put, one at a time, into a copy of the sources.  Each is a mistake
# that somebody could make.  The extension is built again, and some of the 8,000
# cases of one seed have to fail.  What no query can show, a unit test has to
# find, or a file of tcl/ (by=unit:SUITE, by=tcl:FILE), encrypted files that are
# changed (by=tamper:KIND), or a statement whose requests fail (by=faults:NAME).
# A fault that no longer applies fails the run: whoever changed the line has to
# say where the fault would be now.  So does a crash or a hang: it hides whether
# what the fault makes wrong would be seen.
#
#   planted.sh              all of them
#   planted.sh NAME...      these
#   planted.sh --check      do the suites of make check find them?  And of
#   planted.sh --check-all  make check-all?  A fault is shown first to the part that
#                           it is meant for (by=), and then to all other suites
#                           that look for wrong rows, until one finds it
#   planted.sh --places     is each fault's line where it is said to be?  Plants none
#   PARTS='by tcl:in unit'  these parts and no other, here the one that it is meant
#                           for, a file of tcl/ and all unit tests
#   EVERY=4 FROM=2          each fourth fault, from the second on
#
# Takes a minute for each few faults, so make check-all does not do it.
set -u
cd "$(dirname "$0")/../.."

SEED=${SEED:-1}
CASES=${CASES:-8000}
python=python3
[ -x /usr/bin/python3 ] && python=/usr/bin/python3
root=$PWD
build=${BUILD:-build}
form=
case ${1:-} in
--check | --check-all) form=${1#--} && shift ;;
--places)
    plant() { printf '%s\0' "$1" "$2" "$3"; }
    {
        python=true                  # those that are for some versions, too
        # The faults begin below the machinery that plants them.
        . <(sed '1,/^# ---- what is wanted, and bounds/d; /^echo$/,$d' "$0")
    } | $python -c '
import sys
parts = sys.stdin.read().split("\0")[:-1]
gone = [(name, path) for name, path, line in zip(*[iter(parts)] * 3)
        if open(path).read().count(line) != 1]
for fault in gone:
    print("FAIL %s: its line is not in %s, or is there more than once" % fault)
print("planted: %d passed, %d failed, 0 skipped" % (len(parts) // 3 - len(gone), len(gone)))
sys.exit(len(gone) > 0 or not parts)'
    exit
    ;;
esac
scratch=$root/$build/planted${form:+-$form}
samples=(test/samples/*.parquet test/samples/weather)
caught=0 missed=() broken=() ended=() nth=0
EVERY=${EVERY:-1} FROM=${FROM:-1}

make --no-print-directory -s all "$build/unit_tests" || exit 1
rm -rf "$scratch"
mkdir -p "$scratch"
cp -a Makefile core ext sql dist release cli tcl "$scratch"
mkdir "$scratch/build"
cp -a "$build/core" "$build/ext" "$build/sql" "$scratch/build"
mkdir -p "$scratch/test" "$scratch/build/test"
cp -a test/unit test/oracle test/hostile test/remote test/samples test/windows "$scratch/test"
cp -a "$build/test/unit" "$scratch/build/test"
ln -s "$root/test/interop" "$scratch/test/interop"

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

MINUTES=${MINUTES:-10}
# What became of a run that ended with this status: it went on to its end, was
# killed because it lasted too long, or crashed.
end_of() {
    [ "$1" -eq 124 ] && echo "TIMED OUT" && return
    [ "$1" -ge 125 ] && echo "CRASHED" || echo "ran"
}

# Does a command say that tests fail?  Its status does, or a line before it crashed.
finds() {                            # LOG COMMAND...
    local log=$1 status
    shift
    timeout $((MINUTES * 60)) "$@" >"$log" 2>&1
    status=$?
    end=$(end_of $status)
    grep -qaE '^(FAIL|!) ' "$log" || { [ "$end" = ran ] && [ $status -ne 0 ]; }
}

fails_unit() {                       # SUITE LOG
    make --no-print-directory -s -C "$scratch" BUILD=build OPT=-O1 WARN=-w \
        build/unit_tests >"$scratch/make.log" 2>&1 &&
        finds "$2" "$scratch/build/unit_tests" "$1"
}

# Is there a failure that names its case?  The first is enough: grep ends, and with
# it the pipe.  Without one, $end is what became of the run.
by=where
fails() {                            # LOG
    local cases=$CASES status
    end=ran
    rm -rf "$scratch/made"
    case $by in
    unit:*) fails_unit "${by#unit:}" "$1"; return ;;
    tamper:*) finds "$1" $python test/hostile/tamper.py "$scratch/parquet.so" \
                "$scratch/made" 1 "${by#tamper:}"; return ;;
    faults:*) finds "$1" $python test/remote/faults.py "$scratch/parquet.so" \
                "$scratch/made" each "${by#faults:}"; return ;;
    tcl:*)  finds "$1" env SO="$scratch/parquet.so" tclsh tcl/all.tcl \
                "${by#tcl:}"; return ;;
    where | variants) ;;
    geometries) cases=$((CASES / 2)) ;;
    geo_own) cases=$((CASES / 40)) ;;
    crypto_own) cases=40 ;;
    subqueries) cases=1500 ;;
    grouped) cases=400 ;;
    rollups) cases=1000 ;;
    rollup_ids) cases=60 ;;
    unnests) cases=600 ;;
    summaries) cases=60 ;;
    grown) cases=120 ;;
    *) cases=10 ;;
    esac
    OTHERS=0 FIRST=1 timeout $((MINUTES * 60)) $python test/oracle/$by.py \
        "$scratch/parquet.so" "$SEED" "$cases" "$scratch/made" \
        "${samples[@]}" 2>&1 | grep -m 1 -aE '^FAIL case|^WRONG' >"$1"
    status=("${PIPESTATUS[@]}")
    [ "${status[1]}" -eq 0 ] && return
    end=$(end_of "${status[0]}")
    return 1
}

# The first failure is enough here, too.
oracle_finds() {                      # SCRIPT LOG
    SCRIPTS=$1 SEED=$check_seed SHARE=$oracle_share FIRST=1 \
        timeout $((MINUTES * 60)) bash test/oracle/oracle.sh 2>&1 |
        grep -m 1 -aE '^(FAIL|WRONG)' >"$2"
}

# The same of a run of make check, or make check-all.  This is a part of it: a
# script of the oracle, a suite, unit:SUITE, tcl:FILE or tamper:KIND.
part_finds() {                        # PART LOG
    export SO=$scratch/parquet.so BUILD=build MAKEFLAGS='' FORM=${form#check-}
    . test/forms.sh
    cd "$scratch" || exit 1
    [[ $1 != unit* ]] || make --no-print-directory -s OPT=-O1 WARN=-w \
        build/unit_tests >make.log 2>&1 || exit 1
    case $1 in
    unit)     finds "$2" build/unit_tests ;;
    unit:*)   finds "$2" build/unit_tests "${1#unit:}" ;;
    tcl)      finds "$2" tclsh tcl/all.tcl ;;
    tcl:*)    finds "$2" tclsh tcl/all.tcl "${1#tcl:}" ;;
    tamper:*) finds "$2" $python test/hostile/tamper.py "$SO" build/tamper \
                "$tamper_every" "${1#tamper:}" ;;
    faults*)  finds "$2" env EVERY="$faults_every" $python test/remote/faults.py \
                "$SO" build/remote_each each ;;
    *)        oracle_finds "$1" "$2" ;;
    esac
}

found_by=
form_finds() {                        # LOG
    local part
    for part in ${PARTS:-by tcl unit $(bash test/oracle/oracle.sh list)}; do
        [ "$part" != by ] || part=$by
        (part_finds "$part" "$1") && found_by=$part && return
    done
    end=ran
    return 1
}

plant() {                            # NAME FILE OLD NEW
    local name=$1 file=$2 log=$scratch/$1.log
    [ -z "$wanted" ] || [[ " $wanted " == *" $name "* ]] || return
    nth=$((nth + 1))
    [ $((nth % EVERY)) -eq $((FROM % EVERY)) ] || return
    found_by=$by
    if ! replace "$file" "$3" "$4" 2>"$log" || ! rebuild; then
        echo "cannot be planted   $name: $(tail -n 1 "$log" "$scratch/make.log")"
        broken+=("$name")
    else
        if $fails "$log"; then
            caught=$((caught + 1))
            printf 'caught       %-40s %s %s\n' "$name" "$found_by" \
                "$(grep -m 1 -aoE 'case [-0-9]* of|^WRONG [^:]*' "$log")"
        elif [ "$end" != ran ]; then
            printf '%-12s %-40s %s\n' "$end" "$name" "$by"
            ended+=("$name")
        else
            printf 'NOT CAUGHT   %s\n' "$name"
            missed+=("$name")
        fi
    fi
    cp "$root/$file" "$scratch/$file"
}

wanted="$*"
fails=fails is_whole=yes
[ -z "$form" ] || fails=form_finds
[ -z "$form" ] || { [ -z "$wanted" ] && [ "$EVERY" -eq 1 ]; } || is_whole=
end=ran
if ! rebuild || { [ -n "$is_whole" ] && $fails "$scratch/none.log"; } ||
    [ "$end" != ran ]; then
    echo "the sources fail as they are (the run $end):"
    tail -n 5 "$scratch/make.log" "$scratch/none.log"
    exit 1
fi

# ---- what is wanted, and bounds -----------------------------------------------------

plant less-equal-is-less ext/condition/compile.c \
    '_from(&s->in, operand, or_equal, &end)' '_from(&s->in, operand, false, &end)'
plant greater-equal-is-greater ext/condition/compile.c \
    '_from(&s->in, operand, !or_equal, &first)' \
    '_from(&s->in, operand, true, &first)'
plant less-takes-the-end ext/condition/compile.c \
    'pq_wanted_add(out, s->in.least, end - 1);' \
    'pq_wanted_add(out, s->in.least, end);'
plant equal-takes-one-more ext/condition/compile.c \
    'out->last = after - 1;' 'out->last = after;'
plant guess-is-trusted ext/condition/place_search.c \
    '            *low += 1;' '            *low += 2;'
plant zero-has-one-place ext/condition/compile.c \
    'return operand->kind == PQ_CELL_REAL && operand->r != 0;' \
    'return operand->kind == PQ_CELL_REAL;'
plant nan-is-not-null ext/condition/compile.c \
    'out->nans = pqext_condition_passes_null(c);' 'out->nans = false;'
plant nans-are-one-text ext/condition/compile.c \
    'out->bounded = out->beyond = one != other;' ''
plant dates-after-the-year-9999-in-order ext/condition/meaning.c \
    '(PQ_LAST_DAY + 1) * units_per_day' '800000000 * units_per_day'
plant operand-without-affinity ext/condition/compare.c \
    'if (numeric) {' 'if (0) {'
plant number-is-more-than-no-text ext/condition/compile.c \
    'kind == PQ_CELL_TEXT && pq_cell_is_number(&c->operand) &&' '0 &&'
plant texts-are-no-numbers ext/condition/compile.c \
    '!c->literal && (c->op == PQEXT_LT || c->op == PQEXT_LE ||' \
    '!c->literal && (false ||'
plant text-above-a-number-like-operand ext/condition/compile.c \
    'if (may_be_number && (c->op == PQEXT_GT || c->op == PQEXT_GE)) {' 'if (0) {'
plant text-equal-to-a-number-like-operand ext/condition/compile.c \
    '(may_be_number && !is_order &&' '(false && !is_order &&'
plant date-and-a-number ext/condition/compile.c \
    '(pq_cell_is_number(operand) ||' '(false ||'
plant date-and-a-number-like-text ext/condition/compile.c \
    '(c->looks && !c->literal && c->op != PQEXT_EQ &&' \
    '(false && !c->literal && c->op != PQEXT_EQ &&'
plant uint64-and-a-number-like-text ext/condition/compile.c \
    'return c->affinity == PQEXT_AFF_BLOB && c->looks && !c->literal;' \
    'return false;'
by=joins
plant is-null-finds-no-key ext/cursor/cursor_join.c \
    'f->known = f->j->term.op != PQEXT_IS;' ''
plant a-rowid-that-is-is-at-least ext/cursor/cursor_terms.c \
    'term.op = null ? PQEXT_IS_NULL : PQEXT_EQ;' \
    'term.op = null ? PQEXT_IS_NULL : PQEXT_GT;'
plant uint64-beyond-is-one-number ext/condition/compile.c \
    '(operand->kind == PQ_CELL_INT && pq_type_is_u64(s->in.type)));' 'true);'
by=where
plant operand-is-taken-for-a-literal ext/condition/sqlite_condition.c \
    '.literal = term.exact || term.literal,' '.literal = true,'
plant list-of-numbers-and-texts-like-them ext/condition/compile.c \
    'if (kind == PQ_CELL_TEXT && pqext_list_has_numbers(l)) {' 'if (0) {'
plant wanted-of-another-type ext/condition/compile.c \
    'if (pq_type_equal(type, &c->type)) {' 'if (1) {'
plant wanted-of-the-file-before core/scan/condition.c \
    'if (c->compiled && pq_type_equal(&c->type, type)) {' 'if (c->compiled) {'
plant uint32-is-signed core/meta/place.c \
    '*out = is_unsigned ? (PqPlace)u : (PqPlace)(int32_t)u;' \
    '*out = (PqPlace)(int32_t)u;'
plant uint64-is-signed core/meta/place.c \
    '*out = is_unsigned ? (PqPlace)u : (PqPlace)(int64_t)u;' \
    '*out = (PqPlace)(int64_t)u;'
plant int32-is-unsigned core/meta/place.c \
    '*out = is_unsigned ? (PqPlace)u : (PqPlace)(int32_t)u;' \
    '*out = (PqPlace)u;'
plant decimal-of-bytes-is-unsigned core/meta/place.c \
    'return integer_of_bytes(v, true, out);' \
    'return integer_of_bytes(v, false, out);'
plant bounds-exclude-the-end core/scan/wanted.c \
    'return at < w->n && w->spans[at].first <= max;' \
    'return at < w->n && w->spans[at].first < max;'
plant bounds-of-texts-exclude-the-end core/scan/wanted.c \
    'pq_slice_compare(w->byte_spans[at].from, b->max) <= 0);' \
    'pq_slice_compare(w->byte_spans[at].from, b->max) < 0);'
plant bounds-beyond-the-limits core/scan/wanted.c \
    'return w->bounded && w->beyond && (min < w->least || max > w->most);' \
    'return false;'
plant chunk-with-nans-that-are-wanted core/scan/wanted.c \
    '(w->nans && b->n_nans != 0)' '(w->nans && false)'
plant chunk-with-nulls-that-are-wanted core/scan/wanted.c \
    '(w->nulls && b->n_nulls != 0)' '(w->nulls && b->all_null)'
plant some-null-is-all-null core/scan/wanted.c \
    'if (b->all_null || all_nan' 'if (b->n_nulls > 0 || all_nan'
plant half-of-nans-are-all core/scan/wanted.c \
    'b->n_nans == n_values - b->n_nulls;' 'true;'
plant the-last-span-is-forgotten core/scan/wanted.c \
    'static uint32_t span_from(const PqWanted *w, PqPlace place)
{
    uint32_t low = 0, high = w->n;' \
    'static uint32_t span_from(const PqWanted *w, PqPlace place)
{
    uint32_t low = 0, high = w->n - (w->n > 1);'
plant the-first-span-is-forgotten core/scan/wanted.c \
    'static uint32_t byte_span_from(const PqWanted *w, PqSlice v)
{
    uint32_t low = 0,' \
    'static uint32_t byte_span_from(const PqWanted *w, PqSlice v)
{
    uint32_t low = w->n > 1,'
# ---- Bloom filters and dictionaries ----------------------------------------------

plant bloom-of-another-type core/scan/condition.c \
    'if (!c->hashed || !pq_type_equal(&c->hashed_type, &leaf->type)) {' \
    'if (!c->hashed) {'
plant bloom-of-one-value-of-a-span core/scan/wanted.c \
    'if (place == s->last) {' 'if (true) {'
plant bloom-of-an-integer-cut-short core/meta/place.c \
    'return lowest_first(place, t->physical == PQ_INT32 ? 4 : 8, room);' \
    'return lowest_first((int16_t)place, t->physical == PQ_INT32 ? 4 : 8, room);'
plant bloom-beyond-the-limits core/scan/wanted.c \
    '(w->bounded && w->beyond) || w->n > MOST_VALUES' 'w->n > MOST_VALUES'
plant bloom-asks-for-the-first-only core/scan/scan_bloom.c \
    'hashes, n, &maybe, e)' 'hashes, 1, &maybe, e)'
by=tcl:prune
plant dictionary-and-plain-pages core/scan/scan_dict.c \
    'if (!pq_encoding_is_dictionary(pages->v[i].encoding)) {' 'if (0) {'
plant dictionary-and-plain-pages-listed core/scan/scan_dict.c \
    'encodings->v[i] != PQ_ENCODING_BIT_PACKED' 'false'
by=where
plant dictionary-misses-its-last core/scan/scan_dict.c \
    'for (uint32_t i = 0; i < dict->n; i++) {' \
    'for (uint32_t i = 0; i + 1 < dict->n; i++) {'
plant dictionary-of-nan-texts core/scan/scan_dict.c \
    'b.bounds.n_nans = 1;' 'b.bounds.all_null = true;'

# ---- pages ------------------------------------------------------------------------

plant page-cut-takes-a-row-more core/scan/scan_prune.c \
    'PQ_TRY(pq_scan_cut_rows(s, cut, row, e));' 'PQ_TRY(pq_scan_cut_rows(s, cut, row + 1, e));'
plant header-of-the-page-before core/scan/scan_headers.c \
    'PqHeaderPage page = {.first_row = *row, .bounds' \
    'PqHeaderPage page = {.first_row = *row ? *row - 1 : 0, .bounds'
plant headers-of-the-file-before core/scan/scan_file.c \
    'pq_scan_forget_headers(s);' ''
plant last-pages-are-cut-to-the-start core/scan/scan_prune.c \
    ': pq_scan_cut_rows(s, cut, n_rows, e)' ': pq_scan_cut_rows(s, cut - 1, n_rows, e)'
plant rows-after-a-cut-are-lost core/scan/scan_prune.c \
    'if (r.end > end) {' 'if (r.end > end && r.begin >= first) {'

# ---- what a condition says of a value ------------------------------------------------

plant text-is-omitted-without-a-literal ext/condition/sqlite_condition.c \
    'return op != PQEXT_IN && of_bytes;' 'return true;'
plant uint64-is-omitted ext/condition/sqlite_condition.c \
    ': !pq_type_is_u64(&c->type);' ': true;'
plant number-with-blanks-after-it sql/value/numeric.c \
    'return at + run_of(s, at, blanks);' 'return at;'
plant in-forgets-the-last ext/condition/list.c \
    'return low < l->n && pq_cell' 'return low + (l->n > 1) < l->n && pq_cell'
plant in-halves-past-the-first ext/condition/list.c \
    'uint32_t low = 0, high = l->n;' 'uint32_t low = l->n > 1, high = l->n;'
plant in-list-is-cut-short ext/cursor/cursor_terms.c \
    'return whole ? add_condition(s, term, v, list) : PQ_OK;' \
    'return add_condition(s, term, v, list);'
plant is-null-of-a-parameter ext/cursor/cursor_terms.c \
    'term.op = null ? PQEXT_IS_NULL : PQEXT_EQ;' 'term.op = PQEXT_EQ;'

# ---- values in spans --------------------------------------------------------------------

plant values-in-spans-are-signed core/scan/wanted_values.c \
    '? (PqPlace)((const uint32_t *)values)[i]' \
    '? (PqPlace)((const int32_t *)values)[i]'
plant gaps-begin-too-early core/scan/wanted_values.c \
    'w->spans[n_gaps].last + 1' 'w->spans[n_gaps].last'
plant values-beyond-the-limits core/scan/condition.c \
    'if (!c->wanted.bounded || !c->wanted.beyond) {' 'if (true) {'
plant spans-wider-than-the-condition core/scan/condition.c \
    'if (!c->holds(c, pq_slice(texts[i].p, texts[i].n))) {' \
    'if (c->holds(c, pq_slice(texts[i].p, texts[i].n))) {'
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

plant dictionary-of-the-chunk-before core/scan/condition.c \
    'if (c->dict_serial == d->serial) {' 'if (c->dict_serial) {'
plant nan-passes-not-equal core/scan/wanted_values.c \
    'has_kernel(type) && (gaps || w->nans)' 'has_kernel(type) && w->nans'
plant nulls-of-a-vector-do-not-pass core/scan/condition.c \
    '(bits[w] & valid) | (nulls & ~valid)' '(bits[w] & valid)'

# ---- LIKE and GLOB -------------------------------------------------------------------------

plant like-minds-the-case ext/condition/like.c \
    'return a == b || (!p->glob && fold(a) == fold(b));' 'return a == b;'
by=tcl:pattern
plant like-minds-the-case-of-an-end ext/condition/like.c \
    'p->cases = p->cases << 8 | (letter ? CASE : 0);' ''
plant texts-that-end-alike-are-equal core/scan/wanted_values.c \
    'ends_alike(s, text) && pq_slice_equal(pq_slice(s->p, s->n), text)' 'ends_alike(s, text)'
by=where
plant like-takes-an-underline-for-itself ext/condition/like.c \
    "c != '%' && c != '_'" "c != '%'"
plant glob-takes-a-set-for-itself ext/condition/like.c \
    "c != '?' && c != '['" "c != '?'"

plant like-range-minds-the-case ext/condition/like.c \
    '(p->glob || !pq_ascii_is_letter((char)p->prefix.p[n]))' 'true'
plant like-range-of-times-ends-early ext/condition/place_search.c \
    '*out = (PqSpan){first, after - 1};' '*out = (PqSpan){first, after - 2};'
plant like-finds-no-year-10000 ext/condition/compile.c \
    'out->beyond = true;
    PQ_TRY(pqext_search_pattern(' 'PQ_TRY(pqext_search_pattern('

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
plant list-of-one-is-none ext/condition/sqlite_condition.c \
    'if (l->n == 0) {' 'if (l->n <= 1) {'
plant folders-of-numbers-are-texts ext/condition/sqlite_condition.c \
    ': pq_column_is_text_of_file(c) ? PQEXT_AFF_TEXT : PQEXT_AFF_NUMERIC;' \
    ': PQEXT_AFF_TEXT;'
plant bit-63-is-one-column ext/plan/plan.c \
    'c && column < 63 &&' 'c &&'

# ---- join keys and kept plans --------------------------------------------------------------

by=joins
plant key-is-not-the-greatest-of-its-row-group core/join/join_bounds.c \
    'if (v[*i].max >= key) {' 'if (v[*i].max > key) {'
plant row-groups-are-in-the-order-of-their-bounds core/scan/join_index.c \
    'Part *p = &x->parts[b[i].of];' 'Part *p = &x->parts[i];'
by=tcl:join_index
plant scans-for-a-key-cost-nothing ext/cursor/cursor_join.c \
    'j->index->scanned += pq_scan_rows_read(c->s.scan) - j->read;' \
    'j->index->scanned += 0;'
plant keys-of-row-groups-that-are-alike-hardly-overlap core/join/join_bounds.c \
    'others += k != i ? shared(&v[i], &v[k]) : 0;' 'others += 0;'
plant an-index-of-some-files-is-asked-about-all core/scan/join_index.c \
    'if (x->without[i] && !skip(arg, &l->files[i])) {' \
    'if (x->without[i] && !skip(arg, &l->files[i]) && 0) {'
plant rows-of-files-that-the-call-skips-are-given ext/cursor/cursor_join.c \
    'while (c->s.n_file_terms > 0 && j->at < j->rows.n) {' \
    'while (0 && j->at < j->rows.n) {'
plant an-index-is-kept-for-another-version core/scan/lookup_kept.c \
    'pq_file_id_equal(pq_source_id(source), f->id);' 'true;'
plant an-index-is-kept-for-other-paths core/scan/lookup_kept.c \
    'bool same = strcmp(f->path, of->files[i].path) == 0;' 'bool same = true;'
plant an-index-is-kept-beside-keys-of-files core/scan/lookup_kept.c \
    '!pq_key_ring_at(engine->keys, 0);' 'true;'
plant each-cursor-has-its-own-index core/scan/join_index.c \
    'if (x->spec.column == spec->column) {' \
    'if (x->spec.column == spec->column && 0) {'
plant picked-rows-ignore-what-scans-hold core/scan/lookup.c \
    'size_t taken = l->indexed + used_by_scans(l) + more;' \
    'size_t taken = 0 * more;'
by=joins
by=subqueries
plant keys-are-in-order core/join/join_table.c \
    'ascending &= key >= last;' 'ascending &= key >= last || n > 1;'
by=grouped
plant each-zero-has-its-group core/numbering/hash.h \
    'if (r == 0) {' 'if (0) {'
by=statements
plant statements-share-what-they-list ext/table/statement_files.c \
    'several_run(t->host->db)) {' '0 && several_run(t->host->db)) {'
plant plan-of-the-query-before ext/cursor/cursor_kept.c \
    'if (c->about != plan->number) {' 'if (c->about == 0) {'
by=reconnects
plant what-is-stopped-has-answered ext/rollup/dimension_ask.c \
    'if (is_broken_off(rc)) {' 'if (0) {'
by=where

# ---- rows in order --------------------------------------------------------------------------

plant an-equal-first-value-is-too-bad core/top/top_offer.c \
    'pq_top_compare_first(t, best, worst) > 0' \
    'pq_top_compare_first(t, best, worst) >= 0'
plant the-last-row-of-a-round-comes-again core/top/top_offer.c \
    'last->rowid) <= 0' 'last->rowid) < 0'
plant a-nan-is-a-number core/top/top_offer.c \
    'pq_cell_shown_real(' 'pq_cell_real('
plant nulls-are-not-the-end core/top/top_sections.c \
    'if (nulls) {' 'if (0) {'

# ---- Variants -------------------------------------------------------------------------------

plant shredded-fields-come-last core/nested/variant_rows.c \
    'pq_slice_compare(g->field[at].name, name) < 0' \
    'at > 0 && pq_slice_compare(g->field[at].name, name) < 0'
plant a-lean-row-goes-on-where-it-was core/nested/variant_assemble.c \
    '    go_back(j);' ''
plant residual-items-are-missing core/nested/variant_rows.c \
    'if (!has_column(g, name)) {' 'if (!has_column(g, name) && at == 0) {'
plant values-are-shredded-or-not core/nested/variant_assemble.c \
    'pq_json_rows_def(j, g->typed.first) >= g->typed_present;' \
    'pq_json_rows_def(j, g->typed.first) > g->typed_present;'
plant a-missing-root-is-no-value core/nested/variant_assemble.c \
    'if (!whole.value.p) {' 'if (0) {'
plant a-path-is-believed-to-be-its-leaf core/files/table_paths.c \
    'is_free_everywhere(f, plan.value)' '1'
plant values-that-are-zero-are-nulls core/files/table_paths.c \
    'return v.n == 1 && v.p[0] == 0;' 'return v.n >= 1;'
plant values-beside-do-not-matter core/scan/scan_path.c \
    'pq_table_path_is_free_in(s->footer, value->index, group))' '1)'
plant values-beside-a-page-do-not-matter core/scan/scan_prune.c \
    'if (!pq_table_path_is_free(&bounds[k].bounds)) {' 'if (0) {'
plant any-width-is-the-columns core/nested/path_plan.c \
    'return signed_bits(stored) <= signed_bits(to);' \
    'return signed_bits(to) > 0;'
plant rows-are-computed-once core/nested/path_rows.c \
    'if ((keep && !pq_bit(keep, row)) || pq_bit(p->done, row)) {' \
    'if (pq_bit(p->done, 0) || (keep && !pq_bit(keep, row))) {'
plant the-rest-of-a-path-is-nothing core/nested/path_rows.c \
    'if (p->plan.n_steps > 0) {' 'if (p->plan.n_steps > 1) {'
plant a-batch-keeps-its-paths core/scan/scan_path.c \
    'p->batch == s->batch_serial' 'p->batch != 0'
plant another-type-stays-compiled core/scan/condition.c \
    '    PQ_TRY(compile_for(c, &node->type, e));  /* reading' '    /* reading'
plant a-narrow-path-has-no-nulls ext/condition/compile.c \
    'pqext_may_become_null(column, type));' 'false);'
plant texts-beside-numbers-are-texts ext/condition/sqlite_condition.c \
    'if (may_be_numbers(c, v)) {' 'if (0) {'

by=variants
plant the-last-field-is-not-looked-at core/variant/variant_path.c \
    'for (i = 0; i < items->n; i++) {' 'for (i = 0; i + 1 < items->n; i++) {'
plant halves-find-the-one-before core/variant/variant_path.c \
    '*at = mid;' '*at = items->n > 16 && mid ? mid - 1 : mid;'
plant nine-bits-are-one-byte core/variant/variant_layout.h \
    'most < 1u << 8 ? 1 :' 'most < 1u << 9 ? 1 :'
plant halves-round-down core/variant/variant_cast_number.c \
    'size % unit >= (unit + 1) / 2' 'size % unit > (unit + 1) / 2'
plant integers-end-one-later core/variant/variant_cast_number.c \
    'return v >= -end && v < end' 'return v >= -end && v <= end'
plant decimals-fit-with-one-digit-more core/variant/variant_cast_number.c \
    'c->out->u.decimal < end' 'c->out->u.decimal <= end'
plant seconds-round-to-zero core/text/calendar.h \
    'return v / by - (v % by < 0);' 'return v / by;'
plant seconds-are-cut-toward-zero core/variant/variant_cast_number.c \
    'return put_int(c, v / unit - (v % unit < 0));' 'return put_int(c, v / unit);'
plant thirty-eight-digits-are-too-many core/variant/variant_parse.c \
    'enum { MOST_DIGITS = 38,' 'enum { MOST_DIGITS = 37,'
plant eighteen-digits-are-lost core/variant/variant_parse.c \
    'if (d.n == FEW_DIGITS) {' 'if (d.n == FEW_DIGITS && !d.point) {'
plant zeros-after-the-point-do-not-count core/variant/variant_parse.c \
    'd.scale += d.point;' 'd.scale += d.point && d.n;'
plant quotes-end-at-any-quote core/variant/variant_path.c \
    "memchr(from, from[-1], text.n - *at - 1)" \
    "memchr(from, '\\'', text.n - *at - 1)"

# ---- geometries ---------------------------------------------------------------------

by=geometries
plant boxes-are-without-their-edges core/geo/geo_box.h \
    'a->min[PQ_GEO_Y] <= b->max[PQ_GEO_Y]' 'a->min[PQ_GEO_Y] < b->max[PQ_GEO_Y]'
plant proofs-are-without-edges core/geo/geo_box.c \
    'if (a->at[i].min <= b->at[j].max &&' 'if (a->at[i].min < b->at[j].max &&'
plant to-contain-is-to-be-within core/geo/geo_box.c \
    'return r == PQ_GEO_CONTAINS ? holds(&ic, &ib)' \
    'return r == PQ_GEO_CONTAINS ? holds(&ib, &ic)'
plant boxes-that-wrap-are-one-interval core/geo/geo_box.c \
    'if (axis != PQ_GEO_X || !(min > max)) {' 'if (1) {'
plant any-two-polygons-are-a-box core/geo/wkb_box.c \
    's->differs |= !is_rectangle(x, y);' ''
plant halves-of-other-heights core/geo/wkb_box.c \
    'west->max[PQ_GEO_Y] == east->max[PQ_GEO_Y];' '1;'
plant nan-is-a-coordinate core/geo/wkb_box.c \
    '*min = v < *min ? v : *min;' '*min = v >= *min ? *min : v;'
plant boxes-of-lines-wrap core/scan/row_box.c \
    'only_points(&g->geospatial_types));' '1);'
plant no-types-are-points core/scan/row_box.c \
    'return codes->n > 0;' 'return true;'
plant boxes-of-a-globe-are-exact core/scan/row_box.c \
    'const double more = is_geography ? 1e-9 : 0;' 'const double more = 0;'
plant floats-are-rounded-outwards core/scan/row_box.c \
    '*min = step(low, *min, -HUGE_VAL);' ''
plant rows-without-a-covering-have-no-box core/scan/row_box.c \
    'return is_filled(low, own, n_rows) && is_filled(high, own, n_rows);' \
    'return true;'
plant geometries-are-null-where-coverings-are core/scan/row_box.c \
    '.none = b[PQ_BOX_OWN].bounds.all_null' '.none = b[0].bounds.all_null'
plant bounds-that-cross-are-known core/scan/row_box.c \
    '!(*min <= least_high && most_low <= *max)) {' '0) {'
plant rows-that-wrap-do-not-hide core/scan/row_box.c 'doubt_x(&out);' ''
plant pages-of-a-covering-end-together core/scan/scan_pages.c \
    'end = page.end < end ? page.end : end;' \
    'end = k == 0 || page.end > end ? page.end : end;'
plant pages-have-the-nulls-of-the-chunk core/scan/scan_boxes.c \
    'r->whole[k].bounds.n_nulls == 0) {' '1) {'
plant the-last-group-is-the-file core/scan/scan_boxes.c \
    'all.max_y = fmax(all.max_y, b->max_y);' 'all.max_y = b->max_y;'
plant points-are-within-what-wraps core/scan/geo_condition.c \
    'c->box.min[PQ_GEO_X] <= c->box.max[PQ_GEO_X];' '1;'
plant points-are-without-edges core/scan/geo_condition.c \
    '(y >= y0) & (y <= y1)' '(y >= y0) & (y < y1)'
plant dictionaries-are-alike core/scan/geo_condition.c \
    'if (c->dict_serial == d->serial) {' 'if (c->dict_serial) {'
plant rows-end-at-lists core/scan/geo_condition.c \
    'v->rep[slot] > 0; slot++' 'v->rep[slot] > 1; slot++'
plant rows-are-covered-exactly core/scan/geo_condition.c \
    'return nextafterf(nextafterf((float)v, to), to);' 'return (float)v;'
plant rows-that-wrap-break-limits core/scan/geo_condition.c \
    '& (low[i] <= high[i]);' ';'
plant limits-that-wrap-are-two core/scan/geo_condition.c \
    '(gap ? a & b : a | b)' '(a | b)'
plant rows-without-a-covering-break-limits core/scan/geo_condition.c \
    'valid_bits(low, w) & valid_bits(high, w));' '~(uint64_t)0);'

by=geo_own
plant xmin-is-ymin core/column/leaf_fill_geo.c \
    'c->last[1] = box.min[PQ_GEO_Y];' 'c->last[1] = box.min[PQ_GEO_X];'
plant the-last-of-a-page-has-no-box core/column/page_write.c \
    'i < r->n_values; i++) {
        pq_geo_bounds_add' 'i + 1 < r->n_values; i++) {
        pq_geo_bounds_add'
plant the-last-of-a-dictionary-has-no-box core/column/chunk_write.c \
    'w->geo && i < w->dict.n_entries' 'w->geo && i + 1 < w->dict.n_entries'
plant arcs-end-where-they-began core/geo/geo_bounds.c \
    'east = a->arc[to].east > east ? a->arc[to].east : east;' ''
plant the-widest-gap-is-the-first core/geo/geo_bounds.c \
    '            *east = a->arc[i].east;' ''
plant row-groups-have-one-box core/geo/geo_bounds.c \
    'pq_geo_box_join(&b->box, &other->box);' ''
plant ewkb-has-no-z core/geo/wkb_write.c \
    'pq_wkb_put_head(arg, h->kind, h->has_z, h->has_m);' \
    'pq_wkb_put_head(arg, h->kind, false, h->has_m);'
plant z-is-m-in-ewkb core/geo/wkb_read.c \
    'FLAG_Z = 0x8, FLAG_M = 0x4' 'FLAG_Z = 0x4, FLAG_M = 0x8'
plant numbers-stay-swapped core/geo/wkb_write.c \
    '__builtin_bswap64(pq_load_u64(r->p + i * 8))' 'pq_load_u64(r->p + i * 8)'

by=unit:geo_box
plant boxes-of-files-end-at-180 core/geo/geo_box.c \
    'ic = intervals(cover, axis, INFINITY);' 'ic = intervals(cover, axis, 180);'
by=unit:cover_fill
plant coverings-round-to-nearest core/column/leaf_fill_geo.c \
    'f = nextafterf(f, up ? INFINITY : -INFINITY);' ''
by=unit:geo_bounds
plant edges-do-not-rise core/geo/geo_bounds.c \
    'if (t2 > t1 * c && t1 > t2 * c) {' 'if (0) {'
plant rings-contain-no-pole core/geo/geo_bounds.c \
    'if (line.east - line.west >= 180) {' 'if (0) {'
plant circles-of-an-ellipsoid core/geo/geo_bounds.c \
    'd *= b->is_sphere ? 1 : ELLIPSOID;' ''
by=tcl:geo_prune
plant nulls-of-other-rows-count core/scan/row_box.c \
    'b->n_values == n_rows && own->n_values == n_rows &&' ''
plant a-globe-has-two-antimeridians core/scan/row_box.c \
    'if (plain && is_geography) {' 'if (0) {'
plant a-row-ends-at-180 core/scan/geo_condition.c \
    'l.end = is_arc ? 180 : HUGE_VAL;' 'l.end = HUGE_VAL;'
plant edges-of-a-globe-are-straight core/meta/geometry.c \
    'c->algorithm != PQ_GEO_PLANAR) &&' '0) && 0 &&'
by=tcl:geo_write
plant verify-believes-what-wraps core/verify/verify_geo.c \
    '!(v < min && v > max)' 'true'
by=where

# ---- encryption -----------------------------------------------------------------------------

by=tamper:gcm-signed
plant signatures-are-not-compared core/crypto/module.c \
    'return differ ? not_authentic(footer, e) : PQ_OK;' 'return PQ_OK;'
plant signatures-have-15-bytes core/crypto/module.c \
    'differ |= tag[i] ^ signature[PQ_NONCE_BYTES + i];' \
    'differ |= i < 15 ? tag[i] ^ signature[PQ_NONCE_BYTES + i] : 0;'
plant footers-without-encryption-pass core/meta/footer.c \
    'return pq_key_choice_names(m->keys)   ? not_encrypted(e)' 'return 0 ? PQ_OK'
by=tamper:gcm-uniform
plant tags-have-15-bytes core/crypto/aes_key.c \
    'EVP_CTRL_AEAD_SET_TAG, PQ_TAG_BYTES,' 'EVP_CTRL_AEAD_SET_TAG, 15,'
plant a-tag-that-does-not-fit-passes core/crypto/aes_key.c \
    'return EVP_CipherFinal_ex(ctx, rest, &got) == 1 && got == 0' \
    'return EVP_CipherFinal_ex(ctx, rest, &got) < 2'
by=tamper:gcm-own-keys
plant pages-of-gcm-are-opened-by-ctr core/column/chunk_read.c \
    'if (body->packed || body->n_plain == said) {' 'if (1) {'
plant any-prefix-is-the-right-one core/meta/file_locks.c \
    'if (given && !pq_slice_is(aes->aad_prefix, given)) {' 'if (0) {'
plant a-prefix-of-a-file-without-one-passes core/meta/file_locks.c \
    '} else if (given) {' '} else if (0) {'
plant a-prefix-ends-anywhere core/meta/file_locks.c \
    'PQ_TRY(check_unique(aes, e));' ''
plant columns-in-the-clear-pass core/meta/file_locks.c \
    'return !named ? PQ_OK' 'return 1 ? PQ_OK'
plant footers-are-kept-for-all-keys core/meta/footer.c \
    'same = pq_buf_ok(&text) && pq_slice_equal(' 'same = 1 || pq_slice_equal('
plant filters-have-no-lock core/meta/bloom.c \
    '.leaf = leaf, .lock = chunk->lock};' '.leaf = leaf};'
by=tamper:ctr-crc
plant pages-of-ctr-need-no-checksum core/column/page_crc.c \
    'return r->chunk.lock && !r->chunk.lock->ctr &&' 'return r->chunk.lock &&'
by=tamper:gcm-levels-crc
plant levels-need-no-checksum core/column/page_crc.c \
    'r->header.type != PQ_PAGE_DATA_V2;' '1;'

by=where
plant columns-have-the-key-of-the-footer core/meta/file_locks.c \
    'PQ_TRY(find_key(m, named, l->leaf_metadata[leaf], lock, &try_all, e));' \
    'PQ_TRY(find_key(m, named, l->footer_metadata, lock, &try_all, e));'
plant only-the-first-key-is-tried core/meta/file_locks.c \
    'rc = scratch ? pq_module_unseal(&module, sealed, scratch, plain, &used,' \
    'rc = i ? PQ_CORRUPT : scratch ? pq_module_unseal(&module, sealed, scratch, plain, &used,'
plant levels-are-always-sealed core/column/chunk_read.c \
    '? n : 0;' '? 0 : 0;'

by=tcl:encryption_write
plant packed-pages-of-gcm-are-opened-by-ctr core/column/chunk_read.c \
    'if (lock && lock->ctr && r->written_here &&' 'if (0 &&'

by=crypto_own
plant one-key-for-all-files core/crypto/key_wrap.c \
    'return pq_random_fill(out, bytes->n, e);' 'memset(out, 7, bytes->n); (void)e; return PQ_OK;'
plant a-kek-authenticates-nothing core/crypto/key_wrap.c \
    'pq_slice(kek->id, ID_BYTES), key, &text, e' 'pq_slice(kek->id, 0), key, &text, e'
plant files-share-their-unique-bytes core/write/file_seal.c \
    'PQ_TRY(pq_random_fill(s->unique, sizeof s->unique, e));' ''
plant nonces-occur-twice core/crypto/module.c \
    'PQ_TRY(pq_random_fill(nonce, PQ_NONCE_BYTES, e));' 'memset(nonce, 7, PQ_NONCE_BYTES);'
plant ordinals-have-one-byte core/crypto/module.c \
    'to[1] = (uint8_t)(ordinal >> 8);' 'to[1] = 0;'
plant statistics-stay-in-the-clear core/write/file_write.c \
    'c->meta_data.has &= ~tell_tales;' ''
plant metadata-stay-under-the-footers-key core/write/file_write.c \
    'c->has &= ~(is_closed(f) ? 1u << PQ_CHUNK_META_DATA : 0);' ''
plant hidden-prefixes-are-stored core/write/file_write.c \
    'how->hide_aad_prefix ? PQ_AES_SUPPLY_PREFIX' '0 ? PQ_AES_SUPPLY_PREFIX'
plant the-key-geo-tells core/write/file_write.c \
    'if (tells(f, f->geo[i].leaf)) {' 'if (1) {'
plant what-is-not-named-is-clear core/write/file_seal.c \
    '*out = said.clear || how->others_clear ? NULL' '*out = !said.key ? NULL'
plant indexes-are-not-sealed core/write/file_write.c \
    'PQ_GO(w->kind->indexes(' 'm.lock = NULL; PQ_GO(w->kind->indexes('
plant filters-are-not-sealed core/meta/bloom_make.c \
    'm.kind = PQ_MODULE_BLOOM_BITS;' \
    'm = (PqModule){.kind = PQ_MODULE_BLOOM_BITS};'
plant checksums-are-of-plain-bytes core/column/page_write.c \
    'put_checksum(page, *body, h);' \
    'put_checksum(page, page->lock ? pq_buf_view(&ctx->packed) : *body, h);'
plant all-row-groups-are-the-first core/column/chunk_write.c \
    'w->row_group = row_group;' 'w->row_group = 0;'
plant scratch-files-are-plain core/crypto/sealed_scratch.c \
    'pq_sink_turn(*out, (PqSinkTurn){turn, release, key});' 'pq_key_release(key);'
by=where

# ---- the order of files --------------------------------------------------------------------

by=tcl:file_order
plant files-without-folder-come-last ext/table/statement_files.c \
    '(PqCell){.kind = PQ_CELL_NULL}' '(PqCell){.kind = PQ_CELL_BLOB}'
plant files-of-numbers-as-texts ext/table/statement_files.c \
    ': c->hive_type == PQ_HIVE_INTEGER && v' ': c->hidden && v'
plant a-row-of-each-before-conditions ext/plan/order_plan.c \
    'others == 0 && sqlite3_vtab_distinct' 'sqlite3_vtab_distinct'
plant a-row-of-each-run core/scan/file_order.c \
    '!(o->once && compare_files' '!(0 && compare_files'
plant rowids-do-not-end-it core/scan/file_order.c \
    'pq_scan_keep(base->scan, base->batch->kept, o->n_kept);' ''
by=tcl:group_sorted
plant first-rows-come-twice core/top/top_rounds.c \
    '(uint32_t)t->passed : b->n_kept;' '0 : b->n_kept;'
plant all-rows-in-no-order ext/cursor/cursor_rows.c 'spec.ordered = true;' ';'
by=tcl:order
plant a-bound-has-the-sign-of-a-zero core/top/top_rounds.c \
    'best->best.r == 0)' 'false)'
plant a-loose-bound-is-the-greatest core/top/top_sections.c \
    '(c->desc ? b->bounds.max_exact : b->bounds.min_exact)' 'true'
by=tcl:order_bounds
plant all-that-is-left-out-is-null ext/cursor/cursor_rows.c \
    'spec->filtered |= !is_all;' ''
plant no-nulls-beside-nulls ext/cursor/cursor_rows.c \
    'spec->no_nulls |= no_nulls || is_all;' 'spec->no_nulls = true;'
plant what-follows-a-bound-has-other-rowids core/top/top_rounds.c \
    'return t->all ? t->all->rowid' 'return 0 ? t->all->rowid'
by=tcl:order_bounds
plant numbers-of-rows-are-of-files core/files/table.h \
    'c->kind == PQ_COLUMN_FILE_INDEX;' \
    'c->kind == PQ_COLUMN_FILE_INDEX || c->kind == PQ_COLUMN_FILE_ROW;'
by=where
plant files-come-as-they-lie core/scan/file_order.c \
    '    return order ? order : (x->file > y->file)' \
    '    return 0 ? order : (x->file > y->file)'

# ---- OR -------------------------------------------------------------------------------------

# The sides of an OR go down one by one; SQLite knows by the rowid what it has had.
by=tcl:or
plant rows-of-other-files-were-had core/scan/unnest.c \
    '*out = pq_batch_rowid(&s->batch, row);' \
    '*out = pq_batch_rowid(&s->batch, row) & 0xffffff;'
plant a-side-is-its-key ext/cursor/cursor_join.c \
    'j->alone = c->s.plan->n_terms == 1;' 'j->alone = true;'
by=where

# ---- groups by hashes ----------------------------------------------------------------------

by=tcl:group
plant one-row-of-a-group-is-all core/group/group_passes.c \
    'p->again = p->spec.once;' ''
plant a-pass-has-the-sign-of-one-zero core/group/group_passes.c \
    'v->kind == PQ_CELL_INT && v->i == 0);' '0);'
by=unit:wanted
plant a-sieve-has-no-last-value core/scan/wanted.c \
    '        put_in_sieve(w, hash_of_word((uint64_t)s.last));' ''
plant a-sieve-of-some-texts core/scan/wanted.c \
    'put_in_sieve(w, hash_of_bytes(w->byte_spans[i].from));' \
    'put_in_sieve(w, hash_of_bytes(w->byte_spans[i / 2].from));'
plant a-sieve-of-signed-numbers core/scan/wanted.c \
    'SIFT(uint32_t)' 'SIFT(int32_t)'
by=tcl:group_hash
plant zeros-have-two-hashes core/numbering/hash.h \
    'if (r == 0) {' 'if (0) {'
plant groups-forget-nulls core/group/group_fill.c \
    '|| s->vector->valid) {' ') {'
plant gathered-nulls-are-values core/group/group_gather.c \
    'c->nulls = true;' ''
plant halves-lose-digits core/group/group_gather.c \
    'differ |= whole_of(half, real) ^ bits;' ''
plant a-pass-that-begins-again-goes-on core/group/group_passes.c \
    'p->end = p->at + pq' 'p->end += pq'
plant gathered-rows-come-from-the-first core/group/group_gather.c \
    'give_column(g, &g->columns[i], g->first[code] + from, n);' \
    'give_column(g, &g->columns[i], g->first[code], n);'
plant gathered-rows-have-other-rowids core/group/group_notes.c \
    'g->n_here = pq_kernels()->list_bits(bits, (note->n_rows + 63) / 64, g->here);' \
    'g->n_here = pq_kernels()->list_bits(bits, (note->n_rows + 63) / 64, g->here);
    g->here[0] = 0;'
plant groups-of-files-that-differ core/group/group_read.c \
    'pq_type_equal(&slot->type, &node->type)' '1'
plant groups-come-in-any-order ext/cursor/cursor_rows.c \
    'return wants || (!pqext_order_is_said() &&' \
    'return 0 && (!pqext_order_is_said() &&'
plant grouped-rows-of-another-file ext/cursor/cursor_scan.c \
    'n = pq_batch_rowid(pq_scan_batch(s->scan), row) >> PQ_ROWID_SHIFT;' \
    'n = pq_scan_batch(s->scan)->file;'
by=unit:grouping
plant keys-with-one-hash-are-one core/numbering/number_table.c \
    'p->mark == mark && keys->same(keys->arg, p->number - 1, i)' \
    'p->mark == mark'
by=where

# ---- outer joins ----------------------------------------------------------------------------

# SQLite before 3.51.0 always tests <> and functions again (outer_join.c).  For 3.51.0:
# bash test/interop/newest.sh, and LD_LIBRARY_PATH.
if $python -c 'import sqlite3, sys
sys.exit(sqlite3.sqlite_version_info < (3, 51, 0))'; then
    plant null-is-not-equal ext/condition/sqlite_condition.c \
        'return c->op == PQEXT_IS_NULL || c->op == PQEXT_IS_NOT;' \
        'return c->op == PQEXT_IS_NULL || c->op == PQEXT_IS_NOT || c->op == PQEXT_NE;'
    by=geometries
    plant a-point-contains-its-box core/scan/geo_condition.c \
        'return c->relation != PQ_GEO_CONTAINS &&' 'return'
    plant nulls-are-geometries core/scan/geo_condition.c \
        '        keep[w] &= valid_bits(v, w);' ''
    plant lists-do-not-wrap core/scan/geo_condition.c \
        'if (may_wrap(&box)) {' 'if (0) {'
    by=where
fi

# ---- few rows of a batch ------------------------------------------------------------

by=unit:dict_part
plant the-last-entry-is-missing core/column/leaf_values.c \
    'return pq_leaf_dict_upto(r, most + 1, e);' \
    'return pq_leaf_dict_upto(r, most, e);'
plant texts-of-a-part-have-no-end core/column/leaf_values.c \
    '? copy_texts(r, at, n, e) : PQ_OK;' '? PQ_OK : PQ_OK;'
plant a-part-is-given-out core/column/leaf_dict.c \
    '        PQ_TRY(pq_leaf_dict_all(r, e));' ''
plant ids-into-a-part core/column/leaf_values.c \
    '    if (!r->few) {
        return pq_leaf_dict_all(r, e);' '    if (!r->few) {
        return PQ_OK;'
plant texts-of-the-whole-have-no-end core/column/leaf_dict.c \
    '        end_texts(r);' ''
by=tcl:prune
plant pages-of-a-batch-are-given-back core/column/leaf_read.c \
    '    if (r->n_packed > 0) {
        keep_page(r);' '    if (false) {
        keep_page(r);'
by=where
plant the-next-bit-is-one-too-far core/base/bits.h \
    'for (i = (i | 63) + 1; i < n' 'for (i = (i | 63) + 2; i < n'
plant times-are-moved-the-wrong-way core/text/time_parse.c \
    '*seconds = days * DAY_SECONDS + clock.seconds - clock.zone;' \
    '*seconds = days * DAY_SECONDS + clock.seconds + clock.zone;'

by=grown
plant a-made-leaf-is-in-every-row core/column/made_leaf.c \
    'm->def[n] = def < made->present ? def : made->level;' 'm->def[n] = made->level;'
plant inner-lists-of-a-guide-count core/column/made_leaf.c \
    'if (rep <= made->rep) {' 'if (true) {'
plant a-first-value-is-the-least-in-no-row core/meta/stats.c \
    'b.n_nulls = everywhere ? 0 : -1;' 'b.n_nulls = 0;'
plant null-fields-have-no-nulls core/meta/stats.c \
    '.n_nulls = n_values};' '.n_nulls = 0};'
plant fields-keep-their-places core/meta/footer.c \
    'l->column = in_file ? in_file->column : UINT32_MAX;' 'l->column = i;'
plant names-of-old-rows-are-new sql/ducklake/ducklake_rows.c \
    'c.version = at;' '(void)at;'
by=ducklakes
plant bounds-in-a-catalog-are-those-of-another-column sql/ducklake/ducklake_files.c \
    'pq_file_bounds_of(f->v, &f->n_bounds, (uint32_t)leaf->leaf) : NULL;' \
    'pq_file_bounds_of(f->v, &f->n_bounds, 0) : NULL;'
by=tcl:lakes
plant a-log-below-is-not-seen core/files/glob_walk.c \
    'w->marked = w->marked || pq_lake_mark(entry->d_name);' ''
plant a-log-above-is-not-seen core/base/lake_tables.c \
    'if (!beside) {' 'if (0) {'
by=lake_writes
plant merged-rows-forget-their-version sql/rewrite/lake_compact.c \
    '"iif(f.keeps, x." PQSQL_LAKE_SNAPSHOT_ID ", %lld)"' '"iif(0, x." PQSQL_LAKE_SNAPSHOT_ID ", %lld)"'
plant merged-rows-get-other-ids sql/rewrite/lake_compact.c \
    'version), "x." PQSQL_LAKE_ROW_ID,' 'version), "x.file_row_number",'
plant deletes-of-before-are-forgotten sql/rewrite/lake_delete.c 'if (f->deletes) {' 'if (0) {'
plant a-file-with-deletes-leaves sql/rewrite/lake_compact.c \
    'return !f->ever_deleted && f->begin >= c->changed;' 'return f->begin >= c->changed;'
by=unit:schema_names
plant namesakes-change-places core/files/table_map.c \
    '!there->shares_name && !c->node->shares_name &&' ''
by=unit:listing
plant folders-of-columns-are-hidden core/base/folder.c \
    "&& !strchr(name, '='));" ');'
by=unit:path_list
plant folders-of-a-list-count-from-its-elements core/files/listing.c \
    'o->common = common_folders(&paths);' 'o->common = SIZE_MAX;'
plant a-list-has-a-file-twice core/files/listing.c \
    'if (repeat) {' 'if (0) {'
by=tcl:lists
plant a-list-is-sorted core/files/listing.c \
    'if (paths.n > 1) {' 'qsort(l->files, l->n_files, sizeof *l->files, compare_paths); if (paths.n > 1) {'
by=tcl:iceberg_lineage
plant ids-begin-again-in-each-row-group core/column/made_leaf.c \
    'put_own(m, &v, first + row, n)' 'put_own(m, &v, row, n)'
plant stored-ids-are-forgotten core/column/made_leaf.c \
    'm->own[i] = v && pq_vector_is_valid(v, i)' 'm->own[i] = false && pq_vector_is_valid(v, i)'
plant bounds-of-stored-ids-are-of-all core/lake/snapshot.c \
    '            !pq_lake_is_lineage(leaf)) {' '            true) {'
by=where

# SQLite from 3.51.0 on does not need what these faults remove.
if $python -c 'import sqlite3, sys
sys.exit(sqlite3.sqlite_version_info >= (3, 51, 0))'; then
    plant outer-joins-are-like-others ext/plan/outer_join.c \
        'return sqlite3_libversion_number() < FIXED_IN;' 'return false;'
    plant outer-joins-beside-omission ext/plan/plan.c \
        '(pqext_outer_offers(term.op) && !pqext_is_all_of_from(info)) ||' ''
    by=geometries
    plant outer-joins-of-geometries ext/plan/outer_join.c \
        'case PQEXT_GEO_INTERSECTS:' ''
    by=joins
    plant outer-joins-of-views sql/statement_text.c \
        "\"'view', 'trigger'\"" "\"'trigger'\""
    by=where
fi

# From 3.52.0 on it says itself whether groups have to be in order.
if $python -c 'import sqlite3, sys
sys.exit(sqlite3.sqlite_version_info >= (3, 52, 0))'; then
    by=rollups
    plant an-order-mark-is-a-letter sql/token.c 'if (is_order_mark(z)) {' 'if (0) {'
    by=tcl:rollup
    plant a-parameter-takes-the-next-word sql/token.c \
        'while (is_digit(*z)) {' 'while (pq_ascii_in_name(*z)) {'
    plant a-compound-has-the-order-of-its-text sql/order_text.c \
        'return orders && compound;' 'return false;'
    by=where
fi

by=tcl:world
plant all-counts-of-nulls-are-believed core/meta/order.c \
    'return is_doubtful(f, leaf, f->nulls_doubts);' \
    'return false;'
plant no-column-was-a-dictionary core/meta/arrow_schema.c \
    'offset_field(s, field, FIELD_DICTIONARY, &at)) {' 'false) {'
by=unit:chunk_end
plant the-next-column-is-read core/column/chunk_read.c \
    'return !r->by_index && r->at >= r->end &&' \
    'return false && r->at >= r->end &&'
by=unit:leaf_repeat
plant an-index-may-count-values core/column/leaf_repeat.c \
    'return rows == said' 'return rows >= 0'
by=unit:cell
plant classes-of-cells-are-turned-around core/numbering/cell.c \
    'return a->kind < b->kind ? -1 : a->kind > b->kind;' \
    'return a->kind > b->kind ? -1 : a->kind < b->kind;'
plant an-integer-is-equal-to-what-is-cut-to-it core/numbering/cell.c \
    'return r > (double)whole ? -1 : r < (double)whole;' 'return 0;'
by=tcl:files
plant one-text-makes-all-folders-texts ext/table/statement_files.c \
    'return is_folder                       ? pqext_folder_value(c, v)' \
    'return v && v->text && l->list.folder_types[k] != c->hive_type \
         ? pq_cell_text(pq_slice_text(v->text)) : is_folder ? pqext_folder_value(c, v)'
plant an-integer-has-any-spelling core/files/hive.c \
    '    return s.n == n && memcmp(s.p, text, n) == 0;' '    return n > 0;'
by=unit:variant
plant digits-that-a-scale-lacks-are-cut core/nested/typed_value_takes.c \
    'if (p % 10 != 0) {' 'if (0) {'
plant decimals-beyond-their-precision core/nested/typed_value_takes.c \
    'return p < t->below && p > -t->below;' 'return true;'
by=tcl:variant_write
plant digits-that-a-double-lacks-are-lost core/nested/typed_value_takes.c \
    'return p <= most && p >= -most;' 'return true;'
by=where

# ---- conditions of C programs ------------------------------------------------------------

by=unit:face
plant one-zero-of-two core/face/face_where.c \
    '(place == 0 || place == -1)' 'place == 0'
plant at-most-is-less core/face/face_where.c \
    'op == PARQUET_LE ? pq_bytes_after(v) : v' 'v'
plant more-includes-the-value core/face/face_where.c \
    'op == PARQUET_GE ? v : pq_bytes_after(v)' 'v'
plant spans-are-of-any-type core/face/face_where.c \
    '*out = pq_type_equal(type, &term->s->t->of[term->column].type)' \
    '*out = pq_type_equal(type, &term->s->t->of[term->column].type) || pq_type_is_float(type)'
plant no-folder-is-null core/face/face_where.c \
    'uint64_t one = 1, passes = term->wanted.nulls;' 'uint64_t one = 1, passes = 0;'
plant nan-passes-what-it-is-not core/face/face_where.c \
    'w->nans = op == PARQUET_NOT_NULL &&' \
    'w->nans = (op == PARQUET_NOT_NULL || op == PARQUET_NE) &&'
plant a-dictionary-is-the-values core/face/face_vector.c \
    'v->out.ids = from->dict ? from->ids : NULL;' 'v->out.ids = NULL;'
by=where

. test/oracle/planted_shapes.sh
. test/oracle/planted_remote.sh

echo
echo "planted: $caught caught, ${#missed[@]} not, ${#ended[@]} crashed or timed out," \
    "${#broken[@]} could not be planted"
[ ${#missed[@]} -eq 0 ] && [ ${#broken[@]} -eq 0 ] && [ ${#ended[@]} -eq 0 ] &&
    [ $caught -gt 0 ]
