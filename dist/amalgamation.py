#!/usr/bin/python3
"""amalgamation.py - make amalgamation: the extension as one file of C, and its header.

    amalgamation.py FOLDER [GUARD=SOURCE]... -- SOURCE...
    build/amalgamation/parquet.c, parquet.h

The headers come first, each once and after those that it includes; then the sources,
the lower floors first.  A source with a GUARD is compiled if the preprocessor's
expression GUARD holds, and so are the headers that nobody else includes.

What is hard: names that are file-scope in several sources meet in one.  Of such a name,
each source gets its own: `find` of glob.c becomes `glob__find`.  A name that only one
source has stays as it is.  Members of structs and what follows a dot stay, too, because
they meet nobody.  Macros of a source end with it.  The same sources make the same bytes.
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OURS = re.compile(r"_?_?(pq|sqlite3_)", re.I)
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
                   r"|[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.])*|\\\n|\s+|->|\.\.\.|##|.", re.S)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"].*\n', re.M)
KEYWORDS = set("""static extern const volatile inline typedef struct union enum void char short
int long float double signed unsigned restrict sizeof return _Atomic _Static_assert _Bool bool
_Thread_local __extension__ __attribute__""".split())

# Names that the system's headers have, and a source too: found by compiling.
SYSTEM = set("bind close connect open pause read send splice write".split())

# A library exports its entry only, not the functions of parquet.h.  clang warns of those
# that are inline and that nobody calls in this file.
VISIBLE = re.compile(r"#pragma GCC visibility (push|pop).*\n")
UNCALLED = {"push": '#pragma GCC diagnostic push\n'
                    '#pragma GCC diagnostic ignored "-Wunused-function"\n',
            "pop": "#pragma GCC diagnostic pop\n"}

# Macros whose second argument is a member.
OF_MEMBER = {"offsetof", "PQEXT_MEMBER", "PQEXT_AT"}


class Source:
    """A file: what it includes, what it defines, its text without includes."""

    def __init__(self, path):
        self.path = path
        self.stem = os.path.basename(path)[:-2]
        with open(os.path.join(ROOT, path), encoding="utf-8") as f:
            text = f.read()
        self.ours, self.system, self.before = [], [], []
        self.text = self.take_includes(text)
        self.tokens = TOKEN.findall(self.text)
        self.names, self.macros = file_scope(self.tokens)

    def take_includes(self, text):
        """An include of the system within #if stays where it is, but for the door to it
        (core/base/system.h), whose other side, of Windows, is left out."""
        kept, at, depth = [], 0, 0
        lines = text.splitlines(keepends=True)
        last = max((i for i, line in enumerate(lines) if re.match(r"\s*#\s*include\s*<", line)),
                   default=-1)
        is_header = self.path.endswith(".h")
        for i, line in enumerate(lines):
            word = re.match(r"\s*#\s*(\w+)", line)
            word = word and word[1]
            depth += {"if": 1, "ifdef": 1, "ifndef": 1, "endif": -1}.get(word, 0)
            found = INCLUDE.match(line)
            if found and found[1] == '"':
                self.ours += [found[2]] if "_windows" not in found[2] else []
            elif found and (depth == (1 if is_header else 0) or self.path.endswith("/system.h")):
                self.system.append(found[2])
            elif word == "define" and i < last and not re.match(r"\s*#\s*define\s+\w+_H\b", line) \
                    and not line.rstrip().endswith("\\"):
                self.before.append(re.sub(r"\s*/\*.*", "", line).strip())
            else:
                kept.append(line)
        return "".join(kept)

    def reaches(self, headers):
        """The headers that it includes, and what they include."""
        seen, todo = set(), list(self.ours)
        while todo:
            path = todo.pop()
            if path not in seen:
                seen.add(path)
                todo += headers[path].ours
        return seen


def significant(tokens):
    """Indexes of the tokens that are not spaces, comments or directives."""
    i, line_start = 0, True
    while i < len(tokens):
        t = tokens[i]
        if t.isspace() or t.startswith(("/*", "//")):
            line_start = line_start or "\n" in t
        elif t == "#" and line_start:
            while i < len(tokens) and not (tokens[i].isspace() and "\n" in tokens[i]):
                i += 1
            continue
        elif t != "\\\n":
            line_start = False
            yield i
        i += 1


def file_scope(tokens):
    """The names that a file defines outside functions, and its macros."""
    names, braces, parens = set(), [], 0
    seen = [tokens[i] for i in significant(tokens)]
    for i, t in enumerate(seen):
        before, after = seen[i - 1] if i else "", seen[i + 1] if i + 1 < len(seen) else ""
        if t == "{":
            j = i - 1
            if seen[j] not in ("enum", "struct", "union"):
                j -= 1
            braces.append(seen[j] if seen[j] in ("enum", "struct", "union") and not parens
                          else "block")
        elif t == "}":
            braces.pop()
        elif t in "([":
            parens += 1
        elif t in ")]":
            parens -= 1
        elif not re.match(r"[A-Za-z_]", t) or t in KEYWORDS or OURS.match(t):
            continue
        elif before in ("enum", "struct", "union") and not braces and after == "{":
            names.add(t)
        elif braces == ["enum"] and not parens and before in ("{", ","):
            names.add(t)
        elif not braces and not parens and before != "=" and \
                after in ("(", "[", "=", ";", ",", "__attribute__"):
            names.add(t)
        elif not braces and parens == 1 and after in (")", "[") and \
                (seen[i - 2:i] == ["(", "*"] or seen[i - 3:i] == ["(", "*", "const"]):
            names.add(t)
    macros = re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", "".join(tokens), re.M)
    return names - set(macros), list(dict.fromkeys(macros))


def renamed(source, names):
    """The text of a source in which names are its own."""
    out, braces, parens = list(source.tokens), [], 0
    at = [i for i, t in enumerate(out)
          if not (t.isspace() or t.startswith(("/*", "//")) or t == "\\\n")]
    text = [out[i] for i in at]
    for k, t in enumerate(text):
        before, after = text[k - 1] if k else "", text[k + 1] if k + 1 < len(text) else ""
        if t == "{":
            is_struct = before in ("struct", "union") or (k > 1 and text[k - 2] in ("struct", "union"))
            braces.append((is_struct, parens))
        elif t == "}" and braces:
            braces.pop()
        elif t in "([":
            parens += 1
        elif t in ")]":
            parens -= 1
        elif t in names and before not in (".", "->"):
            in_struct = braces and braces[-1][0]
            is_member = (in_struct and (
                (parens == braces[-1][1] and after in (";", ",", "[", ":")) or
                (before == "*" and after == ")" and text[k - 2] == "("))) or (
                before == "," and k > 3 and text[k - 4] in OF_MEMBER)
            if not is_member:
                out[at[k]] = f"{source.stem}__{t}"
    return "".join(out)


def ordered_headers(headers):
    done, order = set(), []

    def visit(path):
        if path not in done:
            done.add(path)
            for other in headers[path].ours:
                visit(other)
            order.append(path)

    for path in sorted(headers):
        visit(path)
    return order


def read_headers(sources):
    headers, todo = {}, [p for s in sources for p in s.ours]
    while todo:
        path = todo.pop()
        if path not in headers:
            headers[path] = Source(path)
            todo += headers[path].ours
    return headers


def spread(sources, headers, guards):
    """The guards of those who include a header, or a header of the system: None in
    the set if somebody does always."""
    of_header, of_system = {}, {}
    for s in sources:
        guard, reached = guards.get(s.path), s.reaches(headers)
        for path in reached:
            of_header.setdefault(path, set()).add(guard)
        for f in [s, *(headers[path] for path in reached)]:
            for name in f.system:
                of_system.setdefault(name, set()).add(guard)
    return of_header, of_system


def guarded(guards, text):
    if not guards or None in guards:
        return text
    return f"#if {' || '.join(sorted(guards))}\n{text.rstrip()}\n#endif\n"


def opening(sources, headers, of_system, version):
    """What the compiler and the headers of the system are told, then these."""
    settings = sorted({b for s in [*sources, *headers.values()] for b in s.before})
    lines = [HEAD.format(version=version)]
    for setting in settings:
        name = setting.split()[1]
        if name == "_POSIX_C_SOURCE" or name == "_DEFAULT_SOURCE":
            continue                   # _GNU_SOURCE has both
        lines.append(f"#ifndef {name}\n{setting}\n#endif\n")
    first = sorted(of_system, key=lambda n: (None not in of_system[n], n))
    lines += [guarded(of_system[name], f"#include <{name}>\n") for name in first]
    return "".join(lines)


HEAD = """/*
** parquet.c - Parquet files as tables of SQLite, version {version}: the extension in one
** file.  It is made of the sources by `make amalgamation`; change those, not this.
** The manual has how to compile it: sql/amalgamation.md.
**
** gcc sees all functions at once here, and not that pq_fail() never returns PQ_OK: what a
** function that fails leaves unset would be used, it says.
*/
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
"""

ENTRY = """/* Registers everything with a connection: the program gives it to
** sqlite3_auto_extension, or SQLite finds it in a library that it loads. */
struct sqlite3;
struct sqlite3_api_routines;
int sqlite3_parquet_init(struct sqlite3 *db, char **error,
                         const struct sqlite3_api_routines *api);

