"""GROUP BY of any columns, in tables larger than their memory lets be sorted.

Tables of some ten thousand rows are made: keys with few values and with as many
as rows, side by side or spread, NULL, both zeros, NaN, texts that differ late or
in a zero byte or are no UTF-8, BLOBs, in one file, in several with other types
or without a column, in hive folders, or empty.  Random statements with GROUP BY
and DISTINCT have to give the same rows as over a native copy, with little memory
and with much, left in the middle and run again, and two at once.

Usage: grouped.py EXTENSION SEED CASES FOLDER
The last line has the counts.
"""
import collections
import math
import os
import random
import shutil
import sqlite3
import sys

import made_files
import parquet_file
from parquet_file import Column
import subqueries
from queries import glued
from subqueries import as_texts, ask, loose, one_failed
from worlds import NO_TEXTS, connect

PER_TABLE = 20
subqueries.STEPS, subqueries.SECONDS = 4_000_000, 8
MEMORY = ["1MB", "8MB", "8MB", "8MB", "8MB", "9MB", "16MB", "256MB"]
ENDS = ["", "\0", "\0x", " ", "0"]
WORDS = ["", "a", "A", "b", "\u00fc", "longer than a prefix of sixteen bytes "]


# ---- tables ------------------------------------------------------------------

def spread(rng, n, most):
    """Numbers below `most`: spread, side by side, mostly one, or in order."""
    shape = rng.randrange(5)
    if shape == 0:
        return [i * most // max(n, 1) for i in range(n)]
    if shape == 1:
        run = rng.choice([2, 7, 100])
        return [i // run * 7919 % most for i in range(n)]
    if shape == 2:
        return [0 if rng.random() < 0.9 else rng.randrange(most)
                for _ in range(n)]
    return [rng.randrange(most) for _ in range(n)]


def value_of(rng, kind, i):
    if kind in ("int64", "int32"):
        return i - 5
    if kind == "uint64":
        return i if i % 3 else 2 ** 64 - 1 - i
    if kind in ("double", "float"):
        odd = [0.0, -0.0, math.nan, math.inf, 1.0, 0.5]
        return odd[i] if i < len(odd) else i / 4
    if kind == "date":
        return 19000 + i
    if kind == "timestamp_us":
        return 1700000000000000 + i * 1000
    if kind == "decimal_9_2":
        return i * 25
    if kind == "boolean":
        return i % 2 == 1
    if kind == "fixed_3":
        return (i % 2 ** 24).to_bytes(3, "big")
    if i % 41 == 40:
        return rng.choice(NO_TEXTS)
    return (WORDS[i % len(WORDS)] + str(i // 11) + ENDS[i % len(ENDS)]).encode()


KINDS = ["int64", "int64", "int64", "int32", "int32", "double", "double",
         "float", "date", "timestamp_us", "boolean", "decimal_9_2"] + \
    ["string"] * 6
NARROW = {"int64": "int32", "double": "float", "timestamp_us": "date"}


def keys(rng, kind, n):
    most = rng.choice([1, 3, 20, 300, 5000, max(n, 1)])
    values = [value_of(rng, kind, i) for i in spread(rng, n, most)]
    if rng.random() < 0.4:
        values = [None if rng.random() < 0.05 else v for v in values]
    return values


def column(rng, name, kind, values):
    how = {h for h in ("statistics", "null_count", "dictionary", "index",
                       "fallback", "v2", "gzip") if rng.random() < 0.5}
    return Column([name], kind, values, False, how)


def write(rng, path, n, kinds):
    columns = [column(rng, "k%d" % i, kind, keys(rng, kind, n))
               for i, kind in enumerate(kinds)]
    if rng.random() < 0.3:           # more than memory holds
        columns.append(Column(["w"], "string", [
            b"%d" % (i % 5000) * rng.choice([1, 20, 90]) for i in range(n)]))
    columns.append(Column(["v"], "int64", [
        rng.randrange(-9, 1000) for _ in range(n)], False, {"dictionary"}))
    size = max(1, rng.choice([n, n // 3 + 1, 1000, 5000]))
    groups = [min(size, n - i) for i in range(0, n, size)]
    parquet_file.write(path, columns, groups, rng.choice([100, 1000, 20000]))


def make(rng, folder):
    """The path, and the options it needs."""
    kinds = [rng.choice(KINDS) for _ in range(rng.choice([2, 3, 5]))]
    if rng.random() < 0.3:           # never hashed
        kinds[-1] = rng.choice(["uint64", "bytes", "fixed_3"])
    n = rng.choice([0, 3, 3000, 3000, 9000, 9000, 9000, 30000])
    path = os.path.join(folder, "g")
    if rng.random() < 0.6:
        write(rng, path + ".parquet", n, kinds)
        return path + ".parquet", ""
    hive = rng.random() < 0.4
    for part in range(rng.choice([2, 5])):
        where = path + ("/h=%s" % rng.choice("012x") if hive else "")
        os.makedirs(where, exist_ok=True)
        here = [NARROW.get(k, k) if part and rng.random() < 0.4 else k
                for k in kinds]
        if part and rng.random() < 0.2 and len(here) > 2:
            here.pop()
        write(rng, "%s/p%d.parquet" % (where, part), n // 3, here)
    return path, "union_by_name" + (", hive" if hive else "")


class Table:
    def __init__(self, extension, rng, folder):
        path, needs = make(rng, folder)
        self.db = connect(extension, rng.choice(
            ["UTF-8"] * 6 + ["UTF-16le"]))
        options = [needs, "memory='%s'" % rng.choice(MEMORY), rng.choice(
            ["threads=0", "threads=0", "", "threads=2", "threads=5"]), rng.choice(
                ["", "", "", "trust_stats=off", "nan=text", "decimal=text"])]
        self.source = ", ".join(["'%s'" % path] + [o for o in options if o])
        db = self.db
        db.execute("CREATE VIRTUAL TABLE temp.t USING parquet(%s)" % self.source)
        # To copy from: with as much memory as that needs.
        db.execute("CREATE VIRTUAL TABLE temp.s USING parquet(%s)" % ", ".join(
            ["'%s'" % path] + [o for o in options if o and "mem" not in o]))
        declared = [(r[1].decode(), r[2].decode())
                    for r in db.execute("PRAGMA table_xinfo(t)") if r[6] == 0]
        self.columns = [c for c, _ in declared]
        db.execute("CREATE TEMP TABLE c(%s)" % ", ".join(
            '%s "%s"' % d for d in declared))
        names = ", ".join(self.columns)
        db.execute("INSERT INTO c(rowid, %s) SELECT rowid, %s FROM s" % (
            names, names))
        db.execute("CREATE TABLE n(k, w)")
        for c in self.columns:
            db.execute("INSERT INTO n SELECT %s, rowid %% 7 FROM c LIMIT 5" % c)
        db.execute("CREATE INDEX ni ON n(k)")
        self.n = db.execute("SELECT count(*) FROM c").fetchone()[0]


# ---- statements ----------------------------------------------------------------

def some_keys(rng, t):
    some = rng.sample(t.columns, min(len(t.columns),
                                     rng.choice([1, 1, 1, 2, 2, 3, 4])))
    some = [c for c in some if c != "v"] or [t.columns[0]]
    out = ["x." + c for c in some]
    r = rng.random()
    if r < 0.05:
        out.append("x.rowid")
    elif r < 0.1:
        out.append("x.v % 3")
    elif r < 0.13:
        out.append("x.v")
    return out


def aggregates(rng, t):
    c = "x." + rng.choice(t.columns)
    some = ["count(*)", "count(%s)" % c, "sum(x.v)", "sum(x.v)", "avg(x.v)",
            "min(%s)" % c, "max(%s)" % c, "count(DISTINCT %s)" % c,
            "sum(DISTINCT x.v)", "total(x.v)", "sum(x.rowid)",
            "min(x.rowid)", "count(*) FILTER (WHERE x.v > 3)",
            "length(CAST(group_concat(%s) AS BLOB))" % c,
            "bag(x.v)", "max(x.v) - min(x.v)"]
    return [rng.choice(some) for _ in range(rng.choice([0, 1, 1, 2, 3, 5]))]


def where(rng, t):
    c = "x." + rng.choice(t.columns)
    return rng.choice([
        "", "", "", " WHERE x.v > 3", " WHERE x.v %% 5 = 1",
        " WHERE %s IS NOT NULL" % c, " WHERE x.rowid < 2000",
        " WHERE x.v IN (1, 2, 3, 500)", " WHERE +%s > 3" % c,
        " WHERE x.v < 0", " WHERE x.v > 5000",
        " WHERE EXISTS (SELECT 1 FROM n WHERE n.w = x.v %% 9)"]).replace(
            "%%", "%")


def grouped(rng, t):
    """(SQL with @ for the table, how it is compared)"""
    by, w = some_keys(rng, t), where(rng, t)
    made = aggregates(rng, t)
    shown = [k for k in by if rng.random() < 0.9] + made or ["count(*)"]
    sql = "SELECT %s FROM @ x%s GROUP BY %s" % (
        ", ".join(shown), w, ", ".join(by))
    if rng.random() < 0.25:
        sql += " HAVING " + rng.choice(
            ["count(*) > 1", "sum(x.v) % 2 = 0", "max(x.v) > 900",
             "count(*) < (SELECT count(*) FROM n)", "%s IS NOT NULL" % by[0]])
    if rng.random() < 0.45:
        order = [k + rng.choice(["", "", " DESC"]) for k in
                 rng.sample(by, len(by))]
        if rng.random() < 0.3:
            order = ["count(*)" + rng.choice(["", " DESC"])] + order
        sql += " ORDER BY " + ", ".join(order)
        if rng.random() < 0.6:
            sql += " LIMIT %d OFFSET %d" % (rng.choice([1, 5, 100]),
                                            rng.choice([0, 0, 2, 40]))
        return sql, "ordered"
    return sql, "rows"


def said(rng, name):
    """The same column in other words."""
    if rng.random() < 0.6 or "'" in name or not name[-1].isalnum() or \
            name[0].isdigit() or " " in name:
        return name
    begin, _, end = name.rpartition(".")
    end = rng.choice(["%s", '"%s"', "[%s]", "`%s`", "/* , */%s"]) % rng.choice(
        [end, end.upper()])
    return (rng.choice(["x.", "X.", "x . ", '"x".']) if begin else "") + end


def spelled(rng, t):
    """The order of the groups is asked for in another way than they are named:
    SQLite relies on it where it sees the same columns."""
    by = [k for k in some_keys(rng, t) if "%" not in k and "rowid" not in k]
    by = (by or ["x." + t.columns[0]])[:3]
    made = "sum(x.v), count(*)"
    names = ["n%d" % i for i in range(len(by))]
    if rng.random() < 0.3:           # other columns are called that
        names = rng.sample(t.columns, len(by))
    shown = ", ".join("%s AS %s" % (rng.choice(["%s", "(%s)", "((%s))"]) % k, n)
                      for k, n in zip(by, names))
    if rng.random() < 0.1 and len(by) == 1:
        return "SELECT * FROM (SELECT *, max(x.v) FROM @ x GROUP BY %s) " \
            "WHERE 0" % by[0], "rows"
    groups = [said(rng, k) for k in rng.choice(
        [by, by, [str(i + 1) for i in range(len(by))],
         ["(%s)" % k for k in by], names if names[0][0] == "n" else by])]
    if rng.random() < 0.25:
        groups.insert(rng.randrange(len(groups) + 1), rng.choice(
            ["'x'", "NULL", "1 + 1", "typeof(%s)" % by[0]]))
    kind = rng.randrange(5)
    if kind == 0:
        part = rng.choice(by)
        return "SELECT %s, %s, sum(count(*)) OVER (PARTITION BY %s ORDER BY " \
            "%s), row_number() OVER (PARTITION BY %s ORDER BY %s) FROM @ x%s " \
            "GROUP BY %s" % (shown, made, part, ", ".join(by), part,
                             ", ".join(by), where(rng, t),
                             ", ".join(groups)), "rows"
    order = [said(rng, k) for k in rng.choice(
        [by, names, ["%d" % (i + 1) for i in range(len(by))],
         ["(%s)" % k for k in by], groups])]
    order = [k for k in order if "'" not in k and "NULL" not in k and
             "1 + 1" not in k] + rng.choice([[], [], ["'x'"]])
    desc = rng.choice(["", "", " DESC"])
    words = ", ".join(k + (desc if kind == 1 else rng.choice(
        ["", " ASC", desc])) for k in order)
    sql = "SELECT %s %s, %s FROM @ x%s GROUP BY %s" % (
        rng.choice(["", "ALL", "/*GROUP BY*/", "DISTINCT"]), shown, made,
        where(rng, t), ", ".join(groups))
    if kind == 2:
        return "SELECT *, row_number() OVER (ORDER BY %s) FROM (%s ORDER BY %s)" \
            % (", ".join(names), sql, words), "rows"
    if kind == 3:
        sql += "--ORDER BY nothing\n"
    return sql + " ORDER BY " + words + rng.choice(
        ["", "", " LIMIT 7", " LIMIT 3 OFFSET 2"]), "ordered"


def merged(rng, t):
    """ORDER BY of a compound is that of its parts, and has all columns."""
    by = [k for k in some_keys(rng, t) if "%" not in k][:3]
    parts = ["SELECT %s FROM @ x%s GROUP BY %s" % (
        ", ".join("%s AS n%d" % (k, i) for i, k in enumerate(by)), where(rng, t),
        ", ".join(k + rng.choice(["", " COLLATE BINARY"]) for k in by))
        for _ in range(2)]
    names = rng.sample(range(len(by)), rng.randint(1, len(by)))
    return "%s %s %s ORDER BY %s" % (
        parts[0], rng.choice(["UNION", "EXCEPT", "INTERSECT"]), parts[1],
        ", ".join(rng.choice(["n%d" % i, "%d" % (i + 1)]) for i in names)), "loose"


def statement(rng, t):
    if rng.random() < 0.3:
        return spelled(rng, t)
    if rng.random() < 0.05:
        return merged(rng, t)
    sql, how = grouped(rng, t)
    kind = rng.randrange(20)
    by, w = some_keys(rng, t), where(rng, t)
    if kind < 10:
        return sql, how
    if kind == 10:
        order = rng.sample(by, rng.randint(0, len(by)))
        if rng.random() < 0.2:
            by.append("x.rowid")
        return "SELECT DISTINCT %s FROM @ x%s%s" % (", ".join(by), w, (
            " ORDER BY " + ", ".join(k + rng.choice(["", " DESC"])
                                     for k in order)) if order else ""), "rows"
    if kind == 11:
        return "SELECT count(*), sum(g) FROM (SELECT %s, sum(x.v) AS g FROM " \
            "@ x%s GROUP BY %s)" % (by[0], w, ", ".join(by)), "rows"
    if kind == 12:
        return "SELECT count(*), count(DISTINCT %s) FROM @ x%s" % (
            by[0], w), "rows"
    if kind == 13:
        other = some_keys(rng, t)
        return "SELECT %s, count(*) FROM @ x%s GROUP BY %s %s SELECT %s, " \
            "count(*) FROM @ x GROUP BY %s" % (
                by[0], w, by[0], rng.choice(["UNION ALL", "UNION", "EXCEPT",
                                             "INTERSECT"]),
                other[0], other[0]), "loose"
    if kind == 14:
        return "SELECT %s, count(*), sum(count(*)) OVER (), rank() OVER " \
            "(ORDER BY sum(x.v), count(*)) FROM @ x%s GROUP BY %s" % (
                by[0], w, by[0]), "rows"
    if kind == 15:
        return "SELECT n.w, n.k, (SELECT count(*) FROM (SELECT 1 FROM @ x " \
            "WHERE x.v = n.w GROUP BY %s)) FROM n" % ", ".join(by), "rows"
    if kind == 16:
        return "SELECT n.w, g.c FROM n JOIN (SELECT %s AS k, count(*) AS c " \
            "FROM @ x%s GROUP BY %s) g ON g.k = n.k" % (
                by[0], w, by[0]), "loose"
    if kind == 17:
        return "WITH q AS (SELECT %s AS k, sum(x.v) AS s FROM @ x%s GROUP BY " \
            "%s) SELECT a.k, a.s FROM q a JOIN q b ON a.k IS b.k" % (
                by[0], w, by[0]), "rows"
    key, v = by[0], rng.choice(["x.v", "x." + rng.choice(t.columns)])
    word = rng.choice(["min", "max"])
    if kind == 18:
        return "SELECT %s, %s(%s), x.rowid, x.v FROM @ x%s GROUP BY %s" % (
            key, word, v, w, key), (
                "bare", "SELECT %s, %s, x.rowid, x.v FROM @ x%s" % (key, v, w))
    return "SELECT NULL, %s(%s), x.rowid, x.v FROM @ x%s" % (word, v, w), (
        "bare", "SELECT NULL, %s, x.rowid, x.v FROM @ x%s" % (v, w))


# ---- the run -------------------------------------------------------------------

def differ(ours, theirs, how, rows):
    if isinstance(ours, str) or isinstance(theirs, str):
        return one_failed(ours, theirs)
    if isinstance(how, tuple):
        there = set(as_texts(rows)) | {repr((None,) * 4)}
        lost = [r for r in as_texts(ours) if r not in there]
        if lost:
            return "row %.200s is not there" % lost[0]
        ours, theirs = ([r[:2] for r in x] for x in (ours, theirs))
    same = loose if how == "loose" else as_texts
    a, b = same(ours), same(theirs)
    if how != "ordered":
        a, b = sorted(a), sorted(b)
    if a == b:
        return None
    at = next((i for i in range(min(len(a), len(b))) if a[i] != b[i]), 0)
    return "%d rows, not %d; row %d is %.200s, not %.200s" % (
        len(a), len(b), at, (a + ["none"])[at], (b + ["none"])[at])


def again(db, rng, sql, other):
    """Left in the middle, and another one at once."""
    cursor = db.cursor()
    try:
        cursor.execute(sql.replace("@", "t"))
        rows = cursor.fetchmany(rng.choice([0, 1, 3, 50]))
        if rng.random() < 0.4:
            second = db.cursor().execute(other.replace("@", "t"))
            second.fetchmany(rng.choice([1, 20]))
            return rows + cursor.fetchall()
        return cursor.execute(sql.replace("@", "t")).fetchall()
    except sqlite3.Error as e:
        return str(e)


class Run:
    def __init__(self, extension, seed, folder):
        self.extension, self.seed, self.folder = extension, seed, folder
        self.counts, self.plans = collections.Counter(), collections.Counter()

    def case(self, t, number, only):
        rng = random.Random("case %d %d" % (self.seed, number))
        sql, how = statement(rng, t)
        sql = glued(sql)
        if only is not None:
            print(sql, t.source)
        theirs = ask(t.db, sql.replace("@", "c"), [])
        if theirs == "interrupted":
            self.counts["given up"] += 1
            return
        plan = str(t.db.execute("EXPLAIN QUERY PLAN " + sql.replace(
            "@", "t")).fetchall())
        for words in ("hashed by", "grouped by", "in order of", "distinct ",
                      "a row of each", "TEMP B-TREE FOR GROUP BY"):
            self.plans[words] += words in plan
        ours = ask(t.db, sql.replace("@", "t"), [])
        if ours != "interrupted" and rng.random() < 0.2:
            ours = again(t.db, rng, sql, grouped(rng, t)[0])
        if isinstance(ours, str) and ("memory" in ours or
                                      ours == "interrupted"):
            self.counts["too large" if "memory" in ours else "given up"] += 1
            return
        rows = ask(t.db, how[1].replace("@", "c"), []) \
            if isinstance(how, tuple) else None
        why = None if rows == "interrupted" else differ(ours, theirs, how, rows)
        self.counts["failed" if why else "passed"] += 1
        if why:
            print("FAIL case %d of seed %d: %s\n  %s\n  %s (%d rows)\n  alone: "
                  "CASE=%d %s %s %s %d 1 $(mktemp -d)/g" % (
                      number, self.seed, why, sql.replace("@", "t"), t.source,
                      t.n, number, sys.executable, sys.argv[0],
                      self.extension, self.seed))
            sys.stdout.flush()

    def all(self, cases, only):
        for first in range(0, cases, PER_TABLE):
            if only is not None and only // PER_TABLE * PER_TABLE != first:
                continue
            rng = random.Random("table %d %d" % (self.seed, first))
            folder = os.path.join(self.folder, str(first))
            os.makedirs(folder)
            t = Table(self.extension, rng, folder)
            for number in range(first, min(first + PER_TABLE, cases)):
                if only is None or number == only:
                    self.case(t, number, only)
            t.db.close()
            if not self.counts["failed"]:
                shutil.rmtree(folder)


def main():
    extension, seed, cases = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    only = int(os.environ["CASE"]) if os.environ.get("CASE") else None
    run = Run(extension, seed, sys.argv[4])
    run.all(cases if only is None else only + 1, only)
    print("plans: %s" % ", ".join("%d '%s'" % (n, w)
                                  for w, n in run.plans.most_common()))
    c = run.counts
    print("grouped (seed %d): %d passed, %d failed, %d too large, %d given up" %
          (seed, c["passed"], c["failed"], c["too large"], c["given up"]))
    if only is None and c["given up"] > c["passed"]:
        print("FAIL: most statements were given up")
        return True
    return c["failed"] > 0


if __name__ == "__main__":
    sys.exit(main())
