"""Variants by the specification alone: values, their bytes, their JSON.

A value is a pair of its type and what it holds:

    ("int8", 5)  ("null", None)  ("decimal4", (1234, 2))  ("string", b"abc")
    ("object", {"a": ("boolean", True)})  ("array", [("date", 19723)])

    names = Names(value, rng)         the metadata: names.bytes
    encode(value, names, rng)         the bytes; rng widens and shuffles what
                                      the specification leaves free
    decode(metadata, bytes)           the inverse
    json_differs(text, value)         None, or how a JSON text is not the value;
                                      of a "struct" fields are not sorted
"""
import json
import math
import struct

KINDS = ["null", "boolean", "int8", "int16", "int32", "int64", "double",
         "decimal4", "decimal8", "decimal16", "date", "timestamp",
         "timestamp_ntz", "float", "binary", "string", "time",
         "timestamp_ns", "timestamp_ntz_ns", "uuid", "object", "array"]
INTEGERS = {"int8": 1, "int16": 2, "int32": 4, "int64": 8}
DECIMALS = {"decimal4": 4, "decimal8": 8, "decimal16": 16}
DIGITS = {"decimal4": 9, "decimal8": 18, "decimal16": 38}
TICKS = {"timestamp": 10**6, "timestamp_ntz": 10**6, "timestamp_ns": 10**9,
         "timestamp_ntz_ns": 10**9}
NUMBERS = {"int8": 3, "int16": 4, "int32": 5, "int64": 6, "double": 7,
           "decimal4": 8, "decimal8": 9, "decimal16": 10, "date": 11,
           "timestamp": 12, "timestamp_ntz": 13, "float": 14, "binary": 15,
           "string": 16, "time": 17, "timestamp_ns": 18,
           "timestamp_ntz_ns": 19, "uuid": 20}
OF_NUMBER = {number: kind for kind, number in NUMBERS.items()}
WIDTHS = {**INTEGERS, "date": 4, "time": 8, **{k: 8 for k in TICKS}}


# ---- bytes -------------------------------------------------------------------

