#!/bin/sh
# Holds the requests of test/data/vlm against the types of the vendors' own SDKs (sdk_types.mjs), in a folder of the build.
#
#   sdk_types.sh SOURCE_ROOT FOLDER AGENT_BODIES
set -eu
# shellcheck source=test/support/npm.sh
. "$1/test/support/npm.sh"
# shellcheck disable=SC2034 # for skip()
skipped=77

npm_folder "$1/test/npm" "$2"
exec node sdk_types.mjs "$1/test/data/vlm" "$3" "$1/common/agent/queries.def"
