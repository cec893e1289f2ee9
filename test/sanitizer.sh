# sanitizer.sh - sourced by what runs under the sanitizers: what works here?
#
#   sanitizer CC        sets sanitizer_flags for the compiler, sanitizer_build,
#                       a folder's name for what is built with them, or "",
#                       sanitizer_run, the words that start a program, and
#                       sanitizer_missing, what was left out and why, or ""
#
# make check has no time to build everything again.  It uses the programs as they
# are built: a crash, a hang and much too much memory are found without, too.
#
# AddressSanitizer maps terabytes of shadow memory, and its search for leaks
# attaches to its own process.  A container may forbid either.  A small program
# of each kind is tried first, so that what a machine forbids is reported as
# such and not as a finding.

sanitizer_options=max_allocation_size_mb=300:abort_on_error=1

# A correct program: if it does not run, the machine is the reason.
sanitizer_tries() {                   # NAME FLAGS COMMAND...
    local name=$1 flags=$2
    shift 2
    local program=$sanitizer_scratch/${flags//[^a-z]/_}
    if [ ! -x "$program" ]; then
        # shellcheck disable=SC2086  # flags are words
        printf '%s\n' '#include <stdlib.h>' \
            'int main(void) { free(calloc(100, 1)); return 0; }' |
            "$sanitizer_cc" $flags -x c -o "$program" - \
                >"$sanitizer_scratch/said" 2>&1 || return 1
    fi
    # The group keeps the shell quiet about a program that aborts.
    { timeout 300 "$@" "$program" >"$sanitizer_scratch/said" 2>&1; } 2>/dev/null &&
        return 0
    sanitizer_missing+="${sanitizer_missing:+; }$name does not work here ("
    sanitizer_missing+=$(grep -a . "$sanitizer_scratch/said" | head -n 1 | cut -c 1-150)")"
    return 1
}

sanitizer() {                         # CC
    sanitizer_cc=$1
    sanitizer_missing=
    if [ "${FORM:-all}" = check ]; then
        sanitizer_flags='' sanitizer_build='' sanitizer_run=()
        return
    fi
    sanitizer_scratch=$(mktemp -d)
    local own="-fno-sanitize-recover=all -fno-omit-frame-pointer"
    local both="-fsanitize=address,undefined $own"
    local fixed=(setarch "$(uname -m)" -R)
    # The library of the sanitizer has to be the first one: stdbuf, for example,
    # preloads its own.
    local clean=(env -u LD_PRELOAD)
    local leaks=ASAN_OPTIONS=$sanitizer_options:detect_leaks=1
    local none=ASAN_OPTIONS=$sanitizer_options:detect_leaks=0

    sanitizer_flags=$both
    sanitizer_build=asan
    sanitizer_run=("${clean[@]}" "$leaks")
    sanitizer_tries LeakSanitizer "$both" "${sanitizer_run[@]}" ||
        { sanitizer_run=("${clean[@]}" "$none")
          sanitizer_tries AddressSanitizer "$both" "${sanitizer_run[@]}"; } ||
        { sanitizer_run=("${clean[@]}" "$none" "${fixed[@]}")
          sanitizer_tries "AddressSanitizer at fixed addresses" "$both" \
              "${sanitizer_run[@]}"; } ||
        { sanitizer_flags="-fsanitize=undefined $own"
          sanitizer_build=ubsan
          sanitizer_run=("${clean[@]}")
          sanitizer_tries UBSan "$sanitizer_flags" "${clean[@]}"; } ||
        { sanitizer_flags=
          sanitizer_build=plain; }
    rm -rf "$sanitizer_scratch"
    export UBSAN_OPTIONS=print_stacktrace=1:abort_on_error=1
    [ -z "$sanitizer_missing" ] || echo "skipped: $sanitizer_missing"
}
