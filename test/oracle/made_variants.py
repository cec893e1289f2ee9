"""Tables with Variants, and what is read of them.

    for made in make(folder, seed, block):
        made.path                    a file, or a folder of files that shred the
                                     same kind of documents in different ways
        made.event                   the values of its column `event`, in order
        made.nested                  those of `inside`, as they are in JSON
        made.columns                 its path columns (PathColumn)
        made.expect(column, options) what SQLite sees of one, row by row
        made.check(db, table, options)
                                     None, or how a table shows something else
    copies(folder, seed, block, extension, made)
                                     the same, as parquet_copy_to shreds them

Everything is known before a file is written: reader and writer share nothing.
"""
import copy
import json
import os
import random
import re
import sqlite3

import made_files
import own_files
import parquet_file
import variant_file
from queries import quoted
from rowids import connect
from variant_cast import (FAILS, TARGETS, UNSURE, WHOLE, cast, find, path_text,
                          shown)
from variant_value import (decode_blob, equivalent, json_differs,
                           same_but_widths)

FILES = 24                           # of a block of cases
COPIES = 12
NATURAL = {"int8": "tinyint", "int16": "smallint", "int32": "int",
           "int64": "bigint", "binary": "binary", "string": "string",
           "timestamp": "timestamp", "timestamp_ns": "timestamp",
           "timestamp_ntz": "timestamp_ntz",
           "timestamp_ntz_ns": "timestamp_ntz"}


class PathColumn:
    """target: a type, or None.  tries: try_variant_get.  of: the VARIANT."""

    def __init__(self, name, path, target, tries, of="event"):
        self.name, self.path, self.of = name, path, of
        self.target, self.tries = target, tries

    def cells(self, values):
        """Values, None, FAILS or UNSURE."""
        out = []
        for value in values:
            v = find(value, self.path) if value else None
            if v and self.target:
                v = cast(v, self.target)
            elif v and v[0] in ("object", "array"):
                v = UNSURE
            out.append(None if v is FAILS and self.tries else v)
        return out

    def call(self):
        type_ = self.target
        if isinstance(type_, tuple):
            type_ = "decimal(%d,%d)" % type_[1:]
        return "%svariant_get(%s, '%s'%s)" % (
            "try_" if self.tries and type_ else "", self.of,
            path_text(self.path).replace("'", "''"),
            ", '%s'" % type_ if type_ else "")

    def declaration(self):
        return "%s = %s" % (self.name, self.call())


def some_path(rng, profile):
    """(path, the profile at its end or None)"""
    path = []
    while True:
        if rng.random() < 0.04:
            return path + [rng.choice(["nobody", 0, "b", "typed_value"])], None
        if profile.kind == "object" and rng.random() < 0.95:
            name = rng.choice(list(profile.fields))
            path.append(name)
            profile = profile.fields[name][1]
        elif profile.kind == "array" and rng.random() < 0.7:
            path.append(rng.randrange(3))
            profile = profile.element
        else:
            return path, profile


def some_decimal(rng, kind, scale):
    low = {"decimal4": 9, "decimal8": 18, "decimal16": 38}[kind]
    scale = rng.choice([scale] * 4 + [max(scale - 1, 0), scale + 1])
    return "decimal", rng.choice([low, low, rng.randrange(max(1, scale),
                                                          low + 1)]), scale


def some_target(rng, profile):
    kind = profile.kind if profile else "int64"
    if rng.random() < 0.1 and kind not in ("object", "array"):
        return None
    if rng.random() < 0.2 or kind in ("object", "array"):
        return rng.choice(TARGETS + [("decimal", 9, 2), ("decimal", 38, 10)])
    if kind.startswith("decimal"):
        return some_decimal(rng, kind, profile.scale)
    if kind.startswith("int") and rng.random() < 0.4:
        return rng.choice(list(WHOLE))   # wide enough or not
    return NATURAL.get(kind, kind)


def names_of(value, path, out):
    """The dotted names of all paths through objects: {name: {path}}."""
    if value and value[0] == "object":
        for name, v in value[1].items():
            here = path + (name,)
            out.setdefault(".".join(here).lower(), set()).add(here)
            names_of(v, here, out)


