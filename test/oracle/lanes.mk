# lanes.mk - the extension, with rollups that threads add up however few rows there
# are (ext/rollup/rollup_lanes.c).  The oracle's files are too small otherwise.

LANES_SO  := $(BUILD)/lanes/parquet.so
LANES_OBJ := $(BUILD)/lanes/rollup_lanes.o
LANES_NOW := -DPQEXT_LANES_FIRST_ROWS=1 -DPQEXT_LANES_UNIT_ROWS=1 \
             -DPQEXT_LANES_OFTEN=0 -DPQEXT_LANES_FEW=64 \
             -DPQEXT_LANES_MEMORY=4096

$(LANES_OBJ): $(BUILD)/lanes/%.o: ext/rollup/%.c
	@mkdir -p $(@D)
	$(call SAY,cc)
	$(Q)$(COMPILE) $(LANES_NOW) -c -o $@ $<

$(LANES_SO): $(SO) $(LANES_OBJ)
	$(call SAY,link)
	$(Q)$(CC) $(OPT) $(EXTRA) $(LDFLAGS) $(SO_LINK) -o $@ $(CORE_OBJ) \
	    $(filter-out %/rollup_lanes.o,$(TOP_OBJ)) $(LANES_OBJ) \
	    $(LIBS)

-include $(LANES_OBJ:.o=.d)
