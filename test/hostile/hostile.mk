# hostile.mk - test/hostile: small files with every small harm done to them.

HOSTILE_OBJ := $(BUILD)/test/hostile/hostile.o $(BUILD)/test/fuzz/file_door.o \
               $(BUILD)/test/fuzz/door.o

$(BUILD)/hostile: $(HOSTILE_OBJ) $(CORE_OBJ) $(TOP_OBJ)
	$(CC) $(OPT) $(EXTRA) $(LDFLAGS) -o $@ $^ $(LIBS) -lsqlite3

-include $(HOSTILE_OBJ:.o=.d)
