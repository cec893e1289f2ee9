"""DuckLakes that are written by our functions in random calls, against a model in Python:
what each version of the table holds, and the id of each row.

A call appends, overwrites, deletes or compacts, perhaps in a transaction that is rolled back
with a row of the user.  Between calls another program puts rows into the catalog.  Lakes are
partitioned, encrypted, attached, or not.

Usage: lake_writes.py EXTENSION SEED LAKES FOLDER
The last line has the counts.
"""
import json
import os
import random
import sqlite3
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CONDITIONS = [("id % 7 = 3", lambda i, k: i % 7 == 3), ("k = 1", lambda i, k: k == 1),
              ("id % 5 = 1 OR k IS NULL", lambda i, k: i % 5 == 1 or k is None),
              ("t.id > 60 AND k < 3", lambda i, k: i > 60 and k is not None and k < 3),
              ("1 = 1", lambda i, k: True), ("id < 0", lambda i, k: False)]


class Lake:
    def __init__(self, rng, db, folder):
        self.rng, self.db, self.folder, self.path = rng, db, folder, folder + "/x.lake"
        self.rows, self.ids, self.next, self.wrong = {}, {}, 1, []
        self.versions = {1: {}}
        os.makedirs(folder)
        self.cat = cat = sqlite3.connect(self.path, isolation_level=None)
        with open(HERE + "/../../tcl/ducklake.sql") as f:
            cat.executescript(f.read())
        cat.executescript("""
            INSERT INTO ducklake_metadata VALUES ('version', '1.0', NULL, NULL),
                ('data_path', '%s/files/', NULL, NULL), ('encrypted', '%s', NULL, NULL);
            INSERT INTO ducklake_schema VALUES (0, 'u', 0, NULL, 'main', 'main/', 1);
            INSERT INTO ducklake_snapshot VALUES (1, 't', 1, 2, 0);
            INSERT INTO ducklake_table VALUES (1, 'u', 1, NULL, 0, 't', 't/', 1);
            INSERT INTO ducklake_column VALUES
                (1, 1, NULL, 1, 1, 'id', 'int64', NULL, 'NULL', 1, NULL, NULL, NULL),
                (2, 1, NULL, 1, 2, 'k', 'int32', NULL, 'NULL', 1, NULL, NULL, NULL);
            CREATE TABLE ducklake_inlined_data_1_1(row_id, begin_snapshot, end_snapshot, id, k);
            INSERT INTO ducklake_inlined_data_tables VALUES (1, 'ducklake_inlined_data_1_1', 1);
            """ % (folder, rng.choice(["true", "false", "false"])))
        if rng.random() < .3:
            cat.executescript("""INSERT INTO ducklake_partition_info VALUES (5, 1, 1, NULL);
                INSERT INTO ducklake_partition_column VALUES (5, 1, 0, 2, 'identity')""")
        self.attached = rng.random() < .6
        if self.attached:
            db.execute("ATTACH ? AS lake", (self.path,))

    def close(self):
        if self.attached:
            self.db.execute("DETACH lake")
        self.cat.close()

    def call(self, sql, *options):
        return self.db.execute(sql, options).fetchone()[0]

    def some_rows(self, n):
        self.next += n
        return [(self.next - n + i, self.rng.choice([None, 0, 1, 2, 3])) for i in range(n)]

    def copy(self, how):
        rows = self.some_rows(self.rng.choice([0, 1, 3, 10, 40]))
        self.call("SELECT parquet_copy_to(?, ?, ?)",
                  "SELECT value ->> 0 AS id, value ->> 1 AS k FROM json_each('%s')" %
                  json.dumps(rows), self.path,
                  json.dumps({"lake": how, "table": "t", "threads": 0,
                              "file_rows": self.rng.choice([2, 7, 1000])}))
        if how == "overwrite":
            self.rows = {}
        self.rows.update(rows)
        return True

    def delete(self):
        text, test = self.rng.choice(CONDITIONS)
        gone = [i for i, k in self.rows.items() if test(i, k)]
        n = self.call("SELECT parquet_delete(?, ?, '{\"table\": \"t\"}')", self.path, text)
        if n != len(gone):
            self.wrong.append("%s: %d rows, wanted %d" % (text, n, len(gone)))
        for i in gone:
            del self.rows[i]
        return n > 0

    def compact(self):
        said = self.call("SELECT parquet_compact(?, ?)", self.path, json.dumps(
            {"table": "t", "threads": 0, "file_bytes": self.rng.choice([1500, 4000, 1 << 20])}))
        return json.loads(said)["written"] > 0

    def by_another(self):
        """Rows in the catalog, as other programs put them there."""
        stats = self.cat.execute("SELECT next_row_id FROM ducklake_table_stats").fetchone()
        if not stats:
            return False
        now = max(self.versions) + 1
        rows = self.some_rows(self.rng.randrange(1, 5))
        self.cat.execute("BEGIN")
        self.cat.execute("INSERT INTO ducklake_snapshot SELECT ?, 't', 1, 2, next_file_id FROM "
                         "ducklake_snapshot ORDER BY snapshot_id DESC LIMIT 1", (now,))
        self.cat.executemany("INSERT INTO ducklake_inlined_data_1_1 VALUES (?, ?, NULL, ?, ?)",
                             [(stats[0] + i, now) + row for i, row in enumerate(rows)])
        self.cat.execute("UPDATE ducklake_table_stats SET next_row_id = next_row_id + ?", (len(rows),))
        self.cat.execute("COMMIT")
        self.rows.update(rows)
        return True

    def rolled_back(self):
        if not self.attached:
            return False
        before, n = dict(self.rows), self.next
        self.db.execute("BEGIN")
        self.db.execute("INSERT INTO users VALUES (1)")
        for call in self.rng.sample([lambda: self.copy("append"), self.delete, self.compact], 2):
            call()
        self.db.execute("ROLLBACK")
        self.rows, self.next = before, n
        return False

    def step(self):
        if self.rng.choice([lambda: self.copy("append")] * 4 + [lambda: self.copy("overwrite")] +
                           [self.delete] * 3 + [self.compact] * 2 + [self.by_another] * 2 +
                           [self.rolled_back] * 2)():
            self.versions[max(self.versions) + 1] = dict(self.rows)

    def table(self, options):
        self.db.execute("DROP TABLE IF EXISTS temp.t")
        self.db.execute("CREATE VIRTUAL TABLE temp.t USING parquet('%s', table='t', %s)" %
                        (self.path, options))

    def check(self, version):
        self.table("version=%d" % version)
        got = self.db.execute("SELECT id, k FROM t").fetchall()
        wanted = self.versions[version]
        if len(got) != len(wanted) or dict(got) != wanted:
            self.wrong.append("version %d: %s\n  wanted %s" % (
                version, sorted(got)[:20], sorted(wanted.items())[:20]))

    def check_ids(self):
        """A row keeps its id wherever it lies."""
        first = {"%s/files/main/t/%s" % (self.folder, p): n for p, n in self.cat.execute(
            "SELECT path, row_id_start FROM ducklake_data_file WHERE end_snapshot IS NULL")}
        self.table("row_ids=on")
        ids = [(i, r if r is not None else first[f] + n) for i, r, f, n in self.db.execute(
            "SELECT id, _ducklake_internal_row_id, filename, file_row_number FROM t")]
        for i, row in ids:
            if self.ids.setdefault(i, row) != row:
                self.wrong.append("row %d has the id %d, and had %d" % (i, row, self.ids[i]))
        if len({row for _, row in ids}) < len(ids):
            self.wrong.append("rows with the same id")


def main():
    extension, seed, lakes = sys.argv[1], sys.argv[2], int(sys.argv[3])
    folder = os.path.abspath(sys.argv[4])
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.enable_load_extension(True)
    db.load_extension(os.path.splitext(extension)[0])
    db.execute("CREATE TABLE users(n)")
    n_asked, failed = 0, 0
    for i in range(lakes):
        lake = Lake(random.Random("lake_writes %s %d" % (seed, i)), db, "%s/lake%d" % (folder, i))
        for _ in range(lake.rng.randrange(5, 30)):
            lake.step()
            lake.check(max(lake.versions))
            lake.check_ids()
            n_asked += 1
        for version in lake.versions:
            lake.check(version)
            n_asked += 1
        db.execute("DROP TABLE temp.t")
        lake.close()
        for w in lake.wrong:
            failed += 1
            print("WRONG lake %d of seed %s, %s" % (i, seed, w))
    if db.execute("SELECT count(*) FROM users").fetchone()[0]:
        failed += 1
        print("WRONG: rows of the user that were rolled back")
    print("lake_writes (seed %s): %d passed, %d failed" % (seed, n_asked - failed, failed))
    return failed > 0


sys.exit(main())
