/*
** proxy.mjs - a server that can be slow, wrong and hostile.
**
**   node test/remote/proxy.mjs FOLDER [NAME=VALUE ...]      files, by ranges, and folders as
**                                                           buckets of S3 (listing.mjs),
**                                                           with uploads in parts
**   node test/remote/proxy.mjs http://HOST:PORT [...]       what another server answers
**
** It prints its URL, and ends when its input does.  It counts, and makes faults as it is
** told: by arguments, at /.set, or by the path of a request, for this path alone:
**
**   /.set?latency=30&bandwidth=50e6        from now on; what is not named is off
**   /.set?seed=7&rate=0.1                  one request in ten has a fault, by chance
**   /~fault=503,times=2/a.parquet          the first two requests fail, then a.parquet
**   /.count                                {"requests":..,"bytes":..,...} since the last
**   /.log                                  the requests, one a line; /.count forgets them
**
**   latency      milliseconds before an answer begins
**   bandwidth    bytes a second, of all connections together
**   fault        a status, or a name of the table `faults`; '|' between several, which
**                come in turn; `error` is 200 with the body of an error
**   after, times the fault begins after so many requests, and for so many; of a path, if
**                the path names the fault
**   seed, rate, of     with which probability one of the faults `of` comes
**   buckets      a process: /cwd/ and /dot/ are the files of its folder, /root/ all files;
**                they are listed, as buckets of S3
**   retry_after  of a status that is a fault
**   to           where the fault `redirect` leads; the process that `kill` kills
*/
import { createServer, request } from 'node:http'
import { appendFileSync, constants, copyFileSync, createReadStream, existsSync,
         mkdirSync, readFileSync, readlinkSync, rmSync, renameSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { listing } from './listing.mjs'

const [source, ...args] = process.argv.slice(2)
if (!source) {
    console.error('proxy.mjs FOLDER|URL [NAME=VALUE ...]')
    process.exit(2)
}

let set = Object.fromEntries(new URLSearchParams(args.join('&')))
let seen = new Map()                  // requests of each path that names a fault, and of all
let counts, log
const forget = () => {
    counts = { requests: 0, bytes: 0, connections: 0, most_at_once: 0, faults: 0 }
    log = []
}
let at_once = 0, ends_at = 0
const answers = new Set()             // of requests, until each is known
forget()

// ---- what is right -------------------------------------------------------------------

const text_answer = (status, text, headers = {}) =>
    ({ status, headers: { 'Content-Length': Buffer.byteLength(text), ...headers },
       body: [Buffer.from(text)] })

// Several ranges are a body of several parts, { range: '0-9/1000', bytes } each.
const PARTS = /^bytes=\d+-\d+(,\d+-\d+)+$/, BOUNDARY = '00000000000000000042'
const several = q => PARTS.test(q.headers.range)

function parts_answer(parts, headers, { line = '\r\n', first = '', more = '', quote = '' } = {}) {
    const bytes = Buffer.concat(parts.flatMap(({ range, bytes }) => [
        Buffer.from([first, `--${BOUNDARY}`, `Content-Type: application/octet-stream${more}`,
                     `Content-Range: bytes ${range}`, '', ''].join(line)), bytes,
    ]).concat(Buffer.from(`${line}--${BOUNDARY}--${line}`)))
    const type = `multipart/byteranges; boundary=${quote}${BOUNDARY}${quote}`
    return { status: 206, body: in_parts(bytes),
             headers: { ...headers, 'Content-Length': bytes.length, 'Content-Type': type } }
}

// The parts of a file that has the time and size of `stat`; undefined: it was written to.
async function file_parts(path, ranges, stat) {
    const parts = []
    for (const range of ranges.slice('bytes='.length).split(',')) {
        const now = await file_part(path, `bytes=${range}`).catch(() => undefined)
        if (now?.stat.mtimeNs !== stat.mtimeNs || now.stat.ino !== stat.ino) return undefined
        const [start, end] = range_of(`bytes=${range}`, now.size) || []
        if (start !== undefined) {
            parts.push({ range: `${start}-${end}/${now.size}`, bytes: await bytes_of(now) })
        }
    }
    return parts
}

function range_of(header, size) {     // null: all of it; false: there are no such bytes
    const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
    if (first === undefined || first + last === '') return null
    const from = first === '' ? Math.max(0, size - Number(last)) : Number(first)
    const to = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
    return from < size && from <= to ? [from, to] : false
}

// A file's bytes and what is said of them are of one version: a range is read whole, and
// again if the file was written to meanwhile.  Only long ones are sent as they are read.
const WHOLE = 16 << 20, TICK_NS = 5000000n

function* in_parts(bytes, n = 1 << 16) {
    for (let at = 0; at < bytes.length; at += n) yield bytes.subarray(at, at + n)
}

async function file_part(path, range) {
    for (;;) {
        const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)     // or a FIFO hangs
        try {
            const stat = await file.stat({ bigint: true }), size = Number(stat.size)
            const age = BigInt(Date.now()) * 1000000n - stat.mtimeNs
            if (!stat.isFile()) return undefined
            const [start, end] = range_of(range, size) || [0, size - 1]
            if (end - start >= WHOLE) {
                return { stat, size, body: createReadStream(path, { start, end, highWaterMark: 1 << 16 }) }
            }
            if (age >= 0 && age < TICK_NS) {          // another write may get the same time
                await sleep(1 + Number(TICK_NS - age) / 1e6)
                continue
            }
            const bytes = Buffer.alloc(end - start + 1)
            const { bytesRead } = await file.read(bytes, 0, bytes.length, start)
            const now = await file.stat({ bigint: true })
            if (bytesRead === bytes.length && now.size === stat.size && now.mtimeNs === stat.mtimeNs) {
                return { stat, size, body: in_parts(bytes) }
            }
        } finally {
            await file.close()
        }
    }
}

