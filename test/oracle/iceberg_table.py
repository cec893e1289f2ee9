"""Random Iceberg tables, and the rows that they should have.

Files are added over several snapshots, with columns that are renamed, widened and added.
Rows are deleted by position, by vectors, by values, of a partition or of all; manifests are
rewritten, files removed.  What is left is worked out here, row by row, from the
specification.  The Avro files are written byte by byte.

    iceberg_table.py EXTENSION FOLDER SEED N    makes N tables, compares them, keeps them

With ICEBERG_PLAIN in the environment they are such as ClickHouse 25.5 reads as the
specification says: without NULL where values are deleted, with one partition spec, not moved.
"""

import binascii
import json
import os
import random
import sqlite3
import struct
import sys
import uuid
import zlib

import delta_table

SYNC = bytes(range(16))


def long(n):
    n = n << 1 if n >= 0 else (-n << 1) - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out) + bytes([n])


def value(kind, v):
    """A value of an Avro type; a list is a union with null."""
    if isinstance(kind, list):
        return long(0) if v is None else long(1) + value(kind[1], v)
    if isinstance(kind, dict) and kind["type"] == "record":
        return b"".join(value(f["type"], v[f["name"]]) for f in kind["fields"])
    if isinstance(kind, dict):
        return b"".join([long(len(v))] + [value(kind["items"], x) for x in v]
                        if v else []) + long(0)
    if kind in ("int", "long"):
        return long(v)
    v = v.encode() if isinstance(v, str) else v
    return long(len(v)) + v


def record(name, *fields):
    return {"type": "record", "name": name, "fields": [
        {"name": n, "type": t, "field-id": i} for n, t, i in fields]}


def write_avro(rng, path, schema, records, meta=()):
    meta = dict(meta, **{"avro.schema": json.dumps(schema)})
    deflate = rng.random() < .6
    meta["avro.codec"] = "deflate" if deflate else "null"
    out = b"Obj\1" + long(len(meta))
    for k, v in meta.items():
        out += value("string", k) + value("string", v)
    out += long(0) + SYNC
    step = rng.choice([1, 2, 100])
    for i in range(0, len(records), step):
        some = b"".join(value(schema, r) for r in records[i:i + step])
        if deflate:
            z = zlib.compressobj(6, zlib.DEFLATED, -15)
            some = z.compress(some) + z.flush()
        out += long(len(records[i:i + step])) + long(len(some)) + some + SYNC
    with open(path, "wb") as f:
        f.write(out)


LIST = record("manifest_file", ("manifest_path", "string", 500), ("manifest_length", "long", 501),
              ("partition_spec_id", "int", 502), ("content", "int", 517),
              ("sequence_number", "long", 515), ("min_sequence_number", "long", 516),
              ("added_snapshot_id", "long", 503), ("added_files_count", "int", 504),
              ("existing_files_count", "int", 505), ("deleted_files_count", "int", 506),
              ("added_rows_count", "long", 512), ("existing_rows_count", "long", 513),
              ("deleted_rows_count", "long", 514),
              ("first_row_id", ["null", "long"], 520))
IDS = {"type": "array", "items": "int", "element-id": 136}


def pairs(key, kind):
    return {"type": "array", "logicalType": "map", "items": record(
        "k%d_v%d" % (key, key + 1), ("key", "int", key), ("value", kind, key + 1))}


LINEAGE = {2147483540: ("_row_id", "long"), 2147483539: ("_last_updated_sequence_number", "long")}
MAPS = (("null_value_counts", pairs(121, "long"), 110), ("lower_bounds", pairs(126, "bytes"), 125),
        ("upper_bounds", pairs(129, "bytes"), 128))
SQL = {"int": "INTEGER", "long": "BIGINT", "string": "STRING"}


def entries_of(partitioned):
    part = record("r102", *([("k", ["null", "int"], 1000)] if partitioned else []))
    file = record("r2", ("content", "int", 134), ("file_path", "string", 100),
                  ("file_format", "string", 101), ("partition", part, 102),
                  ("record_count", "long", 103), ("file_size_in_bytes", "long", 104),
                  *((n, ["null", t], i) for n, t, i in MAPS),
                  ("equality_ids", ["null", IDS], 135), ("first_row_id", ["null", "long"], 142),
                  ("referenced_data_file", ["null", "string"], 143),
                  ("content_offset", ["null", "long"], 144),
                  ("content_size_in_bytes", ["null", "long"], 145))
    return record("manifest_entry", ("status", "int", 0), ("snapshot_id", ["null", "long"], 1),
                  ("sequence_number", ["null", "long"], 3),
                  ("file_sequence_number", ["null", "long"], 4), ("data_file", file, 2))


