"""first_hour.py - README.md and the manual, as a newcomer meets them.

The examples run as a reader would run them: the SQL of a page in one sqlite3
shell, the rest in bash, Python and Node, in a folder that looks like the source
tree after make.  An example fails if it gives an error, or if its SELECT gives
no row, or not as many as a comment such as "-- 3 rows" says.  A block without a
language that follows SQL is what the last statement prints, to the letter.  A
SELECT with a condition reads no whole table, unless ALL_ROWS has it, and the
notes of none say that a condition should be written otherwise.  The
lines of the table of hosts have to be those of the programs in test/hosts, which
run in the suite hosts.

    python3 test/first_hour.py [PAGE ...]       (SO=file: another library)
    python3 test/first_hour.py jobs             sql/jobs.md alone
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SO = os.path.abspath(os.environ.get("SO") or os.path.join(TOP, "parquet.so"))
MOST = 8000                             # bytes of the first page
HANGS = 600                             # seconds; nothing takes as long
# A block about files that nobody has here.  tcl/geo_recipes.test makes such files.
ELSEWHERE = "'overture/"
# Conditions for which all rows have to be read.
ALL_ROWS = ["FULL JOIN", "theirs.payments ON code = payment",
            't."items.ordinal" IS NULL']

passed = failed = skipped = 0


def judge(good, name, *said):
    global passed, failed
    passed, failed = passed + good, failed + (not good)
    if not good:
        print("FAIL", name, *said, sep="\n    ")
        print("    alone:  python3 test/first_hour.py")


def blocks(page):
    """(language, text, what it prints or None) of each fenced block."""
    return [(language, text, shown or None) for language, text, shown in
            re.findall(r"^```(\w+)\n(.*?)^```$(?:\n\n```\n(.*?)^```$)?",
                       page, re.M | re.S)]


def tree(folder):
    """What the page expects around it: a library, samples, a build folder."""
    shutil.copy(SO, os.path.join(folder, "parquet.so"))
    shutil.copytree(os.path.join(TOP, "test/samples"),
                    os.path.join(folder, "test/samples"))
    os.mkdir(os.path.join(folder, "build"))
    os.symlink(os.path.join(TOP, "test/interop/node_modules"),
               os.path.join(folder, "node_modules"))


def run(command, text, folder):
    return subprocess.run(command, input=text, cwd=folder, timeout=HANGS,
                          capture_output=True, text=True, errors="replace")


def statements(sql):
    """Lines of the shell, and statements with their comments before them.  What
    .once sends to a file is a part of it."""
    at = ""
    for line in sql.splitlines(keepends=True):
        at += line
        if line.startswith(".once"):
            continue
        if line.startswith(".") or line.rstrip().endswith(";"):
            yield at.strip()
            at = ""
    if at.strip():
        yield at.strip()


def bare(statement):
    """Without the comments before it."""
    return re.sub(r"^(--.*\n)*", "", statement)


def has_condition(statement):
    return bare(statement).startswith(("SELECT", "WITH")) and \
        re.search(r"\b(WHERE|ON)\b", statement)


def in_the_shell(page, folder):
    """Each statement with a mark after it, to tell its output from the next."""
    marked, list_ = "", []
    for sql, shown in page:
        block = list(statements(sql))
        list_ += [(statement, None) for statement in block[:-1]]
        list_ += [(block[-1], shown)]
    for i, (statement, _) in enumerate(list_):
        if has_condition(statement):
            marked += f"EXPLAIN QUERY PLAN {bare(statement)}\n.print ----\n"
        marked += f"{statement}\n.print ===={i}\n"
    marked += """SELECT notes FROM parquet_scan_stats()
        WHERE notes LIKE '%does not go down%';\n"""
    done = run(["sqlite3", "-init", "/dev/null", "-batch", "-bail", "-list", ":memory:"],
               marked, folder)
    out = re.split(r"^====\d+\n", done.stdout, flags=re.M)
    for i, (statement, shown) in enumerate(list_):
        said = out[i] if i < len(out) else ""
        plan, mark, after = said.partition("----\n")
        if has_condition(statement) and mark:
            said = after
            judge("reads all rows" not in plan or
                  any(words in statement for words in ALL_ROWS),
                  statement, "it reads all rows", plan)
        first = bare(statement)
        asks = first.upper().startswith(("SELECT", "EXPLAIN"))
        # A statement whose rows go to a file prints nothing.
        silent = ".once" in first
        ran = i + 1 < len(out)
        rows = re.search(r"^-- (\d+) rows?\b", statement, re.M)
        judge(ran and (said != "" or not asks or silent), statement,
              done.stderr.strip() or "it says nothing")
        judge(not ran or not rows or said.count("\n") == int(rows[1]),
              statement, f"it gives {said.count(chr(10))} rows")
        judge(not ran or not shown or plain(said) == plain(shown), statement,
              "it prints", *said.splitlines())
        if not ran:
            break
    judge("does not go down" not in out[-1], "a condition on a function", out[-1])
    return len(list_)


def plain(text):
    return [line.rstrip() for line in text.splitlines()]


def what_loads(page, folder):
    """The blocks before the first that loads a library which is not here."""
    global skipped
    for i, (sql, _) in enumerate(page):
        load = re.search(r"^\.load (mod_\w+)$", sql, re.M)
        if load and run(["sqlite3", ":memory:"], load[0], folder).returncode:
            print(f"skipped: {load[1]} does not load:"
                  " apt-get install libsqlite3-mod-spatialite")
            skipped += len(page) - i
            return page[:i]
    return page


def run_blocks(all_, folder):
    """The SQL of a page in one shell, and what is no SQL."""
    sql = [(text, shown) for language, text, shown in all_
           if language == "sql" and ELSEWHERE not in text]
    if not sql or not sql[0][0].startswith(".load"):
        sql = [(".load ./parquet\n", None)] + sql
    sql = what_loads(sql, folder)
    n = in_the_shell(sql, folder)
    runners = {"sh": ["bash", "-eu"], "python": [python(), "-"],
               "js": ["node", "-"]}
    for language, text, _ in all_:
        if language == "js" and run(
                ["node", "-e", "require('better-sqlite3')(':memory:')"], "",
                folder).returncode != 0:
            global skipped
            print("skipped: better-sqlite3 is not compiled")
            skipped += 1
        elif language in runners:
            done = run(runners[language], text, folder)
            judge(done.returncode == 0 and done.stdout.strip() != "",
                  text, done.stdout + done.stderr)
    return n


def hosts(page):
    """Every line of the table is in a program of test/hosts."""
    folder = os.path.join(TOP, "test/hosts")
    programs = ""
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as f:
                programs += f.read()
    table = page[page.index("\n## Hosts"):page.index("\n## Install")]
    lines = [line for row in re.findall(r"^\|(.*)\|$", table, re.M)[2:]
             for line in re.findall(r"`([^`]*)`", row.split("|")[1])]
    judge(len(lines) >= 20, "the table of hosts has its lines", str(lines))
    for line in lines:
        judge(line.rstrip(")") in programs, f"{line} is in no program of test/hosts")


def page_of(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as f:
        return f.read()


def first_page():
    page = page_of("README.md")
    judge(len(page.encode()) <= MOST,
          f"the page has {len(page.encode())} bytes, {MOST} at most")
    with tempfile.TemporaryDirectory() as folder:
        tree(folder)
        judge(run_blocks(blocks(page), folder) > 20, "the page has statements")
    hosts(page)


def main():
    names, n = sys.argv[1:], 0
    if not names:
        first_page()
    for page in names or sorted(os.listdir(os.path.join(TOP, "sql"))):
        if names or page.endswith(".md"):
            all_ = blocks(page_of(f"sql/{page.removesuffix('.md')}.md"))
            with tempfile.TemporaryDirectory() as folder:
                tree(folder)
                n += run_blocks(all_, folder)
    judge(bool(names) or n > 150, f"the manual has only {n} statements")
    print(f"first-hour: {passed} passed, {failed} failed, {skipped} skipped")
    return failed > 0


def python():
    """A Python whose sqlite3 loads extensions."""
    return "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else "python3"


sys.exit(main())
