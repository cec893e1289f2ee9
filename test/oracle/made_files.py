"""Files of random columns of every type, made on the spot.

    make(folder, seed, block)   random files; some are folders of parts by
                                folder columns, or of parts with different
                                columns
    make_traps(folder, seed, block)
                                few values each, where mistakes are likely
    make_wide(folder, seed, block)
                                60 to 140 columns
    make_sweep(path, rng, means)
                                a column of each type, made so that one way of
                                skipping data has something to skip
"""
import math
import os
import random
import struct

import parquet_file
from parquet_file import Column, Lists, OUTER, TYPES

DAY = 86400

# Numbers near the limits of texts, classes and machine words.
EDGES = [0, 1, -1, 2, 9, 10, 99, 100, 127, 128, 255, 256, 2024, 32767, 65535,
         2**24, 2**24 + 1, 2**31 - 1, -2**31, 2**31, 2**32 - 1, 2**53 - 1,
         2**53, 2**53 + 1, -2**53 - 1, 2**63 - 1, -2**63, 2**63, 2**63 + 1,
         10**19, 2**64 - 1, 2**62]
REALS = [0.0, -0.0, 1.0, -1.0, 0.1, 0.5, -0.5, 1e300, -1e300, 5e-324, 2024.0,
         math.inf, -math.inf, math.nan, 16777217.0, 9007199254740993.0,
         9223372036854775807.0, -9223372036854775808.0, 1e15, 123.456]
TEXTS = ["", "0", "1", "01", "1.0", " 1", "1 ", "1e0", "-1", "+1", "10", "2",
         "2024", "2024-01-01", "0x10", ".5", "5.", "1e", "1x", "abc", "ABC",
         "abc  ", "abd", "Abc", "aBCd", "ab_", "a%b", "z", "zz", "~", "ü",
         "Ü", "\U0001f600", "\uffff", "日本", "null", "9007199254740993",
         "9007199254740992", "1\x00", "a\x00b", "12:00:00", "inf", "nan", "Inf",
         "-Inf", "-",
         "18446744073709551615", "9223372036854775808", "[a-c]*", "a*c?"]
DAYS = [0, 1, -1, 19723, 19724, -719528, -719529, 2932896, 2932897, 365, 11016,
        2**31 - 1, -2**31, -719162]


def some_integer(rng, low, high):
    kind = rng.randrange(3)
    if kind == 0:
        return rng.choice([e for e in EDGES if low <= e <= high] + [low, high])
    bits = rng.choice([3, 8, 16, 40])
    return min(max(rng.randrange(2**bits) - (kind == 2) * 2**(bits - 1), low),
               high)


def some_real(rng):
    kind = rng.randrange(4)
    if kind == 0:
        return rng.choice(REALS + [0.0, -0.0] * 4)
    if kind == 1:
        return rng.randrange(-40, 40) / 8
    if kind == 2:
        return float(rng.randrange(-1000, 1000))
    return rng.randrange(-10**6, 10**6) / 7


def single(v):
    try:
        return struct.unpack("<f", struct.pack("<f", v))[0]
    except OverflowError:
        return math.copysign(math.inf, v)


def half(v):
    try:
        return struct.pack("<e", v)
    except OverflowError:
        return struct.pack("<e", math.copysign(math.inf, v))


def some_text(rng):
    kind = rng.randrange(4)
    if kind == 0:
        return rng.choice(TEXTS)
    if kind == 1:
        return str(rng.randrange(50))
    if kind == 2:
        return "abcABC"[rng.randrange(6)] * rng.randrange(4) + \
            str(rng.randrange(9))
    return "some/prefix/%03d" % rng.randrange(300)


def some_bytes(rng):
    kind = rng.randrange(3)
    if kind == 0:
        return rng.choice(TEXTS).encode()
    if kind == 1:
        return bytes(rng.choice([0, 1, 0x31, 0x61, 0x7f, 0x80, 0xc3, 0xff])
                     for _ in range(rng.randrange(6)))
    return some_text(rng).encode()


