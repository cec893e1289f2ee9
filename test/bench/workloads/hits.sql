-- hits.sql - what ClickBench asks of its table of page views, so that SQLite
-- and DuckDB take the same text.
--
-- A number in braces is meant for 100 million rows and is scaled to those that
-- are there.  sums(0, 89) stands for sum(ResolutionWidth + 0), ... + 89.
--
-- A query begins with a line that names it.

-- 1
SELECT count(*) FROM hits;
-- 2
SELECT count(*) FROM hits WHERE AdvEngineID <> 0;
-- 3
SELECT sum(AdvEngineID), count(*), avg(ResolutionWidth) FROM hits;
-- 4
SELECT avg(UserID) FROM hits;
-- 5
SELECT count(DISTINCT UserID) FROM hits;
-- 6
SELECT count(DISTINCT SearchPhrase) FROM hits;
-- 7
SELECT min(EventDate), max(EventDate) FROM hits;
-- 8
SELECT AdvEngineID, count(*) AS c FROM hits
WHERE AdvEngineID <> 0 GROUP BY AdvEngineID ORDER BY c DESC;
-- 9
SELECT RegionID, count(DISTINCT UserID) AS u FROM hits
GROUP BY RegionID ORDER BY u DESC LIMIT 10;
-- 10
SELECT RegionID, sum(AdvEngineID), count(*) AS c, avg(ResolutionWidth),
       count(DISTINCT UserID)
FROM hits GROUP BY RegionID ORDER BY c DESC LIMIT 10;
-- 11
SELECT MobilePhoneModel, count(DISTINCT UserID) AS u FROM hits
WHERE MobilePhoneModel <> ''
GROUP BY MobilePhoneModel ORDER BY u DESC LIMIT 10;
-- 12
SELECT MobilePhone, MobilePhoneModel, count(DISTINCT UserID) AS u FROM hits
WHERE MobilePhoneModel <> ''
GROUP BY MobilePhone, MobilePhoneModel ORDER BY u DESC LIMIT 10;
-- 13
SELECT SearchPhrase, count(*) AS c FROM hits
WHERE SearchPhrase <> '' GROUP BY SearchPhrase ORDER BY c DESC LIMIT 10;
-- 14
SELECT SearchPhrase, count(DISTINCT UserID) AS u FROM hits
WHERE SearchPhrase <> '' GROUP BY SearchPhrase ORDER BY u DESC LIMIT 10;
-- 15
SELECT SearchEngineID, SearchPhrase, count(*) AS c FROM hits
WHERE SearchPhrase <> ''
GROUP BY SearchEngineID, SearchPhrase ORDER BY c DESC LIMIT 10;
-- 16
SELECT UserID, count(*) AS c FROM hits
GROUP BY UserID ORDER BY c DESC LIMIT 10;
-- 17
SELECT UserID, SearchPhrase, count(*) AS c FROM hits
GROUP BY UserID, SearchPhrase ORDER BY c DESC LIMIT 10;
-- 18
SELECT UserID, SearchPhrase, count(*) AS c FROM hits
GROUP BY UserID, SearchPhrase LIMIT 10;
-- 19
SELECT UserID, strftime('%M', EventTime) AS m, SearchPhrase, count(*) AS c
FROM hits GROUP BY UserID, m, SearchPhrase ORDER BY c DESC LIMIT 10;
-- 20
SELECT UserID FROM hits WHERE UserID = 435090932899640449;
-- 21
SELECT count(*) FROM hits WHERE URL LIKE '%google%';
-- 22
SELECT SearchPhrase, min(URL), count(*) AS c FROM hits
WHERE URL LIKE '%google%' AND SearchPhrase <> ''
GROUP BY SearchPhrase ORDER BY c DESC LIMIT 10;
-- 23
SELECT SearchPhrase, min(URL), min(Title), count(*) AS c,
       count(DISTINCT UserID)
FROM hits
WHERE Title LIKE '%Google%' AND URL NOT LIKE '%.google.%'
  AND SearchPhrase <> ''
GROUP BY SearchPhrase ORDER BY c DESC LIMIT 10;
-- 24
SELECT * FROM hits WHERE URL LIKE '%google%' ORDER BY EventTime LIMIT 10;
-- 25
SELECT SearchPhrase FROM hits
WHERE SearchPhrase <> '' ORDER BY EventTime LIMIT 10;
-- 26
SELECT SearchPhrase FROM hits
WHERE SearchPhrase <> '' ORDER BY SearchPhrase LIMIT 10;
-- 27
SELECT SearchPhrase FROM hits
WHERE SearchPhrase <> '' ORDER BY EventTime, SearchPhrase LIMIT 10;
-- 28
SELECT CounterID, avg(length(URL)) AS l, count(*) AS c FROM hits
WHERE URL <> '' GROUP BY CounterID HAVING count(*) > {100000}
ORDER BY l DESC LIMIT 25;
-- 29
SELECT CASE WHEN substr(host, 1, 4) = 'www.' THEN substr(host, 5)
            ELSE host END AS k,
       avg(length(Referer)) AS l, count(*) AS c, min(Referer)
