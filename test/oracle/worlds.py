"""Small worlds of tables whose columns have values in common.

A world has two or three Parquet tables, each with a native copy of the same
declared types, and native tables of keys.  A column of the same letter means the
same in each table, though in another type, so that joins and subqueries find
something:

    a   whole numbers, each about once       d   REALs, both zeros, NaN
    b   few whole numbers                    e   days
    c   texts                                f   anything

Whole numbers may be stored as DECIMALs, REALs or texts, days as timestamps or
texts.  A Parquet table is one file, a folder of files with different columns or
types, a hive folder, or what parquet_copy_to made of a native table.  Row groups
and pages are small, so that each kind of index and bound is used.

    world = World(extension, rng, folder)
    world.db          a connection with the tables
    world.tables      [Table]; in SQL, "\x01i" stands for Parquet table i
"""
import json
import math
import os
import sqlite3

import delta_table
import made_files
import parquet_file
from crypto_file import put_keys
from parquet_file import Column

MARK = "\x01"
LETTERS = "abcdef"
SIZES = [0, 1, 5] + [30, 90, 200] * 8
WHOLE = ["int64", "int64", "int32", "int32", "int16", "uint32", "uint64",
         "decimal_9_2", "decimal_18_0", "double", "float", "string", "string"]
KINDS = {"a": WHOLE, "b": WHOLE + ["int8"],
         "c": ["string", "string", "string", "enum", "bytes"],
         "d": ["double", "double", "float"],
         "e": ["date", "date", "timestamp_us", "timestamp_ms", "string"]}
TEXTS = ["", "a", "A", "b", "ab", "abc", "ABC", "abc ", "1", "2", "3", "05",
         "1.0", " 2", "1e0", "10", "x\x00y", "x", "\u00fc", "\u00dc", "zz",
         "2024-01-02", "2024-01-03", "NULL", "nan", "longer than eight bytes",
         "longer than eight Bytes", "\U0001f600"]
NO_TEXTS = [b"\xff", b"a\xc3", b"\x00\xfe"]      # of a column of texts
REALS = [0.0, -0.0, math.nan, 1.0, 2.0, 0.5, -0.5, 1.5, 3.0, -1.0, 1e300,
         math.inf, -math.inf, 2.0 ** 53]
HUGE = [2 ** 53 + 1, 2 ** 63 - 1, -2 ** 63, 2 ** 31 - 1, -2 ** 31]
AFFINITIES = ["", "INTEGER", "TEXT", "NUMERIC", "REAL", "TEXT COLLATE NOCASE"]
DAY = 86400


# ---- values ------------------------------------------------------------------

