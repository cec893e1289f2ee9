use rusqlite::Connection;

fn main() -> rusqlite::Result<()> {
    let db = Connection::open_in_memory()?;
    unsafe {
        db.load_extension_enable()?;
        db.load_extension("./parquet", None)?;
    }

    db.execute_batch("CREATE VIRTUAL TABLE temp.trips USING parquet('trips.parquet')")?;
    let x: String = db.query_row("SELECT count(*) || '|' || sum(id) FROM trips", [], |r| r.get(0))?;
    println!("{}", x);
    Ok(())
}
