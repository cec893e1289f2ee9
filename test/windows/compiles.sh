#!/usr/bin/env bash
# compiles.sh - every file compiles for Windows.
#
# Only its syntax and types are looked at, with the headers of Debian's codecs, so no
# library is built: make release-windows-x64 links.
set -u
cd "$(dirname "$0")/../.."

BUILD=${BUILD:-build}
JOBS=${JOBS:-$(nproc 2>/dev/null || echo 2)}
headers=$PWD/$BUILD/windows/headers/include
log=$BUILD/windows/compiles.log
here=/usr/include
ours=$here/$("${CC:-gcc}" -print-multiarch)

rm -rf "$headers"
mkdir -p "$headers/openssl"
for name in brotli curl libdeflate.h lz4.h lz4frame.h lz4hc.h snappy-c.h sqlite3.h sqlite3ext.h \
    xxhash.h zconf.h zlib.h zstd.h zstd_errors.h; do
    for folder in "$here" "$ours"; do
        [ ! -e "$folder/$name" ] || ln -sfn "$folder/$name" "$headers/$name"
    done
done
ln -sf "$here"/openssl/*.h "$ours"/openssl/*.h "$headers/openssl"

all=$(make --no-print-directory -s windows-files | tee "$BUILD/windows/files" | wc -l)
make --no-print-directory -s windows-compiles JOBS="$JOBS" \
    WINDOWS_CODECS="${headers%/include}" WINDOWS_FILES="$BUILD/windows/files" >"$log" 2>&1
status=$?
failed=$(sed -nE 's/^([^ :]+\.[ch]):.* error: .*/\1/p' "$log" | sort -u | wc -l)
if [ $status -ne 0 ] && [ "$failed" -eq 0 ] || [ "$all" -lt 100 ]; then
    failed=1
fi
[ "$failed" -eq 0 ] || head -40 "$log"
echo "windows: $((all - failed)) passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
