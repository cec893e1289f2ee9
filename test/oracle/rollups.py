"""Statements over rollup tables give the same rows as over native tables.

A rollup has, for each statement, a row per combination of the dimensions that the
statement mentions.  So the generator of statements notes which dimensions it
mentions of each table in the FROM clause.  For each such set SQLite makes a native
table, by GROUP BY over a native copy of the file, and the statement over these has
to give the same rows.  Sums that depend on the order of additions are compared to
rounding, all others exactly, and sums of DECIMAL against fractions.

Tables are those of worlds.py (files of several kinds, folders with drift, hive
folders, encrypted files, copies of our own, UTF-16), of grouped.py (many groups,
little memory, so that groups are spilled), files of every type with structs, and
samples of other writers.

Usage: rollups.py EXTENSION SEED CASES FOLDER [FILE...]

CASE=n runs only that case and prints it.  The last line has the counts.  A run in
which nothing is pushed down, nothing is pruned or nothing is spilled fails.
"""
import collections
import fractions
import math
import os
import random
import re
import shutil
import sqlite3
import sys
import time

import grouped
import made_files
import parquet_file
import queries
from subqueries import ERRORS
import worlds
from worlds import World, connect

grouped.MEMORY = ["1MB"] * 3 + ["8MB", "256MB"]
PER_ROLLUP, ROLLUPS = 12, 2          # cases of a rollup, rollups of a table
MARK = re.compile("\x01(\\d+)\x02")


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


class Patience:
    """Joins of unnested tables have no index: some take long."""

    def __init__(self):
        self.until = time.process_time() + 1.5

    def __call__(self):
        return time.process_time() > self.until


class ExactSum:
    """The sum of decimals as texts, as the nearest REAL."""

    def __init__(self):
        self.sum, self.n = fractions.Fraction(0), 0

    def step(self, v):
        if v is not None:
            v = v.decode() if isinstance(v, bytes) else v
            self.sum += fractions.Fraction(v)
            self.n += 1

    def finalize(self):
        if not self.n:
            return None
        if self.sum.denominator == 1 and abs(self.sum) < 2 ** 53:
            return float(self.sum)
        return float(self.sum)


# ---- tables ------------------------------------------------------------------

class Base:
    """What rollups are made of: a source, and a native copy of it, whose columns
    are (name, declared type).  origin: what is copied, if not the source.  many:
    columns of so many values that their groups leave memory."""

    many = []

    def __init__(self, db, number, source, origin=None):
        self.db, self.source, self.copy = db, source, "q%d" % number
        self.ordinary, origin = "t%d" % number, origin or source
        db.create_aggregate("exact_sum", 1, ExactSum)
        self.columns, self.hidden, self.visible = [], set(), []
        for r in db.execute("PRAGMA table_xinfo(%s)" % self.ordinary):
            name = r[1].decode()
            if not r[6] or "." in name or name == "filename":
                self.columns.append((name, r[2].decode()))
                self.hidden |= {name} if r[6] else set()
                self.visible += [] if r[6] else [name]
        options = [o for o in origin.split(", ") if "memory" not in o]
        names = ["s." + quoted(c) for c, _ in self.columns]
        # With as much memory as reading takes; and once with exact decimals.
        db.execute("CREATE VIRTUAL TABLE temp.s%d USING parquet(%s)" % (
            number, ", ".join(options)))
        there = {r[1].decode() for r in db.execute("PRAGMA table_xinfo(s%d)" %
                                                   number)}
        lost = [c for c, _ in self.columns if c not in there]
        if lost:
            raise ValueError("columns that should not be there: %s" % lost)
        self.decimals = [c for c, t in self.columns
                         if re.match(r"DECIMAL\(\d+, ?[1-9]", t)
                         and "TEXT" not in t]
        db.execute("CREATE TEMP TABLE %s(%s)" % (self.copy, ", ".join(
            ['%s %s' % (quoted(c), quoted(t)) if t else quoted(c)
             for c, t in self.columns] +
            [quoted("exact " + c) for c in self.decimals])))
        db.execute("CREATE VIRTUAL TABLE temp.d%d USING parquet(%s)" % (
            number, ", ".join(o for o in options if "decimal" not in o) +
            ", decimal=text"))
        names += ["d." + quoted(c) for c in self.decimals]
        db.execute("INSERT INTO %s SELECT %s FROM s%d s%s" % (
            self.copy, ", ".join(names), number,
            " JOIN d%d d ON d.rowid = s.rowid" % number
            if self.decimals else ""))
        self.n = db.execute("SELECT count(*) FROM " + self.copy).fetchone()[0]
        self.kinds = {c: self.kind(c, t) for c, t in self.columns}
        self.nested = [c for c, k in self.kinds.items() if k == "nested"]
        self.columns = [(c, t) for c, t in self.columns
                        if self.kinds[c] != "nested"]
        self.keys = "keys%d" % number
        db.execute("CREATE TABLE %s(k, w)" % self.keys)
        for c, _ in self.columns:
            db.execute("INSERT INTO %s SELECT %s, abs(random()) %% 5 FROM %s "
                       "LIMIT 3" % (self.keys, quoted(c), self.copy))
        db.execute("INSERT INTO %s VALUES(NULL, 1), (1, 2), ('a', 0), (2.0, 3)"
                   % self.keys)

    def kind(self, name, declared):
        """What can be done with a column: exact: its sums do not depend on an
        order; rounded: they do."""
        q = quoted(name)
        one = self.db.execute(
            "SELECT count(*) = sum(typeof({0}) IN ('null', 'integer')), "
            "count(*) = sum(typeof({0}) IN ('null', 'integer', 'real')), "
            "count(*) = sum(typeof({0}) IN ('null', 'text')), "
            "max(abs({0} * 1.0)) < 1 << 20, count(*) = sum({0} IS NULL OR "
            "abs({0} * 1.0) < 1 << 20 AND {0} * 64 = CAST({0} * 64 AS INTEGER)) "
            "FROM {1}".format(q, self.copy)).fetchone()
        word = declared.upper()
        if re.match("LIST|MAP|STRUCT|VARIANT|GEO", word):
            return "nested"
        numeric = re.match("TINYINT|SMALLINT|INT|BIGINT|HUGEINT|U?INT|REAL|"
                           "FLOAT|DOUBLE", word)
        if name in self.decimals and one[1] and one[3]:
            return "decimal"
        if numeric and one[0] and one[3]:
            return "integer"
        if numeric and one[1] and one[4]:
            return "real"
        if re.match("DATE|TIMESTAMP", word) and one[2]:
            return "time"
        if one[2] and "BLOB" not in word:
            return "text"
        return "other"


