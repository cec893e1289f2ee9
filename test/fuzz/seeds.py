#!/usr/bin/env python3
"""seeds.py - makes the first inputs of each fuzz door from Parquet files.

  seeds.py OUT FILE...       OUT/footer OUT/page OUT/codec OUT/nested OUT/variant
                             OUT/parse OUT/wkb OUT/wkt OUT/geoparquet OUT/key
                             OUT/remote OUT/server OUT/file OUT/fill OUT/copy
                             OUT/move OUT/deletes OUT/avro OUT/log

A FILE is a Parquet file, or NAME.metadata of a Variant, NAME.value beside it.

A whole file of up to 4 KB is an input of the file door.  The footer of every
file goes to the footer door, with the bytes before it (page indexes, Bloom
filters).  The bodies of pages go to the codec door.  Decompressed pages go to the
page door, if Python's own zlib or the few lines below can decompress them.  What
no file has is made here.  The head of each door describes its inputs.

The corpus in the tree is these inputs merged with those that libFuzzer found.
Running this again is only needed for new kinds of files.
"""
import hashlib
import json
import os
import struct
import sys
import zlib

SMALL = 4096
PAGE = '<BBHHBBBBHB'                 # the head of the page door


# ---- thrift compact protocol, as dictionaries by field number ---------------

class Compact:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        value = shift = 0
        while True:
            b = self.byte()
            value |= (b & 127) << shift
            shift += 7
            if b < 128:
                return value

    def zigzag(self):
        v = self.varint()
        return v >> 1 ^ -(v & 1)

    def value(self, kind):
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            return self.byte()
        if kind in (4, 5, 6):
            return self.zigzag()
        if kind == 7:
            self.at += 8
            return struct.unpack('<d', self.data[self.at - 8:self.at])[0]
        if kind == 8:
            n = self.varint()
            self.at += n
            return self.data[self.at - n:self.at]
        if kind in (9, 10):
            head = self.byte()
            n = head >> 4 if head >> 4 < 15 else self.varint()
            kind = head & 15
            return [self.byte() == 1 if kind in (1, 2) else self.value(kind)
                    for _ in range(n)]
        if kind == 12:
            return self.struct()
        raise ValueError('wire type %d' % kind)

    def struct(self):
        out, last = {}, 0
        while True:
            head = self.byte()
            if head == 0:
                return out
            last = last + (head >> 4) if head >> 4 else self.zigzag()
            out[last] = self.value(head & 15)


def snappy(data):
    c, out = Compact(data), bytearray()
    n = c.varint()
    while c.at < len(data):
        tag = c.byte()
        if tag & 3 == 0:
            size = tag >> 2
            if size >= 60:
                k = size - 59
                size = int.from_bytes(data[c.at:c.at + k], 'little')
                c.at += k
            out += data[c.at:c.at + size + 1]
            c.at += size + 1
        else:
            k = (0, 1, 2, 4)[tag & 3]
            back = int.from_bytes(data[c.at:c.at + k], 'little')
            c.at += k
            size = (tag >> 2) + 1
            if tag & 3 == 1:
                size = (tag >> 2 & 7) + 4
                back |= tag >> 5 << 8
            for _ in range(size):
                out.append(out[-back])
    assert len(out) == n
    return bytes(out)


def unpack(codec, data):
    if codec == 0 or not data:
        return data
    if codec == 1:
        return snappy(data)
    if codec == 2:
        return zlib.decompress(data, 47)
    return None


# ---- files -------------------------------------------------------------------

class Seeds:
    def __init__(self, out):
        self.out = out

    def put(self, door, data):
        folder = os.path.join(self.out, door)
        os.makedirs(folder, exist_ok=True)
        name = hashlib.sha1(data).hexdigest()[:16]
        with open(os.path.join(folder, name), 'wb') as f:
            f.write(data)


def leaves_of(schema):
    """(type, length, max_def, max_rep) of each leaf."""
    out, at = [], 0

    def walk(deepest, repeated):
        nonlocal at
        el = schema[at]
        at += 1
        if at > 1:
            deepest += el.get(3, 0) != 0
            repeated += el.get(3, 0) == 2
        if el.get(5):
            for _ in range(el[5]):
                walk(deepest, repeated)
        else:
            out.append((el.get(1, 0), el.get(2, 0), deepest, repeated))

    walk(0, 0)
    return out


def page_seed(leaf, header, body, codec):
    kind, length, max_def, max_rep = leaf
    v1, v2, dictionary = header.get(5), header.get(8), header.get(7)
    rep_n = def_n = levels = 0
    if header[1] == 0 and v1:
        n, encoding = v1[1], v1[2]
        body = unpack(codec, body)
        if v1.get(3) == 4 or v1.get(4) == 4:
            levels |= 1 << 1
    elif header[1] == 3 and v2:
        n, encoding = v2[1], v2[4]
        def_n, rep_n = v2.get(5, 0), v2.get(6, 0)
        rest = body[def_n + rep_n:]
        if v2.get(7, True):
            rest = unpack(codec, rest)
        body = None if rest is None else body[:def_n + rep_n] + rest
        levels |= 1
    elif header[1] == 2 and dictionary:
        n, encoding, max_def, max_rep = dictionary[1], 0, 0, 0
        body = unpack(codec, body)
    else:
        return None
    if body is None or len(body) > SMALL or n > 65535 or \
            max(def_n, rep_n, max_def) > 255:
        return None
    deepest = max_rep if max_rep else max_def
    levels |= (8 if max_rep else 0) | (16 if max_def else 0)
    if max_rep and max_def != max_rep:
        deepest = max_def            # one maximum for both in the door
    return struct.pack(PAGE, kind, encoding, min(length, 65535), n,
                       levels, deepest, rep_n, def_n, 0xffff, 7) + body


def pages(seeds, data, leaf, meta):
    codec = meta[4]
    at = min([meta[9]] + [o for o in [meta.get(11, 0)] if o > 0])
    seen = 0
    for _ in range(4):
        if seen >= meta[5]:
            return
        c = Compact(data, at)
        header = c.struct()
        body = data[c.at:c.at + header[3]]
        at = c.at + header[3]
        seen += (header.get(5) or header.get(8) or {}).get(1, 0)
        packed, n_out = body, header[2]
        if header.get(8):
            skip = header[8].get(5, 0) + header[8].get(6, 0)
            packed, n_out = body[skip:], n_out - skip
        if codec and len(packed) <= SMALL and 0 <= n_out < 1 << 22:
            seeds.put('codec', struct.pack('<BHBb', codec, n_out & 0xffff,
                                           n_out >> 16, 1) + packed)
        try:
            page = page_seed(leaf, header, body, codec)
        except Exception:
            page = None
        if page:
            seeds.put('page', page)
        if page and leaf[0] == 6:
            plain_wkb(seeds, page[struct.calcsize(PAGE):])


def whole_file(seeds, path):
    with open(path, 'rb') as f:
        data = f.read()
    if len(data) <= SMALL:
        seeds.put('file', data)
    if data[-4:] != b'PAR1' or len(data) < 12:
        return
    n = int.from_bytes(data[-8:-4], 'little')
    begin = len(data) - 8 - n
    if n > 2 * SMALL or begin < 0:
        return
    before = min(begin - 4, 600)
    zeros = begin - before - 4
    if zeros < 1 << 18:
        seeds.put('footer', struct.pack('<HBH', zeros & 0xffff, zeros >> 16,
                                        before) + data[begin - before:-8])
    footer = Compact(data, begin).struct()
    of = leaves_of(footer[2])
    for group in footer.get(4, [])[:2]:
        for leaf, chunk in list(zip(of, group[1]))[:40]:
            try:
                if not chunk.get(1):
                    pages(seeds, data, leaf, chunk[3])
            except Exception as x:
                print(path, 'pages:', repr(x), file=sys.stderr)


# ---- made --------------------------------------------------------------------

