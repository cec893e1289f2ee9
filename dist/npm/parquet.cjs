#!/usr/bin/env node
// Runs the program parquet of this machine: npx parquet trips.parquet
'use strict'
const { spawnSync } = require('child_process')
const { dirname, join } = require('path')
const { constants } = require('os')

const program = join(dirname(require('./index.cjs').getLoadablePath()), 'parquet')
const { error, status, signal } = spawnSync(program, process.argv.slice(2), { stdio: 'inherit' })
if (error) throw error
process.exitCode = status ?? 128 + constants.signals[signal]
