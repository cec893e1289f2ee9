"""cli.py - the program parquet as a person uses it: in a terminal, in pipes, with wrong
arguments, wrong files, an interrupt, a closed pipe and a full disk.

    cli.py PROGRAM FOLDER       FOLDER is made anew
"""
import base64
import csv
import fcntl
import http.server
import io
import json
import os
import pty
import select
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import termios
import threading
import time

program, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
trips = os.path.join(top, "test/samples/trips.parquet")
ENDLESS = ("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
           "SELECT x FROM c")
SILENT = ENDLESS.replace("SELECT x FROM", "SELECT count(*) FROM")
passed = failed = 0


def check(what, good, seen=""):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print(f"FAIL {what}\n     got: {str(seen)[:600]}")


def run(*words, stdin=b"", environment=None, **more):
    """Status, output, messages."""
    p = subprocess.run([program, *words], input=stdin, capture_output=True, cwd=folder,
                       timeout=60, env={**clean, **(environment or {})}, **more)
    return p.returncode, p.stdout, p.stderr.decode()


def is_same(what, wanted, *words, **more):
    status, out, said = run(*words, **more)
    check(what, (status, out) == (0, wanted), (status, out, said))


def fails(what, status, text, *words, **more):
    got, out, said = run(*words, **more)
    check(what, got == status and text in said and out == b"", (got, out, said))


class Terminal:
    """A program whose input and output are a terminal."""

    def __init__(self, *words, columns=80, rows=24):
        self.out = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                os.chdir(folder)
                os.execve(program, [program, *words], clean)
            finally:
                os._exit(127)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("4H", rows, columns, 0, 0))

    def read(self, seconds):
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            more = os.read(self.fd, 65536)
        except OSError:
            return False
        self.out += more
        return bool(more)

    def wait(self, text, seconds=20):
        """Until the text is there; what came since then is looked at next time."""
        end = time.time() + seconds
        while text not in self.out and time.time() < end:
            self.read(0.2)
        found = text in self.out
        self.out = self.out.partition(text)[2] if found else self.out
        return found

    def type(self, text):
        os.write(self.fd, text)

    def end(self):
        """The status as a shell has it, and all the output."""
        end = time.time() + 60
        while time.time() < end and self.read(20):
            pass
        if time.time() > end or select.select([self.fd], [], [], 0)[0] == []:
            os.kill(self.pid, signal.SIGKILL)
        status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self.fd)
        return (128 - status if status < 0 else status), self.out.decode()


def in_terminal(*words, columns=80):
    # The width has to be known before the program asks.
    clean["COLUMNS"] = str(columns)
    try:
        return Terminal(*words, columns=columns).end()
    finally:
        del clean["COLUMNS"]


def width(line):
    from unicodedata import east_asian_width
    return sum(2 if east_asian_width(c) in "WF" else 1 for c in line)


# --- what is said about itself -------------------------------------------------

def of_itself():
    status, out, _ = run("--help")
    lines = out.decode().splitlines()
    check("the help is a page", status == 0 and 20 < len(lines) <= 60
          and max(map(len, lines)) <= 80, out.decode())
    check("help is a command too", run("help")[1] == out)
    status, out, _ = run("--version")
    check("the version", status == 0 and out.startswith(b"parquet 0."), out)
    fails("an unknown option", 2, "--nosuch is not an option here", "--nosuch")
    fails("... beside a query", 2, "--nosuch is not", "SELECT 1", "--nosuch=1")
    fails("an unknown letter", 2, "-x is not an option", "-x")
    fails("a command with a slip", 2, "did you mean summary?", "sumary", "x.parquet")
    for form in "csv", "json", "ndjson", "list", "box":
        is_same("a statement without columns as " + form, b"", "-o", form, "CREATE TABLE t(a)")
    fails("an unknown format", 2, "-o has to be", "-o", "xml", "SELECT 1")
    fails("a missing value", 2, "followed by its value", "SELECT 1", "-o")
    fails("a flag with a value", 2, "has no value", "--help=x")
    fails("a wrong number", 2, "has to be a number", "--rows=x", "SELECT 1")
    fails("too few words", 2, "parquet copy QUERY FILE", "copy", "SELECT 1")
    fails("too many words", 2, "parquet export FOLDER", "export", "a", "b", "--db=x")
    fails("no database", 2, "export needs --db", "export", "out")
    fails("rows of what has none", 2, "does not write rows", "export", "-o", "csv", "o",
          "--db=x")


