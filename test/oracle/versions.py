"""A statement reads one version of each file, in all its cursors, or fails with
the error that a file was written to.

Another process replaces a file by one version after the other, or writes them
over it, while statements open it as often as statements can: for an order and
for the rows, with two cursors, in subqueries, by OR, in groups.  Every answer
must be that of one of the versions, of which some are encrypted.  The result does not depend on speed: if
the writer is slow there are only fewer errors.

Usage: versions.py EXTENSION SEED STATEMENTS FOLDER
The last line has the counts.
"""
import json
import multiprocessing
import os
import random
import sqlite3
import sys

from crypto_file import put_keys

VERSIONS = 6
ROWS = 900

# Each version is written in the next of these ways.
WAYS = [{}, {"encryption": {"footer_key": "k0"}},
        {"encryption": {"footer_key": "k1", "column_keys": {"n": "k2"},
                        "clear_columns": ["k"], "plaintext_footer": True,
                        "algorithm": "AES_GCM_CTR_V1"}}]

QUERIES = [
    "SELECT n, v, s FROM t ORDER BY n LIMIT 7",
    "SELECT n, v, s FROM t ORDER BY n DESC LIMIT 40",
    "SELECT n, v FROM t ORDER BY v, n LIMIT 20",
    "SELECT n, s FROM t WHERE n > 400 ORDER BY n LIMIT 5 OFFSET 3",
    "SELECT max(n), v FROM t",
    "SELECT max(n) FROM t",
    "SELECT count(*), sum(n), min(v), max(v) FROM t",
    "SELECT v, count(*), sum(n) FROM t GROUP BY v",
    "SELECT k, count(*), max(s) FROM t GROUP BY k ORDER BY k",
    "SELECT DISTINCT k FROM t ORDER BY k",
    "SELECT count(*), sum(a.v = b.v) FROM t a CROSS JOIN t b ON a.n = b.n",
    "SELECT (SELECT max(n) FROM t), (SELECT min(v) FROM t), "
    "(SELECT count(*) FROM t)",
    "SELECT a.n, (SELECT b.s FROM t b WHERE b.n = a.n) FROM t a "
    "WHERE a.k = 3",
    "SELECT count(*), sum(v) FROM t a WHERE EXISTS "
    "(SELECT 1 FROM t b WHERE b.n = a.n + 1 AND b.v = a.v)",
    "SELECT count(*) FROM t a CROSS JOIN t b ON b.n = a.n OR b.n = a.n + 1 "
    "WHERE a.k = 5",
    "SELECT s FROM t WHERE n IN (SELECT n FROM t ORDER BY n LIMIT 9)",
    "SELECT a.v, b.v FROM (SELECT v FROM t LIMIT 1) a, "
    "(SELECT v FROM t ORDER BY n DESC LIMIT 1) b",
]


# For a folder, whose files are replaced one by one: one version of each.
FILES = 7
FOLDER_QUERIES = [
    ("SELECT max(d) FROM (SELECT count(DISTINCT v) AS d FROM (SELECT "
     "file_index AS f, v FROM t ORDER BY n LIMIT 80) GROUP BY f)", 1),
    ("SELECT count(*) FROM t a CROSS JOIN t b ON b.n = a.n "
     "WHERE a.file_index = b.file_index AND a.v <> b.v AND a.k = 1", 0),
    ("SELECT count(*) FROM t a WHERE a.k = 3 AND a.v <> (SELECT min(b.v) FROM "
     "t b WHERE b.file_index = a.file_index AND b.n < a.n + 50)", 0),
    ("SELECT count(DISTINCT file_index || ' ' || v) FROM t", FILES),
]


def connect(extension):
    db = sqlite3.connect(":memory:")
    db.enable_load_extension(True)
    db.load_extension(extension)
    put_keys(db)
    return db


