import sqlite3 from 'sqlite3'

const db = new sqlite3.Database(':memory:')
db.loadExtension('./parquet', error => { if (error) throw error })

db.exec("CREATE VIRTUAL TABLE temp.trips USING parquet('trips.parquet')", () =>
  db.get("SELECT count(*) || '|' || sum(id) AS x FROM trips",
    (error, row) => console.log(error ?? row.x)))
