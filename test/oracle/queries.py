"""Random queries over a table t, and which parts of two answers must agree.

TABLE stands for the table's name in the SQL, so that the same query runs over
the Parquet table and over its copy.  A condition is a tree, so that a failing
one can be made smaller:

    ("and" | "or" | "not", [condition, ...])     ("term", sql, arguments, tag)

tag is the column and the operator, if the term is that simple.
"""
import datetime
import math
import random
import re
import time

TABLE = "\x01"
T = TABLE + " AS t"


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


# A word after a parameter, a bracket or a quote needs no blank before it.
WORDS = re.compile(r"(\?\d*|[)'\"\]]|) (ORDER|GROUP|HAVING|LIMIT|LEFT|RIGHT|"
                   r"FULL|WHERE|UNION|COLLATE|DESC|IS)\b")
BLANKS = [" \ufeff", " \ufeff\ufeff", "/*ORDER BY*/", "/*\"*/ --'\ufeff\n"]


def glued(sql):
    """The same tokens, in some texts with other blanks between them, or none."""
    rng = random.Random(sql.encode("utf-8", "surrogateescape"))

    def other(m):
        return m[0] if rng.random() < 0.3 else m[1] + (
            "" if m[1] and rng.random() < 0.5 else rng.choice(BLANKS)) + m[2]
    return WORDS.sub(other, sql) if rng.random() < 0.4 else sql


class Patience:
    """A progress handler: stops a statement when it is called for the last time, or
    took these seconds of the processor."""

    def __init__(self, calls, seconds=math.inf):
        self.left, self.until = calls, time.process_time() + seconds

    def __call__(self):
        self.left -= 1
        return self.left < 0 or time.process_time() > self.until


# ---- values ------------------------------------------------------------------

STRAY = [None, None, None, 0, 1, -1, 2024, 2**53, 2**53 + 1, -2**63, 2**63 - 1,
         10**15, 0.0, -0.0, 0.5, 1e300, -1e300, 9007199254740993.0,
         9223372036854775808.0,
         -9223372036854775808.0, 5e-324, float("inf"), float("-inf"), "", "0",
         "1", "01", "1.0", " 1", "1 ", "1e0", "1e1", "a", "abc", "ABC", "zzz",
         "2024", "2024-03", "2024-01-01", "-1", "9007199254740993", "\uffff",
         "18446744073709551615", "9223372036854775808",
         18446744073709551615.0, "inf", "nan", "NaN", "-NaN", "Inf",
         "\u0100", "12:00", "1970-01-01 00:00:00", "-0", "0.0", "1x", b"",
         b"\x00", b"1", b"a", b"abc", b"\xff\xff", "9" * 20, ".5", "1.e0",
         "1\x00", "\x00", "5.0\x00x", "2024-01-01T00:00:00Z",
         "2024-03-01T12:00:00.123+01:00", "1970-01-01T00:00:00",
         "2000-02-29 12:00:00Z"]


def near(rng, v):
    """v, a neighbour of it, or the same in another class."""
    if v is None or rng.random() < 0.15:
        return rng.choice(STRAY)
    if isinstance(v, int):
        return rng.choice([v, v, v, v, v - 1, v + 1, float(v), str(v),
                           str(float(v)), v + 0.5, -v, " %d " % v,
                           str(v).encode(), v * 2, "0%d" % v])
    if isinstance(v, float):
        if math.isinf(v):
            return rng.choice([v, v, -v, 1.7976931348623157e308])
        return rng.choice([v, v, v, v, -v, repr(v), v + 0.5,
                           math.nextafter(v, 1e308) if hasattr(
                               math, "nextafter") else v * (1 + 2**-52),
                           v - 0.125, int(v), repr(v) + "0", "+" + repr(v),
                           v * 1.0000001])
    if isinstance(v, str):
        number = None
        try:
            number = int(v) if len(v) < 18 else float(v)
        except ValueError:
            pass
        some = [v, v, v, v, v[:-1], v + "a", v[:4], v[:7], v[:10], v.lower(),
                v.upper(), v + " ", " " + v, v + "0", v[:-1] + "~",
                v.encode("utf-8", "surrogateescape"), v + ".0", v + "\x00",
                v.replace(" ", "T") + "Z"]
        if number is not None:
            some += [number, float(number), number + 1]
        elif v[:2].isdigit() and v[:2].isascii():
            some += [int(v[:2]) + 1, int(v[:2]), 9]
        return rng.choice(some)
    return rng.choice([v, v, v, v[:-1], v + b"\x00", v[:-1] + b"\xff",
                       v.decode("utf-8", "surrogateescape")])


