// listing.mjs - what S3 answers to ListObjectsV2, over the files of a folder.
//
//   GET /bucket?list-type=2&prefix=sales/year=&delimiter=/     the bucket is a folder
//
// At most 1,000 keys a page; the token of the next page is the last key, in base64.
// The bucket stuck knows no tokens: it begins again with each page.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const PAGE = 1000

function* keys_below(bucket, folder) {
    for (const name of readdirSync(join(bucket, folder)).sort()) {
        const stat = statSync(join(bucket, folder, name), { throwIfNoEntry: false })
        if (stat?.isDirectory()) yield* keys_below(bucket, `${folder}${name}/`)
        else if (stat) yield { key: folder + name, size: stat.size }
    }
}

// undefined: it is not asked for a listing.
export function listing(root, path) {
    const { pathname, searchParams: q } = new URL(path, 'http://x')
    if (q.get('list-type') !== '2') return undefined
    const bucket = join(root, decodeURIComponent(pathname))
    const prefix = q.get('prefix') ?? '', delimiter = q.get('delimiter')
    const token = pathname === '/stuck' ? '' : q.get('continuation-token') ?? ''
    const from = String(Buffer.from(token, 'base64'))
    const shown = q.get('encoding-type') === 'url' ? encodeURIComponent
        : text => text.replace(/[&<>]/g, c => `&#${c.charCodeAt(0)};`)
    const parts = []
    let last = '', folder, next
    for (const { key, size } of keys_below(bucket, prefix.replace(/[^/]*$/, ''))) {
        if (!key.startsWith(prefix) || key <= from) continue
        const end = delimiter ? key.indexOf(delimiter, prefix.length) : -1
        const common = end < 0 ? undefined : key.slice(0, end + delimiter.length)
        if (common !== undefined && (common === folder || from.startsWith(common))) continue
        if (parts.length === PAGE) {
            next = last
            break
        }
        parts.push(common === undefined
            ? `<Contents><Key>${shown(key)}</Key><Size>${size}</Size></Contents>`
            : `<CommonPrefixes><Prefix>${shown(common)}</Prefix></CommonPrefixes>`)
        folder = common
        last = key
    }
    return `<?xml version="1.0"?><ListBucketResult><Prefix>${shown(prefix)}</Prefix>` +
        (q.get('encoding-type') === 'url' ? '<EncodingType>url</EncodingType>' : '') +
        `<KeyCount>${parts.length}</KeyCount><IsTruncated>${next !== undefined}</IsTruncated>` +
        (next === undefined ? '' : `<NextContinuationToken>${Buffer.from(next).toString('base64')
        }</NextContinuationToken>`) +
        `${parts.join('')}</ListBucketResult>`
}
