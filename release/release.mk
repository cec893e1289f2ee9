# release.mk - what a release has, for each target of targets.mk.
#
#   make release              all of them, and build/release/packages: package.py
#   make release-linux-x64    build/release/linux-x64/parquet.so and the program parquet
#   make release-check        all of them, and tries those that run here
#
# The objects are those of make, compiled by the target's compiler, and linked as in
# make dist; but with the libraries of codecs.mk, which are built once for all
# worktrees that share RELEASE_CACHE.

include release/targets.mk

release: $(addprefix release-,$(TARGETS) wasm)
	@bash test/setup.sh npm
	@/usr/bin/python3 release/package.py $(BUILD)/release $(RELEASE_CACHE)/sources

$(addprefix release-,$(TARGETS)): release-%:
	@bash test/setup.sh build release cli $(filter macos,$(firstword $(subst -, ,$*)))
	@mkdir -p $(RELEASE_CACHE)
	@flock $(RELEASE_CACHE)/lock $(MAKE) -s --no-print-directory $(BUILD)/cli/sqlite/shell.c
	@flock $(RELEASE_CACHE)/lock $(MAKE) -s --no-print-directory $(PARALLEL) \
	    -f release/codecs.mk TARGET=$*
	@$(MAKE) --no-print-directory $(PARALLEL) TARGET=$* one-file-of-release

# What make does with the target's compiler and libraries, and more for the linker.
# Every target has 64 bits, where SQLite without LFS is the same, but for fcntl64, which
# an old glibc does not have.  No target has a static libedit.  Without -fPIC the program
# would have a copy of stdout, whose size old_glibc.sh does not know.
make_release = $(MAKE) --no-print-directory CC="$(call of_target,CC)" DEFLATE=yes \
    BUILD=$(OBJECTS_OF_RELEASE) DIST=$(BUILD)/release/$(TARGET) CXX_RUNTIME= \
    SQLITE=$(BUILD)/cli/sqlite CLI_EDIT= EXTRA="-DSQLITE_DISABLE_LFS -fPIC" \
    CPPFLAGS="-I$(CODECS)/include $(call of_target,CPPFLAGS)" \
    LDFLAGS="-L$(CODECS)/lib $(1)"
# Other libraries, other headers: the objects are compiled again.
OBJECTS_OF_RELEASE = $(BUILD)/release/objects/$(notdir $(CODECS))

one-file-of-release:
	@$(if $(filter windows-%,$(TARGET)),$(MAKE) --no-print-directory WINDOWS_CODECS=$(CODECS) \
	    DEFLATE=yes $(BUILD)/release/$(TARGET)/$(call of_target,FILE),$(call \
	    make_release,-L$(CODECS)/glibc) $(or $(addprefix \
	    $(BUILD)/release/$(TARGET)/,$(call of_target,FILE)),one-file cli-program))

release-check: release
	@bash test/setup.sh build check
	@bash test/release/wasm.sh $(BUILD)/release/wasm
	@for target in $(TARGETS); do $(MAKE) --no-print-directory TARGET=$$target \
	    check-of-release || exit; done
	@bash test/release/packages.sh $(BUILD)/release/packages $(RELEASE_CACHE)/tools

check-of-release:
	@$(if $(call of_target,GLIBC),$(call \
	    make_release,-Wl$(,)--gc-sections) $(OBJECTS_OF_RELEASE)/unit_tests)
	@CODECS=$(CODECS) FILE=$(call of_target,FILE) \
	    COMPILER="$(call of_target,CC)" GLIBC=$(call of_target,GLIBC) \
	    RELEASE_CACHE=$(abspath $(RELEASE_CACHE)) \
	    UNIT_TESTS=$(OBJECTS_OF_RELEASE)/unit_tests \
	    bash test/release/release.sh $(TARGET)

.PHONY: release release-check one-file-of-release check-of-release \
        $(addprefix release-,$(TARGETS))
