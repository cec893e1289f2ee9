-- Moves rows between tables and files by paths of Windows.  What it prints is the same on
-- Linux, where release.sh writes / for \.
ATTACH ':memory:' AS two;
PRAGMA trusted_schema = ON;
CREATE VIRTUAL TABLE temp.trips USING parquet('test\samples\trips.parquet');
SELECT parquet_copy_to('SELECT * FROM trips', 'build\demo\by_payment', '{"partition_by": ["payment"]}');
SELECT parquet_attach('by_payment', 'build\demo\by_payment\*\*.parquet');
SELECT payment, count(*), sum(id) FROM by_payment GROUP BY payment;
SELECT parquet_copy_to('SELECT * FROM trips', 'build\demo\by_payment',
    '{"partition_by": ["payment"], "overwrite": "partitions"}');
SELECT count(*), sum(id) FROM by_payment;
CREATE TABLE e(id INTEGER PRIMARY KEY, day TEXT, note);
INSERT INTO e SELECT value, date('2024-01-01', '+' || (value % 50) || ' days'),
    CASE WHEN value % 3 THEN 'ä' || value ELSE value END FROM generate_series(1, 2000);
SELECT parquet_export('build\demo\æ out', '{"schema": "main"}');
SELECT parquet_import('build\demo\æ out', '{"schema": "two"}');
SELECT count(*) FROM (SELECT *, typeof(note) FROM main.e EXCEPT SELECT *, typeof(note) FROM two.e);
SELECT json_extract(parquet_archive('e', 'day < ''2024-01-20''', 'build\demo\cold'), '$.rows');
SELECT (SELECT count(*) FROM e), count(*), sum(id) FROM e_all;
SELECT parquet_restore('e', 'day < ''2024-01-20''');
SELECT (SELECT count(*) FROM e), count(*), sum(id) FROM e_all;
SELECT parquet_copy_to('SELECT * FROM e', 'build\demo\e.parquet');
SELECT json_extract(parquet_rewrite('build\demo\e.parquet', 'build\demo\f.parquet',
    '{"compression": "brotli"}'), '$.rows');
SELECT count(*) FROM parquet_rows('build\demo\f.parquet');