STAMP = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.(?:\d{3}){1,3})?", re.A)
EPOCH = datetime.datetime(1970, 1, 1)


def spelled(rng, v):
    """SQL for the instant that v is, as programs write instants, or None if v
    is not the text of a TIMESTAMP."""
    match = isinstance(v, str) and STAMP.fullmatch(v)
    part = match and match.group(1) or ""
    if not match or part.endswith("000"):
        return None
    try:
        at = datetime.datetime.fromisoformat(v[:19])
        ahead = rng.choice([0, 0, 120, -210, 840, -60])
        there = at + datetime.timedelta(minutes=ahead)
    except (ValueError, OverflowError):
        return None
    if len(part) < 8 and 1750 < at.year < 2200 and rng.random() < 0.3:
        seconds = (at - EPOCH) // datetime.timedelta(seconds=1)
        return repr(seconds + float(part)) if part else str(seconds)
    zone = "%s%02d%s%02d" % ("-" if ahead < 0 else "+", abs(ahead) // 60,
                             rng.choice([":", ""]), abs(ahead) % 60)
    part += "0" * rng.randrange(4) if part else rng.choice(["", "", ".0", ".000"])
    return "'%s%s%s%s'" % (
        there.isoformat(rng.choice(["T", "T", " "])), part,
        rng.choice(["", " "]) if ahead else "",
        zone if ahead else rng.choice(["", "", "Z", "+00:00"]))


def bindable(v):
    """An integer that is too large becomes a REAL, as when SQLite reads it."""
    if isinstance(v, int) and not -2**63 <= v < 2**63:
        return float(v)
    return v


def is_text(v):
    return isinstance(v, str) and not any("\ud800" <= c <= "\udfff" for c in v)


def literal(v):
    """SQL for v, or None if no literal has exactly that value."""
    if v is None:
        return "NULL"
    if isinstance(v, int):
        return str(v)
    if isinstance(v, float):
        return ("9e999" if v > 0 else "-9e999") if math.isinf(v) else repr(v)
    if isinstance(v, bytes):
        return "x'%s'" % v.hex()
    return None if not is_text(v) or "\x00" in v or TABLE in v \
        else "'" + v.replace("'", "''") + "'"


def parameter(v):
    if isinstance(v, str) and not is_text(v):
        return "CAST(? AS TEXT)", [v.encode("utf-8", "surrogateescape")]
    return "?", [v]


def argument(rng, v):
    """A value to bind to a parameter instead of v."""
    v = bindable(near(rng, v))
    return v if not isinstance(v, str) or is_text(v) \
        else v.encode("utf-8", "surrogateescape")


# ---- conditions --------------------------------------------------------------

OPERANDS = ["i", "r", "t", "n", "b", "x", "nc", "rt"]
OPERAND_TABLE = """CREATE TEMP TABLE o(i INTEGER, r REAL, t TEXT, n NUMERIC,
    b BLOB, x, nc TEXT COLLATE NOCASE, rt TEXT COLLATE RTRIM)"""
CASTS = ["INTEGER", "REAL", "TEXT", "NUMERIC", "BLOB"]
COMPARISONS = ["=", "=", "=", "<", "<=", ">", ">=", "<>", "IS", "IS NOT"]
FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}

# A sweep asks one of each, in turn, on a column of every type.
SWEEP = ["=", "<", "<=", ">", ">=", "BETWEEN", "IN", "IS", "<>", "IS NOT",
         "NOT IN", "IS NULL", "IS NOT NULL", "LIKE", "GLOB"]


def term(sql, arguments, tag=None):
    return ("term", sql, arguments, tag)


def render(condition):
    """(SQL, arguments)"""
    if condition[0] == "term":
        return condition[1], condition[2]
    parts = [render(c) for c in condition[1]]
    arguments = [a for p in parts for a in p[1]]
    if condition[0] == "not":
        return "NOT (%s)" % parts[0][0], arguments
    return "(" + (" %s " % condition[0].upper()).join(
        p[0] for p in parts) + ")", arguments


def smaller(condition):
    """Conditions with something left out."""
    if condition[0] == "term":
        return
    for i, c in enumerate(condition[1]):
        yield c
        if len(condition[1]) > 1:
            yield (condition[0], condition[1][:i] + condition[1][i + 1:])
        for less in smaller(c):
            yield (condition[0], condition[1][:i] + [less] +
                   condition[1][i + 1:])


