"""Statements that are stopped while SQLite connects their tables again.

Another program changes the schema of a stored database, so SQLite reads it anew in
the middle of the next statement, and connects every table that the statement names.
A rollup asks SQLite questions then.  The statement is stopped at a random moment:
by a progress handler, by an authorizer that denies once, or by an interrupt.  That
ends this statement at most: the same one gives the same rows afterwards.

Usage: reconnects.py EXTENSION SEED CASES FOLDER
The last line has the counts.
"""
import collections
import os
import random
import sqlite3
import sys

from crypto_file import put_keys

ROWS = 300
SOURCE = ("WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE "
          "n < %d) SELECT n, n %% 7 AS g, CASE WHEN n %% 11 THEN 'k' || n %% 13 "
          "END AS k, date('2024-01-01', n || ' days') AS day, "
          "json_array(n, n %% 3, NULL) AS list FROM i" % (ROWS - 1))

# A table's options, and statements about @t.
TABLES = [
    ("", ["SELECT count(*), sum(n), min(day) FROM @t WHERE g < 5",
          "SELECT k, count(*) FROM @t GROUP BY k",
          "SELECT a.n FROM @t a JOIN @t b ON a.k IS b.k AND b.n = 5"]),
    (", exclude='list'", ["SELECT * FROM @t WHERE day > '2024-05-01'"]),
    (", rollup='g, count(*) AS c, sum(n) AS s'",
     ["SELECT g, c, s FROM @t", "SELECT sum(c) FROM @t WHERE g IN (1, 2)"]),
    (", rollup='upper(k) AS u, k LIKE ''k1%'' AS l, count(*) AS c'",
     ["SELECT u, sum(c) FROM @t GROUP BY u", "SELECT l, sum(c) FROM @t GROUP BY l",
      "SELECT c FROM @t WHERE u = 'K1'"]),
    (", rollup='strftime(''%Y-%m'', day) AS m, min(n) AS a, max(n) AS z'",
     ["SELECT * FROM @t ORDER BY m"]),
    (", rollup='own(g) AS o, substr(k, 1, 2) AS p, count(*) AS c'",
     ["SELECT o, p, c FROM @t", "SELECT o, sum(c) FROM @t GROUP BY o"]),
    (", unnest='list'", ["SELECT n, list FROM @t WHERE list = 2",
                         "SELECT count(*), sum(list) FROM @t"]),
    (", unnest='list', rollup='abs(list - 2) AS a, lower(k) AS w, count(*) AS c'",
     ["SELECT a, w, c FROM @t", "SELECT sum(c) FROM @t WHERE a > 3"]),
]

ANY = ["SELECT * FROM @t", "PRAGMA table_info(@t)", "PRAGMA table_info(@t)"]


def connect(extension, path):
    db = sqlite3.connect(path, isolation_level=None)
    db.enable_load_extension(True)
    db.load_extension(extension)
    put_keys(db)
    db.execute("PRAGMA synchronous = off")
    db.create_function("own", 1, repr, deterministic=True)
    return db


def make(extension, folder):
    db = connect(extension, os.path.join(folder, "stored.db"))
    path = os.path.join(folder, "at.parquet")
    db.execute("SELECT parquet_copy_to(?, ?, '{\"types\": {\"day\": \"DATE\", "
               "\"list\": \"LIST<INT64>\"}, \"row_group_rows\": 100}')",
               (SOURCE, path))
    for i, (options, _) in enumerate(TABLES):
        db.execute("CREATE VIRTUAL TABLE t%d USING parquet('%s'%s)" % (
            i, path, options))
    return db


def change(db):
    """So that every other connection reads the schema again."""
    db.execute("CREATE TABLE x(a)")
    db.execute("DROP TABLE x")


class Countdown:
    """What is asked at each moment, and says no at one of them."""

    def __init__(self, moment):
        self.left = moment

    def is_over(self, *_):
        self.left -= 1
        return self.left == 0


def by_progress(db, count):
    db.set_progress_handler(count.is_over, 1)


def by_denial(db, count):
    db.set_authorizer(lambda *_: sqlite3.SQLITE_DENY if count.is_over()
                      else sqlite3.SQLITE_OK)


def by_interrupt(db, count):
    def ask(*_):
        if count.is_over():
            db.interrupt()
        return sqlite3.SQLITE_OK
    db.set_authorizer(ask)


WAYS = [by_progress, by_denial, by_interrupt]


def run(db, way, sql, moment):
    """Its error, if it is stopped, and the number of moments that were left."""
    count = Countdown(moment)
    # This Python's set_authorizer(None) denies everything: see bpo-44491.
    try:
        way(db, count)
        db.execute(sql).fetchall()
        return None, count.left
    except sqlite3.Error as e:
        return e, count.left
    finally:
        db.set_progress_handler(None, 0)
        db.set_authorizer(lambda *_: sqlite3.SQLITE_OK)


def check(maker, db, rng, cases, counts):
    # How many moments each statement has when nobody stops it.
    moments = {}
    for _ in range(cases):
        i = rng.randrange(len(TABLES))
        asked, sql = (rng.choice(TABLES[i][1] + ANY).replace("@t", "t%d" % i)
                      for _ in range(2))
        way = rng.choice(WAYS)
        wanted = db.execute(sql).fetchall()
        if (way, asked) not in moments:
            change(maker)
            moments[way, asked] = -run(db, way, asked, 0)[1]
        change(maker)
        # Most moments are in the rows, and the others are what this is about.
        most = min(moments[way, asked], rng.choice([100, 1000, 1 << 30]))
        stopped, _ = run(db, way, asked, rng.randint(1, most))
        if way is by_denial:         # the next SELECT finds the columns again
            db.execute("SELECT * FROM t%d LIMIT 1" % i).fetchall()
        counts["stopped"] += stopped is not None
        try:
            got = db.execute(sql).fetchall()
        except sqlite3.Error as e:
            got = e
        right = got == wanted
        counts["passed" if right else "failed"] += 1
        if not right:
            print("WRONG %s after %s, %s: %s\n  %s" % (
                sql, asked, way.__name__, stopped,
                got if isinstance(got, sqlite3.Error) else "other rows"))


def main():
    extension, seed, cases = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    folder, rng = sys.argv[4], random.Random(seed)
    counts = collections.Counter()
    os.makedirs(folder)
    maker = make(extension, folder)
    db = connect(extension, os.path.join(folder, "stored.db"))
    check(maker, db, rng, cases, counts)
    print("  of these: %d were stopped" % counts["stopped"])
    print("reconnects (seed %d): %d passed, %d failed" % (
        seed, counts["passed"], counts["failed"]))
    return counts["failed"] > 0 or counts["stopped"] == 0


if __name__ == "__main__":
    sys.exit(main())
