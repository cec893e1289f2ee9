# fault.mk - test/fault: everything that can fail fails once.

FAULT_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(sort $(wildcard test/fault/*.c)))

$(BUILD)/fault_tests: $(FAULT_OBJ) $(CORE_OBJ) $(TOP_OBJ)
	$(CC) $(OPT) $(EXTRA) $(LDFLAGS) -o $@ $^ $(LIBS) -lsqlite3 -lutil

-include $(FAULT_OBJ:.o=.d)

# Copies that are killed, and that fill the disk: test/fault/kill.
$(BUILD)/kill_driver: $(BUILD)/test/fault/kill/kill_driver.o $(CORE_OBJ)
	$(CC) $(OPT) $(EXTRA) $(LDFLAGS) -o $@ $^ $(LIBS)

-include $(BUILD)/test/fault/kill/kill_driver.d
