"""Modular encryption of Parquet files, as the specification says it.

    plan = Plan("k0", {"ssn": "k1", "name": CLEAR}, ctr=True, prefix=b"trips")
    parquet_file.write(path, columns, groups, page_rows, plan=plan)
    put_keys(db)                               so that path can be read

A plan says which key seals which leaf; leaves that it does not name have the
footer's.  The ciphers are those of libcrypto.  Nonces and the unique bytes of a
file come from a random generator with a seed, so that a file can be made again.

some_plan makes one by chance.  Some of its plans need options to be read, and
others only the keys.
"""
import ctypes
import ctypes.util
import hashlib
import random
import struct

FOOTER, COLUMN_META, DATA_PAGE, DICTIONARY_PAGE, DATA_PAGE_HEADER, \
    DICTIONARY_PAGE_HEADER, COLUMN_INDEX, OFFSET_INDEX, BLOOM_HEADER, \
    BLOOM_BITS = range(10)
KIND_NAMES = ("footer", "column metadata", "data page", "dictionary page",
              "data page header", "dictionary page header", "column index",
              "offset index", "Bloom filter header", "Bloom filter")
SIGNATURE = 28
CLEAR = "in the clear"


# ---- ciphers -----------------------------------------------------------------

def libcrypto():
    for name in ("libcrypto.so.3", ctypes.util.find_library("crypto")):
        try:
            lib = ctypes.CDLL(name)
        except (OSError, TypeError):
            continue
        for f in ("EVP_CIPHER_CTX_new", "EVP_aes_128_gcm", "EVP_aes_192_gcm",
                  "EVP_aes_256_gcm", "EVP_aes_128_ctr", "EVP_aes_192_ctr",
                  "EVP_aes_256_ctr"):
            getattr(lib, f).restype = ctypes.c_void_p
        return lib
    raise OSError("libcrypto is not there")


LIB = libcrypto()
CONTEXT = ctypes.c_void_p(LIB.EVP_CIPHER_CTX_new())
CIPHERS = {(n, mode): ctypes.c_void_p(
    getattr(LIB, "EVP_aes_%d_%s" % (8 * n, mode))())
    for n in (16, 24, 32) for mode in ("gcm", "ctr")}
GET_TAG, SET_TAG = 0x10, 0x11


class Forged(Exception):
    """A module does not authenticate."""


def run(key, mode, iv, aad, data, encrypts, tag=None):
    """What comes out, and the tag of what was sealed."""
    n, out = ctypes.c_int(), ctypes.create_string_buffer(len(data) + 16)
    c = CONTEXT
    assert LIB.EVP_CipherInit_ex(c, CIPHERS[len(key), mode], None, key, iv,
                                 int(encrypts)) == 1
    if aad:
        assert LIB.EVP_CipherUpdate(c, None, ctypes.byref(n), aad,
                                    len(aad)) == 1
    assert LIB.EVP_CipherUpdate(c, out, ctypes.byref(n), data, len(data)) == 1
    if tag is not None:
        assert LIB.EVP_CIPHER_CTX_ctrl(c, SET_TAG, 16, tag) == 1
    if LIB.EVP_CipherFinal_ex(c, None, ctypes.byref(n)) != 1:
        raise Forged
    if mode == "gcm" and encrypts:
        made = ctypes.create_string_buffer(16)
        assert LIB.EVP_CIPHER_CTX_ctrl(c, GET_TAG, 16, made) == 1
        return out.raw[:len(data)], made.raw
    return out.raw[:len(data)], b""


def gcm_seal(key, nonce, aad, plain):
    return b"".join(run(key, "gcm", nonce, aad, plain, True))


def gcm_open(key, nonce, aad, sealed):
    if len(sealed) < 16:
        raise Forged
    return run(key, "gcm", nonce, aad, sealed[:-16], False, sealed[-16:])[0]


def ctr(key, nonce, data):
    return run(key, "ctr", nonce + b"\0\0\0\1", b"", data, True)[0]


def aad_of(start, kind, *ordinals):
    return start + bytes([kind]) + b"".join(
        struct.pack("<H", n) for n in ordinals)


