#!/usr/bin/env python3
"""faults.py - requests that fail, and objects that are replaced between requests.

    faults.py SO FOLDER each [NAME...]   each request of each statement fails once, in
                                         each way; at each one its object is replaced.
                                         EVERY=5: in one way of five, in turn
    faults.py SO FOLDER random [SECONDS [SEED]]
                                         random statements and copies, while requests fail by
                                         chance and objects are replaced

What passes (a reset, a cut body, 429, 503, ...) is asked for again, so the rows are
right.  Anything else is right rows of one version, or an error that names the URL.
Afterwards the same connection gives right rows.  A statement that takes longer than
WATCHDOG seconds hangs, and is killed.  A fault that did not come, because the statement
had fewer requests, is counted as skipped.
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
import traceback
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
WATCHDOG = 150
WORKERS = 4
EVERY = int(os.environ.get('EVERY', 1))
PASSES = 'reset cut 429 500 502 503 504 408 chunked'.split()
REFUSED = ('etag noetag weak less more range total absurd norange whole suffix gzip garbage headers '
           'loop same file metadata away endless noend noend416 noend501 stream wrapped region '
           '400 403 404 416 412').split()
REPLACE = ['replace', 'unmarked']
# Only where several ranges are asked for.
PARTS = ('whole one 400 403 416 501 reset cut less joined as_one turned twice text words missing shifted '
         'shorter longer total huge wrapped headers endless bare etag').split()
BY_CHANCE = [f for f in PASSES + REFUSED if f not in ('loop', 'headers')] + ['parts_' + p for p in PARTS]
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
            parts = [('a', '1', {'row_group_rows': 30000, 'page_rows': 2000, 'bloom': True}, '*'),
                     ('b', 'id % 9999 = 0', {}, '*')]
            for day in range(5):
                os.makedirs('f/day=%d' % day, exist_ok=True)
                parts.append(('f/day=%d/p' % day, 'day = %d' % day, {}, 'id, name, x'))
            for name, where, more, columns in parts:
                copy(db, where, name + '.parquet' + version, more, columns,
                     os.path.getsize(name + '.parquet') if version else None)
        db.close()
        self.files = [name + '.parquet' for name, *_ in parts]
        for name in self.files:
            shutil.copyfile(name, name + '.first')
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
                'l': json.dumps([begin + 'b.parquet', begin + 'f/day=2/p.parquet']),
                'w': begin + 'far.parquet' if far else 'near.parquet',
                's': 's3://cwd/far.parquet' if far else 'near.parquet'}


def connect(so):
    db = sqlite3.connect(':memory:', isolation_level=None)
    db.enable_load_extension(True)
    db.load_extension(so)
    return db


def copy(db, where, path, options, columns='*', size=None):
    """Of this size: a version is not known by it."""
    pad = 1000
    while True:
        db.execute('SELECT parquet_copy_to(?, ?, ?)', (
            'SELECT %s FROM src WHERE %s' % (columns, where), path,
            json.dumps(dict(options, kv_metadata={'pad': 'x' * pad}))))
        if size in (None, os.path.getsize(path)):
            return
        pad += size - os.path.getsize(path)


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
    """(rows, None) or (None, message); who does not come here again in time is killed."""
    signal.alarm(WATCHDOG)
    try:
        return run(db, *args), None
    except sqlite3.Error as e:
        return None, why_gone(db) if 'no such column' in str(e) else str(e)


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
        self.passed = self.failed = self.skipped = self.errors = self.n = 0

    def add(self, other):
        for name, n in vars(other).items():
            setattr(self, name, getattr(self, name) + n)

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


def now(place, sql):
    """The rows over the local files."""
    db = connect(place.so)
    try:
        return run(db, sql, place.paths(False))
    finally:
        db.close()


def each(tally, so, folder, name):
    place = Place(so, folder)
    sql = STATEMENTS[name]
    first = now(place, sql)
    far = place.paths(True)
    place.tell('/.count')
    db = place.connect()
    tally.judge(name, outcome(db, sql, far), [first], False, place)
    db.close()
    n = json.loads(place.tell('/.count'))['requests']
    tally.n += n
    for at in range(n):
        for k, fault in enumerate(PASSES + REFUSED + REPLACE):
            if (k + at + list(STATEMENTS).index(name)) % EVERY:
                continue
            what = 'request %d of %s, %s' % (at, name, fault)
            threads = ', threads=0' if (at + k) % 2 else ''
            place.tell('/.set?fault=%s&after=%d&times=1' % (fault, at))
            db = place.connect()
            got = outcome(db, sql, far, threads)
            place.tell('/.set')
            replaced = place.replaced()
            allowed = [first, now(place, sql)] if replaced else [first]
            if json.loads(place.tell('/.count'))['faults'] == 0:
                tally.skipped += 1
                print('skipped: %s: it has no such request' % what)
            elif got[1] and replaced and CHANGED not in got[1]:
                tally.judge(what + ': another error', got, [None], False, place)
            else:
                tally.judge(what, got, allowed, fault not in PASSES, place)
            tally.judge(what + ', again', outcome(db, sql, far, threads), allowed[-1:], False, place)
            place.restore()
            db.close()


def random_sql(r):
    low = r.randrange(120000)
    where = r.choice(['1', 'id = %d' % low, 'id > %d' % low, 'id BETWEEN %d AND %d' % (low, low + r.randrange(3000)),
                      "name = 'text %d'" % low, 'x < %d' % (low / 80), "name LIKE '%%%d%%'" % (low % 100),
                      'id IN (%d, %d, %d)' % (low, low // 2, low // 3), 'day = %d' % r.randrange(6),
                      'day = %d AND x > %d' % (r.randrange(5), low / 12)])
    table = r.choice(['@a', '@a', '@b', '@f'])
    copied = 'SELECT id, name, x FROM %s WHERE %s LIMIT %d' % (table, where, r.randrange(20000))
    return r.choice([
        """SELECT parquet_copy_to('%s', %s, '{"overwrite": "replace"}')""" % (
            copied.replace("'", "''"), r.choice(['#w', '#s'])),
        'SELECT count(*), sum(id), min(name), max(x) FROM %s WHERE %s' % (table, where),
        'SELECT id, name FROM %s WHERE %s ORDER BY id LIMIT %d' % (table, where, r.randrange(40)),
        'SELECT day, count(*), sum(id) FROM %s WHERE %s GROUP BY day ORDER BY day' % (table, where),
        'SELECT name FROM %s WHERE %s ORDER BY name DESC LIMIT 5' % (table, where),
        'SELECT count(*), sum(t.x) FROM @b s JOIN %s t ON t.id = s.id WHERE %s' % (
            table, re.sub(r'\b(id|name|x|day)\b', r't.\1', where)),
        'SELECT DISTINCT day FROM %s WHERE %s ORDER BY 1' % (table, where)])


def bytes_of(name):
    """Of a file that a statement writes, near or far."""
    if not os.path.exists(name):
        return b''
    with open(name, 'rb') as f:
        return f.read()


def by_chance(tally, so, folder, seed, seconds):
    place = Place(so, folder)
    r = random.Random(seed)
    end = time.time() + seconds
    db = None
    while time.time() < end:
        tally.n += 1
        sql = random_sql(r)
        what = 'seed %d, statement %d: %s' % (seed, tally.n, sql)
        with open('asked', 'w') as f:
            f.write(what)
        allowed, before, near = [now(place, sql)], bytes_of('far.parquet'), [bytes_of('near.parquet')]
        if db is None or r.random() < 0.3:
            db = place.connect()
        if r.random() < 0.2:
            place.tell('/.set?fault=%s&after=%d&times=1' % (r.choice(REPLACE), r.randrange(8)))
        else:
            place.tell('/.set?seed=%d&rate=%g&of=%s' % (
                r.randrange(1 << 30), r.choice([0.02, 0.1, 0.4]), '%7C'.join(BY_CHANCE)))
        threads = r.choice(['', ', threads=0'])
        got = outcome(db, sql, place.paths(True), threads)
        place.tell('/.set')
        place.tell('/.count')
        if place.replaced():
            allowed.append(now(place, sql))
            near.append(bytes_of('near.parquet'))
        tally.judge(what, got, allowed, True, place)
        if 'copy_to' in sql:
            tally.judge(what + ': what lies there', ([bytes_of('far.parquet')], None),
                        [[b] for b in near + [before] * bool(got[1])], False, place)
        again = outcome(db, sql, place.paths(True), threads)
        if again[1] == 'back':
            again = outcome(db, sql, place.paths(True), threads)
        tally.judge(what + ', again', again, allowed[-1:], False, place)
        place.restore()


def worker(queue, function, *args):
    tally = Tally()
    try:
        function(tally, *args)
    except Exception:
        traceback.print_exc()
        tally.failed += 1
    signal.alarm(0)
    queue.put(tally)


def main():
    so, folder, what = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
    if what == 'each':
        names = sys.argv[4:] or list(STATEMENTS)
        jobs = [(each, so, os.path.join(folder, name), name) for name in names]
    else:
        seconds, seed = (sys.argv[4:] + [60, int(time.time())][len(sys.argv) - 4:])[:2]
        print('random %s %s' % (seconds, seed), flush=True)
        jobs = [(by_chance, so, os.path.join(folder, 'random%d' % i), int(seed) + i, float(seconds))
                for i in range(2)]
    all_of_it = Tally()
    queue = multiprocessing.Queue()
    running = []
    while jobs or running:
        while jobs and len(running) < WORKERS:
            job = jobs.pop(0)
            p = multiprocessing.Process(target=worker, args=(queue, *job))
            p.start()
            running.append((p, job[2]))
        for p, where in list(running):
            p.join(0.1)
            if p.is_alive():
                continue
            running.remove((p, where))
            if p.exitcode:
                all_of_it.failed += 1
                asked = os.path.join(where, 'asked')
                print('FAIL: %s: %s: %s' % (
                    where, 'a statement hangs' if p.exitcode == -signal.SIGALRM else
                    'died of %d' % -p.exitcode, open(asked).read() if os.path.exists(asked) else ''))
        while not queue.empty():
            all_of_it.add(queue.get())
    print('%d %s, %d errors' % (
        all_of_it.n, 'requests' if what == 'each' else 'statements', all_of_it.errors))
    print('remote-faults: %d passed, %d failed, %d skipped' % (
        all_of_it.passed, all_of_it.failed, all_of_it.skipped))
    sys.exit(all_of_it.failed > 0)


if __name__ == '__main__':
    main()
