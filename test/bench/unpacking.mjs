// unpacking.mjs - what the library of the codec takes, alone, to read and unpack the
// pages of some leaves (codecs.c).  No reader that uses the library and needs these
// pages takes less.

// Lists the pages.
async function list(sqlite, path, leaves) {
  await sqlite.run('DROP TABLE IF EXISTS temp.pages')
  await sqlite.run(`CREATE TABLE temp.pages AS
    SELECT '${path}' AS path, offset + header_size AS at, compressed_size AS n,
           uncompressed_size AS size, compression AS codec,
           parquet_pages.path_in_schema AS leaf
    FROM parquet_pages('${path}') JOIN parquet_metadata('${path}')
    USING (row_group_id, column_id)
    WHERE parquet_pages.path_in_schema IN
          (${leaves.map(leaf => `'${leaf}'`)})`)
  const { value } = await sqlite.run(
    `SELECT count(DISTINCT leaf) || ' leaves, ' ||
            sum(read_and_unpack(path, at, n, size, codec) IS NULL) || ' failed'
     FROM temp.pages`)
  if (value !== `${leaves.length} leaves, 0 failed`) throw new Error(value)
}

// What to measure: a list of one function; of none where no leaves are said.
export async function unpacking(sqlite, path, leaves) {
  if (!leaves) return []
  await list(sqlite, path, leaves)
  return [() => sqlite.take(
    'SELECT sum(read_and_unpack(path, at, n, size, codec)) FROM temp.pages')]
}
