"""Statements over unnested lists give the same rows as over native tables.

Files with lists and maps of anything are made: of scalars, structs and lists,
inside structs and in each other, empty ones and null ones, with null elements and
null structs, in the ways that writers have written lists, a few elements a row or
thousands, in pages of any size, in several files of which some lack a field or the
list, the first one too, and copied by parquet_copy_to.  VARIANTs are beside the
lists and in them (unnest_variants.py).  From the same values a file without that list
is made, with a row per element; a native copy of it is what unnest='...' has to
give, inner and outer.  Rollups over unnested tables are asked too.

The statements are those of rollup_statements.py, for which a table whose columns
are all dimensions, and are not grouped, is one more kind.

Usage: unnests.py EXTENSION SEED CASES FOLDER

CASE=n runs only that case and prints it.  The last line has the counts.
"""
import copy
import json
import os
import random
import sqlite3
import sys

import grouped
import made_files
import parquet_file
import rollups
from nested_columns import Node, OPTIONAL, REPEATED, REQUIRED, leaves
from parquet_file import Column, TYPES
from rollup_tables import Base, Column as Dimension, Rollup, WrongColumns
from unnest_variants import Flag, Variant, paths_of, settle, spoil, stand_ins
from worlds import connect

KINDS = ["int64", "int64", "int32", "double", "double", "float", "date",
         "timestamp_us", "decimal_9_2", "string", "string", "string", "boolean",
         "uint32", "bytes"]


# ---- shapes --------------------------------------------------------------------
#
# A shape makes values as Python has them: None, a scalar, a dict of a struct, a
# list, or a list of dicts with key and value of a map.

class Scalar:
    def __init__(self, rng, kind=None, required=False):
        self.kind, self.required = kind or rng.choice(KINDS), required
        self.most = rng.choice([2, 10, 60, 1000])
        self.sorted = rng.random() < 0.4
        self.nulls = 0 if required else rng.choice([0, 0.1, 0.1, 0.6])

    def value(self, rng, at):
        """at: from 0 to 1, where the row is in the file."""
        if rng.random() < self.nulls:
            return None
        i = int(at * self.most) if self.sorted else rng.randrange(self.most)
        if self.kind == "bytes":
            return b"b%d" % i
        v = grouped.value_of(random.Random(i), "int64" if self.kind == "uint32"
                             else self.kind, i)
        return v + 5 if self.kind == "uint32" else v

    def node(self, name):
        return Node(name, REQUIRED if self.required else OPTIONAL,
                    type=TYPES[self.kind])

    def put(self, v):
        return v


class Struct:
    def __init__(self, rng, fields, required=False):
        self.fields, self.required = fields, required
        self.nulls = 0 if required else rng.choice([0, 0.1, 0.3])

    def value(self, rng, at):
        if rng.random() < self.nulls:
            return None
        return {f: s.value(rng, at) for f, s in self.fields.items()}

    def node(self, name):
        return Node(name, REQUIRED if self.required else OPTIONAL,
                    [s.node(f) for f, s in self.fields.items()])

    def put(self, v):
        return None if v is None else {
            f: s.put(v.get(f)) for f, s in self.fields.items()}


class Many:
    """Lists and maps: how many elements."""

    def begin(self, rng, depth):
        self.nulls = rng.choice([0, 0, 0.1, 0.5])
        self.empty = rng.choice([0, 0.1, 0.5])
        self.few = rng.choice([1, 3, 3, 6] if depth else [1, 3, 6, 40])
        self.long = 0 if depth else rng.choice([0, 0, 0.004])

    def count(self, rng):
        """Of elements, or None."""
        r = rng.random()
        if r < self.nulls:
            return None
        if rng.random() < self.empty:
            return 0
        return rng.choice([1500, 2048, 5000]) if rng.random() < self.long \
            else rng.randrange(1, self.few + 1)

    def value(self, rng, at):
        n = self.count(rng)
        return None if n is None else [self.one(rng, at) for _ in range(n)]


