"""lakes.py - public lake tables, against the rows that they should have.

    lakes.py SO FOLDER

Every folder below FOLDER with _delta_log or metadata/*.metadata.json is a table.  What its rows
should be says the folder `expected` beside it, whose Parquet files have them, as the golden tables
of delta-kernel do; else ClickHouse, if test/bench/clickhouse has it (setup.sh clickhouse).  A
table of which nobody says that is listed, and is no failure.
"""
import glob
import json
import math
import os
import re
import sqlite3
import subprocess
import sys

CHDB = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../bench/clickhouse/')
ASK = """
const chdb = require('module').createRequire(process.argv[1] + 'x.js')('chdb')
const settings = 'SETTINGS output_format_json_quote_64bit_integers=0, output_format_json_quote_denormals=1, ' +
    "session_timezone='UTC', date_time_output_format='simple'"
for (const [kind, path] of JSON.parse(process.argv[2])) {
    let said
    try { said = { rows: chdb.query(`SELECT * FROM ${kind}Local('${path}/') ${settings}`, 'JSONEachRow').toString() } }
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
    return {path: json.loads(line) for (_, path), line in zip(wanted, out.splitlines())}


def main(so, folder):
    db = sqlite3.connect(':memory:')
    db.enable_load_extension(True)
    db.load_extension(os.path.abspath(so))
    found = list(tables(os.path.abspath(folder)))
    beside = {path: os.path.join(os.path.dirname(path), 'expected') for _, path in found}
    theirs = ask_clickhouse(folder, [t for t in found if not os.path.isdir(beside[t[1]])])
    n = {'passed': 0, 'failed': 0, 'skipped': 0}
    for kind, path in found:
        ours, why = attempt(read, db, path)
        said = theirs.get(path, {})
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
    sys.exit(main(*sys.argv[1:]))