FROM (SELECT Referer, CASE WHEN instr(rest, '/') > 0
               THEN substr(rest, 1, instr(rest, '/') - 1) ELSE rest END AS host
      FROM (SELECT Referer, substr(Referer, instr(Referer, '://') + 3) AS rest
            FROM hits WHERE Referer <> '') AS after_protocol) AS hosts
GROUP BY k HAVING count(*) > {100000} ORDER BY l DESC LIMIT 25;
-- 30
SELECT sums(0, 89) FROM hits;
-- 31
SELECT SearchEngineID, ClientIP, count(*) AS c, sum(IsRefresh),
       avg(ResolutionWidth)
FROM hits WHERE SearchPhrase <> ''
GROUP BY SearchEngineID, ClientIP ORDER BY c DESC LIMIT 10;
-- 32
SELECT WatchID, ClientIP, count(*) AS c, sum(IsRefresh), avg(ResolutionWidth)
FROM hits WHERE SearchPhrase <> ''
GROUP BY WatchID, ClientIP ORDER BY c DESC LIMIT 10;
-- 33
SELECT WatchID, ClientIP, count(*) AS c, sum(IsRefresh), avg(ResolutionWidth)
FROM hits GROUP BY WatchID, ClientIP ORDER BY c DESC LIMIT 10;
-- 34
SELECT URL, count(*) AS c FROM hits GROUP BY URL ORDER BY c DESC LIMIT 10;
-- 35
SELECT 1, URL, count(*) AS c FROM hits
GROUP BY 1, URL ORDER BY c DESC LIMIT 10;
-- 36
SELECT ClientIP, ClientIP - 1, ClientIP - 2, ClientIP - 3, count(*) AS c
FROM hits GROUP BY ClientIP, ClientIP - 1, ClientIP - 2, ClientIP - 3
ORDER BY c DESC LIMIT 10;
-- 37
SELECT URL, count(*) AS views FROM hits
WHERE CounterID = 62
  AND EventDate >= '2013-07-01' AND EventDate <= '2013-07-31'
  AND DontCountHits = 0 AND IsRefresh = 0 AND URL <> ''
GROUP BY URL ORDER BY views DESC LIMIT 10;
-- 38
SELECT Title, count(*) AS views FROM hits
WHERE CounterID = 62
  AND EventDate >= '2013-07-01' AND EventDate <= '2013-07-31'
  AND DontCountHits = 0 AND IsRefresh = 0 AND Title <> ''
GROUP BY Title ORDER BY views DESC LIMIT 10;
-- 39
SELECT URL, count(*) AS views FROM hits
WHERE CounterID = 62
  AND EventDate >= '2013-07-01' AND EventDate <= '2013-07-31'
  AND IsRefresh = 0 AND IsLink <> 0 AND IsDownload = 0
GROUP BY URL ORDER BY views DESC LIMIT 10 OFFSET {1000};
-- 40
SELECT TraficSourceID, SearchEngineID, AdvEngineID,
       CASE WHEN SearchEngineID = 0 AND AdvEngineID = 0 THEN Referer
            ELSE '' END AS source,
       URL AS destination, count(*) AS views
FROM hits
WHERE CounterID = 62
  AND EventDate >= '2013-07-01' AND EventDate <= '2013-07-31'
  AND IsRefresh = 0
GROUP BY TraficSourceID, SearchEngineID, AdvEngineID, source, destination
ORDER BY views DESC LIMIT 10 OFFSET {1000};
-- 41
SELECT URLHash, EventDate, count(*) AS views FROM hits
WHERE CounterID = 62
  AND EventDate >= '2013-07-01' AND EventDate <= '2013-07-31'
  AND IsRefresh = 0 AND TraficSourceID IN (-1, 6)
  AND RefererHash = 3594120000172545465
GROUP BY URLHash, EventDate ORDER BY views DESC LIMIT 10 OFFSET {100};
-- 42
SELECT WindowClientWidth, WindowClientHeight, count(*) AS views FROM hits
WHERE CounterID = 62
  AND EventDate >= '2013-07-01' AND EventDate <= '2013-07-31'
  AND IsRefresh = 0 AND DontCountHits = 0 AND URLHash = 2868770270353813622
GROUP BY WindowClientWidth, WindowClientHeight
ORDER BY views DESC LIMIT 10 OFFSET {10000};
-- 43
SELECT strftime('%Y-%m-%d %H:%M', EventTime) AS m, count(*) AS views FROM hits
WHERE CounterID = 62
  AND EventDate >= '2013-07-14' AND EventDate <= '2013-07-15'
  AND IsRefresh = 0 AND DontCountHits = 0
GROUP BY m ORDER BY m LIMIT 10 OFFSET {1000};
