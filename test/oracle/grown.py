"""Random lake tables whose columns grow: fields are added, with first values where the
format has them, dropped, renamed and moved, at the top, in structs, and in structs in lists
and maps.  Files stay as they were written.

What the table has is kept here in Python, by the ids of fields.  A native copy of it is asked
the same as the table, and so are elements of its lists.

Usage: grown.py EXTENSION SEED TABLES FOLDER
The last line has the counts.
"""
import json
import os
import random
import sqlite3
import sys

import iceberg_table

KINDS = {                            # SQL, Delta, Iceberg, DuckLake
    "long": ("BIGINT", "long", "long", "int64"), "int": ("INT32", "integer", "int", "int32"),
    "double": ("DOUBLE", "double", "double", "float64"),
    "string": ("VARCHAR", "string", "string", "varchar"),
    "boolean": ("BOOLEAN", "boolean", "boolean", "boolean"),
    "date": ("DATE", "date", "date", "date"),
}
WIDE = {"decimal": ("DECIMAL(12,2)", "decimal(12,2)")}       # what an int may become in Delta


def some_leaf(rng, kind):
    n = rng.choice([rng.randrange(-3, 4), rng.randrange(-900, 900)])
    odd = rng.choice(["a, b", "it's", "", "NULL", "x=y", "{1}", "b\\c", "b,\\c'"])
    return {"double": n / 4, "decimal": n / 4, "string": odd if n % 5 == 0 else "v%d" % n, "boolean": n > 0,
            "date": "20%02d-03-%02d" % (n % 60, n % 28 + 1)}.get(kind, n)


class Field:
    def __init__(self, id, name, type, first=None):
        self.id, self.name, self.type, self.first = id, name, type, first
        self.physical = "col-%d" % id


