package require sqlite3

sqlite3 db :memory:
db enable_load_extension 1
db eval {SELECT load_extension('./parquet')}

db eval {CREATE VIRTUAL TABLE temp.trips USING parquet('trips.parquet')}
puts [db onecolumn {SELECT count(*) || '|' || sum(id) FROM trips}]
