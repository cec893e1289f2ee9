#!/usr/bin/env python3
"""faults.py - requests that fail, and objects that are replaced between requests.

    faults.py SO FOLDER each             each request of each statement fails once, in
                                         each way; at each one its object is replaced
    faults.py SO FOLDER random SEED      random statements, while requests fail by
                                         chance and objects are replaced, for SECONDS

What passes (a reset, a cut body, 429, 503, ...) is asked for again, so the rows are
right.  Anything else is right rows of one version, or an error that names the URL.
Afterwards the same connection gives right rows.  A statement that takes longer than
WATCHDOG seconds hangs, and is killed.
"""
import json
import multiprocessing
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
WATCHDOG = 150
WORKERS = 4
PASSES = 'reset cut 429 500 502 503 504 408 chunked'.split()
REFUSED = ('etag noetag weak less more range total absurd norange whole suffix gzip garbage headers '
           'loop same file metadata away endless 400 403 404 416 412').split()
BY_CHANCE = [f for f in PASSES + REFUSED if f not in ('loop', 'headers')]
CHANGED = 'the file was written to while it was read'

# @a is a file of many pages, @b a small one, @f a folder with key=value folders.
STATEMENTS = {
    'count': 'SELECT count(*) FROM @a',
    'least': 'SELECT max(id), min(name) FROM @a',
    'row': 'SELECT * FROM @a WHERE id = 76543',
    'absent': "SELECT count(*) FROM @a WHERE name = 'none'",
    'range': 'SELECT count(*), sum(x) FROM @a WHERE id BETWEEN 30000 AND 90000',
    'order': 'SELECT id, name FROM @a ORDER BY x DESC LIMIT 3',
    'group': 'SELECT day, count(*), sum(id) FROM @a GROUP BY day ORDER BY day',
    'like': "SELECT count(*), sum(id) FROM @a WHERE name LIKE '%77%'",
    'join': 'SELECT count(*), sum(a.x) FROM @b b JOIN @a a ON a.id = b.id',
    'folder': 'SELECT count(*), sum(id) FROM @f WHERE day = 3',
    'folders': 'SELECT day, max(name) FROM @f GROUP BY day ORDER BY day',
    'list': 'SELECT count(*), sum(id) FROM @l',
    'schema': 'SELECT name, type FROM parquet_schema(#a)',
    'pages': 'SELECT count(*), sum(num_rows) FROM parquet_pages(#a)',
    'rows': 'SELECT count(*), max(row) FROM parquet_rows(#b)',
    'bloom': "SELECT answer FROM parquet_bloom_probe(#a, 'name', 'none')",
    'verify': 'SELECT count(*) FROM parquet_verify(#b)',
    'summary': 'SELECT "column", rows, max FROM parquet_summary(#b)',
}