const buckets = set.buckets
const folder_of = bucket => bucket === 'root' ? '' : readlinkSync(`/proc/${buckets}/cwd`)

function local_path(path) {           // its names are bytes, which need not be UTF-8
    const [, bucket, key] = /^\/(cwd|dot|root)(\/.*)$/.exec(buckets ? path : '') ?? []
    return Buffer.concat([Buffer.from(bucket ? folder_of(bucket) : source.replace(/\/$/, '')),
                          Buffer.from(unescape(bucket ? key : path), 'latin1')])
}

async function take(body, name) {     // whole, or nothing is there
    const bytes = await bytes_of({ body })
    mkdirSync(name.replace(/[^/]*$/, ''), { recursive: true })
    writeFileSync(name + '.part', bytes)
    renameSync(name + '.part', name)
}

// An upload in parts: while it is open, they are in a folder beside the buckets.
async function upload_answer(q, query, name) {
    const { uploadId: id = `${process.hrtime.bigint()}`, partNumber: part } =
        Object.fromEntries(new URLSearchParams(query))
    const folder = `${source}/.uploads/${id}`
    const xml = (of, text) => text_answer(200, `<${of}>${text}</${of}>`)
    if (q.method === 'POST' && !/uploadId=/.test(query)) {
        mkdirSync(folder, { recursive: true })
        return xml('InitiateMultipartUploadResult', `<UploadId>${id}</UploadId>`)
    }
    if (!existsSync(folder)) return text_answer(404, '<Error><Code>NoSuchUpload</Code></Error>')
    if (q.method === 'PUT') {
        await take(q.req, `${folder}/${part}`)
        return { status: 200, headers: { ETag: `"${part}"`, 'Content-Length': 0 }, body: [] }
    }
    if (q.method === 'POST') {
        const list = String(await bytes_of({ body: q.req }))
        if (q.headers['if-none-match'] && existsSync(name)) return text_answer(412, '')
        writeFileSync(folder + '/all', '')
        for (const [, n] of list.matchAll(/<PartNumber>(\d+)</g)) {
            appendFileSync(folder + '/all', readFileSync(`${folder}/${n}`))
        }
        mkdirSync(name.replace(/[^/]*$/, ''), { recursive: true })
        renameSync(folder + '/all', name)
    }
    rmSync(folder, { recursive: true })
    return q.method === 'POST' ? xml('CompleteMultipartUploadResult', '') : text_answer(204, '')
}

