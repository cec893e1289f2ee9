// hits.mjs - a table of page views with the columns and the skew of
// ClickBench's hits, from row numbers.
//
// What the queries feel is as it is there: rows lie in four parts, each sorted
// by counter, date and user; one search phrase in eight is not empty; 0.6 % of
// the rows have an advertisement; users, pages, phrases and regions have few
// values that are very frequent and a long tail; two rows in 10,000 have a URL
// with 'google'.  Columns that no query asks for are there for SELECT *: zeros,
// flags, numbers or texts.
//
// Random numbers are hashes of the row number.  Powers of them are products,
// which every machine rounds alike.

// The numbers that queries name.
const user = 435090932899640449n, counter = 62
const home = 2868770270353813622n, search = 3594120000172545465n

const h = (salt, n) => `(hash(i * 256 + ${salt}) % ${n})::BIGINT`
const u = salt => `((hash(i * 256 + ${salt}) % 1000003) / 1000003.0::DOUBLE)`
const skewed = (salt, n, power) =>
  `floor(${n} * ${Array(power).fill(u(salt)).join(' * ')})::BIGINT`
const pick = (list, at) =>
  `(['${list.join("', '")}'])[1 + ((${at}) % ${list.length})::BIGINT]`
const among = (salt, list) => `([${list.join(', ')}])[1 + ${h(salt, list.length)}]`
const of = (key, salt) => `hash(${key} * 256 + ${salt})`

const latin = ('shop news auto game music photo forum video travel moda ' +
  'sport market kino house cat garden book radio weather job').split(' ')
const cyrillic = ('купить скачать смотреть онлайн бесплатно москва цена фото ' +
  'игры рецепт отзывы погода новости авто недорого детские своими руками ' +
  'сериал погода карта как сделать украина квартиры работа ремонт кухни ' +
  'платья обувь телефон форум перевод песни фильм лучшие').split(' ')
const models = ['iPad', 'iPhone', 'A500', 'N8-00', 'ONE TOUCH 6030A',
  'GT-P7300B', '3110000', 'GT-I9500', 'eagle75', 'Lumia 920',
  ...Array.from({ length: 150 }, (_, k) => `GT-S${5000 + k * 13}`)]
const phrase = key => `${pick(cyrillic, of(key, 21))} || ' ' ||
  ${pick(cyrillic, of(key, 22))} || CASE WHEN ${of(key, 23)} % 3 > 0
    THEN ' ' || ${pick(cyrillic, of(key, 24))} ELSE '' END`
const host = key => `${pick(latin, of(key, 31))} || '-' || ${
  pick(latin, of(key, 32))} || (${key}) || '.ru'`
const page = (counter, page) => `'http://' || ${host(counter)} || '/' ||
  CASE WHEN ${page} = 0 THEN '' ELSE
    ${pick(latin, of(page, 33))} || '/' || ${pick(latin, of(page, 34))} ||
    '/index.php?page=' || ${page} || '&ref=' || to_hex(${of(page, 35)})[1:8] END`

// Of each row what its columns are made of.
const drawn = rows => `
  SELECT i, i * 4 // ${rows} AS part,
         ${skewed(1, Math.ceil(rows / 5), 3)} AS user,
         ${skewed(2, 6500, 3)} AS site,
         ${skewed(3, 1000, 9)} AS page,
         ${skewed(4, 1000, 9)} AS from_page,
         DATE '2013-07-01' + ${h(5, 31)}::INTEGER AS day,
         ${h(6, 43200)} + ${h(7, 43200)} AS second,
         CASE WHEN ${h(8, 1000)} < 132 THEN ${
  skewed(9, Math.ceil(rows / 8), 2)} END AS phrase,
         CASE WHEN ${h(10, 1000)} < 52 THEN ${
  skewed(11, models.length, 3)} END AS model
  FROM range(${rows}) r(i)`

const named = `
  SELECT *, day + to_seconds(second) AS moment,
         CASE site WHEN 1 THEN ${counter} ELSE 70 + hash(site) % 200000 END
           AS counter,
         CASE WHEN ${h(12, 10000)} < 2
           THEN 'http://www.google.ru/search?q=' || i ELSE ${
  page('site', 'page')} END AS url,
         CASE WHEN ${h(13, 10)} < 2 THEN ''
              WHEN phrase IS NOT NULL OR ${h(13, 10)} < 4
                THEN ${pick(['http://yandex.ru/yandsearch?text=',
    'https://www.google.ru/search?q=', 'http://go.mail.ru/search?q='],
  h(14, 3))} || coalesce(phrase, site)
              ELSE ${page('site', 'from_page')} END AS referer
  FROM drawn`

const address = '(hash(user // 2) % 4294967290)::BIGINT - 2147483640'
const zero = '0', flag = '?', number = '#', text = "''"

