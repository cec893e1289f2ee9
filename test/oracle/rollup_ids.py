"""Rollups of several dictionary keys, against native tables.

The other tables of this oracle are shorter than a batch.  These have thousands of
rows in row groups of some batches, so that a dictionary lasts for several batches and
is then another: what is kept of one (core/rollup/rollup_ids.h) must not outlive it.
Nulls come in some batches only, or here and there; values may differ from row group
to row group, or be too many for a dictionary from some row on: of each column another
one, in files that parquet_file.py writes, with NaN, both zeros and infinities in their
dictionaries.

Sums of several integers are gathered together (core/rollup/rollup_lines.h), as far as
none is null and none too large: so some have few values, some nulls, and some are as
large as the sum of so many rows allows.

Statements of one key and few measures are added up by the ids of the key
(core/rollup/rollup_by_id.c).

Usage: rollup_ids.py EXTENSION SEED CASES FOLDER

A case is a table, with QUERIES statements.  CASE=n asks only that one.  The last line
has the counts.
"""
import json
import math
import os
import random
import sqlite3
import sys

import parquet_file
from worlds import connect

QUERIES = 5
KINDS = {"text": "string", "integer": "int64", "real": "double"}
ODD = [math.nan, -0.0, 0.0, math.inf, -math.inf]
TYPES = {"text": "TEXT", "integer": "INTEGER", "real": "REAL"}
MEASURES = [("count(*)", "sum"), ("count(m)", "sum"), ("sum(m)", "sum"),
            ("sum(f)", "sum"), ("min(m)", "min"), ("max(f)", "max"),
            ("sum(a)", "sum"), ("sum(b)", "sum"), ("sum(a * 3 - b)", "sum"),
            ("sum(b + m)", "sum")]
HAS_RIGHT_JOIN = sqlite3.sqlite_version_info >= (3, 39)
FILTERS = ["<", ">", "=", ">=", "<>", "IS NOT"]


class Key:
    """A column of few values; those of some row groups differ."""

    def __init__(self, rng, number, group_rows, odd):
        self.name, self.group_rows = "k%d" % number, group_rows
        self.kind = rng.choice(["text", "text", "integer", "real"])
        self.pool = [self.value(i) for i in range(rng.choice(
            [1, 2, 3, 7, 40, 300]))]
        if odd and self.kind == "real":
            self.pool += rng.sample(ODD, rng.choice([0, 1, 3, 5]))
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
        v = rng.choice([v for v in self.pool if v not in ODD] or [1])
        return "%s %s %s" % (self.name, rng.choice(FILTERS),
                             "'%s'" % v if self.kind == "text" else repr(v))


