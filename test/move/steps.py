#!/usr/bin/env python3
"""steps.py - an export or an import that ends at any step leaves the old or the new state.

    steps.py SO FOLDER [STRIDE]      every step, or one of STRIDE; in memory where that
                                     can be, because a disk takes long to sync
    TRIALS='lake catalog'            in the environment: these alone

A step is what changes a file or a name (steps.c).  Before each of them the process is
killed, and in a second round the disk is full from there on.  A replacing export is killed
again when it is run after that; and in a third round one step fails, and leaves the names as
they were.  Looked at is what an import of the folder gives, or what the database has; then the
call runs again, has to succeed, and leaves no file that it does not know.
"""
import ctypes
import errno
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MEMORY = '/dev/shm'
OF_SQLITE = ['disk is full', 'disk I/O error', 'readonly database', 'unable to open database']


def connect(path):
    db = sqlite3.connect(path, isolation_level=None)
    db.enable_load_extension(True)
    db.load_extension(SO)
    return db


def rows(db):
    names = [n for n, in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name "
                                    "NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY name")]
    return [(n, db.execute('SELECT rowid, * FROM "%s" ORDER BY rowid' % n).fetchall()) for n in names]


def imported(folder):
    db = connect(':memory:')
    try:
        db.execute('SELECT parquet_import(?)', (folder,)).fetchall()
        return rows(db)
    except sqlite3.Error as e:
        return 'import: %s' % e


