"""Random DuckLakes: a catalog that changes step by step, and beside it what each version
of its table holds, in Python.

A step inserts rows, as a file or into the catalog, deletes rows, in a file or in the
catalog, adds, drops or renames a column, widens a type, or merges files of several
versions into one.  Then versions are read and asked about, and a native copy of what
Python knows is asked the same.

Usage: ducklakes.py EXTENSION SEED LAKES FOLDER
The last line has the counts.
"""
import json
import os
import random
import sqlite3
import sys

TABLES = {
    "metadata": "key, value, scope, scope_id",
    "snapshot": "snapshot_id, snapshot_time, schema_version, next_catalog_id, next_file_id",
    "schema": "schema_id, schema_uuid, begin_snapshot, end_snapshot, schema_name, path, "
              "path_is_relative",
    "table": "table_id, table_uuid, begin_snapshot, end_snapshot, schema_id, table_name, path, "
             "path_is_relative",
    "column": "column_id, begin_snapshot, end_snapshot, table_id, column_order, column_name, "
              "column_type, initial_default, default_value, nulls_allowed, parent_column",
    "data_file": "data_file_id, table_id, begin_snapshot, end_snapshot, path, path_is_relative, "
                 "file_format, record_count, file_size_bytes, encryption_key, mapping_id, "
                 "partial_max, row_id_start",
    "delete_file": "delete_file_id, table_id, begin_snapshot, end_snapshot, data_file_id, path, "
                   "path_is_relative, format, encryption_key, partial_max",
    "file_column_stats": "data_file_id, table_id, column_id, column_size_bytes, value_count, "
                         "null_count, min_value, max_value, contains_nan, extra_stats",
    "name_mapping": "mapping_id, column_id, source_name, target_field_id, is_partition",
    "inlined_data_tables": "table_id, table_name, schema_version",
    "schema_versions": "begin_snapshot, schema_version, table_id",
    "inlined_delete_1": "file_id, row_id, begin_snapshot",
}
TYPES = {"int32": "INT32", "int64": "INT64", "varchar": "VARCHAR", "float64": "DOUBLE"}
OWN = "_ducklake_internal_snapshot_id"


def some_value(rng, kind):
    if rng.random() < .15:
        return None
    n = rng.choice([rng.randrange(-3, 4), rng.randrange(-1000, 1000)])
    return n if kind.startswith("int") else n / 4 if kind == "float64" else "v%d" % n