async function file_answer(q) {
    const [path, query] = q.path.split('?'), name = local_path(path)
    if (q.method === 'GET' && /(^|&)list-type=2(&|$)/.test(query)) {
        const list = buckets ? listing(Buffer.from(folder_of(path.split('/')[1])), query, 7)
                             : listing(name, query)
        return text_answer(200, list, { 'Content-Type': 'application/xml' })
    }
    if (q.method === 'POST' || /(^|&)uploadId=/.test(query)) return upload_answer(q, query, `${name}`)
    if (q.method === 'PUT') {
        if (!q.was_put) {             // a fault may ask twice for the right answer
            if (q.headers['if-none-match'] && existsSync(`${name}`)) return text_answer(412, '')
            await take(q.req, `${name}`)
        }
        q.was_put = true
        return text_answer(201, '')
    }
    if (q.method === 'DELETE') {
        rmSync(name, { force: true })
        return text_answer(204, '')
    }
    const part = await file_part(name, q.headers.range).catch(() => undefined)
    if (!part) return text_answer(404, '')
    const { stat, size, body } = part
    const etag = `"${stat.mtimeNs.toString(36)}-${size.toString(36)}-${stat.ino.toString(36)}"`
    const headers = { ETag: etag, 'Accept-Ranges': 'bytes',
                      'Last-Modified': stat.mtime.toUTCString() }
    const { 'if-match': match, 'if-none-match': none } = q.headers
    if (match && match !== etag && match !== '*') return text_answer(412, '', headers)
    if (none && none === etag) return { status: 304, headers, body: [] }
    const range = range_of(q.headers.range, size)
    if (range === false) {
        return text_answer(416, '', { ...headers, 'Content-Range': `bytes */${size}` })
    }
    if (!range && several(q)) {
        const parts = await file_parts(name, q.headers.range, stat)
        return parts ? parts_answer(parts, headers) : file_answer(q)
    }
    const [start, end] = range ?? [0, size - 1]
    if (range) headers['Content-Range'] = `bytes ${start}-${end}/${size}`
    headers['Content-Length'] = end - start + 1
    return { status: range ? 206 : 200, headers, body }
}

const relayed_answer = q => new Promise((resolve, reject) => {
    const { hostname, port } = new URL(source)
    const on = request({ hostname, port, method: q.method, path: q.path, headers: q.headers },
        a => resolve({ status: a.statusCode, headers: a.headers, body: a }))
    on.on('error', reject)
    q.req.pipe(on)
})

const right_answer = /^http:/.test(source) ? relayed_answer : file_answer

async function bytes_of(a) {
    const parts = []
    for await (const part of a.body) parts.push(part)
    return Buffer.concat(parts)
}

// ---- faults --------------------------------------------------------------------------

const length_of = a => Number(a.headers['Content-Length'] ?? a.headers['content-length'] ?? 0)
const without = (a, ...names) => {
    for (const name of Object.keys(a.headers)) {
        if (names.includes(name.toLowerCase())) delete a.headers[name]
    }
}
const whole = q => {
    delete q.headers.range
    return right_answer(q)
}
const ends = q => q.headers.range?.startsWith('bytes=-')
const redirect = to => ({ status: 302, headers: { Location: to, 'Content-Length': 0 }, body: [] })
const said = q => `${q.req.headers.authorization} ${q.req.url}`
async function* without_end(part) {
    for (;;) yield part
}
const content_range = change => a => {
    const [, from, to, size] = /bytes (\d+)-(\d+)\/(\d+)/
        .exec(a.headers['Content-Range'] ?? a.headers['content-range'] ?? '') ?? []
    if (from === undefined) return
    without(a, 'content-range')
    a.headers['Content-Range'] = 'bytes ' + change(Number(from), Number(to), Number(size))
}