class Maker:
    """Makes queries about one table.

    columns: names; values: some of each by name; number_texts: texts that look
    like numbers, by name; zeros: columns of REALs that have a zero; plain: the
    columns that LIKE may be used on.  Those are not REALs: -0.0 is another text
    in a native table, and SQLite makes ranges of a GLOB '1.5e-*' that REALs are
    never in.
    """

    def __init__(self, rng, table):
        self.rng, self.table = rng, table
        self.joined = False          # may operands come from o?

    def value(self, column):
        return bindable(near(self.rng, self.rng.choice(
            self.table.values[column])))

    def plain_operand(self, column):
        """A literal or a parameter."""
        v = self.value(column)
        text = literal(v)
        if text is not None and self.rng.random() < 0.6:
            return text, []
        return parameter(v)

    def operand(self, column):
        kind = self.rng.randrange(24)
        if kind == 0:
            return "NULL", []
        if kind < 4 and self.joined:
            return "o." + self.rng.choice(OPERANDS), []
        if kind == 4:
            return "t." + quoted(self.rng.choice(self.table.columns)), []
        if kind in (12, 13):
            v = self.rng.choice(self.table.values[column])
            there = spelled(self.rng, v)
            if there:                # the copy is asked for v itself
                return "iif('%s' = 'copy', '%s', parquet_timestamp(%s))" % (
                    TABLE, v, there), []
        sql, arguments = self.plain_operand(column)
        if kind == 5:
            return "CAST(%s AS %s)" % (sql, self.rng.choice(CASTS)), arguments
        if kind == 6:
            return "+" + sql if not sql.startswith(("-", "+")) else sql, \
                arguments
        if kind == 7:
            return "(SELECT %s)" % sql, arguments
        if kind == 8:
            return "(SELECT %s FROM o WHERE rowid = %d)" % (
                self.rng.choice(OPERANDS), self.rng.randrange(1, 9)), []
        if kind == 9:
            return "(%s COLLATE %s)" % (sql, self.rng.choice(
                ["NOCASE", "RTRIM", "BINARY"])), arguments
        if kind == 10:
            return "(%s || '')" % sql, arguments
        if kind == 11:
            return "coalesce(NULL, %s)" % sql, arguments
        return sql, arguments

    def simple(self, column, op, operand=None):
        """One term of the given operator, tagged."""
        operand = operand or self.operand
        name, rng = "t." + quoted(column), self.rng
        if op.endswith(("LIKE", "GLOB")) and column not in self.table.plain:
            op = "IS NOT NULL"
        tag = (column, op)
        if op in ("IS NULL", "IS NOT NULL"):
            return term("%s %s" % (name, op), [], tag)
        if op in ("IN", "NOT IN"):
            parts = [operand(column) for _ in range(
                rng.choice([1, 2, 3, 4, 5, 14]))]
            return term("%s %s (%s)" % (name, op, ", ".join(
                p[0] for p in parts)), [a for p in parts for a in p[1]], tag)
        if op == "BETWEEN":
            low, high = operand(column), operand(column)
            return term("%s BETWEEN %s AND %s" % (name, low[0], high[0]),
                        low[1] + high[1], tag)
        if op in ("LIKE", "GLOB", "NOT LIKE", "NOT GLOB"):
            sql, arguments = self.pattern(column, op.endswith("GLOB"))
            return term("%s %s %s" % (name, op, sql), arguments, tag)
        sql, arguments = operand(column)
        if op in FLIPPED and rng.random() < 0.15:
            return term("%s %s %s" % (sql, FLIPPED[op], name), arguments, tag)
        if op in ("=", "<>", "IS", "IS NOT") and rng.random() < 0.1:
            return term("%s %s %s" % (sql, op, name), arguments, tag)
        return term("%s %s %s" % (name, op, sql), arguments, tag)

    def pattern(self, column, glob):
        rng = self.rng
        v = rng.choice(self.table.values[column])
        text = v if is_text(v) else str(v) if isinstance(v, (int, float)) \
            else "1"
        text = text[:30]
        a, b = sorted((rng.randrange(len(text) + 1),
                       rng.randrange(len(text) + 1)))
        many, one = ("*", "?") if glob else ("%", "_")
        pattern = rng.choice(["[a-zA-Z]*", "[0-9]*", "*[a-c0-9]"]) \
            if glob and rng.random() < 0.3 else rng.choice([
            text, text[:a] + many, many + text[a:], many + text[a:b] + many,
            text[:a] + one + text[a + 1:], text[:a] + many + text[b:],
            text.upper(), text.lower() + many, text.swapcase()[:a] + many,
            "", many, one, "[a-c]*" if glob else "_b%",
            text[:b] + "[" + text[b:], many + "ü" + many])
        if text[:1].isdigit() and rng.random() < 0.5:
            near_by = self.value(column)     # a year, a month, a day, an hour
            text = near_by if is_text(near_by) else text
            pattern = text[:rng.choice([1, 3, 4, 6, 7, 9, 10, 13, 16, 18, 21])] + many
        as_literal = literal(pattern)
        if as_literal is not None and rng.random() < 0.6:
            sql, arguments = as_literal, []
        else:
            sql, arguments = parameter(pattern)
        if not glob and rng.random() < 0.08:
            return sql + " ESCAPE '%s'" % rng.choice("\\a%1"), arguments
        return sql, arguments

    def likeable(self):
        some = [c for c in self.table.columns if c in self.table.plain]
        return self.rng.choice(some) if some else None

    def rowid(self):
        rng = self.rng
        ids = self.table.rowids or [0]

        def one():
            v = rng.choice(ids)
            v = rng.choice([v, v, v, v - 1, v + 1, float(v), str(v), v + 0.5,
                            None, "x", 2**63 - 1, -1, b"1"])
            return literal(v) if rng.random() < 0.6 else "?", v

        parts = [one() for _ in range(rng.randrange(1, 5))]

        def bound(some):
            return [p[1] for p in some if p[0] == "?"]
        kind = rng.randrange(4)
        if kind == 0:
            return term("t.rowid IN (%s)" % ", ".join(p[0] for p in parts),
                        bound(parts))
        if kind == 1 and len(parts) > 1:
            return term("t.rowid BETWEEN %s AND %s" % (parts[0][0],
                                                       parts[1][0]),
                        bound(parts[:2]))
        return term("t.rowid %s %s" % (rng.choice(
            ["=", "<", "<=", ">", ">=", "IS", "<>"]), parts[0][0]),
            bound(parts[:1]))

    def odd(self, column):
        """Terms that SQLite does not pass to the table as one constraint."""
        rng, name = self.rng, "t." + quoted(column)
        sql, arguments = self.operand(column)
        other = "t." + quoted(rng.choice(self.table.columns))
        kind = rng.randrange(14)
        if kind > 9:
            return self.in_many(name)
        if kind == 0:
            return term("%s IN (SELECT %s FROM o)" % (
                name, rng.choice(OPERANDS)), [])
        if kind == 1:
            return term("%s NOT IN (SELECT %s FROM o WHERE %s IS NOT NULL)" %
                        ((name,) + (rng.choice(OPERANDS),) * 2), [])
        if kind == 2:
            return term("typeof(%s) = %s" % (name, rng.choice(
                ["'text'", "'integer'", "'real'", "'null'", "'blob'"])), [])
        if kind == 3:
            return term("+%s %s %s" % (name, rng.choice(COMPARISONS), sql),
                        arguments)
        if kind == 4:
            return term("(%s, %s) %s (%s, %s)" % (
                name, other, rng.choice(["=", "<", ">=", "IS"]), sql, other),
                arguments)
        if kind == 5:
            return term("%s %s %s COLLATE %s" % (
                name, rng.choice(COMPARISONS), sql,
                rng.choice(["NOCASE", "RTRIM"])), arguments)
        if kind == 6:
            return term("EXISTS (SELECT 1 FROM o AS p WHERE p.%s %s %s)" % (
                rng.choice(OPERANDS), rng.choice(COMPARISONS), name), [])
        if kind == 7:
            return term(name, [])
        if kind == 8:
            return term("%s NOT BETWEEN %s AND %s" % (name, sql, other),
                        arguments)
        return term("%s %s (SELECT max(%s) FROM %s)" % (
            name, rng.choice(["=", "<", ">="]), quoted(column), TABLE), [])

    def in_many(self, name):
        """A list of thousands, perhaps longer than the table; or a list of the
        table's own values."""
        rng = self.rng
        other = "t2." + quoted(rng.choice(self.table.columns))
        some = "v %% %d = %d" % (rng.choice([2, 3, 7, 50]), rng.randrange(3))
        values = rng.choice([
            "SELECT v FROM many", "SELECT CAST(v AS %s) FROM many" %
            rng.choice(CASTS), "SELECT v FROM many WHERE rowid < %d" %
            rng.choice([2, 9, 100, 1000]),
            "SELECT v FROM many WHERE typeof(v) = '%s'" % rng.choice(
                ["text", "blob", "integer", "real"]),
            "SELECT v FROM many WHERE " + some,
            "SELECT v FROM many UNION ALL SELECT rowid FROM many",
            "SELECT %s FROM copy AS t2 WHERE rowid %% 3 = 1" % other,
            "SELECT %s FROM copy AS t2" % other,
            "SELECT n.%s FROM o AS n UNION ALL SELECT v FROM many" %
            rng.choice(OPERANDS)])
        return term("%s %sIN (%s)" % (name, rng.choice(["", "", "", "NOT "]),
                                      values), [])

    def between_columns(self):
        """A term that only SQLite can test: both operands are of the table."""
        a, b = ("t." + quoted(self.rng.choice(self.table.columns))
                for _ in range(2))
        return term("%s %s %s" % (a, self.rng.choice(["<", "<>", ">="]), b), [])

    def about_left(self):
        """More terms in the ON of an outer join, about its left table: such a
        term rules out none of its rows."""
        rng, words = self.rng, ""
        for _ in range(rng.choice([0, 1, 1, 2])):
            column = rng.choice(self.table.columns)
            sql, arguments = render(self.simple(column, rng.choice(
                ["<>", "<>", "IS NOT", "IS NOT", "IS NOT NULL", "LIKE", "GLOB",
                 "=", "<", ">=", "IN", "BETWEEN", "IS", "IS NULL"])))
            words += " AND " + (sql if not arguments else
                                "t.%s IS NOT NULL" % quoted(column))
        return words

    def crowded(self):
        """Lists behind so many constraints that SQLite hands over one value after
        the other."""
        rng = self.rng
        return ("and", [term("t.rowid < %d" % (2 ** 62 + i), []) for i in range(33)] +
                [self.simple(rng.choice(self.table.columns), rng.choice(
                    ["IN", "IN", "=", "IS"])) for _ in range(rng.choice([1, 2, 3]))])

    def condition(self, depth=0):
        rng = self.rng
        if depth == 0 and rng.random() < 0.01:
            return self.crowded()
        if depth < 2 and rng.random() < (0.45 if depth == 0 else 0.3):
            kind = rng.choice(["and", "and", "and", "or", "or", "not"])
            return (kind, [self.condition(depth + 1) for _ in range(
                1 if kind == "not" else rng.randrange(2, 4))])
        column = rng.choice(self.table.columns)
        kind = rng.randrange(20)
        if kind == 0:
            return self.rowid()
        if kind in (1, 2):
            return self.odd(column)
        if kind in (3, 4):
            likeable = self.likeable()
            if likeable:
                return self.simple(likeable, rng.choice(
                    ["LIKE", "LIKE", "GLOB", "NOT LIKE", "NOT GLOB"]))
        if kind in (5, 6):
            return self.simple(column, rng.choice(["IN", "IN", "NOT IN"]))
        if kind in (7, 8):
            return self.simple(column, rng.choice(["IS NULL", "IS NOT NULL"]))
        if kind in (9, 10):
            return self.simple(column, "BETWEEN")
        return self.simple(column, rng.choice(COMPARISONS))

    # ---- whole queries -------------------------------------------------------

    def some(self, most=4):
        n = self.rng.randrange(1, most + 1)
        return self.rng.sample(self.table.columns,
                               min(n, len(self.table.columns)))

    def sources(self):
        """(FROM clause, condition that joins or None, columns of the other)"""
        rng = self.rng
        kind = rng.randrange(22)
        if kind < 11:
            return "FROM " + T, None, []
        self.joined = True
        column = rng.choice(self.table.columns)
        name = "t." + quoted(column)
        op = rng.choice(["=", "=", "=", "<", "<=", ">", ">=", "IS", "IN"])
        other = "o." + rng.choice(OPERANDS)
        if op == "IN":
            on = name + " IN (%s, o.%s)" % (other, rng.choice(OPERANDS))
        elif rng.random() < 0.5 or op == "IS":
            on = " ".join((name, op, other))
        else:
            on = " ".join((other, FLIPPED.get(op, op), name))
        if kind < 14:
            return "FROM o CROSS JOIN " + T, term(on, []), ["o.rowid"]
        if kind == 14:
            return "FROM " + T + " JOIN o", term(on, []), ["o.rowid"]
        if kind == 15:
            return "FROM o LEFT JOIN " + T + " ON " + on, None, ["o.rowid"]
        if kind in (16, 17):
            return "FROM " + T + " %s JOIN o ON " % rng.choice(
                ["LEFT", "LEFT", "LEFT OUTER", "FULL"]) + on + \
                self.about_left(), None, ["o.rowid"]
        if kind == 18:
            return "FROM o RIGHT JOIN " + T + " ON " + on + \
                self.about_left(), None, ["o.rowid"]
        self.joined = False
        if kind == 19 and self.table.rowids:
            return self.with_itself(name, op if op != "IN" else "=")
        return "FROM " + T, None, []

    def with_itself(self, name, op):
        """Joined with a few of its own rows."""
        few = ", ".join(str(self.rng.choice(self.table.rowids))
                        for _ in range(5))
        return ("FROM (SELECT rowid AS id, " +
                quoted(self.rng.choice(self.table.columns)) + " AS x FROM " +
                TABLE + " WHERE rowid IN (" + few + ")) AS o CROSS JOIN " + T,
                term(" ".join((name, op, "o.x")), []), ["o.id"])

    def query(self):
        rng = self.rng
        begin, on, extra = self.sources()
        where = self.condition()
        if on:
            where = ("and", [on, where]) if rng.random() < 0.6 else on
        columns = self.some()
        listed = extra + ["t.rowid"] + ["t." + quoted(c) for c in columns]
        kind = rng.randrange(20)
        if self.table.is_wide and rng.random() < 0.5:
            kind = 13                # bit 63 of the columns used
            if rng.random() < 0.7:
                where = self.between_columns()
        if kind < 9:
            return Query("SELECT %s %s" % (", ".join(listed), begin), where)
        if kind < 12:
            return self.ordered(begin, listed, columns, where,
                                bool(extra or on))
        if kind == 12:
            return Query("SELECT count(*) %s" % begin, where)
        if kind == 13:
            return Query("SELECT DISTINCT %s %s" % (", ".join(
                "t." + quoted(c) for c in columns[:2]), begin), where)
        if kind < 16:
            return Query("SELECT %s %s" % (
                ", ".join(self.aggregate() for _ in range(rng.randrange(1, 4))),
                begin), where)
        if kind == 16:
            return Query("SELECT t.%s, %s %s" % (
                quoted(columns[0]), ", ".join(
                    self.aggregate() for _ in range(rng.randrange(1, 3))),
                begin), where, " GROUP BY 1")
        if kind == 17:
            return self.compound(columns)
        if kind == 18 and not extra:
            return self.existing(where)
        return Query("SELECT %s %s" % (", ".join(listed), begin), where,
                     " LIMIT %d" % rng.randrange(9), ties=True)

    def aggregate(self):
        c = self.rng.choice(self.table.columns)
        name = "t." + quoted(c)
        kind = self.rng.randrange(6)
        if kind == 0 and c in self.table.summable:
            return "sum(%s)" % name
        return ["count(%s)", "min(%s)", "max(%s)", "count(DISTINCT %s)",
                "count(*) + 0 * count(%s)", "max(%s)"][kind] % name

    def ordered(self, begin, listed, columns, where, joined):
        """Half of them such that the engine finds the rows: no words that only
        SQLite knows, and no condition that SQLite tests again."""
        rng = self.rng
        keys = ["t.rowid"] if rng.random() < 0.2 else \
            ["t." + quoted(c) for c in columns[:3]]
        plain = not joined and rng.random() < 0.5
        words = ", ".join(k + rng.choice(
            ["", " DESC"] if plain else
            ["", "", " DESC", " ASC", " NULLS LAST", " DESC NULLS FIRST"])
                          for k in keys)
        tail = " ORDER BY " + words
        limited = rng.random() < 0.7
        if plain and rng.random() < 0.7:
            where = None
        if limited:
            tail += " LIMIT %d" % rng.choice([0, 1, 2, 5, 20, -1])
            if rng.random() < 0.4:
                tail += " OFFSET %d" % rng.choice([0, 1, 3, 30])
        return Query("SELECT %s %s" % (", ".join(keys + listed), begin), where,
                     tail, n_keys=len(keys), ties=limited)

    def compound(self, columns):
        rng = self.rng
        some = ", ".join("t." + quoted(c) for c in columns[:2])
        self.joined = False
        parts = [render(self.condition(1)) for _ in range(2)]
        op = rng.choice(["UNION ALL", "UNION ALL", "UNION", "EXCEPT",
                         "INTERSECT"])
        ties = op == "UNION ALL" and rng.random() < 0.5
        return Query("SELECT * FROM (SELECT %s FROM %s AS t WHERE %s %s "
                     "SELECT %s FROM %s AS t WHERE %s)" % (
                         some, TABLE, parts[0][0], op, some, TABLE,
                         parts[1][0]), None,
                     " LIMIT 5" if ties else "", ties=ties,
                     before=parts[0][1] + parts[1][1])

    def existing(self, where):
        rng = self.rng
        column = quoted(rng.choice(self.table.columns))
        words = rng.choice(["EXISTS", "EXISTS", "NOT EXISTS"])
        op = rng.choice(["=", "=", "<", ">=", "IS"])
        other = rng.choice(OPERANDS)
        inner, arguments = render(where)
        return Query("SELECT o.rowid FROM o WHERE %s (SELECT 1 FROM %s AS t "
                     "WHERE t.%s %s o.%s AND %s)" % (
                         words, TABLE, column, op, other, inner), None,
                     before=arguments)

    # ---- one term, aimed -----------------------------------------------------

    def aimed(self):
        """A single term where affinities, zeros and rounding matter."""
        column = self.rng.choice(self.table.columns)
        name = "t." + quoted(column)
        kind = self.rng.randrange(16)
        if kind == 15:
            return Query("SELECT t.rowid, %s FROM %s" % (name, T),
                         self.in_many(name))
        if kind > 12 and self.table.number_texts:
            return self.text_as_number()
        if kind == 12 and self.table.zeros:
            return self.equal_to_zero()
        if kind < 5:
            return self.joined_by(name)
        select = "SELECT t.rowid, %s FROM %s" % (name, T)
        if kind < 8:
            return Query(select, self.equal_to_some(column, name))
        if kind == 8:                # its digits are compared with texts
            v = self.rng.choice([3, 9, 21, 99, 2025, 0.5, -1])
            return Query(select, term("%s %s ?" % (name, self.rng.choice(
                COMPARISONS)), [v]))
        op = self.rng.choice(COMPARISONS)
        if kind == 9:
            return Query(select, self.rowid())
        if kind == 10:
            text, arguments = self.plain_operand(column)
            if arguments == [] and text.startswith("'"):
                text = self.rng.choice([text.upper(), text.lower(),
                                        text[:-1] + " '"])
            return Query(select, term("%s %s %s COLLATE %s" % (
                name, op, text, self.rng.choice(["NOCASE", "RTRIM"])),
                arguments))
        if kind == 11 and self.likeable():
            column = self.likeable()
            return Query(select, self.simple(column, self.rng.choice(
                ["LIKE", "LIKE", "GLOB", "NOT LIKE"])))
        return Query(select, term("%s %s ?" % (name, op), [None])
                     if self.rng.random() < 0.5 else self.simple(column, op))

    def joined_by(self, name):
        rng = self.rng
        op = rng.choice(["=", "<", "<=", ">", ">=", "IS", "<>", "IN",
                         "BETWEEN"])
        others = ["o." + rng.choice(OPERANDS) for _ in range(2)]
        source = "o"
        if rng.random() < 0.35:
            # An operand of either column may be compared as the other's are.
            source = "(SELECT rowid AS rowid, %s AS x FROM o UNION ALL " \
                "SELECT rowid + 100, %s FROM o) AS o" % rng.choice([
                    (rng.choice("irn"), rng.choice(["t", "rt"])),
                    (rng.choice(OPERANDS), rng.choice(OPERANDS))])
            others = ["o.x", "o.x"]
        on = "%s IN (%s, %s)" % (name, *others) if op == "IN" else \
            "%s BETWEEN %s AND %s" % (name, *others) if op == "BETWEEN" else \
            "%s %s %s" % (name, op, others[0])
        if rng.random() < 0.25:
            return Query("SELECT o.rowid, t.rowid, %s FROM %s LEFT JOIN %s ON "
                         "%s" % (name, T, source, on + self.about_left()), None)
        return Query("SELECT o.rowid, t.rowid, %s FROM %s CROSS JOIN %s" % (
            name, source, T), term(on, []))

    def equal_to_some(self, column, name):
        """A list of values that occur, each perhaps in another class."""
        rng, parts = self.rng, []
        for _ in range(rng.choice([1, 1, 1, 2, 6, 14, 40])):
            v = rng.choice(self.table.values[column])
            if isinstance(v, float) and rng.random() < 0.3:
                v = int(v) if v == v and abs(v) < 1e18 and v == int(v) else -v
            elif rng.random() < 0.2:
                v = near(rng, v)
            v = bindable(v)
            text = literal(v)
            parts.append((text, []) if text is not None and
                         rng.random() < 0.5 else parameter(v))
        arguments = [a for p in parts for a in p[1]]
        if len(parts) == 1:
            return term("%s %s %s" % (name, rng.choice(["=", "=", "IS"]),
                                      parts[0][0]), arguments)
        return term("%s IN (%s)" % (name, ", ".join(p[0] for p in parts)),
                    arguments)

    def equal_to_zero(self):
        """There are two zeros."""
        rng, column = self.rng, self.rng.choice(self.table.zeros)
        name = "t." + quoted(column)
        words, n = rng.choice([("%s = %s", 1), ("%s = %s", 1), ("%s IS %s", 1),
                               ("%s IN (%s)", 1), ("%s IN (%s)", 3)])
        parts = []
        for _ in range(n):
            v = rng.choice([0, 0.0, -0.0, "0", "-0.0"]) if not parts else \
                self.value(column)
            text = literal(v)
            parts.append((text, []) if text is not None and
                         rng.random() < 0.5 else parameter(v))
        return Query("SELECT t.rowid, %s FROM %s" % (name, T), term(
            words % (name, ", ".join(p[0] for p in parts)),
            [a for p in parts for a in p[1]]))

    def text_as_number(self):
        """A text column compared with numbers.  '05' equals 5 if the other side
        is a column or a CAST of numbers, but not if it is a literal, a
        parameter, or one of a list."""
        rng = self.rng
        column = rng.choice(list(self.table.number_texts))
        texts = self.table.number_texts[column]
        name = "t." + quoted(column)

        def operand():
            number = float(rng.choice(texts))
            if number == int(number) and rng.random() < 0.8:
                number = int(number)
            v = bindable(rng.choice([number] * 4 + [str(number), near(
                rng, number)]))
            text = literal(v)
            sql, arguments = (text, []) if text is not None and \
                rng.random() < 0.5 else parameter(v)
            if rng.random() < 0.6:
                sql = "CAST(%s AS %s)" % (sql, rng.choice(
                    ["INTEGER", "INTEGER", "REAL", "NUMERIC"]))
            return sql, arguments
        if rng.random() < 0.3:
            # A text that is compared as a number: its column has the affinity
            # of the first of its rows.
            parts = [operand(), parameter(rng.choice(texts))]
            return Query("SELECT t.rowid, o.x FROM (SELECT CAST(%s AS %s) AS x "
                         "UNION ALL SELECT %s) AS o CROSS JOIN %s" % (
                             parts[0][0], rng.choice(["INTEGER", "NUMERIC"]),
                             parts[1][0], T),
                         term(name + rng.choice([" = o.x", " IS o.x",
                                                 " IN (o.x, NULL)"]), []),
                         before=parts[0][1] + parts[1][1])
        kind = rng.randrange(8)
        parts = [operand() for _ in range([1, 1, 1, 1, 3, 2, 3, 1][kind])]
        listed = ", ".join(p[0] for p in parts)
        if kind == 5:
            listed = " UNION ALL SELECT ".join(p[0] for p in parts)
        words = {4: "%s IN (%s)", 5: "%s IN (SELECT %s)", 6: "%s IN (%s)",
                 7: "%s IS %s"}.get(kind, "%s = %s")
        return Query("SELECT t.rowid, %s FROM %s" % (name, T), term(
            words % (name, listed), [a for p in parts for a in p[1]]))

    def swept(self, column, op):
        """A term that should let something be skipped: its operands are from
        the middle."""
        values = self.table.middle[column]
        # Less can be proven about texts that look like numbers.
        values = [v for v in values if not isinstance(v, str) or
                  not v.strip()[:1].isdigit()] or values

        def operand(_):
            v = self.rng.choice(values) if values else 1
            text = literal(v)
            return (text, []) if text is not None and self.rng.random() < 0.5 \
                else parameter(v)
        name = "t." + quoted(column)
        select = "SELECT t.rowid, %s FROM %s" % (name, T)
        if op == "IN":
            sql, arguments = operand(column)
            return Query(select, term("%s IN (%s, NULL)" % (name, sql),
                                      arguments, (column, op)))
        return Query(select, self.simple(column, op, operand))


