"""Casts of Variants as Spark's ANSI mode has them, and what SQLite sees.

    cast(value, "bigint")     a value; None for NULL; FAILS; or UNSURE, where it
                              depends on how a text is read or a double written
    find(value, path)         the value at a path of names and numbers, or None
    shown(value, options)     what SQLite sees of a scalar
"""
import decimal
import math
import re
import struct

from variant_value import (DECIMALS, DIGITS, INTEGERS, TICKS, decimal_text,
                           text_of)

FAILS, UNSURE = object(), object()
WHOLE = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
OF_BITS = {8: "int8", 16: "int16", 32: "int32", 64: "int64"}
TARGETS = list(WHOLE) + ["boolean", "float", "double", "string", "binary",
                         "date", "time", "timestamp", "timestamp_ntz", "uuid"]
SECONDS = {"timestamp", "timestamp_ns"}      # numbers, since 1970
DAY = 86400
EXACT = decimal.Context(prec=400)


def find(value, path):
    for step in path:
        kind, held = value
        if isinstance(step, str):
            if kind != "object" or step not in held:
                return None
            value = held[step]
        elif kind == "array" and step < len(held):
            value = held[step]
        else:
            return None
    return value


def path_text(path):
    """As variant_get takes it; None: a name with both quotes has no path."""
    out = "$"
    for step in path:
        if isinstance(step, int):
            out += "[%d]" % step
        elif re.fullmatch(r"[A-Za-z_ü]\w*", step):
            out += "." + step
        elif "'" in step and '"' in step:
            return None
        else:
            out += ('["%s"]' if "'" in step else "['%s']") % step
    return out


def single(v):
    try:
        return struct.unpack("<f", struct.pack("<f", v))[0]
    except OverflowError:
        return math.copysign(math.inf, v)


def number_of(value):
    """An exact Decimal of a number, a float if it is no number, or None."""
    kind, held = value
    if kind == "boolean":
        return decimal.Decimal(int(held))
    if kind in INTEGERS:
        return decimal.Decimal(held)
    if kind in DECIMALS:
        return decimal.Decimal(held[0]).scaleb(-held[1], EXACT)
    if kind in ("float", "double"):
        return decimal.Decimal(held) if math.isfinite(held) else held
    if kind in SECONDS:
        return EXACT.divide(decimal.Decimal(held), decimal.Decimal(TICKS[kind]))
    return None


def to_whole(value, target):
    bits, n = WHOLE[target], number_of(value)
    if n is None:
        return FAILS
    if isinstance(n, float):
        return FAILS
    if value[0] in SECONDS:
        n = value[1] // TICKS[value[0]]
    n = int(n)
    return (OF_BITS[bits], n) if -2**(bits - 1) <= n < 2**(bits - 1) else FAILS


def to_real(value, target):
    n = number_of(value)
    if n is None:
        return FAILS
    if value[0] in SECONDS:
        return UNSURE
    if value[0] in DECIMALS or value[0] in INTEGERS:
        v = float(n)
        if target == "float" and abs(n) > 2**24:
            return UNSURE            # rounded once or twice
    else:
        v = float(n)
    return (target, single(v) if target == "float" else v)


def to_decimal(value, precision, scale):
    n = number_of(value)
    if n is None or isinstance(n, float):
        return FAILS
    if value[0] in SECONDS:
        return UNSURE
    if value[0] in ("float", "double"):
        if value[0] == "float":
            return UNSURE
        n = decimal.Decimal(repr(value[1]))
    unscaled = int(n.scaleb(scale, EXACT).to_integral_value(
        decimal.ROUND_HALF_UP, EXACT))
    if abs(unscaled) >= 10**precision:
        return FAILS
    kind = next(k for k in DECIMALS if precision <= DIGITS[k])
    return kind, (unscaled, scale)


def to_text(value):
    kind, held = value
    if kind == "string":
        return value
    if kind == "boolean":
        return "string", b"true" if held else b"false"
    if kind in INTEGERS:
        return "string", b"%d" % held
    if kind in DECIMALS:
        return "string", decimal_text(*held).encode()
    if kind == "binary":
        try:
            held.decode()
        except UnicodeDecodeError:
            return UNSURE
        return "string", held
    if kind in ("float", "double", "object", "array"):
        return UNSURE
    return "string", text_of(value).encode()


def to_timestamp(value, target):
    kind, held = value
    if kind == "date":
        micros = held * DAY * 10**6
    elif kind in TICKS:
        micros = held * 10**6 // TICKS[kind]
    elif target == "timestamp" and number_of(value) is not None and \
            kind != "boolean":
        if kind not in INTEGERS:
            return UNSURE
        micros = held * 10**6
    else:
        return FAILS
    return (target, micros) if -2**63 <= micros < 2**63 else FAILS


def of_string(value, target):
    text = value[1].decode()
    if target == "string":
        return value
    if target == "binary":
        return "binary", value[1]
    if target in WHOLE and re.fullmatch(r"-?[0-9]{1,18}", text, re.A):
        return to_whole(("int64", int(text)), target)
    return UNSURE


def cast(value, target):
    """target: a name, or ("decimal", precision, scale)."""
    kind = value[0]
    if kind == "null":
        return None
    if kind == "string":
        return of_string(value, target)
    if target == "string":
        return to_text(value)
    if kind in ("object", "array"):
        return FAILS
    if target in WHOLE:
        return to_whole(value, target)
    if target in ("float", "double"):
        return to_real(value, target)
    if isinstance(target, tuple):
        return to_decimal(value, *target[1:])
    if target == "boolean":
        n = number_of(value)
        if kind == "boolean":
            return value
        return FAILS if n is None or kind in SECONDS else UNSURE \
            if isinstance(n, float) else ("boolean", n != 0)
    if target in ("timestamp", "timestamp_ntz"):
        return to_timestamp(value, target)
    if target == "date" and kind in TICKS:
        return "date", value[1] // (DAY * TICKS[kind])
    return value if kind == target else FAILS


def shown(value, options):
    """value: a scalar or None."""
    if value is None or value[0] == "null":
        return None
    kind, held = value
    if kind == "boolean":
        return int(held)
    if kind in INTEGERS:
        return held
    if kind in ("float", "double"):
        if not math.isnan(held):
            return held
        sign = "-" if math.copysign(1, held) < 0 else ""
        return sign + "NaN" if "nan=text" in options else None
    if kind in DECIMALS:
        unscaled, scale = held
        if "decimal=text" in options:
            return decimal_text(unscaled, scale)
        if scale == 0 and -2**63 <= unscaled < 2**63:
            return unscaled
        return float(decimal_text(unscaled, scale))
    if kind == "binary":
        return held
    return text_of(value)