// Of a request for several ranges: its parts, and what they are changed to.
const range_at = (from, to, size) => ({ range: `${from}-${to}/${size}` })
async function part_of(q, range) {
    const a = await right_answer({ ...q, headers: { ...q.headers, range: `bytes=${range}` } })
    const said = a.headers['content-range'] ?? a.headers['Content-Range'] ?? ''
    return { range: said.replace('bytes ', ''), bytes: await bytes_of(a) }
}
const of_parts = (change, how) => async (a, q) => {
    if (!several(q) || a.status !== 206) return undefined
    const parts = await Promise.all(q.headers.range.slice('bytes='.length).split(',')
        .map(range => part_of(q, range)))
    without(a, 'content-length', 'content-type')
    const changed = await change(parts, a, q)
    return Array.isArray(changed) ? parts_answer(changed, a.headers, how) : changed
}
const each_range = change => of_parts(parts => parts.map(({ range, bytes }) =>
    ({ ...change(...range.split(/[-/]/).map(Number)), bytes })))
const if_several = change => (a, q) => several(q) && a.status === 206 ? change(a, q) : undefined
const all_of = async (q, parts) => part_of(q,
    `${parts[0].range.split('-')[0]}-${parts.at(-1).range.split(/[-/]/)[1]}`)
const one_part = (a, bytes, more) => ({
    status: 206, body: [bytes], headers: { ...a.headers, ...more, 'Content-Length': bytes.length } })
const first_of = q => {
    q.headers.range = q.headers.range.replace(/,.*/, '')
    return right_answer(q)
}

