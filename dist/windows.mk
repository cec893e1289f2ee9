# windows.mk - the extension for Windows x64, by mingw-w64 with threads of POSIX.
#
#   make release-windows-x64    build/release/windows-x64/parquet.dll
#   make windows-compiles       every file compiles: test/windows/compiles.sh, in make check-all
#   make windows-door           tries core/base/system.h under wine
#   make windows-unit           the unit tests under wine, of which some fail yet
#   make windows-tcl            the Tcl tests under wine, with the file of make release
#
# The Makefile of a release says in WINDOWS_CODECS which folder has include/ and lib/ of
# the libraries.  What the file needs is a part of every Windows.

WINDOWS_CC    ?= x86_64-w64-mingw32-gcc-posix
WINDOWS_FLAGS  = -std=c11 -O2 -fvisibility=hidden -D__USE_MINGW_ANSI_STDIO=1 \
                 -D_FILE_OFFSET_BITS=64 -D_POSIX_C_SOURCE=200809L -I. \
                 -ffunction-sections -fdata-sections \
                 $(addprefix -I,$(WINDOWS_CODECS:%=%/include)) -include core/base/system.h -MMD -MP
WINDOWS_OBJ   := $(CORE_SRC:%.c=$(BUILD)/windows/%.o) $(TOP_SRC:%.c=$(BUILD)/windows/%.o)
WINDOWS_LIBS   = $(filter-out -lpthread -ldl,$(LIBS)) -lbrotlicommon -lws2_32 -lcrypt32 \
                 -ladvapi32 -luser32 -Wl,-Bstatic -lpthread
WINDOWS_DLL   := $(BUILD)/release/windows-x64/parquet.dll

$(BUILD)/windows/%.o: %.c
	@mkdir -p $(@D)
	$(call SAY,wincc)
	$(Q)$(WINDOWS_CC) $(WINDOWS_FLAGS) -c -o $@ $<

$(WINDOWS_DLL): $(WINDOWS_OBJ) ext/exports.map
	@mkdir -p $(@D)
	$(call SAY,link)
	$(Q)$(WINDOWS_CC) -shared -static-libgcc -s -Wl,--gc-sections \
	    -Wl,--version-script=ext/exports.map -o $@ $(WINDOWS_OBJ) \
	    -L$(WINDOWS_CODECS)/lib $(WINDOWS_LIBS)

$(BUILD)/windows/door_test.exe: $(BUILD)/windows/test/windows/door_test.o \
                                $(BUILD)/windows/core/base/system_windows.o \
                                $(BUILD)/windows/core/base/system_windows_process.o
	$(Q)$(WINDOWS_CC) -static -o $@ $^ -lws2_32 -ladvapi32 -lpthread

# All but those of not_tested.txt, which wants what mingw-w64 does not have.
WINDOWS_NO    := $(shell sed 's/ .*//; /^\#/d' test/windows/not_tested.txt)
WINDOWS_UNIT  := $(addprefix $(BUILD)/windows/,$(addprefix test/,$(patsubst test/%.c,%.o, \
                   $(filter-out $(WINDOWS_NO:%=test/unit/%.c),$(UNIT_SRC)) test/windows/unit.c)))
$(WINDOWS_UNIT): WINDOWS_FLAGS += -O0 -Itest/windows -include test/windows/unit.h

$(BUILD)/windows/unit_tests.exe: $(WINDOWS_UNIT) $(CORE_SRC:%.c=$(BUILD)/windows/%.o) \
                                 $(UNIT_SQL:$(BUILD)/%=$(BUILD)/windows/%)
	$(call SAY,link)
	$(Q)$(WINDOWS_CC) -static -s -Wl,--gc-sections -o $@ $^ -L$(WINDOWS_CODECS)/lib $(WINDOWS_LIBS)

windows-unit: $(BUILD)/windows/unit_tests.exe
	@WINEDEBUG=-all wine $<

windows-tcl:
	@bash test/windows/tcl.sh

windows-files:
	@printf '%s\n' $(CORE_SRC) $(TOP_SRC)

windows-compiles:
	@xargs -n 10 -P $(JOBS) $(WINDOWS_CC) $(filter-out -MMD -MP,$(WINDOWS_FLAGS)) \
	    -fsyntax-only <$(WINDOWS_FILES)

windows-door: $(BUILD)/windows/door_test.exe
	@cd $(<D) && rm -rf door && WINEDEBUG=-all wine ./$(<F)

-include $(WINDOWS_OBJ:.o=.d) $(WINDOWS_UNIT:.o=.d)
.PHONY: windows-files windows-compiles windows-door windows-unit windows-tcl
