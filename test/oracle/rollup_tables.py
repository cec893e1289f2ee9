"""Tables that rollups.py asks, and the native tables that it compares them with.

    Table             a connection with one or two Parquet tables, of any of the
                      kinds of worlds.py, grouped.py, files of every type, of many
                      groups, or samples
    WrongColumns      what is raised where a table has others than it should
    Versions          a table whose file is now one, now another
    Base              one such table and a native copy of it: what can be a
                      dimension or be added up
    Rollup            a random rollup='...' over a Base, and, for each set of
                      dimensions, the native table that GROUP BY makes of the copy
"""
import fractions
import os
import re
import sqlite3

import grouped
import made_files
import parquet_file
from queries import quoted
from worlds import World, connect

grouped.MEMORY = ["1MB"] * 3 + ["8MB", "256MB"]


class WrongColumns(Exception):
    pass


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
        return float(self.sum)


# ---- files -------------------------------------------------------------------

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


# ---- sources -----------------------------------------------------------------

class Base:
    """What rollups are made of: a source, and a native copy of it, whose columns
    are (name, declared type).  origin: what is copied, if not the source.  many:
    columns of so many values that their groups leave memory.  instead_of: gives for
    names of columns what stands for some of them in the copy, and None for what is
    left out; guard: a condition without which reading others may be an error; probe:
    one on a column whose cast fails in some rows."""

    many, guard, probe = [], None, None

    def __init__(self, db, number, source, origin=None, instead_of=None):
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
        instead = instead_of([c for c, _ in self.columns]) if instead_of else {}
        self.columns = [c for c in self.columns if instead.get(c[0], c)]
        names = [instead.get(c) or "s." + quoted(c) for c, _ in self.columns]
        # With as much memory as reading takes; and once with exact decimals.
        db.execute("CREATE VIRTUAL TABLE temp.s%d USING parquet(%s)" % (
            number, ", ".join(options)))
        there = {r[1].decode() for r in db.execute("PRAGMA table_xinfo(s%d)" %
                                                   number)}
        lost = [c for c, _ in self.columns if c not in there
                and c not in instead]
        if lost:
            raise WrongColumns("columns that should not be there: %s" % lost)
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
        "%s + 0 + length(x'00')", "instr(%s, '1')", "%s BETWEEN 'a' AND 'k'",
        "%s > 'b' OR 0", "%s LIKE 'a%%' OR 0", "NOT %s", "- length(%s) || '0'",
        "length(%s) / 2"]
NUMBER = ["%s %% 3", "%s / 10", "CAST(%s AS INTEGER)", "round(%s)", "abs(%s)",
          "%s + 1", "coalesce(%s, 0)", "CASE WHEN %s > 3 THEN 'big' END",
          "CAST(%s AS TEXT)", "%s IS NULL", "typeof(%s)", "-%s", "%s > 2",
          "%s * 0.5", "coalesce(%s, 'none')", "nullif(%s, 0)", "NOT %s",
          "%s BETWEEN 1 AND 9", "%s %% 2 = 0", "+%s || ''", "round(%s / 3, 1)"]
TIME = ["date(%s)", "date(%s)", "date(%s)", "strftime('%%Y-%%m', %s)",
        "strftime('%%Y', %s)", "strftime('%%H', %s)", "strftime('%%w', %s)",
        "strftime('%%j', %s)", "strftime('%%Y-%%m-%%d %%H:00', %s)",
        "strftime('%%M', %s)", "strftime('%%s', %s)", "strftime('%%W', %s)",
        "date(%s, 'start of month')", "substr(%s, 1, 7)", "datetime(%s)",
        "strftime('%%d.%%m.%%Y', %s)", "time(%s)"]
OTHER = ["typeof(%s)", "%s IS NULL", "hex(%s)", "length(%s)",
         "coalesce(%s, 0)"]
ARITHMETIC = re.compile(r"[-%s +*/0-9.]+$")
EXPRESSIONS = {"text": TEXT, "integer": NUMBER, "real": NUMBER,
               "decimal": NUMBER, "time": TIME + TEXT[:4], "other": OTHER}


class Column:
    """how: exact, rounded (to rounding), or loose (1 or 1.0)."""

    def __init__(self, text, reference, how="exact"):
        self.text, self.reference, self.how = text, reference, how


def a_test(rng, kind):
    """What a column is compared with; the dimension is then 1, 0 or NULL."""
    some = {"integer": ["0", "1", "3", "-2", "7.5", "100", "9223372036854775808"],
            "real": ["0", "0.5", "-1.5", "3", "1e300"],
            "decimal": ["0", "1.25", "-0.5", "10"],
            "time": ["'2024-01-15'", "'2024'", "'2024-01-15 12:00:00'"]}
    value = rng.choice(some.get(kind, ["'a'", "'b1'", "''", "'k2'", "5", "'12'"]))
    return rng.choice(["= %s", "<> %s", "!= %s", "< %s", "<= %s", "> %s", ">= %s",
                       "IS NULL", "IS NOT NULL", "NOTNULL", "LIKE 'a%%'",
                       "LIKE '%%1%%'", "GLOB '*b*'"]).replace("%s", value) \
        .replace("%%", "%")


def a_dimension(rng, base):
    name, _ = rng.choice(base.columns)
    text, how = quoted(name), "exact"
    if rng.random() < 0.3 and name.isalnum() and not name[0].isdigit():
        text = rng.choice([name, name.upper(), "[%s]" % name])
    chance = rng.random()
    if chance < 0.15:
        text = "%s %s" % (text, a_test(rng, base.kinds[name]))
    elif chance < 0.45:
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
    kind = rng.randrange(13)
    if kind < 2:
        return Column("count(*)", "count(*)")
    name, _ = rng.choice(base.columns)
    q = quoted(name)
    if kind < 4:
        return Column("count(%s)" % q, "count(%s)" % q)
    if kind < 7:
        word = rng.choice(["min", "max"])
        return Column("%s(%s)" % (word, q), "%s(%s)" % (word, q))
    if kind < 8:
        text = rng.choice([x for x in EXPRESSIONS[base.kinds[name]]
                           if not ARITHMETIC.match(x)] +
                          ["%s IS NULL", "%s IS NOT NULL"]) % q
        word = rng.choice(["sum", "sum", "min", "max", "count"])
        how = "exact" if word == "count" else "rounded" \
            if word == "sum" or base.kinds[name] == "decimal" else "loose"
        return Column("%s(%s)" % (word, text), "%s(%s)" % (word, text), how)
    some = [c for c, _ in base.columns
            if base.kinds[c] in ("integer", "real", "decimal")]
    if kind < 11 and some:
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
    guard = probe = None

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