# ---- keys --------------------------------------------------------------------

def some_key(name, size):
    return hashlib.sha256(b"key " + name.encode()).digest()[:size]


# Those that connections are given, and one that they are not.
KEYS = {name: some_key(name, size) for name, size in (
    ("k0", 16), ("k1", 24), ("k2", 32), ("k3", 16), ("k4", 32),
    ("a longer name/k-5", 16))}
LOST = {"lost": some_key("lost", 16)}
LOST_NAME = "lost"
ALL_KEYS = dict(KEYS, **LOST)


def put_keys(db, keys=None):
    for name, key in (KEYS if keys is None else keys).items():
        db.execute("SELECT parquet_key(?, ?)", (name, key)).fetchone()


# ---- plans -------------------------------------------------------------------

class Plan:
    """leaves: the name of a key, or CLEAR, by the dotted path of a leaf; those
    that are not there have the footer's key.
    names: what key metadata says, by the name of a key; a key that is not there
    has its own name, and one with None has no metadata.
    levels_clear: in pages of version 2 only the values are sealed.
    ordinals: row groups tell theirs.
    options: what a table needs to read it."""

    def __init__(self, footer, leaves=None, ctr=False, plaintext=False,
                 prefix=None, stores_prefix=True, names=None,
                 levels_clear=False, ordinals=True, crc=False, options=(),
                 seed=0, keys=None):
        self.footer, self.leaves = footer, leaves or {}
        self.ctr, self.plaintext, self.prefix = ctr, plaintext, prefix
        self.stores_prefix, self.names = stores_prefix, names or {}
        self.levels_clear, self.ordinals = levels_clear, ordinals
        self.crc, self.options, self.seed = crc, list(options), seed
        self.keys = keys or ALL_KEYS

    def metadata(self, name):
        said = self.names.get(name, name)
        return None if said is None else said.encode()


class Clear:
    """The lock of what is in the clear: everything stays as it is."""
    key = own_key = None
    crc = False

    def seal(self, kind, plain, page=None):
        return plain

    def page(self, levels, values, number):
        return levels + values


class ClearFile:
    """The same of a whole file."""
    magic, ordinals = b"PAR1", False
    lock = Clear()

    def lock_of(self, group, leaf, path):
        return self.lock

    def put_meta(self, chunk, meta, lock, path, thrift):
        chunk.append((3, "struct", meta))

    def end(self, fields, thrift):
        footer = thrift(fields)
        return footer + struct.pack("<I", len(footer)) + b"PAR1"


class Lock:
    """Of the modules of a chunk.  own_key: the name of a key that is not the
    footer's."""

    def __init__(self, file, name, own_key, group, leaf):
        self.file, self.key, self.own_key = file, file.plan.keys[name], own_key
        self.group, self.leaf, self.crc = group, leaf, file.plan.crc

    def seal(self, kind, plain, page=None):
        ordinals = [self.group, self.leaf] + ([] if page is None else [page])
        return self.file.seal(self.key, kind, plain, ordinals)

    def page(self, levels, values, number):
        if self.file.plan.levels_clear:
            return levels + self.seal(DATA_PAGE, values, number)
        return self.seal(DATA_PAGE, levels + values, number)


