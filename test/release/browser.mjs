/*
** browser.mjs - make release-wasm-check: examples/browser/ in Chromium without a window.
**
**   node test/release/browser.mjs build/release/wasm        leaves pictures there
**
** The page gets a file by choice and by URL, and a worker keeps a database in OPFS.  The
** server counts what it sends, so a query that reads too much is a failure.
*/
import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import test, { after } from 'node:test';
import { pathToFileURL } from 'node:url';

const root = resolve('.'), built = process.argv[2] ?? 'build/release/wasm';
const SAMPLE = 'test/samples/trips.parquet';
const LARGE = `${built}/large.parquet`;
const TYPES = { html: 'text/html', mjs: 'text/javascript', css: 'text/css', wasm: 'application/wasm' };
let sent = 0;

/* A file of megabytes, of which a query needs little. */
const { default: sqlite3InitModule } = await import(pathToFileURL(resolve(built, 'sqlite3.mjs')));
const sqlite3 = await sqlite3InitModule();
new sqlite3.oo1.DB().selectValue("SELECT parquet_copy_to('WITH n(id) AS (SELECT 1 UNION ALL "
  + "SELECT id + 1 FROM n LIMIT 400000) SELECT id, random() AS r, random() AS s FROM n', "
  + "'/large.parquet', '{\"row_group_rows\": 40000}')");
writeFileSync(LARGE, sqlite3.parquet.read('/large.parquet'));

const server = createServer((request, response) => {
  const path = join(root, new URL(request.url, 'http://host').pathname);

  try {
    const bytes = readFileSync(statSync(path).isDirectory() ? join(path, 'index.html') : path);
    const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
    const begin = from ? Number(from) : to ? Math.max(0, bytes.length - to) : 0;
    const part = bytes.subarray(begin, from && to ? Number(to) + 1 : undefined);

    response.writeHead(from || to ? 206 : 200, {
      'content-type': TYPES[path.split('.').at(-1)] ?? 'text/html',
      'content-length': part.length, etag: `"${bytes.length}"`, 'accept-ranges': 'bytes',
      'content-range': `bytes ${begin}-${begin + part.length - 1}/${bytes.length}`,
    });
    sent += path.endsWith('.parquet') && request.method === 'GET' ? part.length : 0;
    response.end(request.method === 'HEAD' ? undefined : part);
  } catch {
    response.writeHead(404).end();
  }
}).listen(0, '127.0.0.1');
await new Promise((listening) => { server.on('listening', listening); });
const here = `http://127.0.0.1:${server.address().port}`;

/* ---- Chromium, by its pipe ------------------------------------------------------------ */

