# library.bash - what scripts share that try what was made: they count what is right, and a
# library that is handed out is looked at.  Each of them ends with the sum.
passed=0 failed=0

check() {                             # NAME COMMAND...: what it prints is wrong
    local name=$1 said
    shift
    said=$("$@" 2>&1) && [ -z "$said" ] && passed=$((passed + 1)) && return
    printf 'FAIL %s\n%s\n' "$name" "$said"
    failed=$((failed + 1))
}

needs_libc_only() { bash dist/needs.sh "$1" >/dev/null; }
# The C++ runtime in it brings no unwinder: dist/throw.c.
no_unwinder() { nm -D -u "$1" | grep -E '_dl_find_object|_Unwind|__tls_get|_ZN|__cxa_t'; true; }
exports() { SO=$1 bash test/lint/exports.sh | grep -v '^exports: 1 passed'; true; }
stripped() { readelf -SW "$1" | grep -E '\.(symtab|debug_)'; true; }
no_place() { strings -a "$1" | grep -F -e "$PWD" -e "$HOME/" -e "${2:-$PWD}"; true; }

check_library() {                     # FILE [FOLDER THAT IT WAS MADE IN]
    check "it needs libc and libm only" needs_libc_only "$1"
    check "it has no unwinder, and no C++ runtime" no_unwinder "$1"
    check "only the entry points are exported" exports "$1"
    check "it is stripped" stripped "$1"
    check "it does not say where it was built" no_place "$@"
}
