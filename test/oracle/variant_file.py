"""Columns of Variants, shredded at random by the specification alone.

    profile = some_profile(rng)       what the documents of a table look like
    values = documents(rng, profile, n)
    schema = some_schema(rng, profile)        of one file; None: not shredded
    columns, read = variant_columns("event", values, schema, rng)

The columns are for parquet_file.write; read is what a reader must find: the
values, but numbers in the width of the column that holds them.  A row without a
Variant is None.

    variant_file.py SEED FILE.parquet [ROWS]

writes a file of the columns id and event, some of its row groups without
residual values, and prints its schema and each value with its types.
"""
import random
import sys

import made_files
import parquet_file
from nested_columns import OPTIONAL, REPEATED, REQUIRED, Node, leaves
from parquet_file import TYPES, Type
from variant_value import (DECIMALS, DIGITS, INTEGERS, KINDS, TICKS, Names,
                           encode, typed_text)

# ---- schemas -----------------------------------------------------------------


def identity(v):
    return v


INT64, BYTES, FIXED = parquet_file.INT64, parquet_file.BYTE_ARRAY, \
    parquet_file.FIXED
STORED = {
    "boolean": TYPES["boolean"], "int8": TYPES["int8"],
    "int16": TYPES["int16"], "int32": TYPES["int32"], "int64": TYPES["int64"],
    "float": TYPES["float"], "double": TYPES["double"], "date": TYPES["date"],
    "time": TYPES["time_us"], "timestamp": TYPES["timestamp_us"],
    "timestamp_ntz": Type(INT64, ("TIMESTAMP", "MICROS", False), identity),
    "timestamp_ns": Type(INT64, ("TIMESTAMP", "NANOS", True), identity),
    "timestamp_ntz_ns": TYPES["timestamp_ns"], "binary": TYPES["bytes"],
    "string": TYPES["string"], "uuid": TYPES["uuid"],
}
# Kinds of made_files.py with values for each.
POOLS = {"boolean": "boolean", "int8": "int8", "int16": "int16",
         "int32": "int32", "int64": "int64", "float": "float",
         "double": "double", "decimal4": "decimal_9_2",
         "decimal8": "decimal_18_3", "decimal16": "decimal_fixed_16",
         "date": "date", "time": "time_us", "timestamp": "timestamp_us",
         "timestamp_ntz": "timestamp_us", "timestamp_ns": "timestamp_ns",
         "timestamp_ntz_ns": "timestamp_ns", "binary": "bytes",
         "string": "string", "uuid": "uuid"}
SCALARS = list(POOLS)
NAMES = ["a", "b", "c", "id", "ts", "A", "", "a.b", "ü", "value", "typed_value",
         "list", "x y", "日本", "it's", 'say "x"', "\uff21", "\U0001f600"]


class Group:
    """A value and what it is shredded into.  typed: None, (scalar, kind, Type),
    ("object", {name: Group}) or ("array", Group)."""

    def __init__(self, typed=None):
        self.typed, self.has_value = typed, True


def decimal_type(kind, precision, scale, rng):
    if kind == "decimal16":
        as_bytes = rng.random() < 0.3
        return Type(BYTES if as_bytes else FIXED,
                    ("DECIMAL", precision, scale), parquet_file.signed_bytes,
                    0 if as_bytes else 16)
    return Type(parquet_file.INT32 if kind == "decimal4" else INT64,
                ("DECIMAL", precision, scale), identity)


def scalar(kind, rng, scale=2):
    if kind in DECIMALS:
        low = {"decimal4": 1, "decimal8": 10, "decimal16": 19}[kind]
        precision = rng.choice([DIGITS[kind], DIGITS[kind],
                                rng.randrange(max(low, scale), DIGITS[kind] + 1)])
        return "scalar", kind, decimal_type(kind, precision, scale, rng)
    return "scalar", kind, STORED[kind]


# ---- what documents look like ------------------------------------------------

class Profile:
    """kind; of a scalar: a scale; fields: {name: (how often, Profile)};
    element.  noise: how often another value is there."""

    def __init__(self, kind, rng):
        self.kind, self.fields, self.element = kind, {}, None
        self.noise = rng.choice([0, 0, 0, 0.02, 0.3])
        self.nulls = rng.choice([0, 0, 0.1])
        self.scale = rng.choice([0, 2, 2, 5])


