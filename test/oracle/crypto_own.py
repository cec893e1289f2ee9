"""Encrypted files that parquet_copy_to writes are what the specification says.

A table of random, long and unlikely values is copied with random options, and
every file is opened by crypto_read.py: each module authenticates in its place
and with the key that the options ask for, there is nothing between modules, no
nonce and no identifier of a file occurs twice in the whole run, and metadata
are where they belong.  No value of an encrypted column occurs in the bytes of a
file or of a scratch file, which is read while the copy runs.  No part of a key
occurs in anything that SQL shows.  With the keys the rows are the same, without
them there are errors.  Key material is what other readers want of it, and is
opened by a client that is written for them (crypto_material.py).

Usage: crypto_own.py EXTENSION SEED CASES FOLDER
The last line has the counts.
"""
import base64
import glob
import json
import os
import random
import shutil
import sqlite3
import struct
import sys

import crypto_material
import crypto_read
from crypto_file import CLEAR, FOOTER, KEYS, put_keys

COLUMNS = ["id", "secret", "pin", "bytes", "word", "seen", "pay", "part",
           "place"]
PAY = ["pay.amount", "pay.note"]
BOX = ["bbox." + side for side in ("xmin", "ymin", "xmax", "ymax")]
PLACES = ["internal", "external"]
STEPS = 1500                         # of SQLite, between two chances to look
LOOKED = 1 << 18                     # bytes at the end of a file


def connect(extension, keys=KEYS):
    db = sqlite3.connect(":memory:")
    db.enable_load_extension(True)
    db.load_extension(extension)
    put_keys(db, keys)
    return db


def text(rng):
    return "%032x" % rng.getrandbits(128)


def some_rows(rng, n):
    words = [text(rng) for _ in range(5)]
    return [(1 << 60 | i << 30 | rng.getrandbits(28), text(rng),
             rng.getrandbits(62) | 1 << 61, rng.randbytes(24),
             rng.choice(words), text(rng) if rng.random() < .9 else None,
             json.dumps({"amount": rng.getrandbits(61) | 1 << 60,
                         "note": text(rng)}, separators=(",", ":")),
             "p%d" % rng.randrange(3),
             "POINT(%r %r)" % (rng.uniform(10, 99), rng.uniform(-90, -10)))
            for i in range(n)]


def markers_of(rows):
    """By leaf, the bytes that values would be seen by; their middle, because
    neighbours share the ends of some.  Of a geometry, its coordinates."""
    out = {"place": set()}
    for row in rows:
        for v in row[8][6:-1].split():
            out["place"] |= {struct.pack("<d", float(v)), v[:9].encode()}
    for id_, secret, pin, bytes_, word, seen, pay, _, _ in rows[:4000]:
        pay = json.loads(pay)
        for leaf, v in (("id", id_), ("secret", secret), ("pin", pin),
                        ("bytes", bytes_), ("word", word), ("seen", seen),
                        ("pay.amount", pay["amount"]),
                        ("pay.note", pay["note"])):
            if isinstance(v, int):
                out.setdefault(leaf, set()).add(struct.pack("<q", v))
            elif v is not None:
                v = v.encode() if isinstance(v, str) else v
                out.setdefault(leaf, set()).add(v[8:24])
    return out


class Bytes:
    """Which of some texts occur in bytes: by windows of eight bytes."""

    def __init__(self, markers):
        self.first = {}
        for leaf, some in markers.items():
            for m in some:
                self.first.setdefault(m[:8], []).append((leaf, m))

    def leaves_in(self, data):
        out = set()
        for at in range(len(data) - 7):
            for leaf, m in self.first.get(data[at:at + 8], ()):
                if data[at:at + len(m)] == m:
                    out.add(leaf)
        return out


def some_encryption(rng, o):
    """The option, and for each leaf the name of its key or CLEAR."""
    footer = rng.choice(list(KEYS))
    e = {"footer_key": footer}
    own = {}
    for name in COLUMNS:
        if rng.random() < rng.choice([0, .3, .6]) and \
                name not in o.get("partition_by", []):
            path = rng.choice([name, "pay.note"]) if name == "pay" else name
            own[path] = rng.choice(list(KEYS))
    if own:
        e["column_keys"] = own if rng.random() < .6 else \
            ";".join("%s=%s" % pair for pair in own.items())
    clear = [n for n in ("seen", "id", "part", "place") if n not in own and
             rng.random() < .5 and n not in o.get("partition_by", [])]
    if rng.random() < .2:
        clear = "*"
    if clear:
        e["clear_columns"] = clear
    if rng.random() < .7:
        e["algorithm"] = rng.choice(["AES_GCM_V1", "AES_GCM_CTR_V1"])
    if rng.random() < .5:
        e["plaintext_footer"] = rng.random() < .7
    if rng.random() < .5:
        e["aad_prefix"] = rng.choice(["x", "table 7, 2024"])
        if rng.random() < .5:
            e["store_aad_prefix"] = rng.random() < .4
    if rng.random() < .5:
        e["key_material"] = rng.choice(PLACES)
        if rng.random() < .6:
            e["wrapping"] = rng.choice(["single", "double"])
    keys = {}
    for leaf in COLUMNS + PAY:
        node = leaf.split(".")[0]
        keys[leaf] = own.get(leaf) or own.get(node) or (
            CLEAR if clear == "*" or node in clear else footer)
    keys.update(dict.fromkeys(BOX, keys["place"]))
    return e, keys