class Lake:
    def __init__(self, rng, db, folder):
        self.rng, self.db, self.folder = rng, db, folder
        os.makedirs(folder + "/files/main/t")
        self.cat = sqlite3.connect(folder + "/x.ducklake", isolation_level=None)
        for name, columns in TABLES.items():
            self.cat.execute("CREATE TABLE ducklake_%s(%s)" % (name, columns))
        self.put("metadata", "version", "1.0", None, None)
        self.put("metadata", "data_path", folder + "/files/", None, None)
        self.put("schema", 0, "u", 0, None, "main", "main/", 1)
        self.put("table", 1, "u", 0, None, 0, "t", "t/", 1)
        self.now, self.changes, self.next = 0, 0, 1
        self.columns = {}                # id -> [name, kind]
        self.files = {}                  # id -> [[row or None, ...], delete file or None]
        self.inlined = []                # [table, rowid of it, row]
        self.table = None                # of the catalog, for inserts
        for _ in range(rng.randrange(1, 4)):
            self.add_column()
        self.snapshots = {}              # version -> names, rows

    def put(self, table, *values):
        self.cat.execute("INSERT INTO ducklake_%s VALUES (%s)" %
                         (table, ",".join("?" * len(values))), values)

    def number(self):
        self.next += 1
        return self.next

    def save(self):
        """The version is whole: what it holds is noted."""
        self.put("snapshot", self.now, "2026-01-01", self.changes, 1, 1)
        ids = sorted(self.columns)
        rows = [r for f, _ in self.files.values() for r in f if r] + \
            [r for _, _, r in self.inlined]
        self.snapshots[self.now] = [self.columns[i][0] for i in ids], \
            [tuple(r.get(i) for i in ids) for r in rows]
        self.now += 1

    # ---- columns ----

    def changed(self):
        self.changes += 1
        self.table = None
        self.put("schema_versions", self.now, self.changes, 1)

    def put_column(self, i):
        name, kind = self.columns[i]
        self.put("column", i, self.now, None, 1, i, name, kind, None, None, 1, None)

    def end_column(self, i):
        self.cat.execute("UPDATE ducklake_column SET end_snapshot = ? WHERE column_id = ? "
                         "AND end_snapshot IS NULL", (self.now, i))

    def free_name(self):
        used = {c[0] for c in self.columns.values()}
        return self.rng.choice([n for n in "abcdefghij" if n not in used])

    def add_column(self):
        i = self.number()
        self.columns[i] = [self.free_name(), self.rng.choice(list(TYPES))]
        self.put_column(i)
        self.changed()

    def change_columns(self):
        i = self.rng.choice(list(self.columns))
        how = self.rng.random()
        if how < .3 and len(self.columns) < 6:
            self.add_column()
            return
        self.end_column(i)
        if how < .5 and len(self.columns) > 1:
            del self.columns[i]
        else:
            if how < .6 and self.columns[i][1] == "int32":
                self.columns[i][1] = "int64"
            else:
                self.columns[i][0] = self.free_name()
            self.put_column(i)
        self.changed()

    # ---- rows ----

    def some_rows(self):
        n = self.rng.choice([self.rng.randrange(1, 6), self.rng.randrange(1, 60)])
        return [{i: some_value(self.rng, c[1]) for i, c in self.columns.items()}
                for _ in range(n)]

    def write(self, name, columns, ids, types, rows):
        """A file of rows, by the extension."""
        self.db.execute("DROP TABLE IF EXISTS temp.w")
        self.db.execute("CREATE TEMP TABLE w(%s)" % ",".join('"%s"' % c for c in columns))
        self.db.executemany("INSERT INTO w VALUES (%s)" % ",".join("?" * len(columns)), rows)
        self.db.execute("SELECT parquet_copy_to('SELECT * FROM w', ?, ?)", (
            self.folder + "/files/main/t/" + name,
            json.dumps({"field_ids": ids, "types": types,
                        "row_group_rows": self.rng.choice([4, 1000])}))).fetchall()

    def write_rows(self, name, rows, snapshots=None):
        columns = [c[0] for c in self.columns.values()]
        ids = {c[0]: i for i, c in self.columns.items()}
        types = {c[0]: TYPES[c[1]] for c in self.columns.values()}
        values = [tuple(r[i] for i in self.columns) for r in rows]
        if snapshots:
            columns.append(OWN)
            ids[OWN] = 2147483540
            types[OWN] = "INT64"
            values = [v + (s,) for v, s in zip(values, snapshots)]
        self.write(name, columns, ids, types, values)

    def put_file(self, i, name, rows, last=None):
        """Most columns have bounds in the catalog."""
        self.put("data_file", i, 1, self.now, None, name, 1, "parquet", len(rows),
                 os.path.getsize(self.folder + "/files/main/t/" + name), None, None, last, 100 * i)
        for c in self.columns:
            values = [r[c] for r in rows if r[c] is not None]
            if self.rng.random() < .8:
                self.put("file_column_stats", i, 1, c, 9, len(rows), len(rows) - len(values),
                         str(min(values)) if values else None,
                         str(max(values)) if values else None, None, None)

    def insert_file(self):
        rows, i = self.some_rows(), self.number()
        name = "f%d.parquet" % i
        self.write_rows(name, rows)
        self.put_file(i, name, rows)
        self.files[i] = [rows, None]

    def insert_merged(self):
        """A file that has this version and later ones, which change no column."""
        parts, i = [self.some_rows() for _ in range(self.rng.randrange(2, 4))], self.number()
        name, first = "m%d.parquet" % i, self.now
        last = first + len(parts) - 1
        rows = [r for p in parts for r in p]
        self.write_rows(name, rows, [first + k for k, p in enumerate(parts) for _ in p])
        self.put_file(i, name, rows, last)
        seen = []
        for k, part in enumerate(parts):
            seen = seen + part
            self.files[i] = [list(seen), None]
            if k + 1 < len(parts):
                self.save()

    def insert_inlined(self):
        if self.table is None:
            self.table = "ducklake_inlined_data_1_%d" % self.changes
            self.cat.execute('CREATE TABLE %s(row_id, begin_snapshot, end_snapshot, %s)' % (
                self.table, ",".join('"%s"' % c[0] for c in self.columns.values())))
            self.put("inlined_data_tables", 1, self.table, self.changes)
        for row in self.some_rows()[:5]:
            values = [row[i] if row[i] is None or not self.columns[i][1].startswith("float")
                      else str(row[i]) for i in self.columns]
            at = self.cat.execute("INSERT INTO %s VALUES (%s)" % (
                self.table, ",".join("?" * (3 + len(values)))),
                (self.number(), self.now, None, *values)).lastrowid
            self.inlined.append([self.table, at, row])

    def delete(self):
        rng = self.rng
        for table, at, row in [x for x in self.inlined if rng.random() < .2]:
            self.cat.execute("UPDATE %s SET end_snapshot = ? WHERE rowid = ?" % table,
                             (self.now, at))
            self.inlined.remove([table, at, row])
        if not self.files:
            return
        i = rng.choice(list(self.files))
        rows, old = self.files[i]
        gone = [k for k, r in enumerate(rows) if r and rng.random() < .3]
        if rng.random() < .4:
            for k in gone:
                self.put("inlined_delete_1", i, k, self.now)
            rows = [None if k in gone else r for k, r in enumerate(rows)]
            self.files[i] = [rows, old]
            return
        # A delete file has what the one before it had; what the catalog has may be in both.
        every = sorted(set(gone) | set(old or []) | {
            k for k, r in enumerate(rows) if r is None and rng.random() < .5})
        self.cat.execute("UPDATE ducklake_delete_file SET end_snapshot = ? WHERE data_file_id "
                         "= ? AND end_snapshot IS NULL", (self.now, i))
        if every:
            d = self.number()
            self.write("d%d.parquet" % d, ["file_path", "pos"], {}, {"pos": "INT64"},
                       [("f", k) for k in every])
            self.put("delete_file", d, 1, self.now, None, i, "d%d.parquet" % d, 1, "parquet",
                     None, None)
        self.files[i] = [[None if k in gone else r for k, r in enumerate(rows)], every]

    def drop_file(self):
        if self.files:
            i = self.rng.choice(list(self.files))
            del self.files[i]
            self.cat.execute("UPDATE ducklake_data_file SET end_snapshot = ? "
                             "WHERE data_file_id = ?", (self.now, i))
            self.cat.execute("UPDATE ducklake_delete_file SET end_snapshot = ? WHERE "
                             "data_file_id = ? AND end_snapshot IS NULL", (self.now, i))

    def step(self):
        for _ in range(self.rng.randrange(1, 3)):
            self.rng.choice([self.insert_file, self.insert_file, self.insert_inlined,
                             self.delete, self.delete, self.change_columns,
                             self.drop_file])()
        if self.rng.random() < .3:
            self.insert_merged()
        self.save()