class Table:
    """A type is the name of a kind, ["list", type, id], ["map", type, id], or a list of Fields
    in a dict."""
    widens = False

    def __init__(self, rng, db, folder):
        self.rng, self.db, self.folder, self.next = rng, db, folder, 0
        self.files, self.root = [], {"fields": []}
        self.top_of = {}             # the fields that a file was written with
        for _ in range(rng.randrange(2, 5)):
            self.root["fields"].append(self.new_field(0, False))

    def number(self):
        self.next += 1
        return self.next

    def new_type(self, depth):
        how = self.rng.random()
        if depth > 2 or how < .35:
            return self.rng.choice(list(KINDS))
        if how < .75:
            return {"fields": [self.new_field(depth + 1, False)
                               for _ in range(self.rng.randrange(1, 4))]}
        self.number()                # of keys; then of elements and values
        i = self.number()
        return [self.rng.choice(["list", "list", "map"]), self.new_type(depth + 1), i]

    def new_field(self, depth, added):
        i = self.number()
        f = Field(i, "c%d" % i, self.new_type(depth))
        if added and self.has_first and self.rng.random() < .6:
            if isinstance(f.type, str):
                f.first = some_leaf(self.rng, f.type)
            elif isinstance(f.type, dict) and self.has_first == "structs":
                f.first = {}
                for inner in f.type["fields"]:
                    if isinstance(inner.type, str) and self.rng.random() < .5:
                        inner.first = some_leaf(self.rng, inner.type)
        return f

    # ---- changes ----

    def structs(self, type, depth):
        if isinstance(type, dict):
            yield type["fields"], depth
            for f in type["fields"]:
                yield from self.structs(f.type, depth + 1)
        elif isinstance(type, list):
            yield from self.structs(type[1], depth + 1)

    def change(self):
        rng = self.rng
        fields, depth = rng.choice(list(self.structs(self.root, 0)))
        how = rng.random()
        if how < .55 or (len(fields) == 1 and how < .75):
            fields.insert(rng.randrange(len(fields) + 1), self.new_field(depth, True))
        elif how < .75:
            del fields[rng.randrange(len(fields))]
        elif how < .83 and self.widens and any(f.type == "int" for f in self.root["fields"]):
            next(f for f in self.root["fields"] if f.type == "int").type = "decimal"
        elif how < .87 and any(f.type == "int" for f in fields):
            next(f for f in fields if f.type == "int").type = "long"
        elif how < .94 and self.renames:
            rng.choice(fields).name = "r%d" % self.number()
        else:
            rng.shuffle(fields)

    # ---- rows ----

    def some_value(self, type):
        rng = self.rng
        if rng.random() < .2:
            return None
        if isinstance(type, str):
            return some_leaf(rng, type)
        if isinstance(type, dict):
            return {f.id: self.some_value(f.type) for f in type["fields"]}
        some = [self.some_value(type[1]) for _ in range(rng.randrange(4))]
        return some if type[0] == "list" else [("k%d" % i, v) for i, v in enumerate(some)]

    def as_written(self, type, v):
        """By names, as JSON; at the top a tuple."""
        if v is None or isinstance(type, str):
            return v
        if isinstance(type, dict):
            return {self.in_file(f): self.as_written(f.type, v[f.id]) for f in type["fields"]}
        if type[0] == "list":
            return [self.as_written(type[1], x) for x in v]
        return {k: self.as_written(type[1], x) for k, x in v}

    def first_of(self, f):
        if f.first == {}:
            return {g.name: self.first_of(g) for g in f.type["fields"]}
        return f.first

    def as_read(self, type, v):
        if v is None or isinstance(type, str):
            return v
        if isinstance(type, dict):
            return {f.name: self.as_read(f.type, v[f.id]) if f.id in v else self.first_of(f)
                    for f in type["fields"]}
        if type[0] == "list":
            return [self.as_read(type[1], x) for x in v]
        return {k: self.as_read(type[1], x) for k, x in v}

    # ---- files ----

    def in_file(self, f):
        return f.physical if self.mapped else f.name

    def sql(self, type):
        if isinstance(type, str):
            return (KINDS | WIDE)[type][0]
        if isinstance(type, dict):
            return "STRUCT(%s)" % ", ".join('"%s" %s' % (self.in_file(f), self.sql(f.type))
                                            for f in type["fields"])
        return "LIST<%s>" % self.sql(type[1]) if type[0] == "list" else \
            "MAP<VARCHAR, %s>" % self.sql(type[1])

    def ids(self, type, path=""):
        if isinstance(type, dict):
            for f in type["fields"]:
                yield path + self.in_file(f), f.id
                yield from self.ids(f.type, path + self.in_file(f) + ".")
        elif isinstance(type, list):
            yield from self.ids(type[1], path + ("element." if type[0] == "list" else "value."))

    def add_file(self):
        rng, fields = self.rng, self.root["fields"]
        n = rng.choice([rng.randrange(1, 6), rng.randrange(1, 60)])
        rows = [{f.id: self.some_value(f.type) for f in fields} for _ in range(n)]
        self.db.execute("DROP TABLE IF EXISTS temp.w")
        self.db.execute("CREATE TEMP TABLE w(%s)" % ",".join(
            '"%s"' % self.in_file(f) for f in fields))
        self.db.executemany("INSERT INTO w VALUES (%s)" % ",".join("?" * len(fields)), [
            [v if isinstance(f.type, str) or v is None else json.dumps(v)
             for f in fields for v in [self.as_written(f.type, r[f.id])]] for r in rows])
        name = "f%d.parquet" % len(self.files)
        options = {"types": {self.in_file(f): self.sql(f.type) for f in fields},
                   "row_group_rows": rng.choice([3, 20, 1000]), "page_rows": rng.choice([2, 1000]),
                   "compatibility": rng.choice(["standard", "modern"])}
        if self.numbered:
            options["field_ids"] = dict(self.ids(self.root))
        self.db.execute("SELECT parquet_copy_to('SELECT * FROM w', ?, ?)",
                        (self.folder + ".tmp.parquet", json.dumps(options))).fetchall()
        os.rename(self.folder + ".tmp.parquet", "%s/%s%s" % (self.folder, self.data, name))
        self.files.append((name, rows))
        self.top_of[name] = list(fields)

    def rows(self):
        return [self.as_read(self.root, r) for _, rows in self.files for r in rows]


