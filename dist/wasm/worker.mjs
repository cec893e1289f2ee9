/*
** worker.mjs - SQLite with Parquet in a worker, which answers messages as Worker1 of
** @sqlite.org/sqlite-wasm does: open, exec, export, close, config-get; promiser.mjs sends
** them.  One more type is of this project:
**
**   {type: 'parquet', args: {call: 'mount', with: [file]}}      sqlite3.parquet.mount(file)
*/
import sqlite3InitModule from './sqlite3.mjs';

const ready = sqlite3InitModule();
const databases = new Map();
let serial = 0;

function database(id) {
  const db = databases.get(id ?? [...databases.keys()][0]);

  if (!db) {
    throw new Error('no database is open');
  }
  return db;
}

const answers = {
  'config-get': (sqlite3) => ({ version: sqlite3.version, bigIntEnabled: true, opfsEnabled: true }),

  async open(sqlite3, { filename = ':memory:' } = {}) {
    const [, name] = /^file:([^?]*)\?vfs=opfs$/.exec(filename) ?? [];
    const path = name ? await sqlite3.parquet.openOpfsDb(name) : filename;
    const dbId = `db#${++serial}`;
    databases.set(dbId, new sqlite3.oo1.DB(path));
    return { dbId, filename, persistent: Boolean(name), vfs: name ? 'opfs' : 'unix-none' };
  },

  exec(sqlite3, args, dbId) {
    const options = typeof args === 'string' ? { sql: args } : { ...args };
    const wants = options.resultRows || options.returnValue === 'resultRows';
    const columnNames = options.columnNames ?? (wants ? [] : undefined);
    const resultRows = wants ? [] : undefined;
    database(dbId).exec({ ...options, columnNames, resultRows, returnValue: 'this' });
    return { ...options, columnNames, resultRows };
  },

  export(sqlite3, args, dbId) {
    const path = `/export-${++serial}.db`;
    database(dbId).exec({ sql: 'VACUUM INTO ?', bind: [path] });
    const byteArray = sqlite3.parquet.read(path);
    sqlite3.parquet.remove(path);
    return { byteArray, mimetype: 'application/x-sqlite3' };
  },

  close(sqlite3, args, dbId) {
    const db = database(dbId);
    databases.forEach((one, id) => one === db && databases.delete(id));
    db.close();
    return { filename: db.filename };
  },

  parquet: (sqlite3, args) => sqlite3.parquet[args.call](...(args.with ?? [])),
};

/* One after the other: an answer may have to wait, and the next message must not overtake. */
let before = Promise.resolve();

onmessage = ({ data: { type, messageId, dbId, args } }) => {
  before = before.then(async () => {
    try {
      if (!Object.hasOwn(answers, type)) {
        throw new Error(`no answer to a message of type ${type}`);
      }
      const result = await answers[type](await ready, args, dbId);
      postMessage({ type, messageId, dbId: dbId ?? result?.dbId, result });
    } catch (e) {
      postMessage({ type: 'error', messageId, dbId,
        result: { operation: type, message: e.message, errorClass: e.name } });
    }
  });
};

ready.then(() => postMessage({ type: 'sqlite3-api', result: 'worker1-ready' }),
  (e) => postMessage({ type: 'error', result: { operation: 'load', message: String(e) } }));
