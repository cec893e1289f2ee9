// exceptions.mjs - where a foreign reader shows something else than we do, and
// why we are right.  Each line was checked by hand.  A line that is no longer
// needed fails the test.

const day = 'its day number is -105862232: DuckDB wraps around in ' +
  'microseconds, hyparquet in 64 bits'

export const exceptions = [
  { reader: 'duckdb', file: /int96_from_spark/, column: 'a', why: day },
  { reader: 'hyparquet', file: /int96_from_spark/, column: 'a', why: day },
  { reader: 'duckdb', file: /hyparquet_types/, column: 'time_nanos',
    why: 'DuckDB cuts a TIME with UTC to microseconds' },
  { reader: 'duckdb', file: /hyparquet_types/, column: 'timestamp_nanos',
    why: 'DuckDB cuts a TIMESTAMP with UTC to microseconds' },
  { reader: 'hyparquet', file: /duckdb_types_v2/, column: 'uinteger',
    why: 'hyparquet stops at 2147483647 in DELTA_BINARY_PACKED' },
  { reader: 'hyparquet', file: /map_no_value/, column: '*',
    why: 'hyparquet shows a map without values as a struct' },
  { reader: 'hyparquet', file: /old_list_structure/, column: 'a',
    why: 'hyparquet takes a repeated group named array for the list itself; ' +
      'the format says it is the element' },
  { reader: 'hyparquet', file: /repeated_primitive_no_list/, column: '*',
    why: 'hyparquet shows a bare repeated field without values as null' }
]

// Files that need an option.  Their checksums are wrong on purpose, and their
// values are right.
export const options = name =>
  /corrupt-checksum/.test(name) ? ', checksum=off' : ''

// Files that we refuse, and what the error has to say.
export const refused = [
  { file: /large_string_map\.brotli/, says: /memory/ }
]

// What parquet_verify rightly finds in files that are read right.
export const findings = [
  { writer: 'duckdb', what: /^encodings$/, when: x => x.found === null,
    why: 'DuckDB lists no encodings of TIMETZ and INTERVAL' },
  { writer: 'duckdb', what: /^(min_value|max_value|distinct_count)$/,
    when: () => true,
    why: 'DuckDB gives an ENUM the statistics and the dictionary of all its ' +
      'names, whether they occur or not' },
  { writer: 'duckdb', what: /^null_count$/,
    when: x => /\.(key_value|list)\./.test(x.column),
    why: 'DuckDB counts a struct that is null within a list or map twice' }
]
