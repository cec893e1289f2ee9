"""Columns of geometries, stored in each way that tells their boxes.

    values = some_values(rng, world, n)        geometries, None, invalid bytes
    part = Part(rng, "g", values, way)
    part.columns                               for parquet_file.write
    part.described                             for the key "geo", or None
    part.blobs                                 what a reader must find
    part.hidden                                in the twin "g.wkb" of g

way is one of WAYS:

    native      GEOMETRY or GEOGRAPHY, with boxes of the chunks
    covering    WKB that GeoParquet describes, beside columns of boxes
    described   ... without these
    both        native and covering
    plain       a BYTE_ARRAY that nobody describes
    encoded     the coordinates as columns

All that is said is true, in the sense of the specifications, but as odd as they
allow: boxes that are too large, that wrap, or that lack an axis.
"""
import json
import math
import struct

import geo_value as geo
from made_files import single
from nested_columns import OPTIONAL, REPEATED, REQUIRED, Node, leaves
from parquet_file import BYTE_ARRAY, OUTER, TYPES, Column, Type

WAYS = ["native", "covering", "described", "both", "plain"]
ENCODINGS = {geo.POINT: ("point", 0), geo.LINE: ("linestring", 1),
             geo.POLYGON: ("polygon", 2), geo.POINTS: ("multipoint", 1),
             geo.LINES: ("multilinestring", 2),
             geo.POLYGONS: ("multipolygon", 3)}
ALGORITHMS = ["spherical", "vincenty", "thomas", "andoyer", "karney"]
INF = math.inf


def some_values(rng, world, n):
    """Geometries, mostly near their neighbours; bytes: invalid ones."""
    values = [world.some() for _ in range(n)]
    shape = rng.randrange(4)
    if shape == 0:
        values.sort(key=world.order)
    elif shape == 1:                 # few places, one after the other
        values, at = [], world.center()
        while len(values) < n:
            values.append(world.some(at))
            at = world.center() if rng.random() < 0.1 else at
    nulls, invalid = rng.choice([0, 0, 0.1, 0.5]), rng.choice([0, 0, 0, 0.05])
    begin, end = sorted(rng.randrange(n + 1) for _ in range(2))
    run = rng.random() < 0.2
    return [None if rng.random() < nulls or run and begin <= i < end else
            geo.spoiled(rng, geo.wkb(v)) if rng.random() < invalid else v
            for i, v in enumerate(values)]


def geometries(values):
    return [v for v in values if isinstance(v, geo.Geometry)]


# ---- boxes of chunks ---------------------------------------------------------

def reach(values, axis):
    """(min, max) of all values, or None."""
    some = [e for e in (geo.extent(v, axis) for v in values) if e]
    return (min(e[0] for e in some), max(e[1] for e in some)) if some else None


def around(rng, values, least=0):
    """(xmin, xmax) that wraps, with a gap of at least so much; or None if no
    such one is true."""
    xs = sorted({p[0] for v in values for p in geo.coordinates(v)
                 if not math.isnan(p[0])})
    gaps = [(a, b) for a, b in zip(xs, xs[1:]) if a < 180 and b > -180 and
            b - a > least]
    if not gaps:
        return None
    west, east = rng.choice([max(gaps, key=lambda g: g[1] - g[0]),
                             rng.choice(gaps)])
    return (east, west) if -180 <= west and east <= 180 else None


def globe_reach(values):
    """reach of X as S2 has it: each -180 is 180."""
    xs = [180.0 if p[0] == -180 else p[0] for v in values
          for p in geo.coordinates(v) if not math.isnan(p[0])]
    return min(xs), max(xs)