class List(Many):
    def __init__(self, rng, element, depth, inside=False):
        self.element = element
        self.begin(rng, depth)
        self.form = "list"
        if isinstance(element, (Scalar, Struct)) and rng.random() < 0.25:
            # An older form, whose elements are not null.
            self.form = "array" if inside else \
                rng.choice(["array", "repeated"])
            element.required, element.nulls = True, 0
        if self.form == "repeated":  # nor is the list
            self.nulls = 0

    def one(self, rng, at):
        return self.element.value(rng, at)

    def node(self, name):
        element = self.element.node("element" if self.form == "list"
                                    else "array" if self.form == "array"
                                    else name)
        if self.form == "list":
            element = Node("list", REPEATED, [element])
        else:
            element.repetition = REPEATED
        if self.form == "repeated":
            return element
        return Node(name, OPTIONAL, [element], logical=("LIST",))

    def put(self, v):
        if self.form == "repeated":
            return [self.element.put(e) for e in v or []]
        if v is None:
            return None
        some = [self.element.put(e) for e in v]
        return {"list": [{"element": e} for e in some]} \
            if self.form == "list" else {"array": some}


class Map(Many):
    def __init__(self, rng, value, depth):
        self.fields = {"key": Scalar(rng, rng.choice(["string", "int32"]), True),
                       "value": value}
        self.begin(rng, depth)

    def one(self, rng, at):
        return {f: s.value(rng, at) for f, s in self.fields.items()}

    def node(self, name):
        return Node(name, OPTIONAL, [Node("key_value", REPEATED, [
            s.node(f) for f, s in self.fields.items()])], logical=("MAP",))

    def put(self, v):
        return None if v is None else {"key_value": [
            {f: s.put(e[f]) for f, s in self.fields.items()} for e in v]}


def some_shape(rng, depth):
    """Of an element."""
    kind = rng.randrange(10)
    if depth > 2 or kind < 4:
        return Variant(rng) if rng.random() < 0.1 else Scalar(rng)
    if kind < 8:
        fields = {"a": Scalar(rng), "b": Scalar(rng)}
        if rng.random() < 0.5:
            fields["parts"] = List(rng, some_shape(rng, depth + 1), depth + 1)
        if rng.random() < 0.3:
            fields["sub"] = Struct(rng, {"x": Scalar(rng), "y": Scalar(rng)})
        if rng.random() < 0.2:
            fields["m"] = Map(rng, Scalar(rng), depth + 1)
        if rng.random() < 0.15:
            fields["v"] = Variant(rng)
        return Struct(rng, fields)
    if kind == 8:
        return List(rng, some_shape(rng, depth + 1), depth + 1, True)
    return Map(rng, Scalar(rng), depth + 1) if rng.random() < 0.5 else \
        Map(rng, Struct(rng, {"a": Scalar(rng), "parts": List(
            rng, Scalar(rng), depth + 1)}), depth + 1)


def full_schema(rng):
    """Long lists, none of them empty: batches of elements are slices of what was
    read."""
    fields = {"id": Scalar(rng, "int64", True), "p": Scalar(rng),
              "items": List(rng, Struct(rng, {
                  name: Scalar(rng, kind) for name, kind in (
                      ("a", "double"), ("b", "int64"), ("c", "string"))}), 1)}
    items = fields["items"]
    items.nulls = items.empty = items.long = 0
    items.few, items.form = 40, "list"
    for s in items.element.fields.values():
        s.nulls, s.most = 0.3, 1000
    return fields


def some_schema(rng, kind):
    fields = {"id": Scalar(rng, "int64", True), "p": Scalar(rng),
              "g": Scalar(rng, rng.choice(["string", "int32", "date"])),
              "items": List(rng, some_shape(rng, 0), 0)
              if rng.random() < 0.75 else Map(rng, some_shape(rng, 0), 0)}
    if kind == "beside good":
        fields["items"] = List(rng, Struct(rng, {
            "a": Scalar(rng), "good": Flag(rng), "c": Scalar(rng)}), 0)
    if rng.random() < 0.5:
        fields["beside"] = List(rng, Scalar(rng), 1)
    if rng.random() < 0.4 or kind in SPOILT:
        fields["v"], fields["ok"] = Variant(rng), Flag(rng)
    if rng.random() < 0.3 or kind == "union":
        fields["s"] = Struct(rng, {"x": Scalar(rng), "in": List(
            rng, some_shape(rng, 1), 0)})
        if "v" in fields and rng.random() < 0.5:
            fields["s"].fields["v"] = Variant(rng)
    names = list(fields)
    rng.shuffle(names)
    return {n: fields[n] for n in names}


