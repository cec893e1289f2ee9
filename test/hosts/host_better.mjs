import Database from 'better-sqlite3'

const db = new Database(':memory:')
db.loadExtension('./parquet')

db.exec("CREATE VIRTUAL TABLE temp.trips USING parquet('trips.parquet')")
console.log(db.prepare("SELECT count(*) || '|' || sum(id) FROM trips").pluck().get())