# --- values in formats -----------------------------------------------------------

VALUES = ("SELECT 1 AS a, NULL AS b, '' AS c, 'x,y' AS d, 'q\"q' AS e, 'l' || char(10) AS f, "
          "x'41ff' AS g, 1e999 AS h, -9223372036854775808 AS i, 0.1 + 0.2 AS j, "
          "'n' || char(0) || 'm' AS k, -0.0 AS l, 'ü' AS m")


def values():
    is_same("CSV", b'a,b,c,d,e,f,g,h,i,j,k,l,m\r\n1,,"","x,y","q""q","l\n",41FF,Inf,'
            b'-9223372036854775808,0.30000000000000004,n\0m,-0.0,\xc3\xbc\r\n', VALUES)
    is_same("list", b'1|||x,y|q"q|l\n|41FF|Inf|-9223372036854775808|0.30000000000000004|'
            b'n\0m|-0.0|\xc3\xbc\n', "-o", "list", VALUES)
    wanted = {"a": 1, "b": None, "c": "", "d": "x,y", "e": 'q"q', "f": "l\n", "g": "41FF",
              "h": float("inf"), "i": -9223372036854775808, "j": 0.1 + 0.2, "k": "n\0m",
              "l": -0.0, "m": "ü"}
    status, out, _ = run("-ojson", VALUES + " UNION ALL " + VALUES)
    check("JSON", status == 0 and json.loads(out) == [wanted, wanted], out)
    status, out, _ = run("--output=ndjson", VALUES + " UNION ALL " + VALUES)
    check("JSON lines", [json.loads(x) for x in out.splitlines()] == [wanted, wanted], out)
    nested = f"SELECT tags, route FROM '{trips}' WHERE id = 2"
    is_same("nested values are JSON in JSON",
            b'{"tags":["group"],"route":{"from":"Old Town","to":"Museum"}}\n',
            "-o", "ndjson", nested)
    is_same("... after a sort too", b'{"tags":["group"]}\n', "-o", "ndjson",
            f"SELECT tags FROM (SELECT * FROM '{trips}' ORDER BY fare + 0) WHERE id = 2")
    is_same("what only says that it is a list is a text", b'{"x":"]"}\n', "-o", "ndjson",
            "CREATE TEMP TABLE t(x 'LIST<INT>'); INSERT INTO t VALUES (']'); SELECT * FROM t")
    is_same("bytes that are not UTF-8 in JSON", '{"x":"a\ufffd"}\n'.encode(), "-o", "ndjson",
            "SELECT CAST(x'61ff' AS TEXT) AS x")
    for form, wanted in (("csv", b"a,b\r\n"), ("json", b"[]\n"), ("ndjson", b""),
                         ("list", b""), ("box", b"")):
        is_same(f"no rows: {form}", wanted, "-o", form, "SELECT 1 AS a, 2 AS b WHERE 0")
    is_same("several statements", b"a\r\n1\r\nb\r\n2\r\n", "SELECT 1 AS a; SELECT 2 AS b;")
    is_same("a comment first", b"a\r\n1\r\n", "-- one\nSELECT 1 AS a")
    is_same("several words", b"a\r\n1\r\nb\r\n2\r\n", "SELECT 1 AS a", " select 2 AS b")
    status, out, said = run("-o", "json", "SELECT 1 AS a UNION ALL SELECT abs(-1 << 63)")
    check("an error after a row", status == 1 and out.startswith(b'[{"a":1}')
          and b"]" not in out and "integer overflow" in said, (status, out, said))
    is_same("all the rows in a pipe", b"5000\n", "-o", "list",
            "SELECT count(*) FROM generate_series(1, 5000)")
    status, out, _ = run("-o", "box", "SELECT value FROM generate_series(1, 5000)")
    check("... in a box too", out.decode().count("\n") == 5004, out[-200:])


