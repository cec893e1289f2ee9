"""GROUP BY over files that differ from what the plan expected.

Rows that are hashed (core/group/grouping.h) are put aside, in a file if memory is
short.  Rows that are returned grouped (core/group/group_passes.c) are read once per group,
with notes from the first pass.  Here the second pass differs from the first:
with little memory, an index of pages that was read in the first pass is not
read again, so batches begin at other rows; and notes that do not fit are not
made.

Usage: groups.py EXTENSION FOLDER

The right results are computed here, in Python.
"""
import collections
import os
import sys

import parquet_file
from parquet_file import Column
from rowids import connect


def wanted(rows):
    groups = collections.defaultdict(lambda: [0, 0])
    for k, n in rows:
        groups[k][0] += 1
        groups[k][1] += n
    return sorted((k, *v) for k, v in groups.items())


class Check:
    def __init__(self, extension):
        self.extension, self.passed, self.failed = extension, 0, 0

    def ask(self, name, path, sql, groups, may_fail=False, how="grouped by",
            memory="1MB"):
        db = connect(self.extension)
        db.execute("CREATE VIRTUAL TABLE temp.t USING parquet('%s', "
                   "memory='%s', threads=0)" % (path, memory))
        plan = db.execute("EXPLAIN QUERY PLAN " + sql).fetchall()
        try:
            got = db.execute(sql).fetchall()
        except Exception as e:
            got = None if may_fail and "memory" in str(e) else repr(e)
        if got is not None:
            ok = sorted(got) == groups and how in str(plan)
            self.passed, self.failed = self.passed + ok, self.failed + (not ok)
            if not ok:
                print("FAIL: %s\n  %s\n  got %.300s\n  not %.300s" % (
                    name, plan, got, groups))
                print("  alone: %s %s %s $(mktemp -d)" % (
                    sys.executable, sys.argv[0], self.extension))
        db.close()


def ask_tight(check, folder):
    """Each row group ends with a large text.  Its page is in memory while the
    page index of the next row group is read, if both fit; so many sizes are
    tried."""
    n = 1000
    for size in range(100000, 400000, 25000):
        path = os.path.join(folder, "tight.parquet")
        texts = [b"y" * size if i % n == n - 1 else b"x" for i in range(3 * n)]
        keys = [i // 7 % 2 for i in range(3 * n)]
        parquet_file.write(path, [
            Column(["k"], "int64", keys, how={"dictionary"}),
            Column(["p"], "int64", [i % n for i in range(3 * n)],
                   how={"statistics", "index", "null_count"}),
            Column(["s"], "string", texts)], [n] * 3, 1)
        check.ask("large texts of %d bytes" % size, path,
                  "SELECT k, count(*), sum(length(s)) FROM t WHERE p >= 11 "
                  "GROUP BY k",
                  wanted((k, len(s)) for i, (k, s) in enumerate(zip(keys, texts))
                         if i % n >= 11), may_fail=True)


def ask_unnoted(check, folder):
    """The second file is larger than the first one suggests."""
    rows = []
    for i, n in enumerate((10, 1200000)):
        keys = [None if j // 100 % 5 == 4 else j // 100 % 5 for j in range(n)]
        numbers = [j % 10 for j in range(n)]
        parquet_file.write(os.path.join(folder, "part%d.parquet" % i), [
            Column(["k"], "int64", keys, how={"dictionary"}),
            Column(["n"], "int32", numbers, how={"dictionary"})],
            [n], 10000)
        rows += [(-1 if k is None else k, m) for k, m in zip(keys, numbers)]
    path = os.path.join(folder, "part*.parquet")
    sql = "SELECT ifnull(k, -1), count(*), sum(n) FROM t WHERE %s GROUP BY k"
    check.ask("more rows than notes", path, sql % "1", wanted(rows))
    check.ask("more rows than notes, and a condition", path, sql % "n < 9",
              wanted(r for r in rows if r[1] < 9))


def ask_clustered(check, folder):
    """Rows in the order of the column: each row group has a few values of its
    own, and reading all rows once per value would take all day."""
    n = 40000
    for name, starts, memory in (("one file", [0], "1MB"),
                                 ("many files", range(0, n, 1000), "1MB"),
                                 ("one file, hashed", [0], "8MB"),
                                 ("many files, hashed", range(0, n, 1000),
                                  "8MB")):
        for f in os.listdir(folder):
            os.remove(os.path.join(folder, f))
        rows, size = [], n // len(starts)
        for start in starts:
            part = [(i // 50, i % 10) for i in range(start, start + size)]
            parquet_file.write(
                os.path.join(folder, "c%05d.parquet" % start),
                [Column(["k"], "int64", [k for k, _ in part],
                        how={"dictionary"}),
                 Column(["n"], "int32", [m for _, m in part])],
                [500] * (size // 500), 500)
            rows += part
        check.ask("clustered, " + name, os.path.join(folder, "c*.parquet"),
                  "SELECT k, count(*), sum(n) FROM t GROUP BY k", wanted(rows),
                  how="", memory=memory)


def ask_uneven(check, folder):
    """The second of five row groups has 70,000 values, more than there can be
    passes."""
    n = 70000
    keys = [i if n <= i < 2 * n else i % 3 for i in range(5 * n)]
    numbers = [i % 10 for i in range(5 * n)]
    path = os.path.join(folder, "uneven.parquet")
    parquet_file.write(path, [Column(["k"], "int64", keys, how={"dictionary"}),
                              Column(["n"], "int32", numbers)], [n] * 5, n)
    check.ask("a row group of many values", path,
              "SELECT k, count(*), sum(n) FROM t GROUP BY k",
              wanted(zip(keys, numbers)), how="hashed by", memory="16MB")


def ask_hashed(check, folder):
    """Many keys in little memory: the rows that are put aside go to a file, and
    one key has more rows than memory holds."""
    n = 400000
    kinds = {"numbers": [i * 7919 % 60000 for i in range(n)],
             "one key": [5 if i % 4 else i % 90001 for i in range(n)]}
    numbers = [i % 10 for i in range(n)]
    texts = [b"%090d" % i for i in range(n)]
    for name, keys in kinds.items():
        groups = wanted(zip(keys, numbers))
        for f in os.listdir(folder):
            os.remove(os.path.join(folder, f))
        for i in range(2):
            part = slice(i * n // 2, (i + 1) * n // 2)
            parquet_file.write(
                os.path.join(folder, "h%d.parquet" % i),
                [Column(["k"], "int64", keys[part]),
                 Column(["n"], "int32", numbers[part]),
                 Column(["s"], "string", texts[part])],
                [n // 2], 10000)
        for memory in ("8MB", "32MB", "256MB"):
            for order in ("", " ORDER BY k"):
                check.ask("%s in %s%s" % (name, memory, order),
                          os.path.join(folder, "h*.parquet"),
                          "SELECT k, count(*), sum(n) + 0 * max(length(s)) "
                          "FROM t GROUP BY k" + order,
                          groups, how="" if order else "hashed by", memory=memory)


def main():
    extension, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    check = Check(extension)
    ask_tight(check, folder)
    ask_unnoted(check, folder)
    ask_clustered(check, folder)
    ask_uneven(check, folder)
    ask_hashed(check, folder)
    print("groups: %d passed, %d failed" % (check.passed, check.failed))


main()
