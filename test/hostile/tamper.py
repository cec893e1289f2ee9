"""Encrypted files that somebody changed give an error, or the right rows.

Small encrypted files are made (test/oracle/crypto_file.py), and each is changed
in many ways: a bit of a byte is flipped, or the file is truncated, at every
byte; modules of the same size change places, within a file and between files;
footers, prefixes and algorithms are exchanged; an older version comes back.
Every changed file is read by the queries below.  Each must fail, or give the
rows of a native table with the same values.  Bytes that are read and that a tag
or a signature covers must make the full read fail.

There are three holes.  Pages of AES_GCM_CTR_V1 have no tag, and neither have the
levels of version 2 pages that parquet-java writes.  There wrong rows are counted,
unless the page has a CRC, which must then find them.  And a plaintext footer says
itself that it is signed, and with which key: unless footer_key= names one, it may
be changed into one that is not signed, or with a key that nobody here has.

A covering in the clear, too, may be changed, and must not hide an encrypted
geometry.  A file of key material is changed at every byte.

Usage: tamper.py EXTENSION FOLDER [EVERY]        one change out of EVERY; 1: all
       tamper.py EXTENSION FOLDER EVERY KIND     of one kind of files
       tamper.py make                            the samples beside this file
The last line has the counts.
"""
import collections
import json
import os
import re
import sqlite3
import struct
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "oracle"))

import crypto_file                                               # noqa: E402
import crypto_read                                               # noqa: E402
import parquet_file                                              # noqa: E402
from crypto_file import CLEAR, KEYS, Plan                        # noqa: E402
from parquet_file import Column                                  # noqa: E402

QUERIES = [
    "SELECT * FROM t",
    "SELECT count(*) FROM t",
    "SELECT id FROM t WHERE word = 'pear'",
    "SELECT id FROM t WHERE word = 'nectarine'",
    "SELECT word, id FROM t WHERE id = 107",
    "SELECT id, real FROM t WHERE id BETWEEN 103 AND 105 ORDER BY id",
    "SELECT count(*) FROM t WHERE real > 3",
    "SELECT id FROM t WHERE real IS NULL",
    "SELECT min(id), max(id) FROM t",
    "SELECT min(word), max(word) FROM t",
    "SELECT * FROM t ORDER BY id DESC LIMIT 2",
    "SELECT word, count(*) FROM t GROUP BY word ORDER BY word",
    "SELECT real FROM t WHERE rowid = 4",
    "WITH k(v) AS (VALUES (101), (103), (90), (105), (107)) "
    "SELECT k.v, t.word FROM k CROSS JOIN t ON t.id = k.v",
]
OLD = 1_000_000_000
# What a file may have, a query that needs it, and a column of the statistics.
USED = [("bloom", "SELECT id FROM t WHERE real = 0.7",
         "skipped_by_bloom_filter"),
        ("index", "SELECT id, real FROM t WHERE id = 104",
         "pages_skipped_by_index"),
        ("headers", "SELECT id, real FROM t WHERE id = 104",
         "pages_skipped_by_header")]
WORDS = [b"apple", b"grape", b"pear", b"plum", b"fig", b"pear", b"lemon",
         b"olive"]


def rows_of(version=0):
    """Rows of texts of similar sizes, so that modules are of the same size."""
    return [(100 + i, WORDS[(i * 5 + version) % 8].decode(),
             None if i in (2, 5) else i / 2 + version, 500 + i)
            for i in range(8)]


def write(path, plan, how, version=0, groups=(4, 4)):
    rows = rows_of(version)[:sum(groups)]
    columns = [Column(["id"], "int64", [r[0] for r in rows], True, how),
               Column(["word"], "string", [r[1].encode() for r in rows], False,
                      how | {"dictionary", "page_counts"}),
               Column(["real"], "double", [r[2] for r in rows], False, how),
               Column(["twin"], "int64", [r[3] for r in rows], True, how)]
    parquet_file.write(path, columns, list(groups), 2, plan=plan)
    with open(path, "rb") as f:
        return f.read()


class Kind:
    """trusting: the footer is plain, and no option names its key."""

    def __init__(self, how, options="", **plan):
        self.how = {"statistics", "null_count"} | set(how.split())
        self.options, self.arguments = options, plan
        self.trusting = "plaintext" in plan and "footer_key" not in options

    def plan(self, **other):
        arguments = dict(self.arguments, seed="tamper")
        arguments.update(other)
        return Plan("k0", **arguments)


