"""Predicates over geometries against brute force.

Tables of random geometries are stored in every way of geo_file.py, one file or
several, each in a way of its own.  Random queries with the predicates about
boxes must give the same rows in four ways:

    the Parquet table             which skips row groups and pages by boxes
    the same without a proof      distrust=..., or trust_stats=off
    a native copy                 with the extension's functions
    a native copy                 with functions written in Python

Usage: geometries.py EXTENSION SEED CASES FOLDER
CASE=m repeats one case and shows it.  The last line has the counts; the run
fails if a way of skipping never skipped anything.
"""
import collections
import math
import os
import random
import sqlite3
import sys

import geo_file
import geo_value as geo
import made_files
import parquet_file
from nested_columns import Leaf
from parquet_file import TYPES, Column
from rowids import connect

PER_TABLE = 16
WITHOUT = ["trust_stats=off", "distrust=boxes", "distrust=boxes",
           "distrust=statistics", "distrust=pages", "distrust=headers",
           "distrust='boxes,statistics,pages,headers'", "distrust=dictionary"]
OPTIONS = ["threads=0", "threads=2", "memory='16MB'"]

# What a query calls, as the extension has it and as Python has it.
CALLS = {"@I": ("ST_Intersects_Extent", "py_intersects"),
         "@C": ("ST_Contains_Extent", "py_contains"),
         "@W": ("ST_Within_Extent", "py_within"),
         "@ME": ("ST_MakeEnvelope", "py_makeenvelope"),
         "@EX": ("ST_Expand", "py_expand"),
         "@EN": ("ST_Envelope", "py_envelope"),
         "@P": ("ST_Point", "py_point")}
PREDICATES = {"@I": "intersects", "@C": "contains", "@W": "within"}


# ---- the functions in Python -------------------------------------------------

class Texts:
    """The geometries of the texts that queries have."""

    known = {}

    @classmethod
    def of(cls, g):
        s = geo.text(g)
        cls.known[s] = g
        return s


def geometry(v):
    """None: NULL, or not valid."""
    if v is None:
        return None
    if isinstance(v, str):
        return Texts.known[v]
    try:
        return geo.read(v)
    except geo.Invalid:
        return None


def predicate(how):
    def call(a, b):
        a, b = geometry(a), geometry(b)
        return None if a is None or b is None else \
            int(geo.relates(how, geo.box(a), geo.box(b)))
    return call


def make_envelope(*v):
    return None if None in v else geo.wkb(geo.envelope(*map(float, v)))


def expand(a, d):
    a = geometry(a)
    if a is None or d is None:
        return None
    x0, x1, y0, y1 = geo.box(a)
    return geo.wkb(geo.polygon(x0 - d, y0 - d, x1 + d, y1 + d))


def envelope(a):
    a = geometry(a)
    if a is None:
        return None
    b = geo.box(a)
    return geo.wkb(geo.envelope(b[0], b[2], b[1], b[3]) if b else a)


def point(x, y):
    return None if x is None or y is None else geo.wkb(
        geo.Geometry(geo.POINT, False, False, (float(x), float(y))))


def add_functions(db):
    for calls in CALLS.values():
        name = calls[1]
        call, n = {"py_makeenvelope": (make_envelope, 4),
                   "py_expand": (expand, 2), "py_envelope": (envelope, 1),
                   "py_point": (point, 2)}.get(name, (None, 2))
        db.create_function(name, n, call or predicate(name[3:]),
                           deterministic=True)


def spelled(sql, rng=None):
    """A query as the extension has it; rng chooses the names."""
    for mark in sorted(CALLS, key=len, reverse=True):
        name = CALLS[mark][0]
        if rng:
            name = rng.choice([name, name, "pq_" + name, name.lower(),
                               name.upper()])
        sql = sql.replace(mark + "(", name + "(")
    return sql


def in_python(sql):
    for mark in sorted(CALLS, key=len, reverse=True):
        sql = sql.replace(mark + "(", CALLS[mark][1] + "(")
    return sql


# ---- tables ------------------------------------------------------------------