class Delta(Table):
    has_first, data, widens = None, "", True

    def __init__(self, rng, db, folder):
        self.mode = rng.choice(["none", "name", "id"])
        self.mapped = self.renames = self.mode != "none"
        self.numbered = self.mode == "id"
        os.makedirs(folder + "/_delta_log")
        super().__init__(rng, db, folder)
        self.path = folder

    def type_json(self, type):
        if isinstance(type, str):
            return (KINDS | WIDE)[type][1]
        if isinstance(type, dict):
            return {"type": "struct", "fields": [
                {"name": f.name, "type": self.type_json(f.type), "nullable": True,
                 "metadata": {"delta.columnMapping.id": f.id,
                              "delta.columnMapping.physicalName": f.physical}
                 if self.mapped else {}} for f in type["fields"]]}
        element = self.type_json(type[1])
        return {"type": "array", "elementType": element, "containsNull": True} \
            if type[0] == "list" else {"type": "map", "keyType": "string", "valueType": element,
                                       "valueContainsNull": True}

    def finish(self):
        actions = [{"protocol": {"minReaderVersion": 2, "minWriterVersion": 5}},
                   {"metaData": {"id": "x", "format": {"provider": "parquet", "options": {}},
                                 "schemaString": json.dumps(self.type_json(self.root)),
                                 "partitionColumns": [],
                                 "configuration": {"delta.columnMapping.mode": self.mode}}}]
        actions += [{"add": {"path": name, "partitionValues": {}, "dataChange": True,
                             "size": os.path.getsize("%s/%s" % (self.folder, name)),
                             "modificationTime": 1}} for name, _ in self.files]
        with open("%s/_delta_log/%020d.json" % (self.folder, 0), "w", encoding="utf-8") as f:
            f.write("".join(json.dumps(a) + "\n" for a in actions))


class Iceberg(Table):
    mapped, numbered, renames, has_first, data = False, True, True, "structs", "data/"

    def __init__(self, rng, db, folder):
        for name in ("data", "metadata"):
            os.makedirs("%s/%s" % (folder, name))
        super().__init__(rng, db, folder)
        self.path = folder

    def type_json(self, type):
        if isinstance(type, str):
            return KINDS[type][2]
        if isinstance(type, dict):
            return {"type": "struct", "fields": [
                dict({"id": f.id, "name": f.name, "required": False,
                      "type": self.type_json(f.type)},
                     **({} if f.first is None else {"initial-default": f.first}))
                for f in type["fields"]]}
        element = self.type_json(type[1])
        return {"type": "list", "element-id": type[2], "element": element,
                "element-required": False} if type[0] == "list" else \
            {"type": "map", "key-id": type[2] - 1, "key": "string", "value-id": type[2],
             "value": element, "value-required": False}

    def finish(self):
        schema = dict(self.type_json(self.root), **{"schema-id": 0})
        entries = [{"status": 1, "snapshot_id": 1, "sequence_number": 1,
                    "file_sequence_number": 1, "data_file": {
                        "content": 0, "file_path": "%s/data/%s" % (self.folder, name),
                        "file_format": "PARQUET", "partition": {}, "record_count": len(rows),
                        "file_size_in_bytes": os.path.getsize("%s/data/%s" % (self.folder, name)),
                        "equality_ids": None, "first_row_id": None, **{n: None for n, _, _ in iceberg_table.MAPS},
                        "referenced_data_file": None, "content_offset": None,
                        "content_size_in_bytes": None}} for name, rows in self.files]
        at = self.folder + "/metadata/"
        iceberg_table.write_avro(self.rng, at + "m.avro", iceberg_table.entries_of(False), entries, {
            "schema": json.dumps(schema), "partition-spec": "[]", "partition-spec-id": "0",
            "format-version": "2", "content": "data"})
        iceberg_table.write_avro(self.rng, at + "snap-1.avro", iceberg_table.LIST, [{
            "manifest_path": at + "m.avro", "manifest_length": os.path.getsize(at + "m.avro"),
            "partition_spec_id": 0, "content": 0, "sequence_number": 1, "min_sequence_number": 1,
            "added_snapshot_id": 1, "added_files_count": len(self.files),
            "existing_files_count": 0, "deleted_files_count": 0, "added_rows_count": 1,
            "existing_rows_count": 0, "deleted_rows_count": 0, "first_row_id": None}])
        with open(at + "v1.metadata.json", "w", encoding="utf-8") as f:
            json.dump({"format-version": 3 if "initial-default" in json.dumps(schema) else 2,
                       "table-uuid": "00000000-0000-0000-0000-000000000001",
                       "location": self.folder, "last-sequence-number": 1, "last-updated-ms": 1,
                       "last-column-id": self.next, "schemas": [schema], "current-schema-id": 0,
                       "partition-specs": [{"spec-id": 0, "fields": []}], "default-spec-id": 0,
                       "last-partition-id": 999, "default-sort-order-id": 0, "next-row-id": 0,
                       "sort-orders": [{"order-id": 0, "fields": []}], "properties": {},
                       "current-snapshot-id": 1, "refs": {}, "snapshot-log": [],
                       "metadata-log": [], "snapshots": [{
                           "snapshot-id": 1, "sequence-number": 1, "timestamp-ms": 1,
                           "schema-id": 0, "summary": {"operation": "append"},
                           "manifest-list": at + "snap-1.avro"}]}, f)