def page(kind, encoding, length, n, body, levels=0, deepest=0, rep=0, define=0,
         entries=40, pattern=3):
    return struct.pack(PAGE, kind, encoding, length, n, levels,
                       deepest, rep, define, entries, pattern) + body


def varint(v):
    out = b''
    while v > 127:
        out += bytes([v & 127 | 128])
        v >>= 7
    return out + bytes([v])


def zigzag(v):
    return varint(v << 1 if v >= 0 else (-v << 1) - 1)


def packed(values, width):
    bits = sum(v << i * width for i, v in enumerate(values))
    return bits.to_bytes((len(values) * width + 7) // 8, 'little')


def delta(values, width):
    """One block of 128 in 4 miniblocks of 32, all of one width."""
    out = varint(128) + varint(4) + varint(len(values)) + zigzag(values[0])
    steps = [b - a for a, b in zip(values, values[1:])]
    for at in range(0, len(steps), 128):
        block = steps[at:at + 128]
        low = min(block)
        block = [s - low & (1 << width) - 1 for s in block]
        block += [0] * (-len(block) % 32)
        n = len(block) // 32
        out += zigzag(low) + bytes([width] * n + [0] * (4 - n))
        for i in range(n):
            out += packed(block[32 * i:32 * i + 32], width)
    return out


def made_pages(seeds):
    texts = [b'', b'a', b'apple', b'applet', b'b' * 40, b'apple pie'] * 6
    lengths = [len(t) for t in texts]
    prefixes = [len(os.path.commonprefix([a, b]))
                for a, b in zip([b''] + texts, texts)]
    rest = b''.join(t[p:] for t, p in zip(texts, prefixes))
    suffixes = [n - p for n, p in zip(lengths, prefixes)]
    numbers = bytes(range(256)) * 8
    for kind, size in enumerate([1, 4, 8, 12, 4, 8, 0, 5]):
        n = 64
        if size:
            seeds.put('page', page(kind, 0, 5, n, numbers[:n * size]))
            seeds.put('page', page(kind, 9, 5, n, numbers[:n * size]))
            seeds.put('page', page(kind, 9, 5, 700, numbers[:700 * size]))
        for width in (0, 1, 3, 6, 8, 13, 32):
            values = [i % min(1 << width, 40) for i in range(64)]
            runs = varint(8 << 1 | 1) + packed(values, width) + \
                varint(100 << 1) + b'\1' * ((width + 7) // 8)
            seeds.put('page', page(kind, 8, 5, 164, bytes([width]) + runs))
        seeds.put('page', page(kind, 3, 5, 164, struct.pack(
            '<I', 13) + varint(8 << 1 | 1) + b'\xa5' * 8 + varint(100 << 1) +
            b'\1\0'))
    seeds.put('page', page(6, 0, 0, len(texts), b''.join(
        struct.pack('<I', len(t)) + t for t in texts)))
    seeds.put('page', page(6, 6, 0, len(texts),
                           delta(lengths, 7) + b''.join(texts)))
    for kind in (6, 7):
        seeds.put('page', page(kind, 7, 5, len(texts), delta(prefixes, 5) +
                               delta(suffixes, 7) + rest))
    fixed = [b'%05d' % (i * i) for i in range(70)]
    common = [0] + [len(os.path.commonprefix([a, b]))
                    for a, b in zip(fixed, fixed[1:])]
    seeds.put('page', page(7, 7, 5, 70, delta(common, 4) + delta(
        [5 - c for c in common], 4) + b''.join(
            f[c:] for f, c in zip(fixed, common))))
    for kind, top in ((1, 32), (2, 64)):
        for width in (0, 1, 5, 9, 17, 31, 32, 33, 50, 64):
            if width <= top:
                values = [(i * 77777 + 3) % (1 << max(width - 1, 1))
                          for i in range(200)]
                seeds.put('page', page(kind, 5, 0, 200, delta(values, width)))
    for deepest in (1, 2, 5, 7, 200):
        width = deepest.bit_length()
        levels = [i % (deepest + 1) for i in range(64)]
        runs = varint(50 << 1) + bytes([deepest]) + varint(17) + \
            packed(levels, width)
        v1 = struct.pack('<I', len(runs)) + runs
        body = numbers[:4 * 114]
        seeds.put('page', page(1, 0, 0, 114, v1 + body, 16, deepest))
        seeds.put('page', page(1, 0, 0, 114, v1 + v1 + body, 24, deepest))
        if len(runs) < 256:
            seeds.put('page', page(1, 0, 0, 114, runs + runs + body, 25,
                                   deepest, len(runs), len(runs)))
        high = sum(v << (63 - i) * width for i, v in enumerate(levels))
        high = high.to_bytes(8 * width, 'big')
        seeds.put('page', page(1, 0, 0, 64, high + high + body, 26, deepest))


def alp_body(kind, log_size, vectors):
    """(values, bytes) of a page of ALP; a vector is (exponent, factor, base,
    width, deltas, exceptions), an exception (position, bytes)."""
    word = 4 if kind == 4 else 8
    n = sum(len(v[4]) for v in vectors)
    bodies = []
    for exponent, factor, base, width, deltas, exceptions in vectors:
        body = struct.pack('<BBH', exponent, factor, len(exceptions))
        body += base.to_bytes(word, 'little', signed=True) + bytes([width])
        body += packed(deltas, width)
        body += b''.join(struct.pack('<H', p) for p, _ in exceptions)
        body += b''.join(b for _, b in exceptions)
        bodies.append(body)
    at, offsets = 4 * len(bodies), b''
    for body in bodies:
        offsets += struct.pack('<I', at)
        at += len(body)
    head = struct.pack('<BBBI', 0, 0, log_size, n)
    return n, head + offsets + b''.join(bodies)


def alp(kind, log_size, vectors):
    n, body = alp_body(kind, log_size, vectors)
    return page(kind, 10, 0, n, body)


def made_alp(seeds):
    for kind in (4, 5):
        nan = b'\xff' * (4 if kind == 4 else 8)
        seeds.put('page', alp(kind, 3, [
            (2, 0, 100, 7, [1, 2, 3, 99, 0, 5, 6, 100], []),
            (3, 1, -5, 0, [0] * 8, [(0, nan), (7, nan)]),
            (1, 1, 0, 3, [7, 6, 5], [(1, nan)])]))
        seeds.put('page', alp(kind, 10, [
            (5, 2, 7, 20, [i * 1000 for i in range(64)], [])]))
        for width in (31, 32) if kind == 4 else (33, 63, 64):
            seeds.put('page', alp(kind, 5, [
                (0, 0, -1, width, [(1 << width - 1) - i for i in range(32)],
                 [])]))


def made_codecs(seeds):
    plain = b'abcdefgh' * 30 + bytes(range(100))
    n = len(plain)

    def put(codec, packed, size=n):
        seeds.put('codec', struct.pack('<BHBb', codec, size, 0, 5) + packed)

    put(0, plain)
    put(3, plain)
    put(2, zlib.compress(plain))
    half = [plain[:100], plain[100:]]
    gzip = [zlib.compressobj(6, 8, 31) for _ in half]
    put(2, b''.join(g.compress(h) + g.flush() for g, h in zip(gzip, half)))
    raw = b'\xf0' + bytes([n - 15 - 255]) if n < 270 else \
        b'\xf0\xff' + bytes([n - 15 - 255])
    put(7, raw + plain)
    put(5, raw + plain)
    put(5, struct.pack('>II', n, len(raw) + n) + raw + plain)
    short = b'\x50hello'
    put(5, struct.pack('>II', 5, 6) + short + struct.pack('>II', 5, 6) + short,
        10)
    put(5, struct.pack('>III', 10, 6, 0)[:8] + short +
        struct.pack('>I', 6) + short, 10)
    frame = b'\x04\x22\x4d\x18\x60\x40\x82' + struct.pack(
        '<I', 0x80000005) + b'hello' + b'\0\0\0\0'
    put(5, frame, 5)
    put(6, b'\x28\xb5\x2f\xfd\x20\x05\x29\0\0hello', 5)
    put(4, b'\x0b\x02\x80hello\x03', 5)
    put(1, b'\x05\x10hello', 5)
    for codec in (1, 2, 4, 5, 6, 7):
        put(codec, b'', 0)


NAMES = ['a', 'list', 'element', 'key_value', 'key', 'value', 'typed_value',
         'metadata', 'array', 'bag', 'map', 'a.b', '', '\"\n', 'b', 'x', 'y',
         'z', 'm']
R, O, M = 0, 1, 2                    # required, optional, repeated
LIST, MAP, VARIANT = 1, 2, 3


def group(repetition, name, children, kind=0):
    return struct.pack('BBB', repetition | len(children) << 2, kind,
                       NAMES.index(name)) + b''.join(children)


def leaf(repetition, name, kind=1, logical=0, length=0):
    return struct.pack('BBB', repetition | length << 5, kind | logical << 3,
                       NAMES.index(name))


def made_columns(seeds):
    text = leaf(O, 'value', 6, 1)
    entry = [leaf(R, 'key', 6, 1), text]
    binary = [leaf(R, 'metadata', 6), leaf(O, 'value', 6)]
    pair = [leaf(O, 'value', 6), leaf(O, 'typed_value', 1)]
    items = group(O, 'typed_value', [group(M, 'list', [group(
        R, 'element', pair)])], LIST)
    fields = group(O, 'typed_value', [group(R, 'a', pair), group(
        R, 'b', [leaf(O, 'value', 6), leaf(O, 'typed_value', 6, 1)])])
    columns = [
        group(O, 'a', [group(M, 'list', [leaf(O, 'element', 2)])], LIST),
        group(O, 'a', [leaf(M, 'array', 5)], LIST),
        group(R, 'a', [group(M, 'array', entry)], LIST),
        group(O, 'a', [group(M, 'list', [group(O, 'element', [group(
            M, 'list', [leaf(R, 'element', 6, 1)])], LIST)])], LIST),
        group(O, 'a', [group(M, 'key_value', entry)], MAP),
        group(O, 'a', [group(M, 'key_value', [leaf(R, 'key', 2), group(
            O, 'value', [group(M, 'key_value', entry)], MAP)])], MAP),
        group(O, 'a', [group(M, 'map', [leaf(R, 'key', 1)])], MAP),
        group(O, 'a', [leaf(O, 'b', 0), group(O, 'a', [leaf(R, 'a', 3), leaf(
            M, 'b', 4)])]),
        group(O, 'a', binary, VARIANT),
        group(O, 'a', [leaf(R, 'metadata', 6)] + pair, VARIANT),
        group(O, 'a', binary + [items], VARIANT),
        group(O, 'a', binary + [fields], VARIANT),
        leaf(M, 'a', 2),
    ]
    columns += [group(O, 'a', [leaf(O, 'b', kind, logical, length)])
                for kind in range(8) for logical in range(16)
                for length in [{9: 0, 12: 1, 10: 2}.get(logical, 4)]]
    point = [leaf(O, 'x', 5), leaf(R, 'y', 5)]
    geometries = []
    for more in [], [leaf(O, 'z', 5)], [leaf(R, 'm', 5), leaf(O, 'z', 5)]:
        geometries.append(group(O, 'element', point + more))
        for depth in range(3):
            geometries.append(group(O, 'element', [
                group(M, 'list', geometries[-1:])], LIST))
    for i, column in enumerate(columns + geometries):
        for mode in (1, 3, 5, 9) if i < len(columns) else (129, 133):
            count = len(column) // 3 - 1
            rest = b''.join(hashlib.sha1(b'%d %d %d' % (i, mode, k)).digest()
                            for k in range(12))
            for damage in (0, 3) if mode & 4 == 0 else (0,):
                seeds.put('nested', bytes([mode, count]) + column +
                          bytes([10, damage]) + rest)


# ---- what is written ---------------------------------------------------------

def noise(n, *seed):
    """n bytes that are always the same."""
    out, i = b'', 0
    while len(out) < n:
        out += hashlib.sha1(repr((seed, i)).encode()).digest()
        i += 1
    return out[:n]


OPTIONAL, REQUIRED = 0, 8
STRUCT, LISTS, MAPS = 4, 5, 6


def column_leaf(logical, detail=0, digits=0, null=OPTIONAL):
    return bytes([null, logical, detail, digits])


def column_group(kind, children, null=OPTIONAL):
    return bytes([kind | null | len(children) - 1 << 4]) + b''.join(children)


def chunk_options(codec=4, level=0, encoding=0, flags=0, rules=2, page_rows=0,
                  page_bytes=0, bloom=0, times=0, batch=0, memory=0, spill=0,
                  stop=0):
    return struct.pack('<BBBBHHBBBBB', codec | level << 3, encoding, flags,
                       rules, page_rows, page_bytes, bloom, times | batch << 3,
                       memory, spill, stop)


FLAT = [column_leaf(0, kind, 2) for kind in range(8)] + \
    [column_leaf(logical) for logical in (1, 2, 3, 4, 5, 11, 12, 13, 14, 15)] + \
    [column_leaf(6, detail) for detail in range(8)] + \
    [column_leaf(7, 2, digits) for digits in (4, 8, 17, 20, 37)] + \
    [column_leaf(7, 128 | kind, 5) for kind in (1, 2, 6, 7)] + \
    [column_leaf(8)] + [column_leaf(kind, unit | utc) for kind in (9, 10)
                        for unit in range(3) for utc in (0, 4)]

DEEP = [
    column_group(LISTS, [column_leaf(0, 2)]),
    column_group(LISTS, [column_leaf(1, 0, 0, REQUIRED)], REQUIRED),
    column_group(LISTS, [column_group(LISTS, [column_leaf(9)])]),
    column_group(MAPS, [column_leaf(1), column_leaf(0, 5)]),
    column_group(MAPS, [column_leaf(6, 6)]),
    column_group(MAPS, [column_group(LISTS, [column_leaf(8)]),
                        column_leaf(7, 2, 20)]),
    column_group(STRUCT, [column_leaf(1), column_leaf(0, 6), column_leaf(3),
                          column_leaf(10, 1)]),
    column_group(STRUCT, [column_group(STRUCT, [column_leaf(5), column_leaf(
        0, 0)]), column_group(LISTS, [column_leaf(12)])], REQUIRED),
    column_group(LISTS, [column_group(STRUCT, [column_leaf(1), column_group(
        MAPS, [column_leaf(1), column_leaf(11)])])]),
]

# VARIANTs: 0xc7, then the typed_value; 7 is none.
PARTS = [
    b'\x07', column_leaf(0, 2), column_leaf(1), column_leaf(7, 2, 17),
    column_leaf(8), column_leaf(10, 6), column_leaf(5),
    column_group(LISTS, [column_leaf(1)]),
    column_group(STRUCT, [column_leaf(0, 0), column_leaf(0, 5), b'\x07',
                          column_group(LISTS, [column_group(STRUCT, [
                              column_leaf(6, 4), column_leaf(0, 4)])])]),
    column_group(STRUCT, [column_group(STRUCT, [column_group(STRUCT, [
        column_leaf(7, 0, 37)])]), column_leaf(9, 1), column_leaf(0, 6)]),
]

TEXTS = [
    '0', '-12', ' 9223372036854775807 ', '18446744073709551615', '1.50e1',
    '-0.0', '1e999', '123456789.123456789', '.5', '5.', '1e-400', '0.30000001',
    'NaN', '-inf', 'Infinity', '2024-02-29', '-0001-12-31', '+10000-01-01',
    '2024-03-01 12:34:56.789012345+02:00', '1969-12-31T23:59:59Z', '24:00',
    '2024-12-31 24:00', '23:59:59.999999999', '13:45:00 +0530', '86400000',
    'P1Y2M3W4DT5H6M7.89S', 'PT0S', '00112233-4455-6677-8899-aabbccddeeff',
    '{00112233445566778899AABBCCDDEEFF}', 'deadBEEF',
    '{"a":[1,-2.5e3,true,null,"x\\n\\u00e9\\ud83d\\ude00"],"b":{}}', '[[[]]]',
    '"\\ud800"', '\u00e9\u20ac', '99999999999999999999999999999999999999',
]


def made_texts(seeds):
    for i, text in enumerate(TEXTS):
        for digits, scale in ((3, 1), (8, 2), (17, 17), (37, 9)):
            seeds.put('fill', b'\0' + noise(8, 'text', i, digits) +
                      bytes([digits, scale]) + text.encode())


def cells_of(*seed):
    """Values that are mostly of the type of their column, and mostly short."""
    out = b''
    for i in range(16):
        body = noise(20, *seed, i)
        if i % 4:
            body = bytes(b & 63 for b in body)
        out += bytes([7 if i % 5 else body[0]]) + body
    return out


def made_fills(seeds):
    made_texts(seeds)
    variants = [bytes([0xc7 | null]) + part for part in PARTS
                for null in (OPTIONAL, REQUIRED)]
    for i, column in enumerate(FLAT + DEEP + variants):
        cells = cells_of('fill', i)
        ways = [
            chunk_options(),
            chunk_options(1, flags=5 | 1 << 4, rules=3, page_rows=5, batch=1),
            chunk_options(2, 3, flags=2 << 4 | 2 << 6, page_bytes=64, batch=6),
            chunk_options(3, 2, flags=2 | 8, memory=20, batch=2),
            chunk_options(5, flags=9 | 2 << 6, rules=6, bloom=2, spill=1,
                          batch=2, times=4),
            chunk_options(0, flags=4, rules=10, times=6, batch=4, stop=9),
        ]
        if i % 6 == 0:
            ways += [chunk_options(4, 1, rules=10, batch=7 * (i % 12 // 6),
                                   flags=i & 4, spill=240 | i % 4),
                     chunk_options(4, rules=10, flags=2 << 6 | 2 << 4,
                                   spill=242, batch=4)]
        for way in ways:
            seeds.put('fill', b'\1' + column + way + cells)
        for encoding in range(1, 12):
            if i % 2 == encoding % 2:
                seeds.put('fill', b'\1' + column + chunk_options(
                    6 * (i & 1), encoding=encoding, flags=encoding & 4,
                    batch=encoding % 8) + cells)


OPTIONS = [
    '', '{}', '{"compression":"zstd","compression_level":3}',
    '{"compatibility":"modern","page_rows":7,"page_version":2}',
    '{"compatibility":"legacy","on_mismatch":"null"}',
    '{"partition_by":["a"],"memory":"1MB"}',
    '{"partition_by":["b c","a"],"row_group_rows":3}',
    '{"partition_by":"K=%","file_rows":5,"filename_pattern":"p_{uuid}"}',
    '{"file_rows":4,"row_group_rows":2,"on_mismatch":"null"}',
    '{"file_bytes":2000,"page_bytes":"100B","filename_pattern":"x{i}.parq"}',
    '{"row_group_bytes":1000,"memory":"2MB","dictionary":false}',
    '{"sorting_columns":["id"],"statistics":false,"threads":2}',
    '{"sorting_columns":[{"column":"id","descending":false,'
    '"nulls_first":true}],"threads":0}',
    '{"sorting_columns":false,"bloom":true,"encoding":"PLAIN"}',
    '{"overwrite":"append","filename_pattern":"n","file_rows":10}',
    '{"overwrite":"replace","partition_by":["a"]}',
    '{"overwrite":"error","created_by":"me","kv_metadata":{"k":"v","l":[1]}}',
    '{"types":{"a":"LIST<INTEGER>","b c":"STRUCT<x TEXT, y DOUBLE>",'
    '"K=%":"MAP<TEXT, DECIMAL(20,3)>"},"on_mismatch":"null"}',
    '{"types":{"a":"TIMESTAMP_NS","b c":"DECIMAL(30,5)","K=%":"UUID"},'
    '"timestamp":"raw","on_mismatch":"null"}',
    '{"types":{"a":"FLOAT NOT NULL","id":"INTEGER"},"not_null":["a"],'
    '"float_order":"ieee754"}',
    '{"field_ids":{"id":1,"a":2},"not_null":[],"bloom":{"fpp":0.1}}',
    '{"columns":{"a":{"encoding":"DELTA_BINARY_PACKED","compression":"gzip",'
    '"bloom":{"ndv":100,"fpp":0.5}},"id":{"dictionary":true}},'
    '"progress":false}',
    '{"columns":{"a":{"timestamp":"raw","page_rows":2}},"params":[1,"x"]}',
    '{"types":"auto","row_group_rows":3}',
    '{"types":{"a":"auto","b c":"TEXT","*":"auto"},"on_mismatch":"null"}',
]

DECLARED = [
    '', 'INTEGER', 'TEXT', 'REAL', 'BLOB', 'DATE TEXT', 'TIMESTAMP TEXT',
    'DECIMAL(10,2) TEXT', 'LIST<BIGINT>', 'STRUCT<a INTEGER, b TEXT>',
    'MAP<TEXT, INTEGER>', 'U64 BLOB', 'TIME_NS TEXT', 'UUID TEXT',
    'FLOAT16 REAL', 'JSON TEXT', 'VARIANT TEXT', 'BLOB(4)', 'INTERVAL',
    'varchar(20)', 'timestamp(nanos, utc)', 'INT[] NOT NULL',
    'GEOGRAPHY(EPSG:4326, spherical) BLOB', 'ENUM TEXT', 'BOOLEAN',
]


def made_copies(seeds):
    for text in OPTIONS + DECLARED:
        seeds.put('copy', b'\0' + text.encode())
    for i, text in enumerate(OPTIONS):
        for mode in (1, 3, 5, 7 | 8, 16 | 1):
            n = 1 + (i + mode) % 4
            declared = [DECLARED[(i * 7 + mode * 3 + k * 5) % len(DECLARED)]
                        for k in range(n)]
            columns = bytes([n - 1]) + b''.join(
                bytes([len(d)]) + d.encode() for d in declared)
            cells = b''.join(
                noise(60, 'copy', i, mode) if k % 3 else bytes(
                    [7, 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 1, k])
                for k in range(8))
            seeds.put('copy', bytes([mode]) + struct.pack('<H', len(text)) +
                      text.encode() + bytes([0, 0, 0, (0, 0, 3, 20)[i % 4]]) +
                      columns + cells)


def letters(n, *seed):
    return bytes([4, n]) + bytes(97 + b % 26 for b in noise(n, *seed))


def well_behaved(mode, text, fault, times, last=False, *seed):
    """Rows of four columns.  All values fit, except the last, perhaps."""
    cells = b''
    for k in range(8):
        cells += bytes([4, 1, 97 + k % 3]) + letters(255, *seed, k)
        cells += b'\1\7' if last else letters(200, *seed, k, 1)
        cells += b'\1\2' if k % 4 else b'\0'
    cells += b'\4\1a\4\1x\4\2no\1\2' if last else b''
    columns = bytes([3]) + b'\4TEXT\4TEXT\0\7INTEGER'
    return bytes([mode]) + struct.pack('<H', len(text)) + text.encode() + \
        struct.pack('<BHB', 0, fault, times) + columns + cells


def made_spills(seeds):
    """More rows than fit into the least memory, in some folders."""
    for i, (more, last) in enumerate((
            ('', 0), (',"row_group_rows":64', 0), (',"row_group_rows":100000', 0),
            (',"types":{"K=%":"INTEGER"}', 1), (',"file_bytes":30000', 0),
            (',"sorting_columns":["id"],"overwrite":"append"', 0),
            (',"types":{"K=%":"DATE"},"on_mismatch":"null"', 1))):
        for keys in ('"a"', '"a","_e"', ''):
            text = '{"memory":1048576,"threads":0' + more
            text += ',"partition_by":[%s]}' % keys if keys else '}'
            seeds.put('copy', well_behaved(1 | (i & 1) << 2, text, 0, 255, last,
                                           'spill', i))


def made_twice(seeds):
    """Copies that replace files, or add to files that were there."""
    for overwrite in ('replace', 'append', 'error'):
        for more in ('', ',"partition_by":["_e"],"filename_pattern":"{uuid}"',
                     ',"partition_by":["a"]', ',"file_rows":3'):
            text = '{"threads":0,"overwrite":"%s"%s}' % (overwrite, more)
            for before in range(4):
                for mode in (5, 7):
                    seeds.put('copy', well_behaved(
                        mode | before << 5, text, 0, 0, False, 'twice'))
            for fault in range(3, 760, 5 if overwrite == 'replace' else 97):
                seeds.put('copy', well_behaved(7 | fault % 2 << 5, text,
                                               fault, 0, False, 'fault'))


KEYS = ['', 'a/b', '%41', 'x=y', '{}', '_c', '__HIVE_DEFAULT_PARTITION__', '..',
        '"', 'a' * 250, '2024-01-01', '-7', '\u00e9', 'a\\b', '*?[1]^#', ' ']


def made_keys(seeds):
    for text in ('{"partition_by":["a"]}', '{"partition_by":["b c","a"]}',
                 '{"partition_by":["_e","K=%"]}'):
        cells = b''
        for i, key in enumerate(KEYS):
            a, b = key.encode(), KEYS[i * 7 % len(KEYS)].encode()
            cells += b''.join(bytes([4, len(k)]) + k for k in (a, b, b, a))
            cells += b'\0\1\5\0' + bytes([4, len(a)]) + a
        for mode in (1, 3):
            seeds.put('copy', bytes([mode]) + struct.pack('<H', len(text)) +
                      text.encode() + b'\0\0\0\0\3' + b'\4TEXT' * 4 + cells)


def variant(seeds, path):
    with open(path, 'rb') as f, open(path[:-8] + 'value', 'rb') as g:
        metadata, value = f.read(), g.read()
    if len(metadata) + len(value) <= SMALL:
        pair = struct.pack('<H', len(metadata)) + metadata + value
        seeds.put('nested', b'\0' + pair)
        seeds.put('variant', b'\0' + pair)
        for target in range(18):
            seeds.put('variant', bytes([2 * target + 1]) + metadata + value)


JSON = ['{"b":[1,2.50,-0.0,1e3,1e400],"a":{"":null,"b":true}}', '[[],{},"\\u00e9"]',
        '12345678901234567890', '0.00000000000000000000000000000000000001',
        '[-129,40000,-3000000000,"' + 'x' * 70 + '"]', '{"a":1,"a":2}']
PATHS = ['$', '$.a[0].b', "$['a'][\"b\"]", '$.a[4294967295]', '$..', '$[x']


def made_parses(seeds):
    for text in JSON:
        seeds.put('parse', b'\0' + text.encode())
    for text in PATHS:
        seeds.put('parse', b'\1' + text.encode())


POINTS = [['1 2', '30 10', '-0.1 1e-9'], ['1 2 3', '4 5 6', 'nan 1e300 0.5'],
          ['1 2 3 4', '5 6 7 8', '1.5 -0 Infinity -1e15']]
SHAPES = ['POINT{}({})', 'POINT{} EMPTY', 'LINESTRING{}({},{},{})',
          'POLYGON{}(({},{},{}),EMPTY,({}))', 'MULTIPOINT{}(({}),{},EMPTY)',
          'MULTILINESTRING{}(({},{}),EMPTY)',
          'MULTIPOLYGON{}((({},{})),EMPTY,(({}),({})))',
          'GEOMETRYCOLLECTION{}(POINT{}({}),GEOMETRYCOLLECTION{} EMPTY)',
          'SRID=4326;POINT{}({})', 'TIN{} EMPTY']


def made_wkt(seeds):
    for tag, points in (('', 0), (' Z ', 1), ('M', 1), ('ZM', 2), ('', 1)):
        for shape in SHAPES:
            left, n = shape, 0
            while '{}' in left:
                tagged = left[:left.index('{}')][-1:].isalpha()
                left = left.replace('{}', tag if tagged else
                                    POINTS[points][n % 3], 1)
                n += not tagged
            seeds.put('wkt', b'\0\3' + left.encode())
    one = struct.pack('<BIdd', 1, 1, 1.5, -2)
    two = struct.pack('>BIddd', 0, 1001, 1e20, float('nan'), 0)
    for wkb in (one, two, struct.pack('<BII', 1, 7, 2) + one + two,
                struct.pack('<BIIIdd', 1, 0x20000002, 4326, 1, 1e-9, 0.1),
                struct.pack('<BIIIdd', 1, 3, 2, 0, 0, 0)):
        seeds.put('wkt', b'\1\2' + wkb)


GEO = ['"encoding":"WKB","geometry_types":["Point","Polygon ZM"],"crs":null',
       '"encoding":"point","edges":"spherical","bbox":[170,-1e1,-170,2.5]',
       '"encoding":"WKB","crs":{"id":{"authority":"EPSG","code":5070}},'
       '"algorithm":"karney","bbox":[0,0,0,0,1,1,1,1]',
       '"encoding":"wkb","covering":{"bbox":{"xmin":["b","xmin"],"ymin":["b",'
       '"ymin"],"xmax":["b","xmax"],"ymax":["c"]}},"bbox":[NaN,NaN,NaN,NaN]',
       '"encoding":"WKB","geometry_type":"Unknown","crs":"GEOGCRS[\\"x\\"]"']


def made_geoparquet(seeds):
    for i, members in enumerate(GEO):
        seeds.put('geoparquet', ('{"version":"1.1.0","primary_column":"g","colu'
                                 'mns":{"g":{%s},"h\\u0041":{%s}}}'
                                 % (members, GEO[i - 1])).encode())


KF = 'AAECAwQFBgcICQABAgMEBQ=='
WRAPPED = 'A' * 59 + '='             # 44 bytes, which no key has made
MATERIAL = ['"masterKeyID":"kf","doubleWrapping":false,"wrappedDEK":"%s"' % w
            for w in (WRAPPED, 'vault:v1:x', '', '{\\"encryptedKey\\":\\"%s\\",'
                      '\\"masterKeyVersion\\":\\"NO_VERSION\\"}' % WRAPPED)]
MATERIAL += ['"isFooterKey":true,"kmsInstanceID":"DEFAULT","masterKeyID":"k\\u0066'
             '","doubleWrapping":true,"keyEncryptionKeyID":"%s","wrappedKEK":"%s"'
             ',"wrappedDEK":"%s"' % (KF, WRAPPED, WRAPPED)]


def made_keys(seeds):
    """By the mode of the key door: the first byte."""
    of_type = '{"keyMaterialType":"PKMT1",'
    for m in MATERIAL:
        inner = of_type + '"internalStorage":true,' + m + '}'
        beside = {'footerKey': of_type + m + '}', 'columnKey0': '[]', 'a': inner}
        seeds.put('key', b'\0' + inner.encode())
        seeds.put('key', b'\1' + json.dumps(beside).encode())
    for name in (b'kf', b'k1', b'', KF.encode(), b'\1\2\3', b'{name'):
        seeds.put('key', b'\0' + name)
    seeds.put('key', b'\0' + (of_type + '"internalStorage":false,"keyReference":'
                              '"../columnKey0"}').encode())
    for n in (0, 16, 24, 31, 32, 255):
        seeds.put('key', bytes([2, n]) + bytes(range(n)) + b'id of a KEK')
    for text in ('{}', '{"a":"%s","\\u006bf":"%s"}' % (KF, KF), '{"a":1}',
                 '{"a":"%s","a":"%s"}' % (KF, KF)):
        seeds.put('key', b'\3' + text.encode())
    for text in (KF, ' ' + KF[:-2] + '\n', '-_' * 16, '00' * 16, 'A' * 43 + '='):
        seeds.put('key', b'\4' + text.encode())
    for kind in list(range(10)) + [16 + 2, 16 + 3]:
        where = struct.pack('<HHH', 3, 258, 5 if kind else 40000)
        sealed = struct.pack('<I', 40) + bytes(range(40))
        seeds.put('key', bytes([5, kind]) + where + sealed)
        seeds.put('key', bytes([6, kind]) + where + sealed)
        seeds.put('key', bytes([7, 11 * kind]) + where + 300 * sealed[:kind])


OBJECT = ('<Contents><Key>a%3D1/x+y&amp;&#65;&#xe9;</Key><Size>10</Size><ETag>&quot;e'
          '&quot;</ETag></Contents>')
ANSWERS = ['<ListBucketResult>' + OBJECT + more + '</ListBucketResult>' for more in (
    '', OBJECT, '<EncodingType>url</EncodingType><CommonPrefixes><Prefix>a%2F</Prefix>'
    '</CommonPrefixes>', '<IsTruncated>true</IsTruncated><NextContinuationToken>t'
    '</NextContinuationToken>', '<!-- x --><![CDATA[ <&> ]]><?pi?><a b="/>" c=\'>\'/>')]
ANSWERS += ['\ufeff<?xml version="1.0"?><Error><Code>NoSuchKey</Code><Message>no</Message>'
            '<Region>eu</Region><Endpoint>h</Endpoint></Error>',
            '<s:Result xmlns:s="x"><s:UploadId>u</s:UploadId></s:Result>']
AWS_KEYS = '[a]\naws_access_key_id = k ; c\naws_secret_access_key=s\naws_session_token=t\n'
AWS_CONFIG = ['[profile a]\nregion = r\nservices = v\ns3 =\n  addressing_style = path\n'
              '[services v]\ns3 =\n  endpoint_url = http://h:1\n', '', '[default]\nsso_session'
              '= x\n# c\n[profile "a"]\nrole_arn = y\n', AWS_KEYS.replace('[a]', '[default]')]
URLS = ['https://u:p%40@A.org:443/a/../b%2e/%2E%2e/c?q=1#f', 'http://0xa9fea9fe/x\0//h/y',
        'http://[::ffff:169.254.1.1]:8080/a b\0../z?q', 's3://b/a=1/x?#%20', 'https://h/\0?q',
        'https://h/a/..%2f..;/b\\c\0http://[fe80::1]/', 'http://1.2.3:80/%\0javascript:x']
SECRETS = ['{"key_id":"k","secret":"s\\u0041","session_token":null,"region":"r","endpoint":'
           '"http://h:9","url_style":"path","use_ssl":0,"requester_pays":true}',
           '{"provider":"env","profile":"a"}', '{"bearer_token":"t","ca_file":"f"}',
           '{"user":"u","password":"p","proxy":"x","headers":{"A":"b","c-d":""}}', '{"x":1}']


def made_remotes(seeds):
    """By the mode of the remote door: the first byte."""
    for text in ANSWERS:
        seeds.put('remote', b'\0' + text.encode())
    for config in AWS_CONFIG:
        for keys in (AWS_KEYS, ''):
            seeds.put('remote', b'\1' + struct.pack('<H', len(keys)) +
                      (keys + config).encode())
    for text in URLS:
        seeds.put('remote', b'\2' + text.encode())
    for text in SECRETS:
        for s3 in (b'\0', b'\1'):
            seeds.put('remote', b'\3' + s3 + text.encode())


def answer(status=None, headers=b'', body=None, fails=b''):
    """As fake_curl.h says; a status by its place there."""
    what = (status is None) | (body is None) << 1 | bool(headers) << 2 | bool(fails) << 3
    return (bytes([what]) + fails + (b'' if status is None else bytes([status])) +
            (bytes([len(headers)]) + headers if headers else b'') +
            (b'' if body is None else struct.pack('<H', len(body)) + body))


def made_servers(seeds):
    """All is right, and one answer is not."""
    steps = ((0, 10), (5000, 250), (0, 1), (650000, 3), (70000, 200), (69000, 255))
    steps = bytes([len(steps)]) + b''.join(struct.pack('<I', at)[:3] + bytes([n]) for at, n in steps)
    page = (b'<ListBucketResult><Contents><Key>a/x</Key></Contents><CommonPrefixes><Prefix>a/y/'
            b'</Prefix></CommonPrefixes><IsTruncated>%s</IsTruncated><NextContinuationToken>t'
            b'</NextContinuationToken></ListBucketResult>')
    made = b'<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>'
    wrong = [answer(fails=b'\0'), answer(fails=b'\5'), answer(status=13), answer(body=b'x'),
             answer(headers=b'ETag: "2"\r\nContent-Encoding: gzip\r\n'), answer(0, b'', page % b'false'),
             answer(0, b'', page % b'true') + answer(0, b'', page % b'false'), answer(0, b'', made),
             answer(1, b'Content-Range: bytes 0-99/700000\nETag: W/"1"\n', b'y' * 100),
             answer(1, b'Content-Range: bytes 0-0/70\n', b'y'), answer(4, b'Content-Range: bytes */0\n', b''),
             answer(9, b'Location: https://h.example:8/y\n', b''), answer(11, b'Retry-After: 9\n', b''),
             answer(7, b'x-amz-bucket-region: eu-west-1\n', b''), answer(3, b'', b''), answer(0, b'', b'z' * 500),
             answer(12, b'', b''), answer(7, b'', b'<Error><Code>AuthorizationHeaderMalformed</Code>'
                                                 b'<Region>eu-west-1</Region></Error>')]
    parts = bytes([12]) + b''.join(struct.pack('<I', 10000 * k + 5)[:3] + bytes([3 + k % 7])
                                   for k in range(12))
    for twist in range(16):
        for size in (700001, 700002):
            head = b'\6' + struct.pack('<I', size)[:3] + parts + b'\3'
            seeds.put('server', head + bytes([19, 12]) + bytes([0, twist] * 6))
            seeds.put('server', head + bytes([19, 12]) + bytes([twist] * 12) + wrong[twist])
    for mode in range(7):
        for size in (0, 1, 3000, 700001):
            head = bytes([mode]) + struct.pack('<I', size)[:3] + steps
            for text in wrong:
                seeds.put('server', head + text + text)
                seeds.put('server', head + b'\3' + text)
                seeds.put('server', head + answer(0, b'', made) + b'\3' + text)


def plain_wkb(seeds, body):
    """The values of a plain page, if they are geometries; levels may come
    first."""
    for at in (0, 4 + int.from_bytes(body[:4], 'little')):
        while at + 9 <= len(body):
            n = int.from_bytes(body[at:at + 4], 'little')
            value = body[at + 4:at + 4 + n]
            if len(value) != n or n < 9 or value[0] > 1:
                break
            seeds.put('wkb', value)
            at += 4 + n


def head(kind, z, m, order, ewkb):
    flags = (z << 31 | m << 30 | 1 << 29) if ewkb else 0
    type_ = kind + (0 if ewkb else 1000 * z + 2000 * m)
    return (bytes([order == '<']) + struct.pack(order + 'I', flags | type_) +
            (struct.pack(order + 'I', 4326) if ewkb else b''))


def geometry(kind, points, z, m, order, ewkb):
    """A geometry of each kind out of the same points."""
    count = struct.pack(order + 'I', len(points))
    one = struct.pack(order + 'I', 1)
    run = b''.join(struct.pack(order + 'd', c)
                   for p in points for c in p[:2 + z + m])
    def part(k):
        return geometry(k, points, z, m, '<' if order == '>' else '>', False)
    if kind < 4:
        body = [run[:8 * (2 + z + m)], count + run, one + count + run][kind - 1]
    elif kind < 7:
        body = one + part(kind - 3)
    else:
        body = struct.pack(order + 'I', 3) + part(1) + part(3) + part(6)
    return head(kind, z, m, order, ewkb) + body


def rectangle(xmin, ymin, xmax, ymax):
    return [(xmin, ymin), (xmin, ymax), (xmax, ymax), (xmax, ymin),
            (xmin, ymin)]


def made_wkb(seeds):
    nan, inf = float('nan'), float('inf')
    lines = [[(170, 60, 1, 2), (-170, 60, 3, 4), (175, nan, 0, inf)],
             [(0, 80, 1, 1), (120, 80, 1, 1), (-120, 80, 1, 1), (0, 80, 1, 1)],
             [(nan, nan, nan, nan)], [(1e300, -inf, 0, 0)]]
    for kind in range(1, 8):
        for i in range(8):
            seeds.put('wkb', geometry(kind, lines[i % 4 if kind > 1 else 0],
                                      i & 1, i >> 1 & 1, '<>'[kind & 1],
                                      i >> 2 & 1))
        for line in lines:
            seeds.put('wkb', geometry(kind, line, 0, 0, '<', False))
        seeds.put('wkb', head(kind, 0, 0, '<', False) + bytes(4))
    for west, east in ((170, -170), (180, -180), (10, 10), (-180, 180)):
        seeds.put('wkb', head(6, 0, 0, '<', False) + struct.pack('<I', 2) +
                  geometry(3, rectangle(west, 0, 180, 5), 0, 0, '<', False) +
                  geometry(3, rectangle(-180, 0, east, 5), 0, 0, '>', False))
    nested = geometry(1, lines[0], 0, 0, '<', False)
    for depth in range(1, 102):
        nested = head(7, 0, 0, '<', False) + struct.pack('<I', 1) + nested
        if depth in (2, 99, 100, 101):
            seeds.put('wkb', nested)


def made_unknown(seeds):
    names = b'\x01\x02\0\1\2ab'
    for value in (b'\x54\1\2', b'\3\2\0\2\4\x54\1\x54\2',
                  b'\2\2\0\1\2\0\4\x54\1\x54\2'):
        seeds.put('variant', b'\1' + names + value)
    seeds.put('variant', b'\1\x01\0\0')


def made_moves(seeds):
    t = {'name': 't', 'rows_from': 'file', 'file': 't.parquet', 'rows': 2,
         'columns': [{'name': 'a', 'as': 'BIGINT'}, {'name': 'b', 'as': 'TEXT'}]}
    w = {'name': 'w', 'rows_from': 'file', 'file': 'w.parquet', 'rows': 2, 'rowid': 'rowid',
         'columns': [{'name': 'c', 'as': 'VARIANT'}, {'name': 'd', 'as': 'VARIANT HEX'}]}
    make_t = 'CREATE TABLE t(a INTEGER PRIMARY KEY AUTOINCREMENT, b TEXT);\n'
    make_w = 'CREATE TABLE w(c, d);\n'
    rest = ('CREATE INDEX i ON t(b) WHERE a > 1;\nCREATE VIEW v AS SELECT * FROM t -- x\n;\n'
            "CREATE TRIGGER tr AFTER INSERT ON t BEGIN SELECT raise(FAIL, 'no; no'); END;\n")
    words = {'name': 'words', 'rows_from': 'rebuild',
             'columns': [{'name': 'b', 'as': 'TEXT'}]}
    fts = "CREATE VIRTUAL TABLE words USING fts5(b, content='t', content_rowid='a');\n"
    of = {'parquet_export': 1, 'schema': 'main', 'encoding': 'UTF-16le', 'user_version': 7,
          'application_id': 8}
    for trust in b'\0', b'\1':
        for tables, sql in (
                ([t], make_t), ([t, w], make_t + make_w + rest), ([w], make_w),
                ([t, words], make_t + fts), ([dict(t, sequence=9, grows_by='a', grown_to=7)], make_t),
                ([t, dict(t, rows=0)], make_t), ([dict(t, rows=3)], make_t), ([], ''),
                ([dict(t, file='../t.parquet')], make_t), ([dict(w, rowid='oid')], make_w),
                ([t], 'CREATE TABLE t(a, b CHECK (b <> (SELECT 1)));'),
                ([t], 'CREATE TABLE t AS SELECT 1 AS a, 2 AS b;'),
                ([t], make_t + "ATTACH 'x' AS y; PRAGMA user_version = 4; DROP TABLE t;"),
                ([t], 'CREATE TABLE IF NOT EXISTS "t" (a, b, c AS (a + 1)) STRICT;')):
            seeds.put('move', trust + json.dumps(dict(of, tables=tables)).encode() + b'\0' +
                      sql.encode())


def bitmap(parts, runs):
    """(key, values) of each container; those in runs hold runs."""
    bodies, flags = [], 0
    for i, (key, values) in enumerate(parts):
        if i in runs:
            flags |= 1 << i
            starts = [v for v in values if v - 1 not in values]
            ends = [v for v in values if v + 1 not in values]
            bodies.append(struct.pack('<H', len(starts)) + b''.join(
                struct.pack('<HH', a, b - a) for a, b in zip(starts, ends)))
        elif len(values) <= 4096:
            bodies.append(struct.pack('<%dH' % len(values), *values))
        else:
            bodies.append(sum(1 << v for v in values).to_bytes(8192, 'little'))
    n = len(parts)
    out = struct.pack('<II', 12346, n)
    if flags:
        out = struct.pack('<HH', 12347, n - 1) + flags.to_bytes((n + 7) // 8, 'little')
    for key, values in parts:
        out += struct.pack('<HH', key, len(values) - 1)
    at = len(out) + 4 * n
    for body in bodies if not flags or n >= 4 else ():
        out += struct.pack('<I', at)
        at += len(body)
    return out + b''.join(bodies)


def made_avro(seeds):
    """Manifests and their list, as iceberg_table.py has them, and small schemas."""
    def record(fields):
        return json.dumps({"type": "record", "name": "r", "fields": [
            {"name": "f%d" % i, "type": t, "field-id": i} for i, t in enumerate(fields)]}).encode()

    def long(n):
        return bytes([2 * n])
    some = [
        (["int", ["null", "long"], "string"], long(3) + long(1) + long(7) + long(2) + b"ab"),
        (["boolean", "float", "double", "bytes"],
         b"\1" + struct.pack("<fd", 1.5, 2.5) + long(1) + b"x"),
        ([{"type": "array", "items": "int"}, {"type": "map", "values": "long"}],
         long(2) + long(4) + long(5) + long(0) + long(1) + long(1) + b"k" + long(9) + long(0)),
        ([{"type": "fixed", "name": "x", "size": 2}, "x",
          {"type": "enum", "name": "e", "symbols": ["a", "b"]}], b"abcd" + long(1)),
        ([{"type": "record", "name": "n", "fields": [{"name": "v", "type": "null"}]}, "n",
          {"type": "array", "items": "n"}, {"type": {"type": "int"}}], long(0) + long(6)),
    ]
    for fields, data in some:
        schema = record(fields)
        head = b"\1" + struct.pack("<HB", len(schema), 2) + schema
        seeds.put("avro", head + data + data)
        meta = {"avro.schema": schema, "avro.codec": b"deflate"}
        z = zlib.compressobj(6, zlib.DEFLATED, -15)
        packed = z.compress(data) + z.flush()
        out = b"Obj\1" + long(2)
        for key, value in meta.items():
            n = 2 * len(value)
            out += long(len(key)) + key.encode()
            out += (bytes([n & 127 | 128, n >> 7]) if n > 127 else bytes([n])) + value
        seeds.put("avro", b"\0" + out + long(0) + bytes(16) + long(1) + long(len(packed)) +
                  packed + bytes(16))


def made_deletes(seeds):
    few, run, all_ = [3, 4, 7], range(11, 16), range(65536)
    shapes = [([], ()), ([(0, few)], ()), ([(0, run)], (0,)), ([(9, all_)], (0,)),
              ([(0, [0]), (1, [0, 65535]), (2, all_), (3, few)], (2,)),
              ([(0, [65535]), (1, all_), (2, run)], (1, 2)), ([(0, [65535]), (1, [0])], ()),
              ([(5, range(0, 65536, 3))], ()), ([(5, range(5000)), (6, few)], (1,))]
    bitmaps = [bitmap(*shape) for shape in shapes]
    sets = [struct.pack('<Q', 1) + bytes(4) + b for b in bitmaps]
    sets.append(struct.pack('<Q', 3) + b''.join(
        struct.pack('<I', key) + bitmaps[i] for key, i in ((0, 0), (1, 1), (9, 4))))
    for one in sets:
        seeds.put('deletes', b'\0' + one)
        data = b'\xd1\xd3\x39\x64' + one
        seeds.put('deletes', b'\2\3' + struct.pack('>I', len(data)) + data +
                  struct.pack('>I', zlib.crc32(data)))
    data = b'\xd1\xd3\x39\x64' + sets[1]
    stored = struct.pack('>I', len(data)) + data + struct.pack('>I', zlib.crc32(data))
    uuid = b'^-aqEH.-t@S}K{vb[*k^'
    for offset, size, rows, kind, path, read in (
            (1, len(data), 3, b'u', b'ab' + uuid, b'\1' + stored),
            (0, len(data), 3, b'p', b's3://b/c.bin', b'\1' + stored),
            (4, len(data), 3, b'u', uuid, stored),
            (0, 44, 6, b'i', b'^Bg9^0rr910000000000iXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L', b''),
            (0, 34, 1, b'i', b'^Bg9^0rr910000000000iXQKl0rr91000005c8Xg##093', b'')):
        seeds.put('deletes', b'\1' + struct.pack('<I', offset)[:3] +
                  struct.pack('<I', size)[:3] + bytes([rows]) + kind + bytes([len(path)]) +
                  path + read)


def made_logs(seeds):
    def field(name, kind, **mapping):
        return {'name': name, 'type': kind, 'nullable': name != 'id',
                'metadata': {'delta.columnMapping.' + k: v for k, v in mapping.items()}}

    words = ('string long integer short byte float double boolean binary date timestamp '
             'timestamp_ntz void variant decimal decimal(9,2) decimal(39,1) interval').split()
    list_ = {'type': 'array', 'elementType': 'integer', 'containsNull': False}
    map_ = {'type': 'map', 'keyType': 'string', 'valueType': list_, 'valueContainsNull': True}
    struct_ = {'type': 'struct', 'fields': [field('x', 'long', id=5, physicalName='c-5'),
                                            field('l', map_, id=6, physicalName='c-6')]}
    schemas = [[field(w, w)] for w in words] + [[], [field('id', 'long'), field('s', struct_)],
               [field(w, w) for w in words[:15]],
               [field('id', 'long', id=1, physicalName='c-1'),
                field('s', struct_, id=2, physicalName='c-2')],
               [field('id', 'long', id=1), field('v', 'variant', physicalName='c-2')]]
    schemas = [json.dumps({'type': 'struct', 'fields': f}) for f in schemas]
    for text in schemas + ['{}', '[]', '{"type":"struct"}', '{"fields":[{"type":7}]}']:
        for mapping in b'\0\1\2':
            seeds.put('log', b'\1' + bytes([mapping]) + text.encode())

    ids = [{'id': i, 'name': w, 'required': i == 1, 'type': w} for i, w in enumerate(
        'int long string uuid time timestamp timestamptz timestamp_ns fixed[4] unknown binary '
        'decimal(9,2) variant geometry'.split(), 1)]
    ids[1]['initial-default'] = 4
    ids.append({'id': 30, 'name': 's', 'type': {'type': 'struct', 'fields': [
        {'id': 31, 'name': 'l', 'type': {'type': 'list', 'element-id': 32, 'element': 'int'}}]}})
    for some in (ids[:13] + ids[14:], ids, ids[:1], []):
        schema = {'type': 'struct', 'schema-id': 1, 'fields': some}
        seeds.put('log', b'\1\3' + json.dumps(schema).encode())
        for version, more in (1, {'schema': schema, 'partition-spec': []}), (2, {}), (3, {}), (4, {}):
            seeds.put('log', b'\2' + json.dumps({
                'format-version': version, 'location': 's3://b/t', 'last-updated-ms': 7,
                'current-schema-id': 1, 'schemas': [schema], 'current-snapshot-id': 5,
                'partition-specs': [{'spec-id': 0, 'fields': [
                    {'source-id': 1, 'field-id': 1000, 'name': 'int', 'transform': 'identity'}]}],
                'properties': {'schema.name-mapping.default': '[{"field-id":1,"names":["a"]}]'},
                'snapshots': [{'snapshot-id': 5, 'sequence-number': 1, 'timestamp-ms': 9,
                               'manifest-list': 's3://b/t/metadata/l.avro', 'schema-id': 1,
                               'summary': {'operation': 'append', 'total-records': '3'}}],
                **more}).encode())

    def log(schema, partition, actions, reader=3, **settings):
        features = ['columnMapping', 'deletionVectors'] if reader == 3 else None
        lines = [{'protocol': {'minReaderVersion': reader, 'readerFeatures': features}},
                 {'metaData': {'format': {'provider': 'parquet', 'options': {}},
                               'schemaString': schema, 'partitionColumns': partition,
                               'configuration': settings}}] + actions
        seeds.put('log', b'\0' + '\n'.join(map(json.dumps, lines)).encode())

    vector = {'storageType': 'i', 'pathOrInlineDv': '^Bg9^0rr910000000000iXQKl0rr91000f55c8X'
              'g0@@D72lkbi5=-{L', 'sizeInBytes': 44, 'cardinality': 6}
    stats = json.dumps({'numRecords': 9, 'minValues': {'long': -5, 'string': 'a'}, 'maxValues': {
        'long': 7, 'string': 'b'}, 'nullCount': {'long': 0}, 'tightBounds': False})
    a = {'path': 'a%20b.parquet', 'partitionValues': {}, 'size': 9, 'stats': stats}
    typed = {'string': 'x', 'long': '7', 'double': '1.5', 'boolean': 'true', 'decimal': '3',
             'date': '2024-01-02', 'timestamp': '2024-01-02 03:04:05.1', 'byte': None,
             'timestamp_ntz': '2024-01-02T03:04:05Z', 'short': ''}
    log(schemas[-3], list(typed), [{'add': dict(a, partitionValues=typed)}])
    log(schemas[-4], [], [{'add': a}, {'add': dict(a, path='b')}, {'remove': {'path': 'b'}}])
    log(schemas[-4], [], [{'add': dict(a, deletionVector=vector)}, {'remove': a}])
    log(schemas[-2], ['id'], [{'add': dict(a, partitionValues={'c-1': '4'})},
                              {'sidecar': {'path': 'x/one.parquet'}}, {'txn': {'version': 3}}],
        **{'delta.columnMapping.mode': 'name'})
    log(schemas[-2], [], [{'add': a}], 2, **{'delta.columnMapping.mode': 'id'})
    log(schemas[-2], [], [{'add': a}], 2, **{'delta.columnMapping.mode': 'magic'})
    for path in ('/a', 'file:///a', 's3://b/a', 'x/../../a', '%2e%2e/a', ''):
        log(schemas[-4], [], [{'add': dict(a, path=path)}], 1)
    log(schemas[-4], ['no'], [{'add': a}], 4)
    log(schemas[-4], ['no'], [])


def main():
    seeds = Seeds(sys.argv[1])
    made_columns(seeds)
    for path in sys.argv[2:]:
        try:
            if path.endswith('.metadata'):
                variant(seeds, path)
                continue
            whole_file(seeds, path)
        except Exception as x:
            print(path, repr(x), file=sys.stderr)
    made_pages(seeds)
    made_alp(seeds)
    made_codecs(seeds)
    made_fills(seeds)
    made_copies(seeds)
    made_spills(seeds)
    made_twice(seeds)
    made_keys(seeds)
    made_parses(seeds)
    made_wkb(seeds)
    made_wkt(seeds)
    made_geoparquet(seeds)
    made_keys(seeds)
    made_remotes(seeds)
    made_servers(seeds)
    made_unknown(seeds)
    made_moves(seeds)
    made_deletes(seeds)
    made_avro(seeds)
    made_logs(seeds)


if __name__ == '__main__':
    main()
