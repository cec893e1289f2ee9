"""Reads encrypted Parquet files from the specification alone.

    file = open_file(path, keys, prefix=None)
    file.modules         each that is sealed, opened and authenticated
    file.spans           all parts of the file: (begin, end, what it is)
    file.problems        sentences
    file.notes           others, about what is odd and allowed

Every module is opened, those in the clear are parsed, and together they have to
be the whole file.  Values are not decoded: other tests compare them.

Usage: crypto_read.py FILE [PREFIX]              with the keys of crypto_file.py
"""
import struct
import sys
import zlib

import crypto_material
from crypto_file import (
    ALL_KEYS, BLOOM_BITS, BLOOM_HEADER, COLUMN_INDEX, COLUMN_META, DATA_PAGE,
    DATA_PAGE_HEADER, DICTIONARY_PAGE, DICTIONARY_PAGE_HEADER, FOOTER, Forged,
    KIND_NAMES, OFFSET_INDEX, aad_of, ctr, gcm_open, gcm_seal)

SENSITIVE = {12: "statistics", 16: "size statistics",
             17: "geospatial statistics"}


# ---- compact Thrift ----------------------------------------------------------

def varint(b, at):
    n = shift = 0
    while True:
        n |= (b[at] & 127) << shift
        shift += 7
        at += 1
        if b[at - 1] < 128:
            return n, at


def zigzag(b, at):
    n, at = varint(b, at)
    return n >> 1 ^ -(n & 1), at


def value(b, at, code, in_list=False):
    if code in (1, 2):
        return (b[at] == 1, at + 1) if in_list else (code == 1, at)
    if code == 3:
        return b[at], at + 1
    if code in (4, 5, 6):
        return zigzag(b, at)
    if code == 7:
        return struct.unpack_from("<d", b, at)[0], at + 8
    if code == 8:
        n, at = varint(b, at)
        return bytes(b[at:at + n]), at + n
    if code in (9, 10):
        n, of, at = b[at] >> 4, b[at] & 15, at + 1
        if n == 15:
            n, at = varint(b, at)
        out = []
        for _ in range(n):
            v, at = value(b, at, of, True)
            out.append(v)
        return out, at
    assert code == 12, "type %d" % code
    return fields(b, at)


def fields(b, at=0):
    """A struct: {field id: value}, and where it ends."""
    out, number = {}, 0
    while b[at]:
        step, code = b[at] >> 4, b[at] & 15
        at += 1
        if step:
            number += step
        else:
            number, at = zigzag(b, at)
        out[number], at = value(b, at, code)
    return out, at + 1


# ---- the file ----------------------------------------------------------------

class Module:
    def __init__(self, kind, group, column, page, begin, end, key, nonce,
                 plain):
        self.kind, self.group, self.column, self.page = kind, group, column, \
            page
        self.begin, self.end, self.key = begin, end, key
        self.nonce, self.plain = nonce, plain

    def name(self):
        return "%s of %s" % (KIND_NAMES[self.kind],
                             (self.group, self.column, self.page))


class Chunk:
    """key: the name of its key, or None."""

    def __init__(self, group, column, fields_):
        self.group, self.column, self.fields = group, column, fields_
        self.key, self.own, self.meta = None, False, None