def some_profile(rng, depth=0):
    if depth < 3 and rng.random() < (0.85 if depth == 0 else 0.35):
        kind = "array" if rng.random() < (0.1 if depth == 0 else 0.4) \
            else "object"
    else:
        kind = rng.choice(SCALARS + ["int64", "string", "double"] * 3)
    p = Profile(kind, rng)
    if kind == "object":
        for name in rng.sample(NAMES, rng.randrange(1, 7)):
            p.fields[name] = (rng.choice([1, 1, 0.9, 0.5, 0.05]),
                              some_profile(rng, depth + 1))
    elif kind == "array":
        p.element = some_profile(rng, depth + 1)
    return p


def scalar_value(rng, kind, scale, stored=None):
    """stored: what the pool of POOLS gave."""
    if stored is None:
        stored = made_files.some_value(rng, POOLS[kind])
    if kind in DECIMALS:
        if isinstance(stored, bytes):
            stored = int.from_bytes(stored, "big", signed=True)
        if rng.random() < 0.1:       # halves, to be rounded
            stored = stored // 10 * 10 + 5
        return kind, (stored, scale)
    return kind, stored


def any_value(rng, depth=0):
    kind = rng.choice(KINDS)
    if kind == "null":
        return "null", None
    if kind in ("object", "array") and depth == 0 and rng.random() < 0.1:
        return large_value(rng, kind)
    if kind == "object":
        return kind, {n: any_value(rng, depth + 1) for n in rng.sample(
            NAMES, rng.randrange(4) if depth < 3 else 0)}
    if kind == "array":
        return kind, [any_value(rng, depth + 1)
                      for _ in range(rng.randrange(4) if depth < 3 else 0)]
    return scalar_value(rng, kind, rng.choice([0, 2, 5]))


def large_value(rng, kind):
    """Of many items, or of long ones: wide counts, ids and offsets."""
    n = rng.choice([17, 20, 60, 255, 256, 300])
    items = [any_value(rng, 3) for _ in range(n)]
    if rng.random() < 0.2:
        items[0] = "string", b"x" * rng.choice([255, 256, 65535, 65536])
    if kind == "array":
        return kind, items
    names = NAMES + ["name %d" % i for i in range(n)]
    return kind, dict(zip(rng.sample(names, n), items))


def documents(rng, profile, n):
    """n values; those of one path are in order, in runs or any, so that row
    groups differ, and what is unusual comes in runs of rows too."""
    if n == 0:
        return []
    if profile.kind == "object":
        columns = {name: documents(rng, p, n)
                   for name, (_, p) in profile.fields.items()}
        there = {name: some_rows(rng, n, share)
                 for name, (share, _) in profile.fields.items()}
        out = [("object", {name: columns[name][i] for name in columns
                           if there[name][i]}) for i in range(n)]
    elif profile.kind == "array":
        sizes = [rng.choice([0, 1, 2, 5]) for _ in range(n)]
        flat = iter(documents(rng, profile.element, sum(sizes)))
        out = [("array", [next(flat) for _ in range(k)]) for k in sizes]
    else:
        pool = made_files.shaped(rng, POOLS[profile.kind], n)
        out = [scalar_value(rng, profile.kind, profile.scale, v) for v in pool]
    odd = some_rows(rng, n, profile.noise)
    null = some_rows(rng, n, profile.nulls)
    return [("null", None) if null[i] else any_value(rng) if odd[i] else v
            for i, v in enumerate(out)]


def some_rows(rng, n, share):
    """Which rows: one here and there, or all of a part."""
    if share in (0, 1):
        return [bool(share)] * n
    if rng.random() < 0.5:
        return [rng.random() < share for _ in range(n)]
    begin = rng.randrange(n)
    end = begin + 1 + int(n * share)
    return [begin <= i < end for i in range(n)]


# ---- shredding ---------------------------------------------------------------

WIDER = {"int8": ["int16", "int32", "int64"], "int16": ["int32", "int64"],
         "int32": ["int64"]}


def some_schema(rng, profile, root=True):
    """A Group, or None: nothing of this is shredded."""
    if rng.random() < 0.25:
        return None
    kind = profile.kind
    if rng.random() < 0.1:           # a column that few values fit
        kind = rng.choice(SCALARS)
        return Group(scalar(kind, rng, rng.choice([0, 2, 5])))
    if kind == "object":
        fields = {}
        for name, (_, p) in profile.fields.items():
            sub = some_schema(rng, p, False)
            if sub or rng.random() < 0.3:
                fields[name] = sub or Group()
        if rng.random() < 0.1:
            fields["never"] = Group(scalar("int64", rng))
        names = list(fields)
        rng.shuffle(names)
        return Group(("object", {n: fields[n] for n in names})) if names \
            else None
    if kind == "array":
        return Group(("array", some_schema(rng, profile.element, False) or
                      Group()))
    if kind in WIDER and rng.random() < 0.5:
        kind = rng.choice(WIDER[kind])
    return Group(scalar(kind, rng, profile.scale))


