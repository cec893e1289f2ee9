package main

import (
	"database/sql"
	"fmt"

	"github.com/mattn/go-sqlite3"
)

func main() {
	sql.Register("parquet", &sqlite3.SQLiteDriver{Extensions: []string{"./parquet"}})
	db, err := sql.Open("parquet", ":memory:")

	if err != nil {
		panic(err)
	}
	db.SetMaxOpenConns(1) // each connection has its own :memory: and temp
	_, err = db.Exec("CREATE VIRTUAL TABLE temp.trips USING parquet('trips.parquet')")
	if err != nil {
		panic(err)
	}
	var x string
	err = db.QueryRow("SELECT count(*) || '|' || sum(id) FROM trips").Scan(&x)
	if err != nil {
		panic(err)
	}
	fmt.Println(x)
}