class Boxes:
    """How a writer writes the geospatial statistics of a column."""

    def __init__(self, rng, known, is_geography):
        self.rng, self.known = rng, known
        self.s2 = is_geography and rng.random() < 0.7
        self.exact = rng.random() < 0.7
        self.wraps = rng.choice([0, 0, 0.5, 1])
        self.absent = rng.choice([0, 0, 0.2])
        self.odd = rng.choice([0, 0, 0, 0.3])
        self.codes = rng.choice(["all", "all", "all", "none", "empty"])
        self.has_zm = rng.random() < 0.7

    def __call__(self, blobs):
        values = [self.known[b] for b in blobs
                  if isinstance(b, bytes) and b in self.known]
        out = []
        box = self.box(values)
        if box:
            out.append((1, "struct", box))
        if self.codes == "empty":
            out.append((2, "list", ("i32", [])))
        elif self.codes == "all" and len(values) == sum(
                isinstance(b, bytes) for b in blobs):
            out.append((2, "list", ("i32", sorted(
                {geo.code(v) for v in values}))))
        return out

    def box(self, values):
        rng = self.rng
        x, y = reach(values, "x"), reach(values, "y")
        if not x or not y or rng.random() < self.absent:
            return None
        if self.s2:                  # the last digits are lost
            x, y = [(math.nextafter(a, INF), math.nextafter(b, -INF))
                    for a, b in (globe_reach(values), y)]
            y = min(y), max(y)
            x = x if x[0] <= x[1] else globe_reach(values)
        if rng.random() < self.wraps:
            x = around(rng, values) or x
        if not self.exact and x[0] <= x[1]:
            x = x[0] - rng.choice([0, 1, INF]), x[1] + rng.choice([0, 0.5])
        if not self.exact:
            y = y[0] - rng.choice([0, 1]), y[1] + rng.choice([0, 0.5, INF])
        if rng.random() < self.odd:  # this axis is not known
            if rng.random() < 0.5:
                x = rng.choice([(math.nan, x[1]), (x[0], math.nan)])
            else:
                y = rng.choice([(math.nan, y[1]), (y[0], math.nan)] +
                               [(y[1], y[0])] * (y[0] < y[1]))
        out = list(enumerate(x + y, 1))
        if self.has_zm:
            for number, axis in ((5, "z"), (7, "m")):
                some = reach(values, axis)
                if some:
                    out += [(number, some[0]), (number + 1, some[1])]
        return [(number, "double", v) for number, v in out]


# ---- columns of boxes --------------------------------------------------------

def step(f, way):
    """The next FLOAT."""
    if math.isinf(f):
        return f if (f > 0) == (way > 0) else way * -3.4028234663852886e38
    bits = struct.unpack("<i", struct.pack("<f", f))[0]
    n = bits if bits >= 0 else -(bits & 0x7fffffff)
    n += way
    return struct.unpack("<f", struct.pack(
        "<I", n if n >= 0 else -n | 0x80000000))[0]


def outward(v, way):
    f = single(v)
    return f if f * way >= v * way else step(f, way)


