"""Geometries that parquet_copy_to writes, against brute force.

Random geometries become a file with random options of a copy.  The file has to
have the same geometries, now in ISO WKB.  Queries that skip by what the copy
wrote, the boxes of row groups and the covering, have to give the rows that
Python finds.

Usage: geo_own.py EXTENSION SEED CASES FOLDER
A case is a file and some queries; CASE=m repeats one.
"""
import json
import math
import os
import random
import sqlite3
import sys

import geo_file
import geo_value as geo
from rowids import connect

HOW = {"intersects": "ST_Intersects_Extent", "contains": "ST_Contains_Extent",
       "within": "ST_Within_Extent"}
QUERIES = 25


def some_options(rng, is_geography):
    o = {"row_group_rows": rng.choice([3, 10, 50, 100000]),
         "page_rows": rng.choice([1, 2, 7, 1000]),
         "dictionary": rng.random() < 0.5,
         "threads": rng.choice([0, 2]),
         "types": {"g": "geography" if is_geography else "geometry"}}
    if rng.random() < 0.7:
        o["geoparquet"] = rng.choice(["1.1", "2.0"])
        o["covering"] = rng.choice([False, "float", "double"])
    if rng.random() < 0.3:
        o["hilbert"] = "g"
    return o


def is_same(blob, g):
    """Without a flag of EWKB."""
    try:
        return blob == g if g is None or blob is None else \
            blob[4 if blob[0] else 1] < 0x10 and geo.same(geo.read(blob), g)
    except geo.Invalid:
        return False


def is_finite(g):
    return all(math.isfinite(v) for p in geo.coordinates(g) for v in p)


def loses_rings(g):
    """The text of a polygon whose first ring is empty has no other rings."""
    if g.kind == geo.POLYGON:
        return len(g.parts) > 1 and not g.parts[0]
    return g.kind > geo.POLYGON and any(map(loses_rings, g.parts))


def cell(rng, g):
    """As a query may have it: ISO, EWKB or a text."""
    if g is None:
        return None
    return geo.text(g) if rng.random() < 0.2 and is_finite(g) and \
        not loses_rings(g) else geo.wkb(g, rng)


def some_values(rng, world):
    n = rng.randrange(1, 120)
    few = [world.some() for _ in range(rng.choice([3, n]))]
    values = [rng.choice(few) if len(few) == 3 else few[i] for i in range(n)]
    return [None if rng.random() < 0.1 else v for v in values]


def corners(rng, world, values):
    some = [b for b in (geo.box(v) for v in values if v) if b]
    x0, x1, y0, y1 = rng.choice(some) if some else (0.0, 0.0, 0.0, 0.0)
    w, h = (rng.choice([0, 0, 1e-9, 1]) for _ in range(2))
    if rng.random() < 0.3:           # only a corner of it
        x0, y0 = x1, y1
    return x0 - w, y0 - h, x1 + w, y1 + h


def check_box(db, path, values, is_geography):
    """That of the description is of all.  JSON has no infinite numbers."""
    row = db.execute("SELECT value FROM parquet_kv_metadata(?) WHERE key = "
                     "'geo'", (path,)).fetchone()
    if not row or is_geography:
        return []
    text = row[0].decode() if isinstance(row[0], bytes) else row[0]
    box = json.loads(text)["columns"]["g"].get("bbox")
    reach = [geo_file.reach(geo_file.geometries(values), a) for a in "xy"]
    if None in reach or not all(map(is_finite, geo_file.geometries(values))):
        return []
    if not box:
        return ["no bbox, but %r" % reach]
    half = len(box) // 2
    return ["bbox %r, not %r" % (box, reach) for i in range(2)
            if [box[i], box[half + i]] != list(reach[i])]


def check(db, rng, path):
    """Sentences about what is wrong."""
    world = geo.World(rng)
    values = some_values(rng, world)
    is_geography = world.kind == "globe" and rng.random() < 0.5
    options = some_options(rng, is_geography)
    db.execute("CREATE TEMP TABLE made(id INTEGER, g)")
    db.executemany("INSERT INTO made VALUES (?, ?)",
                   [(i, cell(rng, v)) for i, v in enumerate(values)])
    db.execute("SELECT parquet_copy_to('SELECT id, g FROM made', ?, ?)",
               (path, json.dumps(options)))
    db.execute("CREATE VIRTUAL TABLE temp.own USING parquet('%s')" % path)
    failures = check_box(db, path, values, is_geography)
    for i, blob in db.execute("SELECT id, g FROM own").fetchall():
        if not is_same(blob, values[i]):
            failures.append("row %d is %r, not %r" % (i, blob, values[i]))
    for _ in range(QUERIES):
        how, box = rng.choice(list(HOW)), corners(rng, world, values)
        asked = geo.box(geo.envelope(*box))
        wanted = [i for i, v in enumerate(values)
                  if v and geo.relates(how, geo.box(v), asked)]
        sql = "SELECT id FROM own WHERE %s(g, ST_MakeEnvelope(?, ?, ?, ?)) " \
            "ORDER BY id" % HOW[how]
        rows = [r[0] for r in db.execute(sql, box)]
        if rows != wanted:
            failures.append("%s %r: %r, not %r" % (how, box, rows, wanted))
    return ["%s with %r" % (f, options) for f in failures]


def main():
    extension, seed, cases = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    only = os.environ.get("CASE")
    os.makedirs(sys.argv[4], exist_ok=True)
    passed = failed = 0
    for number in [int(only)] if only else range(cases):
        rng = random.Random("own geometries %d %d" % (seed, number))
        path = "%s/own_%d.parquet" % (sys.argv[4], number)
        db = connect(extension)
        try:
            failures = check(db, rng, path)
        except sqlite3.OperationalError as error:
            failures = [str(error)]
        db.close()
        passed, failed = passed + (not failures), failed + bool(failures)
        for f in failures[:3] if failed < 20 else ():
            print("FAIL case %d of seed %d: %.600s" % (number, seed, f),
                  flush=True)
    print("geo_own (seed %d): %d passed, %d failed, 0 skipped"
          % (seed, passed, failed))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
