/*
** app.mjs - the page: opens a file by drop, choice or URL, and shows answers of the worker.
*/
const built = new URL(new URLSearchParams(location.search).get('module') ??
  '../../build/release/wasm/', location.href);
const { default: sqlite3Worker1Promiser } = await import(new URL('promiser.mjs', built));

const $ = (id) => document.getElementById(id);
const worker = await sqlite3Worker1Promiser();
const ROWS_SHOWN = 500, BARS = 12;

await worker('open', { filename: ':memory:' });

const quoted = (name) => `"${name.replaceAll('"', '""')}"`;

async function ask(sql, bind, rowMode = 'object') {
  const { result } = await worker('exec', { sql, bind, rowMode, returnValue: 'resultRows' });
  return { rows: result.resultRows, names: result.columnNames };
}

/* ---- what is shown ------------------------------------------------------------------ */

function element(tag, text, className) {
  const made = document.createElement(tag);
  made.textContent = text ?? '';
  made.className = className ?? '';
  return made;
}

function cell(value) {
  if (value === null) {
    return element('td', 'NULL', 'null');
  }
  if (value instanceof Uint8Array) {
    return element('td', `${value.length} bytes`, 'null');
  }
  return element('td', String(value), typeof value === 'string' ? '' : 'number');
}

function grid(into, names, rows) {
  const table = document.createElement('table'), head = table.createTHead().insertRow();

  names.forEach((name, i) => head.append(
    element('th', name, typeof rows[0]?.[i] === 'number' ? 'number' : '')));
  const body = table.createTBody();
  for (const row of rows.slice(0, ROWS_SHOWN)) {
    body.insertRow().append(...row.map(cell));
  }
  into.replaceChildren(table);
}

const sum = (leaves) => leaves.reduce((n, leaf) => n + leaf[2], 0);
const size = (n) => (n < 1e3 ? `${n} bytes` : n < 1e6 ? `${(n / 1e3).toFixed(1)} kB`
  : n < 1e9 ? `${(n / 1e6).toFixed(1)} MB` : `${(n / 1e9).toFixed(2)} GB`);
const count = (n) => Number(n).toLocaleString('en');

/* Runs work, and shows what went wrong. */
async function attempt(work) {
  $('trouble').hidden = true;
  $('run').disabled = true;
  try {
    return await work();
  } catch (e) {
    $('trouble').textContent = e.result?.message ?? e.message;
    $('trouble').hidden = false;
    return undefined;
  } finally {
    $('run').disabled = false;
    document.body.dataset.done = Number(document.body.dataset.done ?? 0) + 1;
  }
}

/* ---- a file ------------------------------------------------------------------------- */

let table;

