"""Small Parquet files with everything that lets a reader skip data.

    write(path, columns, groups=[7, 20], page_rows=5)

Row groups and pages have a few rows, with statistics, page indexes,
dictionaries and Bloom filters that are right and as sharp as possible: exact
bounds, and dictionaries of exactly the values that occur.  So a reader that
misreads them cannot be right by luck.  A column is a Column below; its values
are what the file stores: integers, floats, bytes, None for null, and OUTER if
the struct around it is null.  With a plan (crypto_file.py) it is encrypted.
"""
import itertools
import math
import struct
import zlib

from bloom_filter import bloom_bits
import crypto_file


class Gone:
    """A null whose group around it is null too: its definition level."""

    def __init__(self, level):
        self.level = level


OUTER = Gone(0)

BOOLEAN, INT32, INT64, INT96, FLOAT, DOUBLE, BYTE_ARRAY, FIXED = range(8)
PLAIN, RLE_DICTIONARY, BYTE_STREAM_SPLIT = 0, 8, 9
UNCOMPRESSED, GZIP = 0, 2


# ---- compact Thrift ----------------------------------------------------------

def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def zigzag(n):
    return varint(n << 1 if n >= 0 else (-n << 1) - 1)


CODES = {"byte": 3, "i16": 4, "i32": 5, "i64": 6, "double": 7, "binary": 8, "list": 9,
         "struct": 12}


def element(kind, value):
    if kind == "byte":
        return struct.pack("b", value)
    if kind in ("i16", "i32", "i64"):
        return zigzag(value)
    if kind == "double":
        return struct.pack("<d", value)
    if kind == "binary":
        return varint(len(value)) + value
    if kind == "struct":
        return thrift(value)
    of, elements = value
    code = 1 if of == "bool" else CODES[of]
    n = len(elements)
    head = bytes([n << 4 | code]) if n < 15 else \
        bytes([0xf0 | code]) + varint(n)
    if of == "bool":
        return head + bytes(1 if e else 2 for e in elements)
    return head + b"".join(element(of, e) for e in elements)


def thrift(fields):
    """fields: (id, kind, value), in the order of the ids."""
    out, last = bytearray(), 0
    for number, kind, value in fields:
        code = (1 if value else 2) if kind == "bool" else CODES[kind]
        step = number - last
        out += (bytes([step << 4 | code]) if 0 < step < 16
                else bytes([code]) + zigzag(number))
        last = number
        if kind != "bool":
            out += element(kind, value)
    return bytes(out) + b"\0"


# ---- types -------------------------------------------------------------------

UNITS = {"MILLIS": 1, "MICROS": 2, "NANOS": 3}
UNIT_TICKS = {"MILLIS": 10**3, "MICROS": 10**6, "NANOS": 10**9}


def annotation(name, *arguments):
    """The field logicalType of a SchemaElement."""
    simple = {"STRING": 1, "MAP": 2, "LIST": 3, "ENUM": 4, "DATE": 6,
              "UNKNOWN": 11, "JSON": 12, "UUID": 14, "FLOAT16": 15}
    if name in simple:
        inner = (simple[name], "struct", [])
    elif name == "DECIMAL":
        precision, scale = arguments
        inner = (5, "struct", [(1, "i32", scale), (2, "i32", precision)])
    elif name == "VARIANT":
        inner = (16, "struct", [(1, "byte", 1)])
    elif name in ("GEOMETRY", "GEOGRAPHY"):
        inner = (17 if name == "GEOMETRY" else 18, "struct", arguments[0])
    elif name == "INT":
        bits, signed = arguments
        inner = (10, "struct", [(1, "byte", bits), (2, "bool", signed)])
    else:
        unit, utc = arguments
        inner = ({"TIME": 7, "TIMESTAMP": 8}[name], "struct",
                 [(1, "bool", utc),
                  (2, "struct", [(UNITS[unit], "struct", [])])])
    return [(10, "struct", [inner])]


