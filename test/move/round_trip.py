#!/usr/bin/env python3
"""round_trip.py - databases go out by parquet_export and come back by parquet_import.

    round_trip.py SO FOLDER random N [SEED]   N databases of random schemas
    round_trip.py SO FOLDER FILE...           these databases

Equal is: the text of the schema, each cell with its storage class and its bytes, rowids,
AUTOINCREMENT, user_version, and PRAGMA integrity_check.  What cannot go out is an error
that names the table, and then nothing lies in the folder.
"""
import os
import random
import shutil
import sqlite3
import sys
import time

NOT_SQLITES = "name NOT LIKE 'sqlite~_%' ESCAPE '~'"


def connect(so, path):
    db = sqlite3.connect(path, isolation_level=None)
    db.text_factory = bytes
    db.enable_load_extension(True)
    db.load_extension(so)
    return db


def quoted(name):
    return '"%s"' % name.replace('"', '""')


def rows_of(db, name, kind, without_rowid):
    columns = [c[1].decode('utf-8', 'surrogateescape') for c in
               db.execute('SELECT * FROM pragma_table_xinfo(?)', (name,)) if c[6] != 1]
    rowid = [r for r in ('rowid', '_rowid_', 'oid')
             if r not in [c.lower() for c in columns]]
    cells = ['%s, typeof(%s), hex(CAST(%s AS BLOB))' % ((quoted(c),) * 3) for c in columns]
    if rowid and not without_rowid:
        cells.append(rowid[0])
    return sorted(db.execute('SELECT %s FROM %s' % (', '.join(cells) or '1', quoted(name.decode()))), key=repr)


def contents(db):
    out = {'schema': sorted(db.execute('SELECT type, name, tbl_name, sql FROM sqlite_schema '
                                       'WHERE ' + NOT_SQLITES), key=repr)}
    for name, kind, without_rowid in db.execute(
            "SELECT name, type, wr FROM pragma_table_list WHERE schema = 'main' AND type IN "
            "('table', 'virtual') AND " + NOT_SQLITES).fetchall():
        out[name] = rows_of(db, name, kind, without_rowid)
    if db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'").fetchone():
        out['sequence'] = sorted(db.execute('SELECT name, seq FROM sqlite_sequence'), key=repr)
    for pragma in 'encoding', 'user_version', 'application_id', 'integrity_check':
        out[pragma] = db.execute('PRAGMA ' + pragma).fetchall()
    return out


# ---- random databases ------------------------------------------------------------------

NAMES = ['a', 'B', 'order', 'a b', 'rowid', '_rowid_', 'oid', 'select', 'x"y', "it's", 'x.y',
         'ü', 'filename', 'a/b', '%', 'variant', 'list', 'c_1', 'id', 'key', '_x', '.y', '-', 'true',
         'metadata', 'value', '日本', 'a;b', '--', '/*', 'b\\', 'A' * 70]
TYPES = ['', 'INTEGER', 'INT', 'TEXT', 'REAL', 'BLOB', 'NUMERIC', 'DATE', 'DATETIME',
         'TIMESTAMP', 'BOOLEAN', 'BOOL', 'DECIMAL(10,2)', 'VARCHAR(20)', 'ANY', 'FLOAT',
         'CHARINT', 'POINT', 'JSON', 'UUID', 'UNSIGNED BIG INT', 'STRING']
STRICT = ['INTEGER', 'INT', 'TEXT', 'REAL', 'BLOB', 'ANY']


def value(r, likes):
    kind = r.choice(likes)
    if kind == 'null':
        return None
    if kind == 'int':
        return r.choice([0, 1, -1, 7, 2**31, 2**53, 2**53 + 1, -2**63, 2**63 - 1, r.randrange(100)])
    if kind == 'bool':
        return r.randrange(2)
    if kind == 'real':
        return r.choice([0.5, -1.25, 1e300, 5e-324, float('inf'), -float('inf'), 3.0, 2.0**60,
                         1e19, -0.0, 0.1, r.random()])
    if kind == 'date':
        return r.choice(['2024-02-29', '0000-01-01', '9999-12-31', '1969-12-31', '1582-10-10'])
    if kind == 'near date':
        return r.choice(['2024-02-30', '2024-2-1', '2024-02-29 ', '-001-01-01', '10000-01-01'])
    if kind == 'stamp':
        return r.choice(['2024-02-29 23:59:59', '0000-01-01 00:00:00', '9999-12-31 23:59:59',
                         '1969-12-31 23:59:58', '0001-01-01 00:00:01'])
    if kind == 'near stamp':
        return r.choice(['2024-02-29T23:59:59', '2024-02-29 23:59:60', '2024-02-29 23:59:5 ',
                         '2024-02-29 24:00:00', '2024-02-29 10:00:00.5'])
    if kind == 'text':
        return r.choice(['', 'x', 'a\0b', '12', '1.50', '{"a":1}', '[1]', 'null', '"x"', 'ü', '\U0001F600',
                         'x' * r.randrange(3000), ' ', '2024-01-01', '0x10', 'nan', 'NaN', 'Infinity', 'true'])
    if kind == 'odd':
        return OddText(r.choice([b'\xff', b'a\xc3', b'\xed\xa0\x80', b'{"hex":"00"}\xfe', b'\x80\0',
                                 b'\0\xd8A\0', b'\xd8\0\0A', b'\xfe\xff\xd8\0', b'\xff\xfe\xff\xff']))
    return r.choice([b'', b'\0', b'PAR1', b'\x01\0\0\x00', os.urandom(0) + bytes(r.randrange(256) for _ in range(20)),
                     b'text', b'x' * r.randrange(3000)])