class File:
    """What the modules of one file have in common."""

    def __init__(self, plan):
        self.plan, self.rng = plan, random.Random("file %s" % plan.seed)
        self.magic = b"PAR1" if plan.plaintext else b"PARE"
        self.ordinals = plan.ordinals
        self.unique = self.rng.randbytes(8)
        self.aad = (plan.prefix or b"") + self.unique

    def seal(self, key, kind, plain, ordinals):
        nonce = self.rng.randbytes(12)
        if self.plan.ctr and kind in (DATA_PAGE, DICTIONARY_PAGE):
            body = nonce + ctr(key, nonce, plain)
        else:
            body = nonce + gcm_seal(key, nonce,
                                    aad_of(self.aad, kind, *ordinals), plain)
        return struct.pack("<I", len(body)) + body

    def lock_of(self, group, leaf, path):
        name = self.plan.leaves.get(path, self.plan.footer)
        if name == CLEAR:
            return ClearFile.lock
        own = name if name != self.plan.footer else None
        return Lock(self, name, own, group, leaf)

    def put_meta(self, chunk, meta, lock, path, thrift):
        """The metadata of a chunk, where and as they belong; also the fields
        about its key."""
        if not lock.key:
            chunk.append((3, "struct", meta))
            return
        if not lock.own_key:
            chunk.append((8, "struct", [(1, "struct", [])]))
        else:
            said = self.plan.metadata(lock.own_key)
            fields = [(1, "list", ("binary", path))] + \
                ([(2, "binary", said)] if said is not None else [])
            chunk.append((8, "struct", [(2, "struct", fields)]))
        if lock.own_key or self.plan.plaintext:
            chunk.append((9, "binary", lock.seal(COLUMN_META, thrift(meta))))
        if not lock.own_key or self.plan.plaintext:
            sensitive = (12, 16, 17) if self.plan.plaintext else ()
            chunk.append((3, "struct", [f for f in meta
                                        if f[0] not in sensitive]))

    def algorithm(self):
        plan, fields = self.plan, []
        if plan.prefix is not None and plan.stores_prefix:
            fields.append((1, "binary", plan.prefix))
        fields.append((2, "binary", self.unique))
        if plan.prefix is not None:
            fields.append((3, "bool", not plan.stores_prefix))
        return [(2 if plan.ctr else 1, "struct", fields)]

    def end(self, fields, thrift):
        plan, said = self.plan, self.plan.metadata(self.plan.footer)
        key = plan.keys[plan.footer]
        if plan.plaintext:
            footer = thrift(fields + [(8, "struct", self.algorithm())] + (
                [] if said is None else [(9, "binary", said)]))
            sealed = self.seal(key, FOOTER, footer, [])
            footer += sealed[4:16] + sealed[-16:]
        else:
            footer = thrift([(1, "struct", self.algorithm())] + (
                [] if said is None else [(2, "binary", said)])) + \
                self.seal(key, FOOTER, thrift(fields), [])
        return footer + struct.pack("<I", len(footer)) + self.magic


# ---- by chance ---------------------------------------------------------------

def aside(rng):
    """A generator that depends on another one, and takes nothing from it."""
    state = rng.getstate()[1]
    return random.Random("%r" % (state[:4] + state[-1:],))


def some_plan(rng, paths, with_options):
    """paths: of the leaves; those that begin with LOST_NAME get a key that
    nobody has.  with_options: the file may need options to be read."""
    footer = rng.choice(list(KEYS))
    own = rng.choice([0, 0, .4, .8])
    leaves = {}
    for path in paths:
        if path.startswith(LOST_NAME):
            leaves[path] = "lost"
        elif rng.random() < own:
            leaves[path] = rng.choice(list(KEYS) + [CLEAR, CLEAR])
    plan = Plan(footer, leaves, rng.random() < .4, rng.random() < .4,
                seed=rng.random(), ordinals=rng.random() < .7,
                levels_clear=rng.random() < .25, crc=rng.random() < .4)
    if rng.random() < .4:
        plan.prefix = rng.choice([b"t", b"tester", b"trips 2024/part 7"])
        plan.stores_prefix = not with_options or rng.random() < .5
        if not plan.stores_prefix or with_options and rng.random() < .5:
            plan.options.append("aad_prefix='%s'" % plan.prefix.decode())
    used = {footer} | (set(leaves.values()) - {CLEAR, "lost"})
    if rng.random() < .35:           # keys are found by trying
        plan.names = {name: None for name in used if rng.random() < .7}
    elif with_options and rng.random() < .5:
        plan.names = {name: rng.choice([None, name, "another name"])
                      for name in used}
        plan.options.append("footer_key='%s'" % footer)
        named = ["%s=%s" % (p, "k3" if k == "lost" else k)
                 for p, k in leaves.items()
                 if k not in (CLEAR, "lost") or k == "lost" and
                 rng.random() < .5]
        if named:
            plan.options.append("column_keys='%s'" % ";".join(named))
    return plan
