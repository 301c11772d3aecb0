#!/bin/sh
# Runs one test of the page: its files and the npm packages of package-lock.json go into a folder of the build, as tests write
# nothing into the source tree. Skips with the reason where there is no browser, no node or no way to the packages.
#
#   run.sh SOURCE_ROOT FOLDER TEST.mjs [ARGUMENT...]
set -eu

source=$1 folder=$2 name=$3
shift 3

skip() {
	echo "1..0 # SKIP $1"
	exit 0
}

for program in node npm; do
	command -v $program >/dev/null || skip "$program is not installed (scripts/setup.sh --ci)"
done
command -v chromium >/dev/null || command -v chromium-headless-shell >/dev/null ||
	skip "no chromium is installed (scripts/setup.sh --ci)"

mkdir -p "$folder"
cp -r "$source"/test/web/*.mjs "$source"/test/web/*.json "$source"/test/web/recorded "$folder"
if ! cmp -s "$folder/package-lock.json" "$folder/node_modules/installed"; then
	(cd "$folder" && npm ci --no-audit --no-fund --loglevel=error >npm.log 2>&1) ||
		skip "npm ci failed, see $folder/npm.log: $(tail -1 "$folder/npm.log")"
	cp "$folder/package-lock.json" "$folder/node_modules/installed"
fi
cd "$folder"
CAIRN_PAGE=$source/procs/web/page exec node --test-reporter=tap "$name" "$@"
