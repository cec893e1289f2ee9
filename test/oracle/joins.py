"""A join gives the same rows as over native copies.

Every file is joined with tables of keys: its own values, neighbours of them and
others, in columns of every affinity, in any order, once or often, with or
without a second condition.  It is joined with itself, and by outer joins, also
of a view.  From the third key on an index answers (ext/cursor/cursor_join.h), which
must not change the rows, and neither must too little memory for it.  More files
and folders are made (made_files.py), with keys in order or nearly so.

Usage: joins.py EXTENSION SEED CASES FOLDER FILE...
The last line has the counts.
"""
import os
import random
import sqlite3
import sys

import made_files
from crypto_file import put_keys

ODD = [None, 0, 1, -1, 5, 2.5, -0.0, 1e300, 2 ** 53 + 1, 2 ** 63 - 1,
       -2 ** 63, "", "5", " 5", "05", "5.0", "0.5e1", "abc", "2024-01-01",
       b"", b"5", b"\xff"]
MOST_ROWS = 5000
MADE = 6                                # files, for each case of one


def connect(extension, keys=True):
    db = sqlite3.connect(":memory:")
    db.text_factory = bytes
    db.enable_load_extension(True)
    db.load_extension(extension)
    if keys:
        put_keys(db)
    return db


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def declared(db):
    """Names and types of the visible columns."""
    return [(r[1].decode("utf-8", "replace"), r[2].decode("utf-8", "replace"))
            for r in db.execute("PRAGMA table_xinfo(t)") if r[6] == 0]


def copy(db, columns, rows):
    db.execute("DROP TABLE IF EXISTS copy")
    db.execute("CREATE TABLE copy(%s)" % ", ".join(
        "%s %s" % (quoted(n), quoted(k) if k else "") for n, k in columns))
    names = ", ".join(quoted(n) for n, _ in columns)
    db.execute("INSERT INTO copy(rowid, %s) SELECT rowid, %s FROM t LIMIT %d"
               % (names, names, rows))


def make_keys(db, rng, column):
    """Random keys: mostly values of the column, and others."""
    c = quoted(column)
    n = rng.choice([3, 5, 20, 60])
    db.execute("DROP TABLE IF EXISTS keys")
    db.execute("CREATE TABLE keys(b, i INTEGER, t TEXT, n NUMERIC, r REAL, "
               "c TEXT COLLATE NOCASE, o)")
    db.execute("INSERT INTO keys SELECT k, k, k, k, k, k, k FROM (SELECT %s AS k "
               "FROM copy ORDER BY abs(rowid * %d %% 1009) LIMIT %d)"
               % (c, rng.randrange(1, 1000), n))
    for v in rng.sample(ODD, rng.randrange(0, 8)):
        db.execute("INSERT INTO keys VALUES(?1, ?1, ?1, ?1, ?1, ?1, ?1)",
                   (v,))
    if rng.random() < 0.3:
        db.execute("INSERT INTO keys SELECT * FROM keys")
    db.execute("UPDATE keys SET o = (SELECT n.b FROM keys n "
               "WHERE n.rowid = keys.rowid % 7 + 1)")


