# codecs.mk - the libraries of a release, from the sources of sources.list.
#
#   make -f release/codecs.mk TARGET=linux-x64
#
# makes $(CODECS)/include and $(CODECS)/lib with libzstd.a, libcrypto.a and so on:
# the names that the Makefile links.  A library is a row here: its files, how they
# are compiled, and its headers.  Their own build systems are not used, since one
# compiles a list of files with a compiler the same way for every target; but
# OpenSSL's writes assembler, and chooses what is in: openssl.sh.
#
# What is not needed stays out: zstd's legacy formats, dictionary builder and
# threads, zlib's and lz4's files, what libdeflate compresses.  Snappy is C++.
# Its runtime is the few functions of cxx_runtime.cc, so that no libstdc++ is
# linked, and an exception cannot be thrown.

include release/targets.mk

LIBRARIES := zstd snappy lz4 brotli zlib deflate xxhash openssl
SOURCES    = $(RELEASE_CACHE)/sources/$(1)-$(shell \
               { grep '^$(1) ' release/sources.list; cat release/fetch.sh; } | \
               sha256sum | cut -c 1-12)
$(foreach l,$(LIBRARIES),$(eval IN_$l := $(call SOURCES,$l)))

# As in the Makefile, where a loop begins does not depend on what is before it.
CC_LOOPS  := -falign-loops=32
CC_COMMON := -fPIC -DPIC -DNDEBUG -w -fvisibility=hidden -ffunction-sections \
             -fdata-sections -fno-asynchronous-unwind-tables -falign-functions=32 \
             $(call of_target,FLAGS)

# --- the libraries: archives, the files of each, flags, headers ----------------------

FILES_zstd        := lib/common/*.c lib/compress/*.c lib/decompress/*.c \
                     lib/decompress/*.S
FLAGS_zstd        := -O3 -DXXH_NAMESPACE=ZSTD_ -DZSTD_LEGACY_SUPPORT=0
HEADERS_zstd      := lib/zstd.h lib/zstd_errors.h

FILES_lz4         := lib/lz4.c lib/lz4hc.c lib/lz4frame.c lib/xxhash.c
FLAGS_lz4         := -O3 -DXXH_NAMESPACE=LZ4_
HEADERS_lz4       := lib/lz4.h lib/lz4hc.h lib/lz4frame.h

FILES_brotli      := c/common/*.c c/enc/*.c c/dec/*.c
FLAGS_brotli      := -O2 -I$(IN_brotli)/c/include
HEADERS_brotli    := c/include/brotli

FILES_zlib        := adler32.c compress.c crc32.c deflate.c inffast.c inflate.c \
                     inftrees.c trees.c uncompr.c zutil.c
# Debian says so too.  Without it, compressing takes a tenth longer.
FLAGS_zlib        := -O3 -DHAVE_HIDDEN $(if $(findstring x86_64,$(call \
                     of_target,OPENSSL)),-DUNALIGNED_OK)
HEADERS_zlib      := zlib.h zconf.h

FILES_deflate     := lib/deflate_decompress.c lib/gzip_decompress.c \
                     lib/zlib_decompress.c lib/adler32.c lib/crc32.c lib/utils.c \
                     lib/*/cpu_features.c
FLAGS_deflate     := -O2 -I$(IN_deflate)
HEADERS_deflate   := libdeflate.h

FILES_xxhash      := xxhash.c
FLAGS_xxhash      := -O3
HEADERS_xxhash    := xxhash.h xxh3.h

FILES_snappy      := snappy.cc snappy-c.cc snappy-sinksource.cc
FLAGS_snappy      := -O2 -std=c++11 -fno-exceptions -fno-rtti \
                     -fno-threadsafe-statics -DHAVE_BUILTIN_CTZ=1 \
                     -DHAVE_BUILTIN_EXPECT=1 -DHAVE_ATTRIBUTE_ALWAYS_INLINE=1 \
                     -I$(CODECS)/include
HEADERS_snappy    := snappy-c.h

# The archives that the Makefile links.  All of brotli is in the first of its three.
ARCHIVES := zstd snappy lz4 brotlidec z deflate xxhash
IS_brotlidec := brotli
IS_z         := zlib
library = $(or $(IS_$(1)),$(1))

# --- first the sources, then their names ----------------------------------------------

# A folder that is complete stays as it is.
all:
	@[ -e $(CODECS)/complete ] || { \
	    $(MAKE) --no-print-directory -f release/codecs.mk TARGET=$(TARGET) sources && \
	    $(MAKE) --no-print-directory -f release/codecs.mk TARGET=$(TARGET) complete; }

