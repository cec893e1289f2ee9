"""A row is the same, whichever way it is reached.

Every file is read once from front to back.  Then each row, or a sample of them,
is asked for by its rowid: alone, in lists, in ranges, in any order and on kept
cursors, with few columns and with all.  What the reader skips, and where it
starts again, must not change the rows.

Usage: rowids.py EXTENSION SEED FILE...
The last line has the counts.
"""
import random
import sqlite3
import sys

from crypto_file import put_keys


def connect(extension):
    db = sqlite3.connect(":memory:")
    db.text_factory = lambda b: b.decode("utf-8", "surrogateescape")
    db.enable_load_extension(True)
    db.load_extension(extension)
    put_keys(db)
    return db


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def same(a, b):
    """Compares like IS; NaN never occurs."""
    return len(a) == len(b) and all(
        type(x) is type(y) and x == y for x, y in zip(a, b))


def some_columns(rng, names):
    keep = [n for n in names if rng.random() < 0.4]
    return keep or [rng.choice(names)]


def check(db, path, rng):
    """None, or what was wrong."""
    db.execute("DROP TABLE IF EXISTS temp.t")
    db.execute("CREATE VIRTUAL TABLE temp.t USING parquet('%s')"
               % path.replace("'", "''"))
    cursor = db.execute("SELECT rowid, * FROM t")
    names = [d[0] for d in cursor.description][1:]
    rows = {}
    for row in cursor:
        rows[row[0]] = row[1:]
    if list(rows) != sorted(rows):
        return "rowids are not ascending"
    if not names:
        return None
    at = {n: i for i, n in enumerate(names)}
    if len(at) != len(names):
        return None
    ids = list(rows)

    def want(rowid, columns):
        return tuple(rows[rowid][at[c]] for c in columns)

    for _ in range(40):
        columns = some_columns(rng, names) if rng.random() < 0.7 else names
        select = "SELECT rowid, %s FROM t WHERE " % ",".join(
            "t." + quoted(c) for c in columns)
        kind = rng.randrange(4)
        if not ids or kind == 0:
            rowid = rng.choice(ids) if ids else 0
            got = db.execute(select + "rowid = ?", (rowid,)).fetchall()
            expect = [rowid] if ids else []
        elif kind == 1:
            chosen = [rng.choice(ids) for _ in range(rng.randrange(1, 12))]
            got = db.execute(
                select + "rowid IN (%s) ORDER BY rowid" % ",".join(
                    map(str, chosen + [-5, ids[-1] + 7]))).fetchall()
            expect = sorted(set(chosen))
        elif kind == 2:
            a, b = sorted((rng.choice(ids), rng.choice(ids)))
            got = db.execute(select + "rowid BETWEEN ? AND ?", (a, b)).fetchall()
            expect = [i for i in ids if a <= i <= b]
        else:
            chosen = [rng.choice(ids) for _ in range(rng.randrange(1, 30))]
            got = db.execute(
                "WITH w(wanted_, nth_) AS (VALUES %s) SELECT t.rowid, %s FROM "
                "w CROSS JOIN t WHERE t.rowid = wanted_ ORDER BY nth_" % (
                    ",".join("(%d,%d)" % (c, n) for n, c in enumerate(chosen)),
                    ",".join("t." + quoted(c) for c in columns))).fetchall()
            expect = chosen
        if [g[0] for g in got] != expect:
            return "other rowids than asked for (%d of %d)" % (
                len(got), len(expect))
        for row in got:
            if not same(row[1:], want(row[0], columns)):
                return "row %d is %r by rowid, %r in order" % (
                    row[0], row[1:], want(row[0], columns))
    return None


def main():
    extension, seed, files = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    passed = failed = 0
    for path in files:
        db = connect(extension)
        try:
            problem = check(db, path, random.Random("%d %s" % (seed, path)))
        except sqlite3.OperationalError as error:
            # The file need not be readable, or other tests report the defect.
            # It shows nothing about rowids, so it does not count as passed.
            print("not read: %s" % error)
            continue
        if problem:
            print("FAIL %s: %s" % (path, problem))
            print("  alone: %s %s %s %d '%s'" % (
                sys.executable, sys.argv[0], extension, seed, path))
            failed += 1
        else:
            passed += 1
    print("rowids (seed %d): %d passed, %d failed, 0 skipped"
          % (seed, passed, failed))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