def queries(rng, names):
    a, b = rng.choice(names), rng.choice(names)
    value = rng.choice(["1", "-2", "0.5", "'v1'", "'v'", "100"])
    term = '"%s" %s %s' % (a, rng.choice(["=", "<", ">=", "<>"]), value)
    return ["SELECT * FROM %%s WHERE %s" % t for t in
            (term, '"%s" IS NULL' % a, '"%s" IN (1, 2, 3.5, \'v3\') OR %s' % (b, term))] + \
        ["SELECT count(*), min(\"%s\"), max(\"%s\") FROM %%s WHERE %s" % (a, b, t)
         for t in ("1", term)] + \
        ['SELECT "%s", count(*) FROM %%s GROUP BY 1' % a]


def compare(db, rng, lake, version):
    """The number of questions, and what was wrong."""
    names, rows = lake.snapshots[version]
    db.execute("DROP TABLE IF EXISTS temp.t")
    db.execute("DROP TABLE IF EXISTS temp.n")
    db.execute("CREATE VIRTUAL TABLE temp.t USING parquet('%s/x.ducklake', table='t', "
               "version=%d)" % (lake.folder, version))
    declared = [r[1] for r in db.execute("PRAGMA temp.table_info(t)")]
    db.execute("CREATE TEMP TABLE n(%s)" % ",".join('"%s"' % c for c in names))
    db.executemany("INSERT INTO n VALUES (%s)" % ",".join("?" * len(names)), rows)
    wrong = [] if declared == names else ["columns %s for %s" % (declared, names)]
    asked = ["SELECT * FROM %s"] + queries(rng, names)
    for q in asked:
        got, wanted = (sorted(map(repr, db.execute(q % x).fetchall())) for x in "tn")
        if got != wanted:
            wrong.append("version %d: %s\n  %s\n  wanted %s" % (
                version, q % "t", got[:9], wanted[:9]))
    return len(asked), wrong


def main():
    extension, seed, lakes, folder = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.enable_load_extension(True)
    db.load_extension(os.path.splitext(extension)[0])
    n_asked, n_rows, failed = 0, 0, 0
    for i in range(lakes):
        rng = random.Random("ducklake %s %d" % (seed, i))
        lake = Lake(rng, db, "%s/lake%d" % (folder, i))
        lake.save()
        for _ in range(rng.randrange(2, 12)):
            lake.step()
        lake.cat.close()
        for version in lake.snapshots:
            asked, wrong = compare(db, rng, lake, version)
            n_asked += asked
            n_rows += len(lake.snapshots[version][1])
            for w in wrong:
                failed += 1
                print("WRONG lake %d of seed %s, %s" % (i, seed, w))
    print("%d rows of %d lakes" % (n_rows, lakes))
    print("ducklakes (seed %s): %d passed, %d failed" % (seed, n_asked - failed, failed))
    return failed > 0 or n_rows == 0


sys.exit(main())
