"""Random Delta tables: a log over files of made_files.py.

Files are added, removed and added again over several commits.  Columns may have other
names in the files, partition columns have values in the log alone, and rows are deleted by
vectors, written here from the specification: in the log, or in a file of their own.
"""

import binascii
import datetime
import json
import math
import os
import random
import struct
import uuid

import made_files
import parquet_file

# Kinds that a file may have, and the type of the table.
TYPES = [("long", ["int64", "int32", "int16", "int8"]),
         ("integer", ["int32", "int16", "int8"]), ("double", ["double", "float", "int32"]),
         ("string", ["string"]), ("binary", ["bytes"]), ("date", ["date"]),
         ("timestamp_ntz", ["timestamp_us", "date"]),
         ("decimal(18,3)", ["decimal_18_3", "decimal_9_2"]), ("boolean", ["boolean"])]
PARTITIONS = [("integer", ["5", "7", "-1", "0", "100", None]),
              ("long", ["9007199254740993", "5", None]),
              ("date", ["2024-01-01", "2024-02-29", "0001-01-01", None]),
              ("string", ["a", "B", "10", "9", "1.0", "\u00e9", None, ""]),
              ("boolean", ["true", "false", None]), ("double", ["2.5", "-0.0", "7", "NaN", None]),
              ("decimal(9,2)", ["1.50", "-7.00", None]),
              ("timestamp", ["2024-01-01 00:00:00", "2024-01-01T12:30:00.5Z", None])]
Z85 = ("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
       ".-:+=^!/*?&<>()[]{}@%$#")


