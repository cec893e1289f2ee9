"""Random SELECTs over the tables of a world: subqueries, joins and groups.

A statement is a tree of pieces, so that a failing one can be made smaller: each
piece has others that may stand in its place.

    maker = Maker(rng, world)
    s = maker.statement()
    s.sql(), s.arguments()       "\\x01" before a number stands for t or c

The answer is determined, whatever the plan is: what depends on an order has one
that is total, sums are of whole numbers, and a column that equals something has
a plus before it where its order matters.  SQLite takes such a column as a
constant, although 1 equals the texts "1" and "01".
"""
import re
import sqlite3

from queries import glued
from worlds import REALS, TEXTS

VERSION = sqlite3.sqlite_version_info
COMPARISONS = ["=", "=", "=", "=", "==", "<", "<=", ">", ">=", "<>", "IS",
               "IS NOT"]
MOST_PRODUCT = 60000                 # rows of a join without conditions
MOST_WORK = 400000                   # ... and of its subqueries


class Piece:
    """parts: texts, pieces, or (value,) for a parameter."""

    def __init__(self, *parts, less=()):
        self.parts, self.less = list(parts), list(less)

    def sql(self):
        return "".join(p if isinstance(p, str) else
                       "?" if isinstance(p, tuple) else p.sql()
                       for p in self.parts)

    def arguments(self):
        out = []
        for p in self.parts:
            if isinstance(p, tuple):
                out.append(p[0])
            elif isinstance(p, Piece):
                out += p.arguments()
        return out

    def places(self):
        """(piece, index) of each part that can be replaced."""
        for i, p in enumerate(self.parts):
            if isinstance(p, Piece):
                if p.less:
                    yield self, i
                yield from p.places()


def listed(pieces, between=", "):
    out = []
    for p in pieces:
        out += [between, p] if out else [p]
    return Piece(*out)


class Source:
    """One table of a FROM.  odd: equal values of its columns may differ."""

    def __init__(self, alias, columns, n, rowid=False, counted=(), odd=False):
        self.alias, self.columns, self.n = alias, columns, n
        self.rowid, self.counted, self.odd = rowid, list(counted), odd


class Statement:
    """how the answers are compared: "rows", "ordered" or "bare"."""

    def __init__(self, piece, how, kinds):
        self.root, self.how, self.kinds = Piece(piece), how, kinds

    def sql(self):
        return glued(self.root.sql())

    def arguments(self):
        return self.root.arguments()


