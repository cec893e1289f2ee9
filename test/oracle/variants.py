"""The functions over Variants against the specification in Python.

Random values become blobs with every freedom that the encoding leaves; random
JSON texts have blanks, escapes and numbers of every form.  Each is asked for
its JSON, its types, and by paths for what is in it, as every type; what is right
is known from variant_value.py and variant_cast.py, which share nothing with the
extension.

Usage: variants.py EXTENSION SEED CASES
SEED=n CASE=m repeats one case and shows it.  The last line has the counts.
"""
import os
import random
import sqlite3
import sys

import variant_file
from rowids import connect
from variant_cast import (FAILS, TARGETS, UNSURE, cast, find, path_text, shown)
from variant_value import (DECIMALS, DIGITS, blob, decode_blob, json_differs,
                           same)

# ---- JSON texts --------------------------------------------------------------

BLANKS = ["", "", "", "", " ", "\n", "\t\r\n  "]
LETTERS = "aZ0 /'{}[],:\x7fé日\U0001f600\u2028\ufffd"
ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n",
           "\r": "\\r", "\t": "\\t", "/": "\\/"}


def string_text(rng, s):
    out = ""
    for c in s:
        if c in ESCAPES and (c != "/" or rng.random() < 0.3):
            out += ESCAPES[c]
        elif c < " " or rng.random() < 0.05:
            out += "".join("\\u%04x" % u if rng.random() < 0.5 else
                           "\\u%04X" % u for u in units(c))
        else:
            out += c
    return '"' + out + '"'


def units(c):
    two = c.encode("utf-16-be")
    return [two[i] << 8 | two[i + 1] for i in range(0, len(two), 2)]


def some_string(rng):
    return "".join(rng.choice(LETTERS + "".join(ESCAPES) + "\x01\x1f")
                   for _ in range(rng.choice([0, 1, 3, 8, 70]))) \
        if rng.random() < 0.97 else "x" * rng.randrange(200, 270)


def integer_value(n):
    for kind, bits in (("int8", 8), ("int16", 16), ("int32", 32),
                       ("int64", 64)):
        if -2**(bits - 1) <= n < 2**(bits - 1):
            return kind, n
    return decimal_value(n, 0)


def decimal_value(unscaled, scale):
    digits = max(len(str(abs(unscaled))), scale)
    for kind in DECIMALS:
        if digits <= DIGITS[kind]:
            return kind, (unscaled, scale)
    return None


def some_number(rng):
    """(text, value)"""
    form = rng.randrange(4)
    n = rng.choice([0, 1, 9, 127, 128, 129, 32767, 32768, 2**31 - 1, 2**31,
                    2**63 - 1, 2**63, 10**18, 10**38 - 1,
                    rng.randrange(10**rng.randrange(1, 39))])
    n = rng.choice([n, -n, -n - 1 if n < 10**38 - 1 else n])
    if form < 2:
        return str(n), integer_value(n)
    if form == 2:
        digits = str(abs(n))
        scale = rng.randrange(1, 20)
        digits = digits.rjust(scale + 1, "0")
        text = ("-" if n < 0 else "") + digits[:-scale] + "." + digits[-scale:]
        value = decimal_value(n, scale)
        return text, value or ("double", float(text))
    text = "%d%s%s%d" % (n % 1000, rng.choice(["", ".5", ".25"]),
                         rng.choice(["e", "E", "e+", "e-"]), rng.randrange(300))
    return text, ("double", float(text))


def how_many(rng, depth):
    """Items: mostly a few; more than 16 fields are searched by halves; 256 need
    wider numbers, and come only where these have no items."""
    odd = rng.random()
    if depth == 3 and odd < 0.02:
        return rng.randrange(255, 258)
    if depth == 1 and odd < 0.05:
        return rng.randrange(17, 60)
    return rng.randrange(6)


def some_json(rng, depth=0):
    """(text, value)"""
    kind = rng.randrange(9 if depth < 4 else 6)
    before, after = rng.choice(BLANKS), rng.choice(BLANKS)
    if kind == 0:
        text, value = rng.choice([("null", ("null", None)),
                                  ("true", ("boolean", True)),
                                  ("false", ("boolean", False))])
    elif kind < 4:
        text, value = some_number(rng)
    elif kind < 6:
        s = some_string(rng)
        text, value = string_text(rng, s), ("string", s.encode())
    elif kind < 8:
        fields = {some_string(rng): some_json(rng, depth + 1)
                  for _ in range(how_many(rng, depth))}
        text = "{" + (",".join(
            "%s%s%s:%s" % (rng.choice(BLANKS), string_text(rng, name),
                           rng.choice(BLANKS), t)
            for name, (t, _) in fields.items()) or rng.choice(BLANKS)) + "}"
        value = "object", {name: v for name, (_, v) in fields.items()}
    else:
        parts = [some_json(rng, depth + 1)
                 for _ in range(how_many(rng, depth))]
        text = "[" + (",".join(t for t, _ in parts) or rng.choice(BLANKS)) + "]"
        value = "array", [v for _, v in parts]
    return before + text + after, value


