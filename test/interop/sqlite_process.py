"""SQLite for sqlite.mjs: requests in lines of JSON, answers likewise.

{"load": FILE}, {"script": SQL}, {"sql": SQL, "bound": [VALUE, ...]} and
{"many": SQL, "rows": [[VALUE, ...], ...]}.  Answers are {"rows": ...}, any number
of times, and {"names": ...} or {"error": TEXT} at the end.  A VALUE is null, or a
text whose first character says what follows: i integer, r real, t text, b bytes
in hexadecimal.
"""
import json
import math
import sqlite3
import sys

BATCH = 1000                            # rows to an answer

db = sqlite3.connect(":memory:", isolation_level=None)
db.text_factory = lambda b: b.decode("utf-8", "replace")


def told(v):
    if v is None:
        return None
    if isinstance(v, int):
        return "i%d" % v
    if isinstance(v, float):
        return "r%r" % v if math.isfinite(v) else \
            "rInfinity" if v > 0 else "r-Infinity"
    return "t" + v if isinstance(v, str) else "b" + v.hex()


def value(text):
    if text is None:
        return None
    kind, rest = text[0], text[1:]
    if kind == "t":
        return rest.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return int(rest) if kind == "i" else float(rest) if kind == "r" else \
        bytes.fromhex(rest)


def say(answer):
    sys.stdout.write(json.dumps(answer) + "\n")


def answer(asked):
    if "load" in asked:
        db.enable_load_extension(True)
        db.load_extension(asked["load"])
    elif "script" in asked:
        db.executescript(asked["script"])
    elif "many" in asked:
        db.executemany(asked["many"],
                       ([value(v) for v in row] for row in asked["rows"]))
    else:
        cursor = db.execute(asked["sql"], [value(v) for v in asked["bound"]])
        while True:
            rows = cursor.fetchmany(BATCH)
            if not rows:
                break
            say({"rows": [[told(v) for v in row] for row in rows]})
        return [d[0] for d in cursor.description or []]
    return []


for line in sys.stdin:
    try:
        say({"names": answer(json.loads(line))})
    except (sqlite3.Error, OverflowError) as error:
        say({"error": str(error)})
    sys.stdout.flush()
