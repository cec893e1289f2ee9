# The engine as a library for C programs.  Its objects are those of the extension.
#
#   libparquet.a    one object, in which all is local but what parquet.h declares,
#                   so that no name of ours meets one of the program's
#   libparquet.so   the same, linked; its soname changes when programs have to be
#                   compiled again

LIB        := $(BUILD)/lib
LIB_SONAME := libparquet.so.0
LIB_FACE   := $(filter $(BUILD)/core/face/%,$(CORE_OBJ))
OBJCOPY    ?= objcopy

lib: $(LIB)/libparquet.a $(LIB)/$(LIB_SONAME)

# Only what the face needs of the engine is taken out of the archive.
$(LIB)/parquet.o: $(CORE_OBJ)
	@mkdir -p $(@D)
	@rm -f $(LIB)/engine.a
	$(call SAY,link)
	$(Q)$(AR) rcsT $(LIB)/engine.a $(filter-out $(LIB_FACE),$(CORE_OBJ))
	$(Q)$(LD) -r -o $@ $(LIB_FACE) $(LIB)/engine.a
	$(Q)$(OBJCOPY) --localize-hidden $@

$(LIB)/libparquet.a: $(LIB)/parquet.o
	@rm -f $@
	$(call SAY,ar)
	$(Q)$(AR) rcs $@ $<

$(LIB)/$(LIB_SONAME): $(LIB)/parquet.o
	$(call SAY,link)
	$(Q)$(CC) $(OPT) $(EXTRA) $(LDFLAGS) -shared -Wl,-soname,$(LIB_SONAME) \
	    -Wl,-z,defs -Wl,-z,now -Wl,--gc-sections -o $@ $< $(LIBS)

.PHONY: lib