def paths(fields, so_far):
    """All that can be unnested."""
    for name, s in fields.items():
        here = so_far + [name]
        if isinstance(s, Struct):
            yield from paths(s.fields, here)
        elif isinstance(s, Many):
            yield here
            yield from paths(inside(s, True), here)


def inside(s, goes_on):
    """The fields of an element, as names in a path.  At the end of the path what
    has no fields is called like the list: its name is ""."""
    inner = s.element if isinstance(s, List) else s
    if isinstance(inner, Struct) or inner is s:
        return inner.fields
    if not goes_on:
        return {"": inner}
    return {"element": inner} if isinstance(inner, Many) else {}


# ---- the reference -------------------------------------------------------------

class Flat:
    """The rows that unnesting a path gives, and their shapes by name."""

    def __init__(self, fields, path, outer):
        self.outer, self.path, self.shapes = outer, path, {}
        self.describe(fields, "", path)

    def describe(self, fields, prefix, path):
        for f, s in fields.items():
            name = prefix + f
            if not path or f != path[0]:
                self.shapes[name] = s
            elif isinstance(s, Struct):
                self.describe(s.fields, name + ".", path[1:])
            else:
                self.shapes[name + ".ordinal"] = None
                inner = inside(s, len(path) > 1)
                if "" in inner:
                    self.shapes[name] = inner[""]
                else:
                    self.describe(inner, name + ".", path[1:])

    def rows(self, fields, value, prefix="", path=None):
        path = self.path if path is None else path
        value = value or {}
        row = {prefix + f: value.get(f) for f in fields
               if not path or f != path[0]}
        if not path:
            return [row]
        s, name = fields[path[0]], prefix + path[0]
        if isinstance(s, Struct):
            inner = self.rows(s.fields, value.get(path[0]), name + ".",
                              path[1:])
            return [dict(row, **r) for r in inner]
        out = []
        for i, e in enumerate(value.get(path[0]) or []):
            beside = dict(row, **{name + ".ordinal": i})
            out += [dict(beside, **r) for r in self.element(s, e, name, path)]
        if not out and self.outer and not value.get(path[0]):
            out = [row]
        return out

    def element(self, s, e, name, path):
        inner = inside(s, len(path) > 1)
        if "" in inner:
            return [{name: e}]
        return self.rows(inner, {"element": e} if "element" in inner and
                         not isinstance(e, dict) else e, name + ".", path[1:])


def file_columns(rng, fields, rows, how=None):
    """Columns of a file: rows are dicts by the names of the fields."""
    out = []
    for name, s in fields.items():
        values = [r.get(name) for r in rows]
        if s is None:
            out.append(Column([name], "int64", values))
        elif isinstance(s, Scalar):
            out.append(Column([name], s.kind, values, False,
                              how or made_files.some_how(rng)))
        else:
            # Beside an outer list that has no elements it is null, which a
            # list that is no more than repeated cannot be.
            kept = dict(vars(s))
            if how and isinstance(s, (Struct, Variant, Flag)):
                s.required = False
            elif how and isinstance(s, List) and s.form == "repeated":
                s.form = "array"
            out += leaves(s.node(name), [s.put(v) for v in values],
                          lambda path: how or made_files.some_how(rng))
            vars(s).update(kept)
    return out


def write(rng, path, fields, rows, whole=False):
    """whole: in one row group of large pages."""
    columns = file_columns(rng, fields, rows)
    parquet_file.write(path, columns, [len(rows)] if whole else
                       made_files.some_groups(rng, len(rows)),
                       1000 if whole else rng.choice([1, 2, 7, 30, 1000]))


