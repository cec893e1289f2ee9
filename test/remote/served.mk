# served.mk - the extension with every local path led to a server: see served.c.

SERVED_SO  := $(BUILD)/served/parquet.so
SERVED_OBJ := $(BUILD)/test/remote/served.o
SERVED_CALLS := pq_listing_make pq_listing_make_part pq_access_new \
                pqsql_copy_folder_open pqsql_copy_folder_again

$(SERVED_SO): $(SO) $(SERVED_OBJ)
	@mkdir -p $(@D)
	$(call SAY,link)
	$(Q)$(CC) $(OPT) $(EXTRA) $(LDFLAGS) $(SO_LINK) -o $@ $(CORE_OBJ) $(TOP_OBJ) \
	    $(SERVED_OBJ) $(SERVED_CALLS:%=-Wl,--wrap=%) $(LIBS)

-include $(SERVED_OBJ:.o=.d)