# --- files -------------------------------------------------------------------------

def files():
    status, out, _ = run(trips)
    page = out.decode()
    check("a page", status == 0 and "4,096 rows, 10 columns, 61.3 kB" in page
          and "TIMESTAMP TEXT" in page and page.count("2024-03-01 00:") > 5, page)
    with open(trips, "rb") as f:
        data = f.read()
    is_same("a page of stdin", out.replace(trips.encode(), b"-"), "-", stdin=data)
    is_same("a table that is a path", b"4096\n", "-o", "list",
            f"SELECT count(*) FROM '{trips}'")
    is_same("... in a subquery and a join", b"4096\n", "-o", "list",
            f"SELECT (SELECT count(*) FROM '{trips}' JOIN \"{trips}\" USING (id))")
    is_same("... of stdin", b"4096\n", "-o", "list", "SELECT count(*) FROM '-'", stdin=data)
    status, out, _ = run("-o", "csv", trips)
    rows = list(csv.reader(io.StringIO(out.decode(), newline="")))
    check("the rows of a file", len(rows) == 4097 and rows[1][4] == "cash", rows[:2])
    for name in ("a", "b"):
        run("copy", f"SELECT '{name}' AS x", f"{name}.parquet")
    is_same("several files are one table", b"x\r\na\r\nb\r\n", "-o", "csv", "a.parquet",
            "b.parquet")
    status, out, _ = run("a.parquet", "b.parquet")
    check("several files are several pages", out.count(b"1 rows, 1 columns") == 2, out)
    is_same("a glob", b"x\r\na\r\nb\r\n", "-o", "csv", "[ab].parquet")
    is_same("options of the table", b"{\"x\":\"a\"}\n", "-o", "ndjson", "a.parquet",
            "--threads=1")
    status, out, _ = run("-o", "parquet", f"SELECT id, fare FROM '{trips}'")
    check("Parquet on stdout", out[:4] == b"PAR1" == out[-4:], out[:20])
    is_same("... and back", b"4096|8390656\n", "-o", "list",
            "SELECT count(*), sum(id) FROM '-'", stdin=out)
    check("no files are left", not [x for x in os.listdir(clean["TMPDIR"])],
          os.listdir(clean["TMPDIR"]))
    is_same("looking", b"column\r\nid\r\n", "SELECT column FROM parquet_summary"
            f"('{trips}') WHERE column = 'id'")
    for command in ("describe", "summary", "schema", "metadata", "row-groups", "pages"):
        status, out, said = run(command, trips)
        check(command, status == 0 and len(out) > 100, (status, out, said))
    is_same("an option of a function", run("schema", trips)[1], "schema", trips,
            "--timeout=60")

    fails("a file that is not there", 1, "nosuch.parquet: cannot open", "nosuch.parquet")
    fails("... in a query", 1, "nosuch.parquet: cannot open",
          "SELECT * FROM 'nosuch.parquet'")
    fails("a table that is not there", 1, "no such table: nosuch", "SELECT * FROM nosuch")
    fails("what is not SQL", 1, "syntax error", "SELEC 1")
    with open(os.path.join(folder, "empty.parquet"), "wb"):
        pass
    fails("an empty file", 1, "the file is empty", "empty.parquet")
    with open(os.path.join(folder, "cut.parquet"), "wb") as f:
        f.write(data[:30000])
    fails("a file that was cut off", 1, "it was cut off", "cut.parquet")
    fails("a text", 1, "not a Parquet file", __file__)
    os.mkdir(os.path.join(folder, "nothing"))
    fails("a folder without files", 1, "nothing", "nothing")
    fails("an empty pipe", 1, "", "-o", "csv", "-")
    fails("a server that is not there", 1, "127.0.0.1", "http://127.0.0.1:1/a.parquet",
          "--retries=0")
    shut = os.path.join(folder, "shut.parquet")
    shutil.copy(trips, shut)
    os.chmod(shut, 0)
    if os.geteuid() == 0:
        os.chmod(folder, 0o755)
        fails("no permission", 1, "ermission denied", "shut.parquet", user=65534)
    else:
        fails("no permission", 1, "ermission denied", "shut.parquet")

    run("copy", f"SELECT * FROM '{trips}'", "sums.parquet")
    is_same("a file in order", run("-o", "csv", "SELECT * FROM parquet_verify("
            "'sums.parquet')")[1], "verify", "sums.parquet")
    with open(os.path.join(folder, "sums.parquet"), "r+b") as f:
        f.seek(400)
        f.write(b"\0\xff\0\xff")
    status, out, _ = run("verify", "sums.parquet")
    check("a damaged file", status == 1 and b",error," in out, (status, out))
    status, out, _ = run("verify", "-o", "box", "sums.parquet")
    check("... in a box", status == 1 and "│ error " in out.decode(), (status, out))


