import { DatabaseSync } from 'node:sqlite'

const db = new DatabaseSync(':memory:', { allowExtension: true })
db.loadExtension('./parquet')

db.exec("CREATE VIRTUAL TABLE temp.trips USING parquet('trips.parquet')")
console.log(db.prepare("SELECT count(*) || '|' || sum(id) AS x FROM trips").get().x)