def fits(value, typed):
    """The stored form of a scalar, and the value that is read, or None."""
    kind, held = value
    _, wanted, type_ = typed
    if kind in INTEGERS and wanted in INTEGERS:
        bits = 8 * INTEGERS[wanted]
        return (held, (wanted, held)) \
            if -2**(bits - 1) <= held < 2**(bits - 1) else None
    if kind != wanted:
        return None
    if kind not in DECIMALS:
        return held, value
    unscaled, scale = held
    _, precision, wanted_scale = type_.logical
    if scale != wanted_scale or abs(unscaled) >= 10**precision:
        return None
    if kind == "decimal16":
        size = type_.length or (unscaled.bit_length() + 8) // 8
        return unscaled.to_bytes(size, "big", signed=True), value
    return unscaled, value


class Shredder:
    """Of one row: residual values share its metadata.  Without names it only
    gathers these values.  The same seed makes the same choices.  strays: how
    often a value that fits is not in its column."""

    def __init__(self, names, rng, seed, strays=0.01):
        self.names, self.encoding, self.strays = names, rng, strays
        self.rng, self.residual = random.Random(seed), []

    def bytes(self, value):
        self.residual.append(value)
        return encode(value, self.names, self.encoding) if self.names else b""

    def group(self, g, value):
        """({"value": ..., "typed_value": ...}, what is read)"""
        typed = g.typed
        if typed and typed[0] == "object" and value[0] == "object":
            return self.object(typed[1], value[1])
        if typed and typed[0] == "array" and value[0] == "array":
            cells, read = [], []
            for v in value[1]:
                cell, r = self.group(typed[1], v)
                cells.append({"element": cell})
                read.append(r)
            return {"typed_value": {"list": cells}}, ("array", read)
        if typed and typed[0] == "scalar" and self.rng.random() >= self.strays:
            stored = fits(value, typed)
            if stored:
                return {"typed_value": stored[0]}, stored[1]
        return {"value": self.bytes(value)}, value

    def object(self, fields, held):
        cells, read = {}, dict(held)
        for name, g in fields.items():
            cells[name] = {}
            if name in held:
                cells[name], read[name] = self.group(g, held[name])
        rest = {n: v for n, v in held.items() if n not in fields}
        out = {"typed_value": cells}
        if rest or self.rng.random() < self.strays:
            out["value"] = self.bytes(("object", rest))
        return out, ("object", read)


def forget_values(g, cells, rng):
    """Leaves out some of the columns `value` that are null in all rows."""
    if g.typed and rng.random() < 0.3:
        g.has_value = any(c.get("value") is not None for c in cells)
    if not g.typed or g.typed[0] == "scalar":
        return
    inner = [c["typed_value"] for c in cells
             if c.get("typed_value") is not None]
    if g.typed[0] == "object":
        for name, field in g.typed[1].items():
            forget_values(field, [c[name] for c in inner], rng)
    else:
        forget_values(g.typed[1], [e["element"] for c in inner
                                   for e in c["list"]], rng)


def nodes_of(g, rng):
    """The fields `value` and `typed_value` of a group, in any order."""
    out = [Node("value", OPTIONAL, type=TYPES["bytes"])] if g.has_value else []
    if g.typed:
        if g.typed[0] == "scalar":
            node = Node("typed_value", OPTIONAL, type=g.typed[2])
        elif g.typed[0] == "object":
            node = Node("typed_value", OPTIONAL,
                        [Node(n, REQUIRED, nodes_of(f, rng))
                         for n, f in g.typed[1].items()])
        else:
            node = Node("typed_value", OPTIONAL, [Node("list", REPEATED, [
                Node("element", REQUIRED, nodes_of(g.typed[1], rng))])],
                logical=("LIST",))
        out.insert(rng.randrange(len(out) + 1), node)
    return out


def usual_how(rng):
    """Features of one leaf; mostly those by which a reader can skip."""
    return made_files.some_how(rng) | (
        {"statistics", "null_count"} if rng.random() < 0.7 else set())


