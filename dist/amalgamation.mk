# amalgamation.mk - the extension as one file of C, for programs that have SQLite in them.
#
#   make amalgamation         build/amalgamation/parquet.c, parquet.h
#   make amalgamation-check   compiled with gcc and clang, whole and without each part,
#                             and run: minutes.  make check compiles it twice
#
# Both choices of each part are in the file, and the preprocessor takes one:
# -DPARQUET_NO_ZSTD is what WITHOUT=zstd is to make.  The side of Windows is not in it.

AMALGAM       := $(BUILD)/amalgamation
AMALGAM_GZIP  := core/codec/gzip_libdeflate.c core/codec/gzip_zlib.c
AMALGAM_LAST  := ext/loadable.c
AMALGAM_SRC    = $(sort $(filter-out $(AMALGAM_LAST) core/base/system_windows%,$(wildcard core/*/*.c sql/*.c sql/*/*.c \
                   ext/*.c ext/*/*.c))) $(AMALGAM_LAST)
AMALGAM_TELLS := !defined(SQLITE_CORE) || defined(SQLITE_ENABLE_COLUMN_METADATA)
UPPER          = $(shell echo $(1) | tr a-z A-Z)
AMALGAM_IF     = $(foreach part,$(PARTS), \
    $(patsubst %,'!defined(PARQUET_NO_$(call UPPER,$(part)))=%', \
        $(filter-out $(AMALGAM_GZIP) $(HAS_remote),$(HAS_$(part)))) \
    $(patsubst %,'defined(PARQUET_NO_$(call UPPER,$(part)))=%',$(NO_$(part)))) \
    '!defined(PARQUET_NO_ZLIB) && defined(PARQUET_LIBDEFLATE)=core/codec/gzip_libdeflate.c' \
    '!defined(PARQUET_NO_ZLIB) && !defined(PARQUET_LIBDEFLATE)=core/codec/gzip_zlib.c' \
    $(patsubst %,'!defined(PARQUET_NO_REMOTE) && !defined(__EMSCRIPTEN__)=%',$(HAS_remote)) \
    '!defined(PARQUET_NO_REMOTE) && defined(__EMSCRIPTEN__)=core/remote/http_browser.c' \
    '!defined(SQLITE_CORE)=ext/loadable.c' \
    '$(AMALGAM_TELLS)=sql/copy/column_origin.c' \
    '!($(AMALGAM_TELLS))=sql/copy/column_origin_absent.c'

$(AMALGAM)/parquet.c: dist/amalgamation.py dist/amalgamation.mk Makefile \
                      $(shell find core ext sql -name '*.[ch]')
	$(Q)/usr/bin/python3 dist/amalgamation.py $(@D) $(AMALGAM_IF) -- $(AMALGAM_SRC)

amalgamation: $(AMALGAM)/parquet.c

amalgamation-check: all
	@bash test/dist/amalgamation.sh whole

.PHONY: amalgamation amalgamation-check
