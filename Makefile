# make            parquet.so, the extension
# make demo       from a bare machine: install what is missing, build, show
# make check      from a bare machine: install, build, and the tests that find
#                 nearly every mistake: five minutes
# make check-all  likewise, with every test there is for each change
# make unit | tcl | conformance | hosts | interop | fuzz-replay | hostile |
#      oracle | exports    one suite of make check-all
# make hosts-all  installs every host that it is tried in, and tries them
# make random     files of other writers by chance; for longer
#                 SEEDS=1-5000 node test/interop/random.mjs
# make newest     every Tcl test and all of the oracle on the newest SQLite
# make written    files of parquet_copy_to in the hands of others; every cell:
#                 node test/interop/written.mjs whole
# make oracle-long   200,000 random queries against a native copy
# make tamper     encrypted files with every byte changed, and parts exchanged
# make planted    faults put into the sources that make oracle has to find
# make fault      every allocation and every read fails once; make check fails
#                 some of them; copies are killed at 200 moments each
# make asan       everything again under AddressSanitizer and UBSan
# make fuzz       the long fuzz run; make fuzz-coverage: what its files reach
# make bench      ratios against peers, and how soon a statement stops
# make tree       every source file with the sentence that it opens with
# make lint       floors, names, format, warnings of two compilers, analysis
# make dist       parquet.so as one file that needs libc and libm only;
#                 make dist-arm64, make npm, make wheels: see dist/dist.mk
# make amalgamation   the extension as one file of C, for programs that have SQLite in
#                 them; make amalgamation-check compiles it in every way
# make release    the same for every target, from the sources of the codecs: see
#                 release/release.mk
#                 make release-wasm: with SQLite for browsers, see release/wasm.mk
# make cli        the program parquet: SQLite's shell and the extension in one file
# make lib        libparquet.a and libparquet.so: the engine for C programs, whose
#                 header is core/face/parquet.h; see examples/
# make install    PREFIX=/usr/local; make clean
#
# It says a line for each file that it builds; V=1 shows the commands.
#
# Sources are found by their place: core/*/*.c, ext/*/*.c, sql/*/*.c make
# the extension, test/unit/*.c the unit tests.  Other test programs bring their
# rules in test/*/*.mk.  BUILD=folder SO=file build beside another build.

BUILD   ?= build
SO      ?= parquet.so
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
# A loop that begins in the middle of a cache line may be a tenth slower: where
# it begins must not depend on the functions before it.
OPT     ?= -O2 -g -falign-functions=32 -falign-loops=32
WARN    ?= -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes \
           -Wmissing-prototypes -Wno-unused-parameter
EXTRA   ?=
# Set by make lint and CI: a newer compiler's new warning stops nobody else.
WERROR  ?=

all: $(SO)

Q      := $(if $(V),,@)
SILENT := $(findstring s,$(firstword -$(MAKEFLAGS)))
SAY    = $(if $(V)$(SILENT),,@printf '%-5s %s\n' $(1) $@)

# --- what this machine has ---------------------------------------------------

# libdeflate decodes gzip 2.5 times as fast as zlib.  It is used where it is
# found; DEFLATE=no builds without it.
ifndef DEFLATE
HASH    := \#
PROBE   := $(HASH)include <libdeflate.h>
DEFLATE := $(shell echo '$(PROBE)' | $(CC) -x c -fsyntax-only - 2>/dev/null \
             && echo yes || echo no)
endif
GZIP_ZLIB := core/codec/gzip_$(if $(filter yes,$(DEFLATE)),libdeflate,zlib).c

# Parts that a build can do without: make WITHOUT="brotli crypto" links what says that
# they are absent in place of their sources and of their libraries.
WITHOUT ?=
PARTS   := brotli crypto lz4 remote snappy zlib zstd
HAS_brotli := core/codec/brotli.c
HAS_crypto := core/base/libcrypto.c core/base/digest.c core/crypto/aes_key.c
HAS_lz4    := core/codec/lz4.c core/codec/lz4_encode.c
HAS_remote := core/remote/http.c core/remote/http_exchange.c core/remote/curl_library.c
HAS_snappy := core/codec/snappy.c
HAS_zlib   := core/codec/gzip.c $(GZIP_ZLIB)
HAS_zstd   := core/codec/zstd.c
NO_brotli  := core/codec/brotli_absent.c
NO_crypto  := core/crypto/libcrypto_absent.c
NO_lz4     := core/codec/lz4_absent.c
NO_remote  := core/remote/http_absent.c
NO_snappy  := core/codec/snappy_absent.c
NO_zlib    := core/codec/gzip_absent.c
NO_zstd    := core/codec/zstd_absent.c
LIBS_brotli := -lbrotlidec -lbrotlienc
LIBS_crypto := -lcrypto
LIBS_lz4    := -llz4
LIBS_snappy := -lsnappy
LIBS_zlib   := $(if $(filter yes,$(DEFLATE)),-ldeflate) -lz
LIBS_zstd   := -lzstd

