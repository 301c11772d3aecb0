#!/bin/sh
# Runs a test in a folder of the build.
#
#   run.sh SOURCE_ROOT FOLDER TEST.mjs [ARGUMENT...]
set -eu
# shellcheck source=test/support/npm.sh
. "$1/test/support/npm.sh"

npm_folder "$1/test/ros2" "$2"
shift 2
node_test "$@"