# --- commands ------------------------------------------------------------------------

def commands():
    is_same("copy", b"4096\n", "copy", f"SELECT * FROM '{trips}'", "copy.parquet",
            "--compression=gzip", "--created-by=me", "--columns.id.compression=zstd",
            "--kv-metadata.a=b")
    is_same("its options", b"GZIP|me|b\nZSTD|me|b\n", "-o", "list",
            "SELECT DISTINCT compression, created_by, CAST(m.value AS TEXT)"
            " FROM parquet_metadata('copy.parquet'), parquet_file_metadata('copy.parquet'),"
            " parquet_kv_metadata('copy.parquet') m ORDER BY 1")
    is_same("an option twice", b"4096\n", "copy", f"SELECT * FROM '{trips}'", "by",
            "--partition-by=payment", "--partition-by=passengers")
    check("... is a list", os.path.isdir(os.path.join(folder, "by/payment=app/passengers=1")))
    is_same("an option as JSON", b"4096\n", "copy", f"SELECT * FROM '{trips}'", "by2",
            '--partition-by=["payment"]')
    fails("an option that is not there", 1, "compresion", "copy", "SELECT 1", "no.parquet",
          "--compresion=zstd")
    fails("a query that is not there", 1, "syntax error", "copy", "SELEC 1", "no.parquet")
    check("nothing was written", not os.path.exists(os.path.join(folder, "no.parquet")))

    db = os.path.join(folder, "shop.db")
    with sqlite3.connect(db) as c:
        c.execute("CREATE TABLE t(a INTEGER PRIMARY KEY, b)")
        c.executemany("INSERT INTO t VALUES (?, ?)", [(1, "x"), (2, b"y"), (3, None)])
        c.execute(f'CREATE VIEW v AS SELECT * FROM "{trips}"')
    status, out, said = run("export", "--db", db, "out", "--compression=zstd")
    check("export", json.loads(out)["rows"] == 3, (out, said))
    status, out, said = run("import", "--db=again.db", "out")
    again = run("-o", "list", "--db", "again.db", "SELECT a, typeof(b) FROM t")
    check("import", again[1] == b"1|text\n2|blob\n3|null\n", (out, said, again))
    fails("a view does not open files", 1, "no such table: main.", "--db", db,
          "SELECT * FROM v")
    run("--db=views.db", f"CREATE VIRTUAL TABLE f USING parquet('{trips}');"
        " CREATE VIEW v AS SELECT count(*) AS n FROM f")
    fails("a view over a table of files", 1, "--trust", "--db=views.db", "SELECT * FROM v")
    is_same("... that is trusted", b"n\r\n4096\r\n", "--db=views.db", "--trust",
            "SELECT * FROM v")
    is_same("... in the shell", b"4096\n", "--db=views.db", "--trust",
            stdin=b"SELECT * FROM v;")
    fails("... that is not, in the shell", 1, "unsafe use", "--db=views.db",
          stdin=b"SELECT * FROM v;")
    fails("a database that is not there", 1, "nosuch.db: unable to open", "export",
          "--db=nosuch.db", "out2")
    check("... is not made", not os.path.exists(os.path.join(folder, "nosuch.db")))
    have = run("-o", "list", "SELECT name FROM pragma_function_list")[1].decode().split()
    for command, words in (("archive", ["t", "1", "f"]), ("restore", ["t", "1"]),
                           ("archive-drop", ["t", "1"]), ("rewrite", ["a", "b"]),
                           ("compact", ["f"])):
        function = "parquet_" + command.replace("-", "_")
        if function not in have:
            fails(f"without {function}", 1, f"built without {function}", command, *words,
                  "--db", db)