def rich_file(rng, path):
    """Columns of every type, among them fields of structs and REALs whose sums
    are exact."""
    n = rng.choice([0, 1, 40, 200, 200, 700])
    columns = made_files.some_columns(rng, n)
    kinds = ["int32", "double", "float", "decimal_9_2", "decimal_18_3",
             "timestamp_us", "timestamp_ms", "date", "string", "int64",
             "decimal_fixed_16", "boolean"]
    for i, kind in enumerate(rng.sample(kinds, rng.choice([2, 4, 6]))):
        most = rng.choice([2, 9, 60])
        values = [grouped.value_of(rng, kind, rng.randrange(most))
                  if "decimal" not in kind else rng.randrange(-99, 9999)
                  for _ in range(n)]
        if kind in ("timestamp_us", "timestamp_ms"):
            per = 10 ** 6 if kind[-2] == "u" else 1000
            values = [(1700000000 + rng.randrange(3 * 10 ** 6)) * per +
                      rng.choice([0, 0, 1]) for _ in range(n)]
        if kind == "decimal_fixed_16":
            values = [v.to_bytes(16, "big", signed=True) for v in values]
        values = made_files.with_nulls(rng, values)
        if rng.random() < 0.3:       # nothing but nulls for a while
            values = [None if i < n // 2 else v for i, v in enumerate(values)]
        columns.append(parquet_file.Column(["g%d" % i], kind, values, False,
                                           made_files.some_how(rng)))
    plan = parquet_file.some_plan(rng, columns, False)
    parquet_file.write(path, columns, made_files.some_groups(rng, n),
                       rng.choice([1, 3, 20, 64, 1000]), plan=plan)
    return ", ".join(plan.options) if plan else ""


OPTIONS = ["", "", "", "threads=0", "threads=0", "threads=2", "threads=5",
           "trust_stats=off",
           "nan=text", "decimal=text", "timestamp=raw", "timestamp=unixepoch",
           "memory='1MB'", "memory='1MB', threads=0"]


def many_groups(rng, path):
    """So many groups that the least memory does not hold those of k and s."""
    n = 12000
    columns = [parquet_file.Column([name], kind, values, False, how)
               for name, kind, values, how in (
        ("k", "int64", [i * 7919 % 9000 for i in range(n)], {"statistics"}),
        ("s", "string", [b"%040d" % (i * 31 % 11000) for i in range(n)],
         {"statistics"}),
        ("f", "double", [None if i % 17 == 3 else i % 50 / 4
                         for i in range(n)], {"dictionary"}),
        ("m", "decimal_9_2", [rng.randrange(-999, 9999) for _ in range(n)],
         set()),
        ("v", "int32", [rng.randrange(-99, 999) for _ in range(n)], set()))]
    parquet_file.write(path, columns, [n // 3] * 3, 1000)


def tame_file(rng, path, kinds):
    """Of columns whose sums are exact, whatever the file."""
    n = rng.choice([0, 1, 60, 300, 900])
    columns = []
    for i, kind in enumerate(kinds):
        most = rng.choice([2, 9, 60])
        values = made_files.with_nulls(rng, [grouped.value_of(
            rng, kind, rng.randrange(most)) for _ in range(n)])
        columns.append(parquet_file.Column(["g%d" % i], kind, values, False,
                                           made_files.some_how(rng)))
    parquet_file.write(path, columns, made_files.some_groups(rng, n),
                       rng.choice([3, 20, 64, 1000]))


class Versions:
    """A table whose file is now one of several, each with a copy."""

    def __init__(self, extension, rng, folder):
        self.db = connect(extension)
        self.path = os.path.join(folder, "at.parquet")
        kinds = [rng.choice(["int32", "int64", "double", "date", "string",
                             "decimal_9_2"]) for _ in range(3)] + ["int64"]
        self.bases, self.files, self.now = [], [], None
        options = rng.choice(["", ", threads=0", ", threads=5",
                              ", memory='1MB'"])
        for i in range(3):
            path = os.path.join(folder, "v%d.parquet" % i)
            tame_file(rng, path, kinds)
            with open(path, "rb") as f:
                self.files.append(f.read())
            source = "'%s'%s" % (path, options)
            self.db.execute("CREATE VIRTUAL TABLE temp.t%d USING parquet(%s)" %
                            (i, source))
            base = Base(self.db, i, source)
            base.columns = [c for c in base.columns if c[0] != "filename"]
            self.bases.append(base)
        self.source = "'%s'%s" % (self.path, options)
        self.put(0)

    def put(self, version):
        """Another file takes the place of the file."""
        if version != self.now:
            with open(self.path + ".new", "wb") as f:
                f.write(self.files[version])
            os.replace(self.path + ".new", self.path)
            self.now = version


class Table:
    """A connection, and the bases in it."""

    def __init__(self, extension, rng, folder, files, first):
        kind = rng.randrange(10)
        self.bases, self.made = [], []
        if first:
            self.db = connect(extension)
            path = os.path.join(folder, "many.parquet")
            many_groups(rng, path)
            source = "'%s', memory='1MB', %s" % (path, rng.choice(
                ["threads=0", "threads=2", "threads=5"]))
            self.db.execute("CREATE VIRTUAL TABLE temp.t0 USING parquet(%s)" %
                            source)
            some = [(0, source)]
        elif kind < 4:
            world = World(extension, rng, folder)
            self.db = world.db
            some = [(i, t.source) for i, t in enumerate(world.tables)
                    if not t.native and t.source]
        elif kind < 7:
            t = grouped.Table(extension, rng, folder)
            self.db = t.db
            t.db.execute("ALTER TABLE t RENAME TO t0")
            t.db.execute("DROP TABLE s")
            t.db.execute("DROP TABLE n")
            some = [(0, t.source)]
        else:
            self.db = connect(extension, rng.choice(["UTF-8"] * 4 +
                                                    ["UTF-16le"]))
            if kind < 9 or not files:
                path = os.path.join(folder, "rich.parquet")
                needs = rich_file(rng, path)
            else:
                path, needs = rng.choice(files), ""
            source = ", ".join(o for o in ["'%s'" % path.replace("'", "''"),
                                           needs, rng.choice(OPTIONS)] if o)
            self.db.execute("CREATE VIRTUAL TABLE temp.t0 USING parquet(%s)" %
                            source)
            some = [(0, source)]
        for i, source in some[:2]:
            self.bases.append(Base(self.db, i, source))
        if first:
            self.bases[0].many = ["k", "s"]


# ---- definitions ---------------------------------------------------------------

TEXT = ["substr(%s, 1, 1)", "upper(%s)", "coalesce(%s, 'none')", "length(%s)",
        "CASE WHEN %s > 'b' THEN 'x' ELSE 'y' END", "%s || '!'", "trim(%s)",
        "%s = 'a'", "%s IS NULL", "substr(%s, -1)", "hex(%s)", "lower(%s)",
        "%s COLLATE BINARY", "CAST(%s AS BLOB) < x'62'", "%s + 0",
        "%s + 0 + length(x'00')"]
NUMBER = ["%s %% 3", "%s / 10", "CAST(%s AS INTEGER)", "round(%s)", "abs(%s)",
          "%s + 1", "coalesce(%s, 0)", "CASE WHEN %s > 3 THEN 'big' END",
          "CAST(%s AS TEXT)", "%s IS NULL", "typeof(%s)", "-%s", "%s > 2",
          "%s * 0.5", "coalesce(%s, 'none')", "nullif(%s, 0)"]
TIME = ["date(%s)", "date(%s)", "date(%s)", "strftime('%%Y-%%m', %s)",
        "strftime('%%Y', %s)", "strftime('%%H', %s)", "strftime('%%w', %s)",
        "strftime('%%j', %s)", "strftime('%%Y-%%m-%%d %%H:00', %s)",
        "strftime('%%M', %s)", "strftime('%%s', %s)", "strftime('%%W', %s)",
        "date(%s, 'start of month')", "substr(%s, 1, 7)", "datetime(%s)",
        "strftime('%%d.%%m.%%Y', %s)", "time(%s)"]
OTHER = ["typeof(%s)", "%s IS NULL", "hex(%s)", "length(%s)",
         "coalesce(%s, 0)"]
EXPRESSIONS = {"text": TEXT, "integer": NUMBER, "real": NUMBER,
               "decimal": NUMBER, "time": TIME + TEXT[:4], "other": OTHER}


class Column:
    """how: exact, rounded (to rounding), or loose (1 or 1.0)."""

    def __init__(self, text, reference, how="exact"):
        self.text, self.reference, self.how = text, reference, how


def a_dimension(rng, base):
    name, _ = rng.choice(base.columns)
    text, how = quoted(name), "exact"
    if rng.random() < 0.3 and name.isalnum() and not name[0].isdigit():
        text = rng.choice([name, name.upper(), "[%s]" % name])
    if rng.random() < 0.4:
        text = rng.choice(EXPRESSIONS[base.kinds[name]]) % text
        how = "loose" if ", 0)" in text or " + 0" in text else how
    if "union_by_name" in base.source:
        how = "loose"
    return Column(text, text, how)


def arithmetic(rng, base):
    """(text, how), of columns with numbers."""
    some = [c for c, _ in base.columns
            if base.kinds[c] in ("integer", "real", "decimal")]
    if not some:
        return "1", "exact"
    x, y = rng.choice(some), rng.choice(some)
    text = rng.choice([
        "{x} + {y}", "{x} * {y}", "{x} * (1 - {y})", "{x} - 1", "-{x}",
        "{x} * 2 + 1", "{x} / 4", "{x} / {y}", "({x} + 1) * ({y} - 2)", "+{x}",
        "{x} - {y}", "{x} * 0.25", "3 - {x} / 2", "{x} * {y} * {x}",
        "{x} / 0", "1.5", "7", "{x} % {y}", "9007199254740993 % {x}",
        "-9223372036854775808", "(+{x})"])
    rounded = "decimal" in [base.kinds[c] for c in (x, y)] or "/" in text
    return text.format(x=quoted(x), y=quoted(y)), \
        "rounded" if rounded else "exact"


def a_measure(rng, base):
    kind = rng.randrange(12)
    if kind < 2:
        return Column("count(*)", "count(*)")
    name, _ = rng.choice(base.columns)
    q = quoted(name)
    if kind < 4:
        return Column("count(%s)" % q, "count(%s)" % q)
    if kind < 7:
        word = rng.choice(["min", "max"])
        return Column("%s(%s)" % (word, q), "%s(%s)" % (word, q))
    some = [c for c, _ in base.columns
            if base.kinds[c] in ("integer", "real", "decimal")]
    if kind < 10 and some:
        name = rng.choice(some)
        text = "sum(%s)" % quoted(name)
        if base.kinds[name] == "decimal":
            return Column(text, "exact_sum(%s)" % quoted("exact " + name))
        return Column(text, text)
    text, how = arithmetic(rng, base)
    text = rng.choice(["sum", "sum", "min", "max", "count"]) + "(%s)" % text
    return Column(text, text, how)


class Rollup:
    """A rollup table, and native ones of its groups."""

    nested = []                      # columns that are only shown

    def __init__(self, rng, base, name, source=None):
        self.base, self.db = base, base.db
        self.schema = rng.choice(["temp", "temp", "main", "aux"])
        if not self.db.execute("SELECT count(*) FROM pragma_database_list "
                               "WHERE name = 'aux'").fetchone()[0]:
            self.db.execute("ATTACH ':memory:' AS aux")
        self.plain, self.name = name, rng.choice(
            [name, "%s.%s" % (self.schema, name)])
        self.dims = [Column(c, c) for c in base.many]
        self.measures, self.made = [], {}
        for _ in range(rng.choice([1, 2, 3, 3, 5])):
            self.dims.append(a_dimension(rng, base))
        for _ in range(rng.choice([1, 2, 3, 5])):
            self.measures.append(a_measure(rng, base))
        parts = ["%s AS %s%d" % (c.text, letter, i)
                 for letter, some in (("d", self.dims), ("m", self.measures))
                 for i, c in enumerate(some)]
        rng.shuffle(parts)
        # All columns are dimensions.
        whole = rng.random() < 0.15 and len(base.columns) > len(base.hidden)
        if whole:
            parts = [p for p in parts if p.split()[-1][0] == "m"]
            self.dims = [Column(quoted(c), quoted(c)) for c, _ in base.columns
                         if c not in base.hidden]
        # In the order in which they are declared.
        names = [p.split()[-1] for p in parts]
        dims = [d for d in names if d[0] == "d"]
        self.dims = self.dims if whole else [self.dims[int(d[1:])]
                                             for d in dims]
        self.measures = [self.measures[int(m[1:])] for m in names
                         if m[0] == "m"]
        if whole:
            dims = [c for c, _ in base.columns if c not in base.hidden]
        self.text = rng.choice([", ", ",", " ,\n "]).join(parts)
        self.create = "CREATE VIRTUAL TABLE %s.%s USING parquet(%s, " \
            "rollup='%s')" % (self.schema, name, source or base.source,
                              self.text.replace("'", "''"))
        self.n_dims = len(self.dims)
        self.columns = self.make(dims + [m for m in names if m[0] == "m"])
        self.samples = {}

    def make(self, names):
        """Creates it; its columns as they are declared."""
        self.db.execute(self.create)
        columns = [(r[1].decode(), r[2].decode()) for r in self.db.execute(
            "PRAGMA %s.table_xinfo(%s)" % (self.schema, self.plain))
            if not r[6]]
        self.visible = [c for c, _ in columns]
        if [c for c, _ in columns] != names:
            raise ValueError("the columns are %s, not %s" % (columns, names))
        return columns

    def reference(self, mentioned, copy=None):
        """The native table with a row per combination of these dimensions, of
        what copy has."""
        copy = copy or self.base.copy
        dims = tuple(sorted(mentioned))
        key = dims, copy
        if key not in self.made:
            table = "%s_%s_%s" % (self.plain, copy,
                                  "_".join(map(str, dims)) or "all")
            # Columns that are not mentioned are there so that names and types
            # are those of the rollup; nobody looks at them.
            self.db.execute("CREATE TEMP TABLE %s(%s)" % (table, ", ".join(
                '%s %s' % (quoted(c), quoted(t) if t else "")
                for c, t in self.columns)))
            self.db.execute("INSERT INTO %s SELECT %s FROM %s%s" % (
                table, ", ".join(
                    [c.reference if i in dims else "NULL"
                     for i, c in enumerate(self.dims)] +
                    [m.reference for m in self.measures]),
                copy, " GROUP BY " + ", ".join(
                    self.dims[i].reference for i in dims) if dims else ""))
            self.made[key] = table
        return self.made[key]

    def sample(self, rng, column):
        """A value of a column, as Python has it; texts as str."""
        if column not in self.samples:
            name = self.columns[column][0]
            try:
                table = self.reference(
                    [column] if column < self.n_dims else [0])
            except sqlite3.OperationalError:     # a sum overflows
                return 1
            self.samples[column] = [
                v.decode("utf-8", "surrogateescape")
                if kind == b"text" and isinstance(v, bytes) else v
                for v, kind in self.db.execute(
                    "SELECT {0}, typeof({0}) FROM {1} LIMIT 40".format(
                        quoted(name), table))]
        some = self.samples[column]
        return rng.choice(some) if some else None


# ---- statements ----------------------------------------------------------------

class Ref:
    """A rollup in a FROM clause."""

    def __init__(self, number, rollup, alias, rng):
        self.number, self.rollup, self.alias = number, rollup, alias
        self.mark = "\x01%d\x02" % number
        self.mentioned = set()
        n = rollup.n_dims
        self.likely = rng.sample(range(n), min(n, rng.choice([0, 1, 1, 2, 3])))

    def name(self, i):
        if i < self.rollup.n_dims:
            self.mentioned.add(i)
        return self.alias + "." + quoted(self.rollup.columns[i][0])


class Maker:
    def __init__(self, rng, rollups):
        self.rng, self.rollups = rng, rollups
        self.refs, self.arguments, self.rough = [], [], False
        self.literal = False         # no parameters

    def ref(self, alias, rollup=None):
        r = Ref(len(self.refs), rollup or self.rng.choice(self.rollups), alias,
                self.rng)
        self.refs.append(r)
        return r

    def table(self, r):
        return "%s %s" % (r.mark, r.alias)

    def dim(self, r):
        some = r.likely if self.rng.random() < 0.8 else range(r.rollup.n_dims)
        return r.name(self.rng.choice(list(some) or [0]))

    def measure(self, r, exact=False):
        some = [i for i, m in enumerate(r.rollup.measures)
                if not exact or m.how == "exact"]
        if not some:
            return "1"
        i = self.rng.choice(some)
        self.rough |= r.rollup.measures[i].how != "exact"
        return r.name(r.rollup.n_dims + i)

    def value(self, v):
        v = queries.bindable(v)
        if self.literal or self.rng.random() < 0.5:
            text = queries.literal(v)
            if text is not None or self.literal:
                return text or "NULL"
        sql, arguments = queries.parameter(v)
        self.arguments += arguments
        return sql.replace("?", "?%d" % len(self.arguments))

    def near(self, r, i):
        v = r.rollup.sample(self.rng, i)
        return self.value(queries.near(self.rng, v)
                          if self.rng.random() < 0.5 else v)

    def term(self, r):
        rng = self.rng
        if rng.random() < 0.25:
            some = [r.rollup.n_dims + i
                    for i, m in enumerate(r.rollup.measures)
                    if m.how == "exact"]
            i = rng.choice(some) if some else 0
        else:
            some = r.likely if rng.random() < 0.8 else []
            i = rng.choice(list(some) or range(r.rollup.n_dims))
        c = r.name(i)
        kind = rng.randrange(14)
        if kind < 7:
            op = rng.choice(["=", "=", "=", "<", "<=", ">", ">=", "<>", "IS",
                             "IS NOT"])
            return "%s %s %s" % (c, op, self.near(r, i))
        if kind == 7:
            return "%s IN (%s)" % (c, ", ".join(
                self.near(r, i) for _ in range(rng.choice([1, 2, 5]))))
        if kind == 8:
            return "%s BETWEEN %s AND %s" % (c, self.near(r, i),
                                             self.near(r, i))
        if kind == 9:
            return "%s IS %sNULL" % (c, rng.choice(["", "NOT "]))
        if kind == 10 and rng.random() < 0.5:
            return "%s LIKE substr(%s, 1, %d) || '%%'" % (
                c, self.near(r, i), rng.randint(3, 11))
        if kind == 10:
            return "%s %s %s" % (c, rng.choice(["LIKE", "GLOB"]), rng.choice(
                ["'a%'", "'%1%'", "'2*'", "'*'", "'a_c%'", "'20%'"]))
        if kind == 11:
            return "%s IN (SELECT k FROM %s)" % (c, r.rollup.base.keys)
        if kind == 12:
            return "NOT (%s = %s)" % (c, self.near(r, i))
        return "+%s > %s" % (c, self.near(r, i))

    def condition(self, r):
        rng = self.rng
        kind = rng.randrange(10)
        if kind < 6:
            return self.term(r)
        if kind < 8:
            return "(%s OR %s)" % (self.term(r), self.term(r))
        return "%s AND %s" % (self.term(r), self.term(r))

    def where(self, r, share=0.6):
        return " WHERE " + self.condition(r) if self.rng.random() < share \
            else ""

    def shown(self, r, exact=False):
        some = [r.name(i) for i in r.likely] + \
            [self.measure(r, exact) for _ in range(self.rng.randrange(3))]
        if r.rollup.nested and self.rng.random() < 0.3:
            some.append(r.alias + "." + quoted(self.rng.choice(
                r.rollup.nested)))
        return some or [self.measure(r, exact)]

    def plain(self):
        rng, r = self.rng, self.ref("x")
        cut = rng.random() < 0.4
        shown, w = self.shown(r, cut), self.where(r)
        cut = cut and not r.rollup.nested
        if rng.random() < 0.15:
            shown = ["\x06%d\x06" % r.number]
            for i in range(r.rollup.n_dims):
                r.name(i)
            self.rough |= any(m.how != "exact" for m in r.rollup.measures)
        sql = "SELECT %s FROM %s%s" % (", ".join(shown), self.table(r), w)
        if not cut:
            return sql, "rows"
        order = [r.name(i) for i in sorted(r.mentioned)]
        rng.shuffle(order)
        if rng.random() < 0.5:
            order.insert(0, self.measure(r, True))
        if not order or "\x06" in shown[0]:
            return sql, "rows"
        sql += " ORDER BY " + ", ".join(o + rng.choice(["", "", " DESC"])
                                        for o in order)
        return sql + rng.choice(["", " LIMIT 3", " LIMIT 5 OFFSET 2"]), \
            "ordered"

    def grouped(self):
        rng, r = self.rng, self.ref("x")
        by = [self.dim(r) for _ in range(rng.choice([1, 1, 2]))]
        made = [rng.choice(["sum(%s)", "max(%s)", "min(%s)", "count(%s)",
                            "count(DISTINCT %s)"]) % self.measure(r, True)
                for _ in range(2)] + rng.choice([[], ["count(*)"], [
                    "max(%s)" % self.dim(r)]])
        having = rng.choice(["", "", " HAVING count(*) > 1", " HAVING max(%s) "
                             "> 2" % self.measure(r, True)])
        self.rough = True            # sums of sums may be of any numbers
        return "SELECT %s FROM %s%s GROUP BY %s%s" % (
            ", ".join(by + made), self.table(r), self.where(r),
            ", ".join(by), having), "rows"

    def whole(self):
        rng, r = self.rng, self.ref("x")
        some = rng.choice([["count(*)"], [self.measure(r)],
                           ["sum(%s)" % self.measure(r, True), "count(*)"],
                           ["max(%s)" % self.dim(r)],
                           ["min(%s)" % self.dim(r), "count(*)"],
                           ["count(DISTINCT %s)" % self.dim(r)]])
        self.rough = True
        return "SELECT %s FROM %s%s" % (", ".join(some), self.table(r),
                                        self.where(r, 0.4)), "rows"

    def distinct(self):
        r = self.ref("x")
        return "SELECT DISTINCT %s FROM %s%s" % (
            ", ".join(self.dim(r) for _ in range(2)), self.table(r),
            self.where(r)), "loose"

    def joined(self):
        rng, r = self.rng, self.ref("x")
        keys = r.rollup.base.keys
        on = "%s %s n.k" % (self.dim(r), rng.choice(["=", "=", "=", "IS", "<"]))
        if rng.random() < 0.2:
            on += " AND " + self.condition(r)
        pair = [keys + " n", self.table(r)]
        if rng.random() < 0.3:
            pair.reverse()
        way = rng.choice(["JOIN", "JOIN", "CROSS JOIN", "LEFT JOIN",
                          "RIGHT JOIN", "FULL JOIN"])
        return "SELECT n.k, n.w, %s FROM %s %s %s ON %s%s" % (
            ", ".join(self.shown(r)), pair[0], way, pair[1], on,
            self.where(r, 0.3)), "rows"

    def itself(self):
        rng, x = self.rng, self.ref("x")
        y = self.ref("y", x.rollup if rng.random() < 0.7 else None)
        i = rng.choice(x.likely or [0])
        k = i if y.rollup is x.rollup else rng.randrange(y.rollup.n_dims)
        on = "%s %s %s" % (x.name(i), rng.choice(["=", "=", "IS"]), y.name(k))
        return "SELECT %s FROM %s %s %s ON %s%s" % (
            ", ".join(self.shown(x) + self.shown(y)), self.table(x),
            rng.choice(["JOIN", "JOIN", "LEFT JOIN"]), self.table(y), on,
            self.where(x, 0.4)), "rows"

    def ordinary(self):
        """Joined with the rows of the file."""
        rng, r = self.rng, self.ref("x")
        b = r.rollup.base
        c = quoted(rng.choice(b.columns)[0])
        on = "%s = t.%s" % (self.dim(r), c)
        self.rough = True
        return "SELECT count(*), count(%s), max(%s), max(t.%s) FROM \x03%s\x04 t" \
            " %s %s ON %s%s" % (
                self.dim(r), self.dim(r), c, b.ordinary,
                rng.choice(["JOIN", "LEFT JOIN", "CROSS JOIN"]), self.table(r),
                on, self.where(r, 0.4)), "rows"

    def correlated(self):
        rng, r = self.rng, self.ref("x")
        keys = r.rollup.base.keys
        w = "%s = n.k" % self.dim(r)
        if rng.random() < 0.3:
            w += rng.choice([" AND ", " OR "]) + self.condition(r)
        inner = rng.choice([
            "(SELECT sum(%s) FROM @ WHERE %s)" % (self.measure(r, True), w),
            "(SELECT count(*) FROM @ WHERE %s)" % w,
            "(SELECT max(%s) FROM @ WHERE %s)" % (self.dim(r), w),
            "EXISTS (SELECT 1 FROM @ WHERE %s)" % w,
            "n.k IN (SELECT %s FROM @ WHERE %s)" % (self.dim(r), w)])
        self.rough = True
        return "SELECT n.k, n.w, %s FROM %s n" % (
            inner.replace("@", self.table(r)), keys), "rows"

    def inside(self):
        r = self.ref("x")
        return "SELECT n.k, n.w FROM %s n WHERE n.k %sIN (SELECT %s FROM %s%s)" \
            % (r.rollup.base.keys, self.rng.choice(["", "NOT "]), self.dim(r),
               self.table(r), self.where(r)), "rows"

    def compound(self):
        rng, x, y = self.rng, self.ref("x"), self.ref("y")
        return "SELECT %s, %s FROM %s%s %s SELECT %s, %s FROM %s%s" % (
            self.dim(x), self.measure(x, True), self.table(x), self.where(x),
            rng.choice(["UNION ALL", "UNION", "EXCEPT", "INTERSECT"]),
            self.dim(y), self.measure(y, True), self.table(y),
            self.where(y)), "loose"

    def window(self):
        r = self.ref("x")
        d, m = self.dim(r), self.measure(r, True)
        return "SELECT %s, %s, sum(%s) OVER (PARTITION BY %s), rank() OVER " \
            "(ORDER BY %s) FROM %s%s" % (d, m, m, self.dim(r), m,
                                         self.table(r), self.where(r)), "rows"

    def common(self):
        r = self.ref("x")
        self.rough = True
        return "WITH q AS %s(SELECT %s AS k, %s AS v FROM %s%s) SELECT a.k, a.v," \
            " b.v FROM q a JOIN q b ON a.k IS b.k" % (
                self.rng.choice(["", "MATERIALIZED "]), self.dim(r),
                self.measure(r), self.table(r), self.where(r)), "rows"

    def viewed(self):
        """A view of some of its columns, all of which are asked for."""
        self.literal, self.rough = True, True
        rng, r = self.rng, self.ref("x")
        dims = [r.name(i) for i in r.likely] or [r.name(0)]
        made = [self.measure(r, True)]
        view = "CREATE TEMP VIEW vw AS SELECT %s FROM %s%s" % (
            ", ".join("%s AS c%d" % (c, i)
                      for i, c in enumerate(dims + made)),
            self.table(r), self.where(r, 0.4))
        names = ["c%d" % i for i in range(len(dims + made))]
        sql = rng.choice([
            "SELECT * FROM vw", "SELECT %s, sum(%s) FROM vw GROUP BY %s" % (
                ", ".join(names[:-1]), names[-1], ", ".join(names[:-1])),
            "SELECT n.w, vw.* FROM %s n JOIN vw ON vw.c0 = n.k" %
            r.rollup.base.keys,
            "SELECT * FROM vw WHERE c0 > 'a' OR c0 < 3"])
        return ";;".join([view, sql, "DROP VIEW vw"]), "rows"

    def triggered(self):
        """A trigger reads it for each row that a native table gets."""
        self.literal, self.rough = True, True
        r = self.ref("x")
        return ";;".join([
            "CREATE TEMP TABLE got(k, v)", "CREATE TEMP TABLE put(k)",
            "CREATE TEMP TRIGGER fire AFTER INSERT ON put BEGIN INSERT INTO "
            "got SELECT %s, %s FROM %s WHERE %s = new.k; END" % (
                self.dim(r), self.measure(r, True), self.table(r),
                self.dim(r)),
            "INSERT INTO put SELECT k FROM " + r.rollup.base.keys,
            "SELECT * FROM got", "DROP TABLE put", "DROP TABLE got"]), "rows"

    def statement(self):
        way, = self.rng.choices(
            [self.plain, self.grouped, self.whole, self.distinct, self.joined,
             self.itself, self.ordinary, self.correlated, self.inside,
             self.compound, self.window, self.common, self.viewed,
             self.triggered],
            [9, 4, 3, 1, 4, 2, 1, 3, 1, 1, 1, 1, 1, 0.5])
        sql, how = way()
        # What was drawn and not taken is not mentioned.
        for r in self.refs:
            r.mentioned = {
                i for i in range(r.rollup.n_dims)
                if r.alias + "." + quoted(r.rollup.columns[i][0]) in sql or
                "\x06%d\x06" % r.number in sql}
            # Of 0 and 0.0 in one group either is shown.
            self.rough |= any(r.rollup.dims[i].how == "loose"
                              for i in r.mentioned)
        return sql, how, way.__name__

    def ours(self, sql):
        sql = re.sub("\x06.*\x06", "*", re.sub("\x03(\\w+)\x04", r"\1", sql))
        return MARK.sub(lambda m: self.refs[int(m[1])].rollup.name, sql)

    def theirs(self, sql, copy=None):
        # An unused column of the copy does not matter, and it has them all.
        sql = re.sub("\x03t(\\d+)\x04", r"q\1", sql)
        sql = re.sub("\x06(.*)\x06", lambda m: ", ".join(
            quoted(c) for c in self.refs[int(m[1])].rollup.visible), sql)
        return MARK.sub(lambda m: self.refs[int(m[1])].rollup.reference(
            self.refs[int(m[1])].mentioned, copy), sql)


# ---- the run -------------------------------------------------------------------

def alike(a, b, rough):
    if a == b and type(a) == type(b):
        return True
    numbers = (int, float)
    if not (rough and isinstance(a, numbers) and isinstance(b, numbers)):
        return isinstance(a, float) and isinstance(b, float) and a == b
    return a == b or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-7)


def place(row, rough):
    row = [0.0 if v == 0 and isinstance(v, float) else v for v in row]
    if not rough:
        return [(type(v).__name__, repr(v)) for v in row]
    return [("number", "%.5g" % v) if isinstance(v, (int, float))
            else (type(v).__name__, repr(v)) for v in row]


def same(a, b, rough):
    return len(a) == len(b) and all(
        len(x) == len(y) and all(alike(v, w, rough) for v, w in zip(x, y))
        for x, y in zip(a, b))


def differ(ours, theirs, how, rough):
    if isinstance(ours, str) or isinstance(theirs, str):
        if isinstance(ours, str) and isinstance(theirs, str):
            return None
        return "%.200s, not %.200s" % tuple(
            x if isinstance(x, str) else "%d rows" % len(x)
            for x in (ours, theirs))
    rough = rough or how == "loose"
    if how != "ordered":
        ours, theirs = (sorted(x, key=lambda r: place(r, rough))
                        for x in (ours, theirs))
    if same(ours, theirs, rough):
        return None
    if rough and len(ours) == len(theirs) and how != "ordered":
        # Beside a border of rounding.
        ours, left = list(ours), list(theirs)
        for r in list(ours):
            if r in left:
                left.remove(r)
                ours.remove(r)
        for r in ours:
            i = next((i for i, s in enumerate(left) if same([r], [s], True)),
                     None)
            if i is None:
                break
            left.pop(i)
        if not left:
            return None
        ours = ours + [()] * (len(theirs) - len(ours))
    i = next((i for i in range(min(len(ours), len(theirs)))
              if not same(ours[i:i + 1], theirs[i:i + 1], rough)), 0)
    return "%d rows, not %d; row %d is %.300s, not %.300s" % (
        len(ours), len(theirs), i, (ours + ["none"])[i],
        (theirs + ["none"])[i])


def ask(db, sql, arguments):
    """The rows.  Statements with ;; between them are run one after the other, the
    last ones too if one fails."""
    db.set_progress_handler(Patience(), 1000)
    rows, failed = [], None
    try:
        for one in sql.split(";;"):
            if failed and not one.startswith("DROP"):
                continue
            try:
                got = db.execute(one, arguments).fetchall()
                rows = got if one.startswith(("SELECT", "WITH", "EXPLAIN")) \
                    else rows
            except ERRORS as e:
                failed = failed or str(e)
        return failed or rows
    finally:
        db.set_progress_handler(None, 0)


def again(db, rng, sql, arguments, others):
    """Run with other parameters, left in the middle; maybe others in turns."""
    cursor = db.cursor()
    db.set_progress_handler(Patience(), 1000)
    try:
        cursor.execute(sql, [queries.near(rng, None) if rng.random() < 0.5
                             else a for a in map(plain_value, arguments)])
        cursor.fetchmany(rng.choice([0, 1, 3]))
        cursor.execute(sql, arguments)
        rows = cursor.fetchmany(rng.choice([0, 1, 5]))
        open_ones = [db.cursor().execute(*o) for o in others]
        for _ in range(3):
            for c in open_ones:
                c.fetchmany(rng.choice([1, 3, 100]))
            rows += cursor.fetchmany(rng.choice([1, 5]))
        return rows + cursor.fetchall()
    except (OverflowError, UnicodeEncodeError):
        return None
    except ERRORS as e:
        return str(e)
    finally:
        db.set_progress_handler(None, 0)


def plain_value(v):
    return v if not isinstance(v, int) or -2 ** 63 <= v < 2 ** 63 else 0


class Run:
    name, also = "rollups", ("spilled",)
    if os.environ.get("LANES"):      # the build that lanes.mk makes
        also += ("by threads",)

    def table(self, rng, folder, first):
        # Some statements are prepared once, and run again.
        worlds.cached_statements = rng.choice([0, 200])
        if not first and rng.random() < 0.1:
            return Versions(self.extension, rng, folder)
        return Table(self.extension, rng, folder, self.files, first)

    def __init__(self, extension, seed, folder, files):
        self.extension, self.seed, self.folder = extension, seed, folder
        self.counts, self.ways = collections.Counter(), collections.Counter()
        self.files, self.refused = files, collections.Counter()

    def rollups(self, t, rng, number):
        out = []
        for k in range(ROLLUPS):
            base = rng.choice(t.bases)
            try:
                if isinstance(t, Versions):
                    out.append(Rollup(rng, t.bases[0], "r%d" % k, t.source))
                else:
                    out.append(Rollup(rng, base, "r%d" % k))
            except (sqlite3.Error, ValueError) as e:
                text = str(e)
                if "\n" in text:
                    text = text.split("\n")[0]
                self.counts["not created"] += 1
                self.refused[text[:150]] += 1
                if "SHOW" in os.environ:
                    print("NOT CREATED by %d: %s" % (number, e))
        return out

    def spilled(self, t, sql, arguments):
        """What the last statement read and wrote, as the tables count it."""
        try:
            cursor = t.db.execute("SELECT * FROM parquet_scan_stats()")
            names = [d[0] for d in cursor.description]
            for r in cursor:
                row = dict(zip(names, r))
                self.counts["pruned"] += row["row_groups_skipped"] + \
                    row["pages_skipped"] > 0
                self.counts["spilled"] += b"spilled" in (row["notes"] or b"")
                self.counts["by threads"] += b"added up" in (row["notes"] or b"")
                break
        except sqlite3.Error:
            pass

    def case(self, t, rollups, number, only):
        rng = random.Random("case %d %d" % (self.seed, number))
        m, copy = Maker(rng, rollups), None
        try:
            if isinstance(t, Versions):
                t.put(number % len(t.files))
                copy = t.bases[t.now].copy
                # One of a few statements, so that it has been prepared.
                m.rng = random.Random("few %d" % (number // len(t.files)))
            sql, how, way = m.statement()
            theirs = ask(t.db, m.theirs(sql, copy), m.arguments)
        except ERRORS as e:          # the reference itself: sums overflow
            self.counts["given up"] += 1
            if only is not None:
                print("no reference: %s" % e)
            return
        if theirs == "interrupted" or "MATERIALIZED" in str(theirs):
            self.counts["given up"] += 1
            return
        ours_sql = m.ours(sql)
        if only is not None:
            print(ours_sql, m.arguments, "\n", m.theirs(sql, copy))
            for r in rollups:
                print(" ", r.create)
        with open(os.path.join(self.folder, "asked"), "w",
                  errors="surrogateescape") as f:
            f.write("case %d of seed %d\n%s\n%r\n%s" % (
                number, self.seed, ours_sql, m.arguments,
                "\n".join(r.create for r in rollups)))
        ours = ask(t.db, ours_sql, m.arguments)
        self.spilled(t, ours_sql, m.arguments)
        plan = "" if ";;" in ours_sql else str(
            ask(t.db, "EXPLAIN QUERY PLAN " + ours_sql, m.arguments))
        self.counts["a row per"] += "a row " in plan
        self.counts["pushed"] += "exactly" in plan or "rows by" in plan
        if ours == "interrupted":
            self.counts["given up"] += 1
            return
        if isinstance(ours, str) and "memory" in ours:
            self.counts["too large"] += 1
            return
        why = differ(ours, theirs, how, m.rough)
        if why is None and rng.random() < 0.25 and ";;" not in ours_sql:
            others = []
            for _ in range(rng.choice([0, 1, 2, 7])):
                other = Maker(rng, rollups)
                text = other.statement()[0]
                if ";;" not in text:
                    others.append((other.ours(text), other.arguments))
            ours = again(t.db, rng, ours_sql, m.arguments, others)
            if ours is not None and ours != "interrupted" and not (
                    isinstance(ours, str) and not isinstance(theirs, str)
                    and ("memory" in ours or "overflow" in ours)):
                why = differ(ours, theirs, how, m.rough)
                why = why and "again: " + why
        self.counts["failed" if why else "passed"] += 1
        self.counts["refused"] += isinstance(theirs, str)
        self.ways[way] += 1
        if why:
            used = {r.rollup for r in m.refs}
            print("FAIL case %d of seed %d: %s\n  %s\n  with %r\n  as %s" % (
                number, self.seed, why, ours_sql, m.arguments,
                m.theirs(sql, copy)))
            for r in used:
                print("  %s: %s\n  (%d rows)" % (r.name, r.create, r.base.n))
            print("  alone: CASE=%d %s %s %s %d 1 $(mktemp -d)/r %s" % (
                number, sys.executable, sys.argv[0], self.extension,
                self.seed, " ".join(self.files)))
            sys.stdout.flush()

    def all(self, cases, only):
        for first in range(0, cases, PER_ROLLUP * 2):
            end = min(first + PER_ROLLUP * 2, cases)
            if only is not None and not first <= only < end:
                continue
            rng = random.Random("table %d %d" % (self.seed, first))
            folder = os.path.join(self.folder, str(first))
            os.makedirs(folder)
            try:
                t = self.table(rng, folder, first == 0)
            except (sqlite3.Error, ValueError) as e:
                self.counts["unread"] += 1
                self.refused[str(e)[:150]] += 1
                if only is not None:
                    print("unread: %s" % e)
                continue
            rollups = self.rollups(t, rng, first)
            for number in range(first, end):
                if rollups and (only is None or number == only):
                    self.case(t, rollups, number, only)
            t.db.close()
            if not self.counts["failed"] and only is None:
                shutil.rmtree(folder)


def main(kind=Run):
    extension, seed, cases = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    only = int(os.environ["CASE"]) if os.environ.get("CASE") else None
    os.makedirs(sys.argv[4], exist_ok=True)
    run = kind(extension, seed, sys.argv[4], sys.argv[5:])
    run.all(cases if only is None else only + 1, only)
    c = run.counts
    print("%s by kind: %s" % (run.name, ", ".join(
        "%d %s" % (n, w) for w, n in run.ways.most_common())))
    for text, n in run.refused.most_common(6):
        print("  not created %d times: %s" % (n, text))
    print("%s (seed %d): %d passed, %d failed, %d not created, %d unread, "
          "%d refused by both, %d too large, %d given up, %d pushed, %d pruned, "
          "%d spilled" % (
              run.name, seed, c["passed"], c["failed"], c["not created"], c["unread"],
              c["refused"], c["too large"], c["given up"], c["pushed"],
              c["pruned"], c["spilled"]))
    # A run that is large enough uses everything that can go wrong.
    for what in ("pushed", "pruned") + run.also:
        enough = 24 if what == "spilled" else 120
        if only is None and cases >= enough and not c[what]:
            print("FAIL: nothing was %s" % what)
            return True
    return c["failed"] > 0 or not (c["passed"] or c["given up"])


if __name__ == "__main__":
    sys.exit(main())