// Each changes the answer, gives another, or takes the connection (null).
const faults = {
    // the connection
    cut: a => { a.stop = Math.floor(length_of(a) / 2) },
    stall: a => { a.stop = Math.floor(length_of(a) / 2); a.stalls = true },
    hang: a => { a.stop = 0; a.stalls = true; a.headless = true },
    reset: (a, q) => { q.req.socket.resetAndDestroy(); return null },
    slow: a => { a.bandwidth = 20000 },
    garbage: (a, q) => { q.req.socket.end('220 mail.example.org ESMTP\r\n'); return null },
    // lengths
    less: a => {
        a.stop = Math.max(0, length_of(a) - 7)
        without(a, 'content-length')
        a.headers['Content-Length'] = a.stop
    },
    more: async a => {
        const bytes = Buffer.concat([await bytes_of(a), Buffer.alloc(7)])
        without(a, 'content-length')
        return { ...a, headers: { ...a.headers, 'Content-Length': bytes.length }, body: [bytes] }
    },
    chunked: a => without(a, 'content-length'),
    endless: a => {
        without(a, 'content-length')
        return { ...a, status: a.status === 304 ? 200 : a.status,     // 304 has no body
                 body: without_end(Buffer.alloc(1 << 16, 'PAR1')) }
    },
    headers: (a, q) => {
        q.req.socket.end('HTTP/1.1 200 OK\r\n' + ('X-Much: ' + 'x'.repeat(1000) + '\r\n').repeat(3000) +
                         '\r\n')
        return null
    },
    // ranges
    whole: (a, q) => whole(q),
    range: content_range((from, to, size) => `${from + 1}-${to + 1}/${size}`),
    total: content_range((from, to, size) => `${from}-${to}/${size * 2}`),
    wrapped: content_range((from, to) => `${2n ** 64n - BigInt(to - from + 1)}-${2n ** 64n - 1n}/0`),
    absurd: content_range((from, to) => `${from}-${to}/99999999999999999999`),
    stream: async (a, q) => {         // what a program makes while it is sent
        const b = await whole(q)
        without(b, 'content-length', 'etag', 'last-modified')
        return b
    },
    noend: (a, q) => ends(q) ? whole(q) : undefined,             // no bytes=-5: answered by 200,
    noend416: (a, q) => ends(q) ? text_answer(416, '') : undefined,
    noend501: (a, q) => ends(q) ? status_answer(501, q) : undefined,
    suffix: (a, q) => {               // bytes=-5 as if it were bytes=0-5: s3rver 3.7.1
        q.headers.range = q.headers.range?.replace('bytes=-', 'bytes=0-')
        return right_answer(q)
    },
    norange: a => without(a, 'content-range'),
    // several ranges: servers that do not take them
    parts_whole: if_several((a, q) => whole(q)),
    parts_one: if_several((a, q) => first_of(q)),
    parts_400: if_several((a, q) => status_answer(400, q)),
    parts_403: if_several((a, q) => status_answer(403, q)),
    parts_416: if_several((a, q) => text_answer(416, '', { 'Content-Range': 'bytes */1' })),
    parts_501: if_several((a, q) => status_answer(501, q)),
    parts_reset: if_several((a, q) => faults.reset(a, q)),
    // ... that cut the answer off, with and without saying so
    parts_cut: if_several(a => faults.cut(a)),
    parts_less: if_several((a, q) => {
        faults.cut(a)
        without(a, 'content-length')
        a.headers['Content-Length'] = a.stop
    }),
    // ... that may do what they do
    parts_joined: of_parts(async (parts, a, q) => [await all_of(q, parts)]),
    parts_as_one: of_parts(async (parts, a, q) => {
        const { range, bytes } = await all_of(q, parts)
        return one_part(a, bytes, { 'Content-Range': `bytes ${range}` })
    }),
    parts_turned: of_parts(parts => parts.reverse()),
    parts_twice: of_parts(parts => parts.concat(parts)),
    parts_text: of_parts(parts => parts, { line: '\n', quote: '"' }),
    parts_words: of_parts(parts => parts, { first: 'These are the parts:\r\n' }),
    // ... and what they may not
    parts_missing: of_parts(parts => parts.filter((part, i) => i !== 1)),
    parts_shifted: each_range((from, to, size) => range_at(from + 1, to + 1, size)),
    parts_shorter: each_range((from, to, size) => range_at(from, to - 1, size)),
    parts_longer: each_range((from, to, size) => range_at(from, to + 1, size)),
    parts_total: each_range((from, to, size) => range_at(from, to, size + 1)),
    parts_huge: each_range(from => range_at(from, 2n ** 63n - 2n, 2n ** 63n - 1n)),
    parts_wrapped: each_range((from, to, size) => range_at(from, 2n ** 64n - 1n, size)),
    parts_headers: of_parts(parts => parts, { more: '\r\nX-Much: ' + 'x'.repeat(5000) }),
    parts_endless: of_parts((parts, a) => ({ ...a, body: without_end(Buffer.from(
        `\r\n--${BOUNDARY}\r\n` + 'X-Much: more\r\n'.repeat(999))) })),
    parts_bare: of_parts(([{ bytes }], a) => one_part(a, bytes)),
    parts_etag: if_several(a => faults.etag(a)),
    // versions
    etag: a => { without(a, 'etag'); a.headers.ETag = `"${counts.requests}-${process.hrtime.bigint()}"` },
    weak: a => { const e = a.headers.ETag; without(a, 'etag'); a.headers.ETag = `W/${e}` },
    noetag: a => without(a, 'etag', 'last-modified'),
    replace: async (a, q) => {        // FILE.next is there from now on
        const name = local_path(q.path.split('?')[0]).toString('latin1')
        if (existsSync(name + '.next')) {
            writeFileSync(name + '.was_replaced', '')
            copyFileSync(name + '.next', name + '.part')
            renameSync(name + '.part', name)
        }
        return right_answer(q)
    },
    unmarked: async (a, q) => {       // likewise, and the answer does not say which it is of
        const b = await faults.replace(a, q)
        without(b, 'etag', 'last-modified')
        return b
    },
    unconditional: (a, q) => {        // If-None-Match: * is not looked at
        if (a.status !== 412) return undefined
        delete q.headers['if-none-match']
        return right_answer(q)
    },
    // contents
    gzip: async (a, q) => {
        const zipped = gzipSync(await bytes_of(await whole(q)), { level: 1 })
        return { status: 200, body: [zipped],
                 headers: { 'Content-Encoding': 'gzip', 'Content-Length': zipped.length } }
    },
    flip: async a => {
        const bytes = await bytes_of(a)
        if (bytes.length) bytes[bytes.length >> 1] ^= 16
        return { ...a, body: [bytes] }
    },
    // words: the request, repeated; a region that no host can be made of
    echo: (a, q) => text_answer(403, `<Error><Code>Told</Code><Message>${said(q)} ` +
        `${Object.entries(q.req.headers)}</Message></Error>`),
    echo_range: (a, q) => text_answer(206, 'x', { 'Content-Range': said(q) }),
    echo_packed: (a, q) => text_answer(206, 'x', { 'Content-Encoding': said(q) }),
    region: () => text_answer(400, '<Error><Code>AuthorizationHeaderMalformed</Code>' +
        '<Region>a.b/#</Region></Error>'),
    // listings: without end; of keys that lead elsewhere when dots are resolved
    endless_list: (a, q) => text_answer(200, '<ListBucketResult><IsTruncated>true</IsTruncated>' +
        `<NextContinuationToken>${counts.requests}</NextContinuationToken></ListBucketResult>`),
    dots: (a, q) => /list-type=2/.test(q.path) ? text_answer(200, '<ListBucketResult>' +
        ['..', '../small.parquet', 'x/../../small.parquet', 'x/./y.parquet'].map(key => '<Contents><Key>' +
            `${/prefix=([^&]*)/.exec(unescape(q.path))[1]}${key}</Key></Contents>`).join('') +
        '</ListBucketResult>') : undefined,
    // redirects: the same host, another one, for ever, and where nobody should go
    same: (a, q) => redirect(q.path),
    away: (a, q) => redirect(`http://localhost:${port()}${q.path}`),
    loop: (a, q) => redirect(q.req.url),
    file: () => redirect('file:///etc/hostname'),
    metadata: () => redirect('http://169.254.169.254/latest/meta-data/'),
    redirect: (a, q) => redirect(q.set.to),
    // who asks: is killed when what was asked is done (to: its process); its object is lost
    kill: (a, q) => { process.kill(Number(q.set.to), 'SIGKILL'); return null },
    lost: (a, q) => { if (/^P/.test(q.method)) rmSync(local_path(q.path.split('?')[0]), { force: true }) },
}
const by_chance = Object.keys(faults).filter(f => !['flip', 'redirect', 'replace', 'unmarked',
    'endless_list', 'dots', 'kill', 'lost', 'unconditional'].includes(f)).concat('429', '500', '503')

