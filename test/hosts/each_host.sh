#!/usr/bin/env bash
# each_host.sh - the smallest program of each host: it loads the extension and
# reads a file.
#
#   each_host.sh          hosts that are here and start at once
#   each_host.sh all      every host, compiled ones too: test/setup.sh hosts
#                         installs them
#
# The programs are host_*.* and HostJava.java beside this file; documentation
# takes its lines from them.  Each prints the same line.  They run in a folder
# that holds parquet.so, the one that SO names, and trips.parquet.  The second
# table has the hosts that refuse to load extensions, with their messages.
set -u
cd "$(dirname "$0")/../.."

SO=$(realpath "${SO:-parquet.so}")
BUILD=${BUILD:-build}
which=${1:-quick}
top=$PWD here=$PWD/test/hosts
want='4096|8390656'
absent=()

room=$top/$BUILD/hosts/$(echo "$SO" | cksum | tr -d ' ')
rm -rf "$room"
mkdir -p "$room"
cp "$SO" "$room/parquet.so"
cp test/samples/trips.parquet "$here"/host_* "$here"/HostJava.java "$room"
cd "$room" || exit 1

python=python3
[ -x /usr/bin/python3 ] && python=/usr/bin/python3
gocode=/usr/share/gocode crates=/usr/share/cargo/registry
jar=/usr/share/java/sqlite-jdbc.jar
newer=$(echo "$here"/node_modules/node-linux-*/bin/node)

shell() { sqlite3 -init /dev/null -batch "$@"; }
java_() { java -cp $jar "$@"; }

node_with() {                         # NODE MODULES PROGRAM
    mkdir -p "of_$3"
    cp "$3" "of_$3"
    ln -sfn "$2/node_modules" "of_$3/node_modules"
    "$1" "of_$3/$3"
}

go_() {
    mkdir -p go
    cp host_go.go go
    GO111MODULE=off GOPATH=$gocode GOFLAGS= GOCACHE=$top/$BUILD/hosts/go-cache \
        go build -tags libsqlite3 -o host_go go/host_go.go && ./host_go
}

rust_() {
    mkdir -p rust/.cargo
    cp host_rust.rs rust
    cat >rust/Cargo.toml <<'END'
[package]
name = "host_rust"
version = "0.0.0"
edition = "2021"
[[bin]]
name = "host_rust"
path = "host_rust.rs"
[dependencies]
rusqlite = { version = "*", features = ["load_extension"] }
END
    printf '[source.crates-io]\nreplace-with = "debian"\n[source.debian]\n' \
        >rust/.cargo/config.toml
    printf 'directory = "%s"\n' $crates >>rust/.cargo/config.toml
    (cd rust && CARGO_TARGET_DIR=$top/$BUILD/hosts/rust \
        cargo build --offline --quiet) && "$top/$BUILD/hosts/rust/debug/host_rust"
}

# host | when | is it here? | command
hosts="
shell          | quick | command -v sqlite3 | shell :memory: <host_shell.sql
python         | quick | $python -c 'import sqlite3' | $python host_python.py
better-sqlite3 | quick | test -d $top/test/interop/node_modules/better-sqlite3 | node_with node $top/test/interop host_better.mjs
tcl            | quick | command -v tclsh | tclsh host_tcl.tcl
perl           | quick | perl -MDBD::SQLite -e 1 | perl host_perl.pl
php            | quick | php -r 'new SQLite3(\":memory:\");' | php -d sqlite3.extension_dir=$room host_php.php
ruby           | quick | ruby -rsqlite3 -e 1 | ruby host_ruby.rb
r              | all   | Rscript -e 'library(RSQLite)' | Rscript host_r.R
node:sqlite    | all   | test -x $newer | node_with $newer $here host_node.mjs
sqlite3 of npm | all   | test -d $here/node_modules/sqlite3/build/Release | node_with node $here host_npm.mjs
java           | all   | test -e $jar | java_ HostJava.java
go             | all   | test -d $gocode/src/github.com/mattn/go-sqlite3 | go_
rust           | all   | test -d $crates | rust_
"

