#!/usr/bin/python3
"""wheels.py - make wheels: what make dist built as packages for Python.

    build/dist/sqlite_parquet-0.1.0-py3-none-manylinux_2_34_x86_64.whl   for each that was built
    build/dist/datasette_sqlite_parquet-0.1.0-py3-none-any.whl           plugins
    build/dist/sqlite_utils_sqlite_parquet-0.1.0-py3-none-any.whl

A wheel is a zip with a list of what is in it, so no build system is needed.  The same
sources make the same bytes.  Nothing is published.

PLATFORMS is another folder of what was built, and PACKAGES another one for the wheels.
LICENSES is a file of the licenses of what is linked in.
"""

import base64
import hashlib
import os
import re
import subprocess
import sys
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DIST = os.path.join(ROOT, os.environ.get("BUILD", "build"), "dist")
PLATFORMS = os.environ.get("PLATFORMS", DIST)
OUT = os.environ.get("PACKAGES", DIST)
LICENSES = os.environ.get("LICENSES")
PYTHON = os.path.join(ROOT, "dist", "python")
TAGS = {"linux-x64": "manylinux_{glibc}_x86_64", "linux-arm64": "manylinux_{glibc}_aarch64",
        "linux-musl-x64": "musllinux_1_2_x86_64", "windows-x64": "win_amd64",
        "macos-arm64": "macosx_11_0_arm64"}
NAMES = {"windows-x64": "parquet.dll", "macos-arm64": "parquet.dylib"}

METADATA = """Metadata-Version: 2.1
Name: {name}
Version: {version}
Summary: {summary}
License: Apache-2.0
Requires-Python: >=3.8
{requires}Description-Content-Type: text/markdown

{description}
"""

PLUGINS = {
    "datasette": "Tables over Parquet files in Datasette",
    "sqlite_utils": "Parquet files in sqlite-utils",
}


def read(*path):
    with open(os.path.join(ROOT, *path), "rb") as file:
        return file.read()


def version():
    text = read("core", "face", "parquet.h").decode()
    return re.search(r'^#define PARQUET_VERSION "(.*)"$', text, re.M).group(1)


def description(module):
    return re.match(r'"""(.*?)"""', module.decode(), re.S).group(1)


def glibc(library):
    """The glibc that a library needs, as 2_34: the name of a manylinux platform has it."""
    symbols = subprocess.run(["objdump", "-T", library], check=True, capture_output=True,
                             text=True).stdout
    versions = {tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_([0-9.]+)", symbols)}
    return "_".join(map(str, max(versions)[:2]))


def wheel(name, tag, summary, files, requires=(), entry_points=None):
    """Writes a wheel of files: names and bytes."""
    info = f"{name}-{version()}.dist-info"
    module = next(data for path, data in files.items() if path.endswith(".py"))
    files = dict(files)
    files[f"{info}/METADATA"] = METADATA.format(
        name=name.replace("_", "-"), version=version(), summary=summary,
        requires="".join(f"Requires-Dist: {what}\n" for what in requires),
        description=description(module)).encode()
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: sqlite-parquet\n"
                              f"Root-Is-Purelib: {str(tag == 'any').lower()}\n"
                              f"Tag: py3-none-{tag}\n").encode()
    files[f"{info}/LICENSE"] = read("LICENSE")
    if LICENSES and tag != "any":
        files[f"{info}/LICENSES.linked"] = read(LICENSES)
    if entry_points:
        files[f"{info}/entry_points.txt"] = entry_points.encode()
    record = ""
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    target = os.path.join(OUT, f"{name}-{version()}-py3-none-{tag}.whl")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as out:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if "/scripts/" in path else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(entry, data)
    print(f"{os.path.relpath(target, ROOT)}: {os.path.getsize(target) // 1000} kB")


def libraries():
    """Yields the tag of each platform that was built, its folder and its library."""
    for platform, tag in TAGS.items():
        folder = os.path.join(PLATFORMS, platform)
        name = NAMES.get(platform, "parquet.so")
        library = os.path.join(folder, name)
        if os.path.exists(library):
            yield tag.format(glibc=glibc(library) if "glibc" in tag else ""), folder, name


def main():
    stamp = version().encode()
    init = read("dist", "python", "sqlite_parquet", "__init__.py").replace(b"0.0.0", stamp)
    found = list(libraries())
    for tag, folder, name in found:
        files = {
            "sqlite_parquet/__init__.py": init,
            "sqlite_parquet/__main__.py": read("dist", "python", "sqlite_parquet", "__main__.py"),
            f"sqlite_parquet/{name}": read(folder, name)}
        if os.path.exists(os.path.join(folder, "parquet")):
            files[f"sqlite_parquet-{version()}.data/scripts/parquet"] = read(folder, "parquet")
        wheel("sqlite_parquet", tag, "Parquet files as tables of SQLite", files)
    for host, summary in PLUGINS.items():
        name = f"{host}_sqlite_parquet"
        wheel(name, "any", summary, {f"{name}.py": read("dist", "python", f"{name}.py")},
              requires=(host.replace("_", "-"), f"sqlite-parquet=={version()}"),
              entry_points=f"[{host}]\nparquet = {name}\n")
    return 0 if found else "wheels.py: nothing is built; make dist"


if __name__ == "__main__":
    sys.exit(main())
