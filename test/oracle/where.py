"""A Parquet table gives the same answers as a native copy of it.

Random files are made (made_files.py, and pool.mjs for other writers), taken
from the samples, or copied from these (own_files.py).  Each becomes a virtual
table with random options, and a copy in an ordinary table of the same declared
types, hidden columns included.  Random queries (queries.py) must give the same
rows of both, value by value and class by class, and the same without one of the
proofs, or without any.

Usage: where.py EXTENSION SEED CASES FOLDER [FILE...]

Files are made in FOLDER.  The seed and its number determine a case: CASE=n runs
only that one and prints it.  SHARE=3 asks a third of them.  FIRST=1 stops at the
first failure.  OTHERS=0 leaves out the files of other writers, which need Node.  FOLDER/asked has the
last query, in case the process dies.  At the end it prints what was skipped by
which means, by type and operator; the run fails if a cell that must not be
empty is.
"""
import collections
import glob
import json
import os
import random
import re
import sqlite3
import subprocess
import sys

import delta_table
import iceberg_table
import made_files
import made_variants
import own_files
import queries
from crypto_file import LOST_NAME
from queries import quoted
from rowids import connect

BLOCK = 2000                         # cases that share what was made
OTHERS = 30                          # files of other writers for each block
PER_TABLE = 12                       # cases between one table and the next
AIMED = 4                            # queries of one term beside a case's own
MOST_ROWS = 4500
MOST_COLUMNS = 14
OPTIONS = ["timestamp=raw", "timestamp=unixepoch", "decimal=text", "nan=text",
           "binary_as_string", "invalid_utf8=blob", "threads=0", "threads=2",
           "map=entries", "memory='16MB'", "format=files"]
OF_KEYS = re.compile("encrypt|authentic|parquet_key|AAD|signature")
SHARE = int(os.environ.get("SHARE") or 1)
SLOW = 200                           # 100,000 steps of SQLite: given up


# ---- coverage ----------------------------------------------------------------

def family(declared):
    """The type of a column, as far as it matters for skipping."""
    d = declared.upper()
    for pattern, name in [
            (r"^LIST|^STRUCT|^MAP|^VARIANT|^GEO|^INTERVAL|^$|^NULL", "other"),
            (r"^TIMESTAMP_96 TEXT", "int96"),
            (r"^TIMESTAMP.* TEXT", "timestamp"), (r"^TIMESTAMP", "ticks"),
            (r"^TIME", "time"), (r"^DATE", "date"), (r"^UUID", "uuid"),
            (r"^DECIMAL.* TEXT", "decimal text"), (r"^DECIMAL", "decimal"),
            (r"^U64", "u64"), (r"^FLOAT16", "float16"),
            (r"^FLOAT|^DOUBLE", "real"), (r"^BOOLEAN", "boolean"),
            (r"^TEXT|^ENUM|^JSON", "text"), (r"^BLOB|^BSON", "blob"),
            (r"INT|^INTEGER", "integer")]:
        if re.search(pattern, d):
            return name
    return "other"


GROUPED = {"=": "=", "IN": "IN", "IS": "IS", "<": "order", "<=": "order",
           ">": "order", ">=": "order", "BETWEEN": "order", "<>": "<>",
           "IS NOT": "IS NOT", "NOT IN": "NOT IN", "IS NULL": "IS NULL",
           "IS NOT NULL": "NOT NULL", "LIKE": "LIKE", "GLOB": "GLOB",
           "NOT LIKE": "NOT LIKE", "NOT GLOB": "NOT GLOB"}
EQUALITY = ["=", "IN", "IS"]
SWEPT = [[], ["timestamp=raw", "decimal=text", "nan=text"],
         ["timestamp=unixepoch", "binary_as_string", "threads=0"]]
OPS = ["=", "IN", "IS", "order", "<>", "IS NOT", "NOT IN", "IS NULL",
       "NOT NULL", "LIKE", "GLOB"]

MEANS = ["files_skipped", "skipped_by_statistics", "skipped_by_page_index",
         "skipped_by_bloom_filter", "skipped_by_dictionary",
         "pages_skipped_by_index", "skipped_by_page_headers",
         "pages_skipped_by_header", "rows_filtered"]