OWN = {"word": "k1", "real": "k2"}
KINDS = {
    "gcm-own-keys": Kind("index bloom", leaves=OWN, prefix=b"of trips"),
    "gcm-signed": Kind("index bloom v2", plaintext=True, leaves=OWN,
                       options="footer_key='k0'"),
    "gcm-signed-found": Kind("bloom headers", plaintext=True,
                             names={"k2": None}, leaves=OWN),
    "gcm-signed-tried": Kind("bloom headers", plaintext=True, leaves=OWN,
                             names={"k0": None}),
    "gcm-uniform": Kind("index v2 gzip", prefix=b"hidden",
                        stores_prefix=False,
                        options="aad_prefix='hidden', footer_key='k0'"),
    "gcm-tried": Kind("index bloom", leaves=OWN, ordinals=False,
                      names=dict.fromkeys(KEYS)),
    "gcm-levels": Kind("headers v2", leaves=OWN, levels_clear=True),
    "gcm-levels-crc": Kind("headers v2", leaves=OWN, levels_clear=True,
                           crc=True),
    "ctr": Kind("index bloom", leaves=OWN, ctr=True),
    "ctr-v2": Kind("index bloom v2", leaves=OWN, ctr=True, plaintext=True,
                   options="footer_key='k0', column_keys='word=k1;real=k2'"),
    "ctr-crc": Kind("index bloom", leaves=OWN, ctr=True, crc=True),
    "ctr-gzip": Kind("headers gzip", ctr=True),
}


# ---- changes -----------------------------------------------------------------

def flipped(data, at, bits):
    out = bytearray(data)
    out[at] ^= bits
    return bytes(out)


def covered_by(reader, kind):
    """For each byte: None, "tag" if the full read needs it and something
    authenticates it, or "hole"."""
    out = [None] * len(reader.data)
    for begin, end, what in reader.spans:
        name = what.split(" of ")[0]
        if name in ("footer", "column metadata", "data page",
                    "data page header", "dictionary page",
                    "dictionary page header"):
            how = "hole" if reader.ctr and name in (
                "data page", "dictionary page") else "tag"
        elif name == "clear levels":
            how = "hole"
        else:
            continue
        if how == "hole" and kind.arguments.get("crc"):
            how = "tag"
        if name == "footer" and kind.trusting:
            how = "hole"
        out[begin:end] = [how] * (end - begin)
    return out


def flips(reader, kind):
    """(byte, (what, data, what covers it))"""
    data, cover = reader.data, covered_by(reader, kind)
    for at in range(len(data)):
        yield at, ("cut off at byte %d" % at, data[:at], None)
        for bits in (1, 0x80):
            yield at, ("bits %#x of byte %d flipped" % (bits, at),
                       flipped(data, at, bits), cover[at])


def exchanged(data, a, b):
    """Two parts of the same size, (begin, end), change places."""
    if a[0] > b[0]:
        a, b = b, a
    return data[:a[0]] + data[b[0]:b[1]] + data[a[1]:b[0]] + \
        data[a[0]:a[1]] + data[b[1]:]


def units(reader):
    """Parts that could change places: modules, pages with their headers, the
    chunks of a column, row groups, indexes of a column: {size: [part]}."""
    parts = {(b, e) for b, e, what in reader.spans
             if what.startswith(crypto_file.KIND_NAMES)}
    joined = {}
    for m in reader.modules:
        if m.kind in (crypto_file.FOOTER, crypto_file.COLUMN_META):
            continue
        of = "pages" if m.kind in (
            crypto_file.DATA_PAGE, crypto_file.DICTIONARY_PAGE,
            crypto_file.DATA_PAGE_HEADER,
            crypto_file.DICTIONARY_PAGE_HEADER) else m.kind // 2
        for name in [(of, m.group, m.column, m.page), (of, m.group, m.column),
                     (of, m.group)]:
            joined.setdefault(name, []).append((m.begin, m.end))
    for some in joined.values():
        parts.add((min(b for b, _ in some), max(e for _, e in some)))
    by_size = {}
    for b, e in sorted(parts):
        by_size.setdefault(e - b, []).append((b, e))
    return by_size


def part_is_hole(reader, part, kind):
    """Pages alone, of CTR, without a CRC."""
    return any(part[0] <= b < part[1] and
               (what == "clear levels" or reader.ctr and
                what.split(" of ")[0] in ("data page", "dictionary page"))
               for b, e, what in reader.spans) and \
        not kind.arguments.get("crc")


