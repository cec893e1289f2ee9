// listing.mjs - ListObjectsV2 of a folder, for proxy.mjs.
//
//   GET /bucket?list-type=2&prefix=sales%2F&delimiter=%2F&encoding-type=url
//
// A bucket is a folder.  The token of the next page is the last key, in base64; the bucket
// stuck knows no tokens, and begins again with each page; the first page of the bucket paged has
// two keys; of the bucket twice each key has two slashes in the place of its first.  Names are bytes: they need not be UTF-8.  What is on the way to itself by a link is
// not listed again.
import { readdirSync, statSync } from 'node:fs'

// Texts here have a byte a character.
const below = (root, key) => Buffer.concat([root, Buffer.from('/' + key, 'latin1')])
const encode = text => text.replace(/[^-A-Za-z0-9_.~\/]/g, c =>
    '%' + c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0'))

const escape = text => text.replace(/[&<>]/g, c => `&#${c.charCodeAt(0)};`)

// Keys, and with a delimiter folders, below a prefix; in no order.
function* walk(root, prefix, deep, way = []) {
    const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1)
    const path = below(root, folder)
    let names
    try {
        const { dev, ino } = statSync(path, { bigint: true })
        if (way.includes(`${dev}:${ino}`)) return
        way = [...way, `${dev}:${ino}`]
        names = readdirSync(path, { encoding: 'latin1', withFileTypes: true })
    } catch {
        return
    }
    for (const entry of names) {
        const key = folder + entry.name
        if (!key.startsWith(prefix)) continue
        const is = entry.isSymbolicLink() ? statSync(below(root, key), { throwIfNoEntry: false }) : entry
        if (!is?.isDirectory()) yield key
        else if (deep) yield* walk(root, key + '/', deep, way)
        else yield key + '/'
    }
}

// The same, of the bucket twice.
function walk_twice(root, prefix, deep) {
    const keys = [...walk(root, '', true)].map(key => key.replace('/', '//'))
        .filter(key => key.startsWith(prefix))
    const folder = key => key.slice(0, key.indexOf('/', prefix.length) + 1 || undefined)
    return new Set(deep ? keys : keys.map(folder))
}

// query: of the URL, whose parts are percent-encoded.  first: keys of the first page.
export function listing(root, query, first = /\/paged$/.test(root) ? 2 : 1000) {
    const q = Object.fromEntries(query.split('&').map(part => {
        const [name, value = ''] = part.split('=')
        return [name, unescape(value.replaceAll('+', ' '))]
    }))
    const token = /\/stuck$/.test(root) ? '' : q['continuation-token'] ?? ''
    const after = String(Buffer.from(token, 'base64'))
    const list = /\/twice$/.test(root) ? walk_twice : walk
    const all = [...list(root, q.prefix ?? '', q.delimiter !== '/')].sort()
        .filter(key => key > after && key > (q['start-after'] ?? ''))
    const most = token ? 1000 : first, page = all.slice(0, most), more = all.length > most
    const is_url = q['encoding-type'] === 'url', shown = is_url ? encode : escape
    const stat = key => statSync(below(root, key), { throwIfNoEntry: false }) ?? { size: 0, mtime: new Date(0) }
    const of_file = ({ size, mtime }) => `<LastModified>${mtime.toISOString()}</LastModified><Size>${size}</Size>`
    const parts = page.map(key => key.endsWith('/')
        ? `<CommonPrefixes><Prefix>${shown(key)}</Prefix></CommonPrefixes>`
        : `<Contents><Key>${shown(key)}</Key>${of_file(stat(key))}</Contents>`)
    return '<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult>' +
        (is_url ? '<EncodingType>url</EncodingType>' : '') + parts.join('') +
        `<IsTruncated>${more}</IsTruncated>` +
        (more ? `<NextContinuationToken>${Buffer.from(page.at(-1)).toString('base64')}</NextContinuationToken>` : '') +
        '</ListBucketResult>'
}