class Type:
    """order: a stored value's place among others, or None if it has none."""

    def __init__(self, physical, logical=None, order=None, length=0):
        self.physical, self.logical, self.length = physical, logical, length
        self.order = order
        self.is_float = physical in (FLOAT, DOUBLE) or logical == ("FLOAT16",)

    def plain(self, v):
        p = self.physical
        if p == INT32:
            return struct.pack("<I", v & 0xffffffff)
        if p == INT64:
            return struct.pack("<Q", v & 0xffffffffffffffff)
        if p == FLOAT:
            return struct.pack("<f", v)
        if p == DOUBLE:
            return struct.pack("<d", v)
        if p == BOOLEAN:
            return bytes([v])
        return v

    def plains(self, values):
        """Those of many values; of one value made once."""
        if self.physical in (FLOAT, DOUBLE):         # -0.0 is 0.0 in a dict
            return list(map(self.plain, values))
        made = {v: self.plain(v) for v in set(values)}
        return list(map(made.__getitem__, values))

    def is_nan(self, v):
        if self.logical == ("FLOAT16",):
            v, = struct.unpack("<e", v)
        return self.is_float and math.isnan(v)


def identity(v):
    return v


def signed_bytes(v):
    return int.from_bytes(v, "big", signed=True)


def signed_little(v):
    return int.from_bytes(v, "little", signed=True)


def half(v):
    return struct.unpack("<e", v)[0]


def integer(bits, signed=True):
    return Type(INT64 if bits == 64 else INT32, ("INT", bits, signed), identity)


TYPES = {
    "boolean": Type(BOOLEAN, order=identity),
    "int32": Type(INT32, order=identity),
    "int64": Type(INT64, order=identity),
    "int8": integer(8), "int16": integer(16), "uint8": integer(8, False),
    "uint16": integer(16, False), "uint32": integer(32, False),
    "uint64": integer(64, False),
    "float": Type(FLOAT, order=identity),
    "double": Type(DOUBLE, order=identity),
    "float16": Type(FIXED, ("FLOAT16",), half, 2),
    "decimal_9_2": Type(INT32, ("DECIMAL", 9, 2), identity),
    "decimal_9_0": Type(INT32, ("DECIMAL", 9, 0), identity),
    "decimal_18_3": Type(INT64, ("DECIMAL", 18, 3), identity),
    "decimal_18_0": Type(INT64, ("DECIMAL", 18, 0), identity),
    "decimal_fixed_1": Type(FIXED, ("DECIMAL", 2, 1), signed_bytes, 1),
    "decimal_fixed_5": Type(FIXED, ("DECIMAL", 11, 4), signed_bytes, 5),
    "decimal_fixed_9": Type(FIXED, ("DECIMAL", 20, 0), signed_bytes, 9),
    "decimal_fixed_16": Type(FIXED, ("DECIMAL", 38, 10), signed_bytes, 16),
    "decimal_fixed_32": Type(FIXED, ("DECIMAL", 76, 0), signed_bytes, 32),
    "decimal_bytes": Type(BYTE_ARRAY, ("DECIMAL", 30, 2), signed_bytes),
    "date": Type(INT32, ("DATE",), identity),
    "time_ms": Type(INT32, ("TIME", "MILLIS", True), identity),
    "time_us": Type(INT64, ("TIME", "MICROS", False), identity),
    "time_ns": Type(INT64, ("TIME", "NANOS", True), identity),
    "timestamp_ms": Type(INT64, ("TIMESTAMP", "MILLIS", False), identity),
    "timestamp_us": Type(INT64, ("TIMESTAMP", "MICROS", True), identity),
    "timestamp_ns": Type(INT64, ("TIMESTAMP", "NANOS", False), identity),
    "timestamp_96_ms": Type(FIXED, ("TIMESTAMP", "MILLIS", True),
                            signed_little, 12),
    "timestamp_96_ns": Type(FIXED, ("TIMESTAMP", "NANOS", False),
                            signed_little, 12),
    "int96": Type(INT96),
    "string": Type(BYTE_ARRAY, ("STRING",), identity),
    "enum": Type(BYTE_ARRAY, ("ENUM",), identity),
    "json": Type(BYTE_ARRAY, ("JSON",), identity),
    "bytes": Type(BYTE_ARRAY, order=identity),
    "fixed_3": Type(FIXED, order=identity, length=3),
    "uuid": Type(FIXED, ("UUID",), identity, 16),
    "unknown": Type(INT32, ("UNKNOWN",)),
}


