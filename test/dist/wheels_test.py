#!/usr/bin/python3
"""wheels_test.py - the wheels of dist/wheels.py, as their users install and load them.

pip installs them without a network into a folder of its own.  The plugins are called by
stand-ins of datasette and sqlite-utils, which the distribution does not have with plugins.
"""

import glob
import hashlib
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
SCRATCH = os.path.join(BUILD, "wheels-test")
SITE = os.path.join(SCRATCH, "site")
passed = failed = 0


def check(name, ok, saw=""):
    global passed, failed
    passed += bool(ok)
    failed += not ok
    if not ok:
        print(f"FAIL {name}: {saw}")


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, **more)


def python(code):
    """What /usr/bin/python3 prints, which sees the installed wheels and the stand-ins."""
    done = run("/usr/bin/python3", "-c", code, cwd=SCRATCH,
               env={**os.environ, "PYTHONPATH": f"{SITE}:{SCRATCH}"})
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


def make():
    done = run("/usr/bin/python3", os.path.join(ROOT, "dist", "wheels.py"))
    check("made", done.returncode == 0, done.stdout + done.stderr)
    return {os.path.basename(path): hashlib.sha256(open(path, "rb").read()).hexdigest()
            for path in glob.glob(os.path.join(BUILD, "dist", "*.whl"))}


def main():
    shutil.rmtree(SCRATCH, ignore_errors=True)
    os.makedirs(SCRATCH)
    for path in glob.glob(os.path.join(BUILD, "dist", "*.whl")):
        os.remove(path)
    run("make", "-s", "--no-print-directory", "one-file", cwd=ROOT,
        env={**os.environ, "MAKEFLAGS": ""})
    wheels = make()
    check("three or more wheels", len(wheels) >= 3, wheels)
    check("the same bytes again", make() == wheels)
    done = run("/usr/bin/python3", "-m", "pip", "install", "--no-index", "--no-deps", "--target",
               SITE, "--find-links", os.path.join(BUILD, "dist"), "sqlite-parquet",
               "datasette-sqlite-parquet", "sqlite-utils-sqlite-parquet")
    check("pip installs", done.returncode == 0, done.stderr)
    sample = os.path.join(ROOT, "test", "samples", "trips.parquet")
    count = f"SELECT count(*) FROM parquet_rows('{sample}')"
    begin = "import sqlite3, sqlite_parquet; db = sqlite3.connect(':memory:'); "
    check("load", python(f"{begin}print(sqlite_parquet.load(db).execute(\"{count}\").fetchone())")
          == "(4096,)")
    check("nothing else can be loaded afterwards", "not authorized" in
          python(f"{begin}sqlite_parquet.load(db); db.load_extension('x')"))
    check("the version is that of the library", python(
        f"{begin}v, = sqlite_parquet.load(db).execute('SELECT parquet_version()').fetchone(); "
        "print(v.startswith('parquet ' + sqlite_parquet.__version__ + ','))") == "True")
    check("a Python without extensions", "without extensions" in
          python("import sqlite_parquet; sqlite_parquet.load(object())"))
    path = run("/usr/bin/python3", "-m", "sqlite_parquet",
               env={**os.environ, "PYTHONPATH": SITE}).stdout.strip()
    check("path", run("sqlite3", ":memory:", f".load {path}", count).stdout.strip() == "4096")
    for host in ("datasette", "sqlite_utils"):
        with open(os.path.join(SCRATCH, f"{host}.py"), "w") as file:
            file.write("def hookimpl(function):\n    return function\n")
    check("sqlite-utils", python(f"{begin}import sqlite_utils_sqlite_parquet as p; "
                                 f"p.prepare_connection(db); "
                                 f"print(db.execute(\"{count}\").fetchone())") == "(4096,)")
    named = (f"{begin}import datasette_sqlite_parquet as p\n"
             "class Host:\n"
             "    def plugin_config(self, name, database): return {'databases': ['trips']}\n")
    check("datasette", python(f"{named}p.prepare_connection(db, 'trips', Host()); "
                              f"print(db.execute(\"{count}\").fetchone())") == "(4096,)")
    check("datasette, a database that is not named", "no such table" in python(
        f"{named}p.prepare_connection(db, 'other', Host()); db.execute(\"{count}\")"))
    python(f"{named}p.prepare_connection(db, 'trips', Host()); "
           "db.execute(\"SELECT parquet_copy_to('SELECT 1 AS a', 'written.parquet')\")")
    check("datasette, no file is written", not os.path.exists(f"{SCRATCH}/written.parquet"))
    left = ("SELECT group_concat(DISTINCT name) FROM pragma_function_list WHERE name LIKE "
            "'parquet%' AND flags & 524288")
    check("datasette, only functions that read are left", python(
        f"{named}p.prepare_connection(db, 'trips', Host()); "
        f"print(db.execute(\"{left}\").fetchone())") == "('parquet_describe',)")
    print(f"wheels: {passed} passed, {failed} failed, 0 skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
