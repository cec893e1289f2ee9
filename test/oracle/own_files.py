"""Copies that parquet_copy_to writes of files of other writers.

A table of some file is copied with random options, and the copy must have the
same rows.  Then it is one more file for the oracle's queries: pages of few
rows, row groups of few pages, bounds, page indexes and Bloom filters as this
writer makes them.

    copies, failures = make(folder, seed, block, extension, pool)

pool is [(path, options)], and so is copies; failures are sentences.
"""
import collections
import json
import random
import re
import sqlite3

from crypto_file import KEYS, LOST_NAME, aside
from queries import quoted
from rowids import connect

COPIES = 30                          # of a block of cases
MOST_ROWS = 4000

OF_SOURCES = ("hive", "union", "footer_key", "column_keys", "aad_prefix")

# Options with which no information is lost.
LOSSLESS = ["nan=text", "decimal=text", "map=entries"]

# Errors of values that cannot be copied, and why that is right.
REFUSED = re.compile("|".join([
    "is not UTF-8",                  # a text that never was one
    "is not JSON",
    "NaN",                           # in a list: JSON has none
    "malformed JSON",
    r"does not fit DECIMAL\(",       # more digits than the file itself allows
    "no text for a folder",          # partitions by BLOBs
    "has no folder",                 # ... by texts with a zero byte
    "would have a name of",          # ... by texts longer than a folder's name
    "null, where a value is",        # NaN in a list again, in a REQUIRED field
]))
REFUSED_OF_UNIONS = re.compile("|".join([
    "does not fit TIMESTAMP",        # another file's unit reaches farther
    "has no exact REAL",             # nor can it be read
]))


def some_options(rng, columns):
    o = {
        "compatibility": rng.choice(["standard", "modern", "modern"]),
        "compression": rng.choice(["uncompressed", "snappy", "gzip", "zstd",
                                   "lz4_raw", "brotli"]),
        "page_rows": rng.choice([2, 5, 17, 64, 300, 25000]),
        "row_group_rows": rng.choice([9, 50, 200, 1000, 1048576]),
        "page_version": rng.choice([1, 1, 2]),
        "threads": rng.choice([0, 1, 2]),
    }
    if rng.random() < 0.3:
        o["page_bytes"] = rng.choice([64, 500, 4000])
    if rng.random() < 0.5:
        o["dictionary"] = rng.random() < 0.6
    if rng.random() < 0.5:
        o["bloom"] = rng.choice([True, True, False, {"fpp": 0.2}])
    if rng.random() < 0.1:
        o["statistics"] = False
    if rng.random() < 0.15:
        o["partition_by"] = [rng.choice(columns)]
    elif rng.random() < 0.15:
        o["file_rows"] = rng.choice([40, 200, 700])
    return o


def some_encryption(rng, o, columns):
    """Adds the option, or not; returns what the copy needs to be read."""
    rng = aside(rng)
    if rng.random() < .65:
        return []
    e = o["encryption"] = {"footer_key": rng.choice(list(KEYS))}
    names = [c for c in columns if re.fullmatch(r"\w+", c) and
             c not in o.get("partition_by", [])]
    own = {c: rng.choice(list(KEYS)) for c in names if rng.random() < .3}
    clear = [c for c in names if c not in own and rng.random() < .3]
    if own:
        e["column_keys"] = own
    if clear:
        e["clear_columns"] = "*" if rng.random() < .4 else clear
    if rng.random() < .5:
        e["algorithm"] = "AES_GCM_CTR_V1"
    if rng.random() < .5:
        e["plaintext_footer"] = True
    if rng.random() < .4:
        e["key_material"] = rng.choice(["internal", "external"])
        e["wrapping"] = rng.choice(["single", "double"])
    if rng.random() < .4:
        e["aad_prefix"] = "copies"
        if rng.random() < .5:
            e["store_aad_prefix"] = False
            return ["aad_prefix='copies'"]
    return []


def few_values(db, name):
    """A partition for each value: not for thousands."""
    n = db.execute("SELECT count(DISTINCT %s) FROM t" % name).fetchone()[0]
    return n < 40


def rows_of(db, sql):
    return collections.Counter(
        tuple((type(v), v) for v in row) for row in db.execute(sql))


def copy_one(rng, db, source, target):
    """The options to read the copy with, or a sentence."""
    path, needs = source
    given = [o.strip() for o in needs.split(",") if o.strip()]
    names = [o.split("=")[0] for o in given]
    options = given + [o for o in LOSSLESS if o.split("=")[0] not in names]
    declare = "CREATE VIRTUAL TABLE temp.%s USING parquet('%s', %s)"
    db.execute(declare % ("t", path.replace("'", "''"), ", ".join(options)))
    # SQLite does not tell the origin of a column without a name.
    columns = [c[1] for c in db.execute("PRAGMA table_xinfo(t)")
               if c[6] == 0 and "VARIANT" not in c[2] and
               c[1] and "\x00" not in c[1] and c[1] != LOST_NAME]
    if not columns:
        return None
    columns = rng.sample(columns, rng.randrange(1, len(columns) + 1))[:40]
    o = some_options(rng, columns)
    if "partition_by" in o and (len(columns) < 2 or
                                not few_values(db, quoted(o["partition_by"][0]))):
        del o["partition_by"]
    keys = some_encryption(rng, o, columns)
    query = "SELECT %s FROM t" % ", ".join(map(quoted, columns))
    if rng.random() < 0.4:
        query += " ORDER BY %d" % rng.randrange(1, len(columns) + 1)
    query += " LIMIT %d" % MOST_ROWS
    folder = "partition_by" in o or "file_rows" in o
    target = target if folder else target + ".parquet"
    what = "copy of %s: %s with %s" % (path, query, json.dumps(o))
    try:
        db.execute("SELECT parquet_copy_to(?, ?, ?)",
                   (query, target, json.dumps(o))).fetchall()
    except sqlite3.OperationalError as error:
        db.execute(query).fetchall()     # is it the source?  make() goes on
        right = REFUSED.search(str(error)) or \
            ("union" in needs and REFUSED_OF_UNIONS.search(str(error)))
        return None if right else "%s\n  %s" % (what, error)
    if db.execute("SELECT count(*) FROM t").fetchone()[0] == 0 and folder:
        return None                  # a folder without files
    found = db.execute("SELECT count(*), max(message) FROM parquet_verify(?, ?)",
                       (target + "/**" if folder else target,
                        ", ".join(keys) or None)).fetchone()
    if found[0]:
        return "%s\n  parquet_verify finds %r" % (what, found)
    if "partition_by" not in o:      # those come back as texts of folders
        db.execute(declare % ("own", target, ", ".join(keys + [
            o for o in options if not o.startswith(OF_SOURCES)])))
        names = ", ".join("own." + quoted(c) for c in columns)
        if "ORDER BY" not in query and \
                rows_of(db, query) != rows_of(db, "SELECT %s FROM own" % names):
            return what + "\n  holds other rows"
    return target, ", ".join((["hive"] if "partition_by" in o else []) + keys)


def make(folder, seed, block, extension, pool):
    copies, failures = [], []
    for i in range(COPIES):
        rng = random.Random("own %d %d %d" % (seed, block, i))
        db = connect(extension)
        try:
            done = copy_one(rng, db, rng.choice(pool),
                            "%s/own_%d_%d" % (folder, block, i))
        except sqlite3.OperationalError:
            continue                 # the source cannot be read
        if isinstance(done, str):
            failures.append(done)
        elif done:
            copies.append(done)
    return copies, failures