def swaps(reader, kind):
    data = reader.data
    for size, parts in units(reader).items():
        for i, a in enumerate(parts):
            for b in parts[i + 1:]:
                if a[1] <= b[0]:
                    yield "%d bytes at %d and %d exchanged" % (
                        size, a[0], b[0]), exchanged(data, a, b), \
                        "hole" if part_is_hole(reader, a, kind) else None


def footer_at(data):
    return len(data) - 8 - struct.unpack_from("<I", data, len(data) - 8)[0]


def between(reader, kind, other, what):
    """Parts of another file with the same layout come into this one."""
    data = reader.data
    for parts in units(reader).values():
        for b, e in parts:
            if e <= len(other):
                yield "%d bytes at %d from %s" % (e - b, b, what), \
                    data[:b] + other[b:e] + data[e:], \
                    "hole" if part_is_hole(reader, (b, e), kind) else None
    at, theirs = footer_at(data), footer_at(other)
    yield "the footer of " + what, data[:at] + other[theirs:], None
    yield "the pages of " + what, other[:theirs] + data[at:], None


def other_algorithm(reader):
    """The footer's crypto metadata say the other algorithm; they have no tag."""
    data, at = reader.data, footer_at(reader.data)
    if data[:4] != b"PARE" or data[at] != 0x1c or data[at + 1] not in (
            0x1c, 0x2c):
        return
    yield "the other algorithm", \
        data[:at + 1] + bytes([data[at + 1] ^ 0x30]) + data[at + 2:], None


def other_border(reader, kind):
    """The prefix and the unique bytes are authenticated as one text, so that the
    border between them can be moved.  (what, data, the prefix to ask for)"""
    data, at = reader.data, footer_at(reader.data)
    prefix = kind.arguments.get("prefix")
    if data[:4] != b"PARE" or prefix is None:
        return
    _, end = crypto_read.fields(data, at)
    for move in (-len(prefix), -2, -1, 1, 3, 8):
        border = len(prefix) + move
        less, unique = reader.aad[:border], reader.aad[border:]
        if not all(32 <= c < 127 and c not in b"'" for c in less):
            continue
        stored = [(1, "binary", less)] if less and reader.stored else []
        footer = parquet_file.thrift([
            (1, "struct", [(1 + reader.ctr, "struct", stored + [
                (2, "binary", unique), (3, "bool", bool(less and not stored))])]),
            (2, "binary", reader.metadata)]) + data[end:-8]
        yield "the prefix has %d bytes more" % move, data[:at] + footer + \
            struct.pack("<I", len(footer)) + b"PARE", (less or prefix).decode()


# ---- reading -----------------------------------------------------------------