def variant_tree(name, values, schema, rng, strays=0.01):
    """The node of a Variant, its rows, and what is read of them."""
    rows, read = [], []
    lost = rng.random() < 0.2        # a Variant null that is nowhere
    lean = rng.random() < 0.15       # names of shredded fields are left out
    for value in values:
        if value is None:
            rows.append(None)
            read.append(None)
            continue
        seed, held = rng.random(), value
        if lean:
            gather = Shredder(None, rng, seed, strays)
            gather.group(schema or Group(), value)
            held = "array", gather.residual
        names = Names(held, rng)
        cells, seen = Shredder(names, rng, seed, strays).group(
            schema or Group(), value)
        if schema and lost and value[0] == "null":
            cells = {}
        rows.append({"metadata": names.bytes, **cells})
        read.append(seen)
    optional = OPTIONAL if None in rows or rng.random() < 0.5 else REQUIRED
    metadata = Node("metadata", REQUIRED, type=TYPES["bytes"])
    if schema:
        forget_values(schema, [r for r in rows if r is not None], rng)
        nodes = nodes_of(schema, rng)
    else:
        nodes = [Node("value", REQUIRED, type=TYPES["bytes"])]
    nodes.insert(0 if rng.random() < 0.8 else len(nodes), metadata)
    return Node(name, optional, nodes, logical=("VARIANT",)), rows, read


def variant_columns(name, values, schema, rng, how_of=None, strays=0.01):
    """The columns of a Variant, and what is read of them."""
    tree, rows, read = variant_tree(name, values, schema, rng, strays)
    return leaves(tree, rows, how_of or (lambda path: usual_how(rng))), read


def nested_columns(name, shape, values, schema, rng):
    """The columns of a LIST, STRUCT or MAP with Variants in it, and the rows as
    what they are in JSON."""
    tree, cells, read = variant_tree(
        {"LIST": "element", "STRUCT": "v", "MAP": "value"}[shape], values,
        schema, rng)
    json = [v or ("null", None) for v in read]
    rows, shown, at = [], [], 0
    while at < len(values):
        n = 1 if shape == "STRUCT" else rng.randrange(4)
        cell, text = cells[at:at + n], json[at:at + n]
        if rng.random() < 0.1:
            rows.append(None)
            shown.append(None)
        elif shape == "STRUCT":
            rows.append({"v": cell[0], "id": at})
            shown.append(("struct", {"v": text[0], "id": ("int64", at)}))
        elif shape == "LIST":
            rows.append({"list": [{"element": c} for c in cell]})
            shown.append(("array", text))
        else:
            rows.append({"key_value": [{"key": b"k%d" % i, "value": c}
                                       for i, c in enumerate(cell)]})
            shown.append(("struct", {"k%d" % i: v
                                     for i, v in enumerate(text)}))
        at += max(n, 1)
    if shape == "STRUCT":
        node = Node(name, OPTIONAL, [
            tree, Node("id", OPTIONAL, type=TYPES["int64"])])
    elif shape == "LIST":
        node = Node(name, OPTIONAL, [Node("list", REPEATED, [tree])],
                    logical=("LIST",))
    else:
        key = Node("key", REQUIRED, type=TYPES["string"])
        node = Node(name, OPTIONAL, [Node("key_value", REPEATED, [key, tree])],
                    logical=("MAP",))
    return leaves(node, rows, lambda path: usual_how(rng)), shown


def schema_text(g, indent=""):
    """The shredding schema for a person."""
    if not g or not g.typed:
        return "value"
    if g.typed[0] == "scalar":
        logical = g.typed[2].logical
        return g.typed[1] + (str(logical[1:]) if logical and
                             logical[0] == "DECIMAL" else "")
    if g.typed[0] == "array":
        return "array of " + schema_text(g.typed[1], indent)
    return "object" + "".join("\n%s  %s: %s" % (
        indent, n, schema_text(f, indent + "  "))
        for n, f in g.typed[1].items())


def main():
    rng = random.Random(int(sys.argv[1]))
    n = int(sys.argv[3]) if len(sys.argv) > 3 else 60
    profile = some_profile(rng)
    while profile.kind != "object":
        profile = some_profile(rng)
    schema = some_schema(rng, profile)
    values = [None if rng.random() < 0.05 else v
              for v in documents(rng, profile, n)]
    columns, read = variant_columns("event", values, schema, rng)
    ids = parquet_file.Column(["id"], "int64", list(range(n)), True,
                              {"statistics", "null_count", "index"})
    parquet_file.write(sys.argv[2], [ids] + columns,
                       made_files.some_groups(rng, n), rng.choice([2, 7, 20]))
    print(schema_text(schema))
    for i, v in enumerate(read):
        print(i, None if v is None else typed_text(v))


if __name__ == "__main__":
    main()