class Covering:
    """The boxes of rows in four columns."""

    def __init__(self, rng, name, world, is_geography):
        self.rng = rng
        self.kind = rng.choice(["float", "float", "double"])
        self.rounds = rng.choice(["nearest", "outward"])
        self.outer = rng.random() < 0.5      # of first rings, as by GEOS
        self.s2 = is_geography and rng.random() < 0.5
        # In the plane, a box that wraps has to leave out more.
        self.least_gap = 0 if is_geography else 90
        self.wraps = world.kind == "globe" and (
            is_geography or world.wraps or rng.random() < 0.5)
        self.forgets = rng.choice([0, 0, 0.1, 0.3])  # though there is a box
        self.empty = rng.choice([None, None, math.nan, 0.0, INF])
        self.in_struct = rng.random() < 0.8
        self.order = rng.choice([["xmin", "ymin", "xmax", "ymax"],
                                 ["xmin", "xmax", "ymin", "ymax"]])
        # A struct of one name is the same in all files of a table.
        self.name = name + rng.choice(["_bbox", "bbox", ".b"]) + \
            self.kind[0] + self.order[1][0]
        self.any_wraps = False

    def row(self, v):
        """xmin, xmax, ymin, ymax; None: no box."""
        if v is None or self.rng.random() < self.forgets:
            return None
        if not isinstance(v, geo.Geometry):
            return None
        x, y = geo.extent(v, "x", self.outer), geo.extent(v, "y", self.outer)
        if not x or not y:
            return (self.empty,) * 4 if self.empty is not None else None
        often = 0.9 if v.kind == geo.POLYGONS else 0.3
        some = around(self.rng, [v], self.least_gap) if self.wraps and \
            self.rng.random() < often else None
        if self.s2 and -180 in x:
            self.any_wraps, x = True, globe_reach([v])
        if some:
            self.any_wraps, x = True, some
        return x + y

    def rounded(self, v, way):
        if self.kind == "double" or math.isnan(v):
            return v
        return single(v) if self.rounds == "nearest" else outward(v, way)

    def columns(self, values, how_of):
        rows = [self.row(v) for v in values]
        places = {"xmin": (0, -1), "xmax": (1, 1), "ymin": (2, -1),
                  "ymax": (3, 1)}
        out = []
        for field in self.order:
            at, way = places[field]
            cells = [None if r is None else self.rounded(r[at], way)
                     for r in rows]
            if self.in_struct:
                whole = self.rng.random() < 0.7
                cells = [OUTER if c is None and whole else c for c in cells]
                path = [self.name, field]
            else:
                path = [self.name + "_" + field]
            out.append(Column(path, self.kind, cells,
                              required=not self.in_struct and
                              None not in cells, how=how_of()))
        return out

    def described(self):
        return {"bbox": {f: [self.name, f] if self.in_struct else
                         [self.name + "_" + f] for f in self.order}}


# ---- a column in a file ------------------------------------------------------

def leaf_how(rng):
    """Features of columns of numbers, which should skip something."""
    likely = {"statistics": .9, "null_count": .8, "nan_count": .5,
              "ignores_nans": .6, "index": .6, "dictionary": .4, "split": .2,
              "v2": .4, "gzip": .2, "one_zero": .3, "headers": .4,
              "fallback": .2, "odd_headers": .15}
    how = {h for h in likely if rng.random() < likely[h]}
    # Headers are not used if there is an index.
    return how - {"index"} if "headers" in how and rng.random() < .7 else how


# Nulls of a geometry are counted where those of its covering are.
COUNTED = {"null_count", "headers", "index", "statistics"}


def blob_how(rng):
    return {h for h in ("null_count", "index", "dictionary", "v2", "gzip",
                        "fallback", "bloom", "statistics", "page_counts",
                        "headers") if rng.random() < 0.5}