class File:
    def __init__(self, path, seq, spec, k, rows, **more):
        self.path, self.seq, self.spec, self.k, self.rows = path, seq, spec, k, rows
        self.there = [True] * len(rows)
        self.first = None                            # the id of its first row
        self.more = dict(dict(content=0, format="PARQUET", ids=None, of=None, at=None, n=None,
                              bounds={}, count=len(rows)), **more)


class Table:
    def __init__(self, rng, folder, db):
        self.rng, self.folder, self.db = rng, folder, db
        os.makedirs(folder + "/metadata")
        os.makedirs(folder + "/data")
        # id -> name, type
        self.schemas = [{1: ("c0", "int"), 2: ("c1", "string"), 3: ("c2", "int")}]
        self.specs = [rng.random() < .5]             # partitioned by c2?
        self.format = rng.choice([2, 2, 3])
        self.location = rng.choice([folder, "file://" + folder, "s3://b/w/" + folder[1:]])
        self.plain = "ICEBERG_PLAIN" in os.environ
        if self.plain:
            self.location, self.format = folder, 2
        self.files, self.deletes, self.manifests, self.snapshots = [], [], [], []
        self.seq = self.version = self.next_row = 0
        self.transforms = None                       # of a last spec

    def path(self):
        return "data/%s.parquet" % uuid.UUID(int=self.rng.getrandbits(128))

    def write(self, path, columns, rows):
        """columns: (name, SQL type, id)"""
        self.db.execute("CREATE TEMP TABLE w(%s)" % ", ".join("x%d" % i for i, _ in
                                                              enumerate(columns)))
        self.db.executemany("INSERT INTO w VALUES(%s)" % ", ".join("?" * len(columns)), rows)
        options = {"types": {n: t for n, t, _ in columns},
                   "field_ids": {n: i for n, _, i in columns},
                   "row_group_rows": self.rng.choice([1, 7, 1000])}
        # A copy into a table is an error.
        self.db.execute("SELECT parquet_copy_to(?, ?, ?)", (
            "SELECT %s FROM w ORDER BY rowid" % ", ".join(
                'x%d AS "%s"' % (i, n) for i, (n, _, _) in enumerate(columns)),
            self.folder + ".tmp.parquet", json.dumps(options)))
        os.rename(self.folder + ".tmp.parquet", "%s/%s" % (self.folder, path))
        self.db.execute("DROP TABLE w")

    def add(self, seq):
        rng, schema, spec = self.rng, self.schemas[-1], len(self.specs) - 1
        k = rng.choice([1, 2, None]) if self.specs[-1] else None
        rows = []
        for _ in range(rng.choice([1, 5, 30])):
            row = {1: rng.randrange(20), 2: rng.choice(["a", "b", "", "\u00e9\n\""] + [None] * (not self.plain)),
                   3: rng.choice([1, 2, 3, None]), 4: rng.randrange(5)}
            row[3] = k if self.specs[-1] else row[3]
            rows.append({i: row[i] for i in schema})
        path, columns = self.path(), dict(schema)
        if self.format == 3 and rng.random() < .5:   # rows of another file
            columns.update(rng.sample(sorted(LINEAGE.items()), rng.choice([1, 2, 2])))
            for row in rows:
                row.update({i: rng.choice([None, rng.randrange(1000)]) for i in LINEAGE if i in columns})
        self.write(path, [(n, SQL[t], i) for i, (n, t) in columns.items()],
                   [[r[i] for i in columns] for r in rows])
        self.files.append(File(path, seq, spec, k, rows, bounds=self.bounds(columns, rows)))

    def bounds(self, schema, rows):
        """Some of them.  Texts are cut, and types are those of the time."""
        rng, out = self.rng, {name: [] for name, _, _ in MAPS}
        for i, (_, kind) in schema.items():
            values = sorted(r[i] for r in rows if r[i] is not None)
            if kind == "string":
                cut = [v.encode()[:rng.choice([1, 9])] for v in values]
                low, high = (cut[0], cut[-1]) if cut else (None, None)
            else:
                low, high = (struct.pack("<i" if kind == "int" else "<q", v)
                             for v in ((values or [0])[0], (values or [0])[-1]))
            for name, v in (("null_value_counts", len(rows) - len(values)),
                            ("lower_bounds", low), ("upper_bounds", high)):
                if rng.random() < .8 and (values or name == "null_value_counts"):
                    out[name].append({"key": i, "value": v})
        return {} if rng.random() < .2 else out

    def delete_positions(self, seq):
        rng, pairs = self.rng, []
        like = rng.choice(self.files)
        for f in rng.sample(self.files, rng.randrange(1, len(self.files) + 1)):
            if f.more.get("vector"):
                continue
            if (f.spec, f.k) != (like.spec, like.k) and (self.specs[f.spec] or
                                                         self.specs[like.spec]):
                continue
            for r in rng.sample(range(len(f.rows)), rng.randrange(1, len(f.rows) + 1) // 2 or 1):
                pairs.append((self.location + "/" + f.path, r))
                f.there[r] = False
        if pairs:
            path = self.path()
            self.write(path, [("file_path", "STRING", 2147483546), ("pos", "BIGINT", 2147483545)],
                       sorted(pairs))
            self.deletes.append(File(path, seq, like.spec, like.k, pairs, content=1))

    def delete_vector(self, seq):
        f = self.rng.choice(self.files)
        if f.more.get("vector"):
            return
        gone = [i for i, there in enumerate(f.there) if not there]
        gone = sorted(set(gone) | set(delta_table.some_rows(self.rng, len(f.rows))))
        for i in gone:
            f.there[i] = False
        f.more["vector"] = True
        data = struct.pack("<IQI", 1681511377, 1, 0) + delta_table.bitmap(self.rng, gone)
        blob = struct.pack(">I", len(data)) + data + struct.pack(">I", binascii.crc32(data))
        path = self.path()[:-8] + ".puffin"
        with open("%s/%s" % (self.folder, path), "wb") as out:
            out.write(b"PFA1" + blob + b"PFA1{}\2\0\0\0\0\0\0\0PFA1")
        self.deletes.append(File(path, seq, f.spec, f.k, [], content=1, format="PUFFIN",
                                 of=self.location + "/" + f.path, at=4, n=len(blob),
                                 count=len(gone)))

    def delete_values(self, seq):
        rng, schema, spec = self.rng, self.schemas[-1], len(self.specs) - 1
        ids = sorted(rng.choice([[1], [2], [1, 2], [1, 2] if self.plain else [1, max(schema)]]))
        k = rng.choice([1, 2, None]) if self.specs[-1] else None
        some = [r for f in self.files for r in f.rows]
        keys = {tuple(rng.choice(some).get(i) for i in ids) for _ in range(rng.choice([1, 4]))}
        path = self.path()
        self.write(path, [(schema[i][0], SQL[schema[i][1]], i) for i in ids], list(keys))
        for f in self.files:
            if f.seq < seq and (not self.specs[-1] or (f.spec, f.k) == (spec, k)):
                for i, r in enumerate(f.rows):
                    if tuple(r.get(x) for x in ids) in keys:
                        f.there[i] = False
        self.deletes.append(File(path, seq, spec, k, list(keys), content=2, ids=ids))

    def entry(self, f, status, seq):
        more = f.more
        return {"status": status, "snapshot_id": self.seq, "sequence_number": seq,
                "file_sequence_number": seq, "data_file": {
                    "content": more["content"], "file_path": self.location + "/" + f.path,
                    "file_format": more["format"], "partition": {"k": f.k},
                    **{n: more["bounds"].get(n) for n, _, _ in MAPS},
                    "record_count": more["count"], "equality_ids": more["ids"], "first_row_id": f.first,
                    "file_size_in_bytes": os.path.getsize("%s/%s" % (self.folder, f.path)),
                    "referenced_data_file": more["of"], "content_offset": more["at"],
                    "content_size_in_bytes": more["n"]}}

    def manifest(self, entries, content, spec):
        path = "metadata/m%d-%d.avro" % (self.seq, self.rng.getrandbits(40))
        parts = [{"name": "k", "transform": "identity", "source-id": 3, "field-id": 1000}] \
            if self.specs[spec] else []
        write_avro(self.rng, "%s/%s" % (self.folder, path), entries_of(self.specs[spec]), entries, {
            "schema": json.dumps(self.schema_json(len(self.schemas) - 1)),
            "partition-spec": json.dumps(parts), "partition-spec-id": str(spec),
            "format-version": "2", "content": ["data", "deletes"][content]})
        size = os.path.getsize("%s/%s" % (self.folder, path))
        files = [e["data_file"] for e in entries if e["status"] != 2]
        first = self.next_row if self.format == 3 and not content and self.rng.random() < .9 else None
        for f in self.files if first is not None else []:
            file = next((x for x in files if x["file_path"] == self.location + "/" + f.path), None)
            if file and file["first_row_id"] is None:    # files are in the order of entries
                f.first = self.next_row
                self.next_row += len(f.rows)
        return {"manifest_path": self.location + "/" + path, "manifest_length": size,
                "partition_spec_id": spec, "content": content, "sequence_number": self.seq,
                "min_sequence_number": 1, "added_snapshot_id": self.seq, "added_files_count": 1,
                "existing_files_count": 1, "deleted_files_count": 0, "first_row_id": first,
                "added_rows_count": sum(f["record_count"] for f in files if not content),
                "existing_rows_count": 0, "deleted_rows_count": 0}

    def commit(self):
        rng = self.rng
        self.seq += 1
        seq, old, old_deletes = self.seq, len(self.files), len(self.deletes)
        what = rng.random()
        if old and what < .15:
            self.schemas.append(rng.choice([
                {2: ("c1", "string"), 1: ("c0", "long"), 3: ("c2", "int")},
                {1: ("c0", "long"), 3: ("c2", "int"), 2: ("renamed", "string")},
                {1: ("c0", "long"), 2: ("c1", "string"), 3: ("c2", "int"), 4: ("c4", "int")}]))
        elif old and what < .25 and not self.plain:
            self.specs.append(not self.specs[-1])
        spec = len(self.specs) - 1
        if old:
            ways = [self.delete_positions, self.delete_values, self.delete_values]
            for way in rng.sample(ways + [self.delete_vector] * (self.format == 3),
                                  rng.randrange(3)):
                if way != self.delete_positions or self.format == 2:
                    way(seq)
        for _ in range(rng.randrange(1, 3) if not old or rng.random() < .7 else 0):
            self.add(seq)
        removed = None
        if old > 1 and rng.random() < .2:
            removed = self.files.pop(rng.randrange(old))
            old -= 1
        if removed or rng.random() < .3:
            self.rewrite(old, old_deletes, removed)
        for content, new in ((0, self.files[old:]), (1, self.deletes[old_deletes:])):
            for s in sorted({f.spec for f in new}):
                self.manifests.append(self.manifest(
                    [self.entry(f, 1, rng.choice([None, seq])) for f in new if f.spec == s],
                    content, s))
        write_avro(rng, "%s/metadata/snap-%d.avro" % (self.folder, seq), LIST, self.manifests)
        self.snapshots.append({
            "snapshot-id": seq, "sequence-number": seq, "timestamp-ms": 1000 + seq,
            "manifest-list": "%s/metadata/snap-%d.avro" % (self.location, seq),
            "summary": {"operation": "overwrite"}, "schema-id": len(self.schemas) - 1})
        self.metadata()
        return spec

    def append(self):
        """Our writer adds rows, split by transforms."""
        rng, schema = self.rng, self.schemas[-1]
        fields = [(1, "c0_bucket", "bucket[3]"), (1, "c0_trunc", "truncate[7]"),
                  (2, "c1_bucket", "bucket[2]"), (3, "k2", "identity")]
        self.transforms = [{"name": name, "transform": how, "source-id": i, "field-id": 1001 + n}
                           for n, (i, name, how) in enumerate(rng.sample(fields, rng.randrange(5)))]
        self.metadata()
        rows = [{1: rng.choice([None, -1, rng.randrange(20)]), 2: rng.choice(["a", "", "\u00e9", None]),
                 3: rng.choice([1, 2, None]), 4: 4} for _ in range(rng.choice([1, 40]))]
        rows = [{i: row[i] for i in schema} for row in rows]
        query = "SELECT %s FROM json_each('%s')" % (
            ", ".join("value ->> %d AS \"%s\"" % (n, name) for n, (name, _) in
                      enumerate(schema.values())), json.dumps([list(r.values()) for r in rows]))
        self.db.execute("SELECT parquet_copy_to(?, ?, '{\"lake\": \"append\"}')", (query, self.folder))
        self.files.append(File("", self.seq + 1, None, None, rows))

    def rewrite(self, n, n_deletes, removed):
        """One manifest for what is there already."""
        self.manifests = []
        for content, files in ((0, self.files[:n]), (1, self.deletes[:n_deletes])):
            for spec in sorted({f.spec for f in files}):
                some = [self.entry(f, 0, f.seq) for f in files if f.spec == spec]
                if removed and removed.spec == spec and not content:
                    some.append(self.entry(removed, 2, removed.seq))
                self.manifests.append(self.manifest(some, content, spec))

    def schema_json(self, i):
        return {"type": "struct", "schema-id": i, "fields": [
            {"id": k, "name": n, "required": False, "type": t}
            for k, (n, t) in self.schemas[i].items()]}

    def metadata(self):
        parts = [{"name": "k", "transform": "identity", "source-id": 3, "field-id": 1000}]
        specs = [parts if p else [] for p in self.specs]
        specs += [self.transforms] if self.transforms is not None else []
        with open("%s/metadata/v%d.metadata.json" % (self.folder, self.seq), "w",
                  encoding="utf-8") as f:
            json.dump({"format-version": self.format, "table-uuid": str(uuid.UUID(int=1)),
                       "location": self.location, "last-sequence-number": self.seq,
                       "last-updated-ms": 1000 + self.seq, "last-column-id": 4,
                       "current-schema-id": len(self.schemas) - 1, "next-row-id": self.next_row,
                       "schemas": [self.schema_json(i) for i in range(len(self.schemas))],
                       "partition-specs": [{"spec-id": i, "fields": p}
                                           for i, p in enumerate(specs)],
                       "default-spec-id": len(specs) - 1, "last-partition-id": 1000,
                       "default-sort-order-id": 0, "properties": {},
                       "sort-orders": [{"order-id": 0, "fields": []}], "refs": {},
                       "current-snapshot-id": self.seq, "snapshots": self.snapshots,
                       "snapshot-log": [], "metadata-log": []}, f)

    def lineage(self):
        """The two columns that follow from the log, but for rows of our writer."""
        return [tuple(r[i] if r.get(i) is not None else
                      f.seq if i == 2147483539 else f.first + n if f.first is not None else None for i in LINEAGE)
                for f in self.files if f.path for n, (r, there) in enumerate(zip(f.rows, f.there)) if there]

    def rows(self):
        return [tuple(r.get(i) for i in self.schemas[-1])
                for f in self.files for r, there in zip(f.rows, f.there) if there]


def connect(extension):
    db = sqlite3.connect(":memory:")
    db.enable_load_extension(True)
    db.load_extension(extension)
    return db


def write(rng, folder, db):
    table = Table(rng, folder, db)
    for _ in range(rng.randrange(1, 8)):
        table.commit()
    if not table.location.startswith("s3:") and rng.random() < .5:
        table.append()
    return table


def has_other_lineage(db, table):
    """Of the table t of db."""
    if table.format < 3 or not all(f.path for f in table.files):
        return False
    got = db.execute("SELECT _row_id, _last_updated_sequence_number FROM t").fetchall()
    found = db.execute("SELECT count(*) FROM t WHERE _row_id < 40").fetchone()[0]
    return sorted(got, key=repr) != sorted(table.lineage(), key=repr) or \
        found != sum(r is not None and r < 40 for r, _ in table.lineage())


TABLES = 4                           # of a block of cases


def make(folder, seed, block, extension):
    """[(path, number of rows)]"""
    made = []
    for i in range(TABLES):
        path = "%s/iceberg_%d_%d" % (os.path.abspath(folder), block, i)
        db = connect(extension)
        table = write(random.Random("iceberg %d %d %d" % (seed, block, i)), path, db)
        db.execute("CREATE VIRTUAL TABLE temp.t USING parquet('%s')" % path)
        if has_other_lineage(db, table):
            raise AssertionError("%s has other row ids" % path)
        made.append((path, len(table.rows())))
    return made


def main():
    extension, folder, seed, n = sys.argv[1], os.path.abspath(sys.argv[2]), *map(int, sys.argv[3:])
    db, failed = connect(extension), 0
    for i in range(n):
        path = "%s/t%d_%d" % (folder, seed, i)
        table = write(random.Random("iceberg alone %d %d" % (seed, i)), path, db)
        db.execute("CREATE VIRTUAL TABLE temp.t USING parquet('%s')" % path)
        got = db.execute("SELECT * FROM t").fetchall()
        with open(path + ".json", "w", encoding="utf-8") as f:
            json.dump(got, f)
        if sorted(got, key=repr) != sorted(table.rows(), key=repr):
            failed += 1
            print("%s: %d rows, not %d" % (path, len(got), len(table.rows())))
        if has_other_lineage(db, table):
            failed += 1
            print("%s: other row ids" % path)
        names = [name for name, _ in table.schemas[-1].values()]
        for name, k in [("c2", k) for k in (1, 2, None)] + [
                (n, k) for n in names for k in ("a", "b", "\u00e9\n\"", 0, 19, None)]:
            got = db.execute("SELECT count(*) FROM t WHERE %s IS ?" % name, (k,)).fetchone()[0]
            if got != sum(r[names.index(name)] == k for r in table.rows()):
                failed += 1
                print("%s: %d rows where %s is %s" % (path, got, name, k))
        db.execute("DROP TABLE t")
    print("iceberg: %d tables, %d failures" % (n, failed))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