class Numbers:
    """A column of integers that are added up."""

    def __init__(self, rng):
        most = 2 ** rng.choice([5, 20, 33, 44])
        self.values = [rng.randint(-most // rng.choice([1, 1000]), most)
                       for _ in range(rng.choice([3, 100, 5000]))]
        self.nulls = rng.random() < 0.2

    def at(self, rng, row):
        return None if self.nulls and row // 500 % 5 == 2 \
            else rng.choice(self.values)


class Case:
    def __init__(self, extension, rng, path):
        group_rows = rng.choice([2048, 2500, 4000, 8192, 20000, 100000])
        self.rng, self.db = rng, connect(extension, "UTF-8")
        foreign = rng.random() < 0.5
        self.keys = [Key(rng, i, group_rows, foreign)
                     for i in range(rng.randint(2, 4))]
        self.numbers = [Numbers(rng), Numbers(rng)]
        self.make_native(rng.choice([3000, 9000, 30000]), foreign)
        if foreign:
            self.write(path, group_rows)
        else:
            self.copy(path, group_rows)
        self.options = rng.choice(["", ", threads=0", ", threads=0, memory='2MB'"])
        self.db.execute(
            "CREATE VIRTUAL TABLE temp.r USING parquet('%s'%s, rollup='%s, %s')" % (
                path, self.options, ", ".join(k.name for k in self.keys),
                ", ".join("%s AS a%d" % (m, i)
                          for i, (m, _) in enumerate(MEASURES))))

    def make_native(self, rows, foreign):
        rng = self.rng
        self.rows = [
            [k.at(rng, i) for k in self.keys] +
            [rng.randrange(-1000, 1000), math.inf
             if foreign and rng.random() < 0.01 else rng.randrange(-4000, 4000) / 8] +
            [c.at(rng, i) for c in self.numbers]
            for i in range(rows)]
        self.db.execute(
            "CREATE TABLE x(%s, m INTEGER, f REAL, a INTEGER, b INTEGER)" % ", ".join(
                "%s %s" % (k.name, TYPES[k.kind]) for k in self.keys))
        self.db.executemany("INSERT INTO x VALUES (%s)" % ", ".join(
            "?" * (len(self.keys) + 4)), self.rows)
        self.db.execute("CREATE TABLE n(k)")

    def copy(self, path, group_rows):
        options = {"row_group_rows": group_rows}
        if self.rng.random() < 0.7:
            options["columns"] = {k.name: {"encoding": "RLE_DICTIONARY"}
                                  for k in self.keys}
        self.db.execute("SELECT parquet_copy_to('SELECT * FROM x', ?, ?)", (
            path, json.dumps(options))).fetchall()

    def write(self, path, group_rows):
        """Each key is PLAIN from a row of its own on in each row group, or never."""
        rng, n, columns = self.rng, len(self.rows), []
        page_rows = rng.choice([300, 1000, 2048])
        kinds = [(k.name, KINDS[k.kind]) for k in self.keys] + \
            [("m", "int64"), ("f", "double"), ("a", "int64"), ("b", "int64")]
        for i, (name, kind) in enumerate(kinds):
            values = [r[i].encode() if isinstance(r[i], str) else r[i]
                      for r in self.rows]
            how = {"dictionary", "statistics", "ignores_nans"} \
                if i < len(self.keys) or rng.random() < 0.5 else {"statistics"}
            c = parquet_file.Column([name], kind, values, False, how)
            if rng.random() < 0.5:
                c.how.add("fallback")
                c.plain_from = rng.randint(1, 6) * page_rows
            columns.append(c)
        groups = [min(group_rows, n - at) for at in range(0, n, group_rows)]
        parquet_file.write(path, columns, groups, page_rows)

    def ask(self):
        """None, or what differs."""
        rng = self.rng
        some = rng.sample(self.keys, rng.randint(1, len(self.keys)))
        names = ", ".join(k.name for k in some)
        if rng.random() < 0.3:
            return self.differ(*self.joined(some, names))
        terms = [k.term(rng) for k in self.keys if rng.random() < 0.3]
        rest = "%s GROUP BY %s ORDER BY %s" % (
            " WHERE " + rng.choice([" AND ", " OR "]).join(terms)
            if terms else "", names, names)
        measures = list(enumerate(MEASURES))
        if rng.random() < 0.6:
            measures = rng.sample(measures, rng.choice([1, 2, 3]))
        return self.differ("SELECT %s, %s FROM r%s" % (names, ", ".join(
            "%s(a%d)" % (over, i) for i, (_, over) in measures), rest),
            "SELECT %s, %s FROM x%s" % (names, ", ".join(
                m for _, (m, _) in measures), rest))

    def joined(self, some, names):
        """With a native table, outer joins too, and ORs that choose many groups."""
        rng, first = self.rng, some[0]
        self.db.execute("DELETE FROM n")
        self.db.executemany("INSERT INTO n VALUES (?)", (
            (v,) for v in rng.sample(first.pool, min(len(first.pool), 50)) +
            [None, "nobody", 10 ** 9]))
        ways = ["JOIN", "LEFT JOIN"] + (["RIGHT JOIN", "FULL JOIN"]
                                        if HAS_RIGHT_JOIN else [])
        sql = "SELECT n.k, %s, %s FROM n %s @ g ON g.%s %s n.k" % (
            names, ", ".join("a%d" % i for i in range(len(MEASURES))),
            rng.choice(ways), first.name, rng.choice(["=", "=", "IS"]))
        terms = [k.term(rng) for k in some for _ in range(rng.choice([0, 1, 2]))]
        if terms:
            sql += " WHERE " + " OR ".join(terms)
        return sql.replace("@", "r"), sql.replace(
            "@", "(SELECT %s, %s FROM x GROUP BY %s)" % (
                names, ", ".join("%s AS a%d" % (m, i)
                                 for i, (m, _) in enumerate(MEASURES)), names))

    def differ(self, asked, native):
        try:
            got = self.db.execute(asked).fetchall()
        except sqlite3.OperationalError as e:
            if "memory" in str(e):   # of rowids, which an OR asks for
                return "memory"
            raise
        want = self.db.execute(native).fetchall()
        if "ORDER BY" not in asked:
            got, want = sorted(map(place, got)), sorted(map(place, want))
        return None if got == want else "%s%s: %d rows, not %d" % (
            asked, self.options, len(got), len(want))


def place(row):
    """Rows as texts: of 0.0 and -0.0 in one group either is shown."""
    return [repr(v + 0.0 if isinstance(v, (int, float)) else v) for v in row]


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