def make_versions(extension, folder, rng):
    """Files, and the answer of each query for them."""
    made = []
    for v in range(VERSIONS):
        db = connect(extension)
        db.execute("CREATE TABLE t(n INTEGER, v INTEGER, k INTEGER, s TEXT)")
        step = rng.choice([1, 2, 3])
        rows = [(i * step + v * 10, v, i % 7, "%d-%d" % (v, i))
                for i in range(ROWS + v * 40)]
        if v % 2:
            rng.shuffle(rows)
        db.executemany("INSERT INTO t VALUES(?, ?, ?, ?)", rows)
        path = os.path.join(folder, "version%d" % v)
        db.execute("SELECT parquet_copy_to('SELECT * FROM t', ?, ?)", (
            path, json.dumps(dict(WAYS[v % 3], row_group_rows=200,
                                  page_rows=50)))).fetchone()
        with open(path, "rb") as f:
            made.append((f.read(), [sorted(map(repr, db.execute(q)))
                                    for q in QUERIES]))
        db.close()
    return made


def write(paths, made, how, seed, stop):
    rng = random.Random(seed)
    while not stop.is_set():
        path, data = rng.choice(paths), rng.choice(made)
        if how == "replaced":
            with open(path + ".new", "wb") as f:
                f.write(data)
            os.replace(path + ".new", path)
        else:
            with open(path, "r+b") as f:
                f.write(data)
                f.truncate()
        stop.wait(rng.choice([0, 0, 0.0005, 0.002, 0.01]))


def create(db, table, attempts=1000):
    """If the writer comes between, that is an error, and another attempt."""
    for left in reversed(range(attempts)):
        try:
            db.execute("CREATE VIRTUAL TABLE temp.t USING parquet('%s')" % table)
            return
        except sqlite3.Error:
            if not left:
                raise


def ask(db, made, rng, n, counts):
    """made is None for a folder."""
    for _ in range(n):
        i = rng.randrange(len(QUERIES if made else FOLDER_QUERIES))
        query = QUERIES[i] if made else FOLDER_QUERIES[i][0]
        try:
            got = sorted(map(repr, db.execute(query)))
        except sqlite3.Error as e:
            known = "written to" in str(e) or "shorter" in str(e)
            counts["told" if known else "unread"] += 1
            continue
        right = any(got == wanted[i] for _, wanted in made) if made else \
            got == ["(%d,)" % FOLDER_QUERIES[i][1]]
        counts["right" if right else "failed"] += 1
        if not right and counts["failed"] < 5:
            print("WRONG %s\n  %s ..." % (query, ", ".join(got[:4])))


def beside_a_writer(extension, table, paths, made, how, seed, n, counts):
    data = [m[0] for m in made]
    for i, path in enumerate(paths):
        with open(path, "wb") as f:
            f.write(data[i % len(data)])
    stop = multiprocessing.Event()
    writer = multiprocessing.Process(target=write,
                                     args=(paths, data, how, seed, stop))
    writer.start()
    try:
        db = connect(extension)
        create(db, table)
        ask(db, made if len(paths) == 1 else None, random.Random(seed), n,
            counts)
        db.close()
    finally:
        stop.set()
        writer.join()


def main():
    extension, seed, n = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    folder = sys.argv[4]
    counts = {"right": 0, "failed": 0, "told": 0, "unread": 0}
    os.makedirs(folder)
    made = make_versions(extension, folder, random.Random(seed))
    for how in ["replaced", "written over"]:
        path = os.path.join(folder, how.replace(" ", "_"))
        beside_a_writer(extension, path + ".parquet", [path + ".parquet"], made,
                        how, seed, n * 2 // 5, counts)
        os.makedirs(path)
        beside_a_writer(extension, path, [
            os.path.join(path, "%d.parquet" % i) for i in range(FILES)], made,
            how, seed, n // 10, counts)
    print("versions (seed %d): %d passed, %d failed (%d told that a file was "
          "written to, %d found one that was being written)" % (
              seed, n - counts["failed"], counts["failed"], counts["told"],
              counts["unread"]))
    return counts["failed"] > 0 or counts["right"] == 0


if __name__ == "__main__":
    sys.exit(main())
