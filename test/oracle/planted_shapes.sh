# planted_shapes.sh - faults of tables shaped by the engine: rollup, unnest and
# parquet_summary.  A part of planted.sh, which has plant and says what by= means.

# ---- groups are added up ------------------------------------------------------------------

by=tcl:rollup_corners
plant entries-that-are-nan-are-added ext/rollup/measure_numbers.c \
    'if (is_real(way) && has_nan(c->entries, d->n)) {' 'if (0) {'
plant nan-is-an-integer-to-sum ext/rollup/measure_numbers.c \
    'if (found != AN_INT) {' 'if (found == A_REAL) {'
plant sums-that-do-not-fit-wrap core/rollup/rollup_sum.c \
    'if (p.ints != (int64_t)p.ints) {' 'if (0) {'
by=unit:rollup_sum
plant decimals-of-two-scales-are-one core/rollup/rollup_sum.c \
    'return scale > s->scale ? rescale(s, scale, e) : PQ_OK;' 'return PQ_OK;'
plant a-smaller-scale-is-the-same core/rollup/rollup_sum.c \
    'if (pq_rollup_scale_up(&scaled, s->scale - scale)) {' 'if (1) {'
plant decimals-wrap core/rollup/rollup_sum.c \
    'if (PQ_LIKELY(!__builtin_add_overflow(part->wides[g], v, &sum))) {' \
    'if (__builtin_add_overflow(part->wides[g], v, &sum) || true) {'
plant what-rounding-lost-stays-lost core/rollup/rollup_sum_inside.h \
    '    to->lost += (s - (t - b)) + (v - b);' ''
plant integers-beside-reals-are-lost core/rollup/rollup_sum.c \
    '    pq_sum_real(to, near);' ''
by=tcl:rollup_corners
plant digits-of-integers-beside-reals-are-lost core/rollup/rollup_sum.c \
    '    pq_sum_real(to, (double)(ints - (__int128)near));' ''
by=rollups
plant nulls-are-counted core/rollup/rollup_state.c \
    'pq_rollup_count_rows(s, &some);' 'pq_rollup_count_rows(s, work);'
plant nulls-are-added core/rollup/rollup_state.c \
    'if (pq_rollup_valid_of(in)) {' \
    'if (s->op == PQ_ROLLUP_COUNT && pq_rollup_valid_of(in)) {'
by=tcl:rollup_corners
plant overflowing-rows-are-left-out core/rollup/rollup_state.c \
    'PQ_TRY(add_items(s, &in->numbers, &some, e));' ''
by=rollups
plant the-largest-is-the-last core/rollup/rollup_best.c \
    'if (best->kind == PQ_CELL_NULL || x better best->member) {' \
    'if (best->kind == PQ_CELL_NULL || x better best->member || s->op == PQ_ROLLUP_MAX) {'
plant the-largest-becomes-shorter core/rollup/rollup_best.c \
    '    to->n = from->n;' '    to->n = to->n > from->n ? to->n : from->n;'
by=unit:rollup_best
plant large-integers-compare-as-reals core/rollup/rollup_best.c \
    'return pq_cell_compare(&v->cell, &s->cells[g]);' \
    '{ double x = pq_cell_double(&v->cell), y = pq_cell_double(&s->cells[g]);
          return (x > y) - (x < y); }'
plant the-last-of-equal-values-stays core/rollup/rollup_best.c \
    'order >= 0 : order <= 0) {' 'order > 0 : order < 0) {'
by=unit:numbers
plant products-wrap core/rollup/numbers.c \
    '!add_up(op, integers_of(a), integers_of(b), to, run->n, &bound)) {' \
    '(add_up(op, integers_of(a), integers_of(b), to, run->n, &bound), false)) {'
plant bounds-are-without-the-largest core/rollup/numbers.c \
    'return over || bound > INT64_MAX ? 0 : bound;' 'return over ? 0 : bound;'
plant negative-values-have-no-bound core/rollup/numbers.c \
    'all |= v[i] < 0 ? ~v[i] : v[i];' 'all |= v[i] & INT64_MAX & ~(v[i] >> 63);'
plant by-zero-is-zero core/rollup/numbers.c \
    'out->is_null = b == 0;' 'out->is_null = 0 * b;'
plant products-have-the-larger-scale core/rollup/numbers.c \
    'product ? sa + sb : sa > sb ? sa : sb;' 'sa > sb ? sa : sb;'
