.load ./parquet
SELECT count(*) || '|' || sum(row ->> 'id') FROM parquet_rows('trips.parquet');
