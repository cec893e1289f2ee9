"""The official sample files of geometries, against geospatial.yaml and
themselves.

    passed, failed = check(extension, folder)

folder is data/geospatial of parquet-testing.  Each file is one test:

    values     are the texts of the file, and of the yaml, through ST_AsText
    boxes      and types of row groups are those of their values; of a GEOGRAPHY
               they may be larger
    types      declared are those that the schema says, with the CRS
"""
import json
import os

import geo_value as geo
from rowids import connect

CRS = {"crs-srid": "srid:5070"}
JSON = {"crs-projjson", "crs-arbitrary-value"}   # in the metadata, in the type
WORDS = ["point", "linestring", "polygon", "multipoint", "multilinestring",
         "multipolygon", "geometrycollection"]
AXES = ["", "_z", "_m", "_zm"]


def sections(path):
    """{name: [text or None]} of geospatial.yaml, which has only lists."""
    out, items = {}, None
    with open(path) as f:
        for line in f:
            line = line.rstrip("\n")
            if line.startswith("#") or not line:
                continue
            if line.startswith("- "):
                items.append(line[2:])
            elif line.startswith(" "):
                items[-1] += line
            else:
                items = out[line.rstrip(":")] = []
    return {name: [None if t == "null" else t for t in some]
            for name, some in out.items()}


def code_of(word):
    at = word.rfind("_")
    name, axes = (word[:at], word[at:]) if at > 0 else (word, "")
    return 1 + WORDS.index(name) + 1000 * AXES.index(axes)


def same_words(a, b):
    if a is None or b is None:
        return a is b
    return repr(geo.words(a)) == repr(geo.words(b))


def box_of(values):
    """As the statistics of a row group have it."""
    out = {}
    for axis in "xyzm":
        some = [e for e in (geo.extent(v, axis) for v in values) if e]
        if some:
            out[axis + "min"] = min(e[0] for e in some)
            out[axis + "max"] = max(e[1] for e in some)
    return out if "xmin" in out and "ymin" in out else None


def within(box, values):
    """X may wrap, and may be larger than the vertices.

    QUIRK: DataFusion 52.5.0 computes with angles, and its boxes are a bit too
    small: check_own_boxes sees that no row is lost by it."""
    west, east = box["xmin"] - 1e-12, box["xmax"] + 1e-12
    south, north = box["ymin"] - 1e-12, box["ymax"] + 1e-12
    for v in values:
        for p in geo.coordinates(v):
            if not (west <= p[0] <= east if west <= east else
                    p[0] >= west or p[0] <= east) or \
                    not south <= p[1] <= north:
                return False
    return True


def check_boxes(db, path, rows, is_geography):
    groups = db.execute(
        "SELECT row_group_num_rows, geo_bbox, geo_types FROM "
        "parquet_metadata(?) WHERE path_in_schema IN ('geometry', 'geography') "
        "ORDER BY row_group_id", (path,)).fetchall()
    for number, (n, box, types) in enumerate(groups):
        values, rows = [geo.read(r) for r in rows[:n] if r], rows[n:]
        box = json.loads(box) if box else None
        if types is not None:
            have = sorted({geo.code(v) for v in values})
            said = sorted(map(code_of, json.loads(types)))
            if said != have:
                return "row group %d has types %s, not %s" % (number, said,
                                                              have)
        if is_geography:
            if box and not within(box, values):
                return "row group %d: not all is within %s" % (number, box)
        elif box != box_of(values):
            return "row group %d: its box is %s, not %s" % (number, box,
                                                            box_of(values))
    return "%d rows are in no row group" % len(rows) if rows else None


def check_yaml(db, folder):
    wanted = [(name, text) for name, texts in sections(
        folder + "/geospatial.yaml").items() for text in texts]
    got = db.execute('SELECT "group", ST_AsText(geometry) FROM t').fetchall()
    if len(got) != len(wanted):
        return "%d rows, not %d" % (len(got), len(wanted))
    return next(("%r, not %r" % (g, w) for g, w in zip(got, wanted)
                 if g[0] != w[0] or not same_words(g[1], w[1])), None)


