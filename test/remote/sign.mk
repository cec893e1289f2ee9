# sign.mk - test/remote: the program that signs for sign.py.

$(BUILD)/sign_lines: $(BUILD)/test/remote/sign_lines.o $(CORE_OBJ)
	$(CC) $(OPT) $(EXTRA) $(LDFLAGS) -o $@ $^ $(LIBS)

-include $(BUILD)/test/remote/sign_lines.d
