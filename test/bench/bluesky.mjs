// bluesky.mjs - documents of the shape that JSONBench measures: events of
// Bluesky, one JSON text each, in the order of their times.
//
//   {"did":"did:plc:…","time_us":1732206349000167,"kind":"commit",
//    "commit":{"rev":"…","operation":"create",
//              "collection":"app.bsky.feed.like","rkey":"…",
//              "record":{"$type":"app.bsky.feed.like","createdAt":"…",
//                        "subject":{"cid":"…","uri":"at://…"}},"cid":"…"}}
//
// The real data cannot be had here, so shares and sizes are those it is known
// to have: likes, follows, posts, reposts and blocks in this order, few
// deletions, few events that are no commits, few users who do much.  `subject`
// is an object in a like and a string in a follow; posts have languages, and
// some of them replies, facets and embedded pictures.  Everything follows from
// the number of the row.
export const documents = 1000000

const h = (salt, n) => `(hash(i * 64 + ${salt}) % ${n})::BIGINT`
const unit = salt => `(${h(salt, 1000003)} / 1000003.0)`
const hex = (text, n) => `substr(md5(${text}) || md5('x' || ${text}), 1, ${n})`
const user = salt =>
  `'did:plc:' || ${hex(`'u' || (200000 * pow(${unit(salt)}, 3))::BIGINT`, 24)}`
const key = salt => `'3l' || ${hex(`'k' || ${h(salt, 100000000)}`, 11)}`
const cid = salt => `'bafyrei' || ${hex(`'c' || ${h(salt, 1000000000)}`, 52)}`

const words = ('the of and a to in is you that it he was for on are as with ' +
  'his they I at be this have from or one had by word but not what all were ' +
  'we when your can said there use an each which she do how their if will up')
  .split(' ')
const word = salt => `(['${words.join("', '")}'])[1 + ${h(salt, words.length)}]`
const text = [40, 41, 42, 43, 44, 45, 46, 47].map(word).join(" || ' ' || ")
const language = `(['en', 'en', 'en', 'ja', 'pt', 'de'])[1 + ${h(20, 6)}]`

// A JSON object of SQL texts that give JSON.
const object = fields => `'{' || ${Object.entries(fields)
  .map(([name, sql]) => `'"${name}":' || ${sql}`).join(" || ',' || ")} || '}'`
const quoted = sql => `'"' || ${sql} || '"'`

const time = 'TIMESTAMP \'2024-11-21 16:25:49\' + to_microseconds(us)'
const created = quoted(`strftime(${time}, '%Y-%m-%dT%H:%M:%S.') ||
  lpad((${h(19, 1000)})::VARCHAR, 3, '0') || 'Z'`)
const link = (cidSalt, userSalt, keySalt) => object({ cid: quoted(cid(cidSalt)),
  uri: quoted(`'at://' || ${user(userSalt)} || '/app.bsky.feed.post/' ||
    ${key(keySalt)}`) })
const typed = (fields) => object({ $type: quoted('collection'),
                                   createdAt: created, ...fields })
const reply = object({ parent: link(24, 25, 26), root: link(27, 28, 29) })
const facets = `'[' || ${object({
  features: `'[{"$type":"app.bsky.richtext.facet#tag","tag":"' || ${word(30)} ||
    '"}]'`,
  index: object({ byteEnd: h(31, 200), byteStart: h(32, 50) }) })} || ']'`
const embed = `'{"$type":"app.bsky.embed.images","images":[' || ${object({
  alt: quoted(text),
  aspectRatio: object({ height: h(33, 2000), width: h(34, 2000) }),
  image: object({ $type: "'\"blob\"'",
    ref: object({ $link: quoted(cid(35)) }), mimeType: "'\"image/jpeg\"'",
    size: h(36, 1000000) }) })} || ']}'`
const languages = `'["' || ${language} || '"]'`
const post = `CASE ${h(21, 10)} WHEN 0 THEN ${typed({ embed, langs: languages,
    text: quoted(text) })}
  WHEN 1 THEN ${typed({ facets, langs: languages, text: quoted(text) })}
  WHEN 2 THEN ${typed({ text: quoted(text) })}
  WHEN 3 THEN ${typed({ langs: languages, text: quoted(text) })}
  ELSE ${typed({ langs: languages, reply, text: quoted(text) })} END`
const profile = typed({ description: quoted(text), displayName:
  quoted(word(37)) })