def size_of(n, rng=None):
    """The bytes a number takes, or more."""
    least = max(1, (n.bit_length() + 7) // 8)
    return rng.randrange(least, 5) if rng and rng.random() < 0.1 else least


def little(n, size):
    return n.to_bytes(size, "little")


def names_in(value, out):
    kind, held = value
    if kind == "object":
        for name, v in held.items():
            out.add(name)
            names_in(v, out)
    elif kind == "array":
        for v in held:
            names_in(v, out)
    return out


class Names:
    """The metadata of a value: its names in order, or shuffled, with names that
    nobody uses and names that come twice."""

    def __init__(self, value, rng=None):
        names = sorted((n.encode() for n in names_in(value, set())))
        ordered = not rng or rng.random() < 0.6
        if rng and rng.random() < 0.1:
            names = sorted(set(names) | {b"", b"nobody", b"zz"})
        if not ordered:
            names += [n for n in names if rng.random() < 0.1]
            rng.shuffle(names)
        self.ids = {}
        for i, name in enumerate(names):
            self.ids.setdefault(name, []).append(i)
        total = sum(map(len, names))
        size = size_of(max(total, len(names)), rng)
        said = ordered and (not rng or rng.random() < 0.8)
        at, offsets = 0, little(0, size)
        for name in names:
            at += len(name)
            offsets += little(at, size)
        self.bytes = bytes([1 | said << 4 | (size - 1) << 6]) + \
            little(len(names), size) + offsets + b"".join(names)


def items(parts, rng, is_object):
    """parts: (id or None, bytes), in the order of their names."""
    order = list(range(len(parts)))
    if is_object and rng and rng.random() < 0.4:
        rng.shuffle(order)
    starts, at, body = [0] * len(parts), 0, b""
    for i in order:
        starts[i] = at
        at += len(parts[i][1])
        body += parts[i][1]
    offset = size_of(at, rng)
    large = len(parts) > 255 or bool(rng and rng.random() < 0.1)
    if is_object:
        wide = size_of(max([i for i, _ in parts] + [0]), rng)
        head = 2 | (large << 4 | (wide - 1) << 2 | offset - 1) << 2
        ids = b"".join(little(i, wide) for i, _ in parts)
    else:
        head, ids = 3 | (large << 2 | offset - 1) << 2, b""
    return bytes([head]) + little(len(parts), 4 if large else 1) + ids + \
        b"".join(little(s, offset) for s in starts + [at]) + body


def encode(value, names, rng=None):
    kind, held = value
    if kind == "null":
        return b"\0"
    if kind == "boolean":
        return bytes([(1 if held else 2) << 2])
    if kind == "object":
        fields = sorted((n.encode(), v) for n, v in held.items())
        return items([(rng.choice(names.ids[n]) if rng else names.ids[n][0],
                       encode(v, names, rng)) for n, v in fields], rng, True)
    if kind == "array":
        return items([(None, encode(v, names, rng)) for v in held], rng, False)
    if kind == "string" and len(held) < 64 and \
            not (rng and rng.random() < 0.1):
        return bytes([1 | len(held) << 2]) + held
    head = bytes([NUMBERS[kind] << 2])
    if kind in WIDTHS:
        return head + held.to_bytes(WIDTHS[kind], "little", signed=True)
    if kind in DECIMALS:
        unscaled, scale = held
        return head + bytes([scale]) + unscaled.to_bytes(
            DECIMALS[kind], "little", signed=True)
    if kind in ("float", "double"):
        return head + struct.pack("<f" if kind == "float" else "<d", held)
    if kind == "uuid":
        return head + held
    return head + struct.pack("<I", len(held)) + held


def blob(value, rng=None):
    names = Names(value, rng)
    return names.bytes + encode(value, names, rng)


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        if self.at + n > len(self.data):
            raise ValueError("a Variant that is cut off")
        self.at += n
        return self.data[self.at - n:self.at]

    def number(self, size):
        return int.from_bytes(self.take(size), "little")


def names_of(r):
    head = r.take(1)[0]
    if head & 15 != 1:
        raise ValueError("metadata of version %d" % (head & 15))
    size = (head >> 6) + 1
    n = r.number(size)
    offsets = [r.number(size) for _ in range(n + 1)]
    text = r.take(offsets[-1])
    return [text[a:b].decode() for a, b in zip(offsets, offsets[1:])]


def read_value(names, r):
    head = r.take(1)[0]
    basic, info = head & 3, head >> 2
    if basic == 1:
        return "string", r.take(info)
    if basic >= 2:
        large = info >> 4 & 1 if basic == 2 else info >> 2 & 1
        offset, wide = (info & 3) + 1, (info >> 2 & 3) + 1
        n = r.number(4 if large else 1)
        ids = [r.number(wide) for _ in range(n)] if basic == 2 else []
        starts = [r.number(offset) for _ in range(n + 1)]
        body = r.take(starts[-1])
        held = [read_value(names, Reader(body[s:])) for s in starts[:-1]]
        if basic == 3:
            return "array", held
        if [names[i].encode() for i in ids] != \
                sorted({names[i].encode() for i in ids}):
            raise ValueError("names out of order")
        return "object", {names[i]: v for i, v in zip(ids, held)}
    if info == 0:
        return "null", None
    if info <= 2:
        return "boolean", info == 1
    kind = OF_NUMBER[info]
    if kind in WIDTHS:
        return kind, int.from_bytes(r.take(WIDTHS[kind]), "little", signed=True)
    if kind in DECIMALS:
        scale = r.take(1)[0]
        return kind, (int.from_bytes(r.take(DECIMALS[kind]), "little",
                                     signed=True), scale)
    if kind == "float":
        return kind, struct.unpack("<f", r.take(4))[0]
    if kind == "double":
        return kind, struct.unpack("<d", r.take(8))[0]
    return kind, r.take(16 if kind == "uuid" else r.number(4))


def decode(metadata, data):
    return read_value(names_of(Reader(metadata)), Reader(data))


def decode_blob(data):
    r = Reader(data)
    return read_value(names_of(r), r)


def same(a, b):
    """Are they one value, type by type?  NaN is NaN, and -0.0 is not 0.0."""
    if a[0] != b[0]:
        return False
    if a[0] == "object":
        return a[1].keys() == b[1].keys() and \
            all(same(v, b[1][n]) for n, v in a[1].items())
    if a[0] == "array":
        return len(a[1]) == len(b[1]) and all(map(same, a[1], b[1]))
    if a[0] in ("float", "double"):
        return struct.pack("<d", a[1]) == struct.pack("<d", b[1]) or \
            math.isnan(a[1]) and math.isnan(b[1])
    return a[1] == b[1]


def narrow(value):
    """The value with all integers and decimals in one width."""
    kind, held = value
    if kind == "object":
        return kind, {n: narrow(v) for n, v in held.items()}
    if kind == "array":
        return kind, [narrow(v) for v in held]
    return ("int64" if kind in INTEGERS else
            "decimal16" if kind in DECIMALS else kind), held


def same_but_widths(a, b):
    return same(narrow(a), narrow(b))


def number(value):
    """An exact number as (digits, scale), 7.00 as 7; else None."""
    kind, held = value
    if kind not in INTEGERS and kind not in DECIMALS:
        return None
    unscaled, scale = held if kind in DECIMALS else (held, 0)
    while scale and unscaled % 10 == 0:
        unscaled, scale = unscaled // 10, scale - 1
    return unscaled, scale


def equivalent(a, b, doubles):
    """Is a, as it was stored, the value b?  The specification has one class of
    exact numbers; with doubles, a may be the double with the digits of b."""
    if a[0] != b[0] or a[0] not in ("object", "array"):
        exact = number(b)
        if exact and a[0] == "double" and doubles:
            return abs(exact[0]) < 10**15 and \
                a[1] == float("%de-%d" % exact)
        return number(a) == exact if exact else same(a, b)
    if a[0] == "object":
        return a[1].keys() == b[1].keys() and \
            all(equivalent(v, b[1][n], doubles) for n, v in a[1].items())
    return len(a[1]) == len(b[1]) and \
        all(equivalent(v, w, doubles) for v, w in zip(a[1], b[1]))


# ---- texts -------------------------------------------------------------------

def date_text(days):
    """By the proleptic calendar; beyond four digits a year has a sign."""
    z = days + 719468
    era, doe = divmod(z, 146097)
    yoe = (doe - doe // 1460 + doe // 36524 - doe // 146096) // 365
    doy = doe - (365 * yoe + yoe // 4 - yoe // 100)
    mp = (5 * doy + 2) // 153
    day, month = doy - (153 * mp + 2) // 5 + 1, mp + 3 if mp < 10 else mp - 9
    year = yoe + era * 400 + (month <= 2)
    words = "%04d" % year if 0 <= year <= 9999 else "%+05d" % year
    return "%s-%02d-%02d" % (words, month, day)


def time_text(ticks, per_second):
    """With as many digits as are exact, of 0, 3, 6 and 9."""
    second, part = divmod(ticks, per_second)
    digits = "%0*d" % (len(str(per_second)) - 1, part)
    while digits and digits.endswith("000"):
        digits = digits[:-3]
    return "%02d:%02d:%02d" % (second // 3600, second // 60 % 60,
                               second % 60) + ("." + digits if digits else "")


def timestamp_text(ticks, per_second):
    days, rest = divmod(ticks, 86400 * per_second)
    return date_text(days) + " " + time_text(rest, per_second)


def decimal_text(unscaled, scale):
    digits = str(abs(unscaled)).rjust(scale + 1, "0")
    return ("-" if unscaled < 0 else "") + (
        digits[:-scale] + "." + digits[-scale:] if scale else digits)


def uuid_text(b):
    h = b.hex()
    return "-".join([h[:8], h[8:12], h[12:16], h[16:20], h[20:]])


def text_of(value):
    """A scalar's text, without quotes; None if it is a number or no scalar."""
    kind, held = value
    if kind == "string":
        return held.decode()
    if kind == "binary":
        return held.hex().upper()
    if kind == "uuid":
        return uuid_text(held)
    if kind == "date":
        return date_text(held)
    if kind == "time":
        return time_text(held, 10**6) if 0 <= held < 86400 * 10**6 else \
            str(held)
    if kind in TICKS:
        return timestamp_text(held, TICKS[kind])
    return None


class Number(str):
    """The digits of a number in a JSON text."""


def json_differs(text, value):
    parsed = json.loads(text, object_pairs_hook=lambda pairs: ("{", pairs),
                        parse_int=Number, parse_float=Number,
                        parse_constant=lambda c: "not JSON: " + c)
    return differs(parsed, value, "$")


def differs(got, value, where):
    kind, held = value
    if kind in ("object", "struct"):
        if not isinstance(got, tuple):
            return "%s: no object, but %.80r" % (where, got)
        wanted = list(held) if kind == "struct" \
            else sorted(held, key=str.encode)
        if [n for n, _ in got[1]] != wanted:
            return "%s: fields %.200r, not %.200r" % (
                where, [n for n, _ in got[1]], wanted)
        return next(filter(None, (differs(v, held[n], where + "." + n)
                                  for n, v in got[1])), None)
    if kind == "array":
        if not isinstance(got, list) or len(got) != len(held):
            return "%s: not %d elements, but %.80r" % (where, len(held), got)
        return next(filter(None, (differs(v, held[i], "%s[%d]" % (where, i))
                                  for i, v in enumerate(got))), None)
    return None if scalar_is(got, value) else \
        "%s: %.80r, not %.80r" % (where, got, value)


def scalar_is(got, value):
    kind, held = value
    if kind == "null" or kind in ("float", "double") and math.isnan(held):
        return got is None
    if kind == "boolean":
        return got is held
    if text_of(value) is not None:
        return got == text_of(value) and not isinstance(got, Number)
    if not isinstance(got, Number):
        return False
    if kind in DECIMALS:
        return got == decimal_text(*held)
    if kind in INTEGERS:
        return got == str(held)
    read = float(got)
    if kind == "float" and not math.isinf(read):
        read, = struct.unpack("<f", struct.pack("<f", read))
    return struct.pack("<d", read) == struct.pack("<d", held)


def typed_text(value):
    """One line for a person, and for tests to compare."""
    kind, held = value
    if kind == "object":
        return {n: typed_text(v) for n, v in sorted(
            held.items(), key=lambda f: f[0].encode())}
    if kind == "array":
        return [typed_text(v) for v in held]
    return "%s %s" % (kind, held) if text_of(value) is None else \
        "%s %s" % (kind, text_of(value))
