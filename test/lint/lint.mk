# Static analysis with one stamp per file, so that only what changed is looked
# at again.  test/lint/lint.sh runs these.

LINT      := $(BUILD)/lint
LINT_SRC  := $(CORE_SRC) $(TOP_SRC)
LINT_HEAD := $(wildcard core/*.h core/*/*.h ext/*.h ext/*/*.h \
                      sql/*.h sql/*/*.h)

lint-tidy: $(LINT_SRC:%=$(LINT)/%.tidy)
lint-cppcheck: $(LINT_SRC:%=$(LINT)/%.cppcheck)

$(LINT)/%.tidy: % $(LINT_HEAD) .clang-tidy
	@mkdir -p $(@D)
	@clang-tidy --quiet $< -- -std=c11 -I. -D_GNU_SOURCE= \
	    $(if $(filter core/base/err.c,$<),,-include test/lint/analyzer.h) \
	    2>$@.log || { cat $@.log; exit 1; }
	@touch $@

# An unknown macro or a missing library header is no finding.
$(LINT)/%.cppcheck: % $(LINT_HEAD) test/lint/cppcheck.txt
	@mkdir -p $(@D)
	@cppcheck --quiet --std=c11 --language=c -I. '-Dassert(x)=' --error-exitcode=1 \
	    --enable=warning,portability --inline-suppr \
	    --suppressions-list=test/lint/cppcheck.txt $<
	@touch $@

.PHONY: lint-tidy lint-cppcheck
