# fuzz.mk - the doors of test/fuzz, built twice.
#
#   $(BUILD)/fuzz/NAME     with libFuzzer; CC has to be clang
#   $(BUILD)/replay/NAME   with replay.c, any compiler
#
# fuzz.sh and replay.sh say with which sanitizers, in a BUILD of their own.

DOORS     := page codec footer nested variant parse wkb wkt geoparquet key \
             remote server file fill copy move deletes avro log
DOOR_OBJ  := $(DOORS:%=$(BUILD)/test/fuzz/%_door.o)
DOOR_PART := $(BUILD)/test/fuzz/door.o

# More than one file: the doors to what writes.
ROWS_PART := $(patsubst %,$(BUILD)/test/fuzz/%.o,door_rows door_cells \
                 door_variant)
FILL_PART := $(patsubst %,$(BUILD)/test/fuzz/%.o,fill_read door_texts door_json)
COPY_PART := $(BUILD)/test/fuzz/copy_check.o
$(BUILD)/fuzz/fill $(BUILD)/replay/fill: $(ROWS_PART) $(FILL_PART)
$(BUILD)/fuzz/copy $(BUILD)/replay/copy: $(ROWS_PART) $(COPY_PART)

# A libcurl that answers what the input says.
FAKE_CURL := $(BUILD)/test/fuzz/fake_curl.o
$(BUILD)/fuzz/server $(BUILD)/replay/server: $(FAKE_CURL)
$(BUILD)/fuzz/server $(BUILD)/replay/server: DOOR_LIBS = \
    -Wl,--wrap=pq_curl_load,--wrap=pq_remote_pause

# These go through SQLite.
SQL_DOORS := $(foreach d,file copy move,$(BUILD)/fuzz/$(d) $(BUILD)/replay/$(d))
$(SQL_DOORS): $(TOP_OBJ)
$(SQL_DOORS): DOOR_LIBS = -lsqlite3

$(DOORS:%=$(BUILD)/fuzz/%): $(BUILD)/fuzz/%: $(BUILD)/test/fuzz/%_door.o \
        $(DOOR_PART) $(CORE_OBJ)
	@mkdir -p $(@D)
	$(CC) $(OPT) $(EXTRA) -fsanitize=fuzzer $(LDFLAGS) -o $@ \
	    $(filter %.o,$^) $(LIBS) $(DOOR_LIBS)

$(DOORS:%=$(BUILD)/replay/%): $(BUILD)/replay/%: $(BUILD)/test/fuzz/%_door.o \
        $(BUILD)/test/fuzz/replay.o $(DOOR_PART) $(CORE_OBJ)
	@mkdir -p $(@D)
	$(CC) $(OPT) $(EXTRA) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIBS) \
	    $(DOOR_LIBS)

fuzz-doors: $(DOORS:%=$(BUILD)/fuzz/%)
replay-doors: $(DOORS:%=$(BUILD)/replay/%)
.PHONY: fuzz-doors replay-doors

-include $(DOOR_OBJ:.o=.d) $(DOOR_PART:.o=.d) $(ROWS_PART:.o=.d) \
    $(FILL_PART:.o=.d) $(COPY_PART:.o=.d) $(FAKE_CURL:.o=.d) $(BUILD)/test/fuzz/replay.d