def keys():
    key = base64.b64encode(b"0123456789abcdef") + b"\n"
    path = os.path.join(folder, "kf.key")
    with open(path, "wb") as f:
        f.write(key)
    os.chmod(path, 0o600)
    is_same("a key of a file", b"1\n", "copy", "SELECT 7 AS x", "sealed.parquet",
            "--key-file=kf=kf.key", "--encryption.footer_key=kf")
    is_same("... opens it", b"x\r\n7\r\n", "-o", "csv", "sealed.parquet",
            "--footer-key=kf", "--key-file", "kf=kf.key")
    fails("without it", 1, "key", "-o", "csv", "sealed.parquet", "--footer_key=kf")
    os.chmod(path, 0o644)
    fails("a key that others may read", 1, "chmod 600", "-o", "csv", "sealed.parquet",
          "--footer-key=kf", "--key-file", "kf=kf.key")
    t = Terminal("-o", "csv", "sealed.parquet", "--footer-key=kf", "--ask-key=kf")
    asked = t.wait(b"key kf in base64: ")
    t.type(key)
    status, out = t.end()
    check("a key that is asked for", asked and status == 0 and "7" in out
          and key.decode().strip() not in out, (asked, status, out))
    t = Terminal("SELECT 1", "--ask-key=kf")
    t.wait(b"base64: ")
    t.type(b"x\x03")
    status, out = t.end()
    check("... an interrupt ends it", status == 130 and "x" not in out, (status, out))
    fails("... without a terminal", 1, "only be asked for on a terminal", "SELECT 1", "--ask-key=kf",
          start_new_session=True)
    secret = os.path.join(folder, "secret.json")
    with open(secret, "w") as f:
        f.write('{"bearer_token": "hidden"}')
    fails("a secret that others may read", 1, "chmod 600", "SELECT 1",
          "--secret-file=https://a.example/=secret.json")
    os.chmod(secret, 0o600)
    is_same("a secret of a file", b"1\r\n1\r\n", "SELECT 1",
            "--secret-file=https://a.example/=secret.json", "--allow=https://b.example/")
    fails("a secret on the command line", 1, "No such file",
          "SELECT 1", '--secret-file=https://a.example/={"bearer_token": "x"}')


