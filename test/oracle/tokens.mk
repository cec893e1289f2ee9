# tokens.mk - asks SQLite where its tokens end.

$(BUILD)/tokens: $(BUILD)/test/oracle/tokens.o $(BUILD)/sql/token.o
	$(call SAY,link)
	$(Q)$(CC) $(OPT) $(EXTRA) $(LDFLAGS) -o $@ $^ -lsqlite3

-include $(BUILD)/test/oracle/tokens.d