plant infinity-less-infinity-is-zero core/rollup/numbers.c \
    '} else if (!v->valid || pq_bit(v->valid, i)) {' \
    '}
        if (!v->valid || pq_bit(v->valid, i)) {'

by=unit:rollup_sum
plant carrying-loses-the-low-part core/rollup/rollup_sum.c \
    'add_wide(s, part, g, (__int128)low + v);' 'add_wide(s, part, g, v);'
plant low-parts-keep-their-scale core/rollup/rollup_sum.c \
    'if (!__builtin_add_overflow(d->wides[g], d->words[g], &v) &&' \
    'if (!__builtin_add_overflow(d->wides[g], 0, &v) &&'
plant parts-are-without-the-wide-one core/rollup/rollup_sum.c \
    '__int128 wide = part->wides ? part->wides[g] : 0;' '__int128 wide = 0;'
plant sums-of-rows-wrap core/rollup/rollup_sum_rows.c \
    'if (PQ_UNLIKELY(__builtin_add_overflow(words[g], x, &sum))) {' \
    'if (__builtin_add_overflow(words[g], x, &sum) && false) {'
by=unit:rollup_lines
plant lines-are-never-full core/rollup/rollup_lines.c \
    'bound * n_rows > most_sum - l->bound ||' ''
plant lines-count-anew core/rollup/rollup_lines.c \
    'l->counter->counts[g] += line[0];' 'l->counter->counts[g] = line[0];'
plant rows-are-counted-twice core/rollup/rollup.c \
    'if (!done && sums->counter) {' 'if (sums->counter) {'
plant lines-take-large-values core/rollup/rollup_lines.c \
    'bound > most_value ||' 'bound > (uint64_t)1 << 62 ||'
plant lines-keep-their-scale core/rollup/rollup_lines.c \
    ' &&
               l->items[k].scale == v->scale;' ';'
plant lines-that-grow-forget-their-sums core/rollup/rollup_lines.c \
    'memset(l->words + (size_t)l->n * WIDTH, 0, (size_t)(n - l->n) * LINE);' \
    'memset(l->words, 0, (size_t)n * LINE);'
plant lines-of-a-lane-are-lost core/rollup/rollup_merge.c \
    '    PQ_TRY(pq_rollup_set_settle(&from->set, e));' ''
plant sums-side-by-side-take-rows-by-position core/rollup/rollup_lines.c \
    'uint32_t row = rows ? rows[i] : i;' 'uint32_t row = i;'
plant lines-stay-in-memory core/rollup/rollup_spill.c \
    '    PQ_TRY(pq_rollup_set_settle(&r->set, e));' ''
by=rollups
plant a-kept-row-is-added-by-its-position core/rollup/rollup_sum_rows.c \
    'EACH_OF(type, rows[i], body)' 'EACH_OF(type, i, body)'
plant the-second-sum-has-the-values-of-the-first core/rollup/rollup_lines.c \
    'pairs[0] += (Two){1, a[row]};' 'pairs[0] += (Two){1, b[row]};'
plant all-rows-have-one-entry core/rollup/numbers.c \
    'to[i] = from[v->ids[i]];' 'to[i] = from[v->ids[0]];'
plant all-groups-are-flagged-by-some core/rollup/rollup_sum_rows.c \
    's->n_flagged < s->n && s->flags[s->n_flagged] != 0' 's->n_flagged < s->n'
by=unit:rollup_by_id
plant ids-are-those-of-another-dictionary core/numbering/memo.h \
    'm->serial == serial && serial != 0' 'serial != 0'
plant a-kept-row-has-the-id-of-its-position core/rollup/rollup_sum_rows.c \
    'gather(f->ids, rows, rows, f->w.n, v, &lines);' \
    'gather(f->ids, NULL, rows, f->w.n, v, &lines);'
plant a-kept-row-is-counted-by-its-position core/rollup/rollup_by_id.c \
    'n[ids[rows[i]]]++;' 'n[ids[i]]++;'
plant every-other-real-is-left-out core/rollup/rollup_sum_rows.c \
    '    pq_sum_both(&sum, (PqRollupReal){b[0], b[1]});' '    (void)b;'
plant the-right-lines-lose-what-rounding-does core/rollup/rollup_sum_rows.c \
    '(PqRollupReal){b[0], b[1]}' '(PqRollupReal){b[0], 0}'
plant halves-may-overflow core/rollup/rollup_sum_rows.c \
    'finite = finite && isfinite(sum_of(&lines, i).sum);' ''
plant nulls-are-added-by-id core/rollup/rollup_by_id.c '!in->numbers.valid &&' ''
plant nulls-are-counted-by-id core/rollup/rollup_by_id.c \
    ' && !pq_rollup_valid_of(in)' ''
by=unit:leaf_read
plant values-that-were-lent-are-left-in-their-page core/column/leaf_values.c \
    'memcpy(r->space.values, r->lent, r->n_packed * r->width);' ''
plant values-that-are-not-aligned-are-lent core/encoding/plain_decode.c \
    '(uintptr_t)values % alignment != 0' 'false'
by=rollups
plant entries-that-give-null-are-numbers core/rollup/numbers.c \
    '*done = !out->valid && !out->reals' '*done = !out->reals'
by=unit:numbers
plant an-operand-has-the-ids-of-the-other core/rollup/numbers.c \
    'EACH_PAIR(type, av[a.ids[i]], bv[i], body)' \
    'EACH_PAIR(type, av[a.ids[i]], bv[a.ids[i]], body)'
plant the-other-side-is-scaled core/rollup/numbers.c \
    'times(&b, times_b, b.is_constant' 'times(&b, times_a, b.is_constant'

# ---- rows find their groups ---------------------------------------------------------------

by=rollups
plant a-dictionary-is-that-before core/numbering/memo.h \
    'm->serial == serial && serial != 0 &&' 'serial != 0 &&'
plant entries-are-known-by-half-of-their-bits core/rollup/rollup_register.c \
    ': OF_INT(((const int64_t *)v->values)[id]);' \
    ': OF_INT(((const int32_t *)v->values)[id]);'
by=tcl:rollup_corners
plant a-window-that-grows-downwards-stays-in-place core/numbering/int_numbers.c \
    'memcpy(window + shift + i, m->window' 'memcpy(window + i, m->window'
by=rollups
plant nulls-are-the-first-value core/rollup/rollup_register.c \
    '        codes[i] = null;' '        codes[i] = 0 * null;'
plant a-grid-that-grows-forgets-its-tuples core/rollup/rollup_tuple.c \
    'grid[place_of(t, t->codes + (size_t)i * t->n_keys)] = i + 1;' ''
plant an-integer-is-new-twice-in-a-batch core/rollup/rollup_register.c \
    'codes[i] = pq_int_numbers_get(numbers, (int64_t)words[i]);' ''
by=rollup_ids
plant dictionaries-are-those-before core/rollup/rollup_ids.c \
    '        d->filled = false;
        return PQ_OK;' '        return PQ_OK;'
plant nulls-come-by-ids core/rollup/rollup_ids.c \
    ' || b->keys[k].valid ||' ' ||'
plant a-place-is-filled-under-the-first-key core/rollup/rollup_ids.c \
    'fill_from(p, k + 1, of_tuple << bits | code, groups);' \
    'fill_from(p, k + 1, code, groups);'
by=rollups

# ---- groups leave memory --------------------------------------------------------------------

plant the-last-groups-stay-in-memory core/rollup/rollup.c \
    'PQ_TRY(pq_rollup_spill(r, r->set.n, e));
    }
    r->finished' '
    }
    r->finished'
