"""Subqueries that run once per row, and statements that are begun, left and run
again while the file is replaced.

A correlated subquery or a branch of an OR runs for every row of the statement
around it, with new cursors or with a kept one (ext/cursor/cursor_kept.c).  A
kept cursor must not change the rows: not in the next run, not in the next
execution with other parameters, not in another statement that runs at the same
time, and not when the file is replaced by its next version in between, of the same
size, with other columns, cut off or deleted; nor when the statement is
interrupted, its transaction rolled back, or another table dropped.

A statement sees one version of its file, or fails with an error that says why.

Usage: statements.py EXTENSION SEED CASES FOLDER FILE...
The last line has the counts.
"""
import collections
import os
import random
import sqlite3
import sys

from joins import connect, copy, declared, exact, make_keys, quoted

MOST_ROWS = 1200


def a_condition(rng, c, o, depth=0):
    """A condition on a row x, and on k of the statement around it."""
    key, other = "k." + rng.choice("bitnrc"), "k." + rng.choice("bitno")
    some = [
        "x.%s = %s" % (c, key), "x.%s = %s" % (c, key),
        "x.%s = %s AND x.rowid %% 2 = 0" % (c, key),
        "x.%s = %s AND x.%s IS NOT NULL" % (c, key, o),
        "x.%s = %s OR x.%s = %s" % (c, key, o, other),
        "x.%s = %s OR x.%s = %s" % (c, key, c, other),
        "x.%s = %s OR x.rowid = k.rowid OR x.%s = %s" % (c, key, o, other),
        "(x.%s = %s OR x.%s IS NULL) AND x.rowid > k.rowid" % (c, key, o),
        "x.%s IN (%s, %s)" % (c, key, other),
        "x.%s > %s AND x.rowid < 40" % (c, key),
        "x.rowid = k.rowid * 3",
        "x.%s = %s AND x.rowid > ?3" % (c, key),
    ]
    if depth == 0:
        inner = a_condition(rng, o, c, 1).replace("k.", "j.").replace(
            "x.", "y.")
        some.append("x.%s = %s AND %sEXISTS (SELECT 1 FROM @t y JOIN keys j ON "
                    "j.rowid = k.rowid WHERE %s)" % (
                        c, key, rng.choice(["", "NOT "]), inner))
    return rng.choice(some)


def a_subquery(rng, columns):
    c, o = (quoted(rng.choice(columns)[0]) for _ in range(2))
    values = {"c": c, "o": o, "w": a_condition(rng, c, o)}
    return rng.choice([
        "EXISTS (SELECT 1 FROM @t x WHERE %(w)s)",
        "NOT EXISTS (SELECT x.%(o)s FROM @t x WHERE %(w)s)",
        "(SELECT count(*) FROM @t x WHERE %(w)s)",
        "(SELECT sum(x.rowid) FROM @t x WHERE %(w)s)",
        "(SELECT max(+x.%(o)s) FROM @t x WHERE %(w)s)",
        "(SELECT count(x.%(o)s) FROM @t x WHERE %(w)s)",
        "k.b IN (SELECT x.%(o)s FROM @t x WHERE %(w)s)",
        "k.t NOT IN (SELECT x.%(c)s FROM @t x WHERE %(w)s)",
        "(SELECT group_concat(r) FROM (SELECT x.rowid AS r FROM @t x "
        "WHERE %(w)s ORDER BY x.rowid LIMIT 5))",
        "(SELECT group_concat(r) FROM (SELECT x.rowid AS r FROM @t x "
        "WHERE %(w)s ORDER BY x.rowid DESC LIMIT 3))",
        "(SELECT count(*) FROM (SELECT DISTINCT x.%(o)s FROM @t x "
        "WHERE %(w)s))",
        "(SELECT count(*) FROM (SELECT x.%(o)s FROM @t x WHERE %(w)s "
        "GROUP BY x.%(o)s))",
        "(SELECT count(*) FROM @t x LEFT JOIN @t z ON z.rowid = x.rowid + 1 "
        "WHERE %(w)s)",
    ]) % values


def a_statement(rng, columns):
    if rng.random() < 0.2:
        c, o = (quoted(rng.choice(columns)[0]) for _ in range(2))
        return ("SELECT k.rowid, x.rowid FROM keys k CROSS JOIN @t x ON (%s) "
                "WHERE k.rowid %% ?1 >= ?2 AND ?3 < 9" % a_condition(rng, c, o))
    some = [a_subquery(rng, columns) for _ in range(rng.choice([1, 1, 1, 2]))]
    where = "" if rng.random() < 0.7 else " AND " + a_subquery(rng, columns)
    return ("SELECT k.rowid, %s FROM keys k WHERE k.rowid %% ?1 >= ?2 "
            "AND ?3 < 9%s" % (", ".join(some), where))


