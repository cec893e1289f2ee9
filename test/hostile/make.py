#!/usr/bin/env python3
"""make.py - the small files of test/hostile, byte by byte.

  make.py [FOLDER]

  encodings.parquet   a column for each encoding and a type it is for
  levels.parquet      lists: BIT_PACKED levels, rows that span v1 pages, v2
                      pages, no dictionary offset
  indexes.parquet     statistics, page indexes, a Bloom filter, CRCs, key-value
                      metadata, an index page, sorting columns, two row groups
                      of two files: the second is the first by its file_path

Files of other writers are in test/samples.  This script needs only Python, and
takes its encoders from the fuzzer's seeds.
"""
import os
import struct
import sys
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'fuzz'))
from seeds import alp_body, delta, packed, varint, zigzag  # noqa: E402

INT32, INT64, INT96, FLOAT, DOUBLE, BYTES, FIXED = 1, 2, 3, 4, 5, 6, 7
BOOLEAN = 0


# ---- thrift: {id: value}; a value is int, bool, bytes, dict, list or I32 -----

class I32(int):
    pass


class Byte(int):
    pass


class Double(float):
    pass


def kind_of(v):
    if isinstance(v, bool):
        return 1 if v else 2
    for kind, t in ((3, Byte), (5, I32), (6, int), (7, Double), (8, bytes),
                    (9, list), (12, dict)):
        if isinstance(v, t):
            return kind
    raise TypeError(v)


def value(v):
    if isinstance(v, bool):
        return b'\1' if v else b'\2'
    if isinstance(v, Byte):
        return bytes([v & 255])
    if isinstance(v, int):
        return zigzag(v)
    if isinstance(v, Double):
        return struct.pack('<d', v)
    if isinstance(v, bytes):
        return varint(len(v)) + v
    if isinstance(v, list):
        kind = kind_of(v[0]) if v else 12
        head = bytes([len(v) << 4 | kind]) if len(v) < 15 else \
            bytes([0xf0 | kind]) + varint(len(v))
        return head + b''.join(value(x) for x in v)
    return thrift(v)


def thrift(fields):
    out, last = b'', 0
    for i in sorted(fields):
        v = fields[i]
        out += bytes([i - last << 4 | kind_of(v)])
        if not isinstance(v, bool):
            out += value(v)
        last = i
    return out + b'\0'


# ---- pages -------------------------------------------------------------------

def page_v1(n, encoding, body, levels=3, crc=False):
    header = {1: I32(0), 2: I32(len(body)), 3: I32(len(body)),
              5: {1: I32(n), 2: I32(encoding), 3: I32(levels),
                  4: I32(levels)}}
    if crc:
        c = zlib.crc32(body)
        header[4] = I32(c - (1 << 32) if c >> 31 else c)
    return thrift(header) + body


def page_v2(n, nulls, rows, encoding, rep, define, body):
    whole = rep + define + body
    return thrift({1: I32(3), 2: I32(len(whole)), 3: I32(len(whole)), 8: {
        1: I32(n), 2: I32(nulls), 3: I32(rows), 4: I32(encoding),
        5: I32(len(define)), 6: I32(len(rep)), 7: False}}) + whole


def dictionary_page(n, body):
    return thrift({1: I32(2), 2: I32(len(body)), 3: I32(len(body)),
                   7: {1: I32(n), 2: I32(0)}}) + body


