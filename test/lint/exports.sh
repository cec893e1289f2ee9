#!/usr/bin/env bash
# exports.sh - nothing but the entry points is visible from outside.
set -u
so=${SO:-parquet.so}
extra=$(nm -D --defined-only "$so" 2>/dev/null | awk '{ print $NF }' |
    grep -vxE 'sqlite3_(parquet|extension)_init')
entry=$(nm -D --defined-only "$so" 2>/dev/null |
    grep -cE ' T sqlite3_(parquet|extension)_init$')
failed=0
if [ "$entry" -ne 2 ]; then
    echo "$so does not export sqlite3_parquet_init and sqlite3_extension_init"
    failed=1
fi
if [ -n "$extra" ]; then
    printf '%s exports more than its entry points:\n%s\n' "$so" "$extra"
    failed=1
fi
echo "exports: $((1 - failed)) passed, $failed failed, 0 skipped"
exit $failed