def printed(type, v):
    """As DuckDB prints a value in a nested one."""
    if v is None:
        return "NULL"
    if isinstance(type, dict):
        return "{%s}" % ", ".join("'%s': %s" % (f.name, printed(f.type, v[f.id]))
                                  for f in type["fields"])
    if isinstance(type, list):
        return "[%s]" % ", ".join(printed(type[1], x) for x in v) if type[0] == "list" else \
            "{%s}" % ", ".join("%s=%s" % (k, printed(type[1], x)) for k, x in v)
    v = str(v).lower() if isinstance(v, bool) else str(v)
    return v if type != "string" or (v and v.upper() != "NULL" and
                                     not set(v) & set("\"'(),:=[]{}")) else \
        "'%s'" % v.replace("\\", "\\\\").replace("'", "\\'")


class DuckLake(Table):
    """A version for each file, or for rows in the catalog."""
    mapped, numbered, renames, has_first, data = False, True, True, "leaves", "files/main/t/"

    def __init__(self, rng, db, folder):
        os.makedirs(folder + "/files/main/t")
        super().__init__(rng, db, folder)
        self.path, self.versions, self.inlined = folder + "/x.ducklake", [], {}

    def add_file(self):
        version, fields = len(self.versions), self.root["fields"]
        self.versions.append(dict(self.columns(self.root, None)))
        if self.rng.random() < .6:
            super().add_file()
            return
        rows = [{f.id: self.some_value(f.type) for f in fields}
                for _ in range(self.rng.randrange(1, 6))]
        self.files.append((None, rows))
        self.inlined[version] = [f.name for f in fields], [
            [v if isinstance(f.type, str) or v is None else printed(f.type, v)
             for f in fields for v in [r[f.id]]] for r in rows]

    def columns(self, type, parent):
        for k, f in enumerate(type["fields"]):
            first = f.first if f.first is None or isinstance(f.first, (str, bool)) \
                else repr(f.first)
            yield from self.type_columns(f.id, k, f.name, f.type, str(first).lower() if isinstance(
                first, bool) else first, parent)

    def type_columns(self, id, order, name, type, first, parent):
        kind = KINDS[type][3] if isinstance(type, str) else \
            "struct" if isinstance(type, dict) else type[0]
        yield id, (order, name, kind, first, None, 1, parent)
        if isinstance(type, dict):
            yield from self.columns(type, id)
        elif isinstance(type, list):
            if type[0] == "map":
                yield from self.type_columns(type[2] - 1, 0, "key", "string", None, id)
            yield from self.type_columns(type[2], 1, "value" if type[0] == "map" else "element",
                                         type[1], None, id)

    def put_columns(self, put):
        """Each as long as it is the same."""
        for id in {i for v in self.versions for i in v}:
            for at, version in enumerate(self.versions):
                if id in version and (not at or self.versions[at - 1].get(id) != version[id]):
                    end = at
                    while end < len(self.versions) and self.versions[end].get(id) == version[id]:
                        end += 1
                    put("column", id, at, None if end == len(self.versions) else end, 1,
                        *version[id])

    def put_inlined(self, catalog, put):
        for version, (names, rows) in self.inlined.items():
            table = "ducklake_inlined_data_1_%d" % version
            catalog.execute("CREATE TABLE %s(row_id, begin_snapshot, end_snapshot, %s)" % (
                table, ",".join('"%s"' % n for n in names)))
            put("inlined_data_tables", 1, table, version)
            for row in rows:
                catalog.execute("INSERT INTO %s VALUES (%s)" % (
                    table, ",".join("?" * (3 + len(row)))), (0, version, None, *row))

    def finish(self):
        catalog = sqlite3.connect(self.path)

        def put(table, *values):
            catalog.execute("INSERT INTO ducklake_%s VALUES (%s)" %
                            (table, ",".join("?" * len(values))), values)
        for name, columns in (
                ("metadata", "key, value, scope, scope_id"),
                ("snapshot", "snapshot_id, snapshot_time, schema_version"),
                ("schema_versions", "begin_snapshot, schema_version, table_id"),
                ("schema", "schema_id, u, begin_snapshot, end_snapshot, schema_name, path, "
                           "path_is_relative"),
                ("table", "table_id, u, begin_snapshot, end_snapshot, schema_id, table_name, "
                          "path, path_is_relative"),
                ("column", "column_id, begin_snapshot, end_snapshot, table_id, column_order, "
                           "column_name, column_type, initial_default, default_value, "
                           "nulls_allowed, parent_column"),
                ("data_file", "data_file_id, table_id, begin_snapshot, end_snapshot, path, "
                              "path_is_relative, file_format, record_count, file_size_bytes, "
                              "encryption_key, mapping_id, partial_max, row_id_start"),
                ("delete_file", "table_id, begin_snapshot, end_snapshot, data_file_id, path, "
                                "path_is_relative, format, encryption_key"),
                ("name_mapping", "mapping_id, column_id, source_name, target_field_id, "
                                 "is_partition"),
                ("inlined_data_tables", "table_id, table_name, schema_version"),
                ("file_column_stats", "data_file_id, table_id, column_id, column_size_bytes, "
                                      "value_count, null_count, min_value, max_value, "
                                      "contains_nan, extra_stats")):
            catalog.execute("CREATE TABLE ducklake_%s(%s)" % (name, columns))
        self.versions.append(dict(self.columns(self.root, None)))
        put("metadata", "version", "1.0", None, None)
        put("metadata", "data_path", self.folder + "/files/", None, None)
        for i in range(len(self.versions)):
            put("snapshot", i, "2026-01-01", i)
            put("schema_versions", i, i, 1)
        put("schema", 0, "u", 0, None, "main", "main/", 1)
        put("table", 1, "u", 0, None, 0, "t", "t/", 1)
        self.put_columns(put)
        self.put_inlined(catalog, put)
        for i, (name, rows) in enumerate(self.files):
            if name is None:
                continue
            put("data_file", i, 1, i, None, name, 1, "parquet", len(rows), None, None, None, None,
                1000 * i)
            for f in self.top_of[name]:
                values = [r[f.id] for r in rows if r[f.id] is not None]
                if isinstance(f.type, str) and f.type != "boolean" and self.rng.random() < .7:
                    put("file_column_stats", i, 1, f.id, 9, len(rows), len(rows) - len(values),
                        str(min(values)) if values else None,
                        str(max(values)) if values else None, None, None)
        catalog.commit()
        catalog.close()