def whole_numbers(rng, letter, n):
    if letter == "b":
        few = rng.choice([1, 2, 5, 12, 40])
        low = rng.choice([0, 0, -2])
        return [low + rng.randrange(few) for _ in range(n)]
    step = rng.choice([1, 1, 1, 2])
    values = [i * step for i in range(n)]
    shape = rng.choice(["sorted", "sorted", "near", "shuffled", "falling"])
    for _ in range(n // 8 if shape == "near" else 0):
        i = rng.randrange(n)
        k = min(n - 1, i + rng.choice([1, 2, 9]))
        values[i], values[k] = values[k], values[i]
    if shape == "shuffled":
        rng.shuffle(values)
    if rng.random() < 0.4:           # some of them twice
        values = [values[i - 1] if i and rng.random() < 0.3 else v
                  for i, v in enumerate(values)]
    if rng.random() < 0.2 and n:
        values[rng.randrange(n)] = rng.choice(HUGE)
    return values[::-1] if shape == "falling" else values


def meant(rng, letter, n):
    """What the rows of a column mean: numbers, texts, or days since 1970."""
    if letter in "ab":
        values = whole_numbers(rng, letter, n)
    elif letter == "c":
        pool = rng.sample(TEXTS, rng.choice([2, 6, len(TEXTS)]))
        if rng.random() < 0.3:       # many: no dictionary pays
            pool = ["%s %d" % (rng.choice(TEXTS), i) for i in range(150)]
        values = [rng.choice(pool) for _ in range(n)]
    elif letter == "d":
        values = [rng.choice(REALS) for _ in range(n)]
    else:
        values = [19724 + rng.randrange(rng.choice([3, 30])) for _ in range(n)]
    if rng.random() < 0.3:
        values.sort(key=lambda v: (v != v, v))
    if rng.random() < 0.5:
        values = [None if rng.random() < 0.12 else v for v in values]
    return values


def date_text(days):
    return sqlite_date.execute("SELECT date(?, 'unixepoch')",
                               (days * DAY,)).fetchone()[0]


sqlite_date = sqlite3.connect(":memory:")


def stored(rng, letter, kind, v):
    """The value as a column of this kind stores it."""
    if v is None:
        return None
    t = parquet_file.TYPES[kind]
    if letter == "e":
        if kind == "string":
            return (date_text(v) + rng.choice(["", "", " 00:00:00"])).encode()
        per_day = 1 if kind == "date" else \
            DAY * parquet_file.UNIT_TICKS[t.logical[1]]
        return v * per_day + (0 if kind == "date" else rng.choice([0, 0, 1]))
    if letter == "c":
        return v if isinstance(v, bytes) else v.encode()
    if letter == "d":
        return made_files.single(v) if kind == "float" else v
    if kind == "string":
        return (rng.choice(["%d", "%d", "%d", "%d", "0%d", "%d.0", " %d"]) %
                v).encode()
    if kind in ("double", "float"):
        return made_files.single(float(v)) if kind == "float" else float(v)
    scale = t.logical[2] if t.logical and t.logical[0] == "DECIMAL" else 0
    v *= 10 ** scale
    bits = {"int8": 7, "int16": 15, "int32": 31, "int64": 63, "uint32": 32,
            "uint64": 64, "decimal_9_2": 29, "decimal_18_0": 59}[kind]
    low = 0 if kind[0] == "u" else -2 ** bits
    return v if low <= v < 2 ** bits else None


def file_column(rng, letter, kind, values):
    if kind == "string" and letter == "c" and rng.random() < 0.15:
        values = [rng.choice(NO_TEXTS) if v is not None and
                  rng.random() < 0.1 else v for v in values]
    values = [stored(rng, letter, kind, v) for v in values]
    how = made_files.some_how(rng)
    if any(v in NO_TEXTS for v in values) and kind == "string":
        how -= {"truncated"}
    required = rng.random() < 0.3 and all(v is not None for v in values)
    return Column([letter], kind, values, required, how)


# ---- Parquet tables ----------------------------------------------------------

def groups_of(rng, n):
    most = rng.choice([3, 10, 25, 25, 60, 400])
    out = []
    while sum(out) < n:
        out.append(min(rng.randrange(1, most + 1), n - sum(out)))
    return out


def write_file(rng, path, rows, kinds, anything, keys=False):
    """rows: the meaning of each column, by its letter; keys: it may be
    encrypted."""
    n = len(rows["a"])
    columns = [file_column(rng, c, kinds[c], rows[c])
               for c in rows if c in kinds]
    columns.append(made_files.some_column(rng, "f", n, anything))
    plan = parquet_file.some_plan(rng, columns, loses=False) \
        if keys and rng.random() < 0.5 else None
    parquet_file.write(path, columns, groups_of(rng, n),
                       rng.choice([1, 2, 5, 10, 30, 1000]), plan=plan)
    return ", ".join(plan.options) if plan else ""


def some_rows(rng, n):
    return {c: meant(rng, c, n) for c in "abcde"}


def some_kinds(rng):
    return {c: rng.choice(KINDS[c]) for c in "abcde"}


def one_file(rng, path, n, keys):
    path += ".parquet"
    return path, write_file(rng, path, some_rows(rng, n), some_kinds(rng),
                            rng.choice(made_files.KINDS), keys)


# The type of a column in the first of several files, and in later ones.
NARROWER = {"int64": ["int64", "int32", "int16", "uint32"],
            "int32": ["int32", "int16"], "double": ["double", "float"],
            "decimal_18_0": ["decimal_18_0"],
            "timestamp_us": ["timestamp_us", "date"]}


def several_files(rng, path, n, hive):
    """Later files lack columns, or have them in narrower types."""
    os.makedirs(path)
    rows, kinds = some_rows(rng, n), some_kinds(rng)
    drift = rng.random() < 0.6
    parts = rng.randrange(2, 7)
    anything = rng.choice(["int32", "string", "double", "date", "bytes"])
    for part in range(parts):
        some = {c: v[n * part // parts:n * (part + 1) // parts]
                for c, v in rows.items()}
        here = dict(kinds)
        for c in "abcde" if part and drift else "":
            here[c] = rng.choice(NARROWER.get(kinds[c], [kinds[c]]))
            if rng.random() < 0.15 and c != "a":
                del here[c]
        where = path
        if hive:
            here.pop("b", None)
            where = "%s/b=%s" % (path, rng.choice(
                [0, 1, 2, 3, "__HIVE_DEFAULT_PARTITION__"]))
            os.makedirs(where, exist_ok=True)
        write_file(rng, "%s/p%d.parquet" % (where, part), some, here, anything)
    return path, ("hive, " if hive else "") + "union_by_name"


# The type that a Delta table has for a column of this kind.
DELTA_TYPES = {"int64": "long", "int32": "integer", "int16": "short", "int8": "byte",
               "double": "double", "float": "float", "string": "string", "bytes": "binary",
               "date": "date", "timestamp_us": "timestamp", "decimal_9_2": "decimal(9,2)",
               "decimal_18_0": "decimal(18,0)"}


def delta_table_of(rng, path, n):
    """Several files, of which a log names some; of their rows some are deleted."""
    os.makedirs(path + "/_delta_log")
    rows = some_rows(rng, n)
    kinds = {c: k if k in DELTA_TYPES else {"c": "string", "e": "date"}.get(c, "int64")
             for c, k in some_kinds(rng).items()}
    anything = rng.choice(["int32", "string", "double", "date", "bytes"])
    parts = rng.randrange(1, 5)
    lengths = {}
    for part in range(parts):
        some = {c: v[n * part // parts:n * (part + 1) // parts] for c, v in rows.items()}
        here = dict(kinds)
        for c in "bcde" if part else "":
            if rng.random() < .15:
                del here[c]
        name = "p%d.parquet" % part
        if some["a"]:
            write_file(rng, "%s/%s" % (path, name), some, here, anything)
            lengths[name] = len(some["a"])
    types = {c: DELTA_TYPES[k] for c, k in dict(kinds, f=anything).items()}
    delta_table.log_over(rng, path, types, lengths)
    return path, ""


OWN_TYPES = {"a": ["INTEGER", "INTEGER", "TEXT", "REAL"],
             "b": ["INTEGER", "INTEGER", "TEXT"], "c": ["TEXT"], "d": ["REAL"],
             "e": ["DATE", "TEXT"], "f": ["TEXT", "INTEGER", "BLOB"]}


def own_file(db, rng, path, n):
    """What parquet_copy_to makes."""
    rows = some_rows(rng, n)
    rows["e"] = [None if v is None else date_text(v) for v in rows["e"]]
    rows["f"] = [rng.choice([None, 1, 2, 3]) for _ in range(n)]
    db.execute("DROP TABLE IF EXISTS made")
    types = {c: rng.choice(t) for c, t in OWN_TYPES.items()}
    db.execute("CREATE TEMP TABLE made(%s)" % ", ".join(
        "%s %s" % item for item in types.items()))
    db.executemany("INSERT INTO made VALUES(?, ?, ?, ?, ?, ?)",
                   zip(*(rows[c] for c in LETTERS)))
    o = {"row_group_rows": rng.choice([7, 20, 50, 1000]),
         "page_rows": rng.choice([2, 5, 17, 300]),
         "compression": rng.choice(["uncompressed", "zstd", "snappy"]),
         "dictionary": rng.random() < 0.6}
    if rng.random() < 0.5:
        o["bloom"] = rng.choice([True, False, {"fpp": 0.2}])
    if rng.random() < 0.15:
        o["partition_by"] = ["b"]
    elif rng.random() < 0.2:
        o["file_rows"] = rng.choice([10, 40])
    folder = "partition_by" in o or "file_rows" in o
    path += "" if folder else ".parquet"
    order = rng.choice(["", "", " ORDER BY a", " ORDER BY b, a DESC",
                        " ORDER BY c", " ORDER BY e, b"])
    db.execute("SELECT parquet_copy_to(?, ?, ?)", (
        "SELECT * FROM made" + order, path, json.dumps(o))).fetchall()
    return path, "hive" if "partition_by" in o else ""


OPTIONS = ["", "", "", "threads=0", "threads=0", "threads=2", "threads=5",
           "trust_stats=off",
           "memory='1MB'", "memory='1MB', threads=0", "memory='16MB'",
           "memory='2MB'", "distrust='pages,dictionary'",
           "distrust=statistics", "decimal=text"]


class Table:
    """name: in SQL; columns: that can be named; counted: sums of them do not
    depend on an order."""

    def __init__(self, name, columns, n, native=False):
        self.name, self.columns, self.n = name, columns, n
        self.native, self.counted, self.source = native, [], ""


# How many statements a connection keeps prepared; what uses this sets it.
cached_statements = 0


def connect(extension, encoding="UTF-8", keys=True):
    db = sqlite3.connect(":memory:", isolation_level=None,
                         cached_statements=cached_statements)
    db.text_factory = bytes
    db.execute("PRAGMA encoding = '%s'" % encoding)
    db.enable_load_extension(True)
    db.load_extension(extension)
    if keys:
        put_keys(db)
    db.create_aggregate("bag", 1, Bag)
    return db


class Bag:
    """An aggregate of all values that does not depend on their order."""

    def __init__(self):
        self.values = []

    def step(self, v):
        self.values.append(str(v))

    def finalize(self):
        return " ".join(sorted(self.values))


class World:
    def __init__(self, extension, rng, folder):
        self.rng, self.folder = rng, folder
        # A connection with keys of files keeps no indexes for later statements.
        self.keys = rng.random() < 0.3
        self.db = connect(extension, "UTF-16le" if rng.random() < 0.1
                          else "UTF-8", self.keys)
        self.tables, self.samples = [], {}
        self.n_parquet = rng.choice([2, 2, 3])
        for i in range(self.n_parquet):
            self.add_parquet(i)
        for i in range(rng.choice([1, 2, 3])):
            self.add_native(i)
        for view in range(2):
            self.add_view(view)
        if rng.random() < 0.5:
            self.db.execute("ANALYZE")

    def add_parquet(self, i):
        rng, db = self.rng, self.db
        path = os.path.join(self.folder, "t%d" % i)
        n = rng.choice(SIZES)
        kind = rng.randrange(12)
        if kind > 9 and n >= 5:
            path, options = delta_table_of(rng, path, n)
        elif kind < 4 or n < 5 and kind < 7:
            path, options = one_file(rng, path, n, self.keys)
        elif kind < 7:
            path, options = several_files(rng, path, n, kind == 6)
        else:
            path, options = own_file(db, rng, path, max(n, 1))
        words = ["'%s'" % path.replace("'", "''"), options,
                 rng.choice(OPTIONS)]
        source = ", ".join(w for w in words if w)
        db.execute("CREATE VIRTUAL TABLE temp.t%d USING parquet(%s)" % (
            i, source))
        declared = [(r[1].decode(), r[2].decode(), r[3]) for r in
                    db.execute("PRAGMA table_xinfo(t%d)" % i) if r[6] == 0]
        names = [c for c, _, _ in declared]
        db.execute("CREATE TEMP TABLE c%d(%s)" % (i, ", ".join(
            '%s "%s"%s' % (c, t, " NOT NULL" if required else "") if t else c
            for c, t, required in declared)))
        db.execute("INSERT INTO c%d(rowid, %s) SELECT rowid, %s FROM t%d" % (
            i, ", ".join(names), ", ".join(names), i))
        if rng.random() < 0.3:
            db.execute("CREATE INDEX temp.ci%d ON c%d(%s)" % (
                i, i, rng.choice(names)))
        table = Table("%s%d" % (MARK, i), names, n)
        table.source = source
        table.counted = [
            c for c in names if db.execute(
                "SELECT count(*) = sum(%s IS NULL OR typeof(%s) = 'integer' "
                "AND abs(%s / 2) < (1 << 40)) FROM c%d" % (c, c, c, i))
            .fetchone()[0] == 1]
        self.tables.append(table)

    def add_native(self, i):
        """Keys: values of the Parquet tables, and others."""
        rng, db = self.rng, self.db
        affinities = [rng.choice(AFFINITIES) for _ in "abcde"]
        db.execute("CREATE TABLE n%d(%s)" % (i, ", ".join(
            "%s %s" % pair for pair in zip("abcde", affinities))))
        n = rng.choice([3, 8, 20, 60])
        pools = {}
        for c in "abcde":
            pools[c] = [v for t in self.tables
                        if not t.native and c in t.columns
                        for v, in db.execute("SELECT %s FROM %s" % (
                            c, t.name.replace(MARK, "c")))]
            pools[c] += [None, 0, 1, b"1", "1"] if pools[c] == [] else []
        for _ in range(n):
            # From each: mostly of the same letter, now and then of another.
            row = [rng.choice(pools[c] if rng.random() < 0.93 else
                              pools[rng.choice("abcde")] + [None])
                   for c in "abcde"]
            db.execute("INSERT INTO n%d VALUES(%s)" % (i, ", ".join(
                "CAST(? AS TEXT)" if isinstance(v, bytes) else "?"
                for v in row)), [
                    int(v) if isinstance(v, float) and abs(v) < 1e15 and
                    v == int(v) and affinities[k] == "" else v
                    for k, v in enumerate(row)])
        if rng.random() < 0.4:
            db.execute("CREATE INDEX ni%d ON n%d(%s)" % (
                i, i, rng.choice(["a", "b", "c", "b, a", "e"])))
        table = Table("n%d" % i, list("abcde"), n, True)
        self.tables.append(table)

    def add_view(self, i):
        """A view of each kind; its name has the mark as its table has."""
        rng, db = self.rng, self.db
        k = rng.randrange(self.n_parquet)
        columns = self.tables[k].columns
        some = rng.sample(columns, rng.randrange(2, len(columns) + 1))
        text = rng.choice([
            "SELECT rowid AS r, %s FROM @" % ", ".join(some),
            "SELECT x.rowid AS r, %s FROM @ x LEFT JOIN n0 y ON y.a = x.a" %
            ", ".join("x." + c for c in some),
            "SELECT rowid AS r, %s FROM @ UNION ALL SELECT -rowid, %s FROM @ "
            "WHERE rowid %% 2" % (", ".join(some), ", ".join(some)),
            "SELECT DISTINCT %s AS r, %s FROM @" % (some[0], ", ".join(some)),
            "SELECT %s AS r, max(%s) AS %s FROM @ GROUP BY 1" % (
                some[0], some[1], some[1])])
        if "GROUP" in text:
            some = some[1:2]
        for one in "tc":
            db.execute("CREATE TEMP VIEW view%d_%s%d AS %s" % (
                i, one, k, text.replace("@", "%s%d" % (one, k))))
        table = Table("view%d_%s%d" % (i, MARK, k), ["r"] + some, 0)
        table.view = text
        self.tables.append(table)

    def sample(self, rng, table, column):
        """A value of the column, or None."""
        key = table.name, column
        if key not in self.samples:
            self.samples[key] = [v for v, in self.db.execute(
                "SELECT %s FROM %s LIMIT 60" % (
                    column, table.name.replace(MARK, "c")))]
        some = self.samples[key]
        return rng.choice(some) if some else None