def make_source(path, new):
    if os.path.exists(path):
        os.unlink(path)
    db = connect(path)
    db.execute('CREATE TABLE events(id INTEGER PRIMARY KEY, note)')
    db.execute('CREATE TABLE users(name, age)')
    db.execute('CREATE TABLE logs(at TEXT, what)')
    db.execute('CREATE INDEX by_name ON users(name)')
    n = 1500 if new else 1000
    db.execute('BEGIN')
    db.executemany('INSERT INTO events VALUES (?, ?)', [(i, 'note %d' % i) for i in range(n)])
    db.executemany('INSERT INTO users VALUES (?, ?)', [('u%d' % i, i + new) for i in range(50)])
    db.executemany('INSERT INTO logs VALUES (?, ?)', [('2024-%08d' % i, b'x') for i in range(n // 10)])
    db.execute('COMMIT')
    return rows(db)


class Trial:
    """What is tried: old() prepares, new() is what ends early, look() tells the state."""
    def __init__(self, name, work):
        self.name, self.work = name, work
        self.out = os.path.join(work, 'out')
        self.sources = [os.path.join(work, s) for s in ('old.db', 'new.db')]
        self.states = [make_source(s, i) for i, s in enumerate(self.sources)]
        self.options = json.dumps({'replace': {'overwrite': 'replace'}, 'first': {}}.get(
            name, {'incremental': {'events': 'id', 'logs': 'at'}}))
        self.first_options = self.options
        self.kept = os.path.join(work, 'kept')
        if name == 'import':
            self.target = os.path.join(self.out, 'target.db')
            self.export(self.sources[1], self.kept)
            self.states[0] = []
        elif name != 'first':
            self.export(self.sources[0], self.kept)
        else:
            self.states[0] = imported(self.out)       # an error

    def export(self, source, folder):
        db = connect(source)
        db.execute('SELECT parquet_export(?, ?)', (folder, self.options)).fetchall()

    def old(self):
        shutil.rmtree(self.out, ignore_errors=True)
        if self.name == 'import':
            os.makedirs(self.out)
            connect(self.target).execute('PRAGMA user_version = 1')
        elif self.name != 'first':
            shutil.copytree(self.kept, self.out)

    def new(self):
        if self.name == 'import':
            db = connect(self.target)
            db.execute('PRAGMA cache_size = 5')       # spills, so that the journal is needed
            db.execute('SELECT parquet_import(?)', (self.kept,)).fetchall()
        else:
            self.export(self.sources[1], self.out)

    def look(self):
        if self.name != 'import':
            return imported(self.out)
        db = connect(self.target)
        check = db.execute('PRAGMA integrity_check').fetchall()
        return rows(db) if check == [('ok',)] else check

    def leftovers(self):
        """Files that nobody names."""
        if self.name == 'import':
            return [f for f in os.listdir(self.out) if f != 'target.db']
        with open(os.path.join(self.out, 'manifest.json')) as f:
            known = {t.get('file') for t in json.load(f)['tables']}
        return sorted(set(os.listdir(self.out)) - known - {'manifest.json', 'schema.sql'})


class LakeTrial(Trial):
    """Rows of the user's database and of a DuckLake, in one transaction."""
    def __init__(self, name, work):
        self.name, self.work, self.first_options = name, work, None
        self.out, self.kept = os.path.join(work, 'out'), os.path.join(work, 'kept')
        self.target = os.path.join(self.out, 'target.db')
        os.makedirs(self.out)
        db = self.open()
        with open(os.path.join(HERE, '../../tcl/ducklake.sql')) as f:
            db.executescript(f.read().replace('CREATE TABLE ', 'CREATE TABLE lake.'))
        db.executescript("""
            CREATE TABLE sent(id);
            INSERT INTO lake.ducklake_metadata VALUES ('version', '1.0', NULL, NULL),
                ('data_path', '%s/files/', NULL, NULL);
            INSERT INTO lake.ducklake_schema VALUES (0, 'u', 0, NULL, 'main', 'main/', 1);
            INSERT INTO lake.ducklake_snapshot VALUES (1, 't', 1, 2, 0);
            INSERT INTO lake.ducklake_table VALUES (1, 'u', 1, NULL, 0, 't', 't/', 1);
            INSERT INTO lake.ducklake_column VALUES (1, 1, NULL, 1, 1, 'id', 'int64', NULL, NULL, 1,
                NULL, NULL, NULL)""" % self.out)
        self.keep_first(db)

    def keep_first(self, db):
        self.append(db, '[1, 2, 3]')
        db.close()
        shutil.copytree(self.out, self.kept)
        self.states = [self.look()]
        self.new()
        self.states.append(self.look())

    def open(self):
        db = connect(self.target)
        db.execute('ATTACH ? AS lake', (os.path.join(self.out, 'x.lake'),))
        return db

    def append(self, db, ids):
        db.execute("""SELECT parquet_copy_to('SELECT value AS id FROM json_each(''%s'')',
            ?, '{"lake": "append", "table": "t", "threads": 0}')""" % ids,
                   (os.path.join(self.out, 'x.lake'),)).fetchall()

    def old(self):
        shutil.rmtree(self.out)
        shutil.copytree(self.kept, self.out)

    def new(self):
        db = self.open()
        path = os.path.join(self.out, 'x.lake')
        db.execute('BEGIN')
        db.execute('INSERT INTO sent VALUES (4)')
        self.append(db, '[4, 5]')
        db.execute("""SELECT parquet_delete(?, 'id IN (2, 5)', '{"table": "t"}')""", (path,))
        db.execute("""SELECT parquet_compact(?, '{"table": "t", "threads": 0}')""", (path,)).fetchall()
        db.execute('COMMIT')

    def look(self):
        db = self.open()
        state = [db.execute('SELECT id FROM sent').fetchall()]
        for version, in db.execute('SELECT snapshot_id FROM lake.ducklake_snapshot').fetchall():
            db.execute("CREATE VIRTUAL TABLE temp.t USING parquet('%s', table='t', version=%d)" %
                       (os.path.join(self.out, 'x.lake'), version))
            state.append(db.execute('SELECT id FROM t ORDER BY id').fetchall())
            db.execute('DROP TABLE t')
        return state

    def leftovers(self):
        """Not whole files: those that no catalog names are harmless."""
        names = os.listdir(self.out) + os.listdir(os.path.join(self.out, 'files/main/t'))
        return [f for f in names if f.startswith('.') or f.endswith('.tmp')]


class IcebergTrial(LakeTrial):
    """An append to a table in a folder, to one of a catalog beside the database (beside), or in one
    transaction with a row of the database (catalog)."""
    def __init__(self, name, work):
        self.name, self.work, self.first_options = name, work, None
        self.out, self.kept = os.path.join(work, 'out'), os.path.join(work, 'kept')
        self.target, self.table = [os.path.join(self.out, n) for n in ('target.db', 't')]
        self.catalog = os.path.join(self.out, 'cat.db') if name != 'iceberg' else None
        os.makedirs(self.table + '/metadata')
        first = self.table + '/metadata/v0.metadata.json'
        with open(first, 'w') as f:
            json.dump({'format-version': 2, 'location': self.table, 'last-sequence-number': 0,
                       'last-updated-ms': 1, 'current-schema-id': 0, 'default-spec-id': 0,
                       'schemas': [{'type': 'struct', 'schema-id': 0, 'fields': [
                           {'id': 1, 'name': 'id', 'required': False, 'type': 'long'}]}],
                       'partition-specs': [{'spec-id': 0, 'fields': [
                           {'source-id': 1, 'field-id': 1000, 'name': 'b', 'transform': 'bucket[3]'}]}]}, f)
        db = connect(self.target)
        db.execute('CREATE TABLE sent(id)')
        if self.catalog:
            db.execute('ATTACH ? AS lake', (self.catalog,))
            db.execute('CREATE TABLE lake.iceberg_tables(catalog_name, table_namespace, table_name, '
                       'metadata_location, previous_metadata_location)')
            db.execute("INSERT INTO lake.iceberg_tables VALUES ('c', 's', 't', ?, NULL)", (first,))
        self.keep_first(db)

    def open(self):
        db = connect(self.target)
        if self.name == 'catalog':
            db.execute('ATTACH ? AS lake', (self.catalog,))
        return db

    def append(self, db, ids):
        db.execute("SELECT parquet_copy_to('SELECT value AS id FROM json_each(''%s'')', ?, ?)" % ids,
                   (self.catalog or self.table, json.dumps(
                       {'lake': 'append', 'threads': 0, **({'table': 's.t'} if self.catalog else {})})))

    def new(self):
        db = self.open()
        if self.name != 'catalog':
            return self.append(db, '[4, 5]')
        db.execute('BEGIN')
        db.execute('INSERT INTO sent VALUES (4)')
        self.append(db, '[4, 5]')
        db.execute('COMMIT')

    def look(self):
        db = self.open()
        path = "'%s', table='s.t'" % self.catalog if self.catalog else "'%s'" % self.table
        try:
            db.execute('CREATE VIRTUAL TABLE temp.t USING parquet(%s)' % path)
        except sqlite3.Error as e:
            return 'read: %s' % e
        return [db.execute('SELECT id FROM sent').fetchall(), db.execute('SELECT id FROM t ORDER BY id').fetchall()]

    def leftovers(self):
        """Not whole files, but for metadata of a writer that could not remove it."""
        return [f for at, _, names in os.walk(self.table) for f in names
                if f.startswith('.') and (self.refused or not at.endswith('/metadata'))]


IN_SQLITE = ['import', 'lake', 'catalog', 'beside']
TRIALS = {'lake': LakeTrial, 'catalog': IcebergTrial, 'beside': IcebergTrial,
          'iceberg': IcebergTrial}


def run_child(trial, steps, step, error):
    """Returns how it ended, what it said, and the number of steps."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        said = ''
        steps.steps_begin(trial.out.encode(), step, error)
        try:
            trial.new()
        except sqlite3.Error as e:
            said = str(e)
        n = steps.steps_count()
        os.write(write, json.dumps([said, n]).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as f:
        answer = f.read()
    status = os.waitpid(pid, 0)[1]
    said, n = json.loads(answer) if answer else (None, 0)
    return 'killed' if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL else \
        'ended' if status == 0 else 'status %d' % status, said, n


def wrong_with(trial, steps, step, error):
    trial.options = trial.first_options
    trial.old()
    end, said, _ = run_child(trial, steps, step, error)
    if end != ('ended' if error else 'killed'):
        return end
    trial.refused = error and said
    state = trial.look()
    which = trial.states.index(state) if state in trial.states else None
    counts[which] = counts.get(which, 0) + 1
    if error and not said and which != 1:
        return 'says nothing'
    if error and said and 'no space' not in said and 'nput/output' not in said and not (
            trial.name in IN_SQLITE and any(s in said for s in OF_SQLITE)):
        return 'says %s' % said
    took_place = (trial.name in ('lake', 'catalog', 'beside') and said in OF_SQLITE) or (
        trial.name == 'iceberg' and 'is in the metadata and has all rows' in (said or ''))
    if error and said and which != 0 and not (which == 1 and took_place):
        return 'is not as before: %.300s; it said %s' % (state, said)
    if which is None:
        return 'is neither old nor new: %.300s' % (state,)
    if trial.name == 'replace' and not error:
        run_child(trial, steps, 1 + step * 17 % 50, 0)
        if trial.look() not in trial.states:
            return 'killed again: %.300s' % (trial.look(),)
    if error == errno.EIO and said and trial.leftovers():
        return 'leaves %s after an error' % trial.leftovers()
    if trial.name == 'first':         # it may have some files, and no manifest
        if which == 1:
            return None
        trial.options = '{"overwrite": "replace"}'
    if which != 1 or trial.name not in [*IN_SQLITE, 'iceberg']:
        try:
            trial.new()
        except sqlite3.Error as e:
            return 'again: %s' % e
    elif trial.name in ('iceberg', 'beside'):
        trial.append(trial.open(), '[]')              # removes what a killed one locked
    if trial.look() != trial.states[1]:
        return 'again gives %.300s' % (trial.look(),)
    return 'leaves %s' % trial.leftovers() if trial.leftovers() else None


def wrong_beside_others(trial, steps, step):
    """Another program adds a file before the step.  It stays if the export is there already."""
    manifest, added = (os.path.join(trial.out, name) for name in ('manifest.json', 'data_9.parquet'))
    trial.old()
    rows_of_ours = next(f.path for f in os.scandir(trial.kept) if f.name.endswith('.parquet'))
    before = os.stat(manifest).st_ino
    pid = os.fork()
    if pid == 0:
        steps.steps_begin(trial.out.encode(), step, errno.EAGAIN)
        trial.new()
        os._exit(0)
    if not os.WIFSTOPPED(os.waitpid(pid, os.WUNTRACED)[1]):
        return 'did not stop'
    replaced = os.stat(manifest).st_ino != before
    counts[replaced] = counts.get(replaced, 0) + 1
    shutil.copy(rows_of_ours, added)
    os.kill(pid, signal.SIGCONT)
    status = os.waitpid(pid, 0)[1]
    return 'status %d' % status if status else \
        'a file that came later is gone' if replaced and not os.path.exists(added) else None


def main():
    library = os.path.join(FOLDER, 'steps.so')
    if 'STEPS_INSIDE' not in os.environ:
        shutil.rmtree(FOLDER, ignore_errors=True)
        os.makedirs(FOLDER)
        subprocess.check_call([os.environ.get('CC', 'cc'), '-shared', '-fPIC', '-O1', '-o', library,
                               os.path.join(HERE, 'steps.c'), '-ldl'])
        before = os.environ.get('LD_PRELOAD', '')
        os.environ.update(STEPS_INSIDE='1', LD_PRELOAD=(before + ':' + library).strip(':'))
        os.execv(sys.executable, [sys.executable] + sys.argv)
    steps = ctypes.CDLL(library)
    stride = int((sys.argv[3:] + ['1'])[0])
    passed = failed = 0
    for name in os.environ.get('TRIALS', 'first replace grow import lake catalog beside iceberg').split():
        for error in [0, errno.ENOSPC] + [errno.EIO] * (name == 'replace' or name in TRIALS) + [
                errno.EAGAIN] * (name == 'replace'):
            how = {0: 'killed', errno.EIO: 'an error', errno.EAGAIN: 'beside others'}.get(
                error, 'a full disk')
            counts.clear()
            work = tempfile.mkdtemp(dir=MEMORY if os.path.isdir(MEMORY) else FOLDER)
            trial = TRIALS.get(name, Trial)(name, work)
            trial.old()
            end, said, n = run_child(trial, steps, 0, 0)
            if end != 'ended' or said or trial.look() != trial.states[1]:
                print('FAIL: %s: %s %s' % (name, end, said))
                failed += 1
                continue
            for step in range(1, n + 1, stride):
                wrong = wrong_beside_others(trial, steps, step) if error == errno.EAGAIN else \
                    wrong_with(trial, steps, step, error)
                passed += wrong is None
                if wrong:
                    failed += 1
                    print('FAIL: %s, %s at step %d of %d: %s' % (
                        name, how, step, n, wrong), flush=True)
            print('%s, %s: %d steps; old %d, new %d, refused %d' % (
                name, how, n, counts.get(0, 0), counts.get(1, 0),
                counts.get(None, 0)), flush=True)
            shutil.rmtree(work)
    print('move-steps: %d passed, %d failed, 0 skipped' % (passed, failed))
    sys.exit(failed > 0)


counts = {}
if __name__ == '__main__':
    SO, FOLDER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    main()