$(if $(filter-out $(PARTS),$(WITHOUT)),$(error WITHOUT takes some of: $(PARTS)))
BUILT     := $(filter-out $(WITHOUT),$(PARTS))
NOT_BUILT := core/remote/http_browser.c $(filter-out $(GZIP_ZLIB),core/codec/gzip_zlib.c core/codec/gzip_libdeflate.c) \
             $(foreach part,$(BUILT),$(NO_$(part))) $(foreach part,$(WITHOUT),$(HAS_$(part)))
LIBS      := $(foreach part,$(BUILT),$(LIBS_$(part)))

# gcc 12 makes vectors of few loops at -O2, and gcc 11 of none: loops over the
# levels of lists take twice the time then.  clang does without being told.
ifndef VECTORS
VECTORS := $(shell flags="-ftree-vectorize -fvect-cost-model=dynamic"; \
             $(CC) -Werror $$flags -x c -fsyntax-only -o /dev/null /dev/null 2>/dev/null \
             && echo $$flags)
endif

# --- the extension -------------------------------------------------------------

CORE_SRC := $(filter-out $(NOT_BUILT),$(sort $(wildcard core/*.c core/*/*.c)))
TOP_SRC  := $(filter-out %_absent.c,$(sort $(wildcard ext/*.c ext/*/*.c sql/*.c sql/*/*.c)))
CORE_OBJ := $(CORE_SRC:%.c=$(BUILD)/%.o)
TOP_OBJ  := $(TOP_SRC:%.c=$(BUILD)/%.o)

COMPILE = $(CC) -std=c11 $(OPT) $(VECTORS) -fPIC -fvisibility=hidden -pthread $(WARN) \
          -ffunction-sections -fdata-sections \
          $(WERROR) -I. $(EXTRA) $(CPPFLAGS) $(CFLAGS) -MMD -MP
LIBS   += -lxxhash -lpthread -ldl -lm
# It stays loaded when a connection closes: the next one of the process has it
# at once, and nothing has to be in order at that moment.
SO_LINK = -shared -Wl,-soname,parquet.so -Wl,-z,defs -Wl,-z,now -Wl,-z,nodelete \
          -Wl,--version-script=ext/exports.map

$(SO): $(CORE_OBJ) $(TOP_OBJ) ext/exports.map
	@mkdir -p $(@D)
	$(call SAY,link)
	$(Q)$(CC) $(OPT) $(EXTRA) $(LDFLAGS) $(SO_LINK) -o $@ $(CORE_OBJ) \
	    $(TOP_OBJ) $(LIBS)

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(call SAY,cc)
	$(Q)$(COMPILE) -c -o $@ $<

include dist/dist.mk
include dist/lib.mk
include release/release.mk
include cli/cli.mk
include dist/amalgamation.mk
include release/wasm.mk

# --- unit tests ------------------------------------------------------------------

# What tests are made of runs once, so it is not worth optimizing: this takes a
# sixth of the time.  What they test is compiled as ever.
$(BUILD)/test/unit/%.o $(BUILD)/test/fault/%.o: OPT = -O0 -g

