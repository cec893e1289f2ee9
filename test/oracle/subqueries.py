"""Whole statements over several tables give the same rows as over native ones.

Worlds of a few Parquet tables and native ones are made (worlds.py).  Random
statements (selects.py) with subqueries, joins and groups must give the same rows
over the Parquet tables as over native copies of them.  Each is run again with
other parameters after it was left in the middle, or in turns with another.

Usage: subqueries.py EXTENSION SEED CASES FOLDER

CASE=n runs only that case and prints it.  The last line has the counts.
"""
import collections
import os
import random
import shutil
import sqlite3
import sys

from queries import Patience
import selects
import worlds

PER_WORLD = 30
# Of SQLite, and of the processor, for a scan may be one step: given up.
STEPS, SECONDS, LOOK = 1_000_000, 2, 5_000
# The words of an error may have texts in them that are no UTF-8.
ERRORS = (sqlite3.Error, OverflowError, UnicodeDecodeError)
PLANS = ("rows by a = ?", "exactly", "rowid", " IN ?", "IS ?", "distinct ",
         "in order of", ", first ", "grouped by ", "hashed by ", "a row of each",
         "files by literal", "files by ", "counts all rows", "reads all rows")


def text_of(sql, one):
    return sql.replace(worlds.MARK, one)


def as_texts(rows):
    return [repr(r).replace("-0.0", "0.0") for r in rows]


def loose(rows):
    """1 and 1.0 are equal to what removes doubles, which keeps either."""
    return [repr(tuple(float(v) if isinstance(v, int) and abs(v) < 2 ** 53
                       else v for v in r)).replace("-0.0", "0.0")
            for r in rows]