class Query:
    """ties: the query does not determine its rows.  Only their number and their
    first n_keys columns must agree, and they must be rows of the query without
    its tail."""

    def __init__(self, select, where, tail="", n_keys=0, ties=False, before=()):
        self.select, self.where, self.tail = select, where, tail
        self.n_keys, self.ties = n_keys, ties
        self.before = list(before)

    def without_end(self):
        return Query(self.select, self.where, "", 0, False, self.before)

    def with_condition(self, where):
        return Query(self.select, where, self.tail, self.n_keys, self.ties,
                     self.before)

    def with_arguments(self, change):
        """The same text with other arguments."""
        def changed(condition):
            if condition[0] == "term":
                return condition[:2] + ([change(a) for a in condition[2]],
                                        condition[3])
            return condition[0], [changed(c) for c in condition[1]]
        return Query(self.select, self.where and changed(self.where), self.tail,
                     self.n_keys, self.ties, [change(a) for a in self.before])

    def sql(self, table):
        text, arguments = self.select, list(self.before)
        if self.where is not None:
            condition, more = render(self.where)
            text, arguments = text + " WHERE " + condition, arguments + more
        return glued(text + self.tail).replace(TABLE, table), arguments

    def tag(self):
        """(column, operator) if the query asks nothing else."""
        if self.where is not None and self.where[0] == "term" and \
                not self.tail and "JOIN" not in self.select:
            return self.where[3]
        return None
