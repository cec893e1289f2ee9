"""Geometries by the specifications alone: values, their bytes, texts and boxes.

A geometry is Geometry(kind, z, m, parts).  parts is of a Point a tuple of
numbers, or None if it is empty; of a LineString a list of points; of a Polygon a
list of rings; of others a list of geometries.

    wkb(g, rng)                 the bytes; rng chooses byte orders, and the
                                flags of EWKB instead of ISO's thousands
    read(bytes)                 the inverse, or Invalid
    box(g)                      (xmin, xmax, ymin, ymax), or None
    relates(how, a, b)          of two boxes
    text(g)                     as PostGIS writes it
"""
import collections
import math
import re
import struct

POINT, LINE, POLYGON, POINTS, LINES, POLYGONS, COLLECTION = range(1, 8)
NAMES = ["", "Point", "LineString", "Polygon", "MultiPoint", "MultiLineString",
         "MultiPolygon", "GeometryCollection"]
MEMBERS = {POINTS: POINT, LINES: LINE, POLYGONS: POLYGON}
DEPTH = 100
NAN = math.nan

Geometry = collections.namedtuple("Geometry", "kind z m parts")


class Invalid(Exception):
    """Bytes that are no geometry."""


def code(g):
    return g.kind + 1000 * g.z + 2000 * g.m


# ---- bytes -------------------------------------------------------------------

def wkb(g, rng=None, srid=None, ewkb=None):
    """Little-endian ISO, or as rng likes it."""
    if ewkb is None:
        ewkb = bool(rng and rng.random() < 0.3)
        if ewkb and rng.random() < 0.5:
            srid = rng.choice([0, 4326, 3857, 2**31])
    order = "<" if not rng or rng.random() < 0.7 else ">"
    out = b"\1" if order == "<" else b"\0"
    if ewkb:
        flags = g.z << 31 | g.m << 30 | (srid is not None) << 29
        out += struct.pack(order + "I", g.kind | flags)
        if srid is not None:
            out += struct.pack(order + "I", srid)
    else:
        out += struct.pack(order + "I", code(g))

    def points(some):
        return struct.pack(order + "I", len(some)) + b"".join(
            struct.pack("%s%dd" % (order, len(p)), *p) for p in some)

    if g.kind == POINT:
        n = 2 + g.z + g.m
        return out + struct.pack("%s%dd" % (order, n),
                                 *(g.parts or (NAN,) * n))
    if g.kind == LINE:
        return out + points(g.parts)
    out += struct.pack(order + "I", len(g.parts))
    if g.kind == POLYGON:
        return out + b"".join(points(ring) for ring in g.parts)
    return out + b"".join(wkb(part, rng, None, ewkb) for part in g.parts)


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        if self.at + n > len(self.data):
            raise Invalid("cut off")
        self.at += n
        return self.data[self.at - n:self.at]

    def number(self, order):
        return struct.unpack(order + "I", self.take(4))[0]

    def points(self, order, axes):
        n = self.number(order)
        if n * axes * 8 > len(self.data) - self.at:
            raise Invalid("cut off")
        return [struct.unpack("%s%dd" % (order, axes), self.take(8 * axes))
                for _ in range(n)]

    def geometry(self, depth=0):
        byte = self.take(1)[0]
        if byte > 1:
            raise Invalid("byte order %d" % byte)
        order = ">" if byte == 0 else "<"
        type_ = self.number(order)
        z, m, srid = type_ >> 31, type_ >> 30 & 1, type_ >> 29 & 1
        thousands, kind = divmod(type_ & 0x1fffffff, 1000)
        if thousands > 3 or not POINT <= kind <= COLLECTION or depth > DEPTH:
            raise Invalid("type %d" % type_)
        z, m = bool(z or thousands & 1), bool(m or thousands & 2)
        if srid:
            self.take(4)
        axes = 2 + z + m
        if kind == POINT:
            p = struct.unpack("%s%dd" % (order, axes), self.take(8 * axes))
            return Geometry(kind, z, m,
                            None if all(map(math.isnan, p)) else p)
        if kind == LINE:
            return Geometry(kind, z, m, self.points(order, axes))
        n = self.number(order)
        if n > (len(self.data) - self.at) // (4 if kind == POLYGON else 5):
            raise Invalid("cut off")
        if kind == POLYGON:
            return Geometry(kind, z, m,
                            [self.points(order, axes) for _ in range(n)])
        parts = [self.geometry(depth + 1) for _ in range(n)]
        for part in parts:           # GEOS writes an empty part without Z
            if kind in MEMBERS and (part.kind != MEMBERS[kind] or (
                    part.parts and (part.z, part.m) != (z, m))):
                raise Invalid("%s in %s" % (NAMES[part.kind], NAMES[kind]))
        return Geometry(kind, z, m, parts)


