# wasm.mk - SQLite, the extension and the codecs as one module of WebAssembly.
#
#   make release-wasm         build/release/wasm/: parquet.wasm, and the modules around it
#   make release-wasm-check   tries them in Node, and in Chromium
#
# SQLite is that of make cli, with the options of the official sqlite-wasm as far as they
# make sense here.  The extension is the one file of make amalgamation.  There are no
# threads, so a page needs no headers to load it.

WASM        := $(BUILD)/release/wasm
WASM_OBJ     = $(BUILD)/release/objects/$(notdir $(CODECS))
WASM_OPT    ?= -O2
WASM_HAS    := -DSQLITE_THREADSAFE=0 -DSQLITE_TEMP_STORE=2 -DSQLITE_USE_URI=1 \
    '-DSQLITE_DEFAULT_UNIX_VFS="unix-none"' -DSQLITE_OMIT_LOAD_EXTENSION \
    -DSQLITE_OMIT_SHARED_CACHE -DSQLITE_ENABLE_FTS5 -DSQLITE_ENABLE_RTREE \
    -DSQLITE_ENABLE_STMTVTAB -DSQLITE_ENABLE_DBPAGE_VTAB -DSQLITE_ENABLE_DBSTAT_VTAB \
    -DSQLITE_ENABLE_BYTECODE_VTAB -DSQLITE_ENABLE_MATH_FUNCTIONS \
    -DSQLITE_ENABLE_COLUMN_METADATA -DSQLITE_ENABLE_OFFSET_SQL_FUNC
WASM_COMPILE = emcc -std=gnu11 $(WASM_OPT) -w -D_GNU_SOURCE -DSQLITE_CORE -DPARQUET_LIBDEFLATE \
    $(patsubst %,-DPARQUET_NO_%,$(foreach part,$(WITHOUT),$(call UPPER,$(part)))) \
    -I. -I$(SQLITE) -I$(AMALGAM) -I$(CODECS)/include
WASM_LIBS    = $(filter-out $(foreach part,$(WITHOUT),-l$(part)),-lzstd -lsnappy -ldeflate \
    -lz -llz4 -lbrotlidec -lxxhash -lcrypto)
WASM_CALLS  := malloc free wasm_bind_text wasm_bind_blob $(addprefix sqlite3_,libversion \
    open_v2 close_v2 errmsg extended_result_codes prepare_v2 step reset finalize \
    clear_bindings bind_parameter_count bind_parameter_index bind_null bind_int64 \
    bind_double column_count column_name column_type column_int64 column_double \
    column_text column_blob column_bytes changes total_changes get_autocommit)
COMMA       := ,
EMPTY       :=
list         = $(subst $(EMPTY) $(EMPTY),$(COMMA),$(strip $(1)))
WASM_LINK   := --no-entry -sMODULARIZE -sEXPORT_ES6 -sUSE_ES6_IMPORT_META \
    -sENVIRONMENT=web,worker -sWASM_BIGINT -sALLOW_MEMORY_GROWTH \
    -sMAXIMUM_MEMORY=4GB -sTOTAL_STACK=1MB -sFORCE_FILESYSTEM -sALLOW_UNIMPLEMENTED_SYSCALLS \
    -sSUPPORT_LONGJMP=emscripten \
    -sEXPORTED_FUNCTIONS=$(call list,$(addprefix _,$(WASM_CALLS))) \
    -sEXPORTED_RUNTIME_METHODS=FS,UTF8ToString \
    --js-library dist/wasm/library.js
WASM_FILES  := sqlite3.mjs files.mjs worker.mjs promiser.mjs

release-wasm:
	@bash test/setup.sh build release cli wasm
	@mkdir -p $(RELEASE_CACHE)
	@flock $(RELEASE_CACHE)/lock $(MAKE) -s --no-print-directory $(PARALLEL) \
	    -f release/codecs.mk TARGET=wasm
	@$(MAKE) --no-print-directory $(PARALLEL) TARGET=wasm module-of-wasm

release-wasm-check: release-wasm
	@bash test/release/wasm.sh $(WASM)

ifeq ($(TARGET),wasm)
module-of-wasm: $(WASM)/parquet.mjs $(addprefix $(WASM)/,$(WASM_FILES))

$(WASM_OBJ)/parquet.o: $(AMALGAM)/parquet.c $(SQLITE)/shell.c release/wasm.mk
	@mkdir -p $(@D)
	$(call SAY,emcc)
	$(Q)$(WASM_COMPILE) -c -o $@ $<

$(WASM_OBJ)/wasm_module.o: dist/wasm/wasm_module.c $(AMALGAM)/parquet.c $(SQLITE)/shell.c
	@mkdir -p $(@D)
	$(call SAY,emcc)
	$(Q)$(WASM_COMPILE) -c -o $@ $<

$(WASM_OBJ)/sqlite3.o: $(SQLITE)/shell.c release/wasm.mk
	@mkdir -p $(@D)
	$(call SAY,emcc)
	$(Q)emcc $(WASM_OPT) -w -D_GNU_SOURCE $(WASM_HAS) -c -o $@ $(SQLITE)/sqlite3.c

$(WASM)/parquet.mjs: $(WASM_OBJ)/parquet.o $(WASM_OBJ)/wasm_module.o $(WASM_OBJ)/sqlite3.o \
                     dist/wasm/library.js release/wasm.mk
	@mkdir -p $(@D)
	$(call SAY,link)
	$(Q)NODE_PATH=/usr/share/nodejs emcc $(WASM_OPT) $(WASM_LINK) -o $@ $(filter %.o,$^) -L$(CODECS)/lib $(WASM_LIBS)

$(WASM)/%.mjs: dist/wasm/%.mjs
	@mkdir -p $(@D)
	@cp $< $@
endif

.PHONY: release-wasm release-wasm-check module-of-wasm