async function open(path, label, bytes) {
  table = label.replace(/^.*\//, '').replace(/\.parquet$/, '') || 'file';
  await ask(`DROP TABLE IF EXISTS temp.${quoted(table)}`);
  await ask(`CREATE VIRTUAL TABLE temp.${quoted(table)} USING parquet(${
    `'${path.replaceAll("'", "''")}'`})`);
  const { rows: [about] } = await ask('SELECT num_rows, num_row_groups, created_by, '
    + 'file_size_bytes FROM parquet_file_metadata(?)', [path]);
  const { rows: columns } = await ask('SELECT name, type FROM pragma_table_info(?)', [table], 'array');
  const { rows: leaves } = await ask('SELECT path_in_schema, sum(stats_null_count), '
    + 'sum(total_compressed_size), min(compression), group_concat(DISTINCT encodings) '
    + 'FROM parquet_metadata(?) GROUP BY column_id', [path], 'array');

  $('name').textContent = label;
  $('facts').textContent = `${count(about.num_rows)} rows in ${about.num_row_groups} row groups, ${
    size(bytes ?? about.file_size_bytes)}, written by ${about.created_by ?? 'an unnamed program'}`;
  const ofColumn = (name) => leaves.find(([leaf]) => leaf === name)?.slice(1) ??
    ['', sum(leaves.filter(([leaf]) => leaf.startsWith(`${name}, `) || leaf.startsWith(`${name}.`))),
      '', ''];
  grid($('columns'), ['column', 'type', 'nulls', 'bytes', 'codec', 'encodings'],
    columns.map(([name, type]) => [name, type, ...ofColumn(name)]));
  const names = columns.filter(([, type]) => !/^(LIST|STRUCT|MAP)/.test(type)).map(([name]) => name);
  const numbers = columns.filter(([, type]) => /INT|DOUBLE|REAL|FLOAT/.test(type)).map(([name]) => name);
  const texts = columns.filter(([, type]) => type === 'TEXT').map(([name]) => name);
  choices($('by'), [...new Set([...texts, ...names])]);
  choices($('measure'), ['count(*)', ...numbers.map((n) => `sum(${quoted(n)})`)]);
  $('sql').value = `SELECT * FROM ${quoted(table)} LIMIT 100`;
  ['about', 'ask', 'groups'].forEach((id) => { $(id).hidden = false; });
  await run();
  await chart(path);
}

let opened;

async function take(file) {
  await attempt(async () => {
    opened = await worker.parquet('mount', file);
    await open(opened, file.name, file.size);
  });
}

/* ---- queries ------------------------------------------------------------------------ */

async function run() {
  const began = performance.now();
  const { rows, names } = await ask($('sql').value, undefined, 'array');
  const { rows: [scan] } = await ask('SELECT bytes_read FROM parquet_scan_stats() LIMIT 1');

  grid($('rows'), names, rows);
  $('said').textContent = `${count(rows.length)} rows in ${
    Math.round(performance.now() - began)} ms${scan ? `, ${size(scan.bytes_read)} read` : ''}`;
}

function choices(select, values) {
  select.replaceChildren(...values.map((value) => new Option(value, value)));
}

async function chart(path = opened) {
  const by = $('by').value, measure = $('measure').value;

  await ask('DROP TABLE IF EXISTS temp."rollup of the page"');
  await ask(`CREATE VIRTUAL TABLE temp."rollup of the page" USING parquet(${
    `'${path.replaceAll("'", "''")}'`}, rollup='${
    `${quoted(by)} AS k, ${measure} AS v`.replaceAll("'", "''")}')`);
  const { rows } = await ask('SELECT k, sum(v) FROM temp."rollup of the page" GROUP BY k '
    + `ORDER BY 2 DESC LIMIT ${BARS}`, undefined, 'array');
  const most = Math.max(...rows.map((row) => Math.abs(row[1])), 1e-300);

  $('chart').replaceChildren(...rows.flatMap(([key, value]) => {
    const bar = document.createElement('b');
    bar.style.width = `${Math.abs(value) / most * 100}%`;
    return [element('span', key ?? 'NULL'), bar,
      element('span', Number(value).toLocaleString('en', { maximumFractionDigits: 2 }))];
  }));
}

async function save() {
  const path = '/result.parquet';

  await ask('SELECT parquet_copy_to(?, ?, \'{"overwrite": "replace"}\')',
    [$('sql').value.replace(/;\s*$/, ''), path]);
  const bytes = await worker.parquet('read', path);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([bytes]));
  link.download = `${table}-result.parquet`;
  link.click();
  $('said').textContent = `${link.download}, ${size(bytes.length)}`;
}

/* ---- what people do ----------------------------------------------------------------- */

$('file').onchange = () => [...$('file').files].forEach(take);
$('drop').onkeydown = (e) => e.key === 'Enter' && $('file').click();
for (const event of ['dragover', 'dragleave', 'drop']) {
  addEventListener(event, (e) => {
    e.preventDefault();
    $('drop').classList.toggle('over', event === 'dragover');
  });
}
addEventListener('drop', (e) => [...e.dataTransfer.files].forEach(take));
$('by-url').onsubmit = (e) => {
  e.preventDefault();
  attempt(async () => {
    opened = $('url').value;
    await open(opened, new URL(opened).pathname);
  });
};
$('run').onclick = () => attempt(run);
$('save').onclick = () => attempt(save);
$('sql').onkeydown = (e) => e.key === 'Enter' && (e.ctrlKey || e.metaKey) && attempt(run);
$('by').onchange = $('measure').onchange = () => attempt(chart.bind(null, undefined));
document.body.dataset.ready = 'yes';
