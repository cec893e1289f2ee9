"""lakes.py - public lake tables, against the rows that they should have.

    lakes.py SO FOLDER      tables that are there
    lakes.py SO             some that we write, on a disk and in a bucket

Every folder below FOLDER with _delta_log or metadata/*.metadata.json is a table.  What its rows
should be says the folder `expected` beside it, whose Parquet files have them, as the golden tables
of delta-kernel do; else ClickHouse, if test/bench/clickhouse has it (setup.sh clickhouse).  A
table of which nobody says that is listed, and is no failure.

Tables that we write are read from a bucket too, by both.  Without ClickHouse their rows are those of
the disk and of the model.
"""
import glob
import json
import math
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CHDB = os.path.join(HERE, '../bench/clickhouse/')
ASK = """
const chdb = require('module').createRequire(process.argv[1] + 'x.js')('chdb')
const settings = 'SETTINGS output_format_json_quote_64bit_integers=0, output_format_json_quote_denormals=1, ' +
    "session_timezone='UTC', date_time_output_format='simple'"
for (const source of JSON.parse(process.argv[2])) {
    let said
    try { said = { rows: chdb.query(`SELECT * FROM ${source} ${settings}`, 'JSONEachRow').toString() } }
    catch (e) { said = { error: String(e.message ?? e).slice(0, 200) } }
    console.log(JSON.stringify(said))
}
"""


def tables(folder):
    for path, folders, _ in sorted(os.walk(folder)):
        if '_delta_log' in folders:
            yield 'deltaLake', path
        elif 'metadata' in folders and glob.glob(path + '/metadata/*.metadata.json'):
            yield 'iceberg', path


def even(v):
    """A value as both sides have it."""
    if isinstance(v, bytes):
        v = v.decode('utf-8', 'replace')
    if isinstance(v, str):
        if re.fullmatch(r'\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+', v):
            return v.rstrip('0').rstrip('.')
        if v[:1] in '{[':
            try:
                return even(json.loads(v))
            except ValueError:
                return v
        try:
            return even(float(v))
        except ValueError:
            return v
    if isinstance(v, (bool, int, float)):
        return 'nan' if math.isnan(v) else float('%.6g' % v)
    if isinstance(v, dict):
        return {k: y for k, x in v.items() if (y := even(x)) not in (None, [], {})}      # as ClickHouse's NULL
    return [even(x) for x in v] if isinstance(v, list) else v


def sort(rows):
    return sorted(json.dumps(even(r), sort_keys=True) for r in rows)


def read(db, path, options=''):
    db.execute('DROP TABLE IF EXISTS temp.t')
    db.execute("CREATE VIRTUAL TABLE temp.t USING parquet('%s'%s)" % (path.replace("'", "''"), options))
    cursor = db.execute('SELECT * FROM t')
    names = [c[0] for c in cursor.description]
    return sort(dict(zip(names, row)) for row in cursor)


def attempt(what, *args):
    try:
        return what(*args), None
    except sqlite3.Error as e:
        return None, str(e)


def ask_clickhouse(folder, wanted):
    if not wanted or not os.path.exists(CHDB + 'node_modules/chdb'):
        return {}
    out = subprocess.run(['node', '-e', ASK, CHDB, json.dumps(wanted)], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True, cwd=folder).stdout
    return dict(zip(wanted, map(json.loads, out.splitlines())))


def local(kind, path):
    return "%sLocal('%s/')" % (kind, path)


def connect(so):
    db = sqlite3.connect(':memory:')
    db.enable_load_extension(True)
    db.load_extension(os.path.abspath(so))
    return db


# ---- tables that we write ----------------------------------------------------------------------

ROWS = """WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 500)
    SELECT n, iif(n % 7, 'text ' || n, NULL) AS s, n / 8.0 AS d, date(1e9 + n * 86400, 'unixepoch') AS day,
        json_array(n, NULL) AS l, json_object('a', n, 'b', 'x') AS o,
        CASE n % 3 WHEN 0 THEN 'a b%/é' WHEN 1 THEN 'c' END AS k FROM r"""
TYPES = {'n': 'BIGINT', 'day': 'DATE', 'l': 'BIGINT[]', 'o': 'STRUCT(a BIGINT, b STRING)'}