class Place:
    """A folder with the files, and the proxy that serves it."""

    def __init__(self, so, folder):
        self.so = so
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        os.chdir(folder)
        db = connect(so)
        for version, add in ('', 0), ('.next', 1):
            db.execute('DROP TABLE IF EXISTS src')
            db.execute(
                "CREATE TABLE src AS WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL "
                "SELECT i + 1 FROM c WHERE i < 119999) SELECT i AS id, i %% 5 AS day, "
                "'text ' || (i * 7919 %% 12000 + %d) AS name, i * 7919 %% 104729 / 8.0 + %d AS x FROM c" % (add, add))
            for name, where, more in ('a', '1', {'row_group_rows': 30000, 'page_rows': 2000,
                                                 'bloom': True}), ('b', 'id % 9999 = 0', {}):
                copy(db, where, name + '.parquet' + version, more)
            for day in range(5):
                os.makedirs('f/day=%d' % day, exist_ok=True)
                copy(db, 'day = %d' % day, 'f/day=%d/p.parquet%s' % (day, version), {}, 'id, name, x')
        db.close()
        self.files = ['a.parquet', 'b.parquet'] + ['f/day=%d/p.parquet' % d for d in range(5)]
        for name in self.files:
            shutil.copyfile(name, name + '.first')
        self.next = set()
        self.proxy = subprocess.Popen(
            ['node', os.path.join(HERE, 'proxy.mjs'), folder, 'buckets=%d' % os.getpid()],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = self.proxy.stdout.readline().strip()

    def tell(self, path):
        return urllib.request.urlopen(self.url + path).read().decode()

    def restore(self):
        for name in self.files:
            if os.path.exists(name + '.was_replaced'):
                os.unlink(name + '.was_replaced')
                self.put(name, '.first')

    def put(self, name, version):
        shutil.copyfile(name + version, name + '.part')
        os.rename(name + '.part', name)

    def replaced(self):
        return [n for n in self.files if os.path.exists(n + '.was_replaced')]

    def connect(self):
        db = connect(self.so)
        host = self.url.split('//')[1]
        db.execute("SELECT parquet_secret('s3://', ?)", (json.dumps(
            {'endpoint': host, 'use_ssl': False, 'url_style': 'path', 'key_id': 'k', 'secret': 's'}),))
        return db

    def paths(self, far):
        begin = self.url + '/cwd/' if far else ''
        return {'a': begin + 'a.parquet', 'b': begin + 'b.parquet',
                'f': 's3://cwd/f/' if far else 'f',
                'l': json.dumps([begin + 'b.parquet', begin + 'f/day=2/p.parquet'])}


def connect(so):
    db = sqlite3.connect(':memory:', isolation_level=None)
    db.enable_load_extension(True)
    db.load_extension(so)
    return db


def copy(db, where, path, options, columns='*'):
    db.execute('SELECT parquet_copy_to(?, ?, ?)', (
        'SELECT %s FROM src WHERE %s' % (columns, where), path, json.dumps(options)))


def run(db, sql, paths, threads=''):
    """Its tables are made by the statement before it."""
    for name, path in paths.items():
        if '@' + name in sql and not db.execute(
                'SELECT 1 FROM sqlite_temp_schema WHERE name = ?', ('t' + name,)).fetchone():
            more = ', union_by_name=on' if name == 'l' else ''
            db.execute("CREATE VIRTUAL TABLE temp.t%s USING parquet('%s'%s%s)" % (name, path, more, threads))
        sql = sql.replace('@' + name, 't' + name).replace('#' + name, "'%s'" % path)
    return db.execute(sql).fetchall()


def outcome(db, *args):
    """(rows, None) or (None, message); a hang kills."""
    signal.alarm(WATCHDOG)
    try:
        return run(db, *args), None
    except sqlite3.Error as e:
        return None, why_gone(db) if str(e).startswith('no such column') else str(e)
    finally:
        signal.alarm(0)


def why_gone(db):
    """A table that SQLite connected again while its file could not be read has no
    columns.  SELECT * finds them again, or says why there are none."""
    for name, in db.execute("SELECT name FROM sqlite_temp_schema WHERE type = 'table'").fetchall():
        try:
            db.execute('SELECT * FROM %s LIMIT 1' % name).fetchall()
        except sqlite3.Error as e:
            return str(e)
    return 'back'


def names_url(message, place):
    return message == 'back' or any(path in message for path in
               (place.url, 's3://cwd'))


class Tally:
    def __init__(self):
        self.passed = self.failed = self.errors = 0

    def judge(self, what, got, wanted, may_fail, place):
        rows, message = got
        if message is None and rows in wanted:
            self.passed += 1
        elif message is not None and may_fail and names_url(message, place):
            self.passed += 1
            self.errors += 1
        else:
            self.failed += 1
            print('FAIL: %s\n    got:    %s\n    wanted: %s' % (
                what, message or str(rows)[:300], str(wanted[0])[:300]), flush=True)


def versions(place, sql):
    """What a statement may give: with all files as they were first, or with one that
    was replaced."""
    out = []
    for changed in [None] + place.files:
        if changed:
            place.put(changed, '.next')
        db = connect(place.so)
        out.append(run(db, sql, place.paths(False)))
        db.close()
        if changed:
            place.put(changed, '.first')
    return out


def each(so, folder, name):
    place = Place(so, folder)
    tally = Tally()
    n_requests = 0
    for sql in [STATEMENTS[name]]:
        wanted = versions(place, sql)
        far = place.paths(True)
        place.tell('/.set')
        place.tell('/.count')
        db = place.connect()
        tally.judge(name, outcome(db, sql, far), wanted[:1], False, place)
        db.close()
        n = json.loads(place.tell('/.count'))['requests']
        n_requests += n
        for at in range(n):
            for k, fault in enumerate(PASSES + REFUSED + ['replace']):
                what = 'request %d of %s, %s' % (at, name, fault)
                threads = ', threads=0' if (at + k) % 2 else ''
                place.tell('/.set?fault=%s&after=%d&times=1' % (fault, at))
                db = place.connect()
                got = outcome(db, sql, far, threads)
                place.tell('/.set')
                changed = place.replaced()
                allowed = wanted[:1] + [wanted[1 + place.files.index(f)] for f in changed]
                tally.judge(what, got, allowed, fault not in PASSES, place)
                if got[1] and fault == 'replace' and CHANGED not in got[1]:
                    tally.judge(what + ': another error', got, [], False, place)
                now = allowed[-1:]
                tally.judge(what + ', again', outcome(db, sql, far, threads), now, False, place)
                place.restore()
                db.close()
    return tally.passed, tally.failed, tally.errors, n_requests


def random_sql(r):
    low = r.randrange(120000)
    where = r.choice(['1', 'id = %d' % low, 'id > %d' % low, 'id BETWEEN %d AND %d' % (low, low + r.randrange(3000)),
                      "name = 'text %d'" % low, 'x < %d' % (low / 80), "name LIKE '%%%d%%'" % (low % 100),
                      'id IN (%d, %d, %d)' % (low, low // 2, low // 3), 'day = %d' % r.randrange(6),
                      'day = %d AND x > %d' % (r.randrange(5), low / 12)])
    table = r.choice(['@a', '@a', '@b', '@f'])
    return r.choice([
        'SELECT count(*), sum(id), min(name), max(x) FROM %s WHERE %s' % (table, where),
        'SELECT id, name FROM %s WHERE %s ORDER BY id LIMIT %d' % (table, where, r.randrange(40)),
        'SELECT day, count(*), sum(id) FROM %s WHERE %s GROUP BY day ORDER BY day' % (table, where),
        'SELECT name FROM %s WHERE %s ORDER BY name DESC LIMIT 5' % (table, where),
        'SELECT count(*), sum(t.x) FROM @b s JOIN %s t ON t.id = s.id WHERE %s' % (
            table, re.sub(r'\b(id|name|x|day)\b', r't.\1', where)),
        'SELECT DISTINCT day FROM %s WHERE %s ORDER BY 1' % (table, where)])


def by_chance(so, folder, seed, seconds):
    place = Place(so, folder)
    tally = Tally()
    r = random.Random(seed)
    end = time.time() + seconds
    db = None
    n = 0
    while time.time() < end:
        n += 1
        sql = random_sql(r)
        with open('asked', 'w') as f:
            f.write('SEED=%s, statement %d: %s\n' % (seed, n, sql))
        wanted = versions(place, sql)
        if db is None or r.random() < 0.3:
            db = place.connect()
        if r.random() < 0.2:
            place.tell('/.set?fault=replace&after=%d&times=1' % r.randrange(8))
        else:
            place.tell('/.set?seed=%d&rate=%g&of=%s' % (
                r.randrange(1 << 30), r.choice([0.02, 0.1, 0.4]), '%7C'.join(BY_CHANCE)))
        threads = r.choice(['', ', threads=0'])
        got = outcome(db, sql, place.paths(True), threads)
        place.tell('/.set')
        allowed = wanted[:1] + [wanted[1 + place.files.index(f)] for f in place.replaced()]
        tally.judge('seed %s, statement %d: %s' % (seed, n, sql), got, allowed, True, place)
        again = outcome(db, sql, place.paths(True), threads)
        if again[1] == 'back':
            again = outcome(db, sql, place.paths(True), threads)
        tally.judge('seed %s, statement %d, again: %s' % (seed, n, sql), again, allowed[-1:],
                    False, place)
        place.restore()
    return tally.passed, tally.failed, tally.errors, n


def worker(queue, function, args):
    try:
        queue.put(function(*args))
    except Exception as e:
        import traceback
        traceback.print_exc()
        queue.put((0, 1, 0, 0))


def main():
    so, folder, what = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
    if what == 'each':
        names = sys.argv[4:] or list(STATEMENTS)
        jobs = [(each, (so, os.path.join(folder, name), name)) for name in names]
    else:
        seed = int(sys.argv[4]) if len(sys.argv) > 4 else int(time.time())
        seconds = float(os.environ.get('SECONDS', 60))
        print('SEED=%d SECONDS=%d' % (seed, seconds))
        jobs = [(by_chance, (so, os.path.join(folder, 'random%d' % i), seed * 100 + i, seconds))
                for i in range(2)]
    passed = failed = errors = n = 0
    queue = multiprocessing.Queue()
    running = []
    while jobs or running:
        while jobs and len(running) < WORKERS:
            function, args = jobs.pop(0)
            p = multiprocessing.Process(target=worker, args=(queue, function, args))
            p.start()
            running.append((p, args))
        for p, args in list(running):
            p.join(0.1)
            if p.is_alive():
                continue
            running.remove((p, args))
            if p.exitcode:
                failed += 1
                asked = os.path.join(args[1], 'asked')
                print('FAIL: %s: %s%s' % (
                    args[1], 'a statement hangs' if p.exitcode == -signal.SIGALRM else
                    'died of %d' % -p.exitcode,
                    ': ' + open(asked).read() if os.path.exists(asked) else ''))
        while not queue.empty():
            got = queue.get()
            passed, failed, errors, n = (passed + got[0], failed + got[1], errors + got[2], n + got[3])
    print('%d %s, %d errors' % (n, 'requests' if what == 'each' else 'statements', errors))
    print('remote-faults: %d passed, %d failed, 0 skipped' % (passed, failed))
    sys.exit(failed > 0)


if __name__ == '__main__':
    main()
