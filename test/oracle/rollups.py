"""Statements over rollup tables give the same rows as over native tables.

A rollup has, for each statement, a row per combination of the dimensions that the
statement mentions.  For each such set SQLite makes a native table, by GROUP BY over
a native copy of the file, and the statement over these has to give the same rows.
Sums that depend on the order of additions are compared to rounding, all others
exactly, and sums of DECIMAL against fractions.

The tables are in rollup_tables.py, the statements in rollup_statements.py; here they
are run and the rows are compared.

Usage: rollups.py EXTENSION SEED CASES FOLDER [FILE...]

CASE=n runs only that case and prints it.  The last line has the counts.  A run in
which nothing is pushed down, nothing is pruned or nothing is spilled fails.
"""
import collections
import math
import os
import random
import shutil
import sqlite3
import sys
import time

import queries
from rollup_statements import Maker
from rollup_tables import Rollup, Table, Versions, WrongColumns
from subqueries import ERRORS, one_failed
import worlds

PER_ROLLUP, ROLLUPS = 12, 2          # cases of a rollup, rollups of a table


# ---- rows --------------------------------------------------------------------

def alike(a, b, rough):
    if a == b and type(a) == type(b):
        return True
    numbers = (int, float)
    if not (rough and isinstance(a, numbers) and isinstance(b, numbers)):
        return isinstance(a, float) and isinstance(b, float) and a == b
    return a == b or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-7)


def place(row, rough):
    row = [0.0 if v == 0 and isinstance(v, float) else v for v in row]
    if not rough:
        return [(type(v).__name__, repr(v)) for v in row]
    return [("number", "%.5g" % v) if isinstance(v, (int, float))
            else (type(v).__name__, repr(v)) for v in row]


def same(a, b, rough):
    return len(a) == len(b) and all(
        len(x) == len(y) and all(alike(v, w, rough) for v, w in zip(x, y))
        for x, y in zip(a, b))


def differ_some(ours, theirs, how, rough):
    """how: ours are `most` of all these rows, after some; they have the values of the
    first ones in column `key`, or, with None, any."""
    most, after, key = how
    first = theirs[after:after + most]
    if len(ours) != len(first):
        return "%d rows, not %d" % (len(ours), len(first))
    left = list(theirs)
    for r in ours:
        i = next((i for i, s in enumerate(left) if same([r], [s], rough)), None)
        if i is None:
            return "%.300s is no row" % (r,)
        left.pop(i)
    if key is not None and not same([[r[key]] for r in ours],
                                    [[r[key]] for r in first], rough):
        return "not the first rows: %.300s, not %.300s" % (ours, first)
    return None


def differ(ours, theirs, how, rough):
    if isinstance(ours, str) or isinstance(theirs, str):
        return one_failed(ours, theirs)
    if isinstance(how, tuple):
        return differ_some(ours, theirs, how, rough)
    rough = rough or how == "loose"
    if how != "ordered":
        ours, theirs = (sorted(x, key=lambda r: place(r, rough))
                        for x in (ours, theirs))
    if same(ours, theirs, rough):
        return None
    if rough and len(ours) == len(theirs) and how != "ordered":
        # Beside a border of rounding.
        ours, left = list(ours), list(theirs)
        for r in list(ours):
            if r in left:
                left.remove(r)
                ours.remove(r)
        for r in ours:
            i = next((i for i, s in enumerate(left) if same([r], [s], True)),
                     None)
            if i is None:
                break
            left.pop(i)
        if not left:
            return None
        ours = ours + [()] * (len(theirs) - len(ours))
    i = next((i for i in range(min(len(ours), len(theirs)))
              if not same(ours[i:i + 1], theirs[i:i + 1], rough)), 0)
    return "%d rows, not %d; row %d is %.300s, not %.300s" % (
        len(ours), len(theirs), i, (ours + ["none"])[i],
        (theirs + ["none"])[i])


# ---- asking ------------------------------------------------------------------

class Patience:
    """Joins of unnested tables have no index: some take long."""

    def __init__(self):
        self.until = time.process_time() + 1.5

    def __call__(self):
        return time.process_time() > self.until


def ask(db, sql, arguments):
    """The rows.  Statements with ;; between them are run one after the other, the
    last ones too if one fails."""
    db.set_progress_handler(Patience(), 1000)
    rows, failed = [], None
    try:
        for one in sql.split(";;"):
            if failed and not one.startswith("DROP"):
                continue
            try:
                got = db.execute(one, arguments).fetchall()
                rows = got if one.startswith(("SELECT", "WITH", "EXPLAIN")) \
                    else rows
            except ERRORS as e:
                failed = failed or str(e)
        return failed or rows
    finally:
        db.set_progress_handler(None, 0)


