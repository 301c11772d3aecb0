#!/bin/sh
# Runs one test of the page in a folder of the build; skips with the reason where there is no browser.
#
#   run.sh SOURCE_ROOT FOLDER TEST.mjs [ARGUMENT...]
set -eu
# shellcheck source=test/support/npm.sh
. "$1/test/support/npm.sh"

command -v chromium >/dev/null || command -v chromium-headless-shell >/dev/null ||
	skip "no chromium is installed (scripts/setup.sh --ci)"
npm_folder "$1/test/web" "$2"
export CAIRN_PAGE="$1/procs/web/page"
shift 2
node_test "$@"
