#!/usr/bin/python3
"""package.py - what people install, made of what make release built.

    package.py RELEASE SOURCES      build/release, and the folder of the codecs' sources

RELEASE/packages then has, for each target TARGET that RELEASE has a folder of:

    sqlite-parquet-0.1.0-TARGET.tar.gz      the extension, the program, manual, licenses;
                                            a .zip for Windows
    sqlite-parquet_0.1.0_amd64.deb          of the targets that Debian has
    *.whl, *.tgz                            for Python and npm: dist/wheels.py, dist/pack.sh
    sqlpkg.json                             for sqlpkg, with the sums of its archives
    sqlite-parquet-0.1.0.spdx.json          what is linked in: SPDX 2.3
    SHA256SUMS                              of all of these

The same input makes the same bytes.  SOURCE_DATE_EPOCH says the time, else the last commit.
A file of an archive has no folder above it, because sqlpkg does not make any.
"""

import glob
import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
import zipfile

RELEASE, SOURCES = map(os.path.abspath, sys.argv[1:3])
os.chdir(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PACKAGES = os.path.join(RELEASE, "packages")
POOL = "https://snapshot.debian.org/archive/debian/20261101T000000Z/pool/main/"
HOME = "https://github.com/OWNER/sqlite-parquet"
NAME = "sqlite-parquet"
SUMMARY = "Parquet files as tables of SQLite"

# What each library of sources.list is under, by the names of SPDX.
SPDX = {"zstd": "BSD-3-Clause", "snappy": "BSD-3-Clause", "lz4": "BSD-2-Clause",
        "brotli": "MIT", "zlib": "Zlib", "deflate": "MIT", "xxhash": "BSD-2-Clause",
        "openssl": "Apache-2.0"}
# What a compiler links in as well: its package of Debian.
RUNTIMES = {"windows-x64": ("winpthreads", "MIT", "mingw-w64-x86-64-dev"),
            "wasm": ("emscripten", "MIT", "emscripten")}
DEBIAN = {"linux-x64": ("amd64", "x86_64-linux-gnu"),
          "linux-arm64": ("arm64", "aarch64-linux-gnu")}
SQLPKG = {"linux-x64": "linux-amd64", "linux-arm64": "linux-arm64",
          "windows-x64": "windows-amd64", "macos-arm64": "darwin-arm64"}
LIBRARIES = ("parquet.so", "parquet.dll", "parquet.dylib")


def read(path, mode="r"):
    with open(path, mode) as file:
        return file.read()


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())


def defined(path, pattern):
    return re.search(pattern, read(path), re.M).group(1)


def epoch():
    said = os.environ.get("SOURCE_DATE_EPOCH") or subprocess.run(
        ["git", "log", "-1", "--format=%ct"], capture_output=True, text=True).stdout
    return int(said or 1577836800)


VERSION = defined("core/face/parquet.h", r'^#define PARQUET_VERSION "(.*)"$')
WHEN = epoch()


def sources():
    """Yields (library, version, place, sum) of each line of sources.list."""
    for line in read("release/sources.list").splitlines():
        if line.strip() and not line.startswith("#"):
            library, place, digest = line.split()
            version = re.search(r"_(.*?)\.(?:orig|debian)\.", place).group(1)
            yield library, version, place, digest


# --- what is linked in ------------------------------------------------------------------

def runtimes():
    """Those of RUNTIMES whose targets were built."""
    return [runtime for target, runtime in RUNTIMES.items()
            if os.path.isdir(f"{RELEASE}/{target}")]


def licenses():
    """The licenses of the libraries, as their sources have them."""
    text = ""
    for library in SPDX:
        folder = max(glob.glob(f"{SOURCES}/{library}-*"), key=os.path.getmtime)
        found = [f for f in ("debian/copyright", "LICENSE", "LICENSE.txt")
                 if os.path.exists(f"{folder}/{f}")]
        ours = SPDX[library] == "Apache-2.0"
        text += f"==== {library}\n\n" + (
            "Apache License 2.0: the text is in the file LICENSE.\n" if ours
            else read(f"{folder}/{found[0]}")) + "\n"
    for name, _, package in runtimes():
        text += f"==== {name}\n\n" + read(f"/usr/share/doc/{package}/copyright") + "\n"
    return text