def check_functions(db, column):
    """Boxes and sizes by functions are those of the values."""
    calls = ["ST_XMin(%s)", "ST_XMax(%s)", "ST_YMin(%s)", "ST_YMax(%s)",
             "ST_ZMin(%s)", "ST_ZMax(%s)", "ST_MMin(%s)", "ST_MMax(%s)",
             "ST_GeometryType(%s)", "ST_IsEmpty(%s)", "ST_NPoints(%s)"]
    for row in db.execute("SELECT %s, %s FROM t WHERE %s IS NOT NULL" % (
            column, ", ".join(calls) % ((column,) * len(calls)), column)):
        g = geo.read(row[0])
        n = len(list(geo.coordinates(g)))
        ends = [e for axis in "xyzm" for e in geo.extent(g, axis) or
                (None, None)]
        wanted = ends + ["ST_" + geo.NAMES[g.kind], int(n == 0), n]
        if list(row[1:]) != wanted:
            return "%s: %r, not %r" % (geo.text(g), row[1:], wanted)
    return None


def check_own_boxes(db, column):
    """Each row is found by its box."""
    lost = db.execute(
        "SELECT count(*) FROM (SELECT rowid AS id, ST_Envelope(%s) AS box FROM "
        "t WHERE NOT ST_IsEmpty(%s)) AS o WHERE NOT EXISTS (SELECT 1 FROM t "
        "WHERE t.rowid = o.id AND ST_Intersects_Extent(t.%s, o.box))" % (
            (column,) * 3)).fetchone()[0]
    lost += db.execute(
        "SELECT count(*) FROM (SELECT rowid AS id, ST_Point(ST_XMin(%s), "
        "ST_YMin(%s)) AS box FROM t WHERE NOT ST_IsEmpty(%s)) AS o "
        "WHERE o.id NOT IN (SELECT t.rowid FROM t WHERE "
        "ST_Intersects_Extent(t.%s, o.box))" % ((column,) * 4)).fetchone()[0]
    return "%d rows are not found by their own boxes" % lost if lost else None


def check_file(db, folder, name):
    path = "%s/%s.parquet" % (folder, name)
    db.execute("DROP TABLE IF EXISTS temp.t")
    db.execute("CREATE VIRTUAL TABLE temp.t USING parquet('%s')" % path)
    declared = {r[1]: r[2] for r in db.execute("PRAGMA table_xinfo(t)")}
    column = "geography" if "geography" in declared else "geometry"
    is_geography = "geography" in name
    crs = db.execute("SELECT crs FROM parquet_schema(?) WHERE name = ?",
                     (path, column)).fetchone()[0]
    if name in JSON:
        if json.loads(crs)["id"] != {"authority": "EPSG", "code": 5070}:
            return "its CRS is " + crs
    elif crs != CRS.get(name):
        return "its CRS is %s" % crs
    begin = "GEOGRAPHY" if is_geography else "GEOMETRY"
    if name in CRS:
        begin += "(" + CRS[name]
    elif name in JSON:
        begin += "(EPSG:5070"
    if not declared[column].startswith(begin):
        return "declared is %s" % declared[column]
    rows = db.execute("SELECT %s%s FROM t" % (
        column, ", wkt, ST_AsText(%s)" % column if "wkt" in declared
        else "")).fetchall()
    for row in rows:
        if len(row) > 1 and not same_words(row[1], row[2]):
            return "%.200s, not %.200s" % (row[2], row[1])
    return check_boxes(db, path, [r[0] for r in rows], is_geography) or \
        check_functions(db, column) or check_own_boxes(db, column) or \
        (check_yaml(db, folder) if name == "geospatial" else None)


def check(extension, folder):
    names = sorted(f[:-8] for f in os.listdir(folder)
                   if f.endswith(".parquet"))
    failed, db = 0, connect(extension)
    for name in names:
        why = check_file(db, folder, name)
        if why:
            failed += 1
            print("FAIL %s.parquet: %s" % (name, why))
    return len(names) - failed, failed