# A Python that was built without extensions may be missing: any in PATH will
# do.
python_without() {
    local p
    for p in $(type -ap python3); do
        "$p" -c 'import sqlite3, sys
sys.exit(hasattr(sqlite3.Connection, "enable_load_extension"))' 2>/dev/null &&
            echo "$p" && return 0
    done
    return 1
}

sed 's/?enable_load_extension=true//' HostJava.java >HostJavaWithout.java
sed 's/, { allowExtension: true }//' host_node.mjs >host_node_without.mjs
sed '/enable_load/d' host_tcl.tcl >host_tcl_without.tcl
sed 's/\(loadable.extensions = \)TRUE/\1FALSE/' host_r.R >host_r_without.R

# what refuses | when | is it here? | command | what it says
refuse="
shell, -safe               | quick | command -v sqlite3 | shell -safe :memory: <host_shell.sql | cannot run .load in safe mode
python built without       | quick | python_without | \$(python_without) host_python.py | object has no attribute 'enable_load_extension'
tcl, not enabled           | quick | command -v tclsh | tclsh host_tcl_without.tcl | not authorized
php without extension_dir  | quick | php -r 'new SQLite3(\":memory:\");' | php host_php.php | SQLite Extension are disabled
php with another folder    | quick | php -r 'new SQLite3(\":memory:\");' | php -d sqlite3.extension_dir=/nowhere host_php.php | Unable to load extension at '/nowhere/parquet.so'
r, not enabled             | all   | Rscript -e 'library(RSQLite)' | Rscript host_r_without.R | not authorized
node:sqlite, not allowed   | all   | test -x $newer | node_with $newer $here host_node_without.mjs | extension loading is not allowed
java, not enabled          | all   | test -e $jar | java_ HostJavaWithout.java | not authorized
"

trim() { local s=$1; s=${s#"${s%%[! ]*}"}; echo "${s%"${s##*[! ]}"}"; }

judge() {                             # NAME EXPRESSION SAW WANTED
    if eval "$2"; then
        echo "ok $1"
    else
        printf 'WRONG %s: saw %s, wanted %s\n' "$1" "$3" "$4"
    fi
}

while IFS='|' read -r name when probe command says; do
    name=$(trim "$name")
    [ -n "$name" ] || continue
    [ "$which" = all ] || [ "$(trim "$when")" = quick ] || continue
    if ! eval "$probe" >/dev/null 2>&1 </dev/null; then
        [ -n "$says" ] || absent+=("$name")
        continue
    fi
    saw=$(eval "$command" 2>&1 </dev/null)
    says=$(trim "$says")
    if [ -n "$says" ]; then
        judge "$name" '[[ $3 == *"$4"* ]]' "$saw" "$says"
    else
        judge "$name" '[ "$3" = "$4" ]' "$saw" "$want"
    fi
done <<<"$hosts$refuse"

# README.md has to show of each host what was run here.
shown() {
    sed -n '/^## Hosts/,/^## /p' "$top/README.md" | grep '^|' |
        cut -d '|' -f 3 | grep -o '`[^`]*`' | tr -d '`'
}
unlike=$(shown | while read -r line; do
    grep -qF -e "$line" host_* HostJava.java "$here/each_host.sh" || echo "$line"
done)
judge "README.md shows these programs" \
    '[ -z "$3" ] && [ "$(shown | wc -l)" -ge 20 ]' "$unlike" "20 lines of them"

# If all hosts were asked for, test/setup.sh should have installed them.
[ ${#absent[@]} -eq 0 ] ||
    echo "$([ "$which" != all ] || echo "WRONG ")not here: ${absent[*]}"
rm -rf "$room"
echo "done"