def is_null(v):
    return v is None or isinstance(v, Gone)


class Column:
    """how: a set of the features that it is written with; see HOW."""

    HOW = ("statistics", "null_count", "nan_count", "index", "dictionary",
           "bloom", "fallback", "page_counts", "split", "v2", "gzip",
           "truncated", "one_zero", "ignores_nans", "headers", "odd_headers")
    root = None                      # of a tree: see nested_columns.py
    geospatial = None                # statistics of values: see geo_file.py
    plain_from = None                # of fallback: a row that begins a page

    def __init__(self, path, kind, values, required=False, how=()):
        self.path, self.kind, self.type = path, kind, TYPES[kind]
        self.values, self.required, self.how = values, required, set(how)
        self.max_level, self.max_rep = (len(path) - 1) + (not required), 0

    def slots(self, rows):
        """The repetition levels and the values of some rows."""
        return None, rows


class Lists:
    """A column of lists of INT32: None, or lists with None among the numbers.
    Its pages are of version 1 and end after so many slots, maybe in the middle
    of a list; there is no metadata about their values."""

    kind, how, required, root = "list", set(), False, None
    geospatial = None

    def __init__(self, name, values):
        self.path, self.values = [name], values
        self.type = TYPES["int32"]

    def slots(self, values):
        """(repetition level, definition level, number or None)"""
        for row in values:
            if not row:
                yield 0, 0 if row is None else 1, None
                continue
            for i, v in enumerate(row):
                yield int(i > 0), 2 + (v is not None), v

    def page(self, slots, lock, number):
        reps = runs([s[0] for s in slots], 1)
        defs = runs([s[1] for s in slots], 2)
        body = struct.pack("<I", len(reps)) + reps + \
            struct.pack("<I", len(defs)) + defs + \
            b"".join(self.type.plain(s[2]) for s in slots if s[2] is not None)
        packed = lock.page(b"", body, number)
        return lock.seal(crypto_file.DATA_PAGE_HEADER, thrift([
            (1, "i32", 0), (2, "i32", len(body)), (3, "i32", len(packed)),
            (5, "struct", [(1, "i32", len(slots)), (2, "i32", PLAIN),
                           (3, "i32", 3), (4, "i32", 3)])]), number) + packed

    def write_chunk(self, out, values, page_slots, lock):
        begin, slots = len(out), list(self.slots(values))
        for at in range(0, len(slots), page_slots):
            out += self.page(slots[at:at + page_slots], lock, at // page_slots)
        size = len(out) - begin
        path = [self.path[0].encode(), b"list", b"element"]
        return begin, [(1, "i32", INT32), (2, "list", ("i32", [PLAIN, 3])),
                       (3, "list", ("binary", path)), (4, "i32", UNCOMPRESSED),
                       (5, "i64", len(slots)), (6, "i64", size),
                       (7, "i64", size), (9, "i64", begin)], [], []

    def elements(self):
        group = [(3, "i32", 1), (4, "binary", self.path[0].encode()),
                 (5, "i32", 1), (6, "i32", 3),
                 (10, "struct", [(3, "struct", [])])]
        return [group, [(3, "i32", 2), (4, "binary", b"list"), (5, "i32", 1)],
                [(1, "i32", INT32), (3, "i32", 1), (4, "binary", b"element")]]


# ---- bounds ------------------------------------------------------------------

def shorter(low, high, size=2):
    """Bounds cut to two bytes, the upper one made larger; None if it cannot."""
    if len(high) > size:
        cut = bytearray(high[:size])
        while cut and cut[-1] == 0xff:
            cut.pop()
        if not cut:
            return None
        cut[-1] += 1
        high = bytes(cut)
    return low[:size], high


def bounds(column, values):
    """The least and the greatest as PLAIN, or None."""
    t = column.type
    some = [v for v in values if not is_null(v)]
    if not some or not t.order:
        return None
    if t.is_float:
        # A writer may leave NaNs out of bounds, or leave bounds out for them.
        if any(t.is_nan(v) for v in some) and "ignores_nans" not in column.how:
            return None
        some = [v for v in some if not t.is_nan(v)]
        if not some:
            return None
        low, high = min(some, key=t.order), max(some, key=t.order)
        # A writer may write either zero; a careful one writes -0 and +0.
        if "one_zero" not in column.how:
            zero = (lambda z: struct.pack("<e", z)) if t.physical == FIXED \
                else identity
            low = zero(-0.0) if t.order(low) == 0 else low
            high = zero(0.0) if t.order(high) == 0 else high
        return t.plain(low), t.plain(high)
    low, high = min(some, key=t.order), max(some, key=t.order)
    low, high = t.plain(low), t.plain(high)
    if "truncated" in column.how and t.physical == BYTE_ARRAY and \
            t.order is identity:
        return shorter(low, high)
    return low, high


def count_nulls(values):
    return sum(is_null(v) for v in values)


def count_nans(column, values):
    return sum(column.type.is_nan(v) for v in values
               if not is_null(v))


def statistics(column, values):
    fields = []
    if "null_count" in column.how:
        fields.append((3, "i64", count_nulls(values)))
    ends = bounds(column, values) if "statistics" in column.how else None
    if ends:
        fields += [(5, "binary", ends[1]), (6, "binary", ends[0])]
        exact = "truncated" not in column.how
        fields += [(7, "bool", exact), (8, "bool", exact)]
    if "nan_count" in column.how and column.type.is_float:
        fields.append((9, "i64", count_nans(column, values)))
    return fields


def header_statistics(column, values, number):
    """The statistics in a page header: true ones, or with odd_headers, in turn,
    several that prove nothing."""
    fields = statistics(column, values)
    said = {f[0]: f for f in fields}
    odd = number % 8 if "odd_headers" in column.how else 0
    if odd == 1:
        return []
    if odd == 2:                     # half of a pair
        said.pop(5, None)
    elif odd == 3 and 5 in said and said[5][2] != said[6][2] and \
            not column.type.is_float:
        said[5], said[6] = ((n, "binary", said[11 - n][2]) for n in (5, 6))
    elif odd == 4:
        said[3] = (3, "i64", -1)
    elif odd == 5:
        said[3] = (3, "i64", len(values) + 1)
    elif odd == 6 and column.type.physical not in (BYTE_ARRAY, FIXED):
        for n in (5, 6):             # longer than any value
            if n in said:
                said[n] = (n, "binary", said[n][2] + b"\0")
    elif odd == 7 and 5 in said and column.type.physical in (INT32, INT64) and \
            not (column.type.logical or ("",))[0].startswith("INT"):
        said[1], said[2] = (1, "binary", said[5][2]), (2, "binary", said[6][2])
        for n in (5, 6, 7, 8):       # the deprecated pair, in signed order
            said.pop(n, None)
    return [said[n] for n in sorted(said)]


def column_index(column, pages):
    """The index, or None if a page makes one impossible."""
    if "index" not in column.how or not column.type.order:
        return None
    lows, highs, empty, nulls = [], [], [], []
    for values in pages:
        n = count_nulls(values)
        ends = bounds(column, values)
        if not ends and n < len(values):
            return None
        lows.append(ends[0] if ends else b"")
        highs.append(ends[1] if ends else b"")
        empty.append(not ends)
        nulls.append(n)
    fields = [(1, "list", ("bool", empty)), (2, "list", ("binary", lows)),
              (3, "list", ("binary", highs)), (4, "i32", 0)]
    if "null_count" in column.how:
        fields.append((5, "list", ("i64", nulls)))
    if "nan_count" in column.how and column.type.is_float:
        fields.append((8, "list", ("i64", [count_nans(column, p)
                                           for p in pages])))
    return thrift(fields)


# ---- Bloom filters -----------------------------------------------------------

def bloom_filter(column, values, lock):
    words = bloom_bits({column.type.plain(v) for v in column.slots(values)[1]
                        if not is_null(v)})
    only = [(1, "struct", [])]
    return lock.seal(crypto_file.BLOOM_HEADER, thrift([
        (1, "i32", 4 * len(words)), (2, "struct", only), (3, "struct", only),
        (4, "struct", only)])) + lock.seal(
            crypto_file.BLOOM_BITS, struct.pack("<%dI" % len(words), *words))


# ---- pages -------------------------------------------------------------------

def encode_plain(column, values):
    t = column.type
    if t.physical == BOOLEAN:
        bits = sum(int(v) << i for i, v in enumerate(values))
        return bits.to_bytes((len(values) + 7) // 8, "little")
    if t.physical == BYTE_ARRAY:
        return b"".join(struct.pack("<I", len(v)) + v for v in values)
    return b"".join(t.plains(values))


def encode_split(column, values):
    all_bytes = encode_plain(column, values)
    width = len(all_bytes) // len(values) if values else 1
    return b"".join(all_bytes[i::width] for i in range(width))


def runs(values, width):
    """Runs of one value each, as the hybrid of RLE and bit-packing has them."""
    out, size = bytearray(), (width + 7) // 8
    for v, run in itertools.groupby(values):
        out += varint(len(list(run)) << 1) + v.to_bytes(size, "little")
    return bytes(out)


def levels_of(column, values):
    most = column.max_level
    return [v.level if isinstance(v, Gone) else most - (v is None)
            for v in values]


def crc_of(packed, lock):
    """The field of a page's header, which is about the bytes in the file."""
    n = zlib.crc32(packed)
    return [(4, "i32", n - (n >> 31 << 32))] if lock.crc else []


def encode_page(column, rows, entries, number, lock):
    """(header and body of a data page, encoding, its decompressed size)."""
    how = column.how
    reps, values = column.slots(rows)
    there = [v for v in values if not (v is None or isinstance(v, Gone))]
    if entries is not None:
        width = max(1, (len(entries) - 1).bit_length())
        encoding = RLE_DICTIONARY
        body = bytes([width]) + runs(list(map(
            entries.__getitem__, column.type.plains(there))), width)
    elif "split" in how and column.type.physical not in (
            BOOLEAN, BYTE_ARRAY, INT96):
        encoding, body = BYTE_STREAM_SPLIT, encode_split(column, there)
    else:
        encoding, body = PLAIN, encode_plain(column, there)
    levels = b"" if column.max_level == 0 else runs(
        levels_of(column, values), column.max_level.bit_length())
    repeats = b"" if reps is None else runs(reps, column.max_rep.bit_length())
    sizes = len(levels), len(repeats)
    if "v2" not in how:
        for some in (levels, repeats):
            body = struct.pack("<I", len(some)) + some + body if some else body
        levels = repeats = b""
    before = repeats + levels
    size = len(before) + len(body)
    if "gzip" in how:
        body = deflated(body)
    packed = lock.page(before, body, number)
    said = header_statistics(column, values, number) \
        if "headers" in how else []
    if "v2" in how:
        header = thrift([
            (1, "i32", 3), (2, "i32", size), (3, "i32", len(packed))] +
            crc_of(packed, lock) + [
            (8, "struct", [(1, "i32", len(values)),
                           (2, "i32", count_nulls(values)),
                           (3, "i32", len(rows)), (4, "i32", encoding),
                           (5, "i32", sizes[0]), (6, "i32", sizes[1])] +
             ([(8, "struct", said)] if said else []))])
    else:
        header = thrift([
            (1, "i32", 0), (2, "i32", size), (3, "i32", len(packed))] +
            crc_of(packed, lock) + [
            (5, "struct", [(1, "i32", len(values)), (2, "i32", encoding),
                           (3, "i32", 3), (4, "i32", 3)] +
             ([(5, "struct", said)] if said else []))])
    header = lock.seal(crypto_file.DATA_PAGE_HEADER, header, number)
    return header + packed, encoding, len(header) + size


def deflated(body):
    z = zlib.compressobj(1, zlib.DEFLATED, 31)
    return z.compress(body) + z.flush()


def dictionary_page(column, entries, lock):
    body = encode_plain(column, [v for v in entries.values()])
    size = len(body)
    if "gzip" in column.how:
        body = deflated(body)
    body = lock.seal(crypto_file.DICTIONARY_PAGE, body)
    header = thrift([(1, "i32", 2), (2, "i32", size), (3, "i32", len(body))] +
                    crc_of(body, lock) +
                    [(7, "struct", [(1, "i32", len(entries)),
                                    (2, "i32", PLAIN)])])
    header = lock.seal(crypto_file.DICTIONARY_PAGE_HEADER, header)
    return header + body, len(header) + size


# ---- the file ----------------------------------------------------------------

def write_chunk(out, column, values, page_rows, lock):
    """The fields of ColumnMetaData, and the parts of the indexes."""
    if isinstance(column, Lists):
        return column.write_chunk(out, values, page_rows, lock)
    everything = column.slots(values)[1]
    begin, unpacked = len(out), 0
    entries, dictionary_offset = None, None
    plain_from = column.plain_from or page_rows
    encodings, counts = {3}, {}
    if "dictionary" in column.how:
        by_plain = {}
        some = [v for v in (column.slots(values[:plain_from])[1] if "fallback"
                            in column.how else everything) if not is_null(v)]
        for p, v in zip(column.type.plains(some), some):
            by_plain.setdefault(p, v)
        if by_plain:
            dictionary_offset = len(out)
            page, unpacked = dictionary_page(column, by_plain, lock)
            out += page
            entries = {p: i for i, p in enumerate(by_plain)}
            counts[2, PLAIN] = 1
            if "page_counts" in column.how:
                encodings.add(PLAIN)
    pages, locations = [], []
    data_offset = len(out)
    for at in range(0, len(values), page_rows):
        part = values[at:at + page_rows]
        use = entries
        if "fallback" in column.how and at >= plain_from:
            use = None
        page, encoding, whole = encode_page(column, part, use,
                                            at // page_rows, lock)
        encodings.add(encoding)
        kind = 3 if "v2" in column.how else 0, encoding
        counts[kind] = counts.get(kind, 0) + 1
        unpacked += whole
        locations.append([(1, "i64", len(out)), (2, "i32", len(page)),
                          (3, "i64", at)])
        pages.append(column.slots(part)[1])
        out += page
    size = len(out) - begin
    meta = [(1, "i32", column.type.physical),
            (2, "list", ("i32", sorted(encodings))),
            (3, "list", ("binary", [p.encode() for p in column.path])),
            (4, "i32", GZIP if "gzip" in column.how else UNCOMPRESSED),
            (5, "i64", len(everything)), (6, "i64", unpacked), (7, "i64", size),
            (9, "i64", data_offset)]
    if dictionary_offset is not None:
        meta.append((11, "i64", dictionary_offset))
    meta.append((12, "struct", statistics(column, everything)))
    if "page_counts" in column.how:
        meta.append((13, "list", ("struct", [
            [(1, "i32", page), (2, "i32", encoding), (3, "i32", n)]
            for (page, encoding), n in sorted(counts.items())])))
    return begin, meta, pages, locations


def path_of(column):
    return list(column.path) + (["list", "element"]
                                if isinstance(column, Lists) else [])


def write_group(out, columns, first, n, page_rows, pending, file, ordinal):
    chunks, total = [], 0
    for leaf, column in enumerate(columns):
        values = column.values[first:first + n]
        lock = file.lock_of(ordinal, leaf, ".".join(path_of(column)))
        begin, meta, pages, locations = write_chunk(out, column, values,
                                                    page_rows, lock)
        total += dict((f[0], f[2]) for f in meta)[7]
        if "bloom" in column.how and column.type.physical != BOOLEAN:
            bits = bloom_filter(column, values, lock)
            meta += [(14, "i64", len(out)), (15, "i32", len(bits))]
            out += bits
        if column.geospatial:
            meta.append((17, "struct", column.geospatial(
                column.slots(values)[1])))
        chunk = [(2, "i64", begin)]
        file.put_meta(chunk, meta, lock,
                      [p.encode() for p in path_of(column)], thrift)
        chunks.append(chunk)
        pending.append((column, chunk, pages, locations, lock))
    return [(1, "list", ("struct", chunks)), (2, "i64", total),
            (3, "i64", n)] + ([(7, "i16", ordinal)] if file.ordinals else [])


def write_indexes(out, pending):
    for column, chunk, pages, locations, lock in pending:
        if "index" in column.how:
            offsets = lock.seal(crypto_file.OFFSET_INDEX, thrift(
                [(1, "list", ("struct", locations))]))
            chunk += [(4, "i64", len(out)), (5, "i32", len(offsets))]
            out += offsets
            index = column_index(column, pages)
            if index:
                index = lock.seal(crypto_file.COLUMN_INDEX, index)
                chunk += [(6, "i64", len(out)), (7, "i32", len(index))]
                out += index
        chunk.sort(key=lambda field: field[0])


def schema_of(columns):
    top, structs = [], {}
    for c in columns:
        if c.root:
            if not any(what is c.root for _, what in top):
                top.append((c.path[0], c.root))
        elif len(c.path) == 1:
            top.append((c.path[0], c))
        elif c.path[0] not in structs:
            structs[c.path[0]] = [c]
            top.append((c.path[0], structs[c.path[0]]))
        else:
            structs[c.path[0]].append(c)
    elements = [[(4, "binary", b"schema"), (5, "i32", len(top))]]
    for name, what in top:
        if hasattr(what, "elements"):
            elements += what.elements()
        elif isinstance(what, Column):
            elements.append(leaf_element(what))
        else:
            elements.append([(3, "i32", 1), (4, "binary", name.encode()),
                             (5, "i32", len(what))])
            elements += [leaf_element(c) for c in what]
    return elements


def leaf_element(c):
    e = [(1, "i32", c.type.physical)]
    if c.type.physical == FIXED:
        e.append((2, "i32", c.type.length))
    e += [(3, "i32", 0 if c.required else 1),
          (4, "binary", c.path[-1].encode())]
    if c.type.logical and c.type.logical[0] == "DECIMAL":
        # The scale of the old annotation, which readers need besides the new
        # one.
        e += [(6, "i32", 5), (7, "i32", c.type.logical[2]),
              (8, "i32", c.type.logical[1])]
    return e + (annotation(*c.type.logical) if c.type.logical else [])


def in_file_order(columns):
    """Puts the leaves of a struct together, at the place of the first one."""
    place = {}
    for i, c in enumerate(columns):
        place.setdefault(c.path[0], i)
    return sorted(columns, key=lambda c: place[c.path[0]])


def some_plan(rng, columns, with_options=False, loses=True):
    """How a file is encrypted, or None; loses: columns may get one that nobody
    can read.  rng stays as it is."""
    rng = crypto_file.aside(rng)
    if rng.random() >= .35:
        return None
    if rng.random() < .3 and loses:
        columns.append(Column([crypto_file.LOST_NAME], "string", [
            b"%d" % rng.randrange(50) for _ in columns[0].values], True,
            {"statistics", "index", "bloom"}))
    return crypto_file.some_plan(
        rng, [".".join(path_of(c)) for c in columns], with_options)


def write(path, columns, groups, page_rows, keys=(), plan=None):
    """groups: how many rows each has; together, all.  keys: (key, value)."""
    columns = in_file_order(columns)
    file = crypto_file.File(plan) if plan else crypto_file.ClearFile()
    out = bytearray(file.magic)
    row_groups, pending, first = [], [], 0
    for ordinal, n in enumerate(groups):
        row_groups.append(write_group(out, columns, first, n, page_rows,
                                      pending, file, ordinal))
        first += n
    write_indexes(out, pending)
    out += file.end([
        (1, "i32", 2), (2, "list", ("struct", schema_of(columns))),
        (3, "i64", first), (4, "list", ("struct", row_groups)),
        (5, "list", ("struct", [[(1, "binary", k), (2, "binary", v)]
                                for k, v in keys])),
        (6, "binary", b"parquet_file.py"),
        (7, "list", ("struct", [[(1, "struct", [])] for _ in columns]))],
        thrift)
    with open(path, "wb") as f:
        f.write(out)