class Server:
    """Answers 404, and remembers what it was asked."""

    def __init__(self):
        asked = self.asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append((self.path, self.headers.get("Authorization") or ""))
                self.send_error(404)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def the_environment():
    server = Server()
    aws = {"AWS_ACCESS_KEY_ID": "ME", "AWS_SECRET_ACCESS_KEY": "hidden", "AWS_REGION": "x",
           "AWS_ENDPOINT_URL": server.url}

    def asks(what, signed, *words):
        del server.asked[:]
        status, _, said = run(*words, environment=aws)
        seen = [a.startswith("AWS4-HMAC-SHA256 Credential=ME/") for _, a in server.asked]
        check(what, status == 1 and seen and all(seen) if signed else not seen,
              (status, said, server.asked))
        check("no secret in a message", "hidden" not in said, said)

    asks("a bucket that was named", True, "s3://mine/a.parquet")
    asks("... in a command", True, "schema", "s3://mine/a.parquet")
    asks("... in FROM", True, "SELECT * FROM 's3://mine/a.parquet'")
    db = os.path.join(folder, "theirs.db")
    run("--db", db, "CREATE TABLE own(x)")
    with sqlite3.connect(db) as c:
        c.execute("PRAGMA writable_schema = 1")
        c.execute("INSERT INTO sqlite_schema VALUES ('table', 't', 't', 0, "
                  "'CREATE VIRTUAL TABLE t USING parquet(''s3://theirs/a.parquet'')')")
    asks("a bucket that only a database names", False, "--db", db, "SELECT * FROM t")
    asks("... beside one that was named", False, "--db", db, "-o", "csv",
         f"SELECT * FROM '{trips}', t")
    asks("... with all of them allowed", True, "--db", db, "SELECT * FROM t", "--aws")


# --- Unix ------------------------------------------------------------------------------