const status_answer = (status, q) => text_answer(status,
    `<Error><Code>Fault${status}</Code><Message>as it was told</Message></Error>`,
    q.set.retry_after ? { 'Retry-After': q.set.retry_after } : {})

const random = n => {                 // of a seed, the same always
    n = Math.imul(n ^ (n >>> 16), 0x45d9f3b) + 0x9e3779b9
    n = Math.imul(n ^ (n >>> 15), 0x735a2d97)
    return ((n ^ (n >>> 15)) >>> 0) / 2 ** 32
}

function fault_of({ set, nth }) {
    if (set.seed && random(Number(set.seed) * 1000003 + 2 * nth) < Number(set.rate ?? 0.1)) {
        const of = set.of?.split('|') ?? by_chance
        return of[Math.floor(random(Number(set.seed) * 1000003 + 2 * nth + 1) * of.length)]
    }
    const k = nth - Number(set.after ?? 0)
    if (!set.fault || k < 1 || k > Number(set.times ?? Infinity)) return undefined
    const turns = set.fault.split('|')
    return turns[(k - 1) % turns.length]
}

async function answer_of(q, fault) {
    if (q.set.latency) await sleep(Number(q.set.latency))
    if (!fault) return right_answer(q)
    counts.faults++
    if (/^\d+$/.test(fault)) return status_answer(Number(fault), q)
    if (fault === 'error') return status_answer(200, q)
    if (!faults[fault]) return text_answer(400, `no such fault: ${fault}\n`)
    const a = await right_answer(q)
    const other = await faults[fault](a, q)
    if (other !== undefined && other?.body !== a.body) a.body.destroy?.()
    return other === undefined ? a : other
}

