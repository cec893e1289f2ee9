"""hosts.py module|shell - the queries of hosts.json in Python's sqlite3 module
or in the sqlite3 shell."""
import json
import os
import sqlite3
import subprocess
import sys

SO = os.environ["SO"]
HERE = os.path.dirname(os.path.abspath(__file__))


def in_module():
    db = sqlite3.connect(":memory:")
    db.enable_load_extension(True)
    db.load_extension(SO)
    print("SQLite", sqlite3.sqlite_version)

    def one(sql):
        try:
            row = None
            for statement in sql:
                row = db.execute(statement).fetchone() or row
            return row[0] if row else None
        except sqlite3.Error as e:
            return "error: " + str(e)

    return one


def in_shell():
    print("sqlite3", subprocess.run(
        ["sqlite3", "-version"], capture_output=True, text=True).stdout.split()[0])

    def one(sql):
        script = ".load %s\n.mode list\n%s\n" % (
            SO, "\n".join(s + ";" for s in sql))
        run = subprocess.run(
            ["sqlite3", "-init", "/dev/null", "-batch", ":memory:"],
            input=script, capture_output=True, text=True)
        if run.returncode < 0:
            return "crash: signal %d" % -run.returncode
        if run.stderr.strip():
            return "error: " + run.stderr.strip()
        return run.stdout.strip() or None

    return one


def main():
    one = {"module": in_module, "shell": in_shell}[sys.argv[1]]()
    for case in json.load(open(os.path.join(HERE, "hosts.json"))):
        got = one(case["sql"])
        if "error" in case:
            right = (got or "").startswith("error: ") and case["error"] in got
        else:
            right = got is not None and str(got) == case["want"]
        print("ok" if right else "WRONG", case["name"], *([] if right else [
            "saw %r, wanted %r; alone: SO=%s %s %s %s" % (
                got, case.get("error", case.get("want")), SO, sys.executable,
                *sys.argv[:2])]))
    print("done")


main()