def unix():
    for form in ("csv", "json", "ndjson", "list"):
        p = subprocess.Popen([program, "-o", form, ENDLESS], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
        p.stdout.read(10)
        p.stdout.close()
        said = p.stderr.read()
        check(f"a closed pipe: {form}", p.wait(10) == -signal.SIGPIPE and said == b"",
              (p.returncode, said))
    with open("/dev/full", "wb") as full:
        for words in (["SELECT 1"], [trips], ["--help"], ["-o", "parquet", trips],
                      ["describe", trips]):
            p = subprocess.run([program, *words], stdout=full, stderr=subprocess.PIPE)
            check("a full disk", p.returncode == 1 and b"No space left" in p.stderr,
                  (words, p))

    for words in ([SILENT], ["-o", "csv", ENDLESS],
                  ["copy", ENDLESS, os.path.join(folder, "endless.parquet")],
                  ["-o", "parquet", ENDLESS]):
        with open("/dev/null", "wb") as null:
            p = subprocess.Popen([program, *words], stdout=null, stderr=subprocess.PIPE,
                                 env=clean)
        time.sleep(0.7)
        p.send_signal(signal.SIGINT)
        try:
            p.wait(10)
        finally:
            p.kill()
        check("an interrupt", p.returncode == -signal.SIGINT, (words, p.returncode))
    check("... leaves nothing", not [x for x in os.listdir(folder) if "endless" in x]
          and not os.listdir(clean["TMPDIR"]), os.listdir(folder))
    status = subprocess.run(["bash", "-c", f"timeout -s INT 0.5 '{program}' '{SILENT}'; echo $?"],
                            capture_output=True).stdout
    check("... is 124 to timeout", status.endswith(b"124\n"), status)
    with open("/dev/null") as null:
        p = subprocess.run([program], stdin=null, capture_output=True)
    check("a script that is empty", p.returncode == 0 and p.stdout == b"", p)


def scripts():
    is_same("a script", b"1|x\n4096\n", stdin=b".separator |\nSELECT 1,\n'x';\n"
            b"SELECT count(*) FROM '" + trips.encode() + b"';\n")
    fails("a script that fails", 1, "no such table: nosuch", stdin=b"SELECT * FROM nosuch;")
    is_same("SQL of stdin", b'{"a":1}\n{"b":2}\n', "-o", "ndjson",
            stdin=b"SELECT 1 AS a;\n-- no more\nSELECT 2 AS b;\n")
    is_same("the shell's own arguments", b"7\n", "shell", "-list", ":memory:", "SELECT 7")


# --- terminals ---------------------------------------------------------------------------

def terminals():
    for columns in (40, 80, 130, 250):
        status, out = in_terminal(f"SELECT * FROM '{trips}' LIMIT 3", columns=columns)
        widest = max(map(width, out.splitlines()))
        check(f"a box in {columns} columns", status == 0 and widest <= columns and
              "Airport" in out, out)
    status, out = in_terminal("SELECT '日本語' AS a, 'שלום' AS b, printf('%.*c', 5000, 'x')")
    check("wide characters", len({width(x) for x in out.splitlines() if x[0] in "╭╰│├╞"
                                  }) == 1 and out.count("x") < 320, out)
    status, out = in_terminal("SELECT value FROM generate_series(1, 5000)")
    check("many rows", "(the first 1000 rows; --rows=0 shows all)" in out
          and "1001" not in out, out[-300:])
    status, out = in_terminal("--rows=0", "SELECT value FROM generate_series(1, 5000)")
    check("all rows", " 5000 " in out, out[-300:])
    status, out = in_terminal("SELECT 1 WHERE 0")
    check("no rows", out == "(no rows)\r\n", out)
    status, out = in_terminal("-o", "parquet", "SELECT 1")
    check("no Parquet on a terminal", status == 2 and "a terminal cannot show" in out, out)

    evil = "char(27) || '[2J' || char(155) || '2J' || char(8238) || char(7)"
    run("copy", f"SELECT {evil} AS \"a\x1b[31m\"", "evil.parquet")
    for words in (["evil.parquet"], ["SELECT * FROM 'evil.parquet'"],
                  ["describe", "evil.parquet"], ["summary", "evil.parquet"],
                  ["schema", "evil.parquet"], [f"SELECT \"\x1b[2J\" FROM '{trips}' WHERE \x1b"],
                  ["\x1b[2J.parquet"]):
        status, out = in_terminal(*words)
        check("nothing that a terminal acts on", not any(c in out for c in "\x1b\x9b\u202e\x07"),
              (words, out))

    for form, wanted in (("csv", b"a,b\r\r\n1,\r\r\n"), ("json", b'[{"a":1,"b":null}]'),
                         ("ndjson", b'{"a":1,"b":null}'), ("list", b"\n1|\r\n"),
                         ("box", "│ 1 │   │".encode())):
        t = Terminal("-o", form)
        t.wait(b"parquet> ")
        t.type(b"SELECT 1 AS a, NULL AS b;\n")
        t.wait(b";")
        check(f"the shell: {form}", t.wait(wanted), t.out)
        t.type(b".quit\n")
        t.end()
    t = Terminal()
    good = t.wait(b"parquet> ")
    t.type("SELECT hex('é日'), 'é日';\n".encode())
    check("the shell: typing more than ASCII", t.wait("'é日';".encode())
          and t.wait(b"C3A9E697A5"), t.out)
    t.type(f"SELECT count(*) FROM '{trips}'\n".encode())
    good = good and t.wait(b"...> ")
    t.type(b"WHERE id < 8;\n")
    check("the shell: a statement over several lines", good and t.wait(b" 7 "), t.out)
    t.type(SILENT.encode() + b";\n")
    t.wait(b";")
    time.sleep(0.7)
    t.type(b"\x03")
    check("... an interrupt stops the statement", t.wait(b"interrupted"), t.out)
    t.type(b"SELECT 6 * 7;\n")
    check("... and no more", t.wait(b" 42 "), t.out)
    t.type(b".tables\n.quit\n")
    status, out = t.end()
    check("... it ends", status <= 1, (status, out))
    status, out = in_terminal("copy", f"SELECT a.* FROM '{trips}' a, generate_series(1, 300)",
                              "long.parquet")
    check("a long copy says how far it is", status == 0 and out.count("\r") > 1, out)


shutil.rmtree(folder, ignore_errors=True)
os.makedirs(os.path.join(folder, "tmp"))
clean = {"PATH": os.environ["PATH"], "HOME": folder, "TMPDIR": os.path.join(folder, "tmp"),
         "TERM": "xterm", "LANG": "C.UTF-8",
         **{k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}}
for part in (of_itself, values, files, commands, keys, the_environment, unix, scripts, terminals):
    try:
        part()
    except Exception as e:              # a part that breaks off is a failure
        check(part.__name__, False, repr(e))
print(f"cli: {passed} passed, {failed} failed, 0 skipped")
sys.exit(failed > 0)
