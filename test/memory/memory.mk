# memory.mk - test/memory: what a statement holds.

$(BUILD)/statement_memory: $(BUILD)/test/memory/statement_memory.o
	$(CC) $(OPT) $(EXTRA) $(LDFLAGS) -rdynamic -o $@ $^ -lsqlite3 -ldl

-include $(BUILD)/test/memory/statement_memory.d
