-- hits_rollup.sql - the questions of hits.sql, asked of one rollup over the same
-- table, as the manual writes them.  Five are not here, since they ask for rows:
-- 20, 24, 25, 26 and 27.
--
-- The definition comes first.  Its text is inside quotes, so each of its quotes
-- is written twice.

-- 0
AdvEngineID, UserID, SearchPhrase, EventDate, RegionID, MobilePhone,
MobilePhoneModel, SearchEngineID, URL, Title, CounterID, WatchID, ClientIP,
Referer, IsRefresh, DontCountHits, IsLink, IsDownload, TraficSourceID, URLHash,
RefererHash, WindowClientWidth, WindowClientHeight,
strftime(''%M'', EventTime) AS minute,
strftime(''%Y-%m-%d %H:%M'', EventTime) AS moment,
AdvEngineID <> 0 AS advertised, SearchPhrase <> '''' AS searched,
URL <> '''' AS has_url, Title <> '''' AS has_title, Referer <> '''' AS referred,
URL LIKE ''%google%'' AS google_url, URL LIKE ''%.google.%'' AS google_host,
Title LIKE ''%Google%'' AS google_title,
CASE WHEN substr(Referer, instr(Referer, ''://'') + 3, 4) = ''www.''
     THEN substr(Referer, instr(Referer, ''://'') + 7,
                 instr(substr(Referer, instr(Referer, ''://'') + 7) || ''/'', ''/'') - 1)
     ELSE substr(Referer, instr(Referer, ''://'') + 3,
                 instr(substr(Referer, instr(Referer, ''://'') + 3) || ''/'', ''/'') - 1)
     END AS host,
count(*) AS n, sum(AdvEngineID) AS adverts, sum(ResolutionWidth) AS widths,
sum(UserID * 1.0) AS users, sum(IsRefresh) AS refreshes,
sum(length(URL)) AS url_length, sum(length(Referer)) AS referer_length,
min(EventDate) AS first_day, max(EventDate) AS last_day, min(URL) AS first_url,
min(Title) AS first_title, min(Referer) AS first_referer;
-- 1
SELECT n FROM cube;
-- 2
SELECT sum(n) FROM cube WHERE advertised;
-- 3
SELECT adverts, n, widths * 1.0 / n FROM cube;
-- 4
SELECT users / n FROM cube;
-- 5
SELECT count(UserID) FROM cube;
-- 6
SELECT count(SearchPhrase) FROM cube;
-- 7
SELECT first_day, last_day FROM cube;
-- 8
SELECT AdvEngineID, sum(n) AS c FROM cube
WHERE advertised GROUP BY AdvEngineID ORDER BY c DESC;
-- 9
SELECT RegionID, count(UserID) AS u FROM cube
GROUP BY RegionID ORDER BY u DESC LIMIT 10;
-- 10
SELECT RegionID, sum(adverts), sum(n) AS c, sum(widths) * 1.0 / sum(n),
       count(UserID)
FROM cube GROUP BY RegionID ORDER BY c DESC LIMIT 10;
-- 11
SELECT MobilePhoneModel, count(UserID) AS u FROM cube
WHERE MobilePhoneModel <> ''
GROUP BY MobilePhoneModel ORDER BY u DESC LIMIT 10;
-- 12
SELECT MobilePhone, MobilePhoneModel, count(UserID) AS u FROM cube
WHERE MobilePhoneModel <> ''
GROUP BY MobilePhone, MobilePhoneModel ORDER BY u DESC LIMIT 10;
-- 13
SELECT SearchPhrase, sum(n) AS c FROM cube
WHERE searched GROUP BY SearchPhrase ORDER BY c DESC LIMIT 10;
-- 14
SELECT SearchPhrase, count(UserID) AS u FROM cube
WHERE searched GROUP BY SearchPhrase ORDER BY u DESC LIMIT 10;
-- 15
SELECT SearchEngineID, SearchPhrase, sum(n) AS c FROM cube
WHERE searched
GROUP BY SearchEngineID, SearchPhrase ORDER BY c DESC LIMIT 10;
-- 16
SELECT UserID, sum(n) AS c FROM cube
GROUP BY UserID ORDER BY c DESC LIMIT 10;
-- 17
SELECT UserID, SearchPhrase, sum(n) AS c FROM cube
GROUP BY UserID, SearchPhrase ORDER BY c DESC LIMIT 10;
-- 18
SELECT UserID, SearchPhrase, sum(n) AS c FROM cube
GROUP BY UserID, SearchPhrase LIMIT 10;
-- 19
SELECT UserID, minute, SearchPhrase, sum(n) AS c
FROM cube GROUP BY UserID, minute, SearchPhrase ORDER BY c DESC LIMIT 10;
-- 21
SELECT sum(n) FROM cube WHERE google_url;
-- 22
SELECT SearchPhrase, min(first_url), sum(n) AS c FROM cube
WHERE google_url AND searched
GROUP BY SearchPhrase ORDER BY c DESC LIMIT 10;
-- 23
SELECT SearchPhrase, min(first_url), min(first_title), sum(n) AS c, count(UserID)
FROM cube
WHERE google_title AND NOT google_host AND searched
GROUP BY SearchPhrase ORDER BY c DESC LIMIT 10;
-- 28
SELECT CounterID, sum(url_length) * 1.0 / sum(n) AS l, sum(n) AS c FROM cube
WHERE has_url GROUP BY CounterID HAVING sum(n) > {100000}
ORDER BY l DESC LIMIT 25;
-- 29
SELECT host, sum(referer_length) * 1.0 / sum(n) AS l, sum(n) AS c,
       min(first_referer)
FROM cube WHERE referred
GROUP BY host HAVING sum(n) > {100000} ORDER BY l DESC LIMIT 25;
-- 30
SELECT rollup_sums(0, 89) FROM cube;
-- 31
SELECT SearchEngineID, ClientIP, sum(n) AS c, sum(refreshes),
       sum(widths) * 1.0 / sum(n)
FROM cube WHERE searched
GROUP BY SearchEngineID, ClientIP ORDER BY c DESC LIMIT 10;
-- 32
SELECT WatchID, ClientIP, sum(n) AS c, sum(refreshes),
       sum(widths) * 1.0 / sum(n)
FROM cube WHERE searched
GROUP BY WatchID, ClientIP ORDER BY c DESC LIMIT 10;
-- 33
SELECT WatchID, ClientIP, sum(n) AS c, sum(refreshes),
       sum(widths) * 1.0 / sum(n)
FROM cube GROUP BY WatchID, ClientIP ORDER BY c DESC LIMIT 10;
-- 34
SELECT URL, sum(n) AS c FROM cube GROUP BY URL ORDER BY c DESC LIMIT 10;
-- 35
SELECT 1, URL, sum(n) AS c FROM cube
GROUP BY 1, URL ORDER BY c DESC LIMIT 10;
-- 36
SELECT ClientIP, ClientIP - 1, ClientIP - 2, ClientIP - 3, sum(n) AS c
FROM cube GROUP BY ClientIP ORDER BY c DESC LIMIT 10;
-- 37
SELECT URL, sum(n) AS views FROM cube
WHERE CounterID = 62
  AND EventDate >= '2013-07-01' AND EventDate <= '2013-07-31'
  AND DontCountHits = 0 AND IsRefresh = 0 AND has_url
GROUP BY URL ORDER BY views DESC LIMIT 10;
-- 38
SELECT Title, sum(n) AS views FROM cube
WHERE CounterID = 62
  AND EventDate >= '2013-07-01' AND EventDate <= '2013-07-31'
  AND DontCountHits = 0 AND IsRefresh = 0 AND has_title
GROUP BY Title ORDER BY views DESC LIMIT 10;
-- 39
SELECT URL, sum(n) AS views FROM cube
WHERE CounterID = 62
  AND EventDate >= '2013-07-01' AND EventDate <= '2013-07-31'
  AND IsRefresh = 0 AND IsLink = 1 AND IsDownload = 0
GROUP BY URL ORDER BY views DESC LIMIT 10 OFFSET {1000};
-- 40
SELECT TraficSourceID, SearchEngineID, AdvEngineID,
       CASE WHEN SearchEngineID = 0 AND AdvEngineID = 0 THEN Referer
            ELSE '' END AS source,
       URL AS destination, sum(n) AS views
FROM cube
WHERE CounterID = 62
  AND EventDate >= '2013-07-01' AND EventDate <= '2013-07-31'
  AND IsRefresh = 0
GROUP BY TraficSourceID, SearchEngineID, AdvEngineID, source, destination
ORDER BY views DESC LIMIT 10 OFFSET {1000};
-- 41
SELECT URLHash, EventDate, sum(n) AS views FROM cube
WHERE CounterID = 62
  AND EventDate >= '2013-07-01' AND EventDate <= '2013-07-31'
  AND IsRefresh = 0 AND TraficSourceID IN (-1, 6)
  AND RefererHash = 3594120000172545465
GROUP BY URLHash, EventDate ORDER BY views DESC LIMIT 10 OFFSET {100};
-- 42
SELECT WindowClientWidth, WindowClientHeight, sum(n) AS views FROM cube
WHERE CounterID = 62
  AND EventDate >= '2013-07-01' AND EventDate <= '2013-07-31'
  AND IsRefresh = 0 AND DontCountHits = 0 AND URLHash = 2868770270353813622
GROUP BY WindowClientWidth, WindowClientHeight
ORDER BY views DESC LIMIT 10 OFFSET {10000};
-- 43
SELECT moment, sum(n) AS views FROM cube
WHERE CounterID = 62
  AND EventDate >= '2013-07-14' AND EventDate <= '2013-07-15'
  AND IsRefresh = 0 AND DontCountHits = 0
GROUP BY moment ORDER BY moment LIMIT 10 OFFSET {1000};