def read(data):
    r = Reader(data)
    g = r.geometry()
    if r.at < len(data):
        raise Invalid("more bytes")
    return g


# ---- boxes -------------------------------------------------------------------

def coordinates(g, outer=False):
    """All points.  outer: of a Polygon, those of its first ring."""
    if g.kind == POINT:
        if g.parts:
            yield g.parts
    elif g.kind == LINE:
        yield from g.parts
    elif g.kind == POLYGON:
        for ring in g.parts[:1] if outer else g.parts:
            yield from ring
    else:
        for part in g.parts:
            yield from coordinates(part, outer)


def axis_number(g, axis):
    """The place of X, Y, Z or M in a point; None: it has none."""
    return {"x": 0, "y": 1, "z": 2 if g.z else None,
            "m": 2 + g.z if g.m else None}[axis]


def extent(g, axis, outer=False):
    """(min, max) of these coordinates, or None; X never wraps."""
    n = axis_number(g, axis)
    some = [] if n is None else [p[n] for p in coordinates(g, outer)
                                 if not math.isnan(p[n])]
    return (min(some), max(some)) if some else None


def rectangle(g):
    """(xmin, xmax, ymin, ymax) of a Polygon that is one, else None."""
    if len(g.parts) != 1 or len(g.parts[0]) != 5:
        return None
    ring = [p[:2] for p in g.parts[0]]
    if ring[0] != ring[4] or any(math.isnan(v) for p in ring for v in p):
        return None
    xs, ys = [p[0] for p in ring], [p[1] for p in ring]
    x0, x1, y0, y1 = min(xs), max(xs), min(ys), max(ys)
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = ring[:4]
    corners = (ax == bx and by == cy and cx == dx and dy == ay) or \
        (ay == by and bx == cx and cy == dy and dx == ax)
    opposite = {ax, cx} == {x0, x1} and {ay, cy} == {y0, y1}
    return (x0, x1, y0, y1) if corners and opposite else None


def box(g):
    """X and Y, of first rings; xmin > xmax if it is cut at the antimeridian."""
    x, y = extent(g, "x", True), extent(g, "y", True)
    if not x or not y:
        return None
    if g.kind == POLYGONS and len(g.parts) == 2:
        a, b = map(rectangle, g.parts)
        if a and b and a[2:] == b[2:]:
            for west, east in ((a, b), (b, a)):
                if west[1] == 180 and east[0] == -180 and west[0] > east[1]:
                    return (west[0], east[1]) + y
    return x + y


def spans(b):
    return [(b[0], b[1])] if b[0] <= b[1] else [(b[0], 180.0), (-180.0, b[1])]


def relates(how, a, b):
    """how: intersects, contains (b is in a) or within (a is in b)."""
    if not a or not b:
        return False
    if how == "within":
        a, b = b, a
    if how == "intersects":
        return a[2] <= b[3] and b[2] <= a[3] and any(
            s[0] <= t[1] and t[0] <= s[1] for s in spans(a) for t in spans(b))
    return a[2] <= b[2] and b[3] <= a[3] and all(
        any(s[0] <= t[0] and t[1] <= s[1] for s in spans(a))
        for t in spans(b))


def polygon(x0, y0, x1, y1):
    """As ST_MakeEnvelope and ST_Envelope begin it."""
    return Geometry(POLYGON, False, False, [
        [(x0, y0), (x0, y1), (x1, y1), (x1, y0), (x0, y0)]])


def envelope(x0, y0, x1, y1):
    if x0 > x1 and -180 <= x1 and x0 <= 180:
        return Geometry(POLYGONS, False, False, [
            polygon(x0, y0, 180.0, y1), polygon(-180.0, y0, x1, y1)])
    return polygon(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))


# ---- texts -------------------------------------------------------------------

def number(v):
    """The fewest digits; how they are written is not told (see same_text)."""
    return "NaN" if math.isnan(v) else \
        ("-" if v < 0 else "") + "Infinity" if math.isinf(v) else repr(v)