def a_join(rng, columns):
    """SQL with @t for the table, and the column it joins by.

    SQLite takes a column that equals something as a constant, so that any row
    has its max(); but 1 equals the texts "1" and "+1".  A plus prevents that.
    """
    name = rng.choice(columns)[0]
    other = quoted(rng.choice(columns)[0])
    c, key = quoted(name), rng.choice("bitnrc")
    value = "(SELECT %s FROM copy WHERE %s IS NOT NULL LIMIT 1)" % (other, other)
    # A condition on the left table in ON rules out none of its rows.
    left = rng.choice([
        "", " AND x.%s <> 5" % other, " AND x.%s <> %s" % (other, value),
        " AND x.%s IS NOT %s" % (other, value),
        " AND x.%s IS NOT NULL" % other, " AND x.%s LIKE '%%a%%'" % other,
        " AND x.%s LIKE '_%%'" % other, " AND x.%s GLOB '[0-9]*'" % other,
        " AND x.%s = %s" % (other, value), " AND x.%s >= %s" % (other, value),
        " AND (x.%s <> %s OR x.rowid %% 2)" % (other, value),
        " AND x.%s IN (SELECT %s FROM copy WHERE rowid < 50)" % (other, other)])
    more = rng.choice([
        "", "", "", " AND x.%s IS NOT NULL" % other,
        " AND x.%s IN (SELECT %s FROM copy WHERE rowid %% 3 = 1)" % (
            other, other),
        " AND x.%s > (SELECT min(%s) FROM copy)" % (other, other),
        " AND x.%s = k.b" % other, " AND x.rowid % 2 = 0",
        " AND x.rowid > 3"])
    select = rng.choice(["count(*), sum(x.rowid)", "k.rowid, x.rowid",
                         "k.rowid, x.%s" % other, "k.rowid, x.*"])
    form = rng.choice([
        "SELECT %(s)s FROM keys k CROSS JOIN @t x ON x.%(c)s %(e)s k.%(k)s%(m)s",
        "SELECT %(s)s FROM keys k LEFT JOIN @t x ON x.%(c)s %(e)s k.%(k)s%(m)s",
        "SELECT %(s)s FROM keys k JOIN @t x ON x.%(c)s %(e)s k.%(k)s%(m)s",
        "SELECT %(s)s FROM @t x LEFT JOIN keys k ON x.%(c)s %(e)s k.%(k)s%(l)s",
        "SELECT %(s)s FROM @t x LEFT JOIN keys k ON k.rowid = 3%(l)s",
        "SELECT %(s)s FROM keys k RIGHT JOIN @t x ON x.%(c)s %(e)s k.%(k)s%(l)s",
        "SELECT %(s)s FROM @t x FULL JOIN keys k ON x.%(c)s %(e)s k.%(k)s%(l)s",
        "SELECT %(s)s FROM keys q CROSS JOIN @t x ON x.%(c)s %(e)s q.%(k)s "
        "LEFT JOIN keys k ON k.rowid = q.rowid%(l)s",
        "SELECT %(s)s FROM keys k CROSS JOIN @t x "
        "ON x.%(c)s IN (k.%(k)s, k.o)%(m)s",
        "SELECT %(s)s FROM keys k CROSS JOIN @t x ON x.rowid %(e)s k.%(k)s%(m)s",
        "SELECT k.rowid FROM keys k WHERE EXISTS "
        "(SELECT 1 FROM @t x WHERE x.%(c)s %(e)s k.%(k)s%(m)s)",
        "SELECT k.rowid, (SELECT max(%(p)sx.%(o)s) FROM @t x "
        "WHERE x.%(c)s %(e)s k.%(k)s%(m)s) FROM keys k",
        "SELECT k.rowid, x.rowid FROM @t k CROSS JOIN @t x "
        "ON x.%(c)s %(e)s k.%(c)s%(n)s WHERE k.rowid < 50",
    ])
    return name, form % {"s": select, "c": c, "k": key, "m": more, "o": other,
                         "e": rng.choice(["=", "=", "IS"]),
                         "l": left,
                         "n": "" if " k." in more else more,
                         "p": "+" if c == other else ""}


def exact(rows):
    """The rows in an order that does not depend on the plan; NaN never
    occurs."""
    return sorted(repr(r).replace("-0.0", "0.0") for r in rows)


def ask(db, sql, through_view):
    """The rows of a statement; a view's text does not show its joins."""
    if not through_view:
        return db.execute(sql).fetchall()
    db.execute("DROP VIEW IF EXISTS hides")
    db.execute("CREATE TEMP VIEW hides AS " + sql)
    rows = db.execute(through_view).fetchall()
    db.execute("DROP VIEW hides")
    return rows


def check(db, path, rng, cases, counts):
    options = rng.choice(["", "", ", threads=0", ", trust_stats=off", ", distrust=statistics",
                          ", distrust='pages,dictionary'",
                          ", memory='24MB'", ", memory='1MB'",
                          ", memory='1MB', threads=0"])
    db.execute("DROP TABLE IF EXISTS temp.t")
    db.execute("CREATE VIRTUAL TABLE temp.t USING parquet('%s'%s)"
               % (path.replace("'", "''"), options))
    columns = declared(db)
    if not columns or db.execute("SELECT count(*) FROM t").fetchone()[0] > MOST_ROWS:
        return
    copy(db, columns, MOST_ROWS)
    for _ in range(cases):
        column, sql = a_join(rng, columns)
        make_keys(db, rng, column)
        asked = "SELECT * FROM hides" if rng.random() < 0.2 else ""
        try:
            got = exact(ask(db, sql.replace("@t", "t"), asked))
        except sqlite3.Error as e:
            if "memory" not in str(e):
                raise
            counts["too large"] += 1
            continue
        want = exact(ask(db, sql.replace("@t", "copy"), asked))
        counts["passed" if got == want else "failed"] += 1
        if got != want:
            print("WRONG %s%s: %s\n  %d rows, not %d" % (
                path, options, sql.replace("@t", "t"), len(got), len(want)))


def main():
    extension, seed, cases = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    counts = {"passed": 0, "failed": 0, "unread": 0, "too large": 0}
    os.makedirs(sys.argv[4])
    made = made_files.make_keys(sys.argv[4], seed, MADE * cases)
    for path in made + sys.argv[5:]:
        db = connect(extension)
        before = counts["failed"]
        try:
            check(db, path, random.Random("%d %s" % (seed, path)), cases,
                  counts)
        except sqlite3.Error as e:
            why = "too large" if "memory" in str(e) else \
                "failed" if path in made else "unread"
            if why == "failed":
                print("FAILED %s: %s" % (path, e))
            counts[why] += 1         # other suites test what can be read
        if counts["failed"] > before:
            print("  alone: %s %s %s %d %d $(mktemp -d)/joins '%s'" % (
                sys.executable, sys.argv[0], extension, seed, cases, path))
        db.close()
    print("joins (seed %d): %d passed, %d failed, %d unread, %d too large"
          % (seed, counts["passed"], counts["failed"], counts["unread"],
             counts["too large"]))
    return counts["failed"] > 0


if __name__ == "__main__":
    sys.exit(main())
