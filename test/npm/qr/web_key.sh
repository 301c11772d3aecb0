#!/bin/sh
# Draws the code of `cairn web-key` and has it read by another program.
#
#   web_key.sh SOURCE_ROOT FOLDER CAIRN
set -eu
# shellcheck source=test/support/npm.sh
. "$1/test/support/npm.sh"

npm_folder "$1/test/npm/qr" "$2"
CAIRN_PROGRAM=$3 node_test test_web_key.mjs
