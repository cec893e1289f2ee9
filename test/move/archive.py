#!/usr/bin/env python3
"""archive.py - rows go into archives, come back and are dropped, and none is lost.

    archive.py SO FOLDER random N [SEED]   N databases, each with random calls
    archive.py SO FOLDER kill N [SEED]     N processes that are killed in a call
    archive.py SO FOLDER far N [SEED]      likewise, and the archive is in a bucket

random: after each call the view over the table and its archive has the rows of a model,
with their classes and bytes, and so it has for another connection.

kill: a call is killed before one of its statements, the next call before a later one, and
some at a random moment.  The next process finds each row in exactly one place, also after it
has called again, and then no file that is not entered.

far: a call is killed, or the server has a fault (test/remote/proxy.mjs), at one of the call's
requests.  The rest is the same.
"""
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.request

TABLES = [
    ('CREATE TABLE "a b"(id INTEGER PRIMARY KEY AUTOINCREMENT, ts TEXT, x NUMERIC, y, z DATE)', 'rowid'),
    ('CREATE TABLE "a b"(id INTEGER PRIMARY KEY AUTOINCREMENT, ts DATETIME, x DATE, y TIMESTAMP, z NUMERIC)', 'rowid'),
    ('CREATE TABLE "a b"(id, ts, x INT, y DOUBLE, z VARCHAR(9))', 'rowid'),
    ('CREATE TABLE "a b"(id INT, ts DATETIME, x REAL, y BLOB, z TEXT COLLATE NOCASE)', 'rowid'),
    ('CREATE TABLE "a b"(id TEXT, ts INTEGER, x BOOLEAN, y TEXT, z, PRIMARY KEY (id, ts)) WITHOUT ROWID', None),
    ('CREATE TABLE "a b"(id INTEGER, ts INTEGER, x REAL, y ANY, z ANY) STRICT', 'rowid'),
    ('CREATE TABLE "a b"(id INTEGER PRIMARY KEY, ts INT, x NUMERIC, y AS (x || id), z DECIMAL(9,2))', 'rowid'),
]
SEALED = '"encryption": {"footer_key": "kf"}'
CONDITIONS = ['ts < %d', 'id %% 3 = %d', 'x IS NULL OR ts > %d', 'random() %% 2 = 0 AND id <> %d',
              "typeof(y) = 'text' OR id = %d", 'ts BETWEEN 3 AND %d', '1 OR %d', 'z > %d']


def connect(so, path):
    db = sqlite3.connect(path, isolation_level=None, timeout=10)
    db.enable_load_extension(True)
    db.load_extension(so)
    db.execute("SELECT parquet_key('kf', zeroblob(16))").fetchall()
    db.execute(SECRET).fetchall()
    return db


SECRET = 'SELECT 1'                   # of a server
server = None