const record = `CASE
  WHEN collection IN ('app.bsky.feed.like', 'app.bsky.feed.repost')
    THEN ${typed({ subject: link(22, 23, 24) })}
  WHEN collection = 'app.bsky.feed.post' THEN ${post}
  WHEN collection = 'app.bsky.actor.profile' THEN ${profile}
  ELSE ${typed({ subject: quoted(user(23)) })} END`

// Of a hundred thousand.
const shares = { 'app.bsky.feed.like': 44900, 'app.bsky.graph.follow': 77000,
  'app.bsky.feed.post': 87500, 'app.bsky.feed.repost': 94300,
  'app.bsky.graph.block': 97000, 'app.bsky.graph.listitem': 98300,
  'app.bsky.actor.profile': 99400, 'app.bsky.graph.listblock': 99700,
  'app.bsky.feed.threadgate': 99900, 'app.bsky.feed.postgate': 100000 }
const collection = `CASE ${Object.entries(shares).map(([name, below]) =>
  `WHEN ${h(3, 100000)} < ${below} THEN '${name}'`).join(' ')} END`

const commit = object({
  rev: quoted(key(10)), operation: quoted('operation'),
  collection: quoted('collection'), rkey: quoted(key(11)) })
const event = (kind, more) => object({ did: quoted('did'), time_us: 'time_us',
                                       kind: `'"${kind}"'`, ...more })
const withRecord = `left(${commit}, -1) || ',"record":' || ${record} ||
  ',"cid":' || ${quoted(cid(12))} || '}'`

export const bluesky = `
  WITH times AS (SELECT i, i * 86400 + ${h(1, 80000)} AS us
                 FROM range(${documents}) r(i)),
       facts AS (SELECT *, 1732206349000167 + us AS time_us, ${user(2)} AS did,
         ${collection} AS collection, CASE
           WHEN ${h(4, 1000)} < 930 THEN 'create' WHEN ${h(4, 1000)} < 988
           THEN 'delete' ELSE 'update' END AS operation FROM times)
  SELECT CASE ${h(5, 250)}
    WHEN 0 THEN ${event('identity', { identity: object({ did: quoted('did'),
      handle: quoted(`${word(6)} || i || '.bsky.social'`), seq: 'i + 9000000',
      time: created }) })}
    WHEN 1 THEN ${event('account', { account: object({ active: "'true'",
      did: quoted('did'), seq: 'i + 9000000', time: created }) })}
    ELSE CASE operation
      WHEN 'delete' THEN ${event('commit', { commit })}
      ELSE ${event('commit', { commit: withRecord })} END
    END AS data
  FROM facts ORDER BY i`

// --- what is asked ----------------------------------------------------------

export const paths = { did: ['$.did', 'string'],
  time_us: ['$.time_us', 'bigint'], kind: ['$.kind', 'string'],
  operation: ['$.commit.operation', 'string'],
  collection: ['$.commit.collection', 'string'] }

const created_ = of => `${of('kind')} = 'commit'
  AND ${of('operation')} = 'create'`
const posts = of => `${created_(of)} AND ${of('collection')} =
  'app.bsky.feed.post'`

// The five queries; of: how a path is written, hour: of a number of
// microseconds.
export const questions = (table, of, hour) => ({
  'Q1: collections': `SELECT ${of('collection')} AS event, count(*) AS n
    FROM ${table} GROUP BY 1 ORDER BY 2 DESC`,
  'Q2: their users': `SELECT ${of('collection')} AS event, count(*) AS n,
    count(DISTINCT ${of('did')}) AS users FROM ${table}
    WHERE ${created_(of)} GROUP BY 1 ORDER BY 2 DESC`,
  'Q3: hours of the day': `SELECT ${of('collection')} AS event,
    ${hour(of('time_us'))} AS hour, count(*) AS n FROM ${table}
    WHERE ${created_(of)} AND ${of('collection')} IN ('app.bsky.feed.post',
      'app.bsky.feed.repost', 'app.bsky.feed.like')
    GROUP BY 1, 2 ORDER BY 2, 1`,
  'Q4: the first to post': `SELECT ${of('did')} AS who,
    min(${of('time_us')}) AS first FROM ${table} WHERE ${posts(of)}
    GROUP BY 1 ORDER BY 2 LIMIT 3`,
  'Q5: the longest active': `SELECT ${of('did')} AS who,
    max(${of('time_us')}) - min(${of('time_us')}) AS span FROM ${table}
    WHERE ${posts(of)} GROUP BY 1 ORDER BY 2 DESC LIMIT 3`
})
