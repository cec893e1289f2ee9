# make bench: SQLite in a process of its own, and the tables and libraries to
# measure against.

bench: $(BUILD)/bench/runner $(BUILD)/bench/trivial.so

$(BUILD)/bench/runner: test/bench/runner.c
	@mkdir -p $(@D)
	$(CC) -std=c11 $(OPT) $(WARN) $(WERROR) -o $@ $< -lsqlite3

$(BUILD)/bench/trivial.so: test/bench/trivial.c test/bench/arrays.c \
    test/bench/codecs.c
	@mkdir -p $(@D)
	$(CC) -std=c11 -D_GNU_SOURCE $(OPT) $(WARN) $(WERROR) -fPIC \
	    -fvisibility=hidden -shared -o $@ $^ -lsnappy -lzstd
