library(DBI)

db <- dbConnect(RSQLite::SQLite(), ":memory:", loadable.extensions = TRUE)
invisible(dbGetQuery(db, "SELECT load_extension('./parquet')"))

invisible(dbExecute(db, "CREATE VIRTUAL TABLE temp.trips USING parquet('trips.parquet')"))
cat(dbGetQuery(db, "SELECT count(*) || '|' || sum(id) AS x FROM trips")$x, "\n", sep = "")
dbDisconnect(db)
