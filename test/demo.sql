.mode column
.headers on
.nullvalue NULL
.load ./parquet
.print
.echo on

-- A file is a table.
CREATE VIRTUAL TABLE temp.trips USING parquet('test/samples/trips.parquet');
SELECT id, pickup, payment, distance, fare, tip FROM trips LIMIT 5;

SELECT payment, count(*) AS trips, round(avg(tip), 2) AS tip
FROM trips GROUP BY payment ORDER BY trips DESC;

-- Lists and structs are JSON; the leaves of a struct are columns as well.
SELECT id, route, tags FROM trips WHERE id IN (3, 4, 6);

SELECT t."route.from" AS "from", count(*) AS trips, round(sum(fare)) AS fare
FROM trips AS t WHERE t."route.to" = 'Airport'
GROUP BY 1 ORDER BY trips DESC LIMIT 3;

-- A folder with key=value names below it is one table with more columns.
CREATE VIRTUAL TABLE temp.weather USING parquet('test/samples/weather');
SELECT year, city, min(celsius) AS coldest, sum(rain) AS rainy, count(*) AS days
FROM weather GROUP BY year, city;

SELECT city, day, celsius, file_row_number
FROM weather WHERE year = 2024 AND city = 'Oslo';

-- Files that cannot match are not opened; a row is found by its number.
EXPLAIN QUERY PLAN
SELECT day FROM weather WHERE year = 2024 AND city = 'Oslo';
SELECT day, celsius, filename FROM weather
WHERE rowid = (SELECT max(rowid) FROM weather);

-- Joins with what else is in the database.
CREATE TABLE temp.payment(code TEXT PRIMARY KEY, label TEXT);
INSERT INTO payment VALUES ('card', 'by card'), ('app', 'by telephone');
SELECT label, max(distance) AS longest
FROM trips JOIN payment ON code = payment GROUP BY label;

-- Looking inside.
SELECT name, type, converted_type, num_children
FROM parquet_schema('test/samples/trips.parquet') LIMIT 8;

SELECT row_group_id AS rg, path_in_schema, encodings, compression,
       total_compressed_size AS size, stats_min_value AS min
FROM parquet_metadata('test/samples/trips.parquet') LIMIT 8;

-- The rows of any query become files: one, or a folder for each key.
SELECT parquet_copy_to('SELECT id, pickup, payment, fare FROM trips ORDER BY id',
                       'build/demo/sorted.parquet') AS rows;
SELECT parquet_copy_to('SELECT * FROM trips', 'build/demo/by_payment',
                       '{"partition_by": ["payment"], "overwrite": "replace",
                         "types": {"fare": "DECIMAL(8,2)"}}') AS rows;
SELECT path_in_schema, encodings, stats_min_value AS min, stats_max_value AS max
FROM parquet_metadata('build/demo/sorted.parquet');
CREATE VIRTUAL TABLE temp.paid USING parquet('build/demo/by_payment');
SELECT payment, count(*) AS trips, sum(fare) AS fare FROM paid GROUP BY payment;
SELECT count(*) AS findings FROM parquet_verify('build/demo/**');

.mode list
SELECT parquet_version();