class Part:
    """The column `name` of a file."""

    def __init__(self, rng, name, values, way, world, type_=None):
        """type_: "GEOMETRY" or "GEOGRAPHY" with the default CRS; None: any."""
        self.rng, self.name, self.values, self.way = rng, name, values, way
        self.world, self.is_default = world, type_ is not None
        self.is_geography = way != "encoded" and (
            world.kind == "globe" and rng.random() < 0.5
            if type_ is None else type_ == "GEOGRAPHY")
        self.described, self.hidden = None, None
        if way == "encoded":
            self.encode()
            return
        self.blobs = [geo.wkb(v, rng) if isinstance(v, geo.Geometry) else v
                      for v in values]
        how = leaf_how(rng)
        self.columns = [self.wkb_column(
            blob_how(rng) | (how if rng.random() < 0.7 else set()) & COUNTED)]
        if way in ("covering", "described", "both"):
            self.describe("WKB")
        if way in ("covering", "both"):
            same = rng.random() < 0.7
            cover = Covering(rng, name, world, self.is_geography)
            self.columns += cover.columns(
                values, lambda: how if same else leaf_how(rng))
            self.described["covering"] = cover.described()
            if cover.any_wraps:
                self.described.pop("bbox", None)

    def wkb_column(self, how):
        rng = self.rng
        required = None not in self.blobs and rng.random() < 0.5
        c = Column([self.name], "bytes", self.blobs, required, how)
        if self.way in ("native", "both"):
            arguments = []
            if not self.is_default and rng.random() < 0.2:
                arguments.append((1, "binary", b"srid:5070"))
            if self.is_geography and rng.random() < 0.5:
                arguments.append((2, "i32", 0 if self.is_default else
                                  rng.randrange(5)))
            c.type = Type(BYTE_ARRAY, (
                "GEOGRAPHY" if self.is_geography else "GEOMETRY", arguments))
            known = {b: v for b, v in zip(self.blobs, self.values)
                     if isinstance(v, geo.Geometry)}
            c.geospatial = Boxes(rng, known, self.is_geography)
        return c

    def describe(self, encoding):
        rng, some = self.rng, geometries(self.values)
        self.described = {"encoding": encoding, "geometry_types": sorted({
            geo.NAMES[v.kind] + (" Z" if v.z else "") for v in some})
            if rng.random() < 0.7 else []}
        if self.is_geography:
            self.described["edges"] = "spherical" if self.is_default else \
                rng.choice(ALGORITHMS)
        crs = 9 if self.is_default else rng.randrange(4)
        if crs == 0:
            self.described["crs"] = None
        elif crs == 1:
            self.described["crs"] = {
                "type": "GeographicCRS", "name": "\u00e9",
                "id": {"authority": "EPSG", "code": 4979}}
        x, y = reach(some, "x"), reach(some, "y")
        if x and y and rng.random() < 0.5 and \
                all(map(math.isfinite, x + y)):
            self.described["bbox"] = [x[0], y[0], x[1], y[1]]

    # ---- coordinates as columns ----

    def encode(self):
        """All values are of one kind and have the same axes."""
        rng = self.rng
        some = geometries(self.values)
        first = some[0]
        encoding, depth = ENCODINGS[first.kind]
        axes = "xy" + "z" * first.z + "m" * first.m
        strict = REQUIRED if rng.random() < 0.6 else OPTIONAL
        fields = [Node(a, strict, type=TYPES["double"]) for a in axes]
        words = ["vertices", "rings", "polygons"]

        def node(name, repetition, depth):
            if depth == 0:
                return Node(name, repetition, fields)
            return Node(name, repetition, [Node("list", REPEATED, [
                node(rng.choice(["element", "item", words[depth - 1]]),
                     strict, depth - 1)])], logical=("LIST",))

        tree = node(self.name, OPTIONAL if None in self.values or
                    rng.random() < 0.5 else REQUIRED, depth)

        def row(n, inner):
            if n.fields is fields:
                return dict(zip(axes, inner))
            element = n.fields[0].fields[0]
            return {"list": [{element.name: row(element, i)} for i in inner]}

        nan = (math.nan,) * len(axes)

        def nested(g):
            if g.kind == geo.POINT:
                return g.parts or nan
            if g.kind in (geo.LINE, geo.POLYGON):
                return g.parts
            return [nested(p) for p in g.parts]

        rows = [None if v is None else row(tree, nested(v))
                for v in self.values]
        how = leaf_how(rng)
        same = rng.random() < 0.7
        self.columns = leaves(tree, rows,
                              lambda path: how if same else leaf_how(rng))
        self.hidden = [None if v is None else geo.wkb(v) for v in self.values]
        self.blobs = None
        self.describe(encoding)


def geo_key(rng, parts):
    """The key "geo" of a file, if some of its columns are described."""
    columns = {p.name: p.described for p in parts if p.described}
    if not columns:
        return []
    covered = any("covering" in c for c in columns.values())
    encoded = any(c["encoding"] != "WKB" for c in columns.values())
    version = rng.choice(["1.1.0", "2.0.0"] if covered else ["1.1.0"]
                         if encoded else ["1.0.0", "1.1.0", "2.0.0"])
    text = json.dumps({"version": version, "primary_column": list(columns)[0],
                       "columns": columns}, ensure_ascii=rng.random() < 0.5)
    return [(b"geo", text.encode())]