class OddText(bytes):
    """A TEXT whose bytes are not UTF-8; of some, not UTF-16 either."""


KINDS = ['null', 'int', 'bool', 'real', 'date', 'near date', 'stamp', 'near stamp', 'text', 'blob', 'odd']


def likes_of(r):
    return r.choice([['int'], ['real'], ['int', 'real'], ['text'], ['blob'], ['bool'], ['date'],
                     ['stamp'], ['date', 'near date'], ['stamp', 'near stamp'], ['int', 'null'],
                     ['null'], ['text', 'null'], ['text', 'odd'], ['odd', 'int', 'blob', 'null'],
                     ['bool', 'null'], ['date', 'null'], KINDS, ['int', 'text'], ['real', 'null', 'text'],
                     ['text', 'blob']])


def insert(db, r, table, columns, likes, verb='INSERT OR IGNORE'):
    values = [value(r, like) for like in likes]
    # not bound: SQLite takes what is bound for UTF-8, and makes UTF-16 of it
    marks = ["CAST(x'%s' AS TEXT)" % v.hex() if isinstance(v, OddText) else '?' for v in values]
    try:
        db.execute('%s INTO %s(%s) VALUES (%s)' % (
            verb, quoted(table), ', '.join(map(quoted, columns)), ', '.join(marks)),
            [v for v in values if not isinstance(v, OddText)])
    except sqlite3.Error:
        pass                          # STRICT, CHECK: another row then


def make_table(db, r, table):
    names = r.sample(NAMES, r.randrange(1, 8))
    if len({n.lower() for n in names}) < len(names):
        names = ['c%d' % i for i in range(3)]
    strict = r.random() < 0.2
    types = [r.choice(STRICT if strict else TYPES) for _ in names]
    parts = ['%s %s' % (quoted(n), t) for n, t in zip(names, types)]
    likes = [likes_of(r) for _ in names]
    without = False
    key = r.random()
    if key < 0.2:
        parts[0] = quoted(names[0]) + ' INTEGER PRIMARY KEY' + r.choice(['', ' AUTOINCREMENT', ' DESC'])
        likes[0] = ['int', 'null']
    elif key < 0.4:
        without = r.random() < 0.5
        parts.append('PRIMARY KEY (%s)' % ', '.join(map(quoted, names[:2])))
        if without:
            likes[:2] = [['int'], ['text'], ['blob'], KINDS[1:]][r.randrange(4):][:1] * len(likes[:2])
    if r.random() < 0.2:
        parts[-1:-1] = ['%s%s AS (%s || 1)%s' % (quoted('made'), ' TEXT' if strict else '', quoted(names[0]),
                                               r.choice(['', ' STORED']))]
    if r.random() < 0.1:
        parts.append('CHECK (%s IS NOT 77)' % quoted(names[-1]))
    end = ', '.join(['STRICT'] * strict + ['WITHOUT ROWID'] * without)
    # constraints come last
    parts.sort(key=lambda p: p.startswith(('PRIMARY KEY', 'CHECK')))
    db.execute('CREATE TABLE %s(%s)%s' % (quoted(table), ', '.join(parts), end))
    for _ in range(r.choice([0, 1, 2, 20, 200])):
        insert(db, r, table, names, likes)
    if r.random() < 0.3:
        db.execute('DELETE FROM %s WHERE abs(random()) %% 3 = 0' % quoted(table))
    if r.random() < 0.2:
        # STRICT does not look at a default
        default = 'NULL' if strict else r.choice(['5', '5.0', "'x'", "x'00'", 'NULL'])
        try:
            db.execute("ALTER TABLE %s ADD COLUMN added %s DEFAULT %s" % (
                quoted(table), r.choice(STRICT if strict else TYPES), default))
        except sqlite3.Error:
            pass
    if r.random() < 0.3:
        db.execute('CREATE %sINDEX %s ON %s(%s)%s' % (
            '', quoted('i ' + table), quoted(table), quoted(names[-1]),
            r.choice(['', ' WHERE %s IS NOT NULL' % quoted(names[0])])))
    if r.random() < 0.2:
        db.execute('CREATE VIEW %s AS SELECT * FROM %s%s' % (
            quoted('v ' + table), quoted(table), r.choice(['', ' -- it; is', ' /* x */'])))
    if r.random() < 0.2:
        db.execute("CREATE TRIGGER %s AFTER INSERT ON %s BEGIN SELECT raise(FAIL, 'no; never'); END" % (
            quoted('t ' + table), quoted(table)))


