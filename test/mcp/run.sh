#!/bin/sh
# Runs test_mcp.mjs in a folder of the build.
#
#   run.sh SOURCE_ROOT FOLDER
set -eu
# shellcheck source=test/support/npm.sh
. "$1/test/support/npm.sh"

npm_folder "$1/test/mcp" "$2"
node_test test_mcp.mjs