class Made:
    def __init__(self, path):
        self.path = path
        self.event, self.nested, self.columns = [], [], []

    def values_of(self, of):
        return self.event if of == "event" else \
            [v and v[1]["v"] for v in self.nested]

    def add_columns(self, rng, profile, n, of="event"):
        for _ in range(n):
            for _ in range(4):
                path, at = some_path(rng, profile)
                column = PathColumn("p%d" % len(self.columns), path,
                                    some_target(rng, at), rng.random() < 0.6,
                                    of)
                cells = column.cells(self.values_of(of))
                if path and path_text(path) and \
                        any(c is not None for c in cells):
                    break
            if any(c is FAILS or c is UNSURE for c in cells):
                column.tries = True
            if path and path_text(path):
                self.columns.append(column)

    def fits_utf16(self):
        """SQLite makes U+FFFF another character there."""
        return "\\xef\\xbf\\xbf" not in repr(self.event)

    def take_events(self, db, made, shredding):
        """The events of a copy: a DECIMAL column may change the scale of numbers,
        and a DOUBLE that was named takes some.  Everything else is as it was."""
        self.columns = [copy.copy(c) for c in made.columns if c.of == "event"]
        doubles = "DOUBLE" in repr(shredding)
        if shredding != "auto" and "DECIMAL" not in repr(shredding) and not doubles:
            self.event = made.event
            return None
        got = [v for v, in db.execute(
            'SELECT copy."event.variant" FROM copy ORDER BY rowid')]
        wrong = differ(got, made.event, lambda g, w: None if equivalent(
            decode_blob(g), w, doubles) else "%.200r, not %.200r" % (decode_blob(g), w),
            "event")
        self.event = wrong or [v and decode_blob(v) for v in got]
        for c in self.columns:
            c.tries |= any(v is FAILS or v is UNSURE
                           for v in c.cells(self.event)) if not wrong else False
        return wrong

    def options(self):
        return [c.declaration() for c in self.columns]

    def expect(self, column, options):
        """What SQLite sees, or UNSURE."""
        return [v if v is UNSURE else shown(v, options)
                for v in column.cells(self.values_of(column.of))]

    def check(self, db, table, options):
        declared = [r[1] for r in db.execute("PRAGMA table_xinfo(%s)" % table)]

        def read(name):
            return [r[0] for r in db.execute(
                "SELECT %s.%s FROM %s ORDER BY rowid" % (table, quoted(name),
                                                         table))]

        found = differ(read("event"), self.event,
                       blob_differs if "variant=blob" in options
                       else json_differs, "event")
        if self.nested:
            found = found or differ(read("inside"), self.nested, json_differs,
                                    "inside")
        if "event.variant" in declared:
            found = found or differ(read("event.variant"), self.event,
                                    blob_differs, "event.variant")
        # In a UTF-16 database a text is only JSON.
        keeps = db.execute("PRAGMA encoding").fetchone()[0] == "UTF-8" or \
            "variant=blob" in options
        for c in self.columns:
            # Straight out of the column, without a sorter in between.
            found = found or keeps and c.of == "event" and scalars_differ(
                [r[0] for r in db.execute("SELECT %s FROM %s" % (
                    c.call(), table))], self.expect(c, []), c.call())
            if c.name in declared and not found:
                found = scalars_differ(read(c.name), self.expect(c, options),
                                       c.declaration())
        names = {}
        for v in self.event:
            names_of(v, ("event",), names)
        for name in declared:
            if len(names.get(name.lower(), ())) == 1 and not found:
                path, = names[name.lower()]
                c = PathColumn(name, list(path[1:]), None, True)
                found = scalars_differ(read(name), self.expect(c, options), name)
        return found


def differ(got, wanted, differs, what):
    if len(got) != len(wanted):
        return "%s: %d rows, not %d" % (what, len(got), len(wanted))
    for i, (g, w) in enumerate(zip(got, wanted)):
        if (g is None) != (w is None):
            return "%s, row %d: %.200r, not %.200r" % (what, i, g, w)
        try:
            why = g is not None and differs(g, w)
        except (ValueError, LookupError) as error:
            why = "cannot be read: %r" % error
        if why:
            return "%s, row %d: %s" % (what, i, why)
    return None


def blob_differs(got, wanted):
    value = decode_blob(got)
    return None if same_but_widths(value, wanted) else \
        "%.200r, not %.200r" % (value, wanted)