plant counts-do-not-come-back core/rollup/rollup_record.c \
    's->counts[g] += c->out ? 0 : count;' 's->counts[g] = count;'
plant the-largest-does-not-come-back core/rollup/rollup_record.c \
    'return c->out ? PQ_OK : pq_rollup_best_value(s, g, &best, e);' \
    'return c->out || s->op == PQ_ROLLUP_MAX
               ? PQ_OK : pq_rollup_best_value(s, g, &best, e);'
plant partitions-by-memory core/rollup/rollup_record.c \
    '*hash = pq_hash_mix(*hash, pq_cell_hash(&key, r->seed));' \
    '*hash += g;'
plant a-partition-is-read-twice core/rollup/rollup_spill.c \
    'r->done[r->n_done++] = r->store.parts[--r->store.n_parts];' \
    'r->done[r->n_done++] = r->store.parts[--r->store.n_parts];
    r->store.n_parts += r->n_done == 1;'
by=unit:rollup
plant a-real-and-its-integer-in-two-partitions core/numbering/cell.c \
    'word = pq_real_is_whole(c->r) ?' 'word = 0 ?'
plant rewinding-keeps-the-block core/rollup/rollup_spill.c \
    'while (r->n_done > 0) {' 'while (0) {'
plant the-groups-of-a-lane-in-memory-are-lost core/rollup/rollup_merge.c \
    'rc = r->spilled ? pq_rollup_write_groups(r, from, 0, from->set.n, e)' \
    'rc = r->spilled ? PQ_OK'
by=unit:rollup_merge
plant what-follows-to-the-file-is-lost core/rollup/rollup_merge.c \
    'return pq_rollup_write_groups(r, from, g + n, from->set.n, e);' 'return PQ_OK;'
plant groups-of-a-lane-keep-its-codes core/rollup/rollup_merge.c \
    'PQ_TRY(pq_rollup_register_cell(to, &from->cells[i], &m->codes[k][i], e));' \
    'PQ_TRY(pq_rollup_register_cell(to, &from->cells[i], &m->codes[k][i], e)); m->codes[k][i] = i;'
plant merging-forgets-the-largest core/rollup/rollup_merge.c \
    'return add_states(m, first, n, true, e);' 'return PQ_OK;'
plant merged-words-are-of-the-first-groups core/rollup/rollup_sum.c \
    'add_exact(s, part, g, from->words[other], e)' \
    'add_exact(s, part, g, from->words[i], e)'
plant what-the-allocator-refused-is-lost core/rollup/rollup_merge.c \
    'return pq_rollup_write_groups(r, from, g, from->set.n, e);' 'return PQ_OK;'
plant merged-counts-are-of-the-first-groups core/rollup/rollup_state.c \
    'from->counts[groups->first + i];' 'from->counts[i];'
by=tcl:rollup_corners
plant spilled-groups-are-in-the-clear core/rollup/rollup_spill.c \
    'r->store.sealed = r->spec.sealed;' ''
plant groups-of-secrets-are-in-the-clear ext/rollup/rollup_run.c \
    '.sealed = is_secret(r),' '.sealed = false,'

# ---- a rollup is planned ----------------------------------------------------------------------