def fewer(rng, fields):
    """What some files have: maybe without a field, or the list."""
    some = dict(fields)
    for name in list(some):
        if name != "id" and rng.random() < (0.4 if name == "items" else 0.15):
            del some[name]
    for name in ("items", "s"):      # the struct is there without what is in it
        s = some.get(name)
        inner = s.element if isinstance(s, List) else s
        if isinstance(inner, Struct) and rng.random() < 0.4:
            less = copy.copy(inner)
            less.fields = dict(inner.fields)
            less.fields.pop("in" if "in" in less.fields and
                            rng.random() < 0.5 else
                            rng.choice(list(less.fields)))
            if less.fields:
                some[name] = less if inner is s else copy.copy(s)
                if inner is not s:
                    some[name].element = less
    return some


def left(fields, row):
    """The row as a file has it that lacks some of the fields."""
    out = {f: v for f, v in row.items() if f in fields}
    for f, s in fields.items():
        v = out.get(f)
        if v and isinstance(s, Struct):
            out[f] = left(s.fields, v)
        elif v and isinstance(s, List) and isinstance(s.element, Struct):
            out[f] = [e and left(s.element.fields, e) for e in v]
    return out


def is_kept(v):
    """JSON loses keys that are there twice, and bytes that are no UTF-8."""
    if isinstance(v, bytes):
        return v == v.decode("utf-8", "replace").encode()
    some = list(v.values()) if isinstance(v, dict) else \
        v if isinstance(v, list) else []
    keys = [e["key"] for e in some if isinstance(e, dict) and "key" in e]
    return len(set(keys)) == len(keys) and all(map(is_kept, some))


# ---- tables --------------------------------------------------------------------