def scalars_differ(got, wanted, what):
    for i, (g, w) in enumerate(zip(got, wanted)):
        if w is not UNSURE and (type(g), g) != (type(w), w):
            return "%s, row %d: %.200r, not %.200r" % (what, i, g, w)
    return None if len(got) == len(wanted) else "%s: %d rows, not %d" % (
        what, len(got), len(wanted))


def write_part(rng, path, made, profile, kinds, shape):
    n = rng.choice([rng.randrange(1, 12), rng.randrange(1, 80),
                    rng.randrange(1, 250)])
    values = variant_file.documents(rng, profile, n)
    gone = variant_file.some_rows(rng, n, rng.choice([0, 0, 0.1, 0.5]))
    values = [None if gone[i] else v for i, v in enumerate(values)]
    schema = variant_file.some_schema(rng, profile)
    columns, read = variant_file.variant_columns("event", values, schema, rng)
    if shape:
        more, shown_ = [], []
        while len(shown_) < n:       # each row takes some of the values
            more, shown_ = variant_file.nested_columns(
                "inside", shape, (values * 5)[:4 * n + 20],
                variant_file.some_schema(rng, profile), rng)
        for leaf in more:
            leaf.values = leaf.values[:n]
        columns += more
        made.nested += shown_[:n]
    columns += [made_files.some_column(rng, "c%d" % i, n, kind)
                for i, kind in enumerate(kinds)]
    made.event += read
    plan = parquet_file.some_plan(rng, columns, loses=False)
    parquet_file.write(path, columns, made_files.some_groups(rng, n),
                       rng.choice([1, 2, 3, 7, 20, 64, 1000]), plan=plan)


def make(folder, seed, block):
    out = []
    for i in range(FILES):
        rng = random.Random("variant %d %d %d" % (seed, block, i))
        profile = variant_file.some_profile(rng)
        while profile.kind != "object" and rng.random() < 0.8:
            profile = variant_file.some_profile(rng)
        kinds = rng.sample(made_files.KINDS, rng.randrange(3))
        shape = rng.choice([None, None, "LIST", "STRUCT", "MAP"])
        path = "%s/variant_%d_%d" % (folder, block, i)
        if i % 3 < 2:
            made = Made(path + ".parquet")
            write_part(rng, made.path, made, profile, kinds, shape)
        else:
            made = Made(path)
            os.makedirs(path)
            for part in range(rng.randrange(2, 5)):
                write_part(rng, "%s/p%d.parquet" % (path, part), made, profile,
                           kinds, shape)
        made.add_columns(rng, profile, rng.randrange(3, 9))
        if shape == "STRUCT":
            made.add_columns(rng, profile, 3, '"inside.v"')
        out.append(made)
    return out


# ---- for sweeps --------------------------------------------------------------

SCALES = {"decimal4": 2, "decimal8": 3, "decimal16": 10}