plant columns-from-the-63rd-are-not-mentioned ext/rollup/rollup_table.h \
    'return used >> (column < 63 ? column : 63) & 1;' \
    'return column < 63 && (used >> column & 1);'
by=rollups
plant footers-count-nulls ext/rollup/rollup_footers.c \
    'b.n_nulls : rows - b.n_nulls;' 'b.n_nulls : rows;'
by=tcl:rollup_corners
plant footers-of-elements ext/rollup/rollup_footers.c \
    ' ||
        source->options.unnest) {' ') {'
by=rollups
plant an-order-of-some-dimensions-is-enough ext/rollup/rollup_cursor.c \
    'return left != 0;' 'return false;'
by=tcl:rollup_corners
plant utf16-is-sorted-by-utf8 ext/rollup/rollup_plan.c \
    'return !a->t->utf16 && (of_dimensions' 'return (of_dimensions'
by=rollups
plant an-order-that-is-not-made ext/rollup/rollup_cursor.c \
    'run->sorted = p->sort == PQEXT_SORTED ||' 'run->sorted ='
by=tcl:rollup
plant an-order-by-a-measure-is-by-a-key ext/rollup/rollup_cursor.c \
    'return r->n_dimensions + i;' 'return i;'
by=tcl:rollup_order
plant groups-of-a-file-are-in-any-order ext/rollup/rollup_run.c \
    '        out->n_by = r->n_by;' ''
plant the-groups-of-a-block-are-in-any-order ext/rollup/rollup_cursor.c \
    'return r->run.n_by > 0 ? line_up(r, &r->list, r->n, e) : PQ_OK;' 'return PQ_OK;'
plant a-piece-of-a-list-is-left-out ext/rollup/rollup_cursor.c \
    'b->kept = r->list + r->given;' 'b->kept = r->list;'
by=rollups
plant sets-of-any-columns ext/rollup/rollup_made.c \
    '    pq_buf_add(out, &p->used, sizeof p->used);' ''
plant sets-of-one-key-are-for-all ext/rollup/rollup_run.c \
    'if (!all || !(is_key ||' 'if (1 || !(is_key ||'
plant an-exact-key-is-not-tested ext/rollup/rollup_made.c \
    'return !a->key.exact ||' 'return true ||'
plant null-keys-find-groups ext/rollup/rollup_made.c \
    '            *none = true;
            return PQ_OK;' '            continue;'
plant all-groups-have-one-rowid ext/rollup/rollup_cursor.c \
    '        pqext_rollup_put_cell(cell, key);
' ''
by=tcl:rollup
plant no-group-of-a-rollup-is-null ext/rollup/rollup_made.c \
    'both_null = a->null && !there;' 'both_null = false;'
plant a-pass-gives-the-last-row-again core/rollup/rollup_order.c \
    'o->looked, 0, last->values, 0) <= 0)' 'o->looked, 0, last->values, 0) < 0)'
plant a-pass-does-not-begin-anew core/rollup/rollup_order.c \
    'PQ_TRY(pq_rollup_rewind(o->spec.groups, e));' ''
plant places-of-values-are-mixed-up core/rollup/rollup_line_up.c \
    '(*out)[sorted[i].number] = i;' '(*out)[i] = sorted[i].number;'
by=unit:rollup.
plant the-first-key-is-last core/rollup/rollup_line_up.c \
    'for (uint32_t k = how->n_by; k-- > 0;) {' 'for (uint32_t k = 0; k < how->n_by; k++) {'
plant descending-groups-ascend core/rollup/rollup_line_up.c \
    'return c->desc ? c->n_values - 1 - place : place;' 'return place;'
plant splits-ascend core/rollup/rollup_ranges.c \
    'g->sample.desc[i] = g->splits.desc[i] = spec->by[i].desc;' \
    'g->sample.desc[i] = spec->by[i].desc;'
plant ranges-are-cut-by-hashes core/rollup/rollup_ranges.c \
    's->parts[g->first + 2 * i + 1].one_key = true;' \
    's->parts[g->first + 2 * i].one_key = true;'
plant ranges-come-backwards core/rollup/rollup_ranges.c \
    'return last - 2 * low;' 'return g->first + 2 * low;'

# ---- dimensions and measures --------------------------------------------------------------------

by=tcl:rollup_corners
plant entries-of-booleans-are-null-as-rows-are ext/rollup/inputs.c \
    'out->ids ? NULL : out->valid;' 'out->valid;'
by=rollups
plant what-is-tested-again-does-not-split ext/rollup/rollup_plan.c \
    'left[k] = (uint8_t)(left[k] + (info->aConstraintUsage[i].omit != 0));' 'left[k]++;'
plant nothing-has-a-row ext/rollup/rollup_split.c \
    'r->of_rows = dimensions_of(r) == 0;' 'r->of_rows = false;'
plant what-is-read-does-not-split ext/rollup/rollup_split.c \
    'if (!(r->plan.used & bit & ~text->read)) {' 'if (!(r->plan.used & bit)) {'
plant equals-of-the-tenth-are-not-wanted ext/rollup/rollup_top.c \
    '(!is_before(t, &t->heap[0], &cell) && equal > 0)) {' '(0 && equal > 0)) {'
plant the-heap-keeps-the-worst ext/rollup/rollup_top.c \
    'return t->run->top.desc ? order > 0 : order < 0;' 'return t->run->top.desc ? order < 0 : order > 0;'
plant what-is-not-less-is-more ext/rollup/dimension_condition.c \
    '{PQEXT_EQ, PQEXT_NE}, {PQEXT_LT, PQEXT_GE}, {PQEXT_GT, PQEXT_LE},' \
    '{PQEXT_EQ, PQEXT_NE}, {PQEXT_LT, PQEXT_GT}, {PQEXT_GE, PQEXT_LE},'
plant all-numbers-are-true-or-false ext/rollup/dimension_condition.c \
    'return d == 0 || d == 1;' 'return true;'
plant what-is-not-is ext/rollup/rollup_run.c \
    'bool is_true = r->is_true >> i & 1;' 'bool is_true = true;'
plant each-value-passes-as-the-first core/rollup/key_test.c \
    't->passes[t->n] = t->holds(t->of, &t->values.cells[t->n]);' \
    't->passes[t->n] = t->n > 0 ? t->passes[0] : t->holds(t->of, &t->values.cells[0]);'
plant the-last-term-is-all ext/rollup/dimension_test.c \
    'term->next = test->terms;' 'term->next = NULL;'
plant texts-are-false ext/rollup/dimension_test.c \
    'return v->kind == PQ_CELL_TEXT || v->kind == PQ_CELL_BLOB ||' 'return'
by=tcl:rollup_split
plant operands-have-no-affinity ext/rollup/rollup_run.c \
    'bool literal = t->exact || (r->tested >> t->dimension & 1);' 'bool literal = true;'
plant a-text-is-never-a-number ext/rollup/dimension_test.c \
    '(type == SQLITE_BLOB || (type == SQLITE_TEXT && !source->utf16)));' 'type != SQLITE_NULL);'
plant a-file-has-no-value core/rollup/key_test.c \
    'if (!t->passes[code]) {' 'if (t->passes[code]) {'
plant null-is-never-asked-for ext/rollup/rollup_plan.c \
    'return op != PQEXT_IN && op != PQEXT_IS_NULL && op != PQEXT_NOT_NULL &&' 'return op != PQEXT_IN &&'
plant a-key-of-an-on-chooses-groups ext/rollup/rollup_made.c \
    'if (pqext_scan_believes(&r->source, key.op, key.exact)) {' 'if (true) {'
plant null-is-not-what-is-not ext/rollup/rollup_made.c \
    'return a->key.op == PQEXT_IS_NOT ? !both_null : both_null;' 'return both_null;'
plant a-pattern-is-all-of-a-test ext/rollup/rollup_run.c \
    '!pqext_is_pattern(d->dimensions[t->dimension].test)' 'true'
plant texts-of-utf-16-are-in-order ext/rollup/dimension_test.c \
    '(is_compared(op) && sqlite3_value_type(v) != SQLITE_TEXT);' 'true;'
plant equals-of-the-last-are-too-few ext/rollup/rollup_top.c \
    'n += !is_before(t, &t->heap[i], &t->heap[0]);' 'n += i > 0 && !is_before(t, &t->heap[i], &t->heap[0]);'
plant the-first-operand-passes ext/rollup/rollup_split.c \
    '*is = passes_all(tests, n, &r->passes[dimension]);' '*is = true;'
plant no-value-is-not-null ext/rollup/rollup_split.c \
    'op == PQEXT_NOT_NULL ? PQEXT_NE : op;' 'op;'
plant numbers-are-compared-as-texts ext/rollup/rollup_split.c \
    'return type == SQLITE_TEXT;' 'return type != SQLITE_NULL;'
plant each-group-is-a-row ext/rollup/rollup_split.c \
    'r->top.parts = others != 0 || text->top_of > PQSQL_TOP_MEASURE;' 'r->top.parts = false;'
plant groups-of-others-are-values ext/rollup/rollup_split.c \
    'others == (uint64_t)1 << text->top_column);' 'others != 0);'
plant reals-are-not-added ext/rollup/rollup_top.c \
    '} else {
        t->unknown = true;' '} else {'
plant sums-of-several-groups-wrap ext/rollup/rollup_top.c \
    'if (size > (uint64_t)INT64_MAX - t->bound) {' 'if (0) {'
plant no-row-of-null-is-any-row ext/rollup/rollup_narrow.c \
    'if (v.kind == PQ_CELL_NULL) {
            return PQ_OK;' 'if (v.kind == PQ_CELL_NULL) {
            continue;'
plant any-groups-are-those-that-spilled ext/rollup/rollup_run.c \
    '*failed = r->narrowed && !pq_rollup_is_whole(r->groups, &n);' '*failed = false;'
plant what-is-false-is-known-as-true ext/rollup/rollup_split.c \
    'r->passes[i] = pq_cell_int(is_true);' 'r->passes[i] = pq_cell_int(1);'
plant nulls-are-counted-for-the-order ext/rollup/rollup_top.c \
    'bool all = t->run->top.of == PQSQL_TOP_GROUPS;' 'bool all = true;'
plant the-least-of-several-is-the-last ext/rollup/rollup_top.c \
    '(op == PQ_ROLLUP_MAX ? order > 0 : order < 0) ? *cell : *to;' 'order != 0 ? *cell : *to;'
plant rows-have-the-groups-of-their-first-key core/rollup/rollup_wholes.c \
    'if (n_keys == 1) {' 'if (n_keys > 0) {'
by=rollups
plant entries-have-the-code-of-the-first core/rollup/rollup_register.c \
    'codes[at[k]] = entries[l->v->ids[row_of(l, at[k])]] = found[k];' \
    'codes[at[k]] = found[k]; entries[l->v->ids[row_of(l, at[k])]] = found[0];'
by=tcl:rollup_text
plant lengths-in-bytes ext/rollup/measure_values.c \
    'to[i] = pqext_text_length(pq_cell_slice(&v));' 'to[i] = v.n;'
by=unit:numbering
plant new-words-have-one-number core/numbering/word_numbers.c \
    'first + n_fresh + 1};' 'first + 1};'
plant the-least-of-many-is-not-noticed core/numbering/int_numbers.c \
    'm->least = v < m->least ? v : m->least;
        m->most = v' 'm->most = v'
by=unit:rollup_tuple
plant words-have-room-for-any-code core/rollup/rollup_tuple.c \
    'if (keys[k].most > (uint64_t)1 << t->bits[k]) {
            return false;' 'if (0) {
            return false;'
plant groups-become-words-with-one-number core/rollup/rollup_tuple.c \
    'pq_word_numbers_add(&t->words, word, i, e)' 'pq_word_numbers_add(&t->words, word, 0, e)'
plant a-code-has-one-group core/rollup/rollup_tuple.c \
    '} else if (is_tuple(t, keys, i, *first - 1)) {' '} else if (true) {'
plant a-grid-has-the-places-of-the-one-before core/rollup/rollup_tuple.c \
    'PQ_TRY(moved ? make_grid(t, e) : PQ_OK);' 'PQ_TRY(t->grid ? PQ_OK : make_grid(t, e));'
by=unit:rollup_wholes
plant wholes-are-of-groups-by-position core/rollup/rollup_wholes.c \
    'pq_rollup_key_number(r, key, group_of(list, i))];' 'pq_rollup_key_number(r, key, i)];'
plant blocks-of-groups-are-the-first core/rollup/rollup_wholes.c \
    'group_of(list, first + i));' 'group_of(list, i));'
by=unit:key_test
plant null-passes-by-ids core/rollup/key_test.c \
    '(~valid && t->holds(t->of, &null) ? ~valid : 0);' '~valid;'
plant entries-of-the-last-dictionary-pass core/rollup/key_test.c \
    'memset(t->entries.v, 0, (size_t)n * 2);' ''
plant few-entries-of-the-last-dictionary-pass core/rollup/key_test.c \
    'memset(t->few, 0, sizeof t->few);' ''
plant some-entries-that-pass-are-all core/rollup/key_test.c \
    'all = t->n_passing == v->n_entries;' 'all = t->n_passing > 0;'
plant rows-that-pass-are-entries core/rollup/key_test.c \
    't->n_passing += passes[id] > known[id];' 't->n_passing += passes[id];'
by=unit:group_text
plant bare-measures-are-added-up sql/group_text.c \
    'if (pqsql_group_measure(r, i, &end) >= 0 ||' 'if ('
plant min-adds-up-what-max-added sql/group_text.c \
    'of[k].adds == r->names->adds[m]) {' 'of[k].adds <= r->names->adds[m]) {'
plant any-function-adds-up sql/group_text.c \
    'return extreme || pqsql_group_is_scalar(r->t[i]);' 'return true;'
plant what-is-counted-need-not-be-split sql/group_text.c \
    'out->read |= block->counts ? UINT64_MAX : block->read;' 'out->read |= block->read;'
plant an-order-of-part-of-a-count sql/group_text.c \
    'out.top_of = end == to ? out.top_of : PQSQL_TOP_ANY;' ''
plant no-row-is-aggregated sql/group_text.c \
    '!(r->has[PQSQL_IN_GROUP] || (r->adds_up && !has_offset(r))) ||' ''
plant an-offset-does-not-count-rows sql/group_text.c \
    '(r->adds_up && !has_offset(r))' 'r->adds_up'
plant no-name-is-in-quotes sql/group_text.c \
    'pqsql_is_name(r->t[*last + 2])) {' 'is_a_word(r, *last + 2)) {'
plant a-dimension-is-written-by-its-first-word sql/group_mistakes.c \
    't.n > 0; t = pqsql_next_token(&at), i++) {' 't.n > 0; t.n = 0) {'
plant not-is-a-name sql/group_text.c \
    'is_a_word(r, i) && !is_operator(r->t[i])))) {' 'is_a_word(r, i)))) {'
by=rollups
plant expressions-of-null-are-null ext/rollup/inputs.c \
    'if (k->makes_of_null && out->valid) {' 'if (0) {'
plant null-makes-nothing ext/rollup/measure_values.c \
    'return value_of_null(in, m, out, e);' '*out = v; return PQ_OK;'
by=tcl:rollup_text
plant rows-of-null-have-an-entry ext/rollup/measure_values.c \
    'if ((m->valid && !pq_bit(m->valid, row)) || (!m->ids' 'if ((!m->ids'
plant numbers-of-another-type-are-known ext/rollup/measure_values.c \
    ' || m->meaning != meaning ||' ' ||'
plant reals-of-an-expression-are-integers ext/rollup/measure_values.c \
    '.valid = valid, .reals = any ? reals : NULL};' '.valid = valid};'
plant texts-count-as-they-are ext/rollup/measure.c \
    '"sum(%s)", of->asked);' '"%s + 0", of->asked);'
plant bytes-are-characters ext/rollup/dimension_ask.c \
    'while (z < end && (*z & 0xc0) == 0x80) {' 'while (false) {'
plant eight-bytes-are-eight-characters ext/rollup/dimension_ask.c \
    '((word | (word - UINT64_C(0x0101010101010101))) &' '(word &'
by=rollups
plant lengths-of-the-last-dictionary ext/rollup/key_numbers.c \
    'if (!out->ids || k->serial != out->entries_serial) {' 'if (!out->ids || k->serial == 0) {'
plant nan-is-a-value ext/rollup/inputs.c \
    '(!leaf || !node || pq_type_is_float(&c->type) ||' '(!leaf || !node ||'
plant nan-is-added ext/rollup/measure_numbers.c \
    '? pq_numbers_drop_nans(m, to, a, e) : PQ_OK;' '? PQ_OK : PQ_OK;'
plant numbers-of-the-dictionary-before ext/rollup/measure_numbers.c \
    'if (c->serial == d->serial) {' 'if (c->serial != 0) {'
by=tcl:rollup_corners
plant the-second-number-is-never-nan ext/rollup/measure_numbers.c \
    'all = odd[0] + odd[1];' 'all = odd[0];'
plant integers-have-signs ext/rollup/measure_numbers.c \
    ': pq_type_is_unsigned(t) ? FROM_U32 : FROM_I32;' ': FROM_I32;'
plant wide-decimals-are-positive ext/rollup/measure_numbers.c \
    '? ~(unsigned __int128)0 : 0;' '? 0 : 0;'
plant no-affinity-of-the-column ext/rollup/dimension_ask.c \
    'PQ_TRY(prepare(ask->db, d, of, kept ? of->cast : NULL, stmt, e));' \
    'PQ_TRY(prepare(ask->db, d, of, NULL, stmt, e));'
plant days-before-1970-are-one-later ext/rollup/time_format.c \
    'Period p = {.number = v / units - (rest < 0)};' 'Period p = {.number = v / units};'
plant weeks-begin-with-1970 ext/rollup/time_format.c \
    '(day - PQ_FIRST_DAY + 6) % 7' '(day + 4) % 7'
by=tcl:rollup_text
plant the-last-millisecond-is-of-its-day ext/rollup/time_format.c \
    'if (r > day - near) {' 'if (0) {'
plant march-begins-the-year core/text/calendar.h \
    'year +
                         after_new_year,' 'year,'
by=tcl:rollup_corners
plant a-day-is-less-than-its-hours ext/rollup/dimension_condition.c \
    'if (op == PQEXT_LT && text.n <= prefix) {' 'if (op == PQEXT_LT) {'

# ---- elements of lists ------------------------------------------------------------------------------

by=tcl:unnest_scan
plant parents-of-the-beginning core/scan/unnest.c \
    'a->v[i] += u->first_row;' 'a->v[i] += u->rows.keep ? u->first_row : 0;'
by=unnests
plant null-lists-have-an-element core/scan/unnest_shape.c \
    'outer ? 0 : s->element_def[s->depth - 1];' \
    'outer ? 0 : s->element_def[s->depth - 1] - 1;'
plant outer-has-no-empty-lists core/scan/unnest_shape.c \
    'outer ? 0 : s->element_def[s->depth - 1];' 's->element_def[s->depth - 1];'
plant inner-ordinals-go-on core/scan/unnest_shape.c \
    'at = s->rep[i] <= level ? 0 :' 'at = s->rep[i] == 0 ? 0 :'
plant ordinals-of-no-element core/scan/unnest_shape.c \
    'out[k] = s->def[unit] < s->element_def[level] ? UINT32_MAX : at;' 'out[k] = at;'
plant the-last-row-that-is-kept-is-not core/scan/unnest.c \
    'u->end_row = s->batch.kept[s->batch.n_kept - 1] + 1;' \
    'u->end_row = s->batch.kept[s->batch.n_kept - 1] + (s->batch.n_kept < 2);'
plant rows-that-are-not-kept-have-elements core/scan/unnest_shape.c \
    'n += (s->def[i] >= s->least) & pq_bit(keep, row);' 'n += s->def[i] >= s->least;'
plant valid-bits-of-the-first-slice core/scan/unnest_leaf.c \
    'raw->valid ? raw->valid + first / 64 : NULL;' 'raw->valid;'
plant valid-bits-of-each-first-64 core/scan/unnest_gather.c \
    'pq_bit(raw->valid, slots[w * 64 + i]) << i;' 'pq_bit(raw->valid, slots[i]) << i;'
plant inner-lists-go-on core/scan/unnest_leaf.c \
    'm->rep[i] = rep <= level ? 0 : rep;' 'm->rep[i] = rep;'
plant parents-of-all-batches-have-one-serial core/scan/unnest_leaf.c \
    '.serial = pq_dict_serial(),' \
    '.serial = m->dict.serial ? m->dict.serial : pq_dict_serial(),'
plant filters-of-rows-are-of-elements core/scan/scan_filter.c \
    'return of_rows != s->unnest->inside;' 'return true;'
plant paths-are-computed-for-all-rows core/scan/unnest_leaf.c \
    's->batch.keep = path ? o->keep : u->rows.keep;' 's->batch.keep = u->rows.keep;'
plant paths-have-one-array core/scan/unnest_leaf.c \
    '    PQ_TRY(state_of(s, leaf, &l, e));
    PQ_TRY(need_items' '    PQ_TRY(state_of(s, PQ_PATH_LEAF, &l, e));
    PQ_TRY(need_items'
plant a-path-has-the-values-of-the-rows-before core/scan/unnest_leaf.c \
    'l->items[i] = items[rows[i]];' 'l->items[i] = items[i];'
by=tcl:unnest
plant a-struct-around-the-list-is-a-column core/files/table_unnest.c \
    '        if (found && found->kind == like->kind) {' '        if (0) {'
by=tcl:unnest_scan
plant a-sealed-leaf-guides core/scan/unnest.c \
    '!is_open(s, &s->footer->schema.leaves[u->next_guide])) {' '0) {'
by=unit:unnest
plant nulls-among-packed-values-are-passed core/scan/unnest_leaf.c \
    'shape->n_elements == raw->n_packed;' 'raw->n_packed > 0;'
plant packed-values-have-levels-of-nulls core/scan/unnest_gather.c \
    'm->def[i] = raw->leaf->max_def;' 'm->def[i] = raw->def[i];'
plant gaps-are-of-the-run-before core/scan/unnest_gather.c \
    'if (to->run == s->unnest->run) {' 'if (to->run) {'
plant packed-texts-stay-where-gaps-are core/scan/unnest_gather.c \
    '    pq_leaf_spread_values(to->values, width, to->valid, n, p->n_packed);' ''
plant levels-of-blocks-without-all-elements core/scan/unnest_gather.c \
    'if (pq_shape_all_at_least(def + i, least)) {' 'if (def[i] >= least) {'
plant units-of-blocks-without-all-elements core/scan/unnest_shape.c \
    'pq_shape_all_at_least(s->def + i, s->least)) {' 's->def[i] >= s->least) {'
plant a-valid-word-is-all core/scan/unnest_leaf.c \
    '        all &= bits[w];' ''
by=tcl:unnest_scan
plant packed-values-of-rows-that-are-not-kept core/scan/unnest.c \
    '!u->outer && !u->rows.keep ? PQ_LEAF_PACKED' '!u->outer ? PQ_LEAF_PACKED'
by=unit:path_rows
plant nulls-of-a-path-keep-the-value-before core/nested/path_rows.c \
    '    if (p->values) {                 /*' '    if (0) {                         /*'

# ---- what a column is like ------------------------------------------------------------------------------

by=summaries
plant nulls-of-a-summary-are-not-counted core/summary/summary.c \
    '        s->n_nulls += k - s->n;' ''
plant nulls-beside-a-dictionary-are-entries core/summary/summary.c \
    'if (pq_bit(v->valid, i)) {' 'if (1) {'
plant the-top-is-the-largest-of-several core/summary/counts.c \
    'compare(c, p, top) < 0))) {' 'compare(c, p, top) > 0))) {'
plant quartiles-round-down core/summary/summary.c \
    '(uint64_t)((n * q + 3) / 4)' '(uint64_t)(n * q / 4)'
plant summaries-have-signs core/summary/summary.c \
    's->is_unsigned = pq_type_is_unsigned(&v->leaf->type);' 's->is_unsigned = false;'
plant a-population-is-no-sample core/summary/moments.c \
    'm->squares / (double)(m->n - 1)' 'm->squares / (double)m->n'
plant the-largest-text-of-the-last-batch core/summary/summary.c \
    'if (!s->any || compare_with(high, &s->most_bytes) > 0) {' 'if (1) {'
plant values-before-sketches-are-lost core/summary/summary.c \
    '    PQ_TRY(sketch_counts(s, e));' ''
plant estimates-are-exact core/summary/summary.c \
    '        out->distinct_exact = false;' ''
plant estimates-are-double core/summary/hyperloglog.c \
    'return m * m / (2 *' 'return m * m / (1 *'
plant heavy-values-are-light core/summary/ranks.c \
    '(Heavy){r->level[h][j], UINT64_C(1) << h};' '(Heavy){r->level[h][j], 1};'

by=where