// ---- sending -------------------------------------------------------------------------

async function pace(n, bandwidth) {   // one line for all: each waits for those before
    if (!bandwidth) return
    const now = performance.now()
    ends_at = Math.max(ends_at, now - 4) + n / bandwidth * 1000
    if (ends_at - now > 2) await sleep(ends_at - now)
}

const once = (res, event) => new Promise(go => res.once(event, go))

async function send(q, res, a) {
    let left = a.stop ?? Infinity
    if (a.headless) return            // silent until the other side goes
    res.writeHead(a.status, a.headers)
    if (a.stop !== undefined) res.flushHeaders()
    const closed = once(res, 'close')
    for await (const part of q.method === 'HEAD' ? [] : a.body) {
        const some = part.subarray(0, left)
        await pace(some.length, Number(a.bandwidth ?? q.set.bandwidth ?? 0))
        if (res.destroyed) return
        counts.bytes += some.length
        left -= some.length
        if (!res.write(some)) await Promise.race([closed, once(res, 'drain')])
        if (left === 0) break
    }
    if (a.stalls) return
    if (a.stop !== undefined && a.stop !== length_of(a)) res.socket?.end()
    else res.end()
}

function question(req) {              // /~fault=503,times=2/a.parquet
    let path = req.url.replace(/^http:\/\/[^/]*/, ''), own = {}
    const told = /^\/~([^/]*)(\/.*)$/.exec(path)
    if (told) {
        own = Object.fromEntries(new URLSearchParams(told[1].replaceAll(',', '&')))
        path = told[2]
    }
    const key = own.fault || own.seed ? req.url : ''
    const nth = (seen.get(key) ?? 0) + 1
    seen.set(key, nth)
    return { req, path, nth, method: req.method, headers: { ...req.headers },
             set: { ...set, ...own } }
}

async function control(req, res) {
    const [path, values] = req.url.split('?')
    const tell = { '/.count': () => JSON.stringify(counts), '/.set': () => '',
                   '/.log': () => log.map(line => JSON.stringify(line) + '\n').join('') }[path]
    if (!tell) return false
    if (path === '/.set') {           // no fault told before comes after it: its reader may have gone
        await Promise.allSettled(answers)
        set = Object.fromEntries(new URLSearchParams(values))
        seen = new Map()
    }
    res.end(tell())
    if (path === '/.count') forget()
    return true
}

async function serve(req, res) {
    if (await control(req, res)) return
    const q = question(req), fault = fault_of(q)
    const line = { method: q.method, path: q.path, range: q.headers.range, host: q.headers.host,
                   secret: 'authorization' in q.headers, fault }
    counts.requests++
    counts.most_at_once = Math.max(counts.most_at_once, ++at_once)
    if (log.push(line) === 200000) log.splice(0, 100000)       // whoever asks often, looks seldom
    res.on('close', () => at_once--)
    const answer = answer_of(q, fault)
    answers.add(answer)
    const a = await answer.finally(() => answers.delete(answer))
    line.status = a?.status
    if (a) await send(q, res, a)
}

const server = createServer({ keepAliveTimeout: 60000, requestTimeout: 0 }, (req, res) => {
    serve(req, res).catch(e => {
        if (res.headersSent) res.destroy()
        else res.writeHead(500).end(String(e))
    })
})
const port = () => server.address().port
server.on('connection', socket => {
    counts.connections++
    socket.setNoDelay(true)
    socket.on('error', () => {})
})
server.listen(Number(set.port ?? 0), '127.0.0.1', () => console.log(`http://127.0.0.1:${port()}`))
process.stdin.on('end', () => process.exit()).on('error', () => process.exit()).resume()