class Tester:
    def __init__(self, extension, folder, name, every):
        self.folder, self.name, self.every = folder, name, every
        self.kind = KINDS[name]
        self.db = sqlite3.connect(":memory:")
        self.db.enable_load_extension(True)
        self.db.load_extension(extension)
        crypto_file.put_keys(self.db)
        self.right = self.answers(rows_of())
        self.counts, self.failed = collections.Counter(), 0
        self.messages, self.number, self.turn = collections.Counter(), 0, 0
        self.note = open(os.path.join(folder, name + ".now"), "w")

    def answers(self, rows):
        db = sqlite3.connect(":memory:")
        db.execute("CREATE TABLE t(id, word, real, twin)")
        db.executemany("INSERT INTO t(rowid, id, word, real, twin) "
                       "VALUES (?, ?, ?, ?, ?)",
                       [(i,) + r for i, r in enumerate(rows)])
        return [db.execute(q).fetchall() for q in QUERIES]

    def fail(self, words):
        self.failed += 1
        if self.failed <= 10:
            print("FAIL %s: %s" % (self.name, words))

    def read(self, data, options):
        """For each query its rows, or None."""
        self.number += 1
        path = "%s/%s_%d.parquet" % (self.folder, self.name, self.number)
        with open(path, "wb") as f:
            f.write(data)
        os.utime(path, (OLD, OLD))   # a file of just now is watched longer
        out = []
        try:
            self.db.execute("CREATE VIRTUAL TABLE temp.t USING parquet('%s'%s)"
                            % (path, ", " + options if options else ""))
        except sqlite3.Error as error:
            self.error(error)
            out = [None] * len(QUERIES)
        else:
            for query in QUERIES:
                try:
                    out.append(self.db.execute(query).fetchall())
                except sqlite3.Error as error:
                    self.error(error)
                    out.append(None)
            self.db.execute("DROP TABLE temp.t")
        os.remove(path)
        return out

    def error(self, error):
        words = str(error)
        self.messages[re.sub(r"\d+", "N", words.split(".parquet")[-1])] += 1
        if not words or "not an error" in words or "out of memory" in words:
            self.fail("the message %r" % words)

    def check(self, change, always=False, options=None, must_fail=False):
        what, data, cover = change
        self.turn += 1
        if not always and self.turn % self.every:
            return
        self.note.seek(0)
        self.note.write(what.ljust(120))
        self.note.flush()
        got = self.read(data, self.kind.options if options is None else options)
        wrong = [q for q, rows, right in zip(QUERIES, got, self.right)
                 if rows is not None and rows != right]
        failed = sum(rows is None for rows in got)
        if wrong and cover == "hole":
            self.counts["wrong, as allowed"] += 1
        elif wrong:
            self.fail("%s: other rows of %s" % (what, wrong[0]))
        elif cover == "tag" and got[0] is not None:
            self.fail("%s: it was not noticed" % what)
        elif must_fail and failed < (1 if self.kind.trusting else
                                     len(QUERIES)):
            self.fail("%s: it was not noticed" % what)
        elif cover == "hole":
            self.counts["hole: caught" if failed else "hole: right rows"] += 1
        else:
            self.counts["caught" if failed else "right rows"] += 1

    def all(self):
        kind, path = self.kind, "%s/%s.parquet" % (self.folder, self.name)
        data = write(path, kind.plan(), kind.how)
        reader = crypto_read.open_bytes(data, KEYS, kind.arguments.get("prefix"))
        if reader.problems:
            self.fail("as it is: %r" % reader.problems)
            return
        got = self.read(data, kind.options)
        if got != self.right:
            self.fail("as it is: %r" % [
                (q, g, r) for q, g, r in zip(QUERIES, got, self.right)
                if g != r][:2])
            print("  %r" % self.messages.most_common(2))
            return
        levels = {at for begin, end, what in reader.spans
                  if what.startswith("clear levels") for at in range(begin, end)}
        for at, change in flips(reader, kind):
            self.check(change, at in levels)     # they are few
        for change in swaps(reader, kind):
            self.check(change)
        self.others(reader, path)
        for words, n in self.messages.most_common(
                60 if "-v" in sys.argv else 0):
            print("  %7d %s" % (n, words))

    def others(self, reader, path):
        kind, data = self.kind, reader.data
        twin = write(path, kind.plan(seed="twin"), kind.how)
        older = write(path, kind.plan(seed="older"), kind.how, 3)
        for change in between(reader, kind, twin, "a twin"):
            self.check(change)
        for change in between(reader, kind, older, "an older version"):
            self.check(change)
        # The same unique bytes and nonces: only the prefix differs.
        moved = write(path, kind.plan(prefix=b"of ships"), kind.how, 3)
        for change in between(reader, kind, moved, "one with another prefix"):
            self.check(change)
        for change in other_algorithm(reader):
            self.check(change, True)
        given = re.sub(r",? *aad_prefix='[^']*'", "", kind.options)
        for what, changed, prefix in other_border(reader, kind):
            self.check((what, changed, None), True, ", ".join(
                ["aad_prefix='%s'" % prefix] + ([given.lstrip(", ")] if given
                                                else [])), True)
        self.replaced(path)
        self.forgotten(path, data)

    def forgotten(self, path, data):
        """Nothing is remembered for longer than its key."""
        with open(path, "wb") as f:
            f.write(data)
        os.utime(path, (OLD, OLD))
        self.db.execute("CREATE VIRTUAL TABLE temp.t USING parquet('%s'%s)" % (
            path, ", " + self.kind.options if self.kind.options else ""))
        self.pruned()
        for key in ("k0", "k1"):
            for given, right in ((KEYS[key], True), (None, False),
                                 (KEYS[key], True), (KEYS["k3"][::-1], False),
                                 (KEYS["k3"], False), (KEYS[key], True)):
                crypto_file.put_keys(self.db, {key: given})
                self.as_given(key, right)
        self.other_options(path)
        self.db.execute("DROP TABLE temp.t")

    def other_options(self, path):
        """A file that was just read, by somebody who asks for other keys."""
        for options in ("footer_key='k3'", "aad_prefix='other'"):
            try:
                self.db.execute("CREATE VIRTUAL TABLE temp.t2 USING "
                                "parquet('%s', %s)" % (path, options))
                self.fail("%s opens a file that was read before" % options)
                self.db.execute("DROP TABLE temp.t2")
            except sqlite3.Error:
                self.counts["caught"] += 1

    def pruned(self):
        """What is sealed is used: otherwise changes to it prove nothing."""
        for feature, query, means in USED:
            if feature in self.kind.how:
                self.db.execute(query).fetchall()
                n, = self.db.execute("SELECT %s FROM parquet_scan_stats()"
                                     % means).fetchone()
                if not n:
                    self.fail("%s is not used" % feature)
                else:
                    self.counts["right rows"] += 1

    def as_given(self, key, right):
        """The footer's key is for id and twin too, and k1 is for word."""
        if key == "k1" and key not in self.kind.arguments.get(
                "leaves", {}).values():
            return
        for i, query in enumerate(QUERIES):
            try:
                got = self.db.execute(query).fetchall()
            except sqlite3.Error as error:
                got = None
                self.error(error)
            if right and got != self.right[i] or not right and i == 0 and \
                    got is not None or got not in (None, self.right[i]):
                self.fail("%s was given %s: %r of %s" % (
                    key, "right" if right else "wrong", got, query))
            else:
                self.counts["right rows" if right else "caught"] += 1

    def replaced(self, path):
        """Whole files: only options tell which one is wanted."""
        kind = self.kind
        given = re.sub(r",? *aad_prefix='[^']*'", "", kind.options)

        def options(*more):
            return ", ".join(o for o in (given,) + more if o)

        for stores in (True, False):
            old = write(path, kind.plan(prefix=b"2023", stores_prefix=stores),
                        kind.how, 3)
            self.check(("an old file, its prefix stored: %d" % stores, old,
                        None), True, options("aad_prefix='2024'"), True)
        old = write(path, kind.plan(prefix=b"2023", stores_prefix=False),
                    kind.how)
        self.check(("without the prefix", old, None), True, options(), True)
        old = write(path, kind.plan(prefix=None), kind.how)
        self.check(("a file without a prefix", old, None), True,
                   options("aad_prefix='2024'"), True)
        clear = write(path, None, kind.how)
        self.check(("a file in the clear", clear, None), True,
                   "footer_key='k0'", True)
        self.check(("a file in the clear, with keys of columns", clear, None),
                   True, "column_keys='word=k1'", True)
        some = write(path, kind.plan(leaves=dict(OWN, word=CLEAR)), kind.how)
        self.check(("a column in the clear", some, None), True,
                   options("column_keys='word=k1'") if "column_keys" not in
                   given else given, True)
        for key in ("k1", "k3"):
            own = write(path, kind.plan(), kind.how)
            self.check(("the key " + key, own, None), True,
                       kind.options.replace("k0", key) if "footer_key" in
                       kind.options else (kind.options + ", " if kind.options
                                          else "") + "footer_key='%s'" % key,
                       True)