def text(g, outer=True):
    """Members of a collection have names of their own.  A Polygon whose first
    ring is empty is empty: no text has its other rings."""
    name = NAMES[g.kind].upper() if outer else ""
    if outer and (g.z or g.m):
        name += " " + "Z" * g.z + "M" * g.m + " "
    empty = g.parts is None or len(g.parts) == 0 or (
        g.kind == POLYGON and not g.parts[0])
    if empty:
        return (name.rstrip() + " " if outer else "") + "EMPTY"

    def points(some):
        return "(" + ",".join(" ".join(map(number, p)) for p in some) + ")"

    if g.kind == POINT:
        return name + points([g.parts])
    if g.kind == LINE:
        return name + points(g.parts)
    if g.kind == POLYGON:
        return name + "(" + ",".join(
            points(r) if r else "EMPTY" for r in g.parts) + ")"
    return name + "(" + ",".join(
        text(part, g.kind == COLLECTION) for part in g.parts) + ")"


WORD = re.compile(r"[A-Za-z]+|[-+.\deE]+|[(),]")


def words(s):
    """Of a text, numbers as numbers."""
    out = []
    for w in WORD.findall(s):
        if w[0].isdigit() or w[0] in "-+." and w[1:2] not in "Ii":
            try:
                out.append(float(w))
                continue
            except ValueError:
                pass
        out.append(w.upper())
    return out


def same_text(a, b):
    return words(a) == words(b)


def same(a, b):
    """Bit for bit, but NaN is NaN."""
    return wkb(a) == wkb(b) or repr(a) == repr(b)


# ---- random geometries -------------------------------------------------------

ODD = [0.0, -0.0, 0.1, 1e300, -1e300, 5e-324, -5e-324, math.inf, -math.inf,
       16777217.0, 180.0, -180.0, 90.0, 1e-40, 3.4028235677973366e38,
       179.99999999, 0.30000001192092896]


