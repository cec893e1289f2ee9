#!/usr/bin/env bash
# install.sh FILE FOLDER - make install: parquet.so where programs find it.
#
# SQLite looks for a name without a folder as the loader does: "parquet" and
# then "parquet.so", in LD_LIBRARY_PATH, in the list that ldconfig makes, and in
# /lib and /usr/lib.  ldconfig reads only names that begin with lib and lists
# the library under its soname, which is parquet.so: hence the link.  Whether
# that was enough is looked up, and the line that loads it is printed.
#
# With DESTDIR the files are only put there.  LDCONFIG is for tests.
set -eu
file=$1 folder=$2
to=${DESTDIR:-}$folder
listed() { $ldconfig -p | grep -qF "=> $folder/parquet.so"; }

PATH=$PATH:/sbin:/usr/sbin
ldconfig=${LDCONFIG:-ldconfig}
install -d "$to"
install -m 644 "$file" "$to/parquet.so"
ln -sfn parquet.so "$to/libsqlite_parquet.so"
echo "installed $to/parquet.so"
[ -z "${DESTDIR:-}" ] || exit 0

$ldconfig 2>/dev/null || true
if listed; then
    echo "to load it, from any folder:  .load parquet"
else
    rm -f "$to/libsqlite_parquet.so"
    echo "to load it:  .load $folder/parquet"
    echo "or, with LD_LIBRARY_PATH=$folder:  .load parquet"
fi