# ---- what is asked ----

def text(v):
    return v if v is None or isinstance(v, str) else int(v) if isinstance(v, bool) else \
        json.dumps(v, separators=(",", ":")) if isinstance(v, (dict, list)) else v


def leaves(fields, path=""):
    """The hidden columns: (name, path, kind)"""
    for f in fields:
        if isinstance(f.type, dict):
            yield from leaves(f.type["fields"], path + f.name + ".")
        elif isinstance(f.type, str) and path:
            yield path + f.name, f.type


def leaf_of(row, name):
    for step in name.split("."):
        row = row and row.get(step)
    return row


def native(db, names, rows):
    """With the types of t, so that values compare alike."""
    types = {r[1]: r[2] for r in db.execute("PRAGMA temp.table_xinfo(t)")}
    db.execute("DROP TABLE IF EXISTS temp.n")
    db.execute("CREATE TEMP TABLE n(%s)" % ",".join('"%s" "%s"' % (c, types[c]) for c in names))
    db.executemany("INSERT INTO n VALUES (%s)" % ",".join("?" * len(names)), rows)


def queries(rng, names, values):
    out = ["SELECT %s FROM %%s" % ", ".join('"%s"' % n for n in names)]
    for _ in range(12):
        a, b = rng.choice(names), rng.choice(names)
        value = rng.choice(values[a] + ["1", "'v1'", "NULL", "0.5"])
        term = rng.choice(['"%s" %s %s' % (a, rng.choice(["=", "<", ">=", "<>", "IS", "IS NOT"]),
                                           value),
                           '"%s" IS NULL' % a, '"%s" IS NOT NULL' % a,
                           '"%s" IN (%s, 1, \'v2\')' % (a, value)])
        out += [rng.choice([
            'SELECT "%s", "%s" FROM %%s WHERE %s' % (a, b, term),
            'SELECT count(*), count("%s"), min("%s"), max("%s") FROM %%s WHERE %s' % (
                b, b, b, rng.choice([term, "1"])),
            'SELECT min("%s") FROM %%s' % a, 'SELECT max("%s") FROM %%s' % a,
            'SELECT "%s", count(*), count("%s") FROM %%s GROUP BY 1' % (a, b),
            'SELECT "%s" FROM %%s ORDER BY 1 %s LIMIT 5' % (a, rng.choice(["", "DESC"])),
            'SELECT DISTINCT "%s" FROM %%s' % a,
            'SELECT count(*) FROM %%s AS x JOIN %%s AS y ON x."%s" = y."%s"' % (a, a)])]
    return out


