<?php
$db = new SQLite3(':memory:');
$db->loadExtension('parquet.so');   // from the folder sqlite3.extension_dir

$db->exec("CREATE VIRTUAL TABLE temp.trips USING parquet('trips.parquet')");
echo $db->querySingle("SELECT count(*) || '|' || sum(id) FROM trips"), "\n";