def decimal(rng, precision):
    most = 10**precision - 1
    kind = rng.randrange(4)
    if kind == 0:
        # A REAL loses the last digits of many, so neighbours become equal.
        return rng.choice([0, 1, -1, -most, most // 2, 10, 100, -10] +
                          [most - i for i in range(min(most, 5))] * 2)
    if kind == 1:
        return some_integer(rng, -most, most)
    return rng.randrange(-500, 500) if precision > 3 else \
        rng.randrange(-most, most + 1)


def days(rng):
    return rng.choice(DAYS) if rng.random() < 0.2 else \
        19700 + rng.randrange(60)


def ticks(rng, per_second):
    """Of a timestamp."""
    second = rng.choice([days(rng) * DAY, days(rng) * DAY + rng.randrange(DAY),
                         1704067200 + rng.randrange(300)])
    part = rng.choice([0, 0, 1, per_second - 1, per_second // 1000,
                       per_second // 2])
    at = second * per_second + part
    if rng.random() < 0.05:
        at = rng.choice([2**63 - 1, -2**63, 0, -1])
    return at if -2**63 <= at < 2**63 else 0


def time_of_day(rng, per_second, low, high):
    if rng.random() < 0.06:
        return rng.choice([-1, DAY * per_second, low, high])
    return rng.choice([rng.randrange(DAY) * per_second,
                       rng.randrange(DAY * per_second),
                       rng.randrange(30) * per_second,
                       12 * 3600 * per_second + rng.randrange(5)])


def some_value(rng, kind):
    """What the file stores."""
    t = TYPES[kind]
    logical = t.logical or ("",)
    if logical[0] == "INT":
        _, bits, signed = logical
        return some_integer(rng, -2**(bits - 1) if signed else 0,
                            2**(bits - signed) - 1)
    if logical[0] == "DECIMAL":
        v = decimal(rng, logical[1])
        if t.physical == parquet_file.FIXED:
            return v.to_bytes(t.length, "big", signed=True)
        if t.physical == parquet_file.BYTE_ARRAY:
            n = (v.bit_length() + 8) // 8 + (rng.random() < 0.3)
            n = 0 if v == 0 and rng.random() < 0.3 else n
            return v.to_bytes(n, "big", signed=True)
        return v
    if logical[0] == "TIMESTAMP" and t.physical == parquet_file.FIXED:
        v = ticks(rng, parquet_file.UNIT_TICKS[logical[1]])
        if kind.endswith("ns") and rng.random() < 0.2:   # beyond 64 bits
            v = rng.choice([DAY * parquet_file.UNIT_TICKS[logical[1]] * d + v
                            for d in (2932896, -719528, -719529, 2932897)] +
                           [-2**70, 2**95 - 1, -2**95])
        return v.to_bytes(12, "little", signed=True)
    if logical[0] == "TIMESTAMP":
        return ticks(rng, parquet_file.UNIT_TICKS[logical[1]])
    if logical[0] == "TIME":
        low, high = (-2**31, 2**31 - 1) if kind == "time_ms" else \
            (-2**63, 2**63 - 1)
        return time_of_day(rng, parquet_file.UNIT_TICKS[logical[1]], low, high)
    if kind == "int96":
        nanos = time_of_day(rng, 10**9, 0, DAY * 10**9 - 1)
        day = days(rng) + 2440588
        return struct.pack("<qI", max(nanos, 0) % (DAY * 10**9),
                           day if 0 <= day < 2**32 else 2440588)
    return {
        "boolean": lambda: rng.random() < 0.5,
        "int32": lambda: some_integer(rng, -2**31, 2**31 - 1),
        "int64": lambda: some_integer(rng, -2**63, 2**63 - 1),
        "float": lambda: single(some_real(rng)),
        "double": lambda: some_real(rng),
        "float16": lambda: half(some_real(rng)),
        "date": lambda: days(rng),
        "string": lambda: some_text(rng).encode(),
        "enum": lambda: some_text(rng).encode(),
        "json": lambda: rng.choice(["1", "2", "[]", "{}", '"a"', '{"a":1}',
                                    "null", "1.5"]).encode(),
        "bytes": lambda: some_bytes(rng),
        "fixed_3": lambda: (some_bytes(rng) + b"abc")[:3],
        "uuid": lambda: bytes([rng.choice([0, 1, 0x7f, 0x80, 0xff])]) +
        bytes(14) + bytes([rng.randrange(30)]),
        "unknown": lambda: None,
    }[kind]()


def place(t, v):
    """To sort by: the type's order, NaN last."""
    if t.is_nan(v):
        return (1, 0)
    return (0, t.order(v) if t.order else v)


def is_tame(kind, v):
    """Is a value one of those whose order SQLite sees?"""
    t = TYPES[kind]
    logical = t.logical or ("",)
    if t.is_nan(v):
        return False
    if kind == "uint64":
        return v < 2**63
    if logical[0] == "DATE":
        return -719528 <= v <= 2932896
    if logical[0] == "TIME":
        return 0 <= v < DAY * parquet_file.UNIT_TICKS[logical[1]]
    if logical[0] == "TIMESTAMP":
        per_day = DAY * parquet_file.UNIT_TICKS[logical[1]]
        if isinstance(v, bytes):
            v = int.from_bytes(v, "little", signed=True)
        return -719528 * per_day <= v < 2932897 * per_day
    return True


def shaped(rng, kind, n, shape=None):
    """n values: in order, in runs, few different ones, or any.  A single value
    that SQLite orders differently changes how a whole batch is tested, so many
    columns have none."""
    t = TYPES[kind]
    if kind == "unknown":
        return [None] * n
    shape = shape or rng.choice(["sorted", "sorted", "falling", "runs", "few",
                                 "any"])
    tame = rng.random() < 0.5

    def draw():
        v = some_value(rng, kind)
        while tame and not is_tame(kind, v):
            v = some_value(rng, kind)
        return v

    if shape == "few":
        pool = [draw() for _ in range(rng.randrange(1, 8))]
        return [rng.choice(pool) for _ in range(n)]
    if shape == "runs":
        out = []
        while len(out) < n:
            out += [draw()] * rng.randrange(1, 15)
        return out[:n]
    values = [draw() for _ in range(n)]
    if shape in ("sorted", "falling"):
        values.sort(key=lambda v: place(t, v), reverse=shape == "falling")
    return values


def with_nulls(rng, values):
    kind = rng.randrange(5)
    n = len(values)
    if kind < 2:
        return values
    if kind == 2:
        return [None if rng.random() < 0.2 else v for v in values]
    begin, end = sorted((rng.randrange(n + 1), rng.randrange(n + 1)))
    return [None if begin <= i < end else v for i, v in enumerate(values)]


def some_how(rng):
    likely = {"statistics": .85, "null_count": .85, "nan_count": .5,
              "ignores_nans": .5, "index": .7, "dictionary": .5, "bloom": .4,
              "fallback": .25, "page_counts": .5, "split": .3,
              "v2": .4, "gzip": .2, "truncated": .2, "one_zero": .3,
              "headers": .5, "odd_headers": .3}
    how = {h for h in Column.HOW if rng.random() < likely[h]}
    # Headers are not used if there is an index.
    return how - {"index"} if "headers" in how and rng.random() < .7 else how


# The types where most can go wrong occur more often.
KINDS = list(TYPES) + ["string"] * 5 + ["bytes", "uint64", "double", "float",
                                        "decimal_18_3"] * 2


def some_column(rng, name, n, kind=None, parent=None):
    kind = kind or rng.choice(KINDS)
    values = with_nulls(rng, shaped(rng, kind, n))
    required = not any(v is None for v in values) and rng.random() < 0.5
    path = [name]
    if parent:
        path = [parent[0], name]
        values = [OUTER if gone else v for gone, v in zip(parent[1], values)]
    return Column(path, kind, values, required, some_how(rng))


def some_columns(rng, n, kinds=None):
    columns = [some_column(rng, "c%d" % i, n, kind)
               for i, kind in enumerate(kinds or
                                        [None] * rng.randrange(3, 9))]
    if kinds is None and rng.random() < 0.3:
        parent = ("s", [rng.random() < 0.2 for _ in range(n)])
        columns += [some_column(rng, name, n, None, parent)
                    for name in "xy"[:rng.randrange(1, 3)]]
    if kinds is None and rng.random() < 0.4:
        columns.append(some_lists(rng, "l", n))
    return columns


def some_lists(rng, name, n):
    """Rows that other columns skip have to be skipped here slot by slot."""
    return Lists(name, [rng.choice([None, [], [i], [i, None, i + 1],
                                    list(range(i, i + rng.randrange(9)))])
                        for i in range(n)])


def some_groups(rng, n):
    most = rng.choice([2, 5, 20, 60, 300])
    out = []
    while sum(out) < n:
        out.append(min(rng.randrange(1, most + 1), n - sum(out)))
    return out


def write_some(rng, path, kinds=None, most=300):
    """Returns the options that it needs if it is a file of its own."""
    n = rng.choice([rng.randrange(1, 12), rng.randrange(1, 80),
                    rng.randrange(1, most)])
    columns = some_columns(rng, n, kinds)
    plan = parquet_file.some_plan(rng, columns, kinds is None)
    parquet_file.write(path, columns, some_groups(rng, n),
                       rng.choice([1, 2, 3, 7, 20, 64, 1000]), plan=plan)
    return ", ".join(plan.options) if plan else ""


# The type of a column in the first file, and types that later files may have.
WIDER = [("int64", "int32"), ("int64", "int8"), ("double", "float"),
         ("double", "int32"), ("decimal_18_3", "decimal_9_2"),
         ("timestamp_us", "date"), ("string", "string"), ("int32", "int16"),
         ("decimal_fixed_16", "decimal_18_3"), ("int64", "uint32"),
         ("double", "int64"), ("string", "date"), ("string", "enum"),
         ("decimal_bytes", "decimal_9_2"), ("timestamp_ns", "date"),
         ("timestamp_us", "date"), ("timestamp_ns", "date"),
         ("string", "date"), ("timestamp_96_ns", "timestamp_us"),
         ("timestamp_us", "timestamp_96_ms"), ("timestamp_96_ms", "date")]


def write_union(rng, folder):
    """Parts with the columns of the first, narrower ones, or without them."""
    os.makedirs(folder)
    pairs = [rng.choice(WIDER) for _ in range(rng.randrange(2, 6))]
    for part in range(rng.randrange(2, 5)):
        n = rng.randrange(1, 60)
        columns = []
        for i, (wide, narrow) in enumerate(pairs):
            kind = wide if part == 0 or rng.random() < 0.4 else narrow
            if part == 0 or rng.random() < 0.8:
                columns.append(some_column(rng, "c%d" % i, n, kind))
        columns = columns or [some_column(rng, "c0", n, pairs[0][0])]
        plan = parquet_file.some_plan(rng, columns)
        parquet_file.write("%s/p%d.parquet" % (folder, part), columns,
                           some_groups(rng, n), rng.choice([2, 7, 100]),
                           plan=plan)


HIVE = [[2, 10, -5, 0, 100, 2**53 + 1, "__HIVE_DEFAULT_PARTITION__"],
        ["2024-01-01", "2024-02-29", "2023-12-31", "0001-01-01"],
        ["a", "B", "abc", "10", "9", "1.0", "__HIVE_DEFAULT_PARTITION__", "é"],
        ["01", "1", "x"]]


def write_hive(rng, folder):
    keys = [rng.choice(HIVE) for _ in range(rng.randrange(1, 3))]
    kinds = [rng.choice(list(TYPES)) for _ in range(rng.randrange(1, 5))]
    for part in range(rng.randrange(2, 9)):
        where = "/".join("k%d=%s" % (i, rng.choice(pool))
                         for i, pool in enumerate(keys))
        os.makedirs("%s/%s" % (folder, where), exist_ok=True)
        write_some(rng, "%s/%s/p%d.parquet" % (folder, where, part), kinds, 40)


# ---- traps -------------------------------------------------------------------

NUMBER_TEXTS = [t.encode() for t in (
    "5", "7", "9", "10", "05", "5.0", "7 ", " 9", "1x", "abc", "", "~", "-1",
    "ABC", "Abc", "a[b", "a_b", "axb", "5\x00", "7 \x00x")]
ZEROS = [0.0, -0.0, math.nan, 1.0, -1.0]
SOON_FULL = [10**18 - i for i in range(1, 9)]
TRAPS = [
    ("string", NUMBER_TEXTS, {"index", "bloom"}),
    ("string", NUMBER_TEXTS, {"dictionary", "page_counts"}),
    ("bytes", NUMBER_TEXTS, {"index"}),
    ("double", ZEROS, {"one_zero", "ignores_nans", "index"}),
    ("double", ZEROS, {"bloom", "one_zero"}),
    ("float", ZEROS, {"bloom", "one_zero"}),
    ("double", ZEROS, {"dictionary", "page_counts", "ignores_nans"}),
    ("float", ZEROS[:2] + ZEROS[3:], {"nan_count", "index"}),
    ("decimal_18_3", SOON_FULL, {"bloom"}),
    ("uint64", [5, 7, 10, 2**63 - 1, 2**63, 2**64 - 1], {"index", "bloom"}),
    ("uint32", [0, 5, 7, 9, 20, 30, 2**31 - 1] +
     [2**31 + i * i for i in range(1, 9)], {"index"}),
    ("int32", list(range(-3, 12)), {"dictionary", "fallback", "page_counts"}),
    ("int64", list(range(0, 90)), {"bloom"}),
    ("date", [-719529, -719528, 0, 19723, 19724, 2932896, 2932897], {"index"}),
]
TRAPS_OF_UNIONS = [
    (("timestamp_us", [19723 * DAY * 10**6, 19724 * DAY * 10**6 + 1]),
     ("date", [19723, 19724])),
    (("int64", list(range(9))), ("int32", list(range(9)))),
    (("double", [0.0, -0.0, 5.0, 7.0]), ("float", [0.0, -0.0, 5.0, 7.0])),
    (("decimal_18_3", [0, 5000, 7000]), ("decimal_9_2", [0, 500, 700])),
    (("string", NUMBER_TEXTS + [b"2024-01-01"]), ("date", [19723, 19724])),
]


def trap(rng, name, kind, pool, n, how):
    """A column of few values where mistakes are likely, in order or in runs."""
    values = [rng.choice(pool) for _ in range(n)]
    if rng.random() < 0.5:
        values.sort(key=lambda v: place(TYPES[kind], v))
    values = [None if rng.random() < 0.1 else v for v in values]
    return Column([name], kind, values, False,
                  how | {"statistics", "null_count"})


def write_traps(rng, path, long):
    """Long: pages of more values than are tested at once."""
    n = rng.randrange(130, 400) if long else rng.randrange(20, 60)
    columns = [trap(rng, "c%d" % i, kind, pool, n, how)
               for i, (kind, pool, how) in enumerate(TRAPS)]
    groups = [n] if long else []
    while sum(groups) < n:
        groups.append(min(rng.randrange(1, 7), n - sum(groups)))
    columns = rng.sample(columns, 9)
    plan = parquet_file.some_plan(rng, columns)
    parquet_file.write(path, columns, groups,
                       1000 if long else rng.choice([1, 2, 3]), plan=plan)


def write_traps_of_unions(rng, folder):
    os.makedirs(folder)
    for part in range(3):
        n = rng.randrange(4, 20)
        columns = [trap(rng, "c%d" % i, *pair[part > 0], n,
                        {"index", rng.choice(["bloom", "dictionary"])})
                   for i, pair in enumerate(TRAPS_OF_UNIONS)]
        parquet_file.write("%s/p%d.parquet" % (folder, part), columns,
                           [n // 2, n - n // 2], 2)


def make_traps(folder, seed, block):
    made = []
    for i in range(16):
        rng = random.Random("trap %d %d %d" % (seed, block, i))
        path = "%s/trap_%d_%d" % (folder, block, i)
        if i % 4 == 3:
            write_traps_of_unions(rng, path)
            made.append((path, "union_by_name"))
        else:
            write_traps(rng, path + ".parquet", i % 4 == 2)
            made.append((path + ".parquet", rng.choice(["", "nan=text"])))
    return made


JUNK = [b"", b"PAR1", b"this is a text, and no Parquet file\n",
        b"PAR1" + bytes(40) + b"\xff\0\0\0PAR1",
        b"PARE" + bytes(40) + b"\x10\0\0\0PARE"]


def add_junk(rng, folder):
    """Files that ignore_errors leaves out: first, last and in between."""
    inner = [root for root, _, files in os.walk(folder) if files]
    for i in range(rng.randrange(1, 4)):
        with open("%s/%s%d.parquet" % (rng.choice(inner), rng.choice("0p~"), i + 50),
                  "wb") as f:
            f.write(rng.choice(JUNK))


# ---- wide tables -------------------------------------------------------------

FEW_VALUES = [("string", [b"a", b"b", b"c"]), ("string", NUMBER_TEXTS[:4]),
              ("int32", [1, 2, 3, 4]), ("int64", [5, 6]),
              ("date", [19723, 19724, 19725])]
WIDE_FILES = 6


def write_wide(rng, path):
    """More columns than SQLite has bits to tell which ones a statement uses.
    Each has few values, so that rows are returned grouped."""
    n = rng.randrange(60, 400)
    columns = []
    for i in range(rng.randrange(60, 141)):
        kind, pool = rng.choice(FEW_VALUES)
        columns.append(trap(rng, "c%d" % i, kind, pool, n,
                            {"dictionary", "page_counts"}))
    first = rng.choice([0, n // 2])
    plan = parquet_file.some_plan(rng, columns)
    parquet_file.write(path, columns, [first, n - first] if first else [n],
                       1000, plan=plan)


def make_wide(folder, seed, block):
    made = []
    for i in range(WIDE_FILES):
        path = "%s/wide_%d_%d.parquet" % (folder, block, i)
        write_wide(random.Random("wide %d %d %d" % (seed, block, i)), path)
        made.append((path, ""))
    return made


FILES = 60                           # of a block of cases


def make(folder, seed, block):
    """What can be read, and the options it needs: [(path, options)]."""
    made = []
    for i in range(FILES):
        rng = random.Random("made %d %d %d" % (seed, block, i))
        path = "%s/made_%d_%d" % (folder, block, i)
        if i % 10 < 8:
            options = write_some(rng, path + ".parquet")
            made.append((path + ".parquet", options))
            continue
        options = "union_by_name"
        if i % 10 == 8:
            write_hive(rng, path)
            options = "hive, union_by_name"
        else:
            write_union(rng, path)
        if i % 20 >= 18:
            add_junk(random.Random("junk %d %d %d" % (seed, block, i)), path)
            options += ", ignore_errors"
        made.append((path, options))
    return made


# ---- for joins ---------------------------------------------------------------

KEYS = ["int32", "int64", "int8", "uint32", "uint64", "date", "timestamp_us",
        "timestamp_96_ns",
        "decimal_9_2", "decimal_18_3", "decimal_fixed_16", "string", "bytes",
        "fixed_3", "uuid", "double"]


def keys_in_order(rng, kind, n):
    """Keys in order, or nearly: neighbours are swapped, some occur twice, some
    are far from their place, some are NULL."""
    values = shaped(rng, kind, n, rng.choice(["sorted"] * 4 + ["few", "any"]))
    for i in range(1, n):
        if rng.random() < 0.1:
            values[i] = values[i - 1]
    for _ in range(rng.choice([0, 0, 3, n // 10])):
        i = rng.randrange(n)
        k = min(n - 1, i + rng.choice([1, 1, 5]))
        values[i], values[k] = values[k], values[i]
    if rng.random() < 0.3:
        values[rng.randrange(n)] = some_value(rng, kind)
    if rng.random() < 0.4:
        values = [None if rng.random() < 0.05 else v for v in values]
    return values


def write_keys(rng, path, values, others):
    """values: by kind; others: kinds."""
    n = len(next(iter(values.values())))
    columns = [Column(["k_" + kind], kind, v, False, some_how(rng))
               for kind, v in values.items()]
    columns += [some_column(rng, "c%d" % i, n, kind)
                for i, kind in enumerate(others)]
    plan = parquet_file.some_plan(rng, columns)
    parquet_file.write(path, [c for c in columns if c.path != ["lost"]],
                       some_groups(rng, n), rng.choice([2, 7, 20, 1000]),
                       plan=plan)


def make_keys(folder, seed, files):
    """Files and folders of them, to join by columns that are in order."""
    made = []
    for i in range(files):
        rng = random.Random("keys %d %d" % (seed, i))
        path = "%s/keys_%d" % (folder, i)
        n = rng.choice([20, 300, 1500])
        values = {kind: keys_in_order(rng, kind, n)
                  for kind in rng.sample(KEYS, 4)}
        others = rng.sample(KINDS, 2)
        if i % 3 < 2:
            made.append(path + ".parquet")
            write_keys(rng, made[-1], values, others)
            continue
        os.makedirs(path)
        made.append(path)
        parts = rng.randrange(2, 7)
        for part in range(parts):
            write_keys(rng, "%s/p%d.parquet" % (path, part),
                       {kind: v[n * part // parts:n * (part + 1) // parts]
                        for kind, v in values.items()}, others)
    return made


# ---- for sweeps --------------------------------------------------------------

GROUP = 24                           # rows of a row group; pages have four
SWEEPS = ["bounds", "headers", "bloom", "dictionary"]


def in_order(rng, kind):
    """Four row groups in order, with nulls in two of them and a page of nulls;
    and a group of nulls."""
    values = shaped(rng, kind, 4 * GROUP, "sorted")
    nulls = {28, 29, 30, 31, 33, 50, 67}
    values = [None if i in nulls else v for i, v in enumerate(values)]
    return values + [None] * (GROUP // 2)


def dealt(rng, kind):
    """Each row group has other values from the same range.  The outermost are
    left out: a date beyond the years of four digits has no place among texts,
    and its dictionary proves nothing."""
    t = TYPES[kind]
    distinct = {t.plain(v): v for v in shaped(rng, kind, 60 * GROUP, "any")
                if v is not None and not t.is_nan(v)}
    values = sorted(distinct.values(), key=lambda v: place(t, v))
    values = values[4:-4] if len(values) > 20 else values
    most = min(len(values) // 4, GROUP)
    out = []
    for group in range(4):
        some = values[group::4][:most] or [None]
        out += (some * GROUP)[:GROUP]
    return out + [None] * (GROUP // 2)


# Pages of more values than are tested at once, without a dictionary, and texts
# that look like patterns.
LONG = [("double", [i / 4 for i in range(-9, 30)]),
        ("float", [i / 4 for i in range(-9, 30)]),
        ("int64", list(range(-9, 30))), ("int32", list(range(-9, 30))),
        ("string", [b"a[b", b"a_b", b"axb", b"a%b", b"a*b", b"a?b", b"AXB",
                    b"", b"b"])]


def make_long(path, rng):
    n = rng.randrange(130, 400)
    columns = [Column([kind], kind,
                      [None if rng.random() < 0.1 else rng.choice(values)
                       for _ in range(n)], False, {"statistics", "null_count"})
               for kind, values in LONG]
    parquet_file.write(path, columns, [n], 1000,
                       plan=parquet_file.some_plan(rng, columns))


def make_sweep(path, rng, means):
    columns = []
    for kind in TYPES:
        pages = means in ("bounds", "headers")
        values = in_order(rng, kind) if pages else dealt(rng, kind)
        # Bounds of pages would rule it out before a filter or dictionary could.
        how = {"statistics", "null_count", "nan_count"}
        how |= {"index"} if means == "bounds" else {means}
        how |= {"v2"} if means == "headers" and rng.random() < 0.5 else set()
        how |= {"page_counts"} if not pages else set()
        columns.append(Column([kind], kind, values, False, how))
    parquet_file.write(path, columns, [GROUP] * 4 + [GROUP // 2], 4,
                       plan=parquet_file.some_plan(rng, columns))