def has_modules(db):
    names = {name for name, in db.execute("SELECT name FROM pragma_module_list")}
    return {b'fts4', b'fts5', b'rtree'} <= names


def make_virtual(db, r):
    if not has_modules(db):
        return
    if r.random() < 0.3:
        db.execute("CREATE VIRTUAL TABLE words USING fts5(title, 'a b'%s)" % r.choice(['', ', prefix=2']))
        for i in range(r.randrange(30)):
            db.execute("INSERT INTO words(rowid, title) VALUES (?, ?)", (i * i + 1, 'word %d' % i))
    if r.random() < 0.3:
        db.execute('CREATE VIRTUAL TABLE boxes USING %s(id, x0, x1, +note)' % r.choice(['rtree', 'rtree_i32']))
        for i in range(r.randrange(30)):
            db.execute('INSERT INTO boxes VALUES (?, ?, ?, ?)', (i * 7, i / 7, i / 3 + 1, 'n' * i))
    if r.random() < 0.2:
        db.execute('CREATE TABLE texts(id INTEGER PRIMARY KEY, body)')
        db.execute("CREATE VIRTUAL TABLE of_texts USING fts5(body, content='texts', content_rowid='id')")
        db.execute("INSERT INTO texts VALUES (1, 'one'), (3, 'three')")
        db.execute("INSERT INTO of_texts(of_texts) VALUES ('rebuild')")
        if r.random() < 0.5:
            db.execute("CREATE TABLE kept(day DATE, n)")
            db.execute("CREATE VIRTUAL TABLE old USING fts4(x)")
            db.execute("INSERT INTO old(docid, x) VALUES (7, 'seven')")


def make(so, path, seed):
    r = random.Random(seed)
    db = connect(so, path)
    db.execute('PRAGMA encoding = "%s"' % r.choice(['UTF-8', 'UTF-8', 'UTF-16le', 'UTF-16be']))
    db.execute('PRAGMA page_size = %d' % r.choice([512, 4096]))
    db.execute('PRAGMA recursive_triggers = off')
    if r.random() < 0.5:
        db.execute('PRAGMA user_version = %d' % r.randrange(1000))
        db.execute('PRAGMA application_id = %d' % r.randrange(1000))
    for table in r.sample(NAMES, r.randrange(0, 6)):
        if not db.execute('SELECT 1 FROM sqlite_schema WHERE name = ? COLLATE NOCASE', (table,)).fetchone():
            make_table(db, r, table)
    make_virtual(db, r)
    db.close()


# ---- one database ----------------------------------------------------------------------

def round_trip(so, folder, source):
    """What is wrong; None: nothing."""
    out, back = os.path.join(folder, 'out'), os.path.join(folder, 'back.db')
    shutil.rmtree(out, ignore_errors=True)
    if os.path.exists(back):
        os.unlink(back)
    db = connect(so, source)
    seen = []
    db.create_function('seen', 4, lambda *told: seen.append(told))
    try:
        db.execute("""SELECT parquet_export(?, '{"progress": "seen"}')""", (out,)).fetchall()
        if [s[0] for s in seen] != sorted(s[0] for s in seen) or seen[-1][0] != seen[-1][3]:
            return 'progress: %s' % seen
    except sqlite3.Error as e:
        return 'export: %s%s' % (e, '; files are left' if os.path.exists(out) else '')
    again = connect(so, back)
    try:
        again.execute("""SELECT parquet_import(?, '{"trust_schema": true}')""", (out,)).fetchall()
    except sqlite3.Error as e:
        left = again.execute('SELECT count(*) FROM sqlite_schema').fetchone()[0]
        return 'import: %s%s' % (e, '; something is left' if left or again.in_transaction else '')
    wanted, got = contents(db), contents(again)
    for what in sorted(set(wanted) | set(got), key=repr):
        if wanted.get(what) != got.get(what):
            return '%s: %s' % (what, difference(wanted.get(what), got.get(what)))
    return None


def difference(wanted, got):
    if not isinstance(wanted, list) or not isinstance(got, list):
        return 'wanted %.300s, got %.300s' % (wanted, got)
    for w, g in zip(wanted, got):
        if w != g:
            cells = [(a, b) for a, b in zip(w, g) if a != b]
            return 'wanted %.300s, got %.300s, in %.300s' % (cells[0][0], cells[0][1], w)
    return 'wanted %d rows, got %d' % (len(wanted), len(got))


def main():
    so, folder, what = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    passed = failed = 0
    if what == 'random':
        first = int((sys.argv[5:] + [int(time.time())])[0])
        sources = range(first, first + int(sys.argv[4]))
    else:
        sources = sys.argv[3:]
    for source in sources:
        path = source
        if what == 'random':
            path = os.path.join(folder, 'source.db')
            if os.path.exists(path):
                os.unlink(path)
            make(so, path, source)
        wrong = round_trip(so, folder, path)
        passed += wrong is None
        if wrong:
            failed += 1
            print('FAIL: %s: %s' % (source, wrong), flush=True)
    print('round-trip: %d passed, %d failed, 0 skipped' % (passed, failed))
    sys.exit(failed > 0)


if __name__ == '__main__':
    main()
