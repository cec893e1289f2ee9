# keys.mk - test/keys: what of a key is in the memory of a process.

$(BUILD)/key_memory: $(BUILD)/test/keys/key_memory.o
	$(CC) $(OPT) $(EXTRA) $(LDFLAGS) -o $@ $^ -lsqlite3

-include $(BUILD)/test/keys/key_memory.d