def ask(db, rng, table, names, rows, what, options):
    db.execute("DROP TABLE IF EXISTS temp.t")
    db.execute("CREATE VIRTUAL TABLE temp.t USING parquet('%s'%s%s)" % (
        table.path, ", table='t'" if isinstance(table, DuckLake) else "", options))
    native(db, names, rows)
    values = {n: ["'%s'" % r[i].replace("'", "''") if isinstance(r[i], str) else str(r[i])
                  for r in rng.sample(rows, min(3, len(rows))) if r[i] is not None]
              for i, n in enumerate(names)}
    wrong, asked = [], queries(rng, names, values)
    for q in asked:
        try:
            got, wanted = (sorted(map(repr, db.execute(q % ((x,) * q.count("%s"))))) for x in "tn")
        except sqlite3.Error as error:
            got, wanted = str(error), None
        if got != wanted:
            wrong.append("%s: %s\n  got    %s\n  wanted %s" % (
                what, q.replace("%s", "t"), got[:9] if wanted is not None else got,
                wanted and wanted[:9]))
    return len(asked), wrong


def rollup(db, table, a, b):
    """A rollup has the groups of a native GROUP BY; n is there."""
    db.execute("DROP TABLE IF EXISTS temp.r")
    db.execute("CREATE VIRTUAL TABLE temp.r USING parquet('%s'%s, rollup='\"%s\", count(*) AS "
               "many, min(\"%s\") AS lo')" % (
                   table.path, ", table='t'" if isinstance(table, DuckLake) else "", a, b))
    got, wanted = (sorted(map(repr, db.execute(q))) for q in (
        'SELECT "%s", sum(many), min(lo) FROM r GROUP BY 1' % a,
        'SELECT "%s", count(*), min("%s") FROM n GROUP BY 1' % (a, b)))
    return [] if got == wanted else ["rollup by %s of %s\n  got    %s\n  wanted %s" % (
        a, b, got[:9], wanted[:9])]


