# dist.mk - parquet.so as one file that needs libc and libm only.
#
#   make dist          of this machine: build/dist/linux-x64/parquet.so, and the
#                      program parquet beside it (cli/cli.mk)
#   make dist-arm64    for arm64, cross-built, and tried under qemu
#   make npm           what of these is there, as packages for npm
#   make wheels        likewise, as packages for Python
#
# The objects are those of make.  The distribution's static archives take the
# place of its shared libraries; the symbols of all of them are hidden, so that
# a host may hold other versions of the same libraries, and the sections that
# nothing uses are left out.  Which glibc it then needs is what the archives
# ask for: needs.sh prints it.

MACHINE  := $(shell $(CC) -dumpmachine 2>/dev/null)
PLATFORM := linux-$(patsubst aarch64,arm64,$(patsubst x86_64,x64,$(firstword \
              $(subst -, ,$(MACHINE)))))
DIST     := $(BUILD)/dist/$(PLATFORM)
DIST_OBJ := $(BUILD)/dist/throw.o

# Snappy is C++.
CXX_RUNTIME ?= -lstdc++
# brotlidec and brotlienc share what is in brotlicommon.
DIST_LIBS = -Wl,-Bstatic $(filter-out -lpthread -ldl -lm,$(LIBS)) \
            $(if $(filter brotli,$(BUILT)),-lbrotlicommon) $(CXX_RUNTIME) \
            -Wl,-Bdynamic -static-libgcc -lpthread -ldl -lm \
            $(shell sed -n 's/^ENDS(\(.*\))$$/-Wl,--wrap=\1/p' dist/throw.c)

$(DIST)/parquet.so: $(CORE_OBJ) $(TOP_OBJ) $(DIST_OBJ) ext/exports.map dist/dist.mk
	@mkdir -p $(@D)
	$(call SAY,link)
	$(Q)$(CC) $(OPT) $(EXTRA) $(LDFLAGS) $(SO_LINK) -Wl,--gc-sections \
	    -Wl,--exclude-libs,ALL -Wl,--as-needed -Wl,--build-id=none -s -o $@ \
	    $(CORE_OBJ) $(TOP_OBJ) $(DIST_OBJ) $(DIST_LIBS)

one-file: $(DIST)/parquet.so
	@bash dist/needs.sh $<

dist:
	@bash test/setup.sh build dist cli
	@$(MAKE) --no-print-directory $(PARALLEL) one-file cli-program

# The other machine's archives and programs are in a folder: arm64_root.sh.
ARM64    := $(BUILD)/dist/linux-arm64
ARM64_CC := aarch64-linux-gnu-gcc --sysroot=$(CURDIR)/$(ARM64)/root

dist-arm64:
	@bash test/setup.sh build dist dist-arm64
	@bash dist/arm64_root.sh $(ARM64)/root
	@$(MAKE) --no-print-directory $(PARALLEL) CC="$(ARM64_CC)" \
	    BUILD=$(BUILD)/arm64 DIST=$(ARM64) one-file
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@bash test/dist/arm64.sh $(ARM64) "$(ARM64_CC)"

npm: dist
	@bash test/setup.sh npm
	@bash dist/pack.sh

wheels: dist
	@/usr/bin/python3 dist/wheels.py

include dist/macos.mk
.PHONY: dist dist-arm64 one-file npm wheels
-include $(DIST_OBJ:.o=.d)