def make_sweep(path, rng, means):
    """A path of each type, each in a column of its own, made so that one way of
    skipping data has something to skip."""
    pages = means in ("bounds", "headers")
    made, fields, groups = Made(path), {}, {}
    for kind, pool in variant_file.POOLS.items():
        values = made_files.in_order(rng, pool) if pages \
            else made_files.dealt(rng, pool)
        scale = SCALES.get(kind, 0)
        fields[kind] = [v if v is None else
                        variant_file.scalar_value(rng, kind, scale, v)
                        for v in values]
        target = NATURAL.get(kind, kind)
        if scale:
            most = variant_file.DIGITS[kind]
            groups[kind] = variant_file.Group(
                ("scalar", kind, variant_file.decimal_type(kind, most, scale,
                                                           rng)))
            target = "decimal", most, scale
        else:
            groups[kind] = variant_file.Group(variant_file.scalar(kind, rng))
        made.columns.append(PathColumn("p%d" % len(made.columns), [kind],
                                       target, True))
    for kind, target in (("int64", "tinyint"), ("decimal8", ("decimal", 5, 3))):
        made.columns.append(PathColumn("p%d" % len(made.columns), [kind],
                                       target, True))   # few values fit
    documents = [("object", {kind: v for kind, v in zip(fields, row)
                             if v is not None})
                 for row in zip(*fields.values())]
    how = {"statistics", "null_count", "nan_count"}
    how |= {"index"} if means == "bounds" else {means}
    how |= {"page_counts"} if not pages else set()
    columns, made.event = variant_file.variant_columns(
        "event", documents, variant_file.Group(("object", groups)), rng,
        lambda path: how, 0)
    part = made_files.GROUP
    parquet_file.write(path, columns, [part] * 4 + [part // 2], 4,
                       plan=parquet_file.some_plan(rng, columns, loses=False))
    return made


# ---- copies ------------------------------------------------------------------

SHRED_AS = ["BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "FLOAT",
            "DOUBLE", "DECIMAL(9,2)", "DECIMAL(18,2)", "DECIMAL(38,5)", "DATE",
            "TIME", "TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMP_NS", "TEXT", "BLOB",
            "UUID", "VARIANT", "LIST<BIGINT>", "LIST<VARIANT>",
            "STRUCT<a BIGINT, b TEXT>"]
LIKELY = {"tinyint": "TINYINT", "smallint": "SMALLINT", "int": "INTEGER",
          "bigint": "BIGINT", "boolean": "BOOLEAN", "float": "FLOAT",
          "double": "DOUBLE", "string": "TEXT", "binary": "BLOB",
          "date": "DATE", "time": "TIME", "timestamp": "TIMESTAMPTZ",
          "timestamp_ntz": "TIMESTAMP", "uuid": "UUID"}


def some_shredding(rng, made):
    if rng.random() < 0.2:
        return None
    if rng.random() < 0.5:
        return "auto"
    if rng.random() < 0.1:
        return rng.choice(SHRED_AS)
    out = {}
    for c in made.columns:
        text = path_text(c.path)
        if c.of != "event":
            continue
        # No column can have an empty name.
        if all(step and isinstance(step, str) for step in c.path) and \
                not any(o.startswith(text) or text.startswith(o) for o in out):
            out[text] = rng.choice(SHRED_AS) if rng.random() < 0.2 or \
                isinstance(c.target, tuple) else LIKELY.get(c.target, "VARIANT")
    return out or None


def write_copy(db, query, target, options):
    """False if no value was of a type that is named, and auto had to do."""
    sql = "SELECT parquet_copy_to(?, ?, ?)"
    try:
        db.execute(sql, (query, target, json.dumps(options))).fetchall()
        return True
    except sqlite3.OperationalError as error:
        if not re.search(r": (\d+) of \1 values are not of type ", str(error)):
            raise
    options["shred"] = {"event": "auto"}
    db.execute(sql, (query, target, json.dumps(options))).fetchall()
    return False


def copy_one(rng, db, made, target):
    """What is known of the copy, or a sentence."""
    db.execute("CREATE VIRTUAL TABLE temp.t USING parquet('%s')" % made.path)
    options = own_files.some_options(rng, ["event"])
    options.pop("partition_by", None)
    shredding = some_shredding(rng, made)
    if shredding:
        options["shred"] = {"event": shredding}
    query = rng.choice(["SELECT event FROM t",
                        'SELECT t."event.variant" AS event FROM t',
                        "SELECT event FROM kept"])
    if "kept" in query:
        db.execute('CREATE TEMP TABLE kept AS SELECT t."event.variant" AS event '
                   'FROM t')
    if query != "SELECT event FROM t":
        options["variant"] = ["event"]
    target = target + ("" if "file_rows" in options else ".parquet")
    what = "copy of %s: %s with %s" % (made.path, query, json.dumps(options))
    try:
        if not write_copy(db, query, target, options):
            shredding = options["shred"]["event"]
        found = db.execute(
            "SELECT count(*), max(message) FROM parquet_verify(?)",
            (target + ("/**" if "file_rows" in options else ""),)).fetchone()
    except sqlite3.OperationalError as error:
        return "%s\n  %s" % (what, error)
    if found[0]:
        return "%s\n  parquet_verify finds %r" % (what, found)
    done = Made(target)
    db.execute("CREATE VIRTUAL TABLE temp.copy USING parquet('%s')" % target)
    wrong = done.take_events(db, made, shredding) or done.check(db, "copy", [])
    return "%s\n  %s" % (what, wrong) if wrong else done


def copies(folder, seed, block, extension, made):
    out, failures = [], []
    for i in range(COPIES):
        rng = random.Random("copied variant %d %d %d" % (seed, block, i))
        source = rng.choice(made)
        try:
            done = copy_one(rng, connect(extension), source,
                            "%s/copied_%d_%d" % (folder, block, i))
        except sqlite3.OperationalError as error:
            done = "copy of %s\n  %s" % (source.path, error)
        (failures if isinstance(done, str) else out).append(done)
    return out, failures