class Made:
    """One file or several, and all that is known of them."""

    def __init__(self, rng, path):
        # Boxes that wrap, beside others that reach as far.
        self.trap = rng.random() < 0.1
        self.world = geo.World(rng, "globe" if self.trap else None)
        if self.trap:
            self.world.kinds, self.world.dims = [geo.LINE], [(0, 0)]
            self.world.cuts, self.world.wide = 0.4, 0.8
            self.world.wraps = True
            self.world.nans = self.world.empties = 0
        self.options = rng.sample(OPTIONS, rng.randrange(2))
        self.encoded = not self.trap and rng.random() < 0.25
        self.names = ["g"] + (["h"] if rng.random() < 0.3 else [])
        self.cells = collections.defaultdict(list)   # of all files
        self.ways = collections.defaultdict(list)
        self.id, self.plain = 0, [("id", "int64")] + [
            ("c%d" % i, rng.choice(["int32", "string", "double", "date"]))
            for i in range(rng.randrange(3))]
        if self.encoded:
            self.world.kinds = [rng.choice(list(geo_file.ENCODINGS))]
            self.world.dims = [rng.choice([(0, 0), (0, 0), (1, 0), (0, 1),
                                           (1, 1)])]
            self.world.cuts = self.world.wide = 0
            if self.world.kinds == [geo.POLYGONS] and rng.random() < 0.7:
                self.world = geo.World(rng, "globe")     # some are cut
                self.world.kinds, self.world.dims = [geo.POLYGONS], [(0, 0)]
                self.world.cuts, self.world.wide = 0.4, 0
        parts = rng.choice([1, 1, 1, 2, 4])
        self.path = path + (".parquet" if parts == 1 else "")
        if parts > 1:
            os.makedirs(path, exist_ok=True)
            if rng.random() < 0.5:
                self.options.append("union_by_name")
        # Without union_by_name, geometries in files of one table have one type.
        self.type = "GEOMETRY"
        if self.world.kind == "globe" and rng.random() < 0.5:
            self.type = "GEOGRAPHY"
        if self.trap:
            self.type = "GEOMETRY"
        elif parts == 1 or "union_by_name" in self.options and \
                rng.random() < 0.5:
            self.type = None
        self.ways_of = ["covering", "both"] if self.trap else \
            rng.choice([geo_file.WAYS, geo_file.WAYS[:4]])
        for i in range(parts):
            self.write(rng, self.path if parts == 1 else
                       "%s/p%d.parquet" % (path, i), i)

    def geometry_columns(self):
        return ["g.wkb" if self.encoded and n == "g" else n
                for n in self.names]

    def write(self, rng, path, number):
        n = rng.choice([rng.randrange(1, 12), rng.randrange(1, 80),
                        rng.randrange(1, 250)])
        parts, columns = [], []
        for name, kind in self.plain:
            c = made_files.some_column(rng, name, n, kind)
            if name == "id":
                c = Column(["id"], "int64", list(range(self.id, self.id + n)),
                           how=made_files.some_how(rng))
            columns.append(c)
        for name in self.names:
            encoded = self.encoded and name == "g"
            way = "encoded" if encoded else rng.choice(self.ways_of)
            if number and "union_by_name" in self.options and \
                    rng.random() < 0.15:
                self.cells[name] += [None] * n
                continue
            values = geo_file.some_values(rng, self.world, n)
            if encoded:
                values = [None if isinstance(v, bytes) else v for v in values]
                if not any(values):
                    values[0] = self.world.some()
            part = geo_file.Part(rng, name, values, way, self.world,
                                 self.type)
            self.ways[name].append(way)
            self.cells[name] += part.hidden or part.blobs
            parts.append(part)
            columns += part.columns
        self.id += n
        if rng.random() < 0.5:       # those of one struct stay in order
            tops = sorted({c.path[0] for c in columns})
            rng.shuffle(tops)
            columns.sort(key=lambda c: tops.index(c.path[0]))
        groups = made_files.some_groups(rng, n)
        if self.trap:
            groups = [4] * (n // 4) + [n % 4] * (n % 4 > 0)
        plan = parquet_file.some_plan(rng, columns, loses=False)
        parquet_file.write(path, columns, groups,
                           rng.choice([2, 3, 4] if self.trap else
                                      [1, 2, 3, 7, 20, 64, 1000]),
                           geo_file.geo_key(rng, parts), plan)


class Table:
    """t, off (without a proof) and copy."""

    def __init__(self, extension, made, rng):
        self.made, self.db = made, connect(extension)
        db = self.db
        add_functions(db)
        self.without = rng.choice(WITHOUT)
        self.declare("t", made.options)
        self.declare("off", made.options + [self.without])
        columns = [n for n, _ in made.plain]
        geometries = made.geometry_columns()
        db.execute("CREATE TEMP TABLE copy(%s)" % ", ".join(
            ["%s %s" % (n, type_) for n, type_ in self.types(columns)] +
            ['"%s" BLOB' % g for g in geometries]))
        rows = db.execute("SELECT rowid, %s FROM off" % ", ".join(
            columns)).fetchall()
        cells = [made.cells[n] for n in made.names]
        if {len(c) for c in cells} != {len(rows)}:
            raise Wrong("%d rows" % len(rows))
        self.rows = [row + more for row, more in zip(rows, zip(*cells))]
        db.executemany("INSERT INTO copy(rowid, %s) VALUES (%s)" % (
            ", ".join(columns + ['"%s"' % g for g in geometries]),
            ", ".join("?" * len(self.rows[0]))), self.rows)
        for table in ("t", "off"):
            got = db.execute("SELECT rowid, %s FROM %s" % (", ".join(
                columns + ['%s."%s"' % (table, g) for g in geometries]),
                table)).fetchall()
            for g, w in zip(got, self.rows):
                if g != w:
                    raise Wrong("%s has %r, not %r" % (table, g, w))
        self.boxes(rng)

    def declare(self, name, options):
        self.db.execute("CREATE VIRTUAL TABLE temp.%s USING parquet(%s)" % (
            name, ", ".join(["'%s'" % self.made.path] + options)))

    def types(self, columns):
        declared = {r[1]: r[2] for r in self.db.execute(
            "PRAGMA table_xinfo(off)")}
        return [(c, '"%s"' % declared[c]) for c in columns]

    def boxes(self, rng):
        """A native table to join with."""
        self.db.execute("CREATE TEMP TABLE b(id INTEGER PRIMARY KEY, geom, "
                        "kind, x, y, d)")
        self.db.execute("CREATE VIRTUAL TABLE temp.r USING rtree(id, x0, x1, "
                        "y0, y1)")
        for i in range(rng.randrange(1, 9)):
            x, y = self.place(rng)
            if max(abs(x), abs(y)) < 1e30:
                self.db.execute("INSERT INTO r VALUES (?, ?, ?, ?, ?)", (
                    i, x, x + rng.choice([0, 1, 9]), y,
                    y + rng.choice([0, 1, 9])))
            self.db.execute("INSERT INTO b VALUES (?, ?, ?, ?, ?, ?)", (
                i, self.box(rng), rng.randrange(3), x, y,
                rng.choice([0, 0.5, 3])))

    # ---- boxes to ask for ----

    def some_geometry(self, rng):
        some = [v for c in self.made.names for v in rng.sample(
            self.made.cells[c], min(4, len(self.made.cells[c])))
            if v is not None]
        rng.shuffle(some)
        for v in some:
            g = geometry(v)
            if g and geo.box(g):
                return g
        return None

    def place(self, rng):
        """A point where something may be, or in its middle."""
        g = self.some_geometry(rng)
        points = [p[:2] for p in geo.coordinates(g)] if g else []
        points = [p for p in points if all(map(math.isfinite, p))]
        if points and rng.random() < 0.2:
            return tuple(a / 2 + b / 2 for a, b in zip(rng.choice(points),
                                                       rng.choice(points)))
        return rng.choice(points) if points and rng.random() < 0.8 else \
            (float(rng.randrange(-20, 20)), float(rng.randrange(-20, 20)))

    def corners(self, rng):
        x, y = self.place(rng)
        w, h = (rng.choice([0, 0, 0, 1e-9, 0.5, 2, 10, 60]) for _ in range(2))
        kind = 6 if self.made.world.wide and rng.random() < 0.4 else \
            rng.randrange(15)
        if kind == 6:                # near the antimeridian, on one side
            x = rng.choice([-1, 1]) * rng.uniform(165, 180)
            return x, -90.0, x + rng.choice([0, 1]), 90.0
        if kind == 0:
            return x, y, self.place(rng)[0], self.place(rng)[1]
        if kind == 1:                # over the antimeridian
            return (rng.choice([170.0, 180.0, 175.0, abs(x) % 180]), y - h,
                    rng.choice([-170.0, -180.0, -179.5]), y + h)
        if kind == 2:
            return (rng.choice([-180.0, -math.inf]), -90.0,
                    rng.choice([180.0, math.inf]), 90.0)
        if kind == 3:                # the next float, or the next but one
            return x, y, geo_file.single(x), geo_file.single(y)
        if kind == 4:
            f = geo_file.step(geo_file.single(x), rng.choice([-1, 1]))
            return f, y - h, f, y + h
        if kind == 5:
            return x + w, y - h, x - w, y + h
        return x - w * rng.random(), y - h, x + w, y + h * rng.random()

    def box(self, rng):
        """A value: mostly bytes."""
        kind = rng.randrange(20)
        if kind == 0:
            return None
        if kind == 1:
            empty = rng.choice(range(1, 8))
            g = geo.Geometry(empty, False, rng.random() < 0.3,
                             None if empty == geo.POINT else [])
        elif kind == 2:
            return geo.spoiled(rng, geo.wkb(geo.envelope(0.0, 0.0, 1.0, 1.0)))
        elif kind < 7:
            g = self.some_geometry(rng) or self.made.world.some()
        elif kind == 7:
            g = geo.World(rng, self.made.world.kind).some()
        elif kind == 8:
            g = geo.World(rng, "globe").cut(self.place(rng))
        else:
            v = self.corners(rng)
            g = geo.envelope(*v)
            if kind < 12:
                g = geo.Geometry(geo.LINE, False, False,
                                 [v[:2], v[2:]])
        if rng.random() < 0.25 and "inf" not in repr(g) and \
                "nan" not in repr(g):
            return Texts.of(g)
        return geo.wkb(g, rng)


class Wrong(Exception):
    """A table shows other values than were written."""


# ---- queries -----------------------------------------------------------------

def literal(v):
    if v is None:
        return "NULL"
    if isinstance(v, bytes):
        return "x'%s'" % v.hex()
    if isinstance(v, str):
        return "'%s'" % v
    return repr(v)


class Maker:
    """Texts with marks for functions and @t for the table; arguments."""

    def __init__(self, rng, table):
        self.rng, self.table, self.made = rng, table, table.made
        self.arguments = {}

    def value(self, v):
        plain = not isinstance(v, float) or math.isfinite(v)
        if plain and self.rng.random() < 0.6:
            return literal(v)
        name = "a%d" % len(self.arguments)
        self.arguments[name] = v
        return ":" + name

    def column(self, alias="t"):
        return '%s."%s"' % (alias, self.rng.choice(
            self.made.geometry_columns()))

    def operand(self, alias="t", joined=None):
        rng = self.rng
        kind = rng.randrange(20)
        if joined and rng.random() < 0.7:
            return rng.choice([
                joined + ".geom", joined + ".geom", "@EN(%s.geom)" % joined,
                "@EX(@P(%s.x, %s.y), %s.d)" % (joined, joined, joined),
                "@ME(%s.x, %s.y, %s.x + %s.d, %s.y + 1)" % ((joined,) * 5)])
        if kind < 8:
            v = [self.value(float(c)) for c in self.table.corners(rng)]
            return "@ME(%s)" % ", ".join(v)
        if kind < 10:
            x, y = self.table.place(rng)
            return "@EX(@P(%s, %s), %s)" % (
                self.value(x), self.value(y),
                self.value(rng.choice([0, 1, 0.5, 4.0, 50.0])))
        if kind == 10:
            return "(SELECT b.geom FROM b WHERE b.id = %d)" % rng.randrange(9)
        if kind == 11:
            return rng.choice([self.column(alias),
                               "@EN(%s)" % self.column(alias)])
        return self.value(self.table.box(rng))

    def predicate(self, alias="t", joined=None):
        rng = self.rng
        a, b = self.column(alias), self.operand(alias, joined)
        if rng.random() < 0.08:
            a, b = b, a
        p = "%s(%s, %s)" % (rng.choice(["@I", "@I", "@I", "@C", "@W"]), a, b)
        if rng.random() < 0.15:
            p = rng.choice(["(%s)", "likely(%s)", "%s IS TRUE", "%s = 1",
                            "%s IS NOT 1", "%s IS NULL", "NOT %s",
                            "NOT (NOT %s)", "%s AND 1", "+%s", "%s <> 0",
                            "CASE WHEN %s THEN 1 ELSE 0 END",
                            "coalesce(%s, 1)"]) % p
        return p

    def other(self, alias="t"):
        rng, n = self.rng, len(self.table.rows)
        g = self.column(alias)
        return rng.choice([
            "%s.id < %d" % (alias, rng.randrange(n + 1)),
            "%s.id >= %d" % (alias, rng.randrange(n + 1)),
            "%s.id %% 3 = 1" % alias, "%s.id BETWEEN %d AND %d" % (
                alias, n // 4, n // 2),
            "%s.rowid > %d" % (alias, rng.choice(self.table.rows)[0]),
            "%s IS NULL" % g, "%s IS NOT NULL" % g,
            "%s = %s" % (g, self.value(rng.choice(
                self.made.cells[self.made.names[0]]))),
            "%s.id IN (1, 2, 5, %d)" % (alias, rng.randrange(n)),
            "length(%s) > 21" % g] + [
                "%s.%s IS NOT NULL" % (alias, c) for c, _ in self.made.plain])

    def condition(self, alias="t", joined=None, depth=0):
        rng = self.rng
        kind = rng.randrange(12)
        if depth < 2 and kind < 4:
            parts = [self.condition(alias, joined, depth + 1)
                     for _ in range(rng.randrange(2, 4))]
            return "(" + rng.choice([" AND ", " OR "]).join(parts) + ")"
        if kind == 4:
            return self.other(alias)
        if kind == 5 and depth == 0:
            return self.predicate(alias, joined) + " AND " + self.other(alias)
        return self.predicate(alias, joined)

    def listed(self, alias="t"):
        rng = self.rng
        return ", ".join([alias + ".rowid"] + rng.sample(
            [alias + ".id", self.column(alias)] +
            ["%s.%s" % (alias, c) for c, _ in self.made.plain[1:]],
            rng.randrange(1, 3)))

    def query(self):
        """(text, is its order given?)"""
        rng, w = self.rng, self.condition
        kind = rng.randrange(25)
        if kind == 24:
            return "SELECT r.id, t.id FROM r %s @t AS t ON %s(%s, @ME(r.x0, " \
                "r.y0, r.x1, r.y1)) WHERE %s" % (
                    rng.choice(["JOIN", "CROSS JOIN", "LEFT JOIN"]),
                    rng.choice(list(PREDICATES)), self.column(),
                    rng.choice(["r.id < 5", "1", w()])), False
        plain = "SELECT %s FROM @t AS t WHERE " % self.listed()
        if kind < 7:
            return plain + w(), False
        if kind == 7:
            return "SELECT count(*), count(%s), min(t.id), max(t.id), " \
                "sum(t.id) FROM @t AS t WHERE %s" % (self.column(), w()), False
        if kind == 8:
            return plain + w() + " ORDER BY t.id %s LIMIT %d OFFSET %d" % (
                rng.choice(["", "DESC"]), rng.randrange(9),
                rng.choice([0, 0, 2])), True
        if kind == 9:
            c = rng.choice(self.made.plain)[0]
            return plain + w() + " ORDER BY t.%s, t.id LIMIT 7" % c, True
        if kind == 10:
            return "SELECT t.id %% 4, count(*), max(t.id) FROM @t AS t " \
                "WHERE %s GROUP BY 1" % w(), False
        if kind == 11:
            return "SELECT DISTINCT %s FROM @t AS t WHERE %s" % (
                self.column(), w()), False
        if kind == 12:
            return "SELECT b.id, t.id FROM b %s @t AS t ON %s" % (
                rng.choice(["JOIN", "CROSS JOIN", "LEFT JOIN", "LEFT JOIN"]),
                w("t", "b")), False
        if kind == 13:
            return "SELECT b.id, t.id FROM @t AS t %s b ON %s" % (
                rng.choice(["JOIN", "CROSS JOIN", "LEFT JOIN"]),
                w("t", "b")), False
        if kind == 14:
            return "SELECT b.id, t.id FROM b, @t AS t WHERE %s AND b.kind = " \
                "%d" % (w("t", "b"), rng.randrange(3)), False
        if kind == 15:
            return "SELECT b.id, b.kind FROM b WHERE %s (SELECT 1 FROM @t AS " \
                "t WHERE %s)" % (rng.choice(["EXISTS", "NOT EXISTS"]),
                                 w("t", "b")), False
        if kind == 16:
            return "SELECT b.id, (SELECT %s FROM @t AS t WHERE %s) FROM b" % (
                rng.choice(["count(*)", "max(t.id)", "sum(t.id)"]),
                w("t", "b")), False
        if kind == 17:
            return "SELECT o.id FROM @t AS o WHERE o.id IN (SELECT t.id FROM " \
                "@t AS t WHERE %s) AND %s" % (w(), w("o")), False
        if kind == 18:
            return "WITH v AS (SELECT * FROM @t) SELECT t.id, %s FROM " \
                "(SELECT *%s FROM @t) AS t WHERE %s" % (
                    self.column(), "".join(
                        ', "%s"' % g for g in self.made.geometry_columns()
                        if "." in g), w()), False
        if kind == 19:
            return "SELECT t.id, %s, %s FROM @t AS t WHERE %s" % (
                self.predicate(), self.predicate(), w()), False
        if kind == 20:
            few = ", ".join(str(rng.randrange(len(self.table.rows)))
                            for _ in range(4))
            return "SELECT o.id, t.id FROM @t AS o %s @t AS t ON @I(%s, %s) " \
                "WHERE o.id IN (%s)" % (
                    rng.choice(["JOIN", "CROSS JOIN", "LEFT JOIN"]),
                    self.column(), self.column("o"), few), False
        if kind == 21:
            return "SELECT t.id FROM @t AS t WHERE %s %s SELECT t.id FROM @t " \
                "AS t WHERE %s" % (w(), rng.choice(
                    ["UNION ALL", "UNION", "EXCEPT", "INTERSECT"]),
                    self.condition()), False
        if kind == 22:
            return "SELECT b.id, t.id FROM b LEFT JOIN @t AS t ON %s WHERE %s" \
                % (w("t", "b"), w("t", "b")), False
        return "SELECT max(t.id) FROM @t AS t WHERE %s HAVING count(*) > 1" % \
            w(), False


def ask(db, sql, arguments):
    try:
        return db.execute(sql, arguments).fetchall()
    except (sqlite3.OperationalError, OverflowError) as error:
        return "error: %s" % error


def disagree(rows, wanted, ordered):
    if isinstance(rows, str) or isinstance(wanted, str):
        return "%.300s, not %.300s" % (rows, wanted) if rows != wanted else None
    if ordered:
        return None if rows == wanted else "%.300r, not %.300r" % (rows, wanted)
    a, b = collections.Counter(rows), collections.Counter(wanted)
    if a == b:
        return None
    return "%d rows, not %d; missing %.300r, too many %.300r" % (
        len(rows), len(wanted), list((b - a))[:3], list((a - b))[:3])


# ---- all cases ---------------------------------------------------------------

MEANS = ["files_skipped", "skipped_by_page_headers", "skipped_by_boxes",
         "skipped_by_page_index", "pages_skipped_by_index",
         "pages_skipped_by_header", "rows_filtered"]
SKIPPED = "SELECT scan, %s FROM parquet_scan_stats() WHERE \"table\" = 't' " \
    "LIMIT 1" % ", ".join(MEANS)

# What has to be skipped at least once, by the predicates alone.
EXPECTED = {"skipped_by_boxes": ["native", "covering", "both", "encoded"],
            "pages_skipped_by_index": ["covering", "encoded"],
            "rows_filtered": geo_file.WAYS + ["encoded"]}


class Coverage:
    """What was skipped by queries of one predicate, by the way of the file."""

    def __init__(self):
        self.cells = collections.Counter()

    def ask(self, table, rng):
        db, made = table.db, table.made
        column = made.geometry_columns()[0]
        ways = set(made.ways["g"])
        how = rng.choice(list(PREDICATES))
        sql = spelled("SELECT id FROM t WHERE %s(t.\"%s\", ?)" % (how, column))
        before = db.execute(SKIPPED).fetchone()
        db.execute(sql, (geo.wkb(geo.envelope(*table.corners(rng))),)) \
            .fetchall()
        row = db.execute(SKIPPED).fetchone()
        if len(ways) == 1 and row and row[:1] != (before or ())[:1]:
            for means, n in zip(MEANS, row[1:]):
                if n:
                    self.cells[means, min(ways)] += n

    def show(self):
        ways = geo_file.WAYS + ["encoded"]
        print("%-24s" % "" + "".join("%11s" % w for w in ways))
        for means in MEANS:
            print("%-24s" % means + "".join(
                "%11s" % (self.cells[means, w] or "-") for w in ways))

    def missing(self):
        out = ["%s of %s" % (means, way) for means, ways in EXPECTED.items()
               for way in ways if not self.cells[means, way]]
        return out + [means for means in MEANS[2:] if not any(
            m == means for m, _ in self.cells)]


class Run:
    def __init__(self, extension, seed, folder):
        self.extension, self.seed, self.folder = extension, seed, folder
        self.passed, self.failed = 0, 0
        self.coverage = Coverage()

    def fail(self, number, made, why, sql="", arguments=()):
        self.failed += 1
        if self.failed < int(os.environ.get("MOST", 20)):
            print("FAIL case %d of seed %d: %s\n  %s (%s) %s\n  %s\n  with %r"
                  "\n  alone: CASE=%d python3 test/oracle/geometries.py %s "
                  "%d %d FOLDER" % (
                      number, self.seed, why, made.path,
                      ", ".join(made.options), dict(made.ways), sql,
                      arguments, number, self.extension, self.seed,
                      number + 1), flush=True)

    def table(self, first):
        rng = random.Random("geometries %d %d" % (self.seed, first))
        made = Made(rng, "%s/geo_%d" % (self.folder, first))
        try:
            return Table(self.extension, made, rng)
        except (Wrong, sqlite3.OperationalError) as error:
            self.fail(first, made, repr(error))
            return None

    def one(self, table, number):
        rng = random.Random("geometry query %d %d" % (self.seed, number))
        maker, db = Maker(rng, table), table.db
        sql, ordered = maker.query()
        brute = in_python(sql).replace("@t", "copy")
        spelt = spelled(sql, rng)
        if os.environ.get("CASE"):
            print(table.made.path, table.made.options, dict(table.made.ways),
                  spelt, maker.arguments, sep="\n")
        wanted = ask(db, brute, maker.arguments)
        for name in ("copy", "off", "t"):
            words = spelt.replace("@t", name)
            why = disagree(ask(db, words, maker.arguments), wanted, ordered)
            if why:
                self.fail(number, table.made, "%s: %s" % (
                    name + (" " + table.without) * (name == "off"), why),
                    words, maker.arguments)
                return
        self.passed += 1

    def all(self, cases, only):
        for first in range(0, cases, PER_TABLE):
            end = min(first + PER_TABLE, cases)
            if only is not None and not first <= only < end:
                continue
            table = self.table(first)
            for number in range(first, first + 10) if table else ():
                self.coverage.ask(table, random.Random(
                    "geometry box %d %d" % (self.seed, number)))
            for number in range(first, end) if table else ():
                if only is None or number == only:
                    self.one(table, number)


def main():
    extension, seed, cases = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    folder = sys.argv[4]
    only = int(os.environ["CASE"]) if os.environ.get("CASE") else None
    os.makedirs(folder, exist_ok=True)
    run = Run(extension, seed, folder)
    run.all(cases, only)
    if only is None:
        run.coverage.show()
        for cell in run.coverage.missing() if cases >= 2000 else ():
            print("FAIL: nothing skipped: " + cell)
            run.failed += 1
    print("geometries (seed %d): %d passed, %d failed, 0 skipped"
          % (seed, run.passed, run.failed))
    sys.exit(run.failed > 0)


if __name__ == "__main__":
    main()
