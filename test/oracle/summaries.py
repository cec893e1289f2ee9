"""parquet_summary against what SQLite says of a native copy.

Of each column: rows, nulls, the least and the largest value, the mean and the
deviation, how many values there are and which occurs most often.  What the note
calls estimated, and distinct_count where it says so, may differ as far as the
documentation allows; all else is exact.

Tables are those of rollups.py, and some that parquet_copy_to made of many
different values, so that they are estimated.

Usage: summaries.py EXTENSION SEED CASES FOLDER [FILE...]

A case is a table.  CASE=n asks only that one.  The last line has the counts.
"""
import bisect
import collections
import json
import math
import os
import random
import re
import shutil
import sqlite3
import sys

import grouped
import worlds
from queries import quoted
from rollup_tables import rich_file
from subqueries import ERRORS
from worlds import World, connect

# Of many rows: i counts from 0, and {m} is a number of values.
MANY = ["i * 7919 % {m}", "i % {m} * 0.5", "'text ' || i * 31 % {m}", "i",
        "CASE WHEN i % 3 THEN i % {m} END", "-i / 7", "i * 1e15",
        "CASE WHEN i % 50 = 0 THEN 'often' ELSE i END || ''", "i % 4",
        "printf('%.*c', i * 13 % 400, 'x') || i % {m}",
        "date(i % {m}, 'unixepoch')", "i * i % {m}", "NULL"]


def many_rows(db, rng, path):
    n = rng.choice([70000, 70000, 150000])
    columns = ["%s AS c%d" % (e.replace("{m}", str(rng.choice(
        [3, 900, 60000, 66000, 140000]))), i)
        for i, e in enumerate(rng.sample(MANY, 3))]
    sql = "WITH RECURSIVE r(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM r " \
        "LIMIT %d) SELECT %s FROM r" % (n, ", ".join(columns))
    db.execute("SELECT parquet_copy_to(?, ?, ?)", (sql, path, json.dumps(
        {"dictionary": rng.random() < 0.7,
         "row_group_rows": rng.choice([9000, 50000, 1 << 20])}))).fetchall()


class Table:
    """A connection, and a native copy of the path's table."""

    def __init__(self, extension, rng, folder, files):
        kind = rng.randrange(12)
        encoding = rng.choice(["UTF-8"] * 5 + ["UTF-16le"])
        self.db = connect(extension, encoding)
        path = os.path.join(folder, "made.parquet")
        if kind < 3:
            rich_file(rng, path)
        elif kind < 6:
            path, _ = grouped.make(rng, folder)
        elif kind < 8:
            world = World(extension, rng, folder)
            self.db = world.db
            path = re.match("'([^']*)'", rng.choice(
                [t.source for t in world.tables if t.source]))[1]
        elif kind < 9 and files:
            path = rng.choice(files)
        else:
            many_rows(self.db, rng, path)
        self.path = path
        self.db.execute("CREATE VIRTUAL TABLE temp.s0 USING parquet('%s')" %
                        path.replace("'", "''"))
        self.declared = {r[1]: r[2].decode() for r in self.db.execute(
            "PRAGMA table_xinfo(s0)")}
        columns = ", ".join(quoted(c.decode()) for c in self.declared)
        self.db.execute("CREATE TEMP TABLE q0(%s)" % columns)
        self.db.execute("INSERT INTO q0 SELECT %s FROM s0" % columns)
        self.n = self.db.execute("SELECT count(*) FROM q0").fetchone()[0]


CLASSES = {b"text": 1, b"blob": 2}


# ---- what is said ---------------------------------------------------------------

class Order:
    """The values of a column, in SQLite's order, each with how often it is.
    Texts are in the order of their UTF-8, in a database of UTF-16 too."""

    def __init__(self, db, column):
        rows = db.execute("SELECT {0}, count(*), typeof({0}) FROM q0 WHERE {0} "
                          "IS NOT NULL GROUP BY 1".format(column)).fetchall()
        rows.sort(key=lambda r: (CLASSES.get(r[2], 0), r[0]))
        self.values = [r[0] for r in rows]
        self.counts = [r[1] for r in rows]
        self.places = {self.key(r[0]): i for i, r in enumerate(rows)}
        self.until, total = [], 0
        for c in self.counts:
            total += c
            self.until.append(total)
        self.n = total

    @staticmethod
    def key(v):
        return (isinstance(v, (int, float)), v)

    def place(self, v):
        return self.places.get(self.key(v))

    def at(self, rank):
        """The value of that rank, from 1."""
        return self.values[bisect.bisect_left(self.until, rank)]