def parameters(rng):
    return [rng.choice([1, 2, 3, 1000]), rng.choice([0, 0, 1]),
            rng.choice([0, 1, 5, -3])]


class Both:
    """A table whose file has one of two versions, and a copy of each."""

    def __init__(self, extension, path, folder, rng, options):
        # A connection with keys of files keeps no indexes for later statements.
        self.db = connect(extension, rng.random() < 0.2)
        self.db.isolation_level = None
        self.path = os.path.join(folder, "at.parquet")
        self.versions, self.now = [], None
        name = path.replace("'", "''")
        self.db.execute("CREATE VIRTUAL TABLE temp.source USING parquet('%s')"
                        % name)
        n = self.db.execute("SELECT count(*) FROM source").fetchone()[0]
        for v, sql in enumerate(["SELECT * FROM source LIMIT %d" % MOST_ROWS,
                                 "SELECT * FROM source WHERE rowid %% 3 <> 1 "
                                 "ORDER BY rowid %% %d LIMIT %d" % (
                                     rng.choice([2, 5, 1 << 40]), MOST_ROWS)]):
            made = os.path.join(folder, "version%d" % v)
            self.db.execute("SELECT parquet_copy_to(?, ?, ?)", (
                sql, made, '{"row_group_rows": %d, "overwrite": "replace"}' %
                rng.choice([50, 300, n + 1]))).fetchone()
            with open(made, "rb") as f:
                self.versions.append(f.read())
        self.same_size(made)
        self.put(0)
        self.db.execute("CREATE VIRTUAL TABLE temp.t USING parquet('%s'%s)" % (
            self.path, options))
        self.columns = declared(self.db)
        for v in (1, 0):
            self.put(v)
            copy(self.db, self.columns, MOST_ROWS)
            self.db.execute("DROP TABLE IF EXISTS copy%d" % v)
            self.db.execute("ALTER TABLE copy RENAME TO copy%d" % v)
        copy(self.db, self.columns, MOST_ROWS)       # that keys come from

    def same_size(self, made):
        """Adds bytes that nothing refers to, until both are as large."""
        most = max(map(len, self.versions))
        for i, v in enumerate(self.versions):
            n = int.from_bytes(v[-8:-4], "little")     # the footer
            self.versions[i] = v[:-8 - n] + bytes(most - len(v)) + v[-8 - n:]

    def damage(self, rng):
        """The file is cut off, deleted, or has other columns."""
        how = rng.choice(["cut", "deleted", "empty", "other"])
        os.remove(self.path)
        if how == "deleted":
            return
        data = self.versions[1 - self.now]
        if how == "other":
            other = self.path + ".other"
            self.db.execute("SELECT parquet_copy_to('SELECT 1 AS \"no column "
                            "of it\"', ?, '{\"overwrite\": \"replace\"}')",
                            (other,)).fetchone()
            os.replace(other, self.path)
            return
        with open(self.path, "wb") as f:
            f.write(b"" if how == "empty" else
                    data[:rng.randrange(1, len(data))])

    def put(self, v):
        with open(self.path + ".new", "wb") as f:
            f.write(self.versions[v])
        os.replace(self.path + ".new", self.path)
        self.now = v

    def wanted(self, sql, arguments, v=None):
        return exact(self.db.execute(sql.replace("@t", "copy%d" % (
            self.now if v is None else v)), arguments))


def again(b, rng, sql):
    """A statement is begun, left in the middle, and run again."""
    cursor = b.db.cursor()
    text = sql.replace("@t", "t")
    cursor.execute(text, parameters(rng))
    cursor.fetchmany(rng.choice([0, 1, 2, 9]))
    if rng.random() < 0.5:
        b.put(1 - b.now)
    arguments = parameters(rng)
    cursor.execute(text, arguments)
    return exact(cursor.fetchall()) == b.wanted(sql, arguments)


def in_turns(b, rng, sql, other):
    """Another statement runs in the middle, over the next version."""
    first, second = parameters(rng), parameters(rng)
    before, cursor = b.now, b.db.cursor()
    cursor.execute(sql.replace("@t", "t"), first)
    rows = cursor.fetchmany(rng.choice([1, 2, 5]))
    if rng.random() < 0.7:
        b.put(1 - b.now)
    got = exact(b.db.cursor().execute(other.replace("@t", "t"), second))
    if got != b.wanted(other, second):
        return False
    rows = exact(rows + cursor.fetchall())
    return rows in [b.wanted(sql, first, v) for v in (before, b.now)]