def runs(levels, width):
    """One packed run, then the last level 8 times more than there are."""
    more = levels + [0] * (-len(levels) % 8)
    return varint(len(more) // 8 << 1 | 1) + packed(more, width)


def sized(data):
    return struct.pack('<I', len(data)) + data


class File:
    def __init__(self):
        self.data = b'PAR1'
        self.elements, self.chunks = [], []

    def put(self, data):
        at = len(self.data)
        self.data += data
        return at

    def element(self, **of):
        ids = dict(type=1, length=2, repetition=3, name=4, children=5,
                   converted=6, scale=7, precision=8, logical=10)
        self.elements.append({ids[k]: v if isinstance(v, (bytes, dict)) else
                              I32(v) for k, v in of.items()})

    def chunk(self, kind, path, n, pages, dictionary=b'', **more):
        at = self.put(dictionary)
        size = len(dictionary) + len(pages)
        data_at = self.put(pages)
        meta = {1: I32(kind), 2: [I32(0)], 3: path, 4: I32(0), 5: n, 6: size,
                7: size, 9: data_at}
        if dictionary:
            meta[11] = at
        meta.update(more.pop('meta', {}))
        chunk = {2: at, 3: meta}
        chunk.update(more.pop('chunk', {}))
        self.chunks.append(chunk)
        return data_at

    def footer(self, rows, groups=None, more=None):
        groups = groups or [{1: self.chunks, 2: 1000, 3: rows}]
        meta = {1: I32(2), 2: self.elements, 3: rows, 4: groups,
                6: b'parquet test maker version 1.0.0'}
        meta.update(more or {})
        data = thrift(meta)
        return self.data + data + struct.pack('<I', len(data)) + b'PAR1'


# ---- files -------------------------------------------------------------------

ROWS = 16


def split(data, width):
    return b''.join(data[i::width] for i in range(width))


def encodings():
    numbers = [i * i - 40 for i in range(ROWS)]
    texts = [b'row %d' % (i * 7) for i in range(ROWS)]
    common = [0] + [len(os.path.commonprefix([a, b]))
                    for a, b in zip(texts, texts[1:])]
    fixed = [b'%03d' % (i * 5) for i in range(ROWS)]
    same = [0] + [len(os.path.commonprefix([a, b]))
                  for a, b in zip(fixed, fixed[1:])]
    ints = struct.pack('<16i', *numbers)
    longs = struct.pack('<16q', *numbers)
    floats = struct.pack('<16f', *[n / 2 for n in numbers])
    doubles = struct.pack('<16d', *[n / 4 for n in numbers])
    rle = varint(ROWS - 8 << 1) + b'\1' + varint(3) + b'\x5a'
    vectors = [(2, 1, 100, 6, [i * 3 for i in range(8)], []),
               (1, 0, -3, 4, list(range(8)), [(2, None)])]

    def alp(kind):
        nan = b'\xff' * (4 if kind == FLOAT else 8)
        return alp_body(kind, 3, [v[:5] + ([(p, nan) for p, _ in v[5]],)
                                  for v in vectors])[1]

    columns = [
        (INT32, 5, 0, delta(numbers, 7)),
        (INT64, 5, 0, delta(numbers, 7)),
        (BYTES, 6, 0, delta([len(t) for t in texts], 3) + b''.join(texts)),
        (BYTES, 7, 0, delta(common, 4) + delta(
            [len(t) - c for t, c in zip(texts, common)], 4) + b''.join(
                t[c:] for t, c in zip(texts, common))),
        (FIXED, 7, 3, delta(same, 3) + delta([3 - c for c in same], 3) +
         b''.join(t[c:] for t, c in zip(fixed, same))),
        (FLOAT, 9, 0, split(floats, 4)), (DOUBLE, 9, 0, split(doubles, 8)),
        (INT32, 9, 0, split(ints, 4)), (INT64, 9, 0, split(longs, 8)),
        (FIXED, 9, 3, split(b''.join(fixed), 3)),
        (BOOLEAN, 3, 0, sized(rle)), (BOOLEAN, 0, 0, b'\xc5\x3a'),
        (FLOAT, 10, 0, alp(FLOAT)), (DOUBLE, 10, 0, alp(DOUBLE)),
        (INT96, 0, 0, (b'\0' * 8 + b'\x8c\x3d\x25\0') * ROWS),
        (FIXED, 0, 3, b''.join(fixed)),
    ]
    f = File()
    f.element(name=b'schema', children=len(columns))
    for i, (kind, encoding, length, body) in enumerate(columns):
        name = b'c%d' % i
        f.element(type=kind, length=length, repetition=0, name=name)
        f.chunk(kind, [name], ROWS, page_v1(ROWS, encoding, body))
    return f.footer(ROWS)


def high_first(levels, width):
    bits = 0
    for v in levels:
        bits = bits << width | v
    n = len(levels) * width
    return (bits << (-n % 8)).to_bytes((n + 7) // 8, 'big')


def levels():
    """Lists of ints: [1 2] [] null [3 null 4] [5] .. in three shapes."""
    rep = [0, 1, 0, 0, 0, 1, 1, 0]
    define = [3, 3, 1, 0, 3, 2, 3, 3]
    ints = struct.pack('<5i', 1, 2, 3, 4, 5)
    f = File()
    f.element(name=b'schema', children=3)
    names = [b'packed', b'spanning', b'two']
    for name in names:
        f.element(repetition=1, name=name, children=1, converted=3)
        f.element(repetition=2, name=b'list', children=1)
        f.element(type=INT32, repetition=1, name=b'element')
    paths = [[n, b'list', b'element'] for n in names]
    f.chunk(INT32, paths[0], 8, page_v1(
        8, 0, high_first(rep, 1) + high_first(define, 2) + ints, 4))
    # The list of row 3 begins in one page and ends in another.
    parts, at = b'', 0
    for low, high in ((0, 5), (5, 6), (6, 8)):
        n = define[low:high].count(3)
        parts += page_v1(high - low, 0, sized(runs(rep[low:high], 1)) + sized(
            runs(define[low:high], 2)) + ints[at:at + 4 * n])
        at += 4 * n
    f.chunk(INT32, paths[1], 8, parts)
    ids = b'\2' + varint(5 << 1) + b'\1'
    f.chunk(INT32, paths[2], 8, dictionary_page(3, ints[:12]) + page_v2(
        4, 2, 3, 8, runs(rep[:4], 1), runs(define[:4], 2),
        b'\2' + varint(2 << 1) + b'\1') + page_v2(
            4, 1, 2, 8, runs(rep[4:], 1), runs(define[4:], 2), ids))
    return f.footer(5)


def indexes(name):
    f = File()
    f.element(name=b'schema', children=2)
    f.element(type=INT64, repetition=1, name=b'id')
    f.element(type=BYTES, repetition=0, name=b'text', logical={1: {}})
    at, locations, pages = len(f.data), [], b''
    for p in range(3):
        body = sized(runs([1, 1, 0, 1], 1)) + struct.pack(
            '<3q', *[10 * p + i for i in range(3)])
        one = page_v1(4, 0, body, crc=True)
        locations.append({1: at + len(pages), 2: I32(len(one)), 3: 4 * p})
        pages += one
        if p == 1:                   # an index page, which no reader uses
            pages += thrift({1: I32(1), 2: I32(4), 3: I32(4), 6: {}}) + b'abcd'
    low = [struct.pack('<q', 10 * p) for p in range(3)]
    high = [struct.pack('<q', 10 * p + 2) for p in range(3)]
    column_index = thrift({1: [False] * 3, 2: low, 3: high, 4: I32(1),
                           5: [1, 1, 1], 7: [1, 3] * 3})
    offset_index = thrift({1: locations})
    bloom = thrift({1: I32(32), 2: {1: {}}, 3: {1: {}}, 4: {1: {}}}) + \
        b'\xff\x7f\xef\xfd' * 8
    end = at + len(pages)
    statistics = {3: 3, 4: 9, 5: high[2], 6: low[0], 7: True, 8: True}
    f.chunk(INT64, [b'id'], 12, pages, meta={
        8: [{1: b'k', 2: b'v'}], 12: statistics,
        13: [{1: I32(0), 2: I32(0), 3: I32(3)}], 14: end,
        15: I32(len(bloom)), 16: {3: [3, 9]}},
        chunk={4: end + len(bloom), 5: I32(len(offset_index)),
               6: end + len(bloom) + len(offset_index),
               7: I32(len(column_index))})
    f.put(bloom + offset_index + column_index)
    ids = page_v1(12, 8, b'\1' + runs([0, 1] * 6, 1))
    f.chunk(BYTES, [b'text'], 12, ids,
            dictionary_page(2, sized(b'yes') + sized(b'no')), meta={
                12: {1: b'yes', 2: b'no', 5: b'yes', 6: b'n', 8: False},
                16: {1: 30}})
    again = [dict(c) for c in f.chunks]
    for c in again:
        c[1] = name
    sorting = [{1: I32(0), 2: False, 3: True}]
    groups = [{1: f.chunks, 2: 400, 3: 12, 4: sorting, 7: I32(0)},
              {1: again, 2: 400, 3: 12, 7: I32(1)}]
    return f.footer(24, groups, {5: [{1: b'a', 2: b'b'}, {1: b'c'}],
                                 7: [{1: {}}, {1: {}}]})


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    for name, data in (('encodings', encodings()), ('levels', levels()),
                       ('indexes', indexes(b'indexes.parquet'))):
        with open(os.path.join(folder, name + '.parquet'), 'wb') as f:
            f.write(data)


main()
