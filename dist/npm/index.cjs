// Where the library for this machine is.  npm installs it as one of the optional
// dependencies: the one whose "os", "cpu" and "libc" are those of the machine.
'use strict'
const { optionalDependencies } = require('./package.json')

// A Linux whose Node was not linked with glibc has musl.
function libc() {
  return process.platform === 'linux' &&
    !process.report.getReport().header.glibcVersionRuntime ? 'musl-' : ''
}

function getLoadablePath() {
  const platform = `${process.platform}-${libc()}${process.arch}`
  const name = `sqlite-parquet-${platform}`
  if (!(name in optionalDependencies)) {
    const all = Object.keys(optionalDependencies)
      .map(x => x.replace('sqlite-parquet-', ''))
    throw new Error(`sqlite-parquet has no library for ${platform}, only for ` +
      all.join(' and '))
  }
  try {
    const ending = { win32: 'dll', darwin: 'dylib' }[process.platform] ?? 'so'
    return require.resolve(`${name}/parquet.${ending}`)
  } catch (cause) {
    throw new Error(`${name} is not installed: install without ` +
      '--omit=optional, on the machine that it runs on', { cause })
  }
}

function load(db) {
  return db.loadExtension(getLoadablePath())
}

module.exports = { getLoadablePath, load }