def damaged(b, rng, sql, other):
    """The file is gone in the middle: the rows of before, or an error.  What
    another statement finds may be anything.  Then the file is there again."""
    arguments = parameters(rng)
    wanted, right = b.wanted(sql, arguments), True
    cursor, text = b.db.cursor(), sql.replace("@t", "t")
    cursor.execute(text, arguments)
    rows = cursor.fetchmany(rng.choice([1, 2, 5]))
    b.damage(rng)
    try:
        if rng.random() < 0.5:
            b.db.cursor().execute(other.replace("@t", "t"),
                                  arguments).fetchall()
    except sqlite3.Error:
        pass
    try:
        rows = exact(rows + cursor.fetchall())
        right = rows == wanted
    except sqlite3.Error:
        pass
    del cursor
    b.put(rng.choice([0, 1]))
    got = exact(b.db.cursor().execute(text, arguments))
    return right and got == b.wanted(sql, arguments)


def stopped(b, rng, sql, other):
    """Interrupted after some steps, perhaps in a transaction that is rolled
    back, while another table comes and goes; then run again."""
    db, text = b.db, sql.replace("@t", "t")
    arguments, left = parameters(rng), [rng.choice([1, 3, 10, 40])]

    def patience():
        left[0] -= 1
        return left[0] < 0
    kind = rng.randrange(4)
    if kind == 0:
        db.execute("BEGIN")
    cursor = db.cursor()
    db.set_progress_handler(patience, rng.choice([10, 100, 1000]))
    try:
        cursor.execute(text, arguments)
        cursor.fetchmany(rng.choice([1, 3]))
        if kind == 1:
            cursor.fetchall()
    except sqlite3.OperationalError as e:
        if "interrupt" not in str(e):
            raise
    finally:
        db.set_progress_handler(None, 0)
    name = "temp.gone%d" % rng.randrange(1 << 30)
    db.execute("CREATE VIRTUAL TABLE %s USING parquet('%s')" % (name, b.path))
    some = db.execute("SELECT rowid FROM %s LIMIT 3" % name).fetchall()
    if kind == 0:
        if rng.random() < 0.5:
            b.put(1 - b.now)
        db.execute("ROLLBACK")
    else:
        b.put(rng.choice([b.now, 1 - b.now]))
        db.execute("DROP TABLE " + name)
    arguments = parameters(rng)
    got = exact(cursor.execute(text, arguments))
    return got == b.wanted(sql, arguments)


def together(b, rng, sql, other):
    """Three statements, row by row, while the file becomes another."""
    texts = [sql, other, sql]
    some = [parameters(rng) for _ in texts]
    cursors = [b.db.cursor().execute(t.replace("@t", "t"), p)
               for t, p in zip(texts, some)]
    rows, going = [[], [], []], {0, 1, 2}
    while going:
        i = rng.choice(sorted(going))
        got = cursors[i].fetchmany(rng.choice([1, 1, 4]))
        rows[i] += got
        going -= set() if got else {i}
        if rng.random() < 0.05:
            b.put(1 - b.now)
    return all(exact(r) in [b.wanted(t, p, v) for v in (0, 1)]
               for r, t, p in zip(rows, texts, some))


WAYS = [(again, 1), (again, 1), (in_turns, 2), (in_turns, 2), (damaged, 2),
        (stopped, 2), (together, 2)]


def check(b, rng, cases, counts):
    for _ in range(cases):
        make_keys(b.db, rng, rng.choice(b.columns)[0])
        sql, other = (a_statement(rng, b.columns) for _ in range(2))
        try:
            way, n = rng.choice(WAYS)
            right = way(b, rng, *(sql, other)[:n])
        except sqlite3.Error as e:
            if "memory" not in str(e):
                print("FAILED %s %s: %s" % (way.__name__, sql, e))
                raise
            b.put(b.now)             # it may be gone
            counts["too large"] += 1
            continue
        counts["passed" if right else "failed"] += 1
        counts[way.__name__] += 1
        if not right:
            print("WRONG %s %s\n  with %s" % (way.__name__, sql, other))


def main():
    extension, seed, cases = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    counts = collections.Counter()
    os.makedirs(sys.argv[4])
    for path in sys.argv[5:]:
        rng = random.Random("%d %s" % (seed, path))
        try:
            b = Both(extension, path, sys.argv[4], rng, rng.choice(
                ["", "", ", threads=0", ", memory='1MB'", ", trust_stats=off"]))
        except sqlite3.Error:
            counts["unread"] += 1    # other suites test what can be read
            continue
        try:
            check(b, rng, cases, counts)
        except sqlite3.Error as e:
            counts["failed"] += 1
            print("FAILED %s: %s" % (path, e))
        b.db.close()
    print("  of these: %s" % ", ".join("%d %s" % (counts[w.__name__], w.__name__)
                                       for w, _ in dict.fromkeys(WAYS)))
    print("statements (seed %d): %d passed, %d failed, %d unread, %d too large"
          % (seed, counts["passed"], counts["failed"], counts["unread"],
             counts["too large"]))
    return counts["failed"] > 0 or counts["passed"] == 0


if __name__ == "__main__":
    sys.exit(main())