# For each means, the types and operators for which something must be skipped at
# least once in a block of cases.
SCALARS = ["integer", "u64", "real", "decimal", "date", "time", "timestamp",
           "text", "blob", "uuid"]
BOUNDED = EQUALITY + ["order", "IS NULL", "NOT NULL"]
PATTERN = ["LIKE", "GLOB"]
EXPECTED = {
    "skipped_by_statistics": [(SCALARS + ["float16", "boolean", "path"],
                               BOUNDED),
                              (["int96"], ["IS NULL", "NOT NULL"]),
                              (["timestamp"], PATTERN)],
    "pages_skipped_by_index": [(SCALARS + ["float16", "path"], BOUNDED)],
    "pages_skipped_by_header": [(SCALARS + ["float16", "path"], BOUNDED)],
    "skipped_by_bloom_filter": [(SCALARS + ["path"], EQUALITY)],
    "skipped_by_dictionary": [(SCALARS + ["float16", "path"], EQUALITY)],
    "rows_filtered": [
        (["path"], BOUNDED + ["<>", "IS NOT"]),
        (SCALARS + ["float16", "boolean"], BOUNDED + ["<>", "IS NOT"]),
        (["int96"], BOUNDED),
        (["date", "time", "timestamp", "text"], PATTERN),
    ],
}


PATH = re.compile(r"p\d+$|event\.(?!variant$)")


class Coverage:
    """How much was skipped by the queries of a single term."""

    SELECT = "SELECT scan, %s FROM parquet_scan_stats() LIMIT 1" % \
        ", ".join(MEANS)

    def __init__(self):
        self.cells = collections.Counter()

    def before(self, db):
        row = db.execute(self.SELECT).fetchone()
        return row[0] if row else 0

    def after(self, db, before, kind, op):
        row = db.execute(self.SELECT).fetchone()
        if not row or row[0] == before:
            return
        for means, n in zip(MEANS, row[1:]):
            if n:
                self.cells[means, kind, GROUPED[op]] += n

    def show(self):
        kinds = sorted({k for _, k, _ in self.cells})
        for means in MEANS:
            print("%-24s" % means + "".join("%8s" % op for op in OPS))
            for kind in kinds:
                row = [self.cells[means, kind, op] for op in OPS]
                if any(row):
                    print("  %-22s" % kind + "".join(
                        "%8s" % (n or "-") for n in row))

    def missing(self):
        never = [means for means in MEANS
                 if not any(m == means for m, _, _ in self.cells)]
        return never + [
            "%s by %s of %s" % (means, op, kind)
            for means, rows in EXPECTED.items()
            for kinds, ops in rows for kind in kinds for op in ops
            if not self.cells[means, kind, op]]


def swept(means):
    """The operators for which the means can skip something."""
    if means == "bounds":
        return queries.SWEEP
    return [op for op in queries.SWEEP if GROUPED[op] in (
        BOUNDED if means == "headers" else EQUALITY)]


# ---- one table ---------------------------------------------------------------

def wanted(name):
    return "\x00" not in name and queries.TABLE not in name and \
        not name.startswith(LOST_NAME) and \
        name.lower() not in ("rowid", "oid", "_rowid_")


def is_number_text(v):
    return isinstance(v, str) and \
        re.fullmatch(r"\s*[-+]?\d{1,15}(\.\d{0,9})?\s*", v, re.A)


# What does not change how Variants look, nor what is known of them.
OF_VARIANTS = ["decimal=text", "nan=text", "variant=blob", "threads=0",
               "threads=2", "memory='16MB'"]
WITHOUT = ["trust_stats=off"] * 2 + ["distrust=" + proof for proof in (
    "statistics", "bloom", "pages", "headers", "dictionary",
    "'statistics,pages,headers'")]