class World:
    """Where the points of a table are.

    plain: numbers with few digits, so that edges meet; globe: longitudes and
    latitudes; wild: any numbers."""

    def __init__(self, rng, kind=None):
        self.rng = rng
        self.kind = kind or rng.choice(["plain", "plain", "globe", "globe",
                                        "fine", "wild"])
        self.spread = rng.choice([0.5, 3, 10])
        self.kinds = rng.choice([[POINT], [POINT], list(range(1, 8)),
                                 [rng.randrange(1, 8)], [POLYGON, POLYGONS],
                                 [POINT, LINE, POLYGON]])
        self.dims = rng.choice([[(0, 0)], [(0, 0)],
                                [(0, 0), (1, 0), (0, 1), (1, 1)],
                                [(1, 0)], [(1, 1)]])
        self.nans = rng.choice([0, 0, 0, 0.02, 0.2])
        self.empties = rng.choice([0, 0, 0.05, 0.3])
        globe, self.wraps = self.kind == "globe", False
        self.cuts = rng.choice([0.1, 0.4]) if globe and rng.random() < 0.5 else 0
        self.wide = rng.choice([0.1, 0.4]) if globe and rng.random() < 0.5 else 0

    def center(self):
        rng = self.rng
        if self.kind == "globe":
            return rng.choice([
                (rng.uniform(-180, 180), rng.uniform(-90, 90)),
                (float(rng.randrange(-18, 19) * 10),
                 float(rng.randrange(-9, 10) * 10)),
                (rng.choice([-180, 180, 175, -176, 179.5]),
                 rng.uniform(-60, 60))])
        if self.kind == "plain" and self.spread == 3:    # or beyond 180
            return rng.choice([-190.0, 20.0, 170.0]), 0.0
        if self.kind == "plain":
            return float(rng.randrange(-20, 21)), float(rng.randrange(-20, 21))
        if self.kind == "fine":      # what a FLOAT cannot tell apart
            return rng.randrange(-8, 9) / 10, 7 + rng.randrange(-8, 9) / 10
        return self.number(), self.number()

    def number(self):
        rng = self.rng
        return rng.choice([rng.choice(ODD), rng.uniform(-1e3, 1e3),
                           rng.uniform(-1, 1) * 10.0**rng.randrange(-50, 300)])

    def near(self, at):
        """A point near another one."""
        rng = self.rng
        if self.kind == "wild" and rng.random() < 0.3:
            return self.number(), self.number()
        if self.kind == "plain":
            steps = max(1, int(self.spread * 2))
            return tuple(v + rng.randrange(steps) / 2 for v in at)
        if self.kind == "fine":
            return tuple(v + rng.randrange(3) * 1e-9 for v in at)
        x, y = (v + rng.uniform(-1, 1) * self.spread for v in at)
        if self.kind == "globe":
            x = x - 360 if x > 180 else x + 360 if x < -180 else x
            y = max(-90.0, min(90.0, y))
        return x, y

    def point(self, at, z, m):
        p = list(self.near(at)) + [self.number() for _ in range(z + m)]
        return tuple(NAN if self.rng.random() < self.nans else v for v in p)

    def points(self, at, z, m, least=1):
        return [self.point(at, z, m)
                for _ in range(self.rng.randrange(least, 5))]

    def ring(self, at, z, m):
        some = self.points(at, z, m, 3)
        return some + some[:1]

    def some(self, at=None, kind=None, dims=None, depth=0):
        rng = self.rng
        at = at or self.center()
        kind = kind or rng.choice(self.kinds)
        z, m = map(bool, dims or rng.choice(self.dims))
        if rng.random() < self.empties:
            return Geometry(kind, z, m, None if kind == POINT else [])
        if depth == 0 and rng.random() < self.cuts:
            return self.cut(at)
        if depth == 0 and rng.random() < self.wide:
            x0, x1 = rng.uniform(-180, -165), rng.uniform(165, 178)
            return Geometry(LINE, False, False, [(x0, at[1]), (x1, at[1])])
        if kind == POINT:
            p = self.point(at, z, m)
            return Geometry(kind, z, m,
                            None if all(map(math.isnan, p)) else p)
        if kind == LINE:
            parts = self.points(at, z, m, 2)
        elif kind == POLYGON:
            parts = [self.ring(at, z, m) for _ in range(rng.choice([1, 1, 2]))]
            if rng.random() < self.empties:
                parts.insert(rng.randrange(len(parts) + 1), [])
        else:
            inner = MEMBERS.get(kind)
            n = rng.randrange(1, 4) if depth < 3 else 0
            parts = [self.some(at, inner, (z, m), depth + 1) if inner else
                     self.some(at, rng.randrange(1, 8), (z, m), depth + 1)
                     for _ in range(n)]
        return Geometry(kind, z, m, parts)

    def cut(self, at):
        """A box that is cut at the antimeridian, or almost."""
        rng = self.rng
        west, east = rng.choice([160.0, 170.0, 175.5, 180.0, 10.0]), \
            rng.choice([-160.0, -170.0, -180.0, -179.5, 5.0])
        y0, y1 = sorted((at[1], at[1] + rng.choice([0, 1, 10])))
        halves = [polygon(west, y0, 180.0, y1), polygon(-180.0, y0, east, y1)]
        kind = rng.randrange(12)
        if kind == 0:
            halves.append(polygon(0.0, y0, 1.0, y1))
        elif kind == 1:
            halves[0] = polygon(west, y0, 179.75, y1)
        elif kind == 2:
            halves[1] = polygon(-180.0, y0, east, y1 + 0.5)
        elif kind == 3:
            halves[0].parts.append(halves[0].parts[0])
        elif kind == 4:
            ring = halves[0].parts[0]
            ring[2] = (ring[2][0] - 0.25, ring[2][1])
        if kind > 6:                 # another corner first, the other way round
            for half in halves:
                ring, n = half.parts[0][:4], rng.randrange(4)
                ring = ring[n:] + ring[:n]
                ring = ring[::-1] if kind > 9 else ring
                half.parts[0] = ring + ring[:1]
        if rng.random() < 0.3:
            halves.reverse()
        return Geometry(POLYGONS, False, False, halves)

    def order(self, g):
        b = g and box(g)
        return (b[0], b[2]) if b else (math.inf, 0)


def deep(n):
    """Collections in each other, and a Point in the middle."""
    g = Geometry(POINT, False, False, (1.0, 2.0))
    for _ in range(n):
        g = Geometry(COLLECTION, False, False, [g])
    return g


def spoiled(rng, data):
    """Bytes that are no geometry any more."""
    while True:
        kind = rng.randrange(6)
        if kind == 0:
            bad = data[:rng.randrange(len(data))]
        elif kind == 1:
            bad = data + bytes(rng.randrange(1, 9))
        elif kind == 2:
            bad = bytes([rng.randrange(2, 256)]) + data[1:]
        elif kind == 3:
            bad = data[:1] + struct.pack("<I", rng.choice(
                [0, 8, 17, 999, 4001, 1000, 3008, 2**28])) + data[5:]
        elif kind == 4:
            bad = data[:5] + b"\xff\xff\xff\x7f" + data[9:]
        else:
            bad = rng.choice([b"", b"\1", b"POINT(1 2)", bytes(21),
                              wkb(deep(DEPTH + 20))])
        try:
            read(bad)
        except Invalid:
            return bad
