// Where the library for this machine is.  npm installs it as one of the optional
// dependencies: the one whose "os", "cpu" and "libc" are those of the machine.
'use strict'
const { optionalDependencies } = require('./package.json')

function getLoadablePath() {
  const platform = `${process.platform}-${process.arch}`
  const name = `sqlite-parquet-${platform}`
  if (!(name in optionalDependencies)) {
    const all = Object.keys(optionalDependencies)
      .map(x => x.replace('sqlite-parquet-', ''))
    throw new Error(`sqlite-parquet has no library for ${platform}, only for ` +
      all.join(' and '))
  }
  try {
    return require.resolve(`${name}/parquet.so`)
  } catch (cause) {
    throw new Error(`${name} is not installed: install without ` +
      '--omit=optional, on a Linux with glibc (Alpine has another C library)',
    { cause })
  }
}

function load(db) {
  return db.loadExtension(getLoadablePath())
}

module.exports = { getLoadablePath, load }
