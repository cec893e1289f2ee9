#!/usr/bin/env python3
"""Every value of the official sample files, and the damaged ones.

The checker and its expected values are in ../shared/conformance, outside of the
repository.  Each file there is one test.  Where the folder is absent, the suite
is skipped.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SHARED = os.environ.get("PARQUET_SHARED") or os.path.join(HERE, "../../shared")
SHARED = os.path.abspath(SHARED)
CHECKER = os.path.join(SHARED, "conformance", "check.py")
SO = os.environ.get("SO") or os.path.join(HERE, "../parquet.so")


def check(expected, *more):
    """(passed, failed): one test per file."""
    with tempfile.NamedTemporaryFile("r", suffix=".jsonl") as report:
        run = subprocess.run(
            [sys.executable, CHECKER, "--ext", SO, "--files", SHARED,
             "--expected", os.path.join(SHARED, "conformance", expected),
             "--report", report.name, *more, *sys.argv[1:]],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        print(run.stdout, flush=True)
        lines = [json.loads(line) for line in report]
    # The readers disagree on the values of some files, which have no verdict
    # (null).  Such a file passes if it can be read at all.
    failed = sum(bool(x["problems"]) or x["fate"] != "ok" for x in lines)
    if not lines or (run.returncode and not failed):
        failed += 1
    return len(lines) - failed if lines else 0, failed


def encrypted():
    """The files with published keys, and with wrong ones: (passed, failed)."""
    program = os.path.join(SHARED, "conformance", "encrypted.py")
    run = subprocess.run(
        [sys.executable, program, "--ext", SO, "--files", SHARED, "--expected",
         os.path.join(SHARED, "conformance", "encrypted.json")],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(run.stdout, flush=True)
    m = re.search(r"^(\d+) of (\d+) encrypted files right$", run.stdout, re.M)
    return (int(m[1]), int(m[2]) - int(m[1])) if m else (0, 1)


def geometries():
    """The files of geometries say what they are in texts and in a yaml."""
    sys.path.insert(0, os.path.join(HERE, "oracle"))
    import geo_samples
    return geo_samples.check(os.path.abspath(SO), os.path.join(
        SHARED, "parquet-testing/data/geospatial"))


def main():
    if not os.path.exists(CHECKER):
        print("without samples: all, and the checker that reads them")
        print("conformance: 0 passed, 0 failed, 1 skipped")
        return 0
    parts = [check("values.json"), check("hostile.json", "--hostile"),
             encrypted(), geometries()]
    passed, failed = (sum(column) for column in zip(*parts))
    print(f"conformance: {passed} passed, {failed} failed, 0 skipped")
    return failed != 0


sys.exit(main())