def spdx():
    """Each file of sources.list is a package; one of Debian's is patches for its library."""
    def package(name, version, license, place, digest):
        return {"SPDXID": "SPDXRef-" + name, "name": name, "versionInfo": version,
                "downloadLocation": place, "filesAnalyzed": False,
                "licenseConcluded": license, "licenseDeclared": license,
                "copyrightText": "NOASSERTION",
                **({"checksums": [{"algorithm": "SHA256", "checksumValue": digest}]}
                   if digest else {})}

    def relation(one, kind, other):
        return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}

    us = "SPDXRef-" + NAME
    packages = [package(NAME, VERSION, "Apache-2.0", "NOASSERTION", None)]
    relations = [relation("SPDXRef-DOCUMENT", "DESCRIBES", us)]
    for library, version, place, digest in sources():
        patches = ".debian." in place
        name = library + ("-debian-patches" if patches else "")
        packages.append(package(name, version, SPDX[library], POOL + place, digest))
        relations.append(relation(f"SPDXRef-{name}", "PATCH_FOR", f"SPDXRef-{library}")
                         if patches else relation(us, "STATIC_LINK", f"SPDXRef-{library}"))
    for name, license, debian_package in runtimes():
        version = subprocess.run(["dpkg-query", "-W", "-f=${Version}", debian_package],
                                 check=True, capture_output=True, text=True).stdout
        packages.append(package(name, version, license, "NOASSERTION", None))
        relations.append(relation(us, "STATIC_LINK", f"SPDXRef-{name}"))
    archive = defined("cli/cli_sqlite.sh", r"^archive=.*/(.*)$")
    packages.append(package("sqlite", archive, "blessing", "https://sqlite.org/",
                            defined("cli/cli_sqlite.sh", "^hash=(.*)$")))
    relations.append(relation(us, "STATIC_LINK", "SPDXRef-sqlite"))
    digest = hashlib.sha256(json.dumps(packages).encode()).hexdigest()[:16]
    return json.dumps({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{NAME}-{VERSION}",
        "documentNamespace": f"{HOME}/spdx/{NAME}-{VERSION}-{digest}",
        "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(WHEN)),
                         "creators": [f"Tool: {NAME}-release"]},
        "packages": packages, "relationships": relations}, indent=1) + "\n"


# --- packages -----------------------------------------------------------------------------

def manual():
    return {"README.md": read("README.md"),
            **{path: read(path) for path in sorted(glob.glob("sql/*.md"))}}


def programs(target):
    """The files of a target, by their names, with their modes."""
    folder = os.path.join(RELEASE, target)
    for name in sorted(os.listdir(folder)):
        yield name, read(os.path.join(folder, name), "rb"), \
            0o644 if name in LIBRARIES else 0o755


def tarball(path, files):
    with open(path, "wb") as file, \
            gzip.GzipFile("", "wb", 9, file, mtime=0) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, data, mode in files:
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode, entry.mtime = len(data), mode, WHEN
            archive.addfile(entry, io.BytesIO(data))


def zipped(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data, mode in files:
            entry = zipfile.ZipInfo(name, max(time.gmtime(WHEN)[:6], (1980, 1, 1, 0, 0, 0)))
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)


def archive_of(target, texts):
    is_windows = target.startswith("windows-")
    path = f"{PACKAGES}/{NAME}-{VERSION}-{target}" + (".zip" if is_windows else ".tar.gz")
    # Before glibc 2.30, .load ./parquet would take the program beside parquet.so.
    files = [("bin/parquet" if name == "parquet" else name, data, mode)
             for name, data, mode in programs(target)]
    files += ((name, text.encode(), 0o644) for name, text in texts.items())
    (zipped if is_windows else tarball)(path, files)
    return path


CONTROL = """Package: {name}
Version: {version}
Section: database
Priority: optional
Architecture: {machine}
Maintainer: sqlite-parquet maintainers <maintainers@example.org>
Installed-Size: {kilobytes}
Depends: libc6 (>= {glibc})
Recommends: libcurl4
Suggests: sqlite3
Homepage: {home}
Description: Parquet files as tables of SQLite
 An extension for SQLite 3.40 or newer, which makes Parquet files tables and
 the rows of any query Parquet files; and a program with SQLite and the
 extension in it.
"""
# lintian knows the codecs by their texts.  They are linked in so that the same file runs
# on every distribution, and the list of SPDX says which they are.  A program loads
# parquet.so by this name, which no other is linked with.
OVERRIDES = """{name}: embedded-library *
{name}: package-name-doesnt-match-sonames *
{name}: shared-library-lacks-version *
{name}: initial-upload-closes-no-bugs *
"""
MAN = """.TH PARQUET 1
.SH NAME
parquet \\- query, describe and write Parquet files with SQL
.SH SYNOPSIS
.B parquet
[\\fIstatement\\fR | \\fIpath\\fR | \\fIcommand\\fR] [\\fIoption\\fR...]
.SH DESCRIPTION
SQLite, its shell and the extension sqlite-parquet in one program.
.B parquet --help
lists the commands.
.SH SEE ALSO
/usr/share/doc/{name}/sql/cli.md
"""