def some_options(rng, big):
    o = {"compression": rng.choice(["uncompressed", "uncompressed", "snappy",
                                    "zstd", "gzip"]),
         "page_version": rng.choice([1, 2]),
         "page_rows": rng.choice([2, 20, 200, 5000]),
         "row_group_rows": rng.choice([50, 300, 100000, 100000]),
         "threads": rng.choice([0, 2]),
         "types": {"pay": "STRUCT<amount BIGINT, note TEXT>",
                   "place": "geometry"}}
    if rng.random() < .6:
        o["geoparquet"] = rng.choice(["1.1", "2.0"])
        o["covering"] = rng.choice(["double", False])
    if rng.random() < .2:
        o["hilbert"] = "place"
    if rng.random() < .5:
        o["dictionary"] = rng.random() < .5
    if rng.random() < .5:
        o["bloom"] = rng.random() < .8
    if rng.random() < .2:
        o["statistics"] = False
    if big:
        o.update(memory="1MB", row_group_rows=1000000, page_rows=500)
    if rng.random() < (.7 if big else .2):
        o["partition_by"] = ["part"]
    elif rng.random() < .2:
        o["file_rows"] = 70 if not big else 9000
    return o


class Case:
    def __init__(self, run, number):
        self.run, self.number = run, number
        self.rng = random.Random("crypto_own %d %d" % (run.seed, number))
        rng, big = self.rng, number % 8 == 7
        many = number % 8 == 3       # pages: their ordinals need two bytes
        self.rows = some_rows(rng, 12000 if big else 700 if many else
                              rng.choice([1, 30, 200, 700]))
        self.options = some_options(rng, big)
        if many:
            self.options.update(page_rows=2, row_group_rows=1000)
        self.e, self.keys = some_encryption(rng, self.options)
        self.options["encryption"] = self.e
        self.path = "%s/own_%d" % (run.folder, number)
        self.folder = "partition_by" in self.options or \
            "file_rows" in self.options
        if not self.folder:
            self.path += ".parquet"
        self.markers = markers_of(self.rows)
        self.bytes = Bytes(self.markers)
        self.sealed = {leaf for leaf, k in self.keys.items() if k != CLEAR}
        self.problems, self.looks = [], 0

    def problem(self, words, *arguments):
        self.problems.append(words % arguments)

    # -- while it is written

    def look(self):
        """Reads the files that this process has open in the target's folder."""
        for fd in os.listdir("/proc/self/fd"):
            try:
                name = os.readlink("/proc/self/fd/" + fd)
                if not name.startswith(self.run.folder):
                    continue
                with open("/proc/self/fd/" + fd, "rb") as f:
                    f.seek(max(0, f.seek(0, os.SEEK_END) - LOOKED))
                    data = f.read()
            except OSError:
                continue
            if data:
                self.looks += 1
            for leaf in self.bytes.leaves_in(data) & self.sealed:
                self.problem("%s is seen in %s", leaf, name)

    def look_in_turn(self):
        self.calls += 1
        if self.calls & (self.calls - 1) == 0:
            self.look()
        return 0

    def copy(self, db):
        db.execute("CREATE TABLE src(id INTEGER, secret TEXT, pin INTEGER, "
                   "bytes BLOB, word TEXT, seen TEXT, pay TEXT, part TEXT, "
                   "place TEXT)")
        db.executemany("INSERT INTO src VALUES (?,?,?,?,?,?,?,?,?)", self.rows)
        self.calls = 0
        db.set_progress_handler(self.look_in_turn, STEPS)
        try:
            db.execute("SELECT parquet_copy_to('SELECT * FROM src', ?, ?)",
                       (self.path, json.dumps(self.options))).fetchall()
        finally:
            db.set_progress_handler(None, 0)

    # -- what was written

    def files(self):
        if not self.folder:
            return [self.path]
        return sorted(glob.glob(self.path + "/**/*.parquet", recursive=True))

    def check_file(self, path):
        prefix = self.e.get("aad_prefix")
        file = crypto_read.open_file(path, KEYS,
                                     prefix.encode() if prefix else None)
        for words in file.problems + file.notes:
            self.problem("%s: %s", path, words)
        if file.problems:
            return
        self.run.nonces(self, file)
        if file.ctr != (self.e.get("algorithm") == "AES_GCM_CTR_V1"):
            self.problem("the algorithm is another")
        plaintext = bool(self.e.get("plaintext_footer"))
        if (file.data[:4] == b"PAR1") != plaintext:
            self.problem("the footer's mode is another")
        self.check_prefix(file, prefix)
        self.check_keys(file)
        self.check_material(path, file)
        for leaf in self.bytes.leaves_in(file.data):
            if leaf in self.sealed:
                self.problem("%s is seen in %s", leaf, path)
            else:
                self.run.seen_in_clear += 1
        for leaf in self.bytes.leaves_in(file.footer):
            if self.keys[leaf] not in (CLEAR, self.e["footer_key"]):
                self.problem("the footer tells about %s in %s", leaf, path)
        for key in KEYS.values():
            if key[:12] in file.data:
                self.problem("a key is in %s", path)

    def check_prefix(self, file, prefix):
        stores = prefix is not None and self.e.get("store_aad_prefix", True)
        if file.stored != (prefix.encode() if stores else None):
            self.problem("the prefix stored is %r", file.stored)
        if file.supplied != (prefix is not None and not stores):
            self.problem("a prefix is to be supplied: %r", file.supplied)
        if not file.material and file.metadata != self.e["footer_key"].encode():
            self.problem("key metadata %r", file.metadata)

    def check_keys(self, file):
        used = {}
        for m in file.modules:
            used.setdefault("footer" if m.kind == FOOTER else m.column,
                            set()).add(file.master_of(m.key))
        paths = [b".".join(path).decode() for path in file.paths]
        for column, path in enumerate(paths):
            want = self.keys[path]
            got = used.get(column, set())
            if got != (set() if want == CLEAR else {want}):
                self.problem("%s is sealed with %r, not %r", path, got, want)
        if used.get("footer") != {self.e["footer_key"]}:
            self.problem("the footer is sealed with %r", used.get("footer"))

    def check_material(self, path, file):
        """Each part with a key of its own has a new key, which no other has."""
        place = self.e.get("key_material")
        beside = crypto_material.beside(path)
        if os.path.exists(beside) != (place == "external"):
            self.problem("key material beside %s", path)
        if bool(file.material) != (place is not None):
            self.problem("key material %r", file.material)
        if not place:
            return
        twice = self.e.get("wrapping") != "single"
        own = [p for p in file.paths if self.keys[b".".join(p).decode()]
               not in (CLEAR, self.e["footer_key"])]
        all_ = list(file.material.values())
        if len(all_) != 1 + len(own):
            self.problem("%d keys, not one for the footer and %d", len(all_),
                         len(own))
        for m in all_:
            if m.said["doubleWrapping"] != twice or (m.reference is None) != (
                    place == "internal"):
                self.problem("material %r", m.said)
            if m.said["isFooterKey"] != (m is file.material.get(
                    file.metadata.decode())):
                self.problem("the footer's key is another")
            if m.kek is not None and len(m.kek) != 16 or \
                    m.key in self.run.data_keys or m.key in KEYS.values():
                self.problem("a key is not new")
            self.run.data_keys.add(m.key)
            for nonce in m.nonces:
                if nonce in self.run.all_nonces:
                    self.problem("a wrapped key has a nonce of before")
                self.run.all_nonces.add(nonce)
        data = file.data
        if place == "external":
            with open(beside, "rb") as f:
                data += f.read()
            if set(json.loads(open(beside).read())) != {
                    m.reference for m in all_}:
                self.problem("the file beside has other keys")
        if any(m.key[:12] in data for m in all_):
            self.problem("a data key is seen")
        if len({m.kek for m in all_}) != (len({m.master for m in all_})
                                          if twice else 1):
            self.problem("a master key has several KEKs")

    # -- reading

    def using(self):
        hidden = "aad_prefix" in self.e and not self.e.get("store_aad_prefix",
                                                           True)
        return "parquet('%s'%s%s)" % (
            self.path.replace("'", "''"),
            ", hive" if "partition_by" in self.options else "",
            ", aad_prefix='%s'" % self.e["aad_prefix"] if hidden else "")

    def check_rows(self, db):
        db.execute("CREATE VIRTUAL TABLE temp.t USING " + self.using())
        got = db.execute("SELECT id, secret, pin, bytes, word, seen, pay, "
                         "part FROM t").fetchall()
        if sorted(got, key=repr) != sorted((r[:8] for r in self.rows), key=repr):
            self.problem("other rows")
        found, = db.execute("SELECT sum(ST_XMin(place) > 50) FROM t").fetchone()
        if found != sum(float(r[8][6:].split()[0]) > 50 for r in self.rows):
            self.problem("other places")
        some = self.rng.choice(self.rows)
        for sql, v in (("id = ?", some[0]), ("secret = ?", some[1]),
                       ("word = ?", some[4]), ("pin > ?", some[2])):
            if db.execute("SELECT count(*) FROM t WHERE " + sql, (v,)
                          ).fetchone() != db.execute(
                    "SELECT count(*) FROM src WHERE " + sql, (v,)).fetchone():
                self.problem("other rows where %s %r", sql, v)
        said = repr(db.execute("EXPLAIN QUERY PLAN SELECT * FROM t WHERE id > 5"
                               ).fetchall())
        said += repr(db.execute("SELECT * FROM temp.sqlite_schema").fetchall())
        said += repr(db.execute("SELECT * FROM parquet_scan_stats()").fetchall())
        self.check_words(said)

    def check_words(self, said):
        for key in KEYS.values():
            for form in (key.hex(), base64.b64encode(key).decode(), repr(key)):
                if form[2:14].lower() in said.lower():
                    self.problem("a key is shown: %s", said[:300])

    def check_without(self):
        """What is in the clear can be read at most."""
        keys = {k: v for k, v in KEYS.items() if self.rng.random() < .4}
        db = connect(self.run.extension, keys)
        closed = {leaf for leaf in self.sealed if self.keys[leaf] not in keys}
        try:
            db.execute("CREATE VIRTUAL TABLE temp.t USING " + self.using())
        except sqlite3.Error as error:
            if self.e["footer_key"] in keys or self.e.get("plaintext_footer"):
                self.problem("with keys %r: %s", sorted(keys), error)
            self.check_words(str(error))
            return
        at = {"id": 0, "secret": 1, "pin": 2, "bytes": 3, "word": 4, "seen": 5}
        for name, i in at.items():
            try:
                got = db.execute('SELECT "%s" FROM t' % name).fetchall()
            except sqlite3.Error as error:
                if name not in closed:
                    self.problem("%s without need: %s", name, error)
                self.check_words(str(error))
                if name not in str(error) or "key" not in str(error):
                    self.problem("it does not say which key: %s", error)
                continue
            if name in closed:
                self.problem("%s is read without its key", name)
            elif sorted(got, key=repr) != sorted(
                    [(r[i],) for r in self.rows], key=repr):
                self.problem("other values of %s", name)

    def run_it(self):
        db = connect(self.run.extension)
        try:
            self.copy(db)
            for path in self.files():
                self.check_file(path)
            self.check_rows(db)
            self.check_without()
        except sqlite3.Error as error:
            if "raise the option memory" not in str(error) or \
                    "memory" not in self.options:
                self.problem("%s", error)
        db.close()
        shutil.rmtree(self.path, True)
        if os.path.isfile(self.path) and not self.problems:
            os.remove(self.path)
        return self.problems


