/*
** wasm.mjs - make release-wasm-check: the module of WebAssembly in Node: what it reads and
** writes, that its values come whole to JavaScript, and how its errors look.
**
**   node test/release/wasm.mjs build/release/wasm
*/
import assert from 'node:assert';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';

const built = resolve(process.argv[2] ?? 'build/release/wasm');
const { default: sqlite3InitModule } = await import(pathToFileURL(`${built}/sqlite3.mjs`));
const sqlite3 = await sqlite3InitModule();
const db = new sqlite3.oo1.DB(':memory:');
const trips = await sqlite3.parquet.mount(readFileSync('test/samples/trips.parquet'),
  'trips.parquet');

db.exec({ sql: "SELECT parquet_attach('trips', ?)", bind: [trips] });

test('a file in memory is a table', () => {
  assert.equal(db.selectValue('SELECT count(*) FROM trips'), 4096);
  assert.deepEqual(
    db.selectObjects('SELECT payment, count(*) AS n FROM trips GROUP BY 1 ORDER BY 1 LIMIT 1'),
    [{ payment: 'app', n: db.selectValue("SELECT sum(payment = 'app') FROM trips") }]);
});

test('every codec writes a file that reads as it was', () => {
  for (const codec of ['zstd', 'snappy', 'gzip', 'lz4_raw', 'brotli', 'uncompressed']) {
    const path = `/copy-${codec}.parquet`;
    db.selectValue("SELECT parquet_copy_to('SELECT * FROM trips', ?, json_object('compression', ?))",
      [path, codec]);
    db.exec(`CREATE VIRTUAL TABLE temp.c USING parquet('${path}')`);
    assert.deepEqual(db.selectArrays('SELECT * FROM c'), db.selectArrays('SELECT * FROM trips'));
    db.exec('DROP TABLE c');
    assert.equal(String.fromCharCode(...sqlite3.parquet.read(path).subarray(0, 4)), 'PAR1');
  }
});

test('a second copy replaces the file of the first', () => {
  const copy = (query) => db.selectValue("SELECT parquet_copy_to(?, '/twice.parquet', "
    + "'{\"overwrite\": \"replace\"}')", query);
  const rows = () => db.selectValues("SELECT row FROM parquet_rows('/twice.parquet')");
  copy('SELECT 1 AS a');
  assert.deepEqual(rows(), ['{"a":1}']);
  copy('SELECT 2 AS a');
  assert.deepEqual(rows(), ['{"a":2}']);
});

test('values come whole to JavaScript, and go', () => {
  for (const value of [null, 0, -1, 2 ** 53 - 1, 2n ** 62n, 1.5, -0.5, '', 'ø\u0000ø',
    new Uint8Array([0, 1, 255])]) {
    assert.deepEqual(db.selectValue('SELECT ?', [value]), value);
  }
});

test('exec gives rows as sqlite-wasm does', () => {
  const columnNames = [], seen = [];

  const rows = db.exec({ sql: 'SELECT 1 AS a, 2 AS b UNION SELECT 3, 4', rowMode: 'object',
    returnValue: 'resultRows', columnNames, callback: (row) => { seen.push(row.a); } });
  assert.deepEqual(rows, [{ a: 1, b: 2 }, { a: 3, b: 4 }]);
  assert.deepEqual([columnNames, seen], [['a', 'b'], [1, 3]]);
});

test('a file that is damaged is an error with a place', async () => {
  const bytes = readFileSync('test/samples/trips.parquet');
  bytes.fill(0xff, 200, 3000);
  const path = await sqlite3.parquet.mount(bytes, 'bad.parquet');
  db.exec(`CREATE VIRTUAL TABLE temp.bad USING parquet('${path}', checksum=on)`);
  assert.throws(() => db.selectArrays('SELECT * FROM bad'), /bad\.parquet/);
  assert.throws(() => db.exec('SELEC'), sqlite3.SQLite3Error);
});

test('a transaction that throws is rolled back', () => {
  db.exec('CREATE TABLE t(a)');
  assert.throws(() => db.transaction(() => { db.exec('INSERT INTO t VALUES (1)'); throw Error('x'); }));
  assert.equal(db.selectValue('SELECT count(*) FROM t'), 0);
});

test('a limit of memory may be more than 32 bits hold', () => {
  db.exec(`CREATE VIRTUAL TABLE temp.large USING parquet('${trips}', memory='4GB')`);
  assert.equal(db.selectValue('SELECT count(DISTINCT fare) FROM large'),
    db.selectValue('SELECT count(DISTINCT fare) FROM trips'));
  db.selectValue("SELECT parquet_copy_to('SELECT * FROM large', '/large.parquet', '{\"memory\": \"8GB\"}')");
});

test('the end of a file of gigabytes is where it is', async () => {
  const bytes = readFileSync('test/samples/trips.parquet'), begin = 5 * 2 ** 30;
  class Far extends Blob {
    get size() { return begin + bytes.length; }
    slice(from, to) { return bytes.subarray(Math.max(0, from - begin), Math.max(0, to - begin)); }
  }
  globalThis.FileReaderSync = class { readAsArrayBuffer(part) { return part; } };
  const path = await sqlite3.parquet.mount(new Far(), 'far.parquet');
  delete globalThis.FileReaderSync;
  assert.equal(db.selectValue('SELECT num_rows FROM parquet_file_metadata(?)', [path]), 4096);
});

test('an encrypted file is written and read', () => {
  db.exec("SELECT parquet_key('k', randomblob(16))");
  db.exec("SELECT parquet_copy_to('SELECT 7 AS a', '/sealed.parquet', "
    + "'{\"encryption\": {\"footer_key\": \"k\"}}')");
  assert.deepEqual(db.selectValues("SELECT row FROM parquet_rows('/sealed.parquet')"), ['{"a":7}']);
});
