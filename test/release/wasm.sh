#!/usr/bin/env bash
# wasm.sh FOLDER - make release-wasm-check: the module in Node, and in Chromium.
set -eu
cd "$(dirname "$0")/../.."
node test/release/wasm.mjs "$1"
node test/release/browser.mjs "$1"