def patiently(db):
    db.set_progress_handler(Patience(STEPS // LOOK, SECONDS), LOOK)


def ask(db, sql, arguments):
    """The rows, or the error as a text."""
    patiently(db)
    try:
        return db.execute(sql, arguments).fetchall()
    except ERRORS as e:
        return str(e)
    finally:
        db.set_progress_handler(None, 0)


MIXES = ("UNION", "USING", "EXCEPT", "INTERSECT", "DISTINCT", "coalesce",
         "view", "FULL")


def one_failed(ours, theirs):
    """How the answers differ, of which one is an error; None: both are."""
    if isinstance(ours, str) and isinstance(theirs, str):
        return None
    return "%.200s, not %.200s" % tuple(
        x if isinstance(x, str) else "%d rows" % len(x) for x in (ours, theirs))


def difference(ours, theirs, how, sql):
    """None, or how the answers differ."""
    if isinstance(ours, str) or isinstance(theirs, str):
        return one_failed(ours, theirs)
    if len(ours) != len(theirs):
        return "%d rows, not %d" % (len(ours), len(theirs))
    same = loose if any(w in sql for w in MIXES) else as_texts
    a, b = same(ours), same(theirs)
    if how != "ordered":
        a, b = sorted(a), sorted(b)
    if a == b:
        return None
    at = next(i for i in range(len(a)) if a[i] != b[i])
    return "row %d is %.300s, not %.300s" % (at, a[at], b[at])


def bare_difference(ours, theirs, rows):
    """rows: of the table, from which the other columns may be."""
    if isinstance(ours, str) or isinstance(theirs, str):
        return difference(ours, theirs, "rows", "")
    why = difference([r[:2] for r in ours], [r[:2] for r in theirs], "rows", "")
    there = set(as_texts(rows)) | {repr((None,) * 4)}
    for r in as_texts(ours):
        if r not in there:
            why = why or "row %.300s is not there" % r
    return why


class Run:
    def __init__(self, extension, seed, folder):
        self.extension, self.seed, self.folder = extension, seed, folder
        self.counts = collections.Counter()
        self.kinds, self.plans = collections.Counter(), collections.Counter()
        self.refused = collections.Counter()
        self.answered = 0                # with more than one row

    def world(self, number):
        rng = random.Random("world %d %d" % (self.seed, number))
        folder = os.path.join(self.folder, "world%d" % number)
        os.makedirs(folder)
        return worlds.World(self.extension, rng, folder)

    def disagreement(self, world, s):
        sql, arguments = s.sql(), s.arguments()
        theirs = ask(world.db, text_of(sql, "c"), arguments)
        if theirs == "interrupted":
            return "interrupted"
        self.answered += 1 < len(theirs) and not isinstance(theirs, str)
        self.look(world.db, text_of(sql, "t"), arguments)
        ours = ask(world.db, text_of(sql, "t"), arguments)
        if ours == "interrupted":
            return ours
        if isinstance(ours, str) and "memory" in ours and \
                not isinstance(theirs, str):
            return "memory"
        if isinstance(ours, str) and isinstance(theirs, str):
            return "error " + theirs
        if isinstance(s.how, tuple):
            return bare_difference(ours, theirs, world.db.execute(
                text_of(s.how[1], "c")).fetchall())
        return difference(ours, theirs, s.how, sql)

    def look(self, db, sql, arguments):
        """Counts the words of the plans of Parquet tables."""
        try:
            plan = db.execute("EXPLAIN QUERY PLAN " + sql, arguments).fetchall()
        except sqlite3.Error:
            return
        for row in plan:
            words = row[3].decode("utf-8", "replace")
            if "VIRTUAL TABLE INDEX" in words:
                self.plans.update(w for w in PLANS if w in words)

    def wrong(self, why):
        return why and why not in ("interrupted", "memory") and \
            not why.startswith("error ")

    def shrunk(self, world, s):
        again = True
        while again:
            again = False
            for piece, i in list(s.root.places()):
                whole = piece.parts[i]
                for less in whole.less:
                    piece.parts[i] = less
                    if self.wrong(self.disagreement(world, s)):
                        again = True
                        break
                    piece.parts[i] = whole
                if again:
                    break
        return s

    def again(self, world, s, rng):
        """Left in the middle and run again, with other parameters."""
        db, sql = world.db, s.sql()
        maker = selects.Maker(rng, world)
        other = [maker.value(rng.choice("abcde")) if rng.random() < 0.5 else v
                 for v in s.arguments()]
        cursor = db.cursor()
        patiently(db)
        try:
            cursor.execute(text_of(sql, "t"), s.arguments())
            cursor.fetchmany(rng.choice([0, 1, 3]))
            ours = cursor.execute(text_of(sql, "t"), other).fetchall()
        except ERRORS as e:
            ours = str(e)
        finally:
            db.set_progress_handler(None, 0)
        theirs = ask(db, text_of(sql, "c"), other)
        if "interrupted" in (ours, theirs) or isinstance(ours, str) and \
                "memory" in ours or isinstance(s.how, tuple):
            return None
        return difference(ours, theirs, s.how, sql)

    def in_turns(self, world, s, other):
        """Two statements, row by row."""
        db, got = world.db, [[], []]
        texts = [text_of(x.sql(), "t") for x in (s, other)]
        patiently(db)
        try:
            cursors = [db.cursor().execute(t, x.arguments())
                       for t, x in zip(texts, (s, other))]
            going = [True, True]
            while any(going):
                for i in range(2):
                    row = cursors[i].fetchone() if going[i] else None
                    going[i] = row is not None
                    got[i] += [row] if row is not None else []
        except ERRORS as e:
            return None
        finally:
            db.set_progress_handler(None, 0)
        for i, x in enumerate((s, other)):
            theirs = ask(db, text_of(x.sql(), "c"), x.arguments())
            if theirs == "interrupted" or isinstance(x.how, tuple):
                continue
            why = difference(got[i], theirs, x.how, x.sql())
            if why:
                return "in turns, %s\n  of %s\n  with %r" % (
                    why, text_of(x.sql(), "t"), x.arguments())
        return None

    def case(self, world, number, only):
        rng = random.Random("case %d %d" % (self.seed, number))
        s = selects.Maker(rng, world).statement()
        if only is not None:
            self.show(world, s, number, "asked")
        self.note(world, s, number)
        why = self.disagreement(world, s)
        if why is None and rng.random() < 0.3:
            why = self.again(world, s, rng) if rng.random() < 0.6 else \
                self.in_turns(world, s, selects.Maker(rng, world).statement())
            if why:
                self.counts["failed"] += 1
                return self.show(world, s, number, "again: " + why)
        if self.wrong(why):
            self.counts["failed"] += 1
            if os.environ.get("SHRINK") != "0":
                s = self.shrunk(world, s)
            return self.show(world, s, number, self.disagreement(world, s))
        if why:
            self.counts[why.split()[0]] += 1
            if why.startswith("error"):
                self.refused[why] += 1
            return None
        self.counts["passed"] += 1
        self.kinds.update(s.kinds)
        return None

    def note(self, world, s, number):
        with open(os.path.join(self.folder, "asked"), "w",
                  errors="surrogateescape") as f:
            f.write("case %d of seed %d\n%s\n%r\n" % (
                number, self.seed, s.sql(), s.arguments()))

    def show(self, world, s, number, why):
        print("%s case %d of seed %d: %s\n  %s\n  with %r" % (
            "CASE" if why == "asked" else "FAIL", number, self.seed, why,
            text_of(s.sql(), "t"), s.arguments()))
        for t in world.tables:
            if t.name.replace(worlds.MARK, "t") in text_of(s.sql(), "t"):
                print("  %s (%d rows): %s" % (
                    text_of(t.name, "t"), t.n,
                    t.source or getattr(t, "view", "")))
        print("  alone: CASE=%d %s %s %s %d 1 $(mktemp -d)/s" % (
            number, sys.executable, sys.argv[0], sys.argv[1], self.seed))
        sys.stdout.flush()

    def all(self, cases, only=None):
        for first in range(0, cases, PER_WORLD):
            if only is not None and not first <= only < first + PER_WORLD:
                continue
            world = self.world(first // PER_WORLD)
            for number in range(first, min(first + PER_WORLD, cases)):
                if only is None or number == only:
                    self.case(world, number, only)
            world.db.close()
            if only is None and not self.counts["failed"]:
                shutil.rmtree(os.path.join(
                    self.folder, "world%d" % (first // PER_WORLD)))


def main():
    extension, seed, cases = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    only = int(os.environ["CASE"]) if os.environ.get("CASE") else None
    os.makedirs(sys.argv[4], exist_ok=True)
    run = Run(extension, seed, sys.argv[4])
    run.all(cases if only is None else only + 1, only)
    c = run.counts
    print("subqueries by kind: %s" % ", ".join(
        "%d %s" % (n, k) for k, n in run.kinds.most_common()))
    print("plans: %s" % ", ".join(
        "%d '%s'" % (n, k) for k, n in run.plans.most_common()))
    print("  %d answers had more than one row" % run.answered)
    for why, n in run.refused.most_common(5):
        print("  refused %d times by both: %.200s" % (n, why))
    print("subqueries (seed %d): %d passed, %d failed, %d refused by both, "
          "%d too large, %d given up" % (
              seed, c["passed"], c["failed"], c["error"], c["memory"],
              c["interrupted"]))
    if only is None and c["interrupted"] > c["passed"]:
        print("FAIL: most statements were given up")
        return True
    return c["failed"] > 0


if __name__ == "__main__":
    sys.exit(main())
