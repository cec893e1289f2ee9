require 'sqlite3'

db = SQLite3::Database.new(':memory:')
db.enable_load_extension(true)
db.load_extension('./parquet')

db.execute("CREATE VIRTUAL TABLE temp.trips USING parquet('trips.parquet')")
puts db.get_first_value("SELECT count(*) || '|' || sum(id) FROM trips")