def again(db, rng, sql, arguments, others):
    """Run with other parameters, left in the middle; maybe others in turns."""
    cursor = db.cursor()
    db.set_progress_handler(Patience(), 1000)
    try:
        cursor.execute(sql, [queries.near(rng, None) if rng.random() < 0.5
                             else a for a in map(plain_value, arguments)])
        cursor.fetchmany(rng.choice([0, 1, 3]))
        cursor.execute(sql, arguments)
        rows = cursor.fetchmany(rng.choice([0, 1, 5]))
        open_ones = [db.cursor().execute(*o) for o in others]
        for _ in range(3):
            for c in open_ones:
                c.fetchmany(rng.choice([1, 3, 100]))
            rows += cursor.fetchmany(rng.choice([1, 5]))
        return rows + cursor.fetchall()
    except (OverflowError, UnicodeEncodeError):
        return None
    except ERRORS as e:
        return str(e)
    finally:
        db.set_progress_handler(None, 0)


def plain_value(v):
    return v if not isinstance(v, int) or -2 ** 63 <= v < 2 ** 63 else 0


# ---- the run -----------------------------------------------------------------

class Run:
    name, also = "rollups", ("spilled",)
    if os.environ.get("LANES"):      # the build that lanes.mk makes
        name, also = "lanes", also + ("by threads",)

    def table(self, rng, folder, number):
        """number: of its first case."""
        # Some statements are prepared once, and run again.
        worlds.cached_statements = rng.choice([0, 200])
        if number > 0 and rng.random() < 0.1:
            return Versions(self.extension, rng, folder)
        return Table(self.extension, rng, folder, self.files, number == 0)

    def __init__(self, extension, seed, folder, files):
        self.extension, self.seed, self.folder = extension, seed, folder
        self.counts, self.ways = collections.Counter(), collections.Counter()
        self.files, self.refused = files, collections.Counter()

    def rollups(self, t, rng, number):
        out = []
        for k in range(ROLLUPS):
            base = rng.choice(t.bases)
            try:
                if isinstance(t, Versions):
                    out.append(Rollup(rng, t.bases[0], "r%d" % k, t.source))
                else:
                    out.append(Rollup(rng, base, "r%d" % k))
            except (sqlite3.Error, ValueError) as e:
                text = str(e)
                if "\n" in text:
                    text = text.split("\n")[0]
                self.counts["not created"] += 1
                self.refused[text[:150]] += 1
                if "SHOW" in os.environ:
                    print("NOT CREATED by %d: %s" % (number, e))
        return out

    def spilled(self, t, sql, arguments):
        """What the last statement read and wrote, as the tables count it."""
        try:
            cursor = t.db.execute("SELECT * FROM parquet_scan_stats()")
            names = [d[0] for d in cursor.description]
            for r in cursor:
                row = dict(zip(names, r))
                self.counts["pruned"] += row["row_groups_skipped"] + \
                    row["pages_skipped"] > 0
                self.counts["spilled"] += b"spilled" in (row["notes"] or b"")
                self.counts["by threads"] += b"added up" in (row["notes"] or b"")
                break
        except sqlite3.Error:
            pass

    def is_right(self, error, rollups, way="again"):
        """Is it right that there is an error, where native tables have none?"""
        return False

    def case(self, t, rollups, number, only):
        rng = random.Random("case %d %d" % (self.seed, number))
        m, copy = Maker(rng, rollups), None
        try:
            if isinstance(t, Versions):
                t.put(number % len(t.files))
                copy = t.bases[t.now].copy
                # One of a few statements, so that it has been prepared.
                m.rng = random.Random("few %d" % (number // len(t.files)))
            sql, how, way = m.statement()
            theirs = ask(t.db, m.theirs(sql, copy), m.arguments)
        except ERRORS as e:          # the reference itself: sums overflow
            self.counts["given up"] += 1
            if only is not None:
                print("no reference: %s" % e)
            return
        if theirs == "interrupted" or "MATERIALIZED" in str(theirs):
            self.counts["given up"] += 1
            return
        ours_sql = m.ours(sql)
        if only is not None:
            print(ours_sql, m.arguments, "\n", m.theirs(sql, copy))
            for r in rollups:
                print(" ", r.create)
        with open(os.path.join(self.folder, "asked"), "w",
                  errors="surrogateescape") as f:
            f.write("case %d of seed %d\n%s\n%r\n%s" % (
                number, self.seed, ours_sql, m.arguments,
                "\n".join(r.create for r in rollups)))
        ours = ask(t.db, ours_sql, m.arguments)
        self.spilled(t, ours_sql, m.arguments)
        plan = "" if ";;" in ours_sql else str(
            ask(t.db, "EXPLAIN QUERY PLAN " + ours_sql, m.arguments))
        self.counts["a row per"] += "a row " in plan
        self.counts["pushed"] += "exactly" in plan or "rows by" in plan
        if ours == "interrupted":
            self.counts["given up"] += 1
            return
        if isinstance(ours, str) and "memory" in ours:
            self.counts["too large"] += 1
            return
        if isinstance(ours, str) and \
                self.is_right(ours, [r.rollup for r in m.refs], way):
            self.counts["given up"] += 1
            return
        why = differ(ours, theirs, how, m.rough)
        if why is None and rng.random() < 0.25 and ";;" not in ours_sql:
            others = []
            for _ in range(rng.choice([0, 1, 2, 7])):
                other = Maker(rng, rollups)
                text = other.statement()[0]
                if ";;" not in text:
                    others.append((other.ours(text), other.arguments))
            ours = again(t.db, rng, ours_sql, m.arguments, others)
            if ours is not None and ours != "interrupted" and not (
                    isinstance(ours, str) and not isinstance(theirs, str)
                    and ("memory" in ours or "overflow" in ours or
                         self.is_right(ours, rollups))):
                why = differ(ours, theirs, how, m.rough)
                why = why and "again: " + why
        self.counts["failed" if why else "passed"] += 1
        self.counts["refused"] += isinstance(theirs, str)
        self.ways[way] += 1
        if why:
            used = {r.rollup for r in m.refs}
            print("FAIL case %d of seed %d: %s\n  %s\n  with %r\n  as %s" % (
                number, self.seed, why, ours_sql, m.arguments,
                m.theirs(sql, copy)))
            for r in used:
                print("  %s: %s\n  (%d rows)" % (r.name, r.create, r.base.n))
            print("  alone: CASE=%d %s %s %s %d 1 $(mktemp -d)/r %s" % (
                number, sys.executable, sys.argv[0], self.extension,
                self.seed, " ".join(self.files)))
            sys.stdout.flush()

    def all(self, cases, only):
        for first in range(0, cases, PER_ROLLUP * 2):
            end = min(first + PER_ROLLUP * 2, cases)
            if only is not None and not first <= only < end:
                continue
            rng = random.Random("table %d %d" % (self.seed, first))
            folder = os.path.join(self.folder, str(first))
            os.makedirs(folder)
            try:
                t = self.table(rng, folder, first)
            except (sqlite3.Error, ValueError) as e:
                self.counts["unread"] += 1
                self.refused[str(e)[:150]] += 1
                if only is not None:
                    print("unread: %s" % e)
                continue
            except WrongColumns as e:
                self.counts["failed"] += 1
                print("FAIL case %d of seed %d: %s" % (first, self.seed, e))
                continue
            rollups = self.rollups(t, rng, first)
            for number in range(first, end):
                if rollups and (only is None or number == only):
                    self.case(t, rollups, number, only)
            t.db.close()
            if not self.counts["failed"] and only is None:
                shutil.rmtree(folder)


def main(kind=Run):
    extension, seed, cases = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    only = int(os.environ["CASE"]) if os.environ.get("CASE") else None
    os.makedirs(sys.argv[4], exist_ok=True)
    run = kind(extension, seed, sys.argv[4], sys.argv[5:])
    run.all(cases if only is None else only + 1, only)
    c = run.counts
    print("%s by kind: %s" % (run.name, ", ".join(
        "%d %s" % (n, w) for w, n in run.ways.most_common())))
    for text, n in run.refused.most_common(6):
        print("  not created %d times: %s" % (n, text))
    print("%s (seed %d): %d passed, %d failed, %d not created, %d unread, "
          "%d refused by both, %d too large, %d given up, %d pushed, %d pruned, "
          "%d spilled" % (
              run.name, seed, c["passed"], c["failed"], c["not created"], c["unread"],
              c["refused"], c["too large"], c["given up"], c["pushed"],
              c["pruned"], c["spilled"]))
    # A run that is large enough uses everything that can go wrong.
    for what in ("pushed", "pruned") + run.also:
        enough = 24 if what == "spilled" else 120
        if only is None and cases >= enough and not c[what]:
            print("FAIL: nothing was %s" % what)
            return True
    return c["failed"] > 0 or not (c["passed"] or c["given up"])


if __name__ == "__main__":
    sys.exit(main())