def alike(a, b):
    return a == b and isinstance(a, bytes) == isinstance(b, bytes)


def near(a, b, spread):
    """Six digits, at least two of them after the point."""
    if a is None or b is None:
        return a is b
    if math.isinf(a) or math.isinf(b):
        return a == b
    return abs(a - b) <= max(1.01e-5 * abs(b), 0.00501, 1e-9 * spread)


def deviation(db, column, mean):
    """None if there is none to compare with."""
    if mean is None or not math.isfinite(mean):
        return None
    n, sq = db.execute("SELECT count({0}), sum(({0} - ?1) * ({0} - ?1)) FROM q0"
                       .format(column), (mean,)).fetchone()
    return math.sqrt(sq / (n - 1)) if n > 1 and sq is not None and \
        math.isfinite(sq) else None


class Check:
    def __init__(self, t, row):
        self.db, self.row, self.wrong = t.db, row, []
        self.column = quoted(row["column"].decode())
        self.declared = t.declared[row["column"]]

    def same(self, what, ours, theirs):
        if not (ours is theirs or alike(ours, theirs)):
            self.wrong.append("%s is %.80r, not %.80r" % (what, ours, theirs))

    def all(self, n):
        r = self.row
        if r["note"] and b"estimated" not in r["note"]:
            return "noted"
        order = self.order = Order(self.db, self.column)
        self.same("rows", r["rows"], n)
        self.same("nulls", r["nulls"], n - order.n)
        if re.match("LIST|MAP|STRUCT|VARIANT", self.declared):
            self.same("distinct_is", r["distinct_is"], None)
            return "nested"
        if not order.n:
            for c in ("min", "max", "median", "top", "mean"):
                self.same(c, r[c], None)
            return "empty"
        self.same("min", r["min"], order.values[0])
        self.same("max", r["max"], order.values[-1])
        self.moments()
        self.distinct()
        self.quartiles()
        self.top()
        return "estimated" if r["distinct_is"] == b"estimate" else "exact"

    def distinct(self):
        n, said = len(self.order.values), self.row["distinct_count"]
        if self.row["distinct_is"] == b"exact":
            self.same("distinct_count", said, n)
        elif not 0.95 * n - 2 <= said <= 1.05 * n + 2:
            self.wrong.append("distinct_count is about %d, not %d" % (said, n))
        elif n <= 60000 and max(map(self.size, self.order.values)) < 400 and \
                sum(map(self.size, self.order.values)) < 2 << 20:
            self.wrong.append("distinct_count of %d is estimated" % n)

    @staticmethod
    def size(v):
        return len(v) + 1 if isinstance(v, bytes) else 0

    def moments(self):
        r = self.row
        some = self.db.execute(
            "SELECT avg({0}), max(abs({0} * 1.0)), sum(typeof({0}) IN ('text', "
            "'blob')) FROM q0".format(self.column)).fetchone()
        if some[2] or re.match("DATE|TIME|BOOL.*TEXT", self.declared):
            self.same("mean", r["mean"], None)
        elif some[0] is not None and math.isfinite(some[1]) and \
                some[1] < 1e150:
            if not near(r["mean"], some[0], some[1]):
                self.wrong.append("mean is %r, not %r" % (r["mean"], some[0]))
            d = deviation(self.db, self.column, some[0])
            if (r["stddev"] is None) != (self.order.n < 2) or \
                    d is not None and not near(r["stddev"], d, some[1]):
                self.wrong.append("stddev is %r, not %r" % (r["stddev"], d))

    def quartiles(self):
        r, order = self.row, self.order
        rough = b"quartiles" in (r["note"] or b"")
        for i, c in enumerate(("q25", "median", "q75")):
            rank = max(1, (order.n * (i + 1) + 3) // 4)
            if not rough:
                if r[c] is None and r["distinct_is"] == b"estimate":
                    continue         # texts that are too long
                self.same(c, r[c], order.at(rank))
                continue
            at = order.place(r[c])
            text = isinstance(order.values[0], bytes)
            off = (0.06 if text else 0.02) * order.n
            if at is None or order.until[at] < rank - off or \
                    order.until[at] - order.counts[at] > rank + off:
                self.wrong.append("%s is %r, which is no value near its rank" %
                                  (c, r[c]))

    def top(self):
        r, order = self.row, self.order
        most = max(order.counts)
        first = order.values[order.counts.index(most)]
        sure = b"top" not in (r["note"] or b"")
        if r["top"] is None:
            if most > 1 and (r["distinct_is"] == b"exact" or
                             most > order.n / 400):
                self.wrong.append("there is no top, but %r occurs %d times" % (
                    first, most))
        elif sure:
            self.same("top", r["top"], first)
            self.same("top_count", r["top_count"], most)
        else:
            at = order.place(r["top"])
            if at is None or r["top_count"] > order.counts[at]:
                self.wrong.append("top is %r, %d times" % (r["top"],
                                                           r["top_count"]))


# ---- the run --------------------------------------------------------------------

class Run:
    def __init__(self, extension, seed, folder, files):
        self.extension, self.seed, self.folder = extension, seed, folder
        self.files, self.counts = files, collections.Counter()

    def columns(self, t):
        cursor = t.db.execute("SELECT * FROM parquet_summary(?)", (t.path,))
        names = [d[0] for d in cursor.description]
        return [dict(zip(names, r)) for r in cursor]

    def alone(self, t, rng, rows):
        """One column, and some of what is known of it, asked for alone."""
        row = rng.choice(rows)
        some = rng.sample(list(row), 3)
        got = t.db.execute(
            "SELECT %s FROM parquet_summary(?) WHERE \"column\" = ?" %
            ", ".join(map(quoted, some)), (t.path, row["column"].decode())
            ).fetchall()
        if tuple(row[c] for c in some) not in got:
            return ["alone, %s of %s is %r, not %r" % (
                some, row["column"], got, [row[c] for c in some])]
        return []

    def table(self, number):
        rng = random.Random("summary %d %d" % (self.seed, number))
        folder = os.path.join(self.folder, str(number))
        os.makedirs(folder)
        try:
            t = Table(self.extension, rng, folder, self.files)
            rows = self.columns(t)
        except worlds_errors as e:
            self.counts["unread"] += 1
            if os.environ.get("CASE"):
                print("unread:", e)
            return
        for row in rows:
            check = Check(t, row)
            self.counts[check.all(t.n)] += 1
            self.counts["failed" if check.wrong else "passed"] += 1
            if check.wrong:
                self.fail(number, "%s of %s (%d rows): %s" % (
                    row["column"].decode(), t.path, t.n,
                    "; ".join(check.wrong)))
        wrong = self.alone(t, rng, rows) if rows else []
        self.counts["failed" if wrong else "passed"] += 1
        if wrong:
            self.fail(number, wrong[0])
        t.db.close()
        if not self.counts["failed"]:
            shutil.rmtree(folder)

    def fail(self, number, why):
        print("FAIL case %d of seed %d: %s" % (number, self.seed, why))
        print("  alone: CASE=%d %s %s %s %d 1 $(mktemp -d)/r %s" % (
            number, sys.executable, sys.argv[0], self.extension, self.seed,
            " ".join(self.files)))
        sys.stdout.flush()


worlds_errors = ERRORS + (ValueError,)


def main():
    extension, seed, cases = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    only = os.environ.get("CASE")
    os.makedirs(sys.argv[4], exist_ok=True)
    run = Run(extension, seed, sys.argv[4], sys.argv[5:])
    for number in [int(only)] if only else range(cases):
        run.table(number)
    c = run.counts
    print("summaries (seed %d): %d passed, %d failed, %d exact, %d estimated, "
          "%d nested, %d without values, %d noted, %d unread" % (
              seed, c["passed"], c["failed"], c["exact"], c["estimated"],
              c["nested"], c["empty"], c["noted"], c["unread"]))
    if cases >= 40 and not only and not (c["exact"] and c["estimated"]):
        print("FAIL: nothing was exact, or nothing was estimated")
        return True
    return c["failed"] > 0 or not c["passed"]


if __name__ == "__main__":
    sys.exit(main())