def debian(target, texts):
    machine, triplet = DEBIAN[target]
    root = f"{RELEASE}/deb/{machine}"
    doc = f"{root}/usr/share/doc/{NAME}"
    shutil.rmtree(root, ignore_errors=True)
    write(f"{root}/usr/lib/{triplet}/parquet.so", read(f"{RELEASE}/{target}/parquet.so", "rb"))
    write(f"{root}/usr/bin/parquet", read(f"{RELEASE}/{target}/parquet", "rb"))
    when = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(WHEN))
    packed = {
        f"{doc}/changelog.gz": f"{NAME} ({VERSION}) unstable; urgency=medium\n\n"
        "  * What is new is in CHANGELOG.md of the sources.\n\n"
        f" -- sqlite-parquet maintainers <maintainers@example.org>  {when}\n",
        f"{root}/usr/share/man/man1/parquet.1.gz": MAN.format(name=NAME)}
    for path, text in packed.items():
        write(path, gzip.compress(text.encode(), 9, mtime=0))
    write(f"{doc}/copyright", "Copyright: the authors of sqlite-parquet\nLicense: Apache-2.0\n"
          " See /usr/share/common-licenses/Apache-2.0.\n\n" + texts["LICENSES.linked"])
    for name, text in texts.items():
        if not name.startswith("LICENSE"):
            write(f"{doc}/{name}", text)
    write(f"{root}/usr/share/lintian/overrides/{NAME}", OVERRIDES.format(name=NAME))
    files = [os.path.join(at, name) for at, _, names in os.walk(root) for name in names]
    glibc = max(tuple(map(int, v.split("."))) for v in re.findall(
        r"GLIBC_([0-9.]+)", subprocess.run(
            ["objdump", "-T", f"{root}/usr/bin/parquet", f"{root}/usr/lib/{triplet}/parquet.so"],
            check=True, capture_output=True, text=True).stdout))
    write(f"{root}/DEBIAN/control", CONTROL.format(
        name=NAME, version=VERSION, machine=machine, home=HOME,
        glibc=".".join(map(str, glibc)),
        kilobytes=sum(os.path.getsize(f) + 1023 for f in files) // 1024))
    write(f"{root}/DEBIAN/triggers", "activate-noawait ldconfig\n")
    write(f"{root}/DEBIAN/md5sums", "".join(
        f"{hashlib.md5(read(f, 'rb')).hexdigest()}  {os.path.relpath(f, root)}\n"
        for f in sorted(files)))
    for at, folders, names in os.walk(root):
        for name in folders + names:
            os.chmod(os.path.join(at, name),
                     0o755 if name in folders or at.endswith("/bin") else 0o644)
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", root,
                    f"{PACKAGES}/{NAME}_{VERSION}_{machine}.deb"], check=True,
                   stdout=subprocess.DEVNULL,
                   env={**os.environ, "SOURCE_DATE_EPOCH": str(WHEN)})


def sqlpkg(archives):
    return json.dumps({
        "owner": "sqlite-parquet", "name": "parquet", "version": VERSION, "repository": HOME,
        "license": "Apache-2.0", "description": SUMMARY, "keywords": ["parquet"],
        "assets": {
            "path": os.environ.get("RELEASE_URL", f"{HOME}/releases/download/{VERSION}"),
            "pattern": "parquet.*",
            "files": {SQLPKG[t]: os.path.basename(p) for t, p in archives.items() if t in SQLPKG},
            "checksums": {os.path.basename(p): "sha256-" + hashlib.sha256(
                read(p, "rb")).hexdigest() for t, p in archives.items() if t in SQLPKG}},
    }, indent=4) + "\n"


def main():
    shutil.rmtree(PACKAGES, ignore_errors=True)
    os.makedirs(PACKAGES)
    linked = f"{RELEASE}/LICENSES.linked"
    write(linked, licenses())
    texts = {"LICENSE": read("LICENSE"), "LICENSES.linked": read(linked), **manual(),
             "sbom.spdx.json": spdx()}
    write(f"{PACKAGES}/{NAME}-{VERSION}.spdx.json", texts["sbom.spdx.json"])
    targets = sorted(t for t in os.listdir(RELEASE)
                     if any(os.path.exists(f"{RELEASE}/{t}/{name}") for name in LIBRARIES))
    write(f"{PACKAGES}/sqlpkg.json", sqlpkg({t: archive_of(t, texts) for t in targets}))
    for target in DEBIAN:
        if target in targets:
            debian(target, texts)
    env = {**os.environ, "PLATFORMS": RELEASE, "PACKAGES": PACKAGES, "LICENSES": linked}
    subprocess.run(["bash", "dist/pack.sh"], check=True, env=env, stdout=subprocess.DEVNULL)
    subprocess.run(["/usr/bin/python3", "dist/wheels.py"], check=True, env=env,
                   stdout=subprocess.DEVNULL)
    shutil.rmtree(f"{PACKAGES}/npm")
    names = sorted(os.listdir(PACKAGES))
    write(f"{PACKAGES}/SHA256SUMS", "".join(
        f"{hashlib.sha256(read(f'{PACKAGES}/{n}', 'rb')).hexdigest()}  {n}\n" for n in names))
    print("\n".join(names))


if __name__ == "__main__":
    main()