"""


def titled(path, text):
    return f"\n/* ======== {path} ======== */\n{text}"


def main():
    folder = sys.argv[1]
    dashes = sys.argv.index("--")
    guards = {path: guard for guard, path in (a.rsplit("=", 1) for a in sys.argv[2:dashes])}
    sources = [Source(p) for p in sys.argv[dashes + 1:]]
    headers = read_headers(sources)
    order = ordered_headers(headers)
    of_header, of_system = spread(sources, headers, guards)
    owners = {}
    for s in [*sources, *headers.values()]:
        for name in s.names:
            owners.setdefault(name, set()).add(s.path)
    shared = {name for name, where in owners.items() if len(where) > 1} | SYSTEM
    for s in sources:
        s.names -= {name for path in s.reaches(headers) for name in headers[path].names}

    face = "core/face/parquet.h"
    version = re.search(r'PARQUET_VERSION\s+"([^"]+)"', headers[face].text)[1]
    out = [opening(sources, headers, of_system, version)]
    out.append("\n#pragma GCC visibility push(hidden)\n")
    for path in order:
        text = VISIBLE.sub(lambda m: UNCALLED[m[1]], headers[path].text)
        out.append(titled(path, guarded(of_header.get(path), text)))
    kept_apart = 0
    for s in sources:
        mine = s.names & shared
        kept_apart += len(mine)
        text = renamed(s, mine)
        ends = "".join(f"#undef {m}\n" for m in s.macros)
        out.append(titled(s.path, guarded({guards.get(s.path)}, text + ends)))
    out.append("\n#pragma GCC visibility pop\n")

    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "parquet.c"), "w", encoding="utf-8") as f:
        f.write("".join(out))
    with open(os.path.join(ROOT, face), encoding="utf-8") as f:
        text = f.read()
    end = text.rindex("#pragma GCC visibility pop")
    with open(os.path.join(folder, "parquet.h"), "w", encoding="utf-8") as f:
        f.write(text[:end] + ENTRY + text[end:])
    print(f"amalgamation: {len(sources)} sources, {len(headers)} headers, "
          f"{kept_apart} names kept apart")


main()
