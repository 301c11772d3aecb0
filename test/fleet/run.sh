#!/bin/sh
# Runs test_fleet.mjs in a folder of the build.
#
#   run.sh SOURCE_ROOT FOLDER
set -eu
# shellcheck source=test/support/npm.sh
. "$1/test/support/npm.sh"

npm_folder "$1/test/fleet" "$2"
node_test test_fleet.mjs "$1"