class Maker:
    def __init__(self, rng, world):
        self.rng, self.world, self.db = rng, world, world.db
        self.aliases, self.ctes, self.kinds = 0, [], set()
        self.work = 1

    # ---- columns and values --------------------------------------------------

    def alias(self):
        self.aliases += 1
        return "x%d" % self.aliases

    def column(self, sources, letters=None):
        s = self.rng.choice(sources)
        some = [c for c in s.columns if c in (letters or s.columns)]
        return "%s.%s" % (s.alias, self.rng.choice(some or s.columns))

    def value(self, letter):
        """One that occurs, or one that nearly does."""
        rng = self.rng
        if rng.random() < 0.75:
            t = rng.choice([t for t in self.world.tables
                            if letter in t.columns] or self.world.tables)
            c = letter if letter in t.columns else rng.choice(t.columns)
            v = self.world.sample(rng, t, c)
            if v is not None:
                return v
        return rng.choice([None, 0, 1, 2, 3, 7, 2.5, "1", "2", "05",
                           rng.choice(TEXTS), rng.choice(REALS),
                           "2024-01-02", "2024-01-10 00:00:00"])

    def operand(self, letter):
        v = self.value(letter)
        if isinstance(v, bytes):
            try:
                v = v.decode()
            except UnicodeDecodeError:
                pass
        if isinstance(v, int) and self.rng.random() < 0.5 or v is None:
            return Piece(str(v) if v is not None else "NULL")
        if isinstance(v, str) and "\0" not in v and self.rng.random() < 0.5:
            return Piece("'%s'" % v.replace("'", "''"))
        return Piece((v,))

    @staticmethod
    def letter_of(column):
        return column.split(".")[1]

    def settled(self, column, *texts):
        """The column where its order matters."""
        if any(re.search(r"\b%s\b" % re.escape(column), t) for t in texts) \
                or any(re.search(r"\bUSING\b|\bNATURAL\b", t) for t in texts):
            return "+" + column
        return column if self.rng.random() < 0.8 else "+" + column

    def plain(self, sources, column):
        """The column, compared byte by byte."""
        odd = any(s.odd and column.lstrip("+").startswith(s.alias + ".")
                  for s in sources)
        return "(%s COLLATE BINARY)" % column if odd else column

    # ---- conditions ----------------------------------------------------------

    def condition(self, sources, outer, depth):
        rng = self.rng
        r = rng.random()
        if r < 0.22:
            a, b = (self.condition(sources, outer, depth) for _ in range(2))
            return Piece("(", a, " AND ", b, ")", less=[a, b])
        if r < 0.34:
            a, b = (self.condition(sources, outer, depth) for _ in range(2))
            return Piece("(", a, " OR ", b, ")", less=[a, b])
        if r < 0.38:
            a = self.condition(sources, outer, depth)
            return Piece("NOT (", a, ")", less=[a])
        if depth > 0 and r < (0.85 if depth > 1 else 0.6) and \
                self.may_nest(sources):
            return self.by_subquery(sources, outer, depth)
        return self.term(sources, outer)

    def term(self, sources, outer):
        rng = self.rng
        x = self.column(sources)
        letter = self.letter_of(x)
        kind = rng.randrange(14)
        if kind < 3 and outer or kind == 12 and len(sources) > 1:
            return self.equality(sources, outer if kind < 3 else sources)
        if kind == 3 and outer:
            y = self.column(outer, letter)
            return Piece("%s %s %s" % (x, rng.choice(COMPARISONS), y),
                         less=["1"])
        if kind < 6:
            return Piece(x, " %s " % rng.choice(
                COMPARISONS + ["<=", ">=", "<>", "<>", "IS NOT"]),
                self.operand(letter), less=["1"])
        if kind == 6:
            return Piece(x, " BETWEEN ", self.operand(letter), " AND ",
                         self.operand(letter), less=["1"])
        if kind == 7:
            some = [self.operand(letter) for _ in range(rng.randrange(1, 5))]
            if outer and rng.random() < 0.5:
                some.append(Piece(self.column(outer, letter)))
            return Piece(x, rng.choice([" IN (", " IN (", " NOT IN ("]),
                         listed(some), ")", less=["1"])
        if kind == 8:
            return Piece(x, rng.choice([" IS NULL", " IS NOT NULL"]),
                         less=["1"])
        if kind == 9:
            return Piece(x, rng.choice([" LIKE 'a%'", " LIKE '%b%'",
                                        " GLOB '2*'", " NOT LIKE '2024%'"]),
                         less=["1"])
        with_rowid = [s for s in sources if s.rowid]
        if kind == 10 and with_rowid:
            s = rng.choice(with_rowid)
            return Piece("%s.rowid " % s.alias, rng.choice(
                ["< 20", "% 2 = 0", "> 3", "IN (1, 2, 3, 9, 10)", "= 4",
                 "BETWEEN 2 AND 30"]), less=["1"])
        if kind == 11 and len(sources) + len(outer) > 1:
            a, b = self.equality(sources, outer or sources), \
                self.equality(sources, outer or sources)
            return Piece("(", a, " OR ", b, ")", less=[a, b])
        return Piece(x, rng.choice([" = ", " = ", " > ", " <= "]),
                     self.operand(letter), less=["1"])

    def equality(self, sources, others):
        rng = self.rng
        letters = rng.choice(["a", "a", "a", "ab", "b", "b", "c", "e", "d",
                              None])
        x = self.column(sources, letters)
        y = self.column(others, self.letter_of(x) if rng.random() < 0.9
                        else None)
        if x == y:
            return Piece(x, " >= ", self.operand(self.letter_of(x)),
                         less=["1"])
        r = rng.random()
        if r < 0.06:
            x2, y2 = self.column(sources), self.column(others)
            return Piece("(%s, %s) = (%s, %s)" % (x, x2, y, y2),
                         less=["%s = %s" % (x, y), "1"])
        if r < 0.12:
            return Piece("%s = %s + %d" % (x, y, rng.choice([0, 1, 1, -1])),
                         less=["1"])
        if r < 0.18:
            return Piece("%s IN (%s, %s)" % (x, y, self.column(others)),
                         less=["%s = %s" % (x, y), "1"])
        if rng.random() < 0.5:
            x, y = y, x
        return Piece("%s %s %s" % (x, rng.choice(["=", "=", "=", "=", "IS"]),
                                   y), less=["1"])

    def may_nest(self, sources):
        rows = 1
        for s in sources:
            rows *= max(s.n, 1)
        return rows * 200 * self.work <= MOST_WORK * 20

    def by_subquery(self, sources, outer, depth):
        rng = self.rng
        scope = sources + (outer if rng.random() < 0.5 else [])
        kind = rng.randrange(9)
        work = self.work
        for s in sources:
            self.work *= max(1, min(s.n, 30))
        try:
            if kind < 4:
                self.kinds.add("exists")
                return Piece(rng.choice(["EXISTS (", "NOT EXISTS ("]),
                             self.existing(scope, depth - 1), ")", less=["1"])
            if kind < 6:
                self.kinds.add("in")
                x = self.column(sources)
                return Piece(x, rng.choice([" IN (", " IN (", " NOT IN ("]),
                             self.many(scope, depth - 1, self.letter_of(x)),
                             ")", less=["1"])
            if kind == 6:
                self.kinds.add("in")
                return self.row_in(sources, scope, depth)
            if kind == 7:
                self.kinds.add("exists")
                a = self.term(sources, outer)
                return Piece("CASE WHEN ", rng.choice(["", "NOT "]),
                             "EXISTS (", self.existing(scope, depth - 1),
                             ") THEN ", a, " ELSE ", self.term(sources, outer),
                             " END", less=[a])
            x = self.column(sources)
            return Piece(x, " %s " % rng.choice(COMPARISONS), "(",
                         self.scalar(scope, depth - 1, self.letter_of(x)),
                         ")", less=["1"])
        finally:
            self.work = work

    # ---- subqueries ----------------------------------------------------------

    def body(self, outer, depth, most=2):
        """FROM and WHERE of a subquery, correlated nine times of ten."""
        rng = self.rng
        begin, sources = self.sources(outer, depth, most)
        if rng.random() < 0.93 and outer:
            self.kinds.add("correlated")
            where = self.equality(sources, outer)
            if rng.random() < 0.35:
                other = self.condition(sources, outer, depth)
                where = Piece("(", where, rng.choice([" AND ", " AND ",
                                                      " OR "]), other, ")",
                              less=[where, other])
            elif rng.random() < 0.2:
                where = self.condition(sources, outer, depth)
        elif rng.random() < 0.6:
            where = self.condition(sources, [], depth)
        else:
            where = Piece("1")
        return Piece(" FROM ", begin, " WHERE ", where), sources

    def existing(self, outer, depth):
        rng = self.rng
        body, sources = self.body(outer, depth)
        first = Piece("SELECT ", rng.choice(
            ["1", "NULL", self.column(sources), "*"]), body)
        r = rng.random()
        if r < 0.15:
            return Piece(first, Piece(" LIMIT %d OFFSET %d" % (
                rng.choice([1, 2]), rng.choice([0, 0, 1, 3])), less=[""]))
        if r < 0.25:
            key = self.column(sources)
            return Piece("SELECT 1", body, Piece(
                " GROUP BY %s HAVING count(*) %s %d" % (
                    self.plain(sources, self.settled(key, body.sql())),
                    rng.choice(["=", ">", "<"]), rng.choice([1, 2])),
                less=[""]))
        if r < 0.35:
            other, _ = self.body(outer, 0, 1)
            second = Piece("SELECT 1", other)
            return Piece("SELECT 1", body, " UNION ALL ", second,
                         less=[first, second])
        return first

    def many(self, outer, depth, letter):
        """One column, for IN."""
        rng = self.rng
        body, sources = self.body(outer, depth)
        c = self.column(sources, letter)
        r = rng.random()
        if r < 0.2:
            return Piece("SELECT DISTINCT ", c, body)
        if r < 0.3:
            other, more = self.body(outer, 0, 1)
            return Piece("SELECT ", c, body, rng.choice(
                [" UNION ALL ", " UNION ", " EXCEPT "]), "SELECT ",
                self.column(more, letter), other,
                less=[Piece("SELECT ", c, body)])
        if r < 0.4:
            return Piece("SELECT max(%s)" % self.settled(c, body.sql()), body,
                         " GROUP BY ", self.settled(self.column(sources),
                                                    body.sql()))
        if r < 0.55 and all(s.rowid for s in sources):
            return Piece("SELECT ", c, body, Piece(
                " ORDER BY %s LIMIT %d" % (self.total(sources, body),
                                           rng.choice([1, 2, 5])), less=[""]))
        return Piece("SELECT ", c, body)

    def total(self, sources, body, keys=()):
        """A total order."""
        words = [k + self.rng.choice(["", " DESC"]) for k in keys] + [
            s.alias + ".rowid" + self.rng.choice(["", "", " DESC"])
            for s in sources]
        return ", ".join(words)

    def row_in(self, sources, scope, depth):
        """Only of numbers: of a virtual table, SQLite compares each part of a
        row as the column on the left alone would be."""
        s = self.rng.choice(sources)
        body, inner = self.body(scope, depth - 1, 1)
        if not {"a", "b"} <= set(s.counted) & set(inner[0].counted):
            return self.term(sources, [])
        return Piece("(%s.a, %s.b)" % (s.alias, s.alias), self.rng.choice(
            [" IN (", " IN (", " NOT IN ("]), "SELECT %s.a, %s.b" % (
                inner[0].alias, inner[0].alias), body, ")", less=["1"])

    def scalar(self, outer, depth, letter=None):
        rng = self.rng
        self.kinds.add("scalar")
        body, sources = self.body(outer, depth)
        r = rng.random()
        if r < 0.7 or not all(s.rowid for s in sources):
            more = Piece(rng.choice(["", "", "", " + 1"])) \
                if letter in ("a", "b") else Piece("")
            if rng.random() < 0.1:
                return Piece("SELECT ", self.aggregate(sources, body, letter),
                             more, body, Piece(" LIMIT 1", less=[""]))
            return Piece("SELECT ", self.aggregate(sources, body, letter), more,
                         body)
        c = self.column(sources, letter)
        keys = [] if rng.random() < 0.5 else \
            [self.settled(self.column(sources), body.sql())]
        return Piece("SELECT ", c, body, " ORDER BY ",
                     self.total(sources, body, keys), " LIMIT 1", Piece(
                         " OFFSET %d" % rng.choice([0, 1, 2]), less=[""]))

    def counted(self, sources):
        some = ["%s.%s" % (s.alias, c) for s in sources for c in s.counted]
        some += ["%s.rowid" % s.alias for s in sources if s.rowid]
        return self.rng.choice(some) if some else None

    def aggregate(self, sources, body, letter=None):
        rng = self.rng
        c = self.column(sources, letter)
        here = self.plain(sources, self.settled(c, body.sql()))
        whole = self.counted(sources)
        some = ["count(*)", "count(%s)" % c, "count(DISTINCT %s)" %
                self.plain(sources, c), "min(%s)" % here, "max(%s)" % here,
                "max(%s)" % here,
                "bag(typeof(%s) || hex(iif(%s = 0, 0, %s)))" % (c, c, c),
                "total(length(%s))" % c,
                "length(CAST(group_concat(%s) AS BLOB))" % c,
                "count(*) FILTER (WHERE %s IS NOT NULL)" % c]
        if whole:
            some += ["sum(%s)" % whole, "sum(%s)" % whole,
                     "sum(DISTINCT %s)" % whole, "total(%s)" % whole,
                     "avg(%s)" % whole]
        return rng.choice(some)

    # ---- FROM ----------------------------------------------------------------

    def table(self):
        rng = self.rng
        r = rng.random()
        if r < 0.1 and self.ctes:
            return rng.choice(self.ctes)
        pool = [t for t in self.world.tables if "view" not in t.name]
        if r < 0.2:
            pool = [t for t in self.world.tables if "view" in t.name]
        elif r < 0.7:
            pool = [t for t in pool if not t.native]
        return rng.choice(pool)

    def source(self, outer, depth):
        """(text, Source)"""
        rng = self.rng
        if depth > 0 and rng.random() < 0.08:
            return self.inner_select(depth)
        t, alias = self.table(), self.alias()
        if isinstance(t, Source):    # a common table expression
            return Piece("%s AS %s" % (t.alias, alias)), Source(
                alias, t.columns, t.n, odd=t.odd)
        view = "view" in t.name
        return Piece("%s AS %s" % (t.name, alias)), Source(
            alias, t.columns, t.n or 50, not view, t.counted,
            t.native or view)

    def inner_select(self, depth):
        alias = self.alias()
        piece, columns, n = self.derived(depth)
        return Piece("(", piece, ") AS ", alias), Source(
            alias, columns, n, odd=True)

    def derived(self, depth):
        """A SELECT whose columns have names."""
        rng = self.rng
        self.kinds.add("derived")
        begin, sources = self.sources([], depth - 1, 2)
        where = self.condition(sources, [], depth - 1)
        body = Piece(" FROM ", begin, Piece(" WHERE ", where, less=[""]))
        s = rng.choice(sources)
        names = rng.sample(s.columns, min(len(s.columns), 3))
        n = max(s.n, 1)
        r = rng.random()
        columns = ["%s.%s" % (s.alias, c) for c in names]
        if r < 0.35:
            keys = [self.plain(sources, self.settled(c, body.sql()))
                    for c in columns[:rng.choice([1, 2])]]
            made = ["%s AS %s" % pair for pair in zip(keys, names)]
            made.append("%s AS g" % self.aggregate(sources, body))
            return Piece("SELECT ", ", ".join(made), body, " GROUP BY ",
                         ", ".join(keys)), names[:len(keys)] + ["g"], n
        if r < 0.5:
            keys = [self.plain(sources, self.settled(c, body.sql()))
                    for c in columns]
            return Piece("SELECT DISTINCT ", ", ".join(
                "%s AS %s" % pair for pair in zip(keys, names)), body), \
                names, n
        made = ", ".join("%s AS %s" % pair for pair in zip(columns, names))
        if r < 0.65 and all(x.rowid for x in sources):
            return Piece("SELECT ", made, body, Piece(
                " ORDER BY %s LIMIT %d" % (self.total(
                    sources, body, [self.settled(columns[0], body.sql())]),
                    rng.choice([3, 10, 50])), less=[""])), names, n
        # SQLite loses a condition on such a SELECT if the last of its parts has
        # a RIGHT JOIN: 3.40 of native tables, 3.53 of any virtual ones.
        if r < 0.75 and not re.search("RIGHT JOIN|FULL JOIN", body.sql()):
            return Piece("SELECT ", made, body, " UNION ALL SELECT ", made,
                         body), names, n * 2
        return Piece("SELECT ", made, body), names, n

    def sources(self, outer, depth, most):
        """The tables of a FROM, and how they are joined."""
        rng = self.rng
        text, s = self.source(outer, depth)
        sources, parts, product = [s], [text], max(s.n, 1)
        for _ in range(rng.choice([0, 0, 1, 1, 1, 2, 2, 3][:2 + 2 * most])):
            if len(sources) > most:
                break
            text, s = self.source(outer, depth)
            if product * max(s.n, 1) * self.work > MOST_PRODUCT * 20 or \
                    product * max(s.n, 1) > MOST_PRODUCT * 5:
                continue
            product *= max(s.n, 1)
            parts.append(self.joined(text, s, sources, outer, depth))
            sources.append(s)
            self.kinds.add("join %d" % len(sources))
        self.kinds |= {"native"} if any(not x.rowid for x in sources) else set()
        return Piece(*parts), sources

    def joined(self, text, s, before, outer, depth):
        rng = self.rng
        words = rng.choice([" JOIN ", " JOIN ", " CROSS JOIN ", " CROSS JOIN ",
                            " LEFT JOIN ", " LEFT JOIN ", " RIGHT JOIN ",
                            " FULL JOIN "])
        if VERSION < (3, 39) and words in (" RIGHT JOIN ", " FULL JOIN "):
            words = " LEFT JOIN "
        self.kinds.add(words.strip().lower())
        shared = [c for c in s.columns
                  if sum(c in b.columns for b in before) == 1]
        if shared and rng.random() < 0.12:
            return Piece(words, text, " USING (%s)" % ", ".join(
                rng.sample(shared, min(len(shared), rng.choice([1, 1, 2])))))
        on = self.equality([s], before)
        if rng.random() < 0.3:
            other = self.condition([s] + before, outer, depth) \
                if rng.random() < 0.4 else self.term([s], before)
            on = Piece("(", on, rng.choice([" AND ", " AND ", " OR "]), other,
                       ")", less=[on, other])
        return Piece(words, text, " ON ", on)

    # ---- statements ----------------------------------------------------------

    def with_(self):
        rng = self.rng
        if rng.random() < 0.85:
            return Piece("")
        self.kinds.add("cte")
        if rng.random() < 0.4:
            return self.recursive()
        piece, columns, n = self.derived(1)
        name = "q%d" % len(self.ctes)
        out = Piece("WITH %s(%s) AS %s(" % (name, ", ".join(columns), rng.choice(
            ["", "MATERIALIZED ", "NOT MATERIALIZED "]) if VERSION >= (3, 35)
            else ""), piece, ") ")
        self.ctes.append(Source(name, columns, n, odd=True))
        return out

    def recursive(self):
        """Steps from row to row."""
        rng = self.rng
        self.kinds.add("recursive")
        t = rng.choice([t for t in self.world.tables if not t.native and
                        "view" not in t.name])
        step, n = rng.choice(
            ["w.a = r.i + 1", "w.b = r.i AND w.a < 9", "w.a = r.i + 1 OR "
             "w.b = r.i", "w.a BETWEEN r.i AND r.i + 2",
             "w.rowid = r.i + 1"]), rng.choice([3, 8, 20])
        if "w.b" in step and "b" not in t.columns or "a" not in t.columns:
            step = "w.rowid = r.i + 1"
        self.ctes.append(Source("r", ["i", "j"], 20, odd=True))
        # From text keys come whole numbers.
        value = "CAST(%s AS INTEGER)" % (
            "w.a" if "w.a" in step else "w.rowid")
        return Piece(
            "WITH RECURSIVE r(i, j) AS (SELECT %d, 0 UNION SELECT %s, r.j + 1 "
            "FROM r %s JOIN %s w ON %s WHERE r.j < %d) " % (
                rng.choice([0, 1, 2]), value, rng.choice(["", "CROSS"]),
                t.name, step, n))

    def statement(self):
        rng = self.rng
        begin = self.with_()
        kind = rng.randrange(20)
        if kind == 19:
            return self.done(begin, *self.bare())
        if kind == 18:
            return self.done(begin, *self.compound())
        if kind == 17:
            return self.done(begin, *self.recursed())
        source, sources = self.sources([], 2, 3)
        body = [" FROM ", source]
        if rng.random() < 0.65:
            where = self.condition(sources, [], 2) if rng.random() < 0.5 or \
                not self.may_nest(sources) else \
                self.by_subquery(sources, [], 2)
            body.append(Piece(" WHERE ", where, less=[""]))
        body = Piece(*body)
        if kind < 8:
            return self.done(begin, *self.rows(sources, body))
        if kind < 10:
            self.kinds.add("aggregate")
            some = [self.aggregate(sources, body)
                    for _ in range(rng.choice([1, 2, 3]))]
            return self.done(begin, Piece("SELECT ", ", ".join(some), body),
                             "rows")
        if kind < 15:
            return self.done(begin, *self.grouped(sources, body))
        if kind == 15:
            self.kinds.add("distinct")
            some = [self.plain(sources, self.settled(
                self.column(sources), body.sql()))
                for _ in range(rng.choice([1, 2]))]
            return self.done(begin, Piece(
                "SELECT DISTINCT ", ", ".join(some), body, *self.order_by(
                    some)), "rows")
        return self.done(begin, *self.windows(sources, body))

    def done(self, begin, piece, how):
        return Statement(Piece(begin, piece), how, self.kinds)

    def order_by(self, some):
        """An ORDER BY without LIMIT: rows are compared as a set."""
        if self.rng.random() < 0.6:
            return []
        return [Piece(" ORDER BY " + ", ".join(
            "%d%s" % (i + 1, self.rng.choice(["", " DESC"]))
            for i in range(len(some))), less=[""])]

    def shown(self, sources):
        """Columns, and now and then a subquery."""
        rng = self.rng
        some = [Piece("%s.rowid" % s.alias) for s in sources if s.rowid]
        some += [Piece(self.column(sources)) for _ in range(
            rng.choice([1, 2, 2, 3]))]
        if rng.random() < 0.35 and self.may_nest(sources):
            work = self.work
            for s in sources:
                self.work *= max(1, min(s.n, 30))
            r = rng.random()
            if r < 0.5:
                some.append(Piece("(", self.scalar(sources, 1), ")",
                                  less=["1"]))
            elif r < 0.8:
                self.kinds.add("exists")
                some.append(Piece(rng.choice(["", "NOT "]), "EXISTS (",
                                  self.existing(sources, 1), ")", less=["1"]))
            else:
                x = self.column(sources)
                some.append(Piece(x, " IN (", self.many(
                    sources, 1, self.letter_of(x)), ")", less=["1"]))
            self.work = work
        return some

    def rows(self, sources, body):
        rng = self.rng
        self.kinds.add("rows")
        some = self.shown(sources)
        select = Piece("SELECT ", listed(some), body)
        if all(s.rowid for s in sources) and rng.random() < 0.5:
            self.kinds.add("ordered")
            keys = [self.settled(self.column(sources), body.sql())
                    for _ in range(rng.choice([0, 1, 1, 2]))]
            tail = [" ORDER BY ", self.total(sources, body, keys)]
            if rng.random() < 0.7:
                tail.append(Piece(" LIMIT %d" % rng.choice([1, 3, 10, 50, 0]),
                                  less=[""]))
                if rng.random() < 0.4:
                    tail[-1] = Piece(tail[-1].parts[0] + " OFFSET %d" %
                                     rng.choice([0, 1, 5, 40]), less=[""])
            return Piece(select, Piece(*tail)), "ordered"
        return Piece(select), "rows"

    def grouped(self, sources, body):
        rng = self.rng
        self.kinds.add("group")
        keys = []
        for _ in range(rng.choice([1, 1, 1, 2, 2, 3])):
            key = self.plain(sources, self.settled(
                self.column(sources), body.sql()))
            r = rng.random()
            if r < 0.06 and sources[0].rowid:
                key = sources[0].alias + ".rowid"
            elif r < 0.12:
                key = rng.choice(["length(%s)", "typeof(%s)", "%s IS NULL",
                                  "substr(%s, 1, 4)"]) % key
            keys.append(key)
        some = [Piece(k) for k in keys if rng.random() < 0.9]
        some += [Piece(self.aggregate(sources, body)) for _ in range(
            rng.choice([0, 1, 1, 2, 3]))]
        some = some or [Piece("count(*)")]
        parts = ["SELECT ", listed(some), body, " GROUP BY ", ", ".join(keys)]
        if rng.random() < 0.3:
            parts.append(Piece(" HAVING ", self.having(sources, body),
                               less=[""]))
        r = rng.random()
        if r < 0.15:
            self.kinds.add("window")
            whole = Piece(*parts)
            return Piece("SELECT *, count(*) OVER () FROM (", whole, ")",
                         less=[whole]), "rows"
        if r < 0.45:
            order = ", ".join(k + rng.choice(["", "", " DESC"]) for k in
                              rng.sample(keys, len(keys)))
            if rng.random() < 0.3:
                order = "count(*)%s, %s" % (rng.choice(["", " DESC"]), order)
            parts.append(Piece(" ORDER BY " + order, Piece(
                " LIMIT %d OFFSET %d" % (rng.choice([1, 4, 30]), rng.choice(
                    [0, 0, 2])) if rng.random() < 0.6 else "", less=[""])))
            return Piece(*parts), "ordered"
        return Piece(*parts), "rows"

    def having(self, sources, body):
        rng = self.rng
        a = "%s %s %d" % (rng.choice(["count(*)", "count(DISTINCT %s)" %
                                      self.column(sources)]),
                          rng.choice([">", "<", "="]), rng.choice([1, 2, 3]))
        if rng.random() < 0.6:
            return Piece(a)
        inner, more = self.body([], 0, 1)
        self.kinds.add("having subquery")
        c = self.counted(more)
        return Piece("count(*) %s (SELECT count(*)%s" % (
            rng.choice(["<", "<>", ">="]), " + 0 * sum(%s)" % c if c else ""),
            inner, ")", less=[a])

    def windows(self, sources, body):
        rng = self.rng
        self.kinds.add("window")
        c = self.plain(sources, self.settled(self.column(sources), body.sql()))
        if rng.random() < 0.5:
            return Piece(
                "SELECT %s, count(*), sum(count(*)) OVER (), rank() OVER "
                "(ORDER BY count(*))" % c, body, " GROUP BY ", c), "rows"
        if not all(s.rowid for s in sources):
            return Piece("SELECT %s, count(*) OVER (PARTITION BY %s)" % (c, c),
                         body), "rows"
        whole = self.counted(sources)
        return Piece(
            "SELECT %s, row_number() OVER (ORDER BY %s), sum(%s) OVER "
            "(PARTITION BY %s ORDER BY %s)" % (
                c, self.total(sources, body, [c]), whole, c,
                self.total(sources, body)), body), "rows"

    def compound(self):
        rng = self.rng
        self.kinds.add("compound")
        parts = []
        for _ in range(rng.choice([2, 2, 3])):
            source, sources = self.sources([], 1, 1)
            body = Piece(" FROM ", source, Piece(
                " WHERE ", self.condition(sources, [], 1), less=[""]))
            c = self.plain(sources, self.settled(
                self.column(sources, rng.choice("abce")), body.sql()))
            if rng.random() < 0.5:
                parts.append(Piece("SELECT %s, count(*)" % c, body,
                                   " GROUP BY ", c))
            else:
                parts.append(Piece("SELECT %s, 1" % c, body))
            parts.append(rng.choice([" UNION ALL ", " UNION ALL ", " UNION ",
                                     " EXCEPT ", " INTERSECT "]))
        return Piece(*parts[:-1], less=[p for p in parts
                                        if isinstance(p, Piece)]), "rows"

    def recursed(self):
        """A recursive expression joined with others."""
        if not any(s.alias == "r" for s in self.ctes):
            begin = self.recursive() if not self.ctes else Piece("")
        else:
            begin = Piece("")
        if begin.parts == [""] and not any(s.alias == "r" for s in self.ctes):
            return self.compound()
        t = self.rng.choice(self.world.tables)
        column = self.rng.choice(t.columns)
        join = self.rng.choice([
            "SELECT i, j FROM r", "SELECT r.i, r.j, w.%s FROM r JOIN %s w ON "
            "w.%s = r.i" % (column, t.name, column),
            "SELECT r.i, (SELECT count(*) FROM %s w WHERE w.%s = r.i) FROM r" %
            (t.name, column),
            "SELECT w.%s FROM %s w WHERE w.%s IN (SELECT i FROM r)" % (
                column, t.name, column)])
        return Piece(begin, join), "rows"

    def bare(self):
        """A column beside min or max is from a row that has it."""
        rng = self.rng
        self.kinds.add("bare")
        t = rng.choice([t for t in self.world.tables if not t.native and
                        "view" not in t.name])
        key, v, c = (rng.choice(t.columns) for _ in range(3))
        where = "" if rng.random() < 0.5 else " WHERE x.rowid % 3 <> 1"
        if rng.random() < 0.3:
            return Piece("SELECT NULL, %s(x.%s), x.%s, x.rowid FROM %s x%s" % (
                rng.choice(["min", "max"]), v, c, t.name, where)), \
                ("bare", "SELECT NULL, x.%s, x.%s, x.rowid FROM %s x%s" % (
                    v, c, t.name, where))
        return Piece("SELECT x.%s, %s(x.%s), x.%s, x.rowid FROM %s x%s "
                     "GROUP BY x.%s" % (key, rng.choice(["min", "max"]), v, c,
                                        t.name, where, key)), \
            ("bare", "SELECT x.%s, x.%s, x.%s, x.rowid FROM %s x%s" % (
                key, v, c, t.name, where))