UNIT_SRC := $(sort $(wildcard test/unit/*.c))
UNIT_OBJ := $(UNIT_SRC:%.c=$(BUILD)/%.o)

# What of sql/ does not know SQLite, or knows no more of it than a test can be.
UNIT_SQL := $(patsubst %,$(BUILD)/sql/%.o,copy/copy_foreign_names \
              copy/copy_encryption copy/copy_option_values copy/copy_options \
              copy/copy_pass describe/describe_text \
              call_text did_you_mean group_functions group_mistakes group_text \
              group_where keys/key_names order_text patience size_text token \
              value/type_arguments value/type_name value/type_words)
# An object whose source has gone is not linked.
$(UNIT_SQL): $(BUILD)/%.o: %.c

$(BUILD)/unit_tests: $(UNIT_OBJ) $(CORE_OBJ) $(UNIT_SQL)
	$(call SAY,link)
	$(Q)$(CC) $(OPT) $(EXTRA) $(LDFLAGS) -o $@ $(UNIT_OBJ) $(CORE_OBJ) \
	    $(UNIT_SQL) $(LIBS)

include dist/windows.mk
-include $(wildcard test/*/*.mk)
-include $(CORE_OBJ:.o=.d) $(TOP_OBJ:.o=.d) $(UNIT_OBJ:.o=.d)

# Everything compiled and nothing linked, for make lint.
objects: $(CORE_OBJ) $(TOP_OBJ) $(UNIT_OBJ)

# --- tests -----------------------------------------------------------------------

# For test/check.sh and the scripts it runs.
export BUILD SO CC

# As many compilers at once as there are processors, unless the caller said.
JOBS     := $(shell nproc 2>/dev/null || echo 2)
PARALLEL := $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))

# setup.sh may install a library that changes what is built: hence a second make.
demo:
	@bash test/setup.sh build
	@echo "building parquet.so"
	@$(MAKE) -s --no-print-directory $(PARALLEL) all
	@bash test/demo.sh

# The packages of Node, and for check-all the SQLite that is among them, come
# beside the build of the extension and of the suites.
check: PACKAGES = bash test/setup.sh build check
check-all: PACKAGES = bash test/setup.sh build test && \
    { bash test/interop/newest.sh build >/dev/null 2>&1 || :; }
check-all: FORM = --all

check check-all:
	@bash test/setup.sh build
	@{ $(PACKAGES); } & packages=$$!; \
	    $(MAKE) --no-print-directory $(PARALLEL) all && \
	    bash test/check.sh $(FORM) --compile; made=$$?; \
	    wait $$packages && exit $$made
	@bash test/check.sh $(FORM)

unit:
	@bash test/check.sh --all $@

tcl conformance hosts random written fuzz-replay hostile oracle exports: all
	@bash test/check.sh --all $@

hosts-all:
	@bash test/setup.sh build test dist hosts
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@bash test/interop/hosts.sh all

oracle-long: all
	@CASES=200000 bash test/oracle/oracle.sh

newest: all
	@bash test/interop/newest.sh whole

lakes: all
	@/usr/bin/python3 test/interop/lakes.py $(SO) $(FOLDER)

tamper: all
	@/usr/bin/python3 test/hostile/tamper.py $(SO) $(BUILD)/tamper 1

planted: all
	@bash test/oracle/planted.sh

interop: all
	@bash test/check.sh --all interop random

fault: all $(BUILD)/unit_tests
	@bash test/fault/fault.sh whole
	@COPY_FAULT_STEP=1 $(BUILD)/unit_tests copy_fault
	@bash test/fault/kill/kill.sh
	@MOMENTS=200 STEPS=12 bash test/fault/kill/shell.sh

asan:
	@bash test/setup.sh build test
	@bash test/asan.sh

fuzz:
	@bash test/setup.sh build fuzz
	@bash test/fuzz/fuzz.sh

fuzz-coverage:
	@bash test/setup.sh build
	@bash test/fuzz/coverage.sh

bench: all
	@bash test/setup.sh build test
	@bash test/bench/bench.sh
	@STOP_MS=100 bash test/fault/fault.sh stop

tree:
	@find core ext sql cli -name '*.[ch]' | sort | xargs awk -f test/lint/tree.awk

lint:
	@bash test/setup.sh build lint
	@bash test/lint/lint.sh

install: $(SO) lib
	@DESTDIR=$(DESTDIR) bash dist/install_lib.sh $(LIB) $(PREFIX) $(LIBDIR) "$(LIBS)"
	@DESTDIR=$(DESTDIR) bash dist/install.sh $(SO) $(LIBDIR)

clean:
	rm -rf $(BUILD) $(SO)

.PHONY: all objects demo lakes check check-all unit tcl conformance hosts hosts-all interop \
        random written fuzz-replay hostile fault oracle oracle-long newest planted tamper \
        exports asan fuzz fuzz-coverage bench tree lint install clean
.DELETE_ON_ERROR:
