#!/bin/sh
# Writes a recording and runs test_mcap.mjs on it in a folder of the build; without SECONDS also on a short one that is cut.
#
#   run.sh SOURCE_ROOT FOLDER SAMPLE CAIRN [SECONDS]
set -eu
# shellcheck source=test/support/npm.sh
. "$1/test/support/npm.sh"

npm_folder "$1/test/mcap" "$2"
"$3" sample.mcap "${5:-20}" >&2
"$4" recording sample.mcap --json >sample.json
rm -f bag.mcap
"$4" recording sample.mcap --ros2 bag.mcap >/dev/null
export BAG=bag.mcap CAIRN_PROGRAM="$4"
[ -z "${5-}" ] || node_test test_mcap.mjs sample.mcap sample.json
"$3" short.mcap 6 >&2
node_test test_mcap.mjs sample.mcap sample.json short.mcap