class Table:
    """kind: one of FIRST, or any"""

    def __init__(self, extension, rng, folder, kind):
        self.db = connect(extension, rng.choice(["UTF-8"] * 6 + ["UTF-16le"]))
        self.kind = kind
        self.fields = fields = full_schema(rng) if kind == "full" else \
            some_schema(rng, kind)
        n = 300 if kind == "full" else rng.choice(
            [0, 1, 30, 200, 200, 600] if kind == "any" else [200, 600])
        rows = [{f: s.value(rng, i / n) for f, s in fields.items()}
                for i in range(n)]
        for i, r in enumerate(rows):
            r["id"] = i
        likely = [["items"]] * (9 if kind in SPOILT else 2) \
            if kind != "union" else [["s", "in"]] * 9
        flats = [Flat(fields, rng.choice(list(paths(fields, [])) + likely),
                      rng.random() < 0.4 and kind not in SPOILT)
                 for _ in range(2)]
        self.variants = [n for n, s in flats[0].shapes.items()
                         if isinstance(s, Variant) and n in ("v", "s.v")]
        spoil(rng, rows, self.variants,
              lambda row: flats[0].rows(fields, row),
              SPOILT.get(kind))
        self.source = self.files(rng, folder, rows)
        options = rng.choice(["", "", "threads=0", "threads=0", "threads=2",
                              "threads=5", "memory='1MB', threads=0", "trust_stats=off",
                              "nan=text", "decimal=text"])
        self.bases = []
        for number, flat in enumerate(flats):
            path = flat.path
            made = os.path.join(folder, "flat%d.parquet" % number)
            some = [r for row in self.rows for r in flat.rows(fields, row)]
            columns = paths_of(rng, self.variants)
            guard = settle(columns, some)
            # What the flat file lacks is null in it.
            parquet_file.write(made, file_columns(
                rng, flat.shapes, some, {"null_count"}),
                [len(some)] if some else [], 1000)
            words = [self.source, options, "unnest='%s'" % ".".join(path),
                     rng.choice(["outer=on", "outer"]) if flat.outer else ""] + \
                [c.declaration() for c in columns]
            source = ", ".join(w for w in words if w)
            db = self.db
            self.said = source
            db.execute("CREATE VIRTUAL TABLE temp.t%d USING parquet(%s)" % (
                number, source))
            base = Base(db, number, source, ", ".join(
                w for w in ["'%s'" % made, options] if w),
                lambda names: stand_ins(names, flat.shapes, columns))
            base.guard = guard
            base.probe = "p0 > 1" if columns and not columns[0].tries else None
            # filename is that of another file
            base.columns = [c for c in base.columns if c[0] != "filename"]
            names = {c for c, _ in base.columns}
            lost = [c for c in set(flat.shapes) - names
                    if not isinstance(flat.shapes[c], (Many, Struct, Variant))]
            if lost:
                raise WrongColumns("columns that are not there: %s" % lost)
            self.bases.append(base)

    def files(self, rng, folder, rows):
        fields, kind = self.fields, rng.randrange(10)
        kind = {"full": 0, "union": 5}.get(self.kind, kind)
        one = os.path.join(folder, "one.parquet")
        self.rows = rows
        if kind < 5 or kind > 7 and not all(map(is_kept, rows)):
            write(rng, one, fields, rows, self.kind == "full")
            return "'%s'" % one
        if kind < 8:
            parts, some = rng.choice([2, 3]), os.path.join(folder, "some")
            os.makedirs(some)
            self.rows, whole = [], rng.choice([0, 0, parts - 1])
            for p in range(parts):
                here = fields if p == whole else fewer(rng, fields)
                part = rows[p * len(rows) // parts:
                            (p + 1) * len(rows) // parts]
                write(rng, os.path.join(some, "p%d.parquet" % p), here, part)
                self.rows += [left(here, r) for r in part]
            return "'%s', union_by_name" % some
        write(rng, one, fields, rows)
        self.db.execute("CREATE VIRTUAL TABLE temp.whole USING "
                        "parquet('%s', nan=text)" % one)
        o = {"row_group_rows": rng.choice([7, 50, 1000]),
             "page_rows": rng.choice([2, 5, 17, 300]),
             "dictionary": rng.random() < 0.6, "bloom": rng.random() < 0.3}
        if rng.random() < 0.3:
            o["encryption"] = {"footer_key": "k0"}
        made = os.path.join(folder, "own.parquet")
        self.db.execute("SELECT parquet_copy_to('SELECT * FROM whole', ?, ?)",
                        (made, json.dumps(o))).fetchall()
        return "'%s'" % made


# The first tables of a run, and where they have values that cannot be cast.
FIRST = ["full", "beside none", "union", "beside good", "flagged"]
SPOILT = {"beside none": "none", "beside good": "elements", "flagged": "flag"}


class Plain:
    """An unnested table as a Maker takes a rollup: nothing is grouped."""

    def __init__(self, rng, base):
        self.base, self.db, self.name = base, base.db, base.ordinary
        self.columns, self.measures = list(base.columns), []
        self.dims = [Dimension(c, c) for c, _ in self.columns]
        self.n_dims, self.samples, self.nested = len(self.columns), {}, \
            base.nested
        self.visible, self.guard = base.visible, base.guard
        self.probe = base.probe
        self.create = "CREATE VIRTUAL TABLE temp.%s USING parquet(%s)" % (
            self.name, base.source)

    def reference(self, mentioned, copy=None):
        return self.base.copy

    sample = Rollup.sample


class Run(rollups.Run):
    name, also = "unnests", ()

    def table(self, rng, folder, number):
        at = number // (2 * rollups.PER_ROLLUP)
        return Table(self.extension, rng, folder, FIRST[at]
                     if at < len(FIRST) else "any")

    def rollups(self, t, rng, number):
        out = [Plain(rng, b) for b in t.bases]
        if rng.random() < 0.6:
            out += super().rollups(t, rng, number)
        return out

    def is_right(self, error, rollups, way="again"):
        """A cast may fail in a row that is read before another condition drops it."""
        alone = way in ("plain", "grouped", "whole", "distinct", "window")
        return "cannot cast" in error and any(
            r.base.guard for r in rollups) and not (alone and rollups[0].guard)


if __name__ == "__main__":
    sys.exit(rollups.main(Run))
