"""A page header that somebody damaged gives an error, or the right rows.

Of every page of small files, each bit of the header is flipped, and each byte
becomes 0.  Nothing authenticates a header: there is no checksum of it.  But a
reader has much to compare: the type and sizes of the page, the values of the
chunk and where it ends, the rows of the offset index.  Each damaged file is read
by the queries below.  Each must fail, or give the rows of the file as it was.

There is a hole: only the header tells the encoding of its page.  Where nothing
but that changed, wrong rows are counted.  Conditions are not asked, because a
header's own bounds may be what was damaged.

Usage: page_headers.py EXTENSION FOLDER [EVERY [NAME]]
EVERY: one change out of so many, 1: all.  It has no factor of 9, which is the
number of changes to a byte.  NAME: of the files whose name has it.
The last line has the counts.
"""
import collections
import os
import re
import sqlite3
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, os.pardir, os.pardir)
sys.path.insert(0, os.path.join(HERE, os.pardir, "oracle"))

import parquet_file                                              # noqa: E402
from parquet_file import Column, Lists                           # noqa: E402

LARGEST = 4096                       # bytes of a sample
OLD = 1_000_000_000
ROWS, PER_PAGE = 24, 5

# Of a page: what is compared to see that only its encoding changed.
SHAPE = ("SELECT page_type, offset, header_size, compressed_size, "
         "uncompressed_size, num_rows, num_values FROM parquet_pages(?)")


def made(how, required=False):
    """Two columns of each type, whose pages could be taken for each other's."""
    columns = []
    for name in "ab":
        more = 0 if name == "a" else 100
        values = [None if i % 7 == 3 and not required else i % 6 + more
                  for i in range(ROWS)]
        columns += [
            Column([name + "_int"], "int32", values, required, how),
            Column([name + "_double"], "double",
                   [v and v / 2 for v in values], required, how),
            Column([name + "_text"], "string",
                   [v if v is None else b"%03d" % v for v in values],
                   required, how)]
    return columns


def lists():
    return [Lists(name, [None if i % 9 == 4 else
                         [i + more + k for k in range(i % 4)]
                         for i in range(ROWS)])
            for name, more in (("a", 0), ("b", 100))]


MADE = {
    "plain": lambda: made({"statistics"}),
    "required": lambda: made({"index"}, True),
    "index": lambda: made({"index", "v2", "statistics"}),
    "dictionary": lambda: made({"dictionary", "index"}),
    "dictionary_v2": lambda: made({"dictionary", "v2", "headers",
                                   "statistics", "null_count"}),
    "gzip": lambda: made({"dictionary", "gzip"}),
    "gzip_v2": lambda: made({"gzip", "v2", "index"}),
    "lists": lists,
}


ALL = "SELECT * FROM t"


def queries(has_index):
    """Without an index, a row is found by the counts of all pages before it, and
    only who reads to the end sees that these do not come to as many as the chunk
    has.  The rows asked for are the last of their page, so that all of its levels
    are read."""
    return [ALL] + ["SELECT * FROM t WHERE rowid = %d" % row
                    for row in (2 * PER_PAGE - 1, ROWS - 1) if has_index]


class Tester:
    def __init__(self, extension, folder, every):
        self.folder, self.every, self.turn = folder, every, 0
        self.db = sqlite3.connect(":memory:")
        self.db.enable_load_extension(True)
        self.db.load_extension(extension)
        self.counts, self.failed = collections.Counter(), 0
        self.messages = collections.Counter()

    def rows(self, path, asked):
        """For each query its rows, or None."""
        out = []
        try:
            self.db.execute("CREATE VIRTUAL TABLE temp.t USING parquet('%s')"
                            % path)
        except sqlite3.Error as error:
            self.error(error)
            return [None] * len(asked)
        for query in asked:
            try:
                out.append(repr(self.db.execute(query).fetchall()))
            except sqlite3.Error as error:
                self.error(error)
                out.append(None)
        self.db.execute("DROP TABLE temp.t")
        return out

    def error(self, error):
        self.messages[re.sub(r"\d+", "N", str(error).split(".parquet")[-1])] += 1

    def fail(self, words):
        self.failed += 1
        if self.failed <= 20:
            print("FAIL " + words)

    def shape(self, path):
        try:
            return self.db.execute(SHAPE, (path,)).fetchall()
        except sqlite3.Error:
            return None

    def headers(self, path):
        """(offset, size) of each page header, but for those of other files."""
        return self.db.execute(
            "SELECT DISTINCT offset, header_size FROM parquet_pages(?)",
            (path,)).fetchall()

    def changes(self, path, data):
        for begin, size in self.headers(path):
            for at in range(begin, begin + size):
                yield begin, at, 0
                for bit in range(8):
                    yield begin, at, data[at] ^ 1 << bit

    def file(self, name, path):
        with open(path, "rb") as f:
            data = f.read()
        path = os.path.join(self.folder, name + ".parquet")
        with open(path, "wb") as f:
            f.write(data)
        asked = queries(name in MADE and self.db.execute(
            "SELECT count(offset_index_offset) = count(*) "
            "FROM parquet_metadata(?)", (path,)).fetchone()[0])
        right = self.rows(path, asked)
        if None in right:
            self.fail("%s: as it is: %r" % (name, self.messages))
            return
        shape = self.shape(path)
        for begin, at, byte in list(self.changes(path, data)):
            self.turn += 1
            if byte == data[at] or self.turn % self.every:
                continue
            changed = bytearray(data)
            changed[at] = byte
            with open(path, "wb") as f:
                f.write(changed)
            os.utime(path, (OLD + self.turn, OLD))
            got = self.rows(path, asked)
            wrong = [q for q, rows, was in zip(asked, got, right)
                     if rows is not None and rows != was]
            if wrong and self.shape(path) == shape:
                self.counts["wrong by the encoding"] += 1
            elif wrong:
                self.fail("%s: header at %d, byte %d is %#x instead of %#x: "
                          "other rows of %s" % (name, begin, at - begin, byte,
                                                data[at], wrong[0]))
            else:
                self.counts["caught" if None in got else "right rows"] += 1
        os.remove(path)


def files(folder, wanted):
    """(name, path)"""
    for name, columns in MADE.items():
        if wanted in name:
            path = os.path.join(folder, name + ".made")
            parquet_file.write(path, columns(), [ROWS // 2, ROWS - ROWS // 2],
                               PER_PAGE)
            yield name, path
    for where in ("test/hostile", "test/samples"):
        where = os.path.join(ROOT, where)
        for name in sorted(os.listdir(where)):
            path = os.path.join(where, name)
            if name.endswith(".parquet") and wanted in name and \
                    not name.startswith(("sealed", "duckdb_empty")) and \
                    os.path.getsize(path) <= LARGEST:
                yield name[:-len(".parquet")], path


def main():
    extension, folder = sys.argv[1:3]
    every = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    os.makedirs(folder, exist_ok=True)
    tester = Tester(os.path.abspath(extension).removesuffix(".so"), folder, every)
    for name, path in files(folder, sys.argv[4] if len(sys.argv) > 4 else ""):
        before = sum(tester.counts.values())
        tester.file(name, path)
        if sum(tester.counts.values()) == before:
            tester.fail("%s: nothing was changed" % name)
    if "-v" in sys.argv:
        for words, n in tester.messages.most_common(60):
            print("  %7d %s" % (n, words))
    print("page-headers: %d passed, %d failed, 0 skipped" % (
        sum(tester.counts.values()), tester.failed))
    print("  " + ", ".join("%d %s" % (n, w) for w, n in tester.counts.items()))
    sys.exit(tester.failed > 0)


main()
