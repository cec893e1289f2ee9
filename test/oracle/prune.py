"""Proofs skip only rows that SQLite would have rejected.

Each file becomes two tables: one that skips row groups and pages by their
bounds, Bloom filters and dictionaries, and one that does not (trust_stats=off).
Random conditions must choose the same rows in both.  They are made of values
that occur, of their neighbours, and of values of other classes.

Usage: prune.py EXTENSION SEED CASES FILE...
Prints how much each proof skipped, and fails if one never skipped anything: an
oracle that never prunes proves nothing.  The last line has the counts.
"""
import collections
import random
import sqlite3
import sys

from rowids import connect, quoted


# The columns of parquet_scan_stats() that count what each proof skipped.  Pages
# rarely add up to a whole row group.
PROOFS = {
    "skipped_by_statistics": "row groups by statistics",
    "skipped_by_boxes": "row groups by boxes",
    "skipped_by_bloom_filter": "row groups by Bloom filter",
    "skipped_by_page_index": "row groups by page index",
    "skipped_by_page_headers": "row groups by page headers",
    "skipped_by_dictionary": "row groups by dictionary",
    "pages_skipped_by_index": "pages by page index",
    "pages_skipped_by_header": "pages by page headers",
}
# No sample has statistics in its headers and no index; where.py makes such
# files.
MAY_BE_NONE = ["row groups by boxes", "row groups by page index",
               "row groups by page headers",
               "pages by page headers"]


def neighbours(rng, v):
    """v, or something near it, or something of another class."""
    kind = rng.randrange(14)
    if kind == 0:
        return None
    if kind == 1:
        return rng.choice([0, 1, -1, 2**53, 2**53 + 1, -2**63, 2**63 - 1])
    if kind == 2:
        return rng.choice([0.0, -0.0, 0.5, 1e300, -1e300, 9007199254740993.0,
                           float("inf"), float("-inf")])
    if kind == 3:
        return rng.choice(["", "0", "1", "a", "zzz", "2024", "2024-03", "-1",
                           " 1", "1e1", "9007199254740993", "\uffff"])
    if kind == 4:
        return rng.choice([b"", b"\x00", b"a", b"\xff\xff"])
    if isinstance(v, bool) or v is None:
        return v
    if isinstance(v, int):
        return rng.choice([v, v, v - 1, v + 1, float(v), str(v), v + 0.5]
                          if abs(v) < 2**62 else [v, float(v), str(v)])
    if isinstance(v, float):
        if v != v or abs(v) > 1e18:
            return v
        return rng.choice([v, v, -v, v + 0.5, int(v), repr(v), v * 1.0000001])
    if isinstance(v, str):
        if any("\ud800" <= c <= "\udfff" for c in v):
            return v.encode("utf-8", "surrogateescape")      # not a text
        return rng.choice([v, v, v[:-1], v + "a", v[:4], v[:7], v.lower(),
                           v.encode("utf-8", "surrogateescape")])
    return rng.choice([v, v, v[:-1], v + b"\x00"])


def condition(rng, columns, samples, arguments, depth=0):
    if depth < 2 and rng.random() < 0.35:
        parts = [condition(rng, columns, samples, arguments, depth + 1)
                 for _ in range(rng.randrange(2, 4))]
        return "(" + rng.choice([" AND ", " AND ", " OR "]).join(parts) + ")"
    column = rng.choice(columns)
    name = "t." + quoted(column)

    def operand():
        arguments.append(neighbours(rng, rng.choice(samples[column])))
        return "?"

    kind = rng.randrange(14)
    if kind > 9:                     # a value that is absent, most likely
        v = rng.choice(samples[column])
        if isinstance(v, str) and any("\ud800" <= c <= "\udfff" for c in v):
            v = v.encode("utf-8", "surrogateescape")         # not a text
        arguments.append(v + "!" if isinstance(v, str) else
                         v + b"!" if isinstance(v, bytes) else
                         v + 0.25 if isinstance(v, float) else
                         v + 1 if v and abs(v) < 2**60 else v)
        return name + " = ?"
    if kind == 0:
        return name + " IS NULL"
    if kind == 1:
        return name + " IS NOT NULL"
    if kind == 2:
        return "%s IN (%s)" % (name, ",".join(
            operand() for _ in range(rng.randrange(1, 5))))
    if kind == 3:
        return "%s BETWEEN %s AND %s" % (name, operand(), operand())
    return "%s %s %s" % (
        name, rng.choice(["=", "<", "<=", ">", ">=", "=="]), operand())


def check(db, path, rng, cases, skipped):
    place = path.replace("'", "''")
    options = rng.choice(["", "", "", ", timestamp=raw", ", nan=text",
                          ", binary_as_string", ", timestamp=unixepoch",
                          ", decimal=text", ", invalid_utf8=blob"])
    for name, more in (("t_on", ""), ("t_off", ", trust_stats=off")):
        db.execute("DROP TABLE IF EXISTS temp." + name)
        db.execute("CREATE VIRTUAL TABLE temp.%s USING parquet('%s'%s%s)"
                   % (name, place, options, more))
    hidden = [r[1] for r in db.execute("PRAGMA table_xinfo(t_on)")
              if not r[1].startswith("file")]
    columns = rng.sample(hidden, min(len(hidden), 12))
    if not columns:
        return None
    rows = db.execute("SELECT %s FROM t_off AS t LIMIT 3000" % ",".join(
        "t." + quoted(c) for c in columns)).fetchall()
    samples = {c: [r[i] for r in rng.sample(rows, min(len(rows), 40))] or [0]
               for i, c in enumerate(columns)}
    for _ in range(cases):
        arguments = []
        where = condition(rng, columns, samples, arguments)
        got = {}
        for name in ("t_on", "t_off"):
            got[name] = db.execute("SELECT rowid FROM %s AS t WHERE %s"
                                   % (name, where), arguments).fetchall()
            if name == "t_on":
                stats = db.execute(
                    "SELECT %s FROM parquet_scan_stats() LIMIT 1"
                    % ", ".join(PROOFS)).fetchone()
                skipped.update(dict(zip(PROOFS.values(), stats)))
        if sorted(got["t_on"]) != sorted(got["t_off"]):
            missing = sorted(set(got["t_off"]) - set(got["t_on"]))[:3]
            return "%s WHERE %s with %r: %d rows, not %d; missing %s" % (
                options, where, arguments, len(got["t_on"]),
                len(got["t_off"]), missing)
    return None


def main():
    extension, seed, cases = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    skipped = collections.Counter()
    passed = failed = 0
    for path in sys.argv[4:]:
        db = connect(extension)
        try:
            problem = check(db, path, random.Random("%d %s" % (seed, path)),
                            cases, skipped)
        except sqlite3.OperationalError as error:
            print("not read: %s" % error)
            continue
        if problem:
            print("FAIL %s: %s" % (path, problem))
            print("  alone: %s %s %s %d %d '%s'" % (
                sys.executable, sys.argv[0], extension, seed, cases, path))
            failed += 1
        else:
            passed += 1
    print("skipped: " + ", ".join("%d %s" % (n, what)
                                  for what, n in sorted(skipped.items())))
    for what in PROOFS.values():
        if not skipped[what] and what not in MAY_BE_NONE:
            print("FAIL: nothing was skipped: " + what)
            failed += 1
    print("prune (seed %d): %d passed, %d failed, 0 skipped"
          % (seed, passed, failed))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