def one(extension, folder, every, name):
    t = Tester(extension, folder, name, every)
    begin = time.time()
    t.all()
    said = ", ".join("%d %s" % (n, what) for what, n in sorted(
        t.counts.items()))
    print("%s: %s (%d s)" % (name, said or "nothing", time.time() - begin))
    print("sum: %d %d" % (sum(t.counts.values()), t.failed))
    return 0


# ---- boxes in the clear -------------------------------------------------------

COVERED = """SELECT id FROM t
    WHERE pq_ST_Intersects_Extent(g, pq_ST_MakeEnvelope(20, 20, 22, 22))"""


def write_covered(path, leaves, signed):
    """Points at (id, id), sealed, and a covering."""
    values = range(40)
    columns = [Column(["id"], "int32", list(values)),
               Column(["g"], "bytes", [struct.pack("<BIdd", 1, 1, i, i)
                                        for i in values])]
    sides = ["xmin", "ymin", "xmax", "ymax"]
    for side in sides:
        columns.append(Column(["bbox", side], "double", [
            float(i) for i in values], how=("statistics", "null_count",
                                            "index")))
    geo = {"version": "1.1.0", "primary_column": "g", "columns": {"g": {
        "encoding": "WKB", "geometry_types": [], "covering": {"bbox": {
            side: ["bbox", side] for side in sides}}}}}
    leaves = {"bbox." + side: leaves for side in sides}
    parquet_file.write(path, columns, [40], 4,
                       [(b"geo", json.dumps(geo).encode())],
                       Plan("k0", dict(leaves, g="k1"), plaintext=signed))