class Table:
    """A file as the tables t, off (without one of the proofs, or any) and copy.

    values: some of each column; middle: those of the rows in the middle.
    made: what is known of its Variants, or None."""

    def __init__(self, db, path, options, rng, most=MOST_COLUMNS, made=None):
        self.db, self.path, self.options, self.made = db, path, options, made
        self.declare("t", options)
        self.without = rng.choice(WITHOUT)
        self.declare("off", options + [self.without])
        declared = db.execute("PRAGMA table_xinfo(t)").fetchall()
        all_ = [(r[1], r[2], r[3]) for r in declared if wanted(r[1])]
        for r in declared:
            if r[1] == LOST_NAME:
                self.stays_lost()
        if len(all_) > most:
            all_ = [c for c in all_ if rng.random() * len(all_) < most] or \
                all_[:1]
        self.is_wide = len(declared) > 64
        self.types = {name: type_ for name, type_, _ in all_}
        self.columns = list(self.types)
        self.rowids, self.values = [], {}
        self.copy(all_)
        if made:
            self.load_paths(made)
        self.operands(rng)

    def declare(self, name, options):
        self.db.execute("CREATE VIRTUAL TABLE temp.%s USING parquet(%s)" % (
            name, ", ".join(["'%s'" % self.path.replace("'", "''")] +
                            [o for o in options if o])))

    def stays_lost(self):
        """Nobody has the key of this column."""
        try:
            some = self.db.execute("SELECT DISTINCT lost FROM t").fetchall()
        except sqlite3.OperationalError:
            return
        if any(v is not None for v, in some):
            raise Wrong("a column without a key shows %r" % some[:2])

    def copy(self, columns):
        self.db.execute("CREATE TEMP TABLE copy(%s)" % ", ".join(
            '%s "%s"%s' % (quoted(n), t.replace('"', '""'),
                           " NOT NULL" if notnull else "") if t else quoted(n)
            for n, t, notnull in columns))
        names = ", ".join(quoted(c) for c in self.columns)
        self.db.execute("INSERT INTO copy(rowid, %s) SELECT rowid, %s FROM off"
                        " LIMIT %d" % (names, ", ".join(
                            "off." + quoted(c) for c in self.columns),
                            MOST_ROWS + 1))

    def load_paths(self, made):
        """Path columns of the copy are what is known, not what was read."""
        wrong = made.check(self.db, "off", self.options)
        if wrong:
            raise Wrong(wrong)
        for column in made.columns:
            if column.name in self.columns:
                self.db.executemany(
                    "UPDATE copy SET %s = ? WHERE rowid = ?" % column.name,
                    [(v, rowid) for v, (rowid,) in zip(
                        made.expect(column, self.options),
                        self.db.execute("SELECT rowid FROM copy ORDER BY rowid")
                        .fetchall()) if v is not made_variants.UNSURE])

    def operands(self, rng):
        """Values to ask for, and the table o of such ones."""
        rows = self.db.execute("SELECT rowid, %s FROM off" % ", ".join(
            "off." + quoted(c) for c in self.columns)).fetchall()
        self.rowids = [r[0] for r in rows]
        self.plain, self.summable, self.middle = set(), set(), {}
        self.number_texts, self.zeros = {}, []
        few = rng.sample(rows, min(len(rows), 60))
        for i, c in enumerate(self.columns):
            some = [r[i + 1] for r in rows if is_number_text(r[i + 1])]
            if some:
                self.number_texts[c] = some[:200]
            if any(isinstance(r[i + 1], float) and r[i + 1] == 0 for r in rows):
                self.zeros.append(c)
            self.values[c] = [r[i + 1] for r in few] or [None]
            self.middle[c] = [r[i + 1] for r in rows[len(rows) // 4:
                                                     len(rows) // 2]
                              if r[i + 1] is not None]
            if not any(isinstance(r[i + 1], float) for r in rows):
                self.plain.add(c)
            if all(r[i + 1] is None or isinstance(r[i + 1], int) and
                   abs(r[i + 1]) < 2**40 for r in rows):
                self.summable.add(c)
        self.db.execute(queries.OPERAND_TABLE)
        self.many(rng)
        likely = [self.values[rng.choice(self.columns)] for _ in range(9)]
        for some in likely + [["7", "5", "05", "5.0", "9x", 5, "2024"]] * 3:
            v = queries.bindable(queries.near(rng, rng.choice(some)))
            sql, arguments = queries.parameter(v)
            self.db.execute("INSERT INTO o SELECT %s" % ", ".join(
                [sql] * len(queries.OPERANDS)), arguments * 8)


    def many(self, rng):
        """A list of values of all columns, and their neighbours."""
        self.db.execute("CREATE TEMP TABLE many(v)")
        for _ in range(rng.choice([20, 300, 300, 3000])):
            v = rng.choice(self.values[rng.choice(self.columns)])
            sql, arguments = queries.parameter(queries.bindable(
                queries.near(rng, v) if rng.random() < 0.3 else v))
            self.db.execute("INSERT INTO many SELECT " + sql, arguments)
        if rng.random() < 0.3:       # more values than are read of a list
            self.db.execute("INSERT INTO many WITH RECURSIVE n(i) AS (SELECT "
                            "-2000 UNION ALL SELECT i + 1 FROM n LIMIT 3000) "
                            "SELECT iif(i % 3, i, ' n' || i) FROM n")


def tagged(row):
    return tuple((type(v), v) for v in row)


def same_rows(a, b):
    return collections.Counter(map(tagged, a)) == \
        collections.Counter(map(tagged, b))


def ask(db, query, table):
    """The rows, or the error as a text."""
    sql, arguments = query.sql(table)
    note("%s\nwith %r\n" % (sql, arguments))
    # SQLite 3.40's automatic index of a native table loses rows under RTRIM.
    db.execute("PRAGMA automatic_index = %d" %
               ("o.rt" not in sql and "RTRIM" not in sql))
    db.set_progress_handler(queries.Patience(SLOW), 100_000)
    try:
        return db.execute(sql, arguments).fetchall()
    except sqlite3.OperationalError as error:
        return str(error)
    except OverflowError as error:
        return str(error)


def disagreement(db, query, ours_of="t"):
    """None, or how the answers differ."""
    ours, theirs = ask(db, query, ours_of), ask(db, query, "copy")
    if "interrupted" in (ours, theirs):
        return None
    if isinstance(ours, str) or isinstance(theirs, str):
        if isinstance(ours, str) and isinstance(theirs, str):
            return None
        return "%s, not %s" % tuple(x if isinstance(x, str) else
                                    "%d rows" % len(x) for x in (ours, theirs))
    if len(ours) != len(theirs):
        return "%d rows, not %d" % (len(ours), len(theirs)) + \
            difference(ours, theirs)
    if query.n_keys:
        for i, (a, b) in enumerate(zip(ours, theirs)):
            if tagged(a[:query.n_keys]) != tagged(b[:query.n_keys]):
                return "row %d is ordered by %r, not %r" % (
                    i, a[:query.n_keys], b[:query.n_keys])
    if not query.ties:
        return None if same_rows(ours, theirs) else \
            "other rows" + difference(ours, theirs)
    n = query.n_keys
    everything = collections.Counter(
        tagged(r) for r in ask(db, query.without_end(), "copy"))
    given = collections.Counter(tagged(r) for r in ours)
    if given - everything:
        return "rows that are not there: %r" % [
            [v for _, v in r[n:]] for r in given - everything][:3]
    return None


def difference(ours, theirs):
    a, b = (collections.Counter(map(tagged, x)) for x in (ours, theirs))
    lacks = [[v for _, v in r] for r in list(b - a)[:2]]
    extra = [[v for _, v in r] for r in list(a - b)[:2]]
    return "; missing %r, too many %r" % (lacks, extra)


def shrunk(db, query, ours_of):
    """The query without all that is not needed for the failure."""
    again = True
    while again:
        again = False
        candidates = []
        if query.tail and not query.tail.startswith(" GROUP"):
            candidates.append(query.without_end())
        if query.where is not None:
            candidates += [query.with_condition(c)
                           for c in queries.smaller(query.where)]
        for less in candidates:
            if disagreement(db, less, ours_of):
                query, again = less, True
                break
    return query


# ---- lists -------------------------------------------------------------------

def by_list(folder, rng):
    """The folder's files as a list of paths, in any order; or the folder."""
    files = sorted(glob.glob(glob.escape(folder) + "/**/*.parquet",
                             recursive=True))
    rng.shuffle(files)
    return json.dumps(files) if files else folder


# ---- all cases ---------------------------------------------------------------

ENDS = ["<=", "<=", ">=", "=", "BETWEEN"]
PATTERNS = ["a[[]b", "a[x_]b", "[ab]*", "a[^x]b", "a_b", "a%b", "a*b", "a?b"]


class Run:
    def __init__(self, extension, seed, folder, files):
        self.extension, self.seed, self.folder = extension, seed, folder
        self.files = files
        self.coverage = Coverage()
        self.failed, self.passed, self.unread = 0, 0, collections.Counter()

    def begin_block(self, block):
        numbers = range(block * OTHERS, (block + 1) * OTHERS)
        others = ["%s/other_%d.parquet" % (self.folder, n) for n in numbers]
        self.made = made_files.make(self.folder, self.seed, block)
        self.wide = made_files.make_wide(self.folder, self.seed, block)
        self.traps = made_files.make_traps(self.folder, self.seed, block)
        lakes = delta_table.make(self.folder, self.seed, block) + \
            iceberg_table.make(self.folder, self.seed, block, self.extension)
        self.lakes = [(p, "") for p, _ in lakes]
        self.others = [(p, "") for p in others if os.path.exists(p)]
        self.samples = [(p, "") for p in self.files]
        made = made_variants.make(self.folder, self.seed, block)
        copies, wrong = made_variants.copies(self.folder, self.seed, block,
                                             self.extension, made)
        self.known = {m.path: m for m in made + copies}
        self.variants = [(p, "") for p in self.known]
        self.own, failures = own_files.make(
            self.folder, self.seed, block, self.extension,
            self.made + self.traps + self.others + self.samples)
        db = connect(self.extension)
        for path, n in lakes:
            db.execute("CREATE VIRTUAL TABLE temp.lake USING parquet('%s')" % path)
            got = db.execute("SELECT count(*), (SELECT count(*) FROM lake WHERE +c0 IS c0) "
                             "FROM lake").fetchone()
            db.execute("DROP TABLE lake")
            if got == (n, n):
                self.passed += 1
            else:
                wrong.append("%s has %d rows, not %s" % (path, n, got))
        db.close()
        self.passed += own_files.COPIES - len(failures) + len(copies)
        for words in failures + wrong:
            self.failed += 1
            print("FAIL case of seed %d: %s" % (self.seed, words))
            print("  alone: SEED=%d CASE=%d bash test/oracle/oracle.sh" % (
                self.seed, block * BLOCK))

    def source(self, number, attempt):
        """The table for the cases from number * PER_TABLE on."""
        rng = random.Random("table %d %d %d" % (self.seed, number, attempt))
        pool = rng.choice([self.made] * 4 + [self.traps] * 3 + [self.wide] * 2 +
                          [self.own or self.made] * 3 +
                          [self.others or self.made] * 2 +
                          [self.variants] * 3 + [self.lakes or self.made] * 2 +
                          [self.samples or self.made])
        path, needs = rng.choice(pool)
        if os.path.isdir(path) and path not in self.known and pool != self.lakes and rng.random() < 0.4:
            path = by_list(path, rng)
        options = [needs] if needs else []
        if path in self.known:
            some = rng.sample(OF_VARIANTS, rng.randrange(3))
            options += sorted({o.split("=")[0]: o for o in some}.values()) + \
                self.known[path].options()
        elif rng.random() < 0.6:
            some = rng.sample(OPTIONS, rng.randrange(1, 4))
            named = {o.split("=")[0]: o for o in some
                     if o.split("=")[0] not in needs}
            options += sorted(named.values())
        # In UTF-16 texts have another order.
        wide = rng.random() < 0.1 and (path not in self.known or
                                       self.known[path].fits_utf16())
        return path, options, rng, MOST_COLUMNS, "UTF-16" if wide else "UTF-8"

    def table(self, path, options, rng, most=MOST_COLUMNS, encoding="UTF-8",
              number=None):
        """A table to query, or None if the file cannot be read."""
        db = connect(self.extension)
        db.execute("PRAGMA encoding = '%s'" % encoding)
        try:
            table = Table(db, path, options, rng, most, self.known.get(path))
        except Wrong as error:
            self.fail(path, options, number, "each value", str(error))
            return None
        except sqlite3.OperationalError as error:
            if path in self.known or OF_KEYS.search(str(error)):
                self.fail(path, options, number, "each value", str(error))
            self.unread[str(error)[:100]] += 1
            return None
        except sqlite3.IntegrityError as error:
            self.fail(path, options, None, "copy", str(error))
            return None
        n = len(table.rowids)
        if n > MOST_ROWS or not table.columns:
            return None
        return table

    def fail(self, path, options, number, sql, why, arguments=()):
        self.failed += 1
        print("FAIL case %s of seed %d: %s\n  %s (%s)\n  %s\n  with %r" % (
            number, self.seed, why, path, ", ".join(options), sql,
            list(arguments)))
        if number is not None:
            print("  alone: SEED=%d CASE=%s bash test/oracle/oracle.sh" % (
                self.seed, number))
        sys.stdout.flush()
        if os.environ.get("FIRST"):
            raise Enough

    def check(self, table, query, number):
        db = table.db
        tag = query.tag()
        before = self.coverage.before(db) if tag else None
        why, ours_of = disagreement(db, query), "t"
        if tag and tag[1] in GROUPED:
            kind = "path" if table.made and PATH.match(tag[0]) else \
                family(table.types[tag[0]])
            self.coverage.after(db, before, kind, tag[1])
        if not why and number % 4 == 0:
            ours_of = "off"
            why = disagreement(db, query, "off")
        if why:
            less = shrunk(db, query, ours_of)
            sql, arguments = less.sql(ours_of)
            self.fail(table.path, table.options +
                      ([table.without] if ours_of == "off" else []),
                      number, sql, disagreement(db, less, ours_of) or why,
                      arguments)
            return False
        return True

    def random_cases(self, first, end, only):
        for attempt in range(8):
            table = self.table(*self.source(first // PER_TABLE, attempt),
                               number=first)
            if table:
                break
        else:
            return
        for number in range(first, end):
            if only is None or number == only:
                maker = queries.Maker(random.Random(
                    "case %d %d" % (self.seed, number)), table)
                self.one(table, maker.query(), number,
                         [maker.aimed() for _ in range(
                             AIMED if len(table.rowids) < 1000 else 1)])

    def one(self, table, query, number, more=()):
        """A case: a query, perhaps the same again with other operands, and
        some more."""
        note.place = 0
        note("case %d of seed %d\n%s (%s)\n" % (
            number, self.seed, table.path, ", ".join(table.options)))
        note.place = note.file.tell()
        if os.environ.get("CASE"):
            print("%s (%s)\n%s\n%r" % ((table.path, table.options) +
                                       query.sql("t")))
        ok = self.check(table, query, number)
        if ok and number % 3 == 0:
            rng = random.Random("again %d %d" % (self.seed, number))
            again = query.with_arguments(lambda v: queries.argument(rng, v))
            if again.sql("t")[1]:
                ok = self.check(table, again, number)
        for q in more:
            ok = ok and self.check(table, q, number)
        self.passed += ok

    def all_but_int96(self, path):
        """The option that leaves out INT96 and nanoseconds in 96 bits, whose
        instants may have no number in their unit."""
        names = connect(self.extension).execute(
            "SELECT group_concat(name) FROM parquet_schema(?) "
            "WHERE type = 'INT96' OR name IN ('timestamp_96_ns', ?)",
            (path, LOST_NAME)).fetchone()
        return ["exclude='%s'" % names] if names[0] else []

    def sweep(self, first, end, only, means):
        """Every operator on a column of every type."""
        rng = random.Random("sweep %d %d %s" % (self.seed, first, means))
        path = "%s/sweep_%d_%s.parquet" % (self.folder, first, means)
        made_files.make_sweep(path, rng, means)
        options = SWEPT[first // BLOCK % len(SWEPT)]
        if "timestamp=raw" in options:
            options = options + self.all_but_int96(path)
        table = self.table(path, options, rng, 1000)
        cells = [(c, op) for c in table.columns if not c.startswith("file")
                 for op in swept(means)]
        for number, (column, op) in zip(range(first, end), cells):
            if number == only or only is None and number % SHARE == 0:
                maker = queries.Maker(random.Random(
                    "case %d %d" % (self.seed, number)), table)
                self.one(table, maker.swept(column, op), number)
        return min(end, first + len(cells))

    def paths(self, first):
        """Every operator on a path of every type; no numbers, as below."""
        for means in made_files.SWEEPS:
            rng = random.Random("paths %d %d %s" % (self.seed, first, means))
            path = "%s/paths_%d_%s.parquet" % (self.folder, first, means)
            self.known[path] = made_variants.make_sweep(path, rng, means)
            table = self.table(path, self.known[path].options(), rng, 1000)
            if not table:
                return
            maker = queries.Maker(rng, table)
            for k, (column, op) in enumerate(
                    (c, op) for c in table.columns if PATH.match(c)
                    for op in swept(means)):
                if k % SHARE == 0:
                    self.one(table, maker.swept(column, op), -1 - k)

    def long_pages(self, first):
        """Ranges that end at a value that occurs, and patterns.  They have no
        number among the cases; the file of a failure tells which they are."""
        rng = random.Random("long %d %d" % (self.seed, first))
        path = "%s/long_%d.parquet" % (self.folder, first)
        made_files.make_long(path, rng)
        table = self.table(path, [], rng)
        maker = queries.Maker(rng, table)
        for k, column in enumerate(table.columns * 4):
            if column == "string":
                term = queries.term("t.string %s ?" % rng.choice(
                    ["GLOB", "GLOB", "LIKE"]), [rng.choice(PATTERNS)])
            else:
                term = maker.simple(column, rng.choice(ENDS),
                                    maker.plain_operand)
            self.one(table, queries.Query("SELECT t.rowid, t.%s FROM %s AS t" % (
                quoted(column), queries.TABLE), term), -1 - k)

    def block(self, first, end, only):
        self.begin_block(first // BLOCK)
        number = first
        if only is None:
            self.long_pages(first)
            self.paths(first)
        for means in made_files.SWEEPS:
            number = self.sweep(number, end, only, means)
        while number < end:
            after = min(number + PER_TABLE - number % PER_TABLE, end)
            if only is None and number // PER_TABLE % SHARE == 0 or \
                    only is not None and number <= only < after:
                self.random_cases(number, after, only)
            number = after

    def all(self, cases, only=None):
        for first in range(0, cases, BLOCK):
            if only is None or first <= only < first + BLOCK:
                self.block(first, min(first + BLOCK, cases), only)


def note(words):
    """Writes down the current query, in case this process dies."""
    note.file.seek(note.place)
    note.file.write(words.encode("utf-8", "surrogateescape"))
    note.file.truncate()


class Enough(Exception):
    pass


class Wrong(Exception):
    """A table shows other values than were written."""


def make_others(folder, seed, first, count):
    """Makes files of writers that need Node, if there is Node."""
    if os.environ.get("OTHERS") == "0":
        return
    here = os.path.dirname(os.path.abspath(__file__))
    try:
        done = subprocess.run(
            ["node", here + "/pool.mjs", folder] +
            [str(n) for n in (seed, first, count)], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=1800)
        words = done.stdout.decode(errors="replace").strip()
    except (OSError, subprocess.TimeoutExpired) as error:
        words = str(error)
    if words:
        print("other writers: " + words[:500])


def main():
    extension, seed, cases = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    folder, files = sys.argv[4], sys.argv[5:]
    only = int(os.environ["CASE"]) if os.environ.get("CASE") else None
    os.makedirs(folder, exist_ok=True)
    note.file = open(folder + "/asked", "wb", buffering=0)
    run = Run(extension, seed, folder, files)
    blocks = range(-(-cases // BLOCK)) if only is None else [only // BLOCK]
    make_others(folder, seed, blocks[0] * OTHERS, len(blocks) * OTHERS)
    try:
        run.all(cases, only)
    except Enough:
        pass
    for words, n in run.unread.most_common(5):
        print("not read, %d times: %s" % (n, words))
    if only is None:
        run.coverage.show()
        if cases >= BLOCK and SHARE == 1 and not run.failed:
            for cell in run.coverage.missing():
                print("FAIL: nothing skipped: " + cell)
                run.failed += 1
    print("where (seed %d): %d passed, %d failed, 0 skipped"
          % (seed, run.passed, run.failed))
    sys.exit(run.failed > 0)


if __name__ == "__main__":
    main()
