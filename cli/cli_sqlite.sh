#!/usr/bin/env bash
# cli_sqlite.sh FOLDER - fetches the sources of SQLite and of its shell.
#
# No distribution packs the shell as a source to build on, and the library and the
# shell have to be of one version.  The package sqlite3 of npm carries SQLite's own
# release archive, and a package of npm never changes.  What comes is compared with
# the hash below before any of it is compiled.
#
# qrf.h, which prints boxes, is a part of shell.c: it is cut out.
set -eu
folder=$1
package=sqlite3@6.0.1
archive=package/deps/sqlite-autoconf-3520000.tar.gz
hash=f6b50b0c103392af32a8be15b2b9d25959de9a00a70c3979128aafeaa5338b3f

fresh=$folder.new
rm -rf "$fresh"
mkdir -p "$fresh"
trap 'rm -rf "$fresh"' EXIT
command -v npm >/dev/null || { echo "cli: npm is missing: bash test/setup.sh cli" >&2; exit 1; }
(cd "$fresh" && npm pack --silent "$package" >/dev/null) ||
    { echo "cli: npm does not give $package" >&2; exit 1; }
tar -xzOf "$fresh"/sqlite3-*.tgz "$archive" >"$fresh/archive.tar.gz"
echo "$hash  $fresh/archive.tar.gz" | sha256sum --quiet -c - >&2
tar -xmzf "$fresh/archive.tar.gz" -C "$fresh" --strip-components=1 --no-same-owner \
    --wildcards '*/sqlite3.[ch]' '*/sqlite3ext.h' '*/shell.c'
sed -n '/Begin ext\/qrf\/qrf.h/,/End ext\/qrf\/qrf.h/p' "$fresh/shell.c" >"$fresh/qrf.h"
[ -s "$fresh/qrf.h" ]
rm "$fresh"/*.tgz "$fresh/archive.tar.gz"
rm -rf "$folder"
mv "$fresh" "$folder"