# ---- questions ---------------------------------------------------------------

def ask(db, sql, *arguments):
    """The value, or FAILS and the message."""
    try:
        return db.execute(sql, arguments).fetchone()[0], None
    except sqlite3.OperationalError as error:
        return FAILS, str(error)


def paths_in(value, path=()):
    yield list(path)
    if value[0] == "object":
        for name, v in value[1].items():
            yield from paths_in(v, path + (name,))
    elif value[0] == "array":
        for i, v in enumerate(value[1]):
            yield from paths_in(v, path + (i,))


def of_json(rng, db):
    text, value = some_json(rng)
    note(text)
    got, why = ask(db, "SELECT parse_json(?)", text)
    if got is FAILS:
        return "parse_json(%r): %s" % (text, why)
    if not same(decode_blob(got), value):
        return "parse_json(%r) is %r, not %r" % (text, decode_blob(got), value)
    return of_value(rng, db, value, rng.choice([got, text]))


def of_value(rng, db, value, data):
    if isinstance(data, bytes):
        note("x'%s'" % data.hex())
    got, why = ask(db, "SELECT variant_to_json(?)", data)
    why = why or json_differs(got, value)
    if why:
        return "variant_to_json: " + why
    null, why = ask(db, "SELECT is_variant_null(?)", data)
    if null != (value[0] == "null"):
        return "is_variant_null is %r, %s" % (null, why)
    kind, why = ask(db, "SELECT variant_typeof(?)", data)
    if kind != value[0]:
        return "variant_typeof is %r, %s, not %s" % (kind, why, value[0])
    some = list(paths_in(value))
    for path in rng.sample(some, min(len(some), 6)) + [["nobody"], [99]]:
        why = of_path(rng, db, value, data, path)
        if why:
            return why
    return None


def of_path(rng, db, value, data, path):
    v, text = find(value, path), path_text(path)
    if text is None:
        return None
    if v is None:
        got, why = ask(db, "SELECT variant_get(?, ?)", data, text)
        return None if got is None and not why else \
            "%s is %r, %s, not missing" % (text, got, why)
    scale = v[1][1] if v[0] in DECIMALS else 5
    targets = rng.sample(TARGETS, 3) + [("decimal",) + rng.choice(
        [(9, 2), (18, 0), (38, 10), (38, 38), (3, 3),
         (38, max(scale - 1, 0)), (38, max(scale - 2, 0))])]
    for target in targets:
        wanted = cast(v, target)
        if wanted is UNSURE:
            continue
        name = "decimal(%d, %d)" % target[1:] if isinstance(target, tuple) \
            else target
        tries = rng.choice(["", "try_"])
        got, why = ask(db, "SELECT %svariant_get(?, ?, ?)" % tries, data, text,
                       name)
        if wanted is FAILS:
            right = got is None and not why if tries else got is FAILS
        else:
            as_sql = shown(wanted, [])
            right = got is not FAILS and (type(got), got) == (type(as_sql),
                                                              as_sql)
        if not right:
            return "%svariant_get(%s, %s) of %.200r is %.200r, %s, not %.200r" \
                % (tries, text, name, v, got, why,
                   "an error" if wanted is FAILS else wanted)
    return None


def one_case(rng, db):
    if rng.random() < 0.4:
        return of_json(rng, db)
    value = variant_file.any_value(rng) if rng.random() < 0.5 else \
        variant_file.documents(rng, variant_file.some_profile(rng), 1)[0]
    return of_value(rng, db, value, blob(value, rng))


def note(words):
    if os.environ.get("CASE"):
        print(words)


def main():
    extension, seed, cases = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    only = int(os.environ["CASE"]) if os.environ.get("CASE") else None
    db, passed, failed = connect(extension), 0, 0
    for number in range(cases) if only is None else [only]:
        try:
            why = one_case(random.Random("variants %d %d" % (seed, number)), db)
        except (ValueError, LookupError) as error:
            why = "what came cannot be read: %r" % error
        passed += not why
        failed += bool(why)
        if why and failed < 20:
            print("FAIL case %d of seed %d: %s\n  alone: CASE=%d python3 "
                  "test/oracle/variants.py %s %d %d" % (
                      number, seed, why, number, extension, seed, cases))
    print("variants (seed %d): %d passed, %d failed, 0 skipped"
          % (seed, passed, failed))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