class Run:
    def __init__(self, extension, seed, folder):
        self.extension, self.seed = extension, seed
        self.folder = os.path.realpath(folder)
        os.makedirs(self.folder, exist_ok=True)
        self.data_keys = set()
        self.all_nonces, self.uniques, self.seen_in_clear = set(), set(), 0
        self.looks = self.modules = 0

    def nonces(self, case, file):
        if len(file.unique) < 8 or file.unique in self.uniques:
            case.problem("the file's unique bytes are not: %r", file.unique)
        self.uniques.add(file.unique)
        self.modules += len(file.modules)
        for m in file.modules:
            if m.nonce in self.all_nonces:
                case.problem("%s has a nonce of before", m.name())
            self.all_nonces.add(m.nonce)


def main():
    extension, seed, cases = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    run = Run(os.path.abspath(extension), seed, sys.argv[4])
    only = os.environ.get("CASE")
    passed = failed = 0
    for number in range(cases) if not only else [int(only)]:
        case = Case(run, number)
        problems = case.run_it()
        run.looks += case.looks
        passed += not problems
        failed += bool(problems)
        if problems:
            print("FAIL case %d of seed %d: %s\n  with %s" % (
                number, seed, "; ".join(problems[:4]),
                json.dumps(case.options)))
    if not only and cases >= 16 and not failed:
        if not run.seen_in_clear:
            print("FAIL: no value was seen in the clear")
            failed += 1
        if not run.looks:
            print("FAIL: no file was seen while it was written")
            failed += 1
    print("crypto_own (seed %d): %d modules, %d looks; %d passed, %d failed"
          % (seed, run.modules, run.looks, passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