def z85(data):
    out = []
    for (n,) in struct.iter_unpack(">I", data):
        for power in (85**4, 85**3, 85**2, 85, 1):
            out.append(Z85[n // power % 85])
    return "".join(out)


def bitmap(rng, rows):
    """A portable bitmap of rows below 65536."""
    runs = []
    for r in rows:
        if runs and runs[-1][0] + runs[-1][1] + 1 == r:
            runs[-1][1] += 1
        else:
            runs.append([r, 0])
    if rng.random() < .5:
        return struct.pack("<HHBHHH", 12347, 0, 1, 0, len(rows) - 1, len(runs)) + \
            b"".join(struct.pack("<HH", *run) for run in runs)
    return struct.pack("<IIHHI", 12346, 1, 0, len(rows) - 1, 16) + \
        b"".join(struct.pack("<H", r) for r in rows)


def deletes(rng, folder, rows):
    """The descriptor of a vector of these rows."""
    data = struct.pack("<IQI", 1681511377, 1, 0) + bitmap(rng, rows)
    out = {"cardinality": len(rows), "sizeInBytes": len(data)}
    if rng.random() < .5:
        padded = data + b"\0" * (-len(data) % 4)
        return dict(out, storageType="i", pathOrInlineDv=z85(padded))
    name = uuid.UUID(int=rng.getrandbits(128))
    before = b"\x01" + rng.choice([b"", b"other vectors"])
    with open("%s/deletion_vector_%s.bin" % (folder, name), "wb") as f:
        f.write(before + struct.pack(">I", len(data)) + data +
                struct.pack(">I", binascii.crc32(data)))
    return dict(out, storageType="u", pathOrInlineDv=z85(name.bytes), offset=len(before))


def some_rows(rng, n):
    how = rng.random()
    if how < .3:
        return sorted(rng.sample(range(n), rng.randrange(1, n + 1)))
    if how < .6:
        first = rng.randrange(n)
        return list(range(first, rng.randrange(first, n) + 1))
    return [r for r in range(n) if r % 7 == 3] or [0]


def text_of(rng, kind, value, most):
    """A bound as writers of logs have it, or None: cut, but never to less than it."""
    day = datetime.datetime(1970, 1, 1)
    if kind == "string":
        text, end = value.decode(), rng.choice([2, 32])
        ties = ["\U0010ffff", ""] + ["\x7f"] * (text[end:end + 1] < "\x7f")
        return text[:end] + (rng.choice(ties) if most else "")
    if kind in ("date", "timestamp_us"):
        try:
            at = day + (datetime.timedelta(days=value) if kind == "date"
                        else datetime.timedelta(milliseconds=value // 1000))
        except OverflowError:
            return None
        return at.strftime("%Y-%m-%d").zfill(10) if kind == "date" else \
            at.strftime("%%sT%H:%M:%S.{:03}".format(at.microsecond // 1000)) % at.date()
    return value if kind.startswith("int") or math.isfinite(value) else None


def statistics(rng, columns, n):
    """As the log has them.  Some columns have no bounds, some only one."""
    out = {"numRecords": n, "minValues": {}, "maxValues": {}, "nullCount": {}}
    for c in columns:
        name, values = c.path[0], [v for v in c.values if v is not None]
        if rng.random() < .9:
            out["nullCount"][name] = n - len(values)
        if any(isinstance(v, float) and math.isnan(v) for v in values):
            values = []
        if c.kind in ("string", "date", "timestamp_us", "double", "float") or \
                c.kind.startswith("int"):
            for key, pick in (("minValues", min), ("maxValues", max)):
                try:
                    bound = text_of(rng, c.kind, pick(values), pick is max) if values else None
                except UnicodeDecodeError:
                    bound = None
                if bound is not None and rng.random() < .9:
                    out[key][name] = bound
    return json.dumps(out)


class Table:
    def __init__(self, rng, folder):
        self.rng, self.folder = rng, folder
        self.types = [rng.choice(TYPES) for _ in range(rng.randrange(2, 6))]
        self.parts = [rng.choice(PARTITIONS) for _ in range(rng.choice([0, 1, 1, 2]))]
        self.mapped = rng.random() < .4
        self.names = ["col-%d" % i if self.mapped else "c%d" % i
                      for i in range(len(self.types))]
        self.part_names = ["part-%d" % i if self.mapped else "k%d" % i
                           for i in range(len(self.parts))]
        self.versions = 0
        self.there = {}                  # path -> its add

    def field(self, name, kind, physical, number):
        meta = {"delta.columnMapping.id": number,
                "delta.columnMapping.physicalName": physical} if self.mapped else {}
        return {"name": name, "type": kind, "nullable": True, "metadata": meta}

    def begin(self):
        fields = [self.field("c%d" % i, t[0], self.names[i], i + 1)
                  for i, t in enumerate(self.types)]
        fields += [self.field("k%d" % i, p[0], self.part_names[i], 100 + i)
                   for i, p in enumerate(self.parts)]
        self.rng.shuffle(fields)
        settings = {"delta.columnMapping.mode": "name"} if self.mapped else {}
        return [{"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": [
            "columnMapping", "deletionVectors", "timestampNtz"], "writerFeatures": []}},
            {"metaData": {"id": "x", "format": {"provider": "parquet", "options": {}},
                          "schemaString": json.dumps({"type": "struct", "fields": fields}),
                          "partitionColumns": ["k%d" % i for i in range(len(self.parts))],
                          "configuration": settings}}]

    def new_file(self):
        rng = self.rng
        path = "p%d.parquet" % rng.getrandbits(40)
        n = rng.choice([rng.randrange(1, 12), rng.randrange(1, 80), rng.randrange(1, 300)])
        columns = [made_files.some_column(rng, self.names[i], n, rng.choice(kinds))
                   for i, (_, kinds) in enumerate(self.types)
                   if i == 0 or rng.random() < .85]
        if rng.random() < .2:
            columns.append(made_files.some_column(rng, "dropped", n, "int32"))
        parquet_file.write("%s/%s" % (self.folder, path), columns,
                           made_files.some_groups(rng, n), rng.choice([2, 7, 100]),
                           plan=None)
        return path, n, statistics(rng, columns, n)

    def add(self):
        path, n, stats = self.new_file()
        values = {name: self.rng.choice(p[1])
                  for name, p in zip(self.part_names, self.parts)}
        add = {"path": path, "partitionValues": values, "modificationTime": 1,
               "dataChange": True, "size": os.path.getsize("%s/%s" % (self.folder, path))}
        return dict(add, stats=stats) if self.rng.random() < .8 else add, n

    def commit(self, actions):
        name = "%s/_delta_log/%020d.json" % (self.folder, self.versions)
        with open(name, "w", encoding="utf-8") as f:
            for a in actions:
                f.write(json.dumps(a) + "\n")
        self.versions += 1

    def remove(self, path):
        old, n = self.there.pop(path)
        out = {"path": path, "deletionTimestamp": 1, "dataChange": True}
        if "deletionVector" in old:
            out["deletionVector"] = old["deletionVector"]
        return {"remove": out}, old, n

    def change(self):
        """The actions of one commit.  It may remove a file and add it with deletes."""
        rng, actions = self.rng, []
        for _ in range(rng.randrange(1, 3)):
            add, n = self.add()
            if rng.random() < .3:
                add["deletionVector"] = deletes(rng, self.folder, some_rows(rng, n))
            self.there[add["path"]] = add, n
            actions.append({"add": add})
        for path in list(self.there):
            if rng.random() < .3 and {"add": self.there[path][0]} not in actions:
                gone, old, n = self.remove(path)
                actions.append(gone)
                if rng.random() < .7:
                    add = old        # an equal vector would be removed and added in one commit
                    while add.get("deletionVector") == old.get("deletionVector"):
                        add = dict(old, deletionVector=deletes(rng, self.folder,
                                                               some_rows(rng, n)))
                    self.there[path] = add, n
                    actions.append({"add": add})
        rng.shuffle(actions)
        return actions


def rows_of(table):
    return sum(n - add.get("deletionVector", {"cardinality": 0})["cardinality"]
               for add, n in table.there.values())


def write(rng, folder):
    """Returns the number of rows."""
    os.makedirs(folder + "/_delta_log")
    table = Table(rng, folder)
    table.commit(table.begin() + table.change())
    for _ in range(rng.randrange(1, 5)):
        table.commit(table.change())
    return rows_of(table)


def log_over(rng, folder, types, lengths):
    """A log that adds these files: path -> rows.  Most have deleted rows, none all."""
    fields = [{"name": c, "type": t, "nullable": True, "metadata": {}} for c, t in types.items()]
    actions = [{"protocol": {"minReaderVersion": 3, "minWriterVersion": 7,
                             "readerFeatures": ["deletionVectors"], "writerFeatures": []}},
               {"metaData": {"id": "x", "format": {"provider": "parquet", "options": {}},
                             "schemaString": json.dumps({"type": "struct", "fields": fields}),
                             "partitionColumns": [], "configuration": {}}}]
    for path, n in lengths.items():
        add = {"path": path, "partitionValues": {}, "size": 1, "dataChange": True}
        if rng.random() < .7:
            add["deletionVector"] = deletes(rng, folder, some_rows(rng, n)[:n - 1] or [0])
        actions.append({"add": add})
    with open("%s/_delta_log/%020d.json" % (folder, 0), "w", encoding="utf-8") as f:
        f.write("".join(json.dumps(a) + "\n" for a in actions))


TABLES = 8                           # of a block of cases


def make(folder, seed, block):
    """[(path, number of rows)]"""
    made = []
    for i in range(TABLES):
        path = "%s/delta_%d_%d" % (folder, block, i)
        made.append((path, write(random.Random("delta %d %d %d" % (seed, block, i)), path)))
    return made
