"""Random statements over rollups, and the same over native tables.

A rollup has, for each statement, a row per combination of the dimensions that the
statement mentions.  So a Maker notes which dimensions it mentions of each table in
the FROM clause (a Ref), and asks for the native table of these.  Of unnested
tables (unnests.py) it makes the same statements.
"""
import re

import queries
from queries import quoted

MARK = re.compile("\x01(\\d+)\x02")


TEST = re.compile(r" (=|<>|!=|<|<=|>|>=|IS|NOTNULL|LIKE|GLOB)( .*)?$")


class Ref:
    """A rollup in a FROM clause."""

    def __init__(self, number, rollup, alias, rng):
        self.number, self.rollup, self.alias = number, rollup, alias
        self.mark = "\x01%d\x02" % number
        self.mentioned, self.guard = set(), rollup.guard
        self.probe = rollup.probe
        n = rollup.n_dims
        self.likely = rng.sample(range(n), min(n, rng.choice([0, 1, 1, 2, 3])))

    def name(self, i):
        if i < self.rollup.n_dims:
            self.mentioned.add(i)
        return self.alias + "." + quoted(self.rollup.columns[i][0])


class Maker:
    def __init__(self, rng, rollups):
        self.rng, self.rollups = rng, rollups
        self.refs, self.arguments, self.rough = [], [], False
        self.literal = False         # no parameters

    def ref(self, alias, rollup=None):
        r = Ref(len(self.refs), rollup or self.rng.choice(self.rollups), alias,
                self.rng)
        self.refs.append(r)
        return r

    def table(self, r):
        return "%s %s" % (r.mark, r.alias)

    def dim(self, r):
        some = r.likely if self.rng.random() < 0.8 else range(r.rollup.n_dims)
        return r.name(self.rng.choice(list(some) or [0]))

    def measure(self, r, exact=False):
        some = [i for i, m in enumerate(r.rollup.measures)
                if not exact or m.how == "exact"]
        if not some:
            return "1"
        i = self.rng.choice(some)
        self.rough |= r.rollup.measures[i].how != "exact"
        return r.name(r.rollup.n_dims + i)

    def value(self, v):
        v = queries.bindable(v)
        if self.literal or self.rng.random() < 0.5:
            text = queries.literal(v)
            if text is not None or self.literal:
                return text or "NULL"
        sql, arguments = queries.parameter(v)
        self.arguments += arguments
        return sql.replace("?", "?%d" % len(self.arguments))

    def near(self, r, i):
        v = r.rollup.sample(self.rng, i)
        sql = self.value(queries.near(self.rng, v)
                         if self.rng.random() < 0.5 else v)
        return sql if self.rng.random() < 0.94 else "CAST(%s AS %s)" % (
            sql, self.rng.choice(["INTEGER", "NUMERIC", "TEXT", "BLOB"]))

    def term(self, r):
        rng = self.rng
        if rng.random() < 0.25:
            some = [r.rollup.n_dims + i
                    for i, m in enumerate(r.rollup.measures)
                    if m.how == "exact"]
            i = rng.choice(some) if some else 0
        else:
            some = r.likely if rng.random() < 0.8 else []
            i = rng.choice(list(some) or range(r.rollup.n_dims))
        c = r.name(i)
        kind = rng.randrange(14)
        if kind < 7:
            op = rng.choice(["=", "=", "=", "<", "<=", ">", ">=", "<>", "IS",
                             "IS NOT"])
            return "%s %s %s" % (c, op, self.near(r, i))
        if kind == 7:
            return "%s IN (%s)" % (c, ", ".join(
                self.near(r, i) for _ in range(rng.choice([1, 2, 5]))))
        if kind == 8:
            return "%s BETWEEN %s AND %s" % (c, self.near(r, i),
                                             self.near(r, i))
        if kind == 9:
            return "%s IS %sNULL" % (c, rng.choice(["", "NOT "]))
        if kind == 10 and rng.random() < 0.5:
            return "%s LIKE substr(%s, 1, %d) || '%%'" % (
                c, self.near(r, i), rng.randint(3, 11))
        if kind == 10:
            return "%s %s %s" % (c, rng.choice(["LIKE", "GLOB"]), rng.choice(
                ["'a%'", "'%1%'", "'2*'", "'*'", "'a_c%'", "'20%'"]))
        if kind == 11:
            return "%s IN (SELECT k FROM %s)" % (c, r.rollup.base.keys)
        if kind == 12:
            return "NOT (%s = %s)" % (c, self.near(r, i))
        return "+%s > %s" % (c, self.near(r, i))

    def condition(self, r):
        rng = self.rng
        kind = rng.randrange(10)
        if kind < 6:
            return self.term(r)
        if kind < 8:
            return "(%s OR %s)" % (self.term(r), self.term(r))
        return "%s AND %s" % (self.term(r), self.term(r))

    def tests(self, r):
        """The dimensions that are 1, 0 or NULL."""
        return [i for i, d in enumerate(r.rollup.dims) if TEST.search(d.text)]

    def where(self, r, share=0.6):
        terms = [self.condition(r)] if self.rng.random() < share else []
        if self.tests(r) and self.rng.random() < 0.2:
            terms.append(self.rng.choice(["", "NOT "]) +
                         r.name(self.rng.choice(self.tests(r))))
        if r.probe and self.rng.random() < 0.4:
            terms.append("%s.%s" % (r.alias, r.probe))
        if r.guard:
            terms.append("%s.%s" % (r.alias, r.guard))
        return " WHERE " + " AND ".join(terms) if terms else ""

    def shown(self, r, exact=False):
        some = [r.name(i) for i in r.likely] + \
            [self.measure(r, exact) for _ in range(self.rng.randrange(3))]
        if r.rollup.nested and self.rng.random() < 0.3:
            some.append(r.alias + "." + quoted(self.rng.choice(
                r.rollup.nested)))
        return some or [self.measure(r, exact)]

    def plain(self):
        rng, r = self.rng, self.ref("x")
        cut = rng.random() < 0.4
        shown, w = self.shown(r, cut), self.where(r)
        cut = cut and not r.rollup.nested
        if rng.random() < 0.15:
            shown = ["\x06%d\x06" % r.number]
            for i in range(r.rollup.n_dims):
                r.name(i)
            self.rough |= any(m.how != "exact" for m in r.rollup.measures)
        sql = "SELECT %s FROM %s%s" % (", ".join(shown), self.table(r), w)
        if not cut:
            return sql, "rows"
        order = [r.name(i) for i in sorted(r.mentioned)]
        rng.shuffle(order)
        if rng.random() < 0.5:
            order.insert(0, self.measure(r, True))
        if not order or "\x06" in shown[0]:
            return sql, "rows"
        sql += " ORDER BY " + ", ".join(o + rng.choice(["", "", " DESC"])
                                        for o in order)
        return sql + rng.choice(["", " LIMIT 3", " LIMIT 5 OFFSET 2"]), \
            "ordered"

    def grouped(self):
        rng, r = self.rng, self.ref("x")
        by = [self.dim(r) for _ in range(rng.choice([1, 1, 2]))]
        made = [rng.choice(["sum(%s)", "max(%s)", "min(%s)", "count(%s)",
                            "count(DISTINCT %s)"]) % self.measure(r, True)
                for _ in range(2)] + rng.choice([[], ["count(*)"], [
                    "max(%s)" % self.dim(r)]])
        having = rng.choice(["", "", " HAVING count(*) > 1", " HAVING max(%s) "
                             "> 2" % self.measure(r, True)])
        sql = "SELECT %s FROM %s%s GROUP BY %s%s" % (
            ", ".join(by + made), self.table(r), self.where(r),
            ", ".join(by), having)
        self.rough = True            # sums of sums may be of any numbers
        if rng.random() < 0.5:
            return sql, "rows"
        if not having and rng.random() < 0.5:
            sql += " HAVING count(*) > %s" % self.value(0)
        order = rng.choice([by, by, ["(%s)" % c for c in by],
                            ["%d" % (i + 1) for i in range(len(by))],
                            [c + " DESC" for c in by]])
        return sql + " ORDER BY %s LIMIT %d" % (
            ", ".join(order), rng.choice([2, 7, 99])), "ordered"

    def lined(self):
        """Groups of some of the dimensions that are mentioned, in many orders."""
        rng, r = self.rng, self.ref("x")
        by = list(dict.fromkeys(self.dim(r) for _ in range(rng.choice([1, 1, 2, 3]))))
        others = [rng.choice(["count(%s)", "count(%s)", "max(%s)",
                              "count(DISTINCT %s)"]) % r.name(
                                  rng.randrange(r.rollup.n_dims))
                  for _ in range(rng.choice([0, 1, 1, 2]))]
        made = ["count(*)", "sum(%s)" % self.measure(r, True)]
        self.rough = True
        if rng.random() < 0.25:
            sql = "SELECT DISTINCT %s FROM %s%s" % (
                ", ".join(by), self.table(r), self.where(r))
        else:
            sql = "SELECT %s FROM %s%s GROUP BY %s" % (
                ", ".join(by + others + made), self.table(r), self.where(r),
                ", ".join(rng.sample(by, len(by))))
        if rng.random() < 0.35:
            return sql, "loose" if "DISTINCT" in sql else "rows"
        order = rng.sample(by, len(by))
        some = order if rng.random() < 0.7 else order[:1]
        sql += " ORDER BY " + ", ".join(o + rng.choice(
            ["", "", "", " DESC", " DESC", " NULLS LAST", " COLLATE NOCASE"])
            for o in some)
        if len(some) < len(by) or "NOCASE" in sql:
            return sql, "loose" if "DISTINCT" in sql else "rows"
        return sql + rng.choice(["", "", " LIMIT 5", " LIMIT 40 OFFSET 3"]), "ordered"

    def comparison(self, r):
        """Of a dimension with values, as a term alone."""
        rng = self.rng
        i = rng.choice(r.likely if r.likely and rng.random() < 0.3
                       else range(r.rollup.n_dims))
        tests = self.tests(r)
        if tests and rng.random() < 0.4:
            c = r.name(rng.choice(tests))
            return rng.choice(["%s", "%s", "NOT %s", "%s = 1", "%s = 0", "%s IS 1",
                               "%s == 1.0", "%s = 2", "%s = '1'"]) % c
        c, kind = r.name(i), rng.randrange(12)
        op = rng.choice(["=", "==", "<", "<=", ">", ">=", "IS", "<>"])
        if kind < 6:
            return "%s %s %s" % (c, op, self.near(r, i))
        if kind == 6:
            return "%s %s %s" % (self.near(r, i), op, c)
        if kind == 7:
            return "%s BETWEEN %s AND %s" % (c, self.near(r, i), self.near(r, i))
        if kind == 8:
            return "%s IN (%s)" % (c, ", ".join(
                self.near(r, i) for _ in range(rng.choice([1, 2, 4]))))
        if kind == 9:
            return rng.choice(["%s IS NULL", "%s IS NOT NULL", "%s NOTNULL"]) % c
        return rng.choice(["%s", "NOT %s"]) % c if kind == 10 else "%s >= %s" % (
            c, self.near(r, i))

    def added(self):
        """Measures are added up as they were, and conditions compare dimensions
        that mostly nothing else mentions: they need not split groups."""
        rng, r = self.rng, self.ref("x")
        some = [i for i, m in enumerate(r.rollup.measures) if m.how == "exact"]
        if not some:
            return self.grouped()
        by = [self.dim(r) for _ in range(rng.choice([0, 1, 1, 2]))]
        made = []
        for i in [rng.choice(some) for _ in range(rng.choice([1, 1, 2]))]:
            word = r.rollup.measures[i].text.split("(")[0]
            word = rng.choice(["sum", "sum", "total"]) \
                if word in ("sum", "count") else word
            made.append("%s(%s)" % (word, r.name(r.rollup.n_dims + i)))
        terms = [self.condition(r) if rng.random() < 0.2 else self.comparison(r)
                 for _ in range(rng.choice([1, 1, 2, 3]))]
        shown = by + [m + rng.choice(["", "", " AS m%d" % i])
                      for i, m in enumerate(made)]
        shown += ["max(%s)" % self.dim(r)] if rng.random() < 0.1 else []
        sql = "SELECT %s FROM %s WHERE %s" % (
            ", ".join(shown), self.table(r), " AND ".join(terms))
        self.rough = True
        if not by:
            return sql, "rows"
        sql += " GROUP BY " + rng.choice([", ".join(by), ", ".join(
            "%d" % (i + 1) for i in range(len(by)))])
        if rng.random() < 0.15:
            sql += " HAVING %s > %s" % (
                rng.choice([made[0], "max(%s)" % self.dim(r)]), self.value(1))
        if rng.random() < 0.5:
            return sql, "rows"
        first = rng.choice(["%d" % (len(by) + 1), made[0], by[0]])
        return sql + " ORDER BY %s%s, %s LIMIT %d%s" % (
            first, rng.choice(["", " DESC", " DESC", " ASC"]), ", ".join(by),
            rng.choice([1, 3, 10]), rng.choice(["", "", " OFFSET 2"])), "ordered"

    def ordered_by(self, r):
        """What rows of several groups are ordered by; often they are counted."""
        rng = self.rng
        some = [i for i, m in enumerate(r.rollup.measures) if m.how == "exact"]
        if not some or rng.random() < 0.6:
            return rng.choice(["count(%s)", "count(%s)", "count(DISTINCT %s)",
                               "count(*)"]).replace("%s", self.dim(r))
        i = rng.choice(some)
        word = r.rollup.measures[i].text.split("(")[0]
        return "%s(%s)" % ("sum" if word == "count" else word,
                           r.name(r.rollup.n_dims + i))

    def top(self):
        """Only the first rows in an order are wanted, or any rows."""
        rng, r = self.rng, self.ref("x")
        by = list(dict.fromkeys(self.dim(r) for _ in range(rng.choice([1, 1, 2, 3]))))
        key = self.ordered_by(r)
        terms = [self.condition(r) if rng.random() < 0.1 else self.comparison(r)
                 for _ in range(rng.choice([0, 0, 1, 1, 2]))]
        shown = by + [key + " AS k"] + rng.choice(
            [[], [self.ordered_by(r)], ["max(%s)" % self.dim(r), "count(*)"]])
        sql = "SELECT %s FROM %s%s GROUP BY %s%s" % (
            ", ".join(shown), self.table(r), " WHERE " + " AND ".join(terms)
            if terms else "", ", ".join(rng.sample(by, len(by))),
            rng.choice([""] * 8 + [" HAVING count(*) > 1", " HAVING k > 2"]))
        self.rough = True
        n, after = rng.choice([1, 2, 3, 10, 40]), rng.choice([0, 0, 0, 2, 9])
        limit = " LIMIT %d%s" % (n, " OFFSET %d" % after if after else "")
        first = " ORDER BY %s%s" % (rng.choice(["k", "%d" % (len(by) + 1), key]),
                                    rng.choice(["", " DESC", " DESC", " ASC"]))
        if rng.random() < 0.5:
            return sql + "%s, %s%s" % (first, ", ".join(by), limit), "ordered"
        first = rng.choice([first, first, ""])
        return sql + first + "\x05%s\x05" % limit, (n, after, len(by) if first else None)

    def whole(self):
        rng, r = self.rng, self.ref("x")
        some = rng.choice([["count(*)"], [self.measure(r)],
                           ["sum(%s)" % self.measure(r, True), "count(*)"],
                           ["max(%s)" % self.dim(r)],
                           ["min(%s)" % self.dim(r), "count(*)"],
                           ["count(DISTINCT %s)" % self.dim(r)]])
        self.rough = True
        return "SELECT %s FROM %s%s" % (", ".join(some), self.table(r),
                                        self.where(r, 0.4)), "rows"

    def distinct(self):
        r = self.ref("x")
        return "SELECT DISTINCT %s FROM %s%s" % (
            ", ".join(self.dim(r) for _ in range(2)), self.table(r),
            self.where(r)), "loose"

    def joined(self):
        rng, r = self.rng, self.ref("x")
        keys = r.rollup.base.keys
        on = "%s %s n.k" % (self.dim(r), rng.choice(["=", "=", "=", "IS", "<"]))
        if rng.random() < 0.2:
            on += " AND " + self.condition(r)
        pair = [keys + " n", self.table(r)]
        if rng.random() < 0.3:
            pair.reverse()
        way = rng.choice(["JOIN", "JOIN", "CROSS JOIN", "LEFT JOIN",
                          "RIGHT JOIN", "FULL JOIN"])
        return "SELECT n.k, n.w, %s FROM %s %s %s ON %s%s" % (
            ", ".join(self.shown(r)), pair[0], way, pair[1], on,
            self.where(r, 0.3)), "rows"

    def itself(self):
        rng, x = self.rng, self.ref("x")
        y = self.ref("y", x.rollup if rng.random() < 0.7 else None)
        i = rng.choice(x.likely or [0])
        k = i if y.rollup is x.rollup else rng.randrange(y.rollup.n_dims)
        on = "%s %s %s" % (x.name(i), rng.choice(["=", "=", "IS"]), y.name(k))
        return "SELECT %s FROM %s %s %s ON %s%s" % (
            ", ".join(self.shown(x) + self.shown(y)), self.table(x),
            rng.choice(["JOIN", "JOIN", "LEFT JOIN"]), self.table(y), on,
            self.where(x, 0.4)), "rows"

    def ordinary(self):
        """Joined with the rows of the file."""
        rng, r = self.rng, self.ref("x")
        b = r.rollup.base
        c = quoted(rng.choice(b.columns)[0])
        on = "%s = t.%s" % (self.dim(r), c)
        self.rough = True
        return "SELECT count(*), count(%s), max(%s), max(t.%s) FROM \x03%s\x04 t" \
            " %s %s ON %s%s" % (
                self.dim(r), self.dim(r), c, b.ordinary,
                rng.choice(["JOIN", "LEFT JOIN", "CROSS JOIN"]), self.table(r),
                on, self.where(r, 0.4)), "rows"

    def correlated(self):
        rng, r = self.rng, self.ref("x")
        keys = r.rollup.base.keys
        w = "%s = n.k" % self.dim(r)
        if rng.random() < 0.3:
            w += rng.choice([" AND ", " OR "]) + self.condition(r)
        inner = rng.choice([
            "(SELECT sum(%s) FROM @ WHERE %s)" % (self.measure(r, True), w),
            "(SELECT count(*) FROM @ WHERE %s)" % w,
            "(SELECT max(%s) FROM @ WHERE %s)" % (self.dim(r), w),
            "EXISTS (SELECT 1 FROM @ WHERE %s)" % w,
            "n.k IN (SELECT %s FROM @ WHERE %s)" % (self.dim(r), w)])
        self.rough = True
        return "SELECT n.k, n.w, %s FROM %s n" % (
            inner.replace("@", self.table(r)), keys), "rows"

    def inside(self):
        r = self.ref("x")
        return "SELECT n.k, n.w FROM %s n WHERE n.k %sIN (SELECT %s FROM %s%s)" \
            % (r.rollup.base.keys, self.rng.choice(["", "NOT "]), self.dim(r),
               self.table(r), self.where(r)), "rows"

    def compound(self):
        rng, x, y = self.rng, self.ref("x"), self.ref("y")
        by = ["", ""]
        shown = [[self.dim(r), self.measure(r, True)] for r in (x, y)]
        if rng.random() < 0.5:       # its ORDER BY is that of both
            shown = [[self.dim(r), self.dim(r)] for r in (x, y)]
            by = [" GROUP BY %s COLLATE BINARY, %s COLLATE BINARY" % tuple(s)
                  for s in shown]
        return "SELECT %s FROM %s%s %s SELECT %s FROM %s%s%s" % (
            ", ".join(shown[0]), self.table(x), self.where(x) + by[0],
            rng.choice(["UNION ALL", "UNION", "EXCEPT", "INTERSECT"]),
            ", ".join(shown[1]), self.table(y), self.where(y) + by[1],
            rng.choice(["", " ORDER BY 1", " ORDER BY 2"])), "loose"

    def window(self):
        r = self.ref("x")
        d, m = self.dim(r), self.measure(r, True)
        return "SELECT %s, %s, sum(%s) OVER (PARTITION BY %s), rank() OVER " \
            "(ORDER BY %s) FROM %s%s" % (d, m, m, self.dim(r), m,
                                         self.table(r), self.where(r)), "rows"

    def common(self):
        r = self.ref("x")
        self.rough = True
        return "WITH q AS %s(SELECT %s AS k, %s AS v FROM %s%s) SELECT a.k, a.v," \
            " b.v FROM q a JOIN q b ON a.k IS b.k" % (
                self.rng.choice(["", "MATERIALIZED "]), self.dim(r),
                self.measure(r), self.table(r), self.where(r)), "rows"

    def viewed(self):
        """A view of some of its columns, all of which are asked for."""
        self.literal, self.rough = True, True
        rng, r = self.rng, self.ref("x")
        dims = [r.name(i) for i in r.likely] or [r.name(0)]
        made = [self.measure(r, True)]
        view = "CREATE TEMP VIEW vw AS SELECT %s FROM %s%s" % (
            ", ".join("%s AS c%d" % (c, i)
                      for i, c in enumerate(dims + made)),
            self.table(r), self.where(r, 0.4))
        names = ["c%d" % i for i in range(len(dims + made))]
        sql = rng.choice([
            "SELECT * FROM vw", "SELECT %s, sum(%s) FROM vw GROUP BY %s" % (
                ", ".join(names[:-1]), names[-1], ", ".join(names[:-1])),
            "SELECT n.w, vw.* FROM %s n JOIN vw ON vw.c0 = n.k" %
            r.rollup.base.keys,
            "SELECT * FROM vw WHERE c0 > 'a' OR c0 < 3"])
        return ";;".join([view, sql, "DROP VIEW vw"]), "rows"

    def triggered(self):
        """A trigger reads it for each row that a native table gets."""
        self.literal, self.rough = True, True
        r = self.ref("x")
        return ";;".join([
            "CREATE TEMP TABLE got(k, v)", "CREATE TEMP TABLE put(k)",
            "CREATE TEMP TRIGGER fire AFTER INSERT ON put BEGIN INSERT INTO "
            "got SELECT %s, %s FROM %s WHERE %s = new.k; END" % (
                self.dim(r), self.measure(r, True), self.table(r),
                self.dim(r)),
            "INSERT INTO put SELECT k FROM " + r.rollup.base.keys,
            "SELECT * FROM got", "DROP TABLE put", "DROP TABLE got"]), "rows"

    def statement(self):
        way, = self.rng.choices(
            [self.plain, self.grouped, self.lined, self.added, self.top, self.whole,
             self.distinct,
             self.joined, self.itself, self.ordinary, self.correlated, self.inside,
             self.compound, self.window, self.common, self.viewed,
             self.triggered],
            [9, 4, 4, 6, 5, 3, 1, 4, 2, 1, 3, 1, 1, 1, 1, 1, 0.5])
        sql, how = way()
        sql = queries.glued(sql)
        # What was drawn and not taken is not mentioned.
        for r in self.refs:
            r.mentioned = {
                i for i in range(r.rollup.n_dims)
                if r.alias + "." + quoted(r.rollup.columns[i][0]) in sql or
                "\x06%d\x06" % r.number in sql}
            # Of 0 and 0.0 in one group either is shown.
            self.rough |= any(r.rollup.dims[i].how == "loose"
                              for i in r.mentioned)
        return sql, how, way.__name__

    def ours(self, sql):
        sql = re.sub("\x06.*\x06", "*", re.sub("\x03(\\w+)\x04", r"\1", sql))
        sql = sql.replace("\x05", "")
        return MARK.sub(lambda m: self.refs[int(m[1])].rollup.name, sql)

    def theirs(self, sql, copy=None):
        # An unused column of the copy does not matter, and it has them all.
        sql = re.sub("\x05.*\x05", "", re.sub("\x03t(\\d+)\x04", r"q\1", sql), flags=re.S)
        sql = re.sub("\x06(.*)\x06", lambda m: ", ".join(
            quoted(c) for c in self.refs[int(m[1])].rollup.visible), sql)
        return MARK.sub(lambda m: self.refs[int(m[1])].rollup.reference(
            self.refs[int(m[1])].mentioned, copy), sql)
