import sqlite3

db = sqlite3.connect(":memory:")
db.enable_load_extension(True)
db.load_extension("./parquet")

db.execute("SELECT parquet_attach('trips', 'trips.parquet')").fetchone()
print(db.execute("SELECT count(*) || '|' || sum(id) FROM trips").fetchone()[0])