def coverings(extension, folder):
    """Whoever changes a covering in the clear must not hide rows of a sealed
    geometry.  (passed, failed)"""
    db = sqlite3.connect(":memory:")
    db.enable_load_extension(True)
    db.load_extension(extension)
    crypto_file.put_keys(db)
    path, good, n = os.path.join(folder, "covered.parquet"), 0, 0
    for signed in (False, True):
        for key in (CLEAR, "k0", "k1"):
            write_covered(path, key, signed)
            with open(path, "rb") as f:
                data = bytearray(f.read())
            end = footer_at(data)
            for i in range(16, 28):
                data[4:end] = data[4:end].replace(struct.pack("<d", i),
                                                  struct.pack("<d", 5000))
            with open(path, "wb") as f:
                f.write(data)
            db.execute("CREATE VIRTUAL TABLE t USING parquet('%s')" % path)
            rows = [row[0] for row in db.execute(COVERED)]
            db.execute("DROP TABLE t")
            n += 1
            good += rows == [20, 21, 22]
            if rows != [20, 21, 22]:
                print("FAIL a covering (%s), signed %s: %s" % (key, signed,
                                                               rows))
    return good, n - good


def materials(extension, folder):
    """The file of key material beside a file, changed at every byte: an error, or
    the right rows, where the byte says nothing that is needed."""
    beside = os.path.join(folder, "_KEY_MATERIAL_FOR_m.parquet.json")
    path, good, caught = os.path.join(folder, "m.parquet"), 0, 0
    for wrapping in ("single", "double"):
        for old in (path, beside):
            if os.path.exists(old):
                os.remove(old)
        db = crypto_file_db(extension)
        db.execute("SELECT parquet_copy_to('SELECT 1 AS id, 2 AS pay', ?, ?)", (
            path, json.dumps({"encryption": {
                "footer_key": "k0", "column_keys": {"pay": "k1"},
                "key_material": "external", "wrapping": wrapping}})))
        with open(beside, "rb") as f:
            right = f.read()
        for at in range(len(right)):
            with open(beside, "wb") as f:
                f.write(right[:at] + bytes([right[at] ^ 1]) + right[at + 1:])
            db = crypto_file_db(extension)
            try:
                rows = db.execute("SELECT row FROM parquet_rows(?)",
                                  (path,)).fetchall()
            except sqlite3.Error:
                caught += 1
                continue
            good += rows == [('{"id":1,"pay":2}',)]
            if rows != [('{"id":1,"pay":2}',)]:
                print("FAIL key material (%s), byte %d: %s" % (wrapping, at, rows))
                return good, 1
    return good + caught, int(caught < good)


def crypto_file_db(extension):
    db = sqlite3.connect(":memory:")
    db.enable_load_extension(True)
    db.load_extension(extension)
    crypto_file.put_keys(db)
    return db


SAMPLES = {"sealed_gcm": "gcm-own-keys", "sealed_signed": "gcm-signed-found",
           "sealed_ctr": "ctr"}


def make_samples():
    """For tests in C, smaller; the keys stand in test/fuzz/file_door.c."""
    for name, of in SAMPLES.items():
        kind = KINDS[of]
        write("%s/%s.parquet" % (HERE, name), kind.plan(), kind.how, 0, (4,))


def main():
    if sys.argv[1:] == ["make"]:
        return make_samples()
    extension, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    every = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    os.makedirs(folder, exist_ok=True)
    if len(sys.argv) > 4:
        return one(extension, folder, every, sys.argv[4])
    passed, failed = map(sum, zip(coverings(extension, folder),
                                  materials(extension, folder)))
    for name in KINDS:
        done = subprocess.run([sys.executable, __file__, extension, folder,
                               str(every), name], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        words = done.stdout.decode(errors="replace")
        found = re.search(r"^sum: (\d+) (\d+)$", words, re.M)
        print(words[:found.start()] if found else words, end="")
        if found:
            passed += int(found[1])
            failed += int(found[2])
        else:
            failed += 1
            with open(os.path.join(folder, name + ".now")) as f:
                print("FAIL %s: it died (%d) of: %s" % (
                    name, done.returncode, f.read().strip()))
    print("tamper: %d passed, %d failed, 0 skipped" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