sources: $(foreach l,$(LIBRARIES),$(IN_$l))
complete: $(CODECS)/complete

$(RELEASE_CACHE)/sources/%:
	@echo "fetch $(notdir $@)"
	@DOWNLOADS=$(RELEASE_CACHE)/downloads bash release/fetch.sh \
	    $(firstword $(subst -, ,$(notdir $@))) $@

# --- archives ---------------------------------------------------------------------------

objects = $(addprefix $(CODECS)/obj/$(1)/,$(addsuffix .o,$(patsubst $(IN_$(1))/%,%, \
            $(sort $(wildcard $(addprefix $(IN_$(1))/,$(FILES_$(1))))))))
compile = $(call of_target,$(if $(filter %.cc,$<),CXX,CC)) $(CC_COMMON) $(CC_LOOPS) \
          $(FLAGS_$(1)) -c -o $@ $<

define LIBRARY
$(CODECS)/obj/$(1)/%.o: $(IN_$(1))/% | $(CODECS)/include/complete
	@mkdir -p $$(@D)
	@$$(call compile,$(1))
endef
$(foreach l,$(filter-out openssl,$(LIBRARIES)),$(eval $(call LIBRARY,$l)))

define ARCHIVE
$(CODECS)/lib/lib$(1).a: $(call objects,$(call library,$(1)))
	@mkdir -p $$(@D)
	@echo "ar    $$@"
	@rm -f $$@
	@$(call of_target,AR) qcsD $$@ $$^
endef
$(foreach a,$(ARCHIVES),$(eval $(call ARCHIVE,$a)))

$(CODECS)/lib/libsnappy.a: $(CODECS)/obj/cxx_runtime.o
$(CODECS)/obj/cxx_runtime.o: release/cxx_runtime.cc
	@mkdir -p $(@D)
	@$(call of_target,CXX) $(CC_COMMON) -O2 -fno-exceptions -fno-rtti -c -o $@ $<

$(CODECS)/lib/libbrotlienc.a $(CODECS)/lib/libbrotlicommon.a:
	@$(call of_target,AR) rcsD $@

$(CODECS)/lib/libcrypto.a: | $(CODECS)/include/complete
	@echo "ossl  $@"
	@CC="$(call of_target,CC)" AR="$(call of_target,AR)" bash release/openssl.sh \
	    $(call of_target,OPENSSL) $(abspath $(IN_openssl)) $(CODECS) $(CC_COMMON) \
	    $(call of_target,OPENSSL_FLAGS) \
	    $(if $(call of_target,KERNEL),-idirafter $(abspath $(CODECS)/include))

# --- headers -----------------------------------------------------------------------------

# SQLite's and libcurl's are the same on every machine.  Neither is linked.
$(CODECS)/include/complete:
	@mkdir -p $(CODECS)/include $(CODECS)/lib
	@cp -r $(foreach l,$(LIBRARIES),$(addprefix $(IN_$l)/,$(HEADERS_$l))) $(CODECS)/include
	@sed -e 's/$${HAVE_SYS_UIO_H_01}/0/' -e 's/$${PROJECT_VERSION_[A-Z]*}/1/' \
	    $(IN_snappy)/snappy-stubs-public.h.in >$(CODECS)/include/snappy-stubs-public.h
	@cp /usr/include/sqlite3.h /usr/include/sqlite3ext.h $(CODECS)/include
	@cp -r $$(dirname $$(echo '#include <curl/curl.h>' | $(CC) -E -M - | tr ' ' '\n' | \
	    grep -m 1 'curl/curl\.h')) $(CODECS)/include
	@for folder in $(call of_target,KERNEL); do ln -sfn $$folder $(CODECS)/include; done
	@touch $@

$(CODECS)/glibc: release/old_glibc.sh release/old_glibc.c
	@$(if $(call of_target,GLIBC),CC="$(call of_target,CC)" bash release/old_glibc.sh \
	    $(call of_target,GLIBC) $@,mkdir -p $@)

$(CODECS)/complete: $(addprefix $(CODECS)/lib/lib,$(addsuffix .a,$(ARCHIVES) crypto \
                      brotlienc brotlicommon)) $(CODECS)/glibc
	@rm -rf $(CODECS)/obj
	@touch $@

.PHONY: all sources complete
.DELETE_ON_ERROR:
