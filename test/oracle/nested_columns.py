"""Columns of any nesting: a tree of nodes, and rows cut into its leaves.

    tree = Node("event", OPTIONAL, [Node("id", REQUIRED, type=TYPES["int32"])])
    columns = leaves(tree, [None, {"id": 1}], lambda path: {"statistics"})

A row of a group is a dict by the names of its fields, None where it is null; of
a repeated node a list.  leaves() gives a column for each leaf, which
parquet_file.write takes beside others.
"""
from parquet_file import Column, Gone, annotation, leaf_element

REQUIRED, OPTIONAL, REPEATED = range(3)


class Node:
    """A leaf has a type, and a group has fields."""

    def __init__(self, name, repetition, fields=None, type=None, logical=()):
        self.name, self.repetition = name, repetition
        self.fields, self.type, self.logical = fields or [], type, logical

    def elements(self):
        """The SchemaElements of this node and those in it."""
        if self.type:
            leaf = Column([self.name], "int32", [])
            leaf.type, leaf.required = self.type, None
            element = leaf_element(leaf)
            return [[(3, "i32", self.repetition) if f[0] == 3 else f
                     for f in element]]
        group = [(3, "i32", self.repetition), (4, "binary", self.name.encode()),
                 (5, "i32", len(self.fields))]
        if self.logical in (("LIST",), ("MAP",)):
            group.append((6, "i32", 3 if self.logical[0] == "LIST" else 1))
        group += annotation(*self.logical) if self.logical else []
        return [group] + [e for f in self.fields for e in f.elements()]


class Leaf(Column):
    """values: a list of slots, (repetition level, value), for each row."""

    def __init__(self, root, path, type, rows, max_level, max_rep, how):
        self.root, self.path, self.kind, self.type = root, path, "leaf", type
        self.values, self.how, self.required = rows, set(how), False
        self.max_level, self.max_rep = max_level, max_rep

    def slots(self, rows):
        flat = [slot for row in rows for slot in row]
        return [r for r, _ in flat] if self.max_rep else None, \
            [v for _, v in flat]


def leaves(root, rows, how_of):
    """how_of: for a path, the features that its leaf is written with."""
    made = {}

    def prepare(node, path, level, rep):
        path = path + [node.name]
        level += node.repetition != REQUIRED
        rep += node.repetition == REPEATED
        if node.type:
            made[id(node)] = Leaf(root, path, node.type, [[] for _ in rows],
                                  level, rep, how_of(path))
        for f in node.fields:
            prepare(f, path, level, rep)

    def put(node, number, rep, level, depth, v):
        """level, depth: the definition and repetition level around the node."""
        if isinstance(v, Gone):
            inside(node, number, rep, level, depth, v)
        elif node.repetition == REPEATED:
            for i, one in enumerate(v):
                inside(node, number, depth + 1 if i else rep, level + 1,
                       depth + 1, one)
            if not v:
                inside(node, number, rep, level, depth, Gone(level))
        elif v is None and node.repetition == OPTIONAL:
            inside(node, number, rep, level, depth, Gone(level))
        else:
            inside(node, number, rep, level + node.repetition, depth, v)

    def inside(node, number, rep, level, depth, v):
        if node.type:
            made[id(node)].values[number].append((rep, v))
        for f in node.fields:
            put(f, number, rep, level, depth,
                v if isinstance(v, Gone) else v.get(f.name))

    prepare(root, [], 0, 0)
    for number, row in enumerate(rows):
        put(root, number, 0, 0, 0, row)
    return list(made.values())