def serve(folder):
    """Folders of the folder are buckets."""
    global server, SECRET
    proxy = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../remote/proxy.mjs')
    process = subprocess.Popen(['node', proxy, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    server = process.stdout.readline().decode().strip()
    SECRET = """SELECT parquet_secret('s3://work/', '{"key_id": "k", "secret": "s", "endpoint": "%s", "url_style": "path",
                                                      "use_ssl": false}')""" % server[len('http://'):]


def tell_server(**what):
    """From now on; returns the number of faults until now."""
    counts = json.loads(urllib.request.urlopen(server + '/.count').read())
    urllib.request.urlopen(server + '/.set?' + '&'.join('%s=%s' % w for w in what.items())).read()
    return counts['faults']


def value(r):
    return r.choice([None, r.randrange(10), r.randrange(10) / 2, 2**53 + r.randrange(3), 'x%d' % r.randrange(9),
                     '', '17', '2024-01-%02d' % r.randrange(1, 31), '2024-01-02 03:04:05', b'\x00\xff', b'', 1e300,
                     -0.0, True, 9.5, 'ü', 4.0, '1.50', float('inf')])


def plain(r):
    return r.choice([None, 1, 2, 7])


# Columns of one class: texts, dates and BLOBs in a column of numbers, too.
KINDS = [value, value, plain, plain,
         lambda r: r.choice([None, '2024-01-%02d' % r.randrange(1, 31)]),
         lambda r: '2024-01-%02d 03:04:05' % r.randrange(1, 31),
         lambda r: r.choice([None, 'x%d' % r.randrange(9), '', 'ü', '2024-01-02']),
         lambda r: r.choice(['5', '17', '1.50', 'x', '5.0', ' 5']),
         lambda r: r.choice([None, 5, 'x3', 4.5, '17']),
         lambda r: r.choice([b'', b'\x00\xff', b'5']),
         lambda r: r.choice([None, r.randrange(20) / 2, 1e300, -0.0])]


def columns(db):
    return [c[1] for c in db.execute('PRAGMA table_xinfo("a b")') if c[6] == 0]


def insert(db, r, n):
    names = columns(db)
    kinds = [r.choice(KINDS) for _ in names]
    for _ in range(n):
        row = [k(r) for k in kinds]
        row[1] = r.randrange(12)
        if r.random() < 0.7:
            row[0] = None if 'PRIMARY' in db.sql and 'rowid' == db.key else r.randrange(1000)
        try:
            db.db.execute('INSERT INTO "a b"(%s) VALUES (%s)' % (','.join('"%s"' % n for n in names),
                                                                ','.join('?' * len(names))), row)
        except sqlite3.Error:
            pass                      # STRICT, a key that is there


def rows(db, table):
    names = [c[1] for c in db.execute('PRAGMA table_xinfo("a b")') if c[6] != 1]
    cells = ', '.join('typeof("%s"), CASE typeof("%s") WHEN \'real\' THEN printf(\'%%.17g\', "%s") ELSE hex("%s") END' % ((n,) * 4)
                      for n in names)
    return sorted(db.execute('SELECT %s FROM %s' % (cells, table)).fetchall(), key=repr)


class Named:
    """A connection, with what its table is."""
    def __init__(self, db, sql, key):
        self.db, self.sql, self.key = db, sql, key

    def execute(self, *a):
        return self.db.execute(*a)


def files(folder):
    names = sorted(os.path.join(d, f) for d, _, fs in os.walk(folder) for f in fs)
    return ['s3://work' + n[len(os.path.dirname(folder)):] for n in names] if server else names


def check(db, folder, wanted, what):
    got = rows(db, '"a b_all"')
    if got != wanted:
        missing = [w for w in wanted if w not in got]
        more = [g for g in got if g not in wanted]
        return '%s: %d rows, wanted %d; missing %.300s; more %.300s' % (what, len(got), len(wanted), missing, more)
    entered = sorted(p for p, in db.execute('SELECT path FROM parquet_archive_files WHERE rows IS NOT NULL'))
    if entered != files(folder):
        return '%s: entered %.300s, there %.300s' % (what, entered, files(folder))
    return None


def operand(r):
    return r.choice(["'2024'", "'2024-01-1'", "'2024-01-12'", "'2024-01-02 03:04:05'", '20240112', "'5'", "'5.0'", "' 5'", "'17'",
                     "'1.5'", "'x3'", "'x'", "''", "'1e3'", '5', '7.5', '4.0', '2', '1', '-0.0', '1e300', '9e999', 'NULL', "x'00ff'", "x''",
                     'CAST(5 AS TEXT)', "CAST('5' AS INTEGER)", '9007199254740993', "'9007199254740993'"])


def condition(r, names):
    """On columns of the table v; each may be planned in another way."""
    column, other = ('v."%s"' % r.choice(names) for _ in range(2))
    return r.choice([
        lambda: '%s %s %s' % (column, r.choice(['=', '<', '<=', '>', '>=', '<>', 'IS', 'IS NOT']), operand(r)),
        lambda: '%s %s %s' % (column, r.choice(['=', '<', '>=']), operand(r)),
        lambda: '%s BETWEEN %s AND %s' % (column, operand(r), operand(r)),
        lambda: '%s %sIN (%s)' % (column, r.choice(['', '', 'NOT ']), ', '.join(operand(r) for _ in range(r.randrange(1, 5)))),
        lambda: '%s IN (SELECT %s FROM temp.others)' % (column, r.choice('nta')),
        lambda: "%s %s '%s'" % (column, r.choice(['LIKE', 'GLOB']), r.choice(['2024%', '2024*', 'x*', 'x%', '5', '1%', '1*'])),
        lambda: '%s %s NULL' % (column, r.choice(['IS', 'IS NOT'])),
        lambda: '%s %s %s' % (column, r.choice(['=', '<', '>=']), other),
        lambda: 'EXISTS (SELECT 1 FROM temp.others AS o WHERE o.%s %s %s)' % (r.choice('nta'), r.choice(['=', '<', 'IS']), column),
        lambda: '(%s = %s OR %s = %s)' % (column, operand(r), other, operand(r))])()


def question(r, names):
    """A query of {table} with one answer, whatever the order of rows."""
    where = ' AND '.join(condition(r, names) for _ in range(r.choice([1, 1, 2])))
    column = 'v."%s"' % r.choice(names)
    cell = "CASE WHEN typeof({0}) IN ('text', 'blob') THEN typeof({0}) || hex({0}) ELSE {0} + 0.0 END".format    # 0 or -0.0
    return r.choice([
        'SELECT count(*), min(v.ts), max(v.ts) FROM {table} AS v WHERE %s' % where,
        'SELECT %s, %s FROM {table} AS v WHERE %s' % (cell('min(%s)' % column), cell('max(%s)' % column), where),
        'SELECT o.rowid, count(*) FROM temp.others AS o JOIN {table} AS v ON %s %s o.%s WHERE %s GROUP BY 1 ORDER BY 1' % (
            column, r.choice(['=', '=', '<', '>=']), r.choice('nta'), r.choice(['1', where])),
        'SELECT %s, count(*) FROM {table} AS v WHERE %s GROUP BY %s ORDER BY 1, 2' % (cell(column), where, column),
        'SELECT %s FROM {table} AS v WHERE %s ORDER BY %s LIMIT 5' % (cell(column), where, column)])


def compare_conditions(db, r):
    """A query of the view finds what it finds in a native copy."""
    names = ', '.join('"%s"' % n for n in columns(db))
    db.execute('DROP TABLE IF EXISTS temp.native')
    db.execute(db.sql.replace('"a b"', 'temp.native'))
    db.execute('INSERT INTO temp.native(%s) SELECT %s FROM "a b_all"' % (names, names))
    db.execute('DROP TABLE IF EXISTS temp.others')
    db.execute('CREATE TABLE temp.others(n NUMERIC, t TEXT, a)')
    for _ in range(4):
        db.execute('INSERT INTO temp.others VALUES (%s, %s, %s)' % (operand(r), operand(r), operand(r)))
    all_names = [c[1] for c in db.execute('PRAGMA table_xinfo("a b")') if c[6] != 1]
    for _ in range(25):
        text = question(r, all_names)
        native, view = (db.execute(text.replace('{table}', t)).fetchall() for t in ('temp.native', '"a b_all"'))
        if native != view:
            return '%s: native %.200s, view %.200s' % (text.replace('{table}', '"a b_all"'), native, view)
    return None


def one_random(so, folder, seed):
    r = random.Random(seed)
    path, cold = os.path.join(folder, 'a.db'), os.path.join(folder, r.choice(['cold', "c'[o]*ld", 'c/o/l d']))
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    sql, key = r.choice(TABLES)
    db = Named(connect(so, path), sql, key)
    db.execute('PRAGMA encoding = "%s"' % r.choice(['UTF-8', 'UTF-8', 'UTF-16le']))
    if r.random() < 0.5:
        db.execute('PRAGMA journal_mode = wal').fetchall()
    db.execute(sql)
    insert(db, r, r.choice([3, 30, 300]))
    other = None
    for step in range(r.randrange(2, 9)):
        before = rows(db, '"a b_all"') if step else rows(db, '"a b"')
        condition = r.choice(CONDITIONS) % r.randrange(12)
        call = r.choice(['archive', 'archive', 'restore', 'drop', 'insert']) if step else 'archive'
        options = {'batch': ['', '"batch": %d' % r.randrange(30, 200)][r.random() < 0.3],
                   'by': ['', '"partition_by": ["ts"]'][r.random() < 0.3],
                   'codec': ['', '"compression": "snappy"'][r.random() < 0.3],
                   'sealed': ['', SEALED][r.random() < 0.3]}
        text = '{%s}' % ', '.join(v for v in options.values() if v)
        wanted = before
        try:
            if call == 'archive':
                db.execute('SELECT parquet_archive(?, ?, ?, ?)', ('a b', condition, cold, text)).fetchall()
            elif call == 'restore':
                db.execute('SELECT parquet_restore(?, ?, ?)', ('a b', condition, '{%s}' % options['sealed'])).fetchall()
            elif call == 'insert':
                insert(db, r, 20)
                wanted = None
            elif 'random' not in condition:
                keep = []
                for f, in db.execute('SELECT path FROM parquet_archive_files WHERE rows IS NOT NULL').fetchall():
                    keep.append(f)
                n = db.execute("SELECT parquet_archive_drop(?, ?) ->> 'rows'", ('a b', condition)).fetchone()[0]
                wanted = rows(db, '"a b_all"')
                if len(wanted) != len(before) - n or any(w not in before for w in wanted):
                    return 'step %d: drop of %d rows: %d before, %d after' % (step, n, len(before), len(wanted))
        except sqlite3.Error as e:
            if call == 'restore' and ('constraint failed' in str(e) or 'option encryption has to say' in str(e)):
                continue              # an INSERT has taken a key meanwhile
            if 'not UTF-8' in str(e):
                if not step:
                    return None       # there is nothing to compare with
            else:
                return 'step %d: %s %s %s: %s' % (step, call, condition, text, e)
        wrong = check(db, cold, wanted if wanted is not None else rows(db, '"a b_all"'),
                      'step %d: %s %s %s' % (step, call, condition, text))
        if wrong:
            return wrong
        try:
            wrong = compare_conditions(db, r)
        except sqlite3.IntegrityError:
            pass                      # the key of a row that moved out was given again
        if wrong:
            return 'step %d: %s' % (step, wrong)
        if other is None:
            other = connect(so, path)
        if rows(other, '"a b_all"') != rows(db, '"a b_all"'):
            return 'step %d: another connection sees other rows' % step
    return db.execute('PRAGMA integrity_check').fetchone()[0].replace('ok', '') or None


# ---- killed ----------------------------------------------------------------------------

CALLS = ["SELECT parquet_archive('a b', 'ts < 6', '%s', '{\"batch\": 150}')",
         "SELECT parquet_archive('a b', 'ts < 9', '%s', '{\"partition_by\": [\"ts\"]}')",
         "SELECT parquet_restore('a b', 'ts %% 2 = 0') -- '%s'",
         "SELECT parquet_archive_drop('a b', 'ts < 3') -- '%s'"]

CHILD = '''
import os, sqlite3, sys
so, path, sql, k, secret = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5]
db = sqlite3.connect(path, isolation_level=None)
db.enable_load_extension(True)
db.load_extension(so)
db.execute(secret).fetchall()
n = times = 0
last = ''
def before(statement):
    global n, times, last
    times = times + 1 if statement[:20] == last else 0
    last = statement[:20]
    n += times < 3                   # of a statement that is run for many rows
    if n == k and times < 3:
        os.kill(os.getpid(), 9)
db.set_trace_callback(before)
print('ready', flush=True)
sys.stdin.read()
print(db.execute(sql).fetchall(), n)
'''


def killed(so, folder, template, sql, k, r, wal):
    """What is wrong; None: nothing.  And whether the call came to its end."""
    path, cold = os.path.join(folder, 'a.db'), os.path.join(folder, 'cold')
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(template, folder, symlinks=True)
    db = connect(so, path)
    db.execute('PRAGMA journal_mode = %s' % ('wal' if wal else 'delete')).fetchall()
    before = rows(db, '"a b_all"')
    db.close()
    where = 's3://work/cold' if server else cold
    child = subprocess.Popen([sys.executable, '-c', CHILD, so, path, sql % where, str(0 if server else k), SECRET],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    child.stdout.readline()
    fault = None
    if server and k > 0:
        fault = r.choice(['kill', 'kill', 'kill', 'lost', '403', 'reset', '503', 'cut', 'less', 'error'])
        tell_server(fault=fault, after=k - 1, times=1 if fault in ('kill', 'lost') else 99, to=child.pid)
    child.stdin.close()
    if k < 0:
        time.sleep(r.random() * (0.4 if server else 0.12))
        child.send_signal(signal.SIGKILL)
    child.stdin = None
    _, err = child.communicate()
    ended = tell_server() == 0 if server else child.returncode == 0
    if child.returncode not in (0, -9) and fault in (None, 'kill'):
        return 'the call failed: %s' % err.decode()[-300:], True
    db = connect(so, path)
    after = rows(db, '"a b_all"')
    dropping = 'drop' in sql
    if after != before and not (dropping and len(after) < len(before) and all(a in before for a in after)):
        return 'killed at %d: %d rows, there were %d' % (k, len(after), len(before)), ended
    if dropping:
        before = after
    db.execute("SELECT parquet_archive('a b', 'ts = 10', ?)", (where,)).fetchall()
    return check(db, cold, before, 'killed at %d, and called again' % k), ended


def main():
    so, folder, what, n = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    first = int((sys.argv[5:] + [int(time.time())])[0])
    failed = passed = 0
    if what == 'random':
        for seed in range(first, first + n):
            wrong = one_random(so, os.path.join(folder, 'random'), seed)
            passed += wrong is None
            failed += wrong is not None
            if wrong:
                print('FAIL: %d: %s' % (seed, wrong), flush=True)
    else:
        r = random.Random(first)
        if what == 'far':
            serve(folder)
        template, work = os.path.join(folder, 'template'), os.path.join(folder, 'work')
        k, calls = 1, list(CALLS)
        for i in range(n):
            if i % 50 == 0:
                shutil.rmtree(template, ignore_errors=True)
                os.makedirs(os.path.join(template, 'cold'))
                # paths of an archive are absolute, so the template is made where it is used
                shutil.rmtree(work, ignore_errors=True)
                os.makedirs(work)
                db = Named(connect(so, os.path.join(work, 'a.db')), *TABLES[0])
                db.execute(db.sql)
                insert(db, r, 400)
                db.execute("SELECT parquet_archive('a b', 'ts < 4', ?)", ('s3://work/cold' if server else os.path.join(work, 'cold'),)).fetchall()
                db.db.close()
                shutil.rmtree(template)
                shutil.copytree(work, template)
            by_chance = r.random() < 0.3 or not calls
            sql = r.choice(CALLS) if by_chance else calls[0]
            wrong, ended = killed(so, work, template, sql, -1 if by_chance else k, r, r.random() < 0.5)
            passed += wrong is None
            failed += wrong is not None
            if wrong:
                print('FAIL: %d: %s: %s' % (first, sql, wrong), flush=True)
            if not by_chance:
                k += r.randrange(1, 1 + max(2, (1000 if server else 1500) // n))
                if ended:
                    calls.pop(0)
                    k = 1
        if calls:
            failed += 1
            print('FAIL: %d rounds are too few to kill all calls: %s are left' % (n, calls))
    print('archive: %d passed, %d failed, 0 skipped' % (passed, failed))
    sys.exit(failed > 0)


if __name__ == '__main__':
    main()
