#!/usr/bin/env bash
# install_lib.sh FOLDER PREFIX LIBDIR LIBRARIES - make install: the library for C
# programs, its header, and what pkg-config says of it.
#
# pkg-config knows it as sqlite-parquet: "parquet" is that of Arrow, whose library has
# the same name, and whose headers are in a folder.
set -eu
from=$1 prefix=$2 libdir=$3 libraries=$4
to=${DESTDIR:-}
version=$(sed -n 's/^#define PARQUET_VERSION "\(.*\)"$/\1/p' core/face/parquet.h)

install -d "$to$libdir/pkgconfig" "$to$prefix/include"
install -m 644 core/face/parquet.h "$to$prefix/include/parquet.h"
install -m 644 "$from/libparquet.a" "$to$libdir/libparquet.a"
install -m 755 "$from/libparquet.so.0" "$to$libdir/libparquet.so.0"
ln -sfn libparquet.so.0 "$to$libdir/libparquet.so"
cat >"$to$libdir/pkgconfig/sqlite-parquet.pc" <<EOF
prefix=$prefix
libdir=$libdir
includedir=\${prefix}/include

Name: sqlite-parquet
Description: reads and writes Parquet files
Version: $version
Libs: -L\${libdir} -lparquet
Libs.private: $libraries
Cflags: -I\${includedir}
EOF
echo "installed $to$prefix/include/parquet.h, $to$libdir/libparquet.so and libparquet.a"
