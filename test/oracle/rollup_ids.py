"""Rollups of several dictionary keys, against native tables.

The other tables of this oracle are shorter than a batch.  These have thousands of
rows in row groups of some batches, so that a dictionary lasts for several batches and
is then another: what is kept of one (core/rollup/rollup_ids.h) must not outlive it.
Nulls come in some batches only, or here and there; values may differ from row group
to row group, or be too many for a dictionary from some row on.

Usage: rollup_ids.py EXTENSION SEED CASES FOLDER

A case is a table, with QUERIES statements.  CASE=n asks only that one.  The last line
has the counts.
"""
import json
import os
import random
import sqlite3
import sys

from worlds import connect

QUERIES = 5
TYPES = {"text": "TEXT", "integer": "INTEGER", "real": "REAL"}
MEASURES = [("count(*)", "sum"), ("count(m)", "sum"), ("sum(m)", "sum"),
            ("sum(f)", "sum"), ("min(m)", "min"), ("max(f)", "max")]
FILTERS = ["<", ">", "=", ">=", "<>", "IS NOT"]


class Key:
    """A column of few values; those of some row groups differ."""

    def __init__(self, rng, number, group_rows):
        self.name, self.group_rows = "k%d" % number, group_rows
        self.kind = rng.choice(["text", "text", "integer", "real"])
        self.pool = [self.value(i) for i in range(rng.choice(
            [1, 2, 3, 7, 40, 300]))]
        self.nulls = rng.choice(["none", "none", "some", "ranges"])
        self.shifts = rng.random() < 0.5
        self.plain_from = rng.choice([None, None, None, group_rows // 2])

    def value(self, i):
        return {"text": "v%d" % (i * 7919 % 10007), "integer": i * 3 - 5,
                "real": (i - 3) / 4}[self.kind]

    def at(self, rng, row):
        if self.nulls == "some" and rng.random() < 0.05 or \
                self.nulls == "ranges" and row // 1000 % 9 == 4:
            return None
        group = row // self.group_rows
        if self.plain_from and group % 3 == 1 and \
                row % self.group_rows > self.plain_from:
            return self.value(1000 + row)
        v = rng.choice(self.pool)
        if self.shifts:
            v += "s" * (group % 2) if self.kind == "text" else group
        return v

    def term(self, rng):
        v = rng.choice(self.pool)
        return "%s %s %s" % (self.name, rng.choice(FILTERS),
                             "'%s'" % v if self.kind == "text" else repr(v))


class Case:
    def __init__(self, extension, rng, path):
        group_rows = rng.choice([2048, 2500, 4000, 8192, 20000, 100000])
        self.rng, self.db = rng, connect(extension, "UTF-8")
        self.keys = [Key(rng, i, group_rows) for i in range(rng.randint(2, 4))]
        self.make_native(rng.choice([3000, 9000, 30000]))
        options = {"row_group_rows": group_rows}
        if rng.random() < 0.7:
            options["columns"] = {k.name: {"encoding": "RLE_DICTIONARY"}
                                  for k in self.keys}
        self.db.execute("SELECT parquet_copy_to('SELECT * FROM x', ?, ?)", (
            path, json.dumps(options))).fetchall()
        self.options = rng.choice(["", ", threads=0", ", threads=0, memory='2MB'"])
        self.db.execute(
            "CREATE VIRTUAL TABLE temp.r USING parquet('%s'%s, rollup='%s, %s')" % (
                path, self.options, ", ".join(k.name for k in self.keys),
                ", ".join("%s AS a%d" % (m, i)
                          for i, (m, _) in enumerate(MEASURES))))

    def make_native(self, rows):
        rng = self.rng
        self.db.execute("CREATE TABLE x(%s, m INTEGER, f REAL)" % ", ".join(
            "%s %s" % (k.name, TYPES[k.kind]) for k in self.keys))
        self.db.executemany(
            "INSERT INTO x VALUES (%s)" % ", ".join("?" * (len(self.keys) + 2)),
            ([k.at(rng, i) for k in self.keys] +
             [rng.randrange(-1000, 1000), rng.randrange(-4000, 4000) / 8]
             for i in range(rows)))

    def ask(self):
        """None, or what differs."""
        rng = self.rng
        some = rng.sample(self.keys, rng.randint(1, len(self.keys)))
        names = ", ".join(k.name for k in some)
        terms = [k.term(rng) for k in self.keys if rng.random() < 0.3]
        rest = "%s GROUP BY %s ORDER BY %s" % (
            " WHERE " + rng.choice([" AND ", " OR "]).join(terms)
            if terms else "", names, names)
        asked = "SELECT %s, %s FROM r%s" % (names, ", ".join(
            "%s(a%d)" % (over, i) for i, (_, over) in enumerate(MEASURES)), rest)
        native = "SELECT %s, %s FROM x%s" % (names, ", ".join(
            m for m, _ in MEASURES), rest)
        try:
            got = self.db.execute(asked).fetchall()
        except sqlite3.OperationalError as e:
            if "memory" in str(e):   # of rowids, which an OR asks for
                return "memory"
            raise
        want = self.db.execute(native).fetchall()
        return None if got == want else "%s%s: %d rows, not %d" % (
            asked, self.options, len(got), len(want))


def main():
    extension, seed, cases = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    folder, only = sys.argv[4], os.environ.get("CASE")
    os.makedirs(folder, exist_ok=True)
    passed = failed = memory = 0
    for number in [int(only)] if only else range(cases):
        rng = random.Random("rollup ids %d %d" % (seed, number))
        path = os.path.join(folder, "%d.parquet" % number)
        case = Case(extension, rng, path)
        for _ in range(QUERIES):
            wrong = case.ask()
            if wrong == "memory":
                memory += 1
            elif wrong:
                failed += 1
                print("FAIL case %d of seed %d: %s\n  alone: CASE=%d %s %s %s %d "
                      "1 $(mktemp -d)" % (number, seed, wrong, number,
                                          sys.executable, sys.argv[0], extension,
                                          seed))
            else:
                passed += 1
        case.db.close()
        os.unlink(path)
    print("rollup_ids (seed %d): %d passed, %d failed, %d too little memory" % (
        seed, passed, failed, memory))
    return failed > 0 or not passed


if __name__ == "__main__":
    sys.exit(main())
