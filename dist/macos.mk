# macos.mk - the extension for macOS, by a clang for it (release/macos).  Nobody has tried it
# on a Mac yet.
#
#   make release-macos-arm64    build/release/macos-arm64/parquet.dylib
#
# The linker has the names in macOS's own libraries, so a function that they lack is an error.

DYLIB := $(DIST)/parquet.dylib

$(DYLIB): $(CORE_OBJ) $(TOP_OBJ)
	@mkdir -p $(@D)
	$(call SAY,link)
	$(Q)$(CC) -dynamiclib -Wl,-install_name,@rpath/parquet.dylib -Wl,-dead_strip -Wl,-s -o $@ \
	    $(CORE_OBJ) $(TOP_OBJ) $(LDFLAGS) $(filter-out -lpthread -ldl -lm,$(LIBS)) \
	    -lbrotlicommon $(CXX_RUNTIME)