// Column, type, and what it is made of.
const columns = [
  ['WatchID', 'BIGINT', '(hash(i * 2 + 1) // 2)'],
  ['JavaEnable', 'SMALLINT', flag],
  ['Title', 'VARCHAR', `CASE WHEN ${h(15, 10000)} < 5 THEN 'Google ' || i
    WHEN ${h(15, 10)} = 1 THEN '' ELSE ${phrase('(site * 3000 + page)')} ||
    ' - ' || ${host('site')} END`],
  ['GoodEvent', 'SMALLINT', '1'],
  ['EventTime', 'TIMESTAMP', 'moment'],
  ['EventDate', 'DATE', 'day'],
  ['CounterID', 'INTEGER', 'counter'],
  ['ClientIP', 'INTEGER', address],
  ['RegionID', 'INTEGER', `(CASE WHEN ${of('user', 2)} % 5 = 0 THEN 229 ELSE
    1 + ((${of('user', 3)} % 1000) * (${of('user', 4)} % 1000)) // 200 END)`],
  ['UserID', 'BIGINT', `CASE user WHEN ${'{named user}'} THEN ${user}
    ELSE hash(user * 8 + 5) // 2 END`],
  ['CounterClass', 'SMALLINT', zero],
  ['OS', 'SMALLINT', `${of('user', 5)} % 44`],
  ['UserAgent', 'SMALLINT', `${of('user', 6)} % 82`],
  ['URL', 'VARCHAR', 'url'],
  ['Referer', 'VARCHAR', 'referer'],
  ['IsRefresh', 'SMALLINT', `(${h(16, 100)} < 15)`],
  ['RefererCategoryID', 'SMALLINT', number],
  ['RefererRegionID', 'INTEGER', number],
  ['URLCategoryID', 'SMALLINT', number],
  ['URLRegionID', 'INTEGER', number],
  ['ResolutionWidth', 'SMALLINT',
    among(17, [1638, 1996, 1087, 1368, 1750, 1828, 1297, 1917, 0, 339])],
  ['ResolutionHeight', 'SMALLINT',
    among(18, [1658, 952, 768, 1052, 889, 0, 773, 546])],
  ['ResolutionDepth', 'SMALLINT', among(19, [37, 29, 23, 0])],
  ['FlashMajor', 'SMALLINT', flag],
  ['FlashMinor', 'SMALLINT', flag],
  ['FlashMinor2', 'VARCHAR', `${pick(['', '700', '224', '270', '7.2'], h(20, 5))}`],
  ['NetMajor', 'SMALLINT', zero],
  ['NetMinor', 'SMALLINT', zero],
  ['UserAgentMajor', 'SMALLINT', `${of('user', 7)} % 30`],
  ['UserAgentMinor', 'VARCHAR', `${pick(['D\ufffd', '31', '0', 'tx', 'n'], of('user', 8))}`],
  ['CookieEnable', 'SMALLINT', '1'],
  ['JavascriptEnable', 'SMALLINT', '1'],
  ['IsMobile', 'SMALLINT', '(model IS NOT NULL)'],
  ['MobilePhone', 'SMALLINT', 'CASE WHEN model IS NULL THEN 0 ELSE 1 + model // 9 END'],
  ['MobilePhoneModel', 'VARCHAR', `coalesce(${pick(models, 'model')}, '')`],
  ['Params', 'VARCHAR', text],
  ['IPNetworkID', 'INTEGER', `${of('user', 9)} % 4200000`],
  ['TraficSourceID', 'SMALLINT',
    among(25, [-1, -1, 0, 0, 0, 1, 1, 2, 3, 4, 5, 6])],
  ['SearchEngineID', 'SMALLINT',
    `CASE WHEN phrase IS NULL THEN 0 ELSE ${among(26, [2, 2, 2, 3, 3, 13, 28])} END`],
  ['SearchPhrase', 'VARCHAR',
    `CASE WHEN phrase IS NULL THEN '' ELSE ${phrase('phrase')} ||
     CASE WHEN phrase % 2 = 0 THEN ' ' || phrase ELSE '' END END`],
  ['AdvEngineID', 'SMALLINT', `CASE WHEN ${h(27, 10000)} < 63 THEN ${
    among(28, [2, 2, 2, 2, 27, 13, 45, 44, 3, 62, 52, 50, 28, 53, 25, 61, 21])}
    ELSE 0 END`],
  ['IsArtifical', 'SMALLINT', zero],
  ['WindowClientWidth', 'SMALLINT', h(40, 1900)],
  ['WindowClientHeight', 'SMALLINT', h(41, 1000)],
  ['ClientTimeZone', 'SMALLINT', among(42, [-1, 135, 147, 181])],
  ['ClientEventTime', 'TIMESTAMP', `moment + to_seconds(${h(43, 3600)})`],
  ['SilverlightVersion1', 'SMALLINT', flag],
  ['SilverlightVersion2', 'SMALLINT', flag],
  ['SilverlightVersion3', 'INTEGER', number],
  ['SilverlightVersion4', 'SMALLINT', zero],
  ['PageCharset', 'VARCHAR', `${pick(['utf-8', 'windows-1251', ''], h(44, 3))}`],
  ['CodeVersion', 'INTEGER', among(45, [1, 291, 433, 1601])],
  ['IsLink', 'SMALLINT', `(${h(46, 100)} < 20)`],
  ['IsDownload', 'SMALLINT', `(${h(47, 1000)} < 3)`],
  ['IsNotBounce', 'SMALLINT', flag],
  ['FUniqID', 'BIGINT', 'hash(user * 16 + 3) // 2'],
  ['OriginalURL', 'VARCHAR', `CASE WHEN ${h(48, 20)} = 0 THEN url ELSE '' END`],
  ['HID', 'INTEGER', h(49, 1073741824)],
  ['IsOldCounter', 'SMALLINT', zero],
  ['IsEvent', 'SMALLINT', zero],
  ['IsParameter', 'SMALLINT', zero],
  ['DontCountHits', 'SMALLINT', `(${h(50, 100)} < 12)`],
  ['WithHash', 'SMALLINT', zero],
  ['HitColor', 'VARCHAR', `${pick(['E', 'S', '5', 'D'], h(51, 4))}`],
  ['LocalEventTime', 'TIMESTAMP', `moment + to_hours(${h(52, 4)})`],
  ['Age', 'SMALLINT', among(53, [0, 16, 22, 31, 39, 55])],
  ['Sex', 'SMALLINT', among(54, [0, 1, 2])],
  ['Income', 'SMALLINT', among(55, [0, 1, 2, 3])],
  ['Interests', 'SMALLINT', number],
  ['Robotness', 'SMALLINT', among(56, [0, 0, 0, 0, 1, 2, 5])],
  ['RemoteIP', 'INTEGER', address],
  ['WindowName', 'INTEGER', number],
  ['OpenerName', 'INTEGER', number],
  ['HistoryLength', 'SMALLINT', h(57, 30)],
  ['BrowserLanguage', 'VARCHAR', `${pick(['S0', 'ru', 'en', 'uk'], h(58, 4))}`],
  ['BrowserCountry', 'VARCHAR', `${pick(['S\ufffd', 'RU', 'UA', 'BY'], h(59, 4))}`],
  ['SocialNetwork', 'VARCHAR', text],
  ['SocialAction', 'VARCHAR', text],
  ['HTTPError', 'SMALLINT', zero],
  ['SendTiming', 'INTEGER', number],
  ['DNSTiming', 'INTEGER', number],
  ['ConnectTiming', 'INTEGER', number],
  ['ResponseStartTiming', 'INTEGER', number],
  ['ResponseEndTiming', 'INTEGER', number],
  ['FetchTiming', 'INTEGER', number],
  ['SocialSourceNetworkID', 'SMALLINT', zero],
  ['SocialSourcePage', 'VARCHAR', text],
  ['ParamPrice', 'BIGINT', zero],
  ['ParamOrderID', 'VARCHAR', text],
  ['ParamCurrency', 'VARCHAR', "'NH\u001c'"],
  ['ParamCurrencyID', 'SMALLINT', zero],
  ['OpenstatServiceName', 'VARCHAR', text],
  ['OpenstatCampaignID', 'VARCHAR', text],
  ['OpenstatAdID', 'VARCHAR', text],
  ['OpenstatSourceID', 'VARCHAR', text],
  ['UTMSource', 'VARCHAR', `CASE WHEN ${h(60, 50)} = 0 THEN 'direct' ELSE '' END`],
  ['UTMMedium', 'VARCHAR', `CASE WHEN ${h(60, 50)} = 0 THEN 'cpc' ELSE '' END`],
  ['UTMCampaign', 'VARCHAR', `CASE WHEN ${h(60, 50)} = 0 THEN 'c' || site ELSE '' END`],
  ['UTMContent', 'VARCHAR', text],
  ['UTMTerm', 'VARCHAR', text],
  ['FromTag', 'VARCHAR', text],
  ['HasGCLID', 'SMALLINT', zero],
  ['RefererHash', 'BIGINT', `CASE WHEN counter = ${counter} AND ${h(61, 20)} = 0
    THEN ${search} ELSE hash(referer) // 2 END`],
  ['URLHash', 'BIGINT', `CASE WHEN counter = ${counter} AND page = 0
    THEN ${home} ELSE hash(url) // 2 END`],
  ['CLID', 'INTEGER', zero]
]

const made = (what, at) => what === flag ? h(100 + at, 2)
  : what === number ? `CASE WHEN ${h(100 + at, 3)} = 0 THEN 0 ELSE ${
    h(200 + at % 50, 9000)} END` : what

// The statement that makes so many rows.
export const hitsTable = rows => `
  WITH drawn AS (${drawn(rows)}), named AS (${named}), made AS (
    SELECT part, i AS row_number, ${columns.map(([name, type, what], at) =>
    `(${made(what, at).replace('{named user}', Math.ceil(rows / 15))})::${type}
      AS "${name}"`).join(', ')} FROM named)
  SELECT ${columns.map(([name]) => `"${name}"`).join(', ')} FROM made
  ORDER BY part, "CounterID", "EventDate", hash("UserID"), row_number`
export const hitsColumns = columns.map(([name]) => name)
