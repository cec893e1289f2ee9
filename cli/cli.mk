# cli.mk - the program parquet: SQLite, its shell and the extension in one file.
#
#   make cli     build/dist/linux-x64/parquet; make dist makes it, too
#
# The objects of the extension are those of make, and the codecs are linked as in
# make dist.  glibc stays dynamic, because libcurl is loaded when a URL is opened.
# The shell gets a line editor where libedit is found; readline would put the whole
# program under the GPL.

CLI        := $(BUILD)/cli
CLI_OPT    ?= -O2
CLI_OUT    ?= $(DIST)/parquet
CLI_STATIC ?= yes
SQLITE     := $(CLI)/sqlite
CLI_OBJ    := $(patsubst %.c,$(BUILD)/%.o,$(sort $(wildcard cli/*.c)))
# make check compiles SQLite with -O0, which takes a tenth of the time, and links the
# codecs as make does.
CLI_BIG    := $(CLI)/$(subst -,,$(CLI_OPT))
CLI_EDIT   := $(if $(wildcard /usr/include/editline/readline.h),yes)

SQLITE_HAS := -DSQLITE_THREADSAFE=1 -DSQLITE_USE_URI=1 -DHAVE_USLEEP=1 \
    -DSQLITE_ENABLE_FTS3 -DSQLITE_ENABLE_FTS3_PARENTHESIS -DSQLITE_ENABLE_FTS5 \
    -DSQLITE_ENABLE_RTREE -DSQLITE_ENABLE_GEOPOLY -DSQLITE_ENABLE_MATH_FUNCTIONS \
    -DSQLITE_ENABLE_DBSTAT_VTAB -DSQLITE_ENABLE_DBPAGE_VTAB -DSQLITE_ENABLE_STMTVTAB \
    -DSQLITE_ENABLE_BYTECODE_VTAB -DSQLITE_ENABLE_EXPLAIN_COMMENTS \
    -DSQLITE_ENABLE_COLUMN_METADATA -DSQLITE_ENABLE_PERCENTILE \
    $(if $(filter zlib,$(BUILT)),-DSQLITE_HAVE_ZLIB)
# The shell prepares statements and opens databases by functions of cli_session.c.
SHELL_IS   := -Dmain=sqlite_shell -Dsqlite3_prepare_v2=cli_prepare \
    -DSQLITE_SHELL_EXTFUNCS=CLI '-DCLI_INIT(db)=cli_opened(db)' \
    '-DCLI_EXPOSE(db,e)=(void)0' $(if $(CLI_EDIT),-DHAVE_EDITLINE=1)
CLI_LIBS    = $(if $(CLI_STATIC),-Wl$(,)-Bstatic) $(if $(CLI_EDIT),-ledit -lbsd -lmd -ltinfo) \
              $(if $(CLI_STATIC),$(DIST_OBJ) $(DIST_LIBS),$(LIBS))
,          := ,

$(SQLITE)/shell.c: cli/cli_sqlite.sh
	@echo "fetch $@"
	$(Q)bash cli/cli_sqlite.sh $(@D)

$(CLI_OBJ): COMPILE += -I$(SQLITE)
$(CLI_OBJ): | $(SQLITE)/shell.c

$(CLI_BIG)/sqlite3.o: $(SQLITE)/shell.c
	@mkdir -p $(@D)
	$(call SAY,cc)
	$(Q)printf '%s\n' '#include "sqlite3.c"' \
	    'const sqlite3_api_routines *cli_sqlite_api(void) { return &sqlite3Apis; }' | \
	    $(CC) $(CLI_OPT) -g $(EXTRA) -w -pthread $(SQLITE_HAS) $(CPPFLAGS) -I$(SQLITE) -x c -c -o $@ -

$(CLI_BIG)/shell.o: $(SQLITE)/shell.c cli/cli.mk
	@mkdir -p $(@D)
	$(call SAY,cc)
	$(Q)$(CC) $(CLI_OPT) -g $(EXTRA) -w -pthread $(SQLITE_HAS) $(SHELL_IS) -I$(SQLITE) $(CPPFLAGS) \
	    -c -o $@ $<

$(CLI_OUT): $(CORE_OBJ) $(TOP_OBJ) $(DIST_OBJ) $(CLI_OBJ) $(CLI_BIG)/sqlite3.o \
            $(CLI_BIG)/shell.o cli/cli.mk dist/dist.mk
	@mkdir -p $(@D)
	$(call SAY,link)
	$(Q)$(CC) $(OPT) $(EXTRA) $(LDFLAGS) -pie -Wl,-z,now -Wl,--gc-sections -Wl,--as-needed \
	    -Wl,--build-id=none -s -o $@ $(CORE_OBJ) $(TOP_OBJ) $(CLI_OBJ) \
	    $(CLI_BIG)/sqlite3.o $(CLI_BIG)/shell.o $(CLI_LIBS)

cli-program: $(CLI_OUT)
	@$(if $(CLI_STATIC),bash dist/needs.sh $<)

cli:
	@bash test/setup.sh build dist cli
	@$(MAKE) --no-print-directory $(PARALLEL) cli-program

.PHONY: cli cli-program
-include $(CLI_OBJ:.o=.d)
