"""VARIANTs in the tables of unnests.py, beside lists and in their elements.

    Variant(rng)                 a shape whose values are those of variant_value.py;
                                 each file shreds it in its own way, or not at all
    paths_of(rng, fields)        columns of paths into those beside lists
    spoil(rng, rows, ...)        values that cannot be cast, where no element is or
                                 where a condition leaves them out
    stand_ins(...)               for each column that is a path, what to ask of the
                                 VARIANT in a native table

Documents have fields of few kinds, which are mostly what they are in all rows.
"""
import random

from made_variants import PathColumn
from nested_columns import Node, OPTIONAL, REQUIRED
from parquet_file import TYPES
from queries import quoted
from variant_cast import FAILS, UNSURE
from variant_file import Group, Shredder, nodes_of, scalar
from variant_value import Names

FIELDS = {"a": "int64", "b": "string", "n": "int32", "c": "double", "d": "date"}
TARGETS = {"a": ["bigint", "double", "string"], "b": ["string"],
           "n": ["bigint", "int"], "c": ["double"], "d": ["date", "string"]}


class Variant:
    def __init__(self, rng):
        self.required = False
        self.nulls = rng.choice([0, 0.1, 0.3])
        self.most = rng.choice([2, 10, 60, 1000])
        self.sorted = rng.random() < 0.4
        self.there = {f: rng.choice([1, 1, 0.9, 0.4]) for f in FIELDS}
        self.deep, self.noise = rng.random() < 0.5, rng.choice([0, 0, 0.05])
        self.rng = random.Random(rng.random())       # of the files

    def scalar(self, rng, kind, at):
        i = int(at * self.most) if self.sorted else rng.randrange(self.most)
        if kind == "string":
            text = b"%d of some text, longer than a few" % (i * 7919 % 1009)
            return kind, text[:i % 40 + 1]
        return kind, i / 4 if kind == "double" else i * 3 - 5

    def value(self, rng, at):
        if rng.random() < self.nulls:
            return None
        if rng.random() < self.noise:
            return self.scalar(rng, rng.choice(list(FIELDS.values())), at)
        held = {}
        for f, kind in FIELDS.items():
            if rng.random() < self.there[f]:
                if f != "n" and rng.random() < self.noise:
                    kind = rng.choice(list(FIELDS.values()))
                held[f] = self.scalar(rng, kind, at)
        if self.deep:
            held["o"] = "object", {"x": self.scalar(rng, "int64", at),
                                   "y": self.scalar(rng, "string", at)}
            held["l"] = "array", [self.scalar(rng, "int64", at)
                                  for _ in range(rng.randrange(3))]
        return "object", held

    def schema(self, rng):
        if rng.random() < 0.4:
            return None
        some = {f: Group(scalar(kind, rng)) for f, kind in FIELDS.items()
                if rng.random() < 0.5}
        if self.deep and rng.random() < 0.5:
            some["o"] = Group(("object", {"x": Group(scalar("int64", rng))}))
        return Group(("object", some)) if some else None

    def node(self, name):
        """Of a file: its values are put after this."""
        self.shredded = self.schema(self.rng)
        nodes = [Node("metadata", REQUIRED, type=TYPES["bytes"])]
        nodes += nodes_of(self.shredded, self.rng) if self.shredded else \
            [Node("value", REQUIRED, type=TYPES["bytes"])]
        return Node(name, REQUIRED if self.required else OPTIONAL, nodes,
                    logical=("VARIANT",))

    def put(self, v):
        if v is None:
            return None
        names = Names(v, self.rng)
        cells, _ = Shredder(names, self.rng, self.rng.random()).group(
            self.shredded or Group(), v)
        return dict(cells, metadata=names.bytes)


class Flag:
    """0 where a value may be such that it cannot be cast."""

    def __init__(self, rng):
        self.required, self.half = True, rng.random() < 0.5

    def value(self, rng, at):
        return int(at < 0.5 if self.half else rng.random() < 0.7)

    def node(self, name):
        return Node(name, REQUIRED if self.required else OPTIONAL,
                    type=TYPES["int32"])

    def put(self, v):
        return v


GOOD = "items.good"                  # a flag of elements

# ---- paths -------------------------------------------------------------------

def in_row(row, of):
    for name in of.split("."):
        row = (row or {}).get(name)
    return row


def in_flat(row, of):
    return row[of] if of in row else in_row(row, of)


def paths_of(rng, of):
    """Of some VARIANTs beside lists, by their dotted names."""
    out = [PathColumn("p0", ["n"], "bigint", False, of[0])] if of else []
    for _ in range(rng.choice([0, 1, 2, 3, 5]) if of else 0):
        some = rng.choice(of)
        path, = rng.choices([[f] for f in FIELDS] + [["o", "x"], ["l", 1], []],
                            [3, 3, 6, 3, 2, 2, 1, 0.5])
        target = rng.choice(TARGETS.get(path[0] if path else "", ["bigint"]))
        if rng.random() < 0.3:
            target = None
        out.append(PathColumn("p%d" % len(out), path, target, False, some))
    for c in out:                    # a name of a path of a struct in quotes
        c.call_of, c.of = c.of, quoted(c.of) if "." in c.of else c.of
    return out


def spoil(rng, rows, of, elements_of, where=None):
    """In some rows `n` is no number: in those without elements, or whose flag is 0,
    or where all elements say so."""
    where = where or rng.choice(["nowhere", "none", "flag"])
    for row in rows if of else []:
        some = elements_of(row)
        bad = where == "none" and not some or \
            where == "elements" and not any(r.get(GOOD) for r in some) or \
            where == "flag" and row["ok"] == 0
        for name in of:
            v = in_row(row, name)
            if bad and v and v[0] == "object" and rng.random() < 0.7:
                v[1]["n"] = "string", b"none"


def settle(columns, flat):
    """What leaves out the rows in which a cast fails, or None: then none fails.
    Columns whose cast fails in others too are made to give NULL."""
    guard = None
    for c in columns:
        cells = c.cells([in_flat(r, c.call_of) for r in flat])
        bad = [r for r, v in zip(flat, cells)
               if c.target and v in (FAILS, UNSURE)]
        if not bad:
            continue
        mine = "ok = 1" if not any(r.get("ok") for r in bad) else \
            quoted(GOOD) + " = 1" if all(r.get(GOOD, 1) in (0, None)
                                         for r in bad) else None
        c.tries = not mine or guard not in (None, mine)
        guard = guard if c.tries else mine
    return guard


def variants_in(shapes, front):
    for name, s in shapes.items():
        if isinstance(s, Variant):
            yield front + name
        elif hasattr(s, "fields") and not hasattr(s, "one"):
            yield from variants_in(s.fields, front + name + ".")


def stand_ins(names, shapes, columns):
    """{column: an expression over s, or None: leave it out}"""
    out = {}
    for c in columns:
        like = PathColumn("", c.path, c.target, True,
                          "s." + quoted(c.call_of + ".variant"))
        out[c.name] = like.call()
    variants = list(variants_in(shapes, ""))
    for name in names:
        if name.endswith(".variant"):    # whose bytes may differ
            out[name] = None
        for v in variants:
            if name.startswith(v + ".") and name not in shapes and \
                    name not in out:
                out[name] = PathColumn("", name[len(v) + 1:].split("."), None,
                                       True, "s." + quoted(v + ".variant")).call()
    return out
