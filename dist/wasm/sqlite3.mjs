/*
** sqlite3.mjs - SQLite with Parquet in a browser or in Node, as the package
** @sqlite.org/sqlite-wasm is used: the part of its interface that most programs need.
**
**   const sqlite3 = await sqlite3InitModule();
**   const db = new sqlite3.oo1.DB(':memory:');
**   db.exec("CREATE VIRTUAL TABLE temp.t USING parquet('/t.parquet')");
**   db.selectObjects('SELECT a, sum(b) FROM t GROUP BY a');
**
** What is not in that package is in sqlite3.parquet (files.mjs): files.
*/
import load from './parquet.mjs';
import { filesOf } from './files.mjs';

const OK = 0, ROW = 100, DONE = 101;
const INTEGER = 1, FLOAT = 2, TEXT = 3, BLOB = 4;
const OPEN = { r: 1, w: 2, c: 2 | 4 }, OPEN_URI = 64;

export class SQLite3Error extends Error {
  constructor(resultCode, message) {
    super(message);
    this.name = 'SQLite3Error';
    this.resultCode = resultCode;
  }
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/* Numbers that are safe are Number; others are BigInt. */
function integer(value) {
  const number = Number(value);

  return Number.isSafeInteger(number) ? number : value;
}

function oo1(module) {
  const c = module;
  const text = (p) => c.UTF8ToString(p);

  /* A copy of bytes in the module's memory, with a NUL after them; the caller frees it. */
  function copy(bytes) {
    const p = c._malloc(bytes.length + 1);

    if (!p) {
      throw new SQLite3Error(7, 'out of memory');
    }
    c.HEAPU8.set(bytes, p);
    c.HEAPU8[p + bytes.length] = 0;
    return p;
  }

  class Stmt {
    constructor(db, pointer) {
      this.db = db;
      this.pointer = pointer;
      this.columnCount = c._sqlite3_column_count(pointer);
      this.parameterCount = c._sqlite3_bind_parameter_count(pointer);
      db.statements.add(this);
    }

    check(rc) {
      if (rc !== OK) {
        throw this.db.error(rc);
      }
      return this;
    }

    /* bind(value), bind(index or name, value), bind(array), bind(object of names) */
    bind(...args) {
      if (args.length === 2) {
        return this.bindOne(args[0], args[1]);
      }
      const [value] = args;
      const isList = value && typeof value === 'object' && !ArrayBuffer.isView(value) &&
                     !(value instanceof ArrayBuffer);
      if (!isList) {
        return value === undefined ? this : this.bindOne(1, value);
      }
      if (Array.isArray(value)) {
        value.forEach((v, i) => this.bindOne(i + 1, v));
      } else {
        Object.entries(value).forEach(([name, v]) => this.bindOne(name, v));
      }
      return this;
    }

    bindOne(at, value) {
      const s = this.pointer;
      const i = typeof at === 'number' ? at : this.getParamIndex(at);

      if (!i) {
        throw new SQLite3Error(25, `no parameter ${at}`);
      }
      switch (typeof value) {
        case 'undefined':
          return this;
        case 'boolean':
          return this.check(c._sqlite3_bind_int64(s, i, BigInt(value)));
        case 'bigint':
          return this.check(c._sqlite3_bind_int64(s, i, value));
        case 'number':
          return this.check(Number.isSafeInteger(value) && !Object.is(value, -0)
            ? c._sqlite3_bind_int64(s, i, BigInt(value))
            : c._sqlite3_bind_double(s, i, value));
        case 'string': {
          const bytes = encoder.encode(value);
          return this.check(c._wasm_bind_text(s, i, copy(bytes), bytes.length));
        }
        default: {
          if (value === null) {
            return this.check(c._sqlite3_bind_null(s, i));
          }
          if (!ArrayBuffer.isView(value) && !(value instanceof ArrayBuffer)) {
            throw new SQLite3Error(20, `cannot bind ${typeof value}`);
          }
          const bytes = value instanceof ArrayBuffer ? new Uint8Array(value)
            : new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
          return this.check(c._wasm_bind_blob(s, i, copy(bytes), bytes.length));
        }
      }
    }

    getParamIndex(name) {
      const p = copy(encoder.encode(name));
      const i = c._sqlite3_bind_parameter_index(this.pointer, p);

      c._free(p);
      return i;
    }

    /* Is there another row? */
    step() {
      const rc = c._sqlite3_step(this.pointer);

      if (rc !== ROW && rc !== DONE) {
        throw this.db.error(rc);
      }
      return rc === ROW;
    }

    stepReset() {
      this.step();
      return this.reset();
    }

    stepFinalize() {
      try {
        return this.step();
      } finally {
        this.finalize();
      }
    }

    reset(alsoBindings) {
      c._sqlite3_reset(this.pointer);
      if (alsoBindings) {
        c._sqlite3_clear_bindings(this.pointer);
      }
      return this;
    }

    clearBindings() {
      c._sqlite3_clear_bindings(this.pointer);
      return this;
    }

    /* get(index), get([]) and get({}): a column, or the row */
    get(what) {
      if (Array.isArray(what)) {
        for (let i = 0; i < this.columnCount; i++) {
          what[i] = this.getOne(i);
        }
        return what;
      }
      if (typeof what === 'object') {
        this.getColumnNames().forEach((name, i) => { what[name] = this.getOne(i); });
        return what;
      }
      return this.getOne(what);
    }

    getOne(i) {
      const s = this.pointer;

      switch (c._sqlite3_column_type(s, i)) {
        case INTEGER:
          return integer(c._sqlite3_column_int64(s, i));
        case FLOAT:
          return c._sqlite3_column_double(s, i);
        case TEXT: {
          const p = c._sqlite3_column_text(s, i);
          return decoder.decode(c.HEAPU8.subarray(p, p + c._sqlite3_column_bytes(s, i)));
        }
        case BLOB: {
          const p = c._sqlite3_column_blob(s, i);
          return c.HEAPU8.slice(p, p + c._sqlite3_column_bytes(s, i));
        }
        default:
          return null;
      }
    }

    getColumnName(i) {
      return text(c._sqlite3_column_name(this.pointer, i));
    }

    getColumnNames(into = []) {
      if (!this.names) {
        this.names = Array.from({ length: this.columnCount }, (_, i) => this.getColumnName(i));
      }
      return Object.assign(into, this.names);
    }

    finalize() {
      if (this.pointer) {
        c._sqlite3_finalize(this.pointer);
        this.db.statements.delete(this);
        this.pointer = 0;
      }
    }
  }

  class DB {
    constructor(filename = ':memory:', flags = 'c') {
      const options = typeof filename === 'object' ? filename : { filename, flags };
      const path = copy(encoder.encode(options.filename ?? ':memory:'));
      const out = c._malloc(4);
      const how = [...(options.flags ?? 'c')].reduce((all, f) => all | (OPEN[f] ?? 0), OPEN_URI);
      const rc = c._sqlite3_open_v2(path, out, how, 0);

      this.filename = options.filename ?? ':memory:';
      this.pointer = c.HEAPU32[out >> 2];
      this.statements = new Set();
      c._free(path);
      c._free(out);
      if (rc !== OK) {
        const e = this.error(rc);
        this.close();
        throw e;
      }
      c._sqlite3_extended_result_codes(this.pointer, 1);
      if (this.filename.startsWith('/opfs/')) {
        this.exec('PRAGMA journal_mode = TRUNCATE');    /* see openOpfsDb             */
      }
    }

    error(rc) {
      return new SQLite3Error(rc, text(c._sqlite3_errmsg(this.pointer)));
    }

    isOpen() {
      return this.pointer !== 0;
    }

    close() {
      for (const s of [...this.statements]) {
        s.finalize();
      }
      c._sqlite3_close_v2(this.pointer);
      this.pointer = 0;
    }

    /* Calls each with every statement of sql. */
    each(sql, each) {
      const bytes = encoder.encode(sql);
      const begin = copy(bytes), end = begin + bytes.length, out = c._malloc(8);

      try {
        for (let at = begin; at < end;) {
          const rc = c._sqlite3_prepare_v2(this.pointer, at, end - at, out, out + 4);
          if (rc !== OK) {
            throw this.error(rc);
          }
          const pointer = c.HEAPU32[out >> 2];
          at = c.HEAPU32[(out >> 2) + 1];
          if (pointer && each(new Stmt(this, pointer))) {
            return;
          }
        }
      } finally {
        c._free(begin);
        c._free(out);
      }
    }

    prepare(sql) {
      let first;

      this.each(sql, (s) => { first = s; return true; });
      if (!first) {
        throw new SQLite3Error(21, 'there is no statement');
      }
      return first;
    }

    /* exec(sql) or exec({sql, bind, rowMode, callback, resultRows, columnNames,
    ** returnValue}), as in sqlite-wasm.  The values are bound to the first statement
    ** that has parameters; rows are those of the first statement that has columns. */
    exec(sqlOrOptions, more) {
      const o = typeof sqlOrOptions === 'string' ? { ...more, sql: sqlOrOptions } : sqlOrOptions;
      const rows = o.resultRows ?? (o.returnValue === 'resultRows' ? [] : undefined);
      const sql = Array.isArray(o.sql) ? o.sql.join('') : o.sql;
      let { bind } = o, wantsRows = rows || o.callback || o.columnNames;

      this.each(sql, (s) => {
        try {
          if (bind !== undefined && s.parameterCount) {
            s.bind(bind);
            bind = undefined;
          }
          if (!wantsRows || !s.columnCount) {
            while (s.step());
            return;
          }
          wantsRows = false;
          s.getColumnNames(o.columnNames);
          while (s.step()) {
            const row = rowOf(s, o.rowMode ?? 'array');
            rows?.push(row);
            if (o.callback?.(row, s) === false) {
              break;
            }
          }
        } finally {
          s.finalize();
        }
      });
      return o.returnValue === 'resultRows' ? rows : this;
    }

    select(sql, bind, give) {
      const s = this.prepare(sql);

      try {
        s.bind(bind);
        return give(s);
      } finally {
        s.finalize();
      }
    }

    all(sql, bind, mode) {
      return this.select(sql, bind, (s) => {
        const rows = [];
        while (s.step()) {
          rows.push(rowOf(s, mode));
        }
        return rows;
      });
    }

    first(sql, bind, mode) {
      return this.select(sql, bind, (s) => (s.step() ? rowOf(s, mode) : undefined));
    }

    selectValue(sql, bind) { return this.first(sql, bind, 0); }
    selectValues(sql, bind) { return this.all(sql, bind, 0); }
    selectArray(sql, bind) { return this.first(sql, bind, 'array'); }
    selectArrays(sql, bind) { return this.all(sql, bind, 'array'); }
    selectObject(sql, bind) { return this.first(sql, bind, 'object'); }
    selectObjects(sql, bind) { return this.all(sql, bind, 'object'); }

    changes(total) {
      return total ? c._sqlite3_total_changes(this.pointer) : c._sqlite3_changes(this.pointer);
    }

    transaction(how, callback = how) {
      this.exec(typeof how === 'string' ? `BEGIN ${how}` : 'BEGIN');
      try {
        const result = callback(this);
        this.exec('COMMIT');
        return result;
      } catch (e) {
        if (!c._sqlite3_get_autocommit(this.pointer)) {
          this.exec('ROLLBACK');
        }
        throw e;
      }
    }

    savepoint(callback) {
      this.exec('SAVEPOINT oo1');
      try {
        const result = callback(this);
        this.exec('RELEASE oo1');
        return result;
      } catch (e) {
        this.exec('ROLLBACK TO oo1; RELEASE oo1');
        throw e;
      }
    }
  }

  function rowOf(s, mode) {
    switch (mode) {
      case 'array': return s.get([]);
      case 'object': return s.get({});
      case 'stmt': return s;
      default: return typeof mode === 'number' ? s.get(mode) : s.get({})[mode.slice(1)];
    }
  }
  return { DB, Stmt };
}

/* In Node nothing is fetched. */
async function withBinary(options) {
  if (options.wasmBinary || typeof process === 'undefined' || !process.versions?.node) {
    return options;
  }
  const { readFile } = await import('node:fs/promises');
  return { ...options, wasmBinary: await readFile(new URL('parquet.wasm', import.meta.url)) };
}

/* options are emscripten's: locateFile, wasmBinary, print, printErr. */
export default async function sqlite3InitModule(options = {}) {
  const module = await load(await withBinary(options));
  const version = module.UTF8ToString(module._sqlite3_libversion());

  return {
    oo1: oo1(module), SQLite3Error, version: { libVersion: version },
    parquet: filesOf(module), module,
  };
}
