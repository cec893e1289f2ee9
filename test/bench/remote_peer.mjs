// remote_peer.mjs - hyparquet in a thread of its own, which can be ended: see remote.mjs.
import { parentPort, workerData } from 'node:worker_threads'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const packages = createRequire(workerData.packages)
const load = name => import(pathToFileURL(packages.resolve(name)).href)
const { asyncBufferFromUrl, parquetMetadataAsync, parquetRead, parquetReadObjects } =
  await load('hyparquet')
const { compressors } = await load('hyparquet-compressors')

const ways = {
  footer: file => parquetMetadataAsync(file),
  columns: (file, { columns }) => parquetRead({ file, compressors, columns }),
  rows: (file, { columns, filter }) =>
    parquetReadObjects({ file, compressors, columns, filter })
}

const { url, question } = workerData
const began = performance.now()
await ways[question.way](await asyncBufferFromUrl({ url }), question)
parentPort.postMessage(performance.now() - began)
