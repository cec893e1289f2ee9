"""The bits of a split-block Bloom filter, and XXH64, as the specification says."""
import struct

P1, P2, P3, P4, P5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F,
                      0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
                      0x27D4EB2F165667C5)
M64 = 2**64 - 1


def rotated(x, r):
    return (x << r | x >> (64 - r)) & M64


def mixed(acc, lane):
    return rotated((acc + lane * P2) & M64, 31) * P1 & M64


def xxh64(b):
    at, n = 0, len(b)
    if n >= 32:
        v = [(P1 + P2) & M64, P2, 0, -P1 & M64]
        while at + 32 <= n:
            for i, lane in enumerate(struct.unpack_from("<4Q", b, at)):
                v[i] = mixed(v[i], lane)
            at += 32
        h = sum(rotated(x, r) for x, r in zip(v, (1, 7, 12, 18))) & M64
        for x in v:
            h = ((h ^ mixed(0, x)) * P1 + P4) & M64
    else:
        h = P5
    h = (h + n) & M64
    while at + 8 <= n:
        lane, = struct.unpack_from("<Q", b, at)
        h = (rotated(h ^ mixed(0, lane), 27) * P1 + P4) & M64
        at += 8
    if at + 4 <= n:
        lane, = struct.unpack_from("<I", b, at)
        h = (rotated(h ^ lane * P1 & M64, 23) * P2 + P3) & M64
        at += 4
    for byte in b[at:]:
        h = rotated(h ^ byte * P5 & M64, 11) * P1 & M64
    h = (h ^ h >> 33) * P2 & M64
    h = (h ^ h >> 29) * P3 & M64
    return h ^ h >> 32


SALT = (0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b,
        0x9efc4947, 0x5c6bfb31)


def bloom_bits(distinct):
    """The words of a filter of these PLAIN values."""
    blocks = max(1, len(distinct) // 8)
    words = [0] * (8 * blocks)
    for v in distinct:
        h = xxh64(v)
        block = (h >> 32) * blocks >> 32
        for i, salt in enumerate(SALT):
            bit = ((h & 0xffffffff) * salt & 0xffffffff) >> 27
            words[8 * block + i] |= 1 << bit
    return words