def write(db, folder, bucket):
    """[(kind, path)]"""
    sys.path.insert(0, os.path.join(HERE, '../oracle'))
    import iceberg_table

    def copy(query, path, **options):
        db.execute('SELECT parquet_copy_to(?, ?, ?)', (query, path, json.dumps(options)))

    for name, place in ('disk', folder), ('far', bucket):
        copy(ROWS, '%s/%s/' % (place, name), lake='delta', partition_by=['k'], types=TYPES)
        copy(ROWS + ' LIMIT 40', '%s/%s/' % (place, name), lake='overwrite')
        copy('SELECT n + 1000 AS n, d, k FROM (%s)' % ROWS, '%s/%s/' % (place, name), lake='append')
    os.environ['ICEBERG_PLAIN'] = ''
    models = {}
    for seed in range(4):
        path = '%s/ice%d' % (folder, seed)
        models[path] = iceberg_table.write(random.Random(seed), path, db)
    return [('deltaLake', folder + '/disk'), ('deltaLake', folder + '/far'),
            *(('iceberg', path) for path in models)], models


def written(so):
    folder = os.path.abspath(os.path.join(os.environ.get('BUILD', 'build'), 'lakes_written'))
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder + '/data')
    server = subprocess.Popen(['node', os.path.join(HERE, '../remote/proxy.mjs'), folder],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    url = server.stdout.readline().strip().rstrip('/')
    db, n = connect(so), {'passed': 0, 'failed': 0, 'skipped': 0}
    db.execute("SELECT parquet_secret('s3://data/', json_object('endpoint', ?, 'use_ssl', json('false'), "
               "'url_style', 'path', 'key_id', 'k', 'secret', 's'))", (url[7:],))
    tables, models = write(db, folder + '/data', 's3://data')
    far = {path: "%s('%s%s/', 'k', 's')" % (kind.replace('iceberg', 'icebergS3'), url, path[len(folder):])
           for kind, path in tables}
    theirs = ask_clickhouse(folder, [local(*t) for t in tables] + list(far.values()))
    for kind, path in tables:
        ours = read(db, path)
        rows = {'the bucket': read(db, 's3:/' + path[len(folder):] + '/')}
        if path in models:
            names = [name for name, _ in models[path].schemas[-1].values()]
            rows['the model'] = sort(dict(zip(names, row)) for row in models[path].rows())
        for source in local(kind, path), far[path]:
            said = theirs.get(source)
            rows[source] = said and (sort(map(json.loads, said['rows'].splitlines())) if 'rows' in said
                                     else said['error'])
        for who, v in rows.items():
            result = 'skipped' if v is None else 'passed' if v == ours and ours else 'failed'
            n[result] += 1
            if result == 'failed':
                print('%s: %s, not %d rows as %s' % (who, v if isinstance(v, str) else '%d rows' % len(v),
                                                     len(ours), path))
    server.stdin.close()
    server.wait()
    print('lakes: %(passed)d passed, %(failed)d failed, %(skipped)d skipped' % n)
    return n['failed'] > 0


# ---- tables that are there -----------------------------------------------------------------------

def main(so, folder):
    db = connect(so)
    found = list(tables(os.path.abspath(folder)))
    beside = {path: os.path.join(os.path.dirname(path), 'expected') for _, path in found}
    theirs = ask_clickhouse(folder, [local(*t) for t in found if not os.path.isdir(beside[t[1]])])
    n = {'passed': 0, 'failed': 0, 'skipped': 0}
    for kind, path in found:
        ours, why = attempt(read, db, path)
        said = theirs.get(local(kind, path), {})
        if os.path.isdir(beside[path]):
            wanted, no = attempt(read, db, beside[path], ', format=files')
        else:
            no = said.get('error', 'nobody says which rows it has')
            wanted = sort(map(json.loads, said['rows'].splitlines())) if 'rows' in said else None
        result = 'skipped' if wanted is None else 'passed' if ours == wanted else 'failed'
        n[result] += 1
        if result != 'passed':
            print('%s %s: %s' % (result, os.path.relpath(path, folder), why or (
                no if wanted is None else '%d rows, not %d' % (len(ours), len(wanted)))))
        if result == 'failed' and ours is not None and wanted is not None:
            for sign, more in ('+', set(ours) - set(wanted)), ('-', set(wanted) - set(ours)):
                print(*['    %s %s' % (sign, row[:300]) for row in sorted(more)[:2]], sep='\n')
    print('lakes: %(passed)d passed, %(failed)d failed, %(skipped)d skipped' % n)
    return n['failed'] > 0 or not found


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) > 2 else written(sys.argv[1]))