const profile = mkdtempSync(join(tmpdir(), 'parquet-browser-'));
const chromium = spawn('chromium', ['--headless=new', '--no-sandbox', '--disable-gpu',
  '--remote-debugging-pipe', `--user-data-dir=${profile}`, '--window-size=1100,1500'],
  { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
const waiting = new Map(), said = [];
let serial = 0, rest = '';

chromium.stdio[4].setEncoding('utf8').on('data', (data) => {
  const messages = (rest + data).split('\0');
  rest = messages.pop();
  for (const m of messages.map((text) => JSON.parse(text))) {
    if (m.id) {
      waiting.get(m.id)(m);
    } else if (m.method === 'Runtime.exceptionThrown') {
      said.push(m.params.exceptionDetails.exception?.description);
    }
  }
});
after(async () => {
  await tell('Browser.close').catch(() => {});
  await new Promise((gone) => { chromium.on('exit', gone); });
  server.close();
  server.closeAllConnections();
  rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
});

async function tell(method, params = {}, sessionId = undefined) {
  const id = ++serial;
  const answer = new Promise((resolveIt) => { waiting.set(id, resolveIt); });
  chromium.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
  const { result, error } = await answer;
  assert.ok(!error, `${method}: ${error?.message}`);
  return result;
}

const { targetId } = await tell('Target.createTarget', { url: 'about:blank' });
const { sessionId: page } = await tell('Target.attachToTarget', { targetId, flatten: true });
await tell('Runtime.enable', {}, page);
await tell('Page.enable', {}, page);

async function evaluate(expression) {
  const { result, exceptionDetails } = await tell('Runtime.evaluate',
    { expression, awaitPromise: true, returnByValue: true }, page);
  assert.ok(!exceptionDetails, exceptionDetails?.exception?.description ?? said.join('\n'));
  return result.value;
}

async function until(expression) {
  for (let i = 0; i < 600; i++) {
    if (await evaluate(expression)) {
      return;
    }
    await new Promise((later) => { setTimeout(later, 100); });
  }
  assert.fail(`${expression} did not come: ${said.join('\n')} ${
    await evaluate("document.querySelector('#trouble')?.textContent")}`);
}

async function picture(name) {
  const { data } = await tell('Page.captureScreenshot', { captureBeyondViewport: true }, page);
  writeFileSync(join(built, name), Buffer.from(data, 'base64'));
}

const shown = (id) => evaluate(`document.getElementById('${id}').innerText`);
const done = (n) => until(`document.body.dataset.done >= ${n}`);

/* ---- the page ------------------------------------------------------------------------- */

await tell('Page.navigate', { url: `${here}/examples/browser/?module=/${built}/` }, page);
await until("document.body?.dataset.ready === 'yes'");

test('a chosen file is described, asked and drawn', async () => {
  const { root: { nodeId } } = await tell('DOM.getDocument', {}, page);
  const input = await tell('DOM.querySelector', { nodeId, selector: '#file' }, page);

  await tell('DOM.setFileInputFiles', { nodeId: input.nodeId, files: [resolve(SAMPLE)] }, page);
  await done(1);
  assert.match(await shown('facts'), /^4,096 rows/);
  assert.match(await shown('chart'), /card/);
  await evaluate("document.getElementById('sql').value = 'SELECT payment, count(*) AS n, "
    + "round(avg(fare), 2) AS fare FROM trips GROUP BY 1 ORDER BY 2 DESC'; document.getElementById('run').click()");
  await done(2);
  assert.match(await shown('rows'), /card/);
  await picture('browser-file.png');
});

test('of a URL only the ranges are sent that a query needs', async () => {
  const whole = statSync(LARGE).size;

  sent = 0;
  await evaluate(`document.getElementById('url').value = '${here}/${LARGE}';`
    + "document.getElementById('by-url').requestSubmit()");
  await done(3);
  assert.match(await shown('facts'), /^400,000 rows in 10 row groups/);
  sent = 0;
  await evaluate("document.getElementById('sql').value = 'SELECT r FROM large WHERE id = 123456'; "
    + "document.getElementById('run').click()");
  await done(4);
  assert.match(await shown('said'), /^1 rows/);
  assert.ok(sent > 0 && sent < whole / 10, `${sent} of ${whole} bytes were sent`);
});

test('an error of SQL is shown', async () => {
  await evaluate("document.getElementById('sql').value = 'SELECT nope FROM trips'; "
    + "document.getElementById('run').click()");
  await done(5);
  assert.match(await shown('trouble'), /no such column/);
  await picture('browser-error.png');
});

test('a database in OPFS is there again, without what was not committed; a copy is beside it', async () => {
  const run = (body) => evaluate(`(async () => {
    const { default: promise } = await import('/${built}/promiser.mjs');
    const worker = await promise();
    try { ${body} } finally { worker.worker.terminate(); }
  })()`);
  /* The handles of a worker that was ended are free a moment later. */
  const again = async (body) => {
    for (let i = 0; ; i++) {
      try {
        return await run(body);
      } catch (e) {
        assert.ok(i < 20, e.message);
        await new Promise((later) => { setTimeout(later, 200); });
      }
    }
  };
  await run(`await worker('open', { filename: 'file:kept.db?vfs=opfs' });
    await worker('exec', 'CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)');
    await worker('exec', "SELECT parquet_copy_to('SELECT * FROM t', '/t.parquet')");
    await worker.parquet('save', '/t.parquet', 'copies/t.parquet');
    await worker('close');`);
  await again(`await worker('open', { filename: 'file:kept.db?vfs=opfs' });
    await worker('exec', "PRAGMA cache_size = 2; BEGIN; INSERT INTO t "
      + "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000) SELECT i FROM n");`);
  assert.deepEqual(await again(`await worker('open', { filename: 'file:kept.db?vfs=opfs' });
    const path = await worker.parquet('openOpfs', 'copies/t.parquet', false);
    const { result } = await worker('exec', { returnValue: 'resultRows', sql:
      "SELECT sum(a), (SELECT integrity_check FROM pragma_integrity_check), "
      + "(SELECT group_concat(row) FROM parquet_rows('" + path + "')) FROM t" });
    return result.resultRows;`), [[3, 'ok', '{"a":1},{"a":2}']]);
});
