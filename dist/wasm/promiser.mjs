/*
** promiser.mjs - sends messages to worker.mjs, and gives promises of their answers, as
** sqlite3Worker1Promiser of @sqlite.org/sqlite-wasm does.
**
**   const promiser = await sqlite3Worker1Promiser();
**   await promiser('open', {filename: ':memory:'});
**   const { result } = await promiser('exec', {sql, returnValue: 'resultRows'});
*/
export default function sqlite3Worker1Promiser(options = {}) {
  const worker = options.worker ??
    new Worker(new URL('worker.mjs', import.meta.url), { type: 'module' });
  const waiting = new Map();
  let serial = 0;

  function promiser(type, args) {
    const message = typeof type === 'object' ? type : { type, args };
    const messageId = `${message.type}#${++serial}`;

    return new Promise((resolve, reject) => {
      waiting.set(messageId, { resolve, reject });
      worker.postMessage({ ...message, messageId });
    });
  }

  /* sqlite3.parquet[call](...values), whose result comes. */
  promiser.parquet = async (call, ...values) =>
    (await promiser('parquet', { call, with: values })).result;
  promiser.worker = worker;

  return new Promise((resolve, reject) => {
    worker.onerror = (e) => reject(new Error(e.message));
    worker.onmessage = ({ data }) => {
      const one = waiting.get(data.messageId);

      waiting.delete(data.messageId);
      if (one) {
        (data.type === 'error' ? one.reject : one.resolve)(data);
      } else if (data.type === 'error') {
        reject(new Error(data.result.message));
      } else {
        options.onready?.(promiser);
        resolve(promiser);
      }
    };
  });
}