def summary(db, table, names):
    """What parquet_summary says of leaves; n is there."""
    got = {r[0]: r[1:] for r in db.execute(
        "SELECT column, nulls, min, max FROM parquet_summary(?%s)" % (
            ", 't'" if isinstance(table, DuckLake) else ""), (table.path,))}
    wanted = {n: db.execute('SELECT count(*) - count("%s"), min("%s"), max("%s") FROM n' %
                            (n, n, n)).fetchone() for n in names}
    return ["summary of %s\n  got    %s\n  wanted %s" % (n, got.get(n), wanted[n])
            for n in names if got.get(n) != wanted[n]]


def unnest(db, rng, table):
    """The elements of a list of structs or scalars at the top."""
    lists = [f for f in table.root["fields"] if isinstance(f.type, list) and f.type[0] == "list"]
    if not lists:
        return 0, []
    f = rng.choice(lists)
    if isinstance(f.type[1], dict):
        names = [(f.name + "." + g.name, g.name) for g in f.type[1]["fields"]]
    else:
        names = [(f.name, None)]
    beside = [g.name for g in table.root["fields"] if g is not f]
    rows = [tuple(text(r[b]) for b in beside) +
            tuple(text(x if n is None else x and x[n]) for _, n in names)
            for r in table.rows() for x in r[f.name] or []]
    return ask(db, rng, table, beside + [n for n, _ in names], rows, "unnest=" + f.name,
               ", unnest='%s'" % f.name)


def compare(db, rng, table):
    """The number of questions, and what was wrong."""
    rows = table.rows()
    tops = [f.name for f in table.root["fields"]]
    inner = [n for n, _ in leaves(table.root["fields"])]
    asked, wrong = ask(db, rng, table, tops + inner, [
        tuple(text(r[n]) for n in tops) + tuple(text(leaf_of(r, n)) for n in inner)
        for r in rows], "rows", "")
    scalars = [f.name for f in table.root["fields"] if isinstance(f.type, str)] + inner
    if scalars:
        wrong += rollup(db, table, rng.choice(scalars), rng.choice(scalars))
        wrong += summary(db, table, scalars)
        asked += 1 + len(scalars)
    more, wrong_elements = unnest(db, rng, table)
    return asked + more, wrong + wrong_elements


def main():
    extension, seed, tables, folder = sys.argv[1], sys.argv[2], int(sys.argv[3]), \
        os.path.abspath(sys.argv[4])
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.enable_load_extension(True)
    db.load_extension(os.path.splitext(extension)[0])
    n_asked, n_rows, failed = 0, 0, 0
    for i in range(tables):
        rng = random.Random("grown %s %d" % (seed, i))
        table = [Delta, Iceberg, DuckLake][i % 3](rng, db, "%s/grown%d" % (folder, i))
        for _ in range(rng.randrange(2, 6)):
            table.add_file()
            for _ in range(rng.randrange(1, 4)):
                table.change()
        table.finish()
        try:
            asked, wrong = compare(db, rng, table)
        except sqlite3.Error as error:
            asked, wrong = 1, [str(error)]
        n_asked += asked
        n_rows += len(table.rows())
        for w in wrong:
            failed += 1
            print("WRONG table %d of seed %s, %s" % (i, seed, w))
    print("%d rows of %d tables" % (n_rows, tables))
    print("grown (seed %s): %d passed, %d failed" % (seed, n_asked - failed, failed))
    return failed > 0 or n_rows == 0


if __name__ == "__main__":
    sys.exit(main())