class Reader:
    """keys gets the keys of key material, by names of their own; material has what
    is said of these."""

    def __init__(self, data, keys, prefix, path=None):
        self.data, self.keys, self.given = data, dict(keys), prefix
        self.masters, self.path, self.material = keys, path, {}
        self.modules, self.spans = [], []
        self.problems, self.notes = [], []
        self.paths, self.checked_crcs = [], 0
        self.encrypted, self.ctr = True, False

    def problem(self, words, *arguments):
        self.problems.append(words % arguments)

    # -- the end of the file

    def read(self):
        d = self.data
        if len(d) < 12 or d[:4] != d[-4:] or d[:4] not in (b"PAR1", b"PARE"):
            self.problem("no Parquet file")
            return
        size, = struct.unpack_from("<I", d, len(d) - 8)
        begin, end = len(d) - 8 - size, len(d) - 8
        self.spans += [(0, 4, "magic"), (end, len(d), "end")]
        if d[:4] == b"PARE":
            said, at = fields(d, begin)
            self.spans.append((begin, at, "crypto metadata"))
            self.algorithm(said[1], said.get(2))
            footer = self.open(FOOTER, at, (), self.footer_name)
            if footer is None:
                return
            if at + len(footer.plain) + 32 != end:
                self.problem("the footer does not end where it should")
            self.footer_name = [footer.key]
            self.footer = footer.plain
        else:
            self.footer = d[begin:end]
            said, at = fields(d, begin)
            self.encrypted = 8 in said
            if self.encrypted:
                self.signed(said, begin, at, end)
            self.spans.append((begin, end, "footer"))
        self.file, at = fields(self.footer)
        self.groups()

    def algorithm(self, said, metadata):
        (which, a), = said.items()
        self.ctr, self.metadata = which == 2, metadata
        self.unique, self.stored = a.get(2, b""), a.get(1)
        self.supplied = bool(a.get(3))
        prefix = self.stored
        if self.supplied:
            prefix = self.given
            if prefix is None:
                self.problem("an AAD prefix is missing")
        self.aad = (prefix or b"") + self.unique
        self.footer_name = self.names(metadata)

    def signed(self, said, begin, at, end):
        self.algorithm(said[8], said.get(9))
        if at + 28 != end:
            self.problem("the footer does not end before its signature")
        nonce, tag = self.data[at:at + 12], self.data[at + 12:at + 28]
        plain, fits = self.data[begin:at], None
        for name in self.footer_name:
            if gcm_seal(self.keys[name], nonce, aad_of(self.aad, FOOTER),
                        plain)[-16:] == tag:
                fits = name
        if not fits:
            self.problem("the signature does not fit")
            return
        self.footer_name = [fits]
        self.modules.append(Module(FOOTER, -1, -1, -1, begin, end, fits, nonce,
                                   b""))

    def names(self, metadata):
        """The names of the keys to try."""
        if metadata is None:
            return list(self.keys)
        name = metadata.decode()
        if name.startswith('{"keyMaterialType"'):
            return [self.unwrapped(name)]
        if name not in self.keys:
            self.problem("no key %s", name)
            return []
        return [name]

    def unwrapped(self, metadata):
        """The name of a key that a master key has wrapped."""
        if metadata not in self.keys:
            client = crypto_material.KmsClient(self.masters)
            m = crypto_material.open_material(metadata, self.path, client)
            m.nonces = client.nonces
            self.keys[metadata], self.material[metadata] = m.key, m
        return metadata

    def master_of(self, name):
        return self.material[name].master if name in self.material else name

    # -- modules

    def open(self, kind, at, ordinals, names, inside=None):
        """The module at a place in the file, or in the bytes of another."""
        d = self.data if inside is None else inside
        size, = struct.unpack_from("<I", d, at)
        end = at + 4 + size
        sealed = bytes(d[at + 4:end])
        page = ordinals[2] if len(ordinals) > 2 else -1
        group, column = ordinals[:2] or (-1, -1)
        place = (kind, group, column, page, at, end)
        if end > len(d) or size < 12:
            self.problem("%s reaches too far",
                         Module(*place, "", b"", b"").name())
            return None
        for name in names:
            try:
                plain = self.unseal(kind, ordinals, self.keys[name], sealed)
            except Forged:
                continue
            m = Module(*place, name, sealed[:12], plain)
            self.modules.append(m)
            if inside is None:
                self.spans.append((at, end, m.name()))
            return m
        self.problem("%s does not authenticate",
                     Module(*place, "", b"", b"").name())
        return None

    def unseal(self, kind, ordinals, key, sealed):
        if self.ctr and kind in (DATA_PAGE, DICTIONARY_PAGE):
            return ctr(key, sealed[:12], sealed[12:])
        return gcm_open(key, sealed[:12], aad_of(self.aad, kind, *ordinals),
                        sealed[12:])

    def part(self, kind, at, chunk, page=None):
        """(a module of a chunk, sealed or in the clear, parsed; its end)"""
        if not chunk.key:
            said, end = fields(self.data, at)
            self.spans.append((at, end, "clear %s" % KIND_NAMES[kind]))
            return said, end
        ordinals = (chunk.group, chunk.column) + (
            () if page is None else (page,))
        m = self.open(kind, at, ordinals, [chunk.key])
        if not m:
            return None, at
        said, end = fields(m.plain)
        if end != len(m.plain):
            self.notes.append("%s has %d bytes more" % (
                m.name(), len(m.plain) - end))
        return said, m.end

    # -- row groups

    def groups(self):
        rows = 0
        for number, group in enumerate(self.file[4]):
            if group.get(7, number) != number:
                self.problem("row group %d says that it is %d", number,
                             group[7])
            rows += group[3]
            for column, said in enumerate(group[1]):
                self.chunk(Chunk(number, column, said))
        if rows != self.file[3]:
            self.problem("%d rows, not %d", rows, self.file[3])

    def chunk(self, c):
        said, crypto = c.fields, c.fields.get(8)
        c.meta = said.get(3)
        if crypto and 1 in crypto:
            c.key = self.footer_name[0]
        elif crypto:
            names = self.names(crypto[2].get(2))
            c.own = True
            sealed = self.open(COLUMN_META, 0, (c.group, c.column), names,
                               said[9])
            if not sealed:
                return
            c.key = sealed.key
        self.metadata_of(c)
        if c.own and c.fields[8][2][1] != c.meta[3]:
            self.problem("the key is of %r, not %r", c.fields[8][2][1],
                         c.meta[3])
        if c.group == 0:
            self.paths.append(c.meta[3])
        self.pages(c)
        self.indexes(c)
        self.bloom(c)

    def metadata_of(self, c):
        """Checks which of the two is there, and takes the one to believe."""
        sealed, plaintext = c.fields.get(9), self.data[:4] == b"PAR1"
        if c.key and c.meta is not None and plaintext:
            for number, name in SENSITIVE.items():
                if number in c.meta:
                    (self.notes if number == 16 else self.problems).append(
                        "%s of column %d are in the clear" % (name, c.column))
        if c.own and c.meta is not None and not plaintext:
            self.problem("metadata of column %d are under the footer's key",
                         c.column)
        if c.key and plaintext and (sealed is None or c.meta is None):
            self.problem("column %d lacks one of its metadata", c.column)
        if sealed is None:
            return
        if not c.own:
            self.open(COLUMN_META, 0, (c.group, c.column), [c.key], sealed)
        said, _ = fields(self.modules[-1].plain)
        for number in c.meta or ():
            if said.get(number) != c.meta[number]:
                self.problem("field %d of column %d is twice, and differs",
                             number, c.column)
        c.meta = said

    def pages(self, c):
        m, at = c.meta, min(x for x in (c.meta[9], c.meta.get(11) or
                                        c.meta[9]))
        begin, end, number, slots = at, at + m[7], 0, 0
        c.places = []
        while at < end:
            is_dictionary = at == begin and m.get(11) == begin
            start = at
            page = None if is_dictionary else number
            head, at = self.part(DICTIONARY_PAGE_HEADER if is_dictionary else
                                 DATA_PAGE_HEADER, at, c, page)
            if head is None:
                return
            if (head[1] == 2) != is_dictionary:
                self.problem("page %d of %d is of type %d", number, c.column,
                             head[1])
            body = self.data[at:at + head[3]]
            if 4 in head:
                self.checked_crcs += 1
                if zlib.crc32(body) != head[4] & 0xffffffff:
                    self.problem("a CRC is wrong")
            self.body(c, head, at, page)
            at += head[3]
            if not is_dictionary:
                c.places.append((start, at - start))
                slots += (head.get(5) or head[8])[1]
                number += 1
        if at != end or slots != m[5]:
            self.problem("chunk %d, %d: %d values, not %d; ends %d bytes late",
                         c.group, c.column, slots, m[5], at - end)

    def body(self, c, head, at, page):
        kind = DICTIONARY_PAGE if page is None else DATA_PAGE
        if not c.key:
            self.spans.append((at, at + head[3], "clear %s" %
                               KIND_NAMES[kind]))
            return
        levels = 0
        if 8 in head and at + 4 <= len(self.data) and struct.unpack_from(
                "<I", self.data, at)[0] + 4 != head[3]:
            levels = head[8][5] + head[8][6]
            self.spans.append((at, at + levels, "clear levels"))
        m = self.open(kind, at + levels, (c.group, c.column) + (
            () if page is None else (page,)), [c.key])
        if not m:
            return
        if m.end != at + head[3]:
            self.problem("%s has another size than its header says", m.name())
        if c.meta[4] == 0 and len(m.plain) + levels != head[2]:
            self.problem("%s has %d bytes, not %d", m.name(), len(m.plain),
                         head[2])

    def indexes(self, c):
        for kind, at, size in ((OFFSET_INDEX, 4, 5), (COLUMN_INDEX, 6, 7)):
            if at not in c.fields:
                continue
            said, end = self.part(kind, c.fields[at], c)
            if said is None:
                continue
            if end - c.fields[at] != c.fields[size]:
                self.problem("%s of %d has another size", KIND_NAMES[kind],
                             c.column)
            if kind == OFFSET_INDEX and c.places != [
                    (p[1], p[2]) for p in said[1]]:
                self.problem("offset index of %d: other pages", c.column)
            if kind == COLUMN_INDEX and len(said[1]) != len(c.places):
                self.problem("column index of %d: other pages", c.column)

    def bloom(self, c):
        if 14 not in c.meta:
            return
        said, at = self.part(BLOOM_HEADER, c.meta[14], c)
        if said is None:
            return
        if not c.key:
            self.spans.append((at, at + said[1], "clear Bloom filter"))
            end = at + said[1]
        else:
            bits = self.open(BLOOM_BITS, at, (c.group, c.column), [c.key])
            if not bits:
                return
            end = bits.end
            if len(bits.plain) != said[1]:
                self.problem("a Bloom filter of %d bytes, not %d",
                             len(bits.plain), said[1])
        if c.meta.get(15, end - c.meta[14]) != end - c.meta[14]:
            self.problem("a Bloom filter has another size")

    # -- all of it

    def whole(self):
        """The spans have to be the file; nonces have to differ."""
        at = 0
        for begin, end, what in sorted(self.spans):
            if begin != at:
                self.problem("%d bytes before %s", begin - at, what)
            at = max(at, end)
        if at != len(self.data):
            self.problem("%d bytes at the end", len(self.data) - at)
        seen = set()
        for m in self.modules:
            if m.nonce in seen:
                self.problem("%s has the nonce of another", m.name())
            seen.add(m.nonce)


def open_bytes(data, keys, prefix=None, path=None):
    reader = Reader(data, keys, prefix, path)
    try:
        reader.read()
    except (IndexError, KeyError, struct.error) as error:
        reader.problem("it ends too early: %r", error)
    if not reader.problems:
        reader.whole()
    return reader


def open_file(path, keys, prefix=None):
    with open(path, "rb") as f:
        return open_bytes(f.read(), keys, prefix, path)


def main():
    prefix = sys.argv[2].encode() if len(sys.argv) > 2 else None
    file = open_file(sys.argv[1], ALL_KEYS, prefix)
    for begin, end, what in sorted(file.spans):
        print("%8d %8d  %s" % (begin, end - begin, what))
    print("%d modules, problems: %r, notes: %r" % (
        len(file.modules), file.problems, file.notes))
    return len(file.problems) > 0


if __name__ == "__main__":
    sys.exit(main())
