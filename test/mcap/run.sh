#!/bin/sh
# Writes a recording and runs test_mcap.mjs on it in a folder of the build, with the npm packages of package-lock.json; skips with the reason
# where there is no node or no way to the packages.
#
#   run.sh SOURCE_ROOT FOLDER SAMPLE CAIRN [SECONDS]
set -eu

source=$1 folder=$2 sample=$3 cairn=$4 seconds=${5:-20}

skip() {
	echo "1..0 # SKIP $1"
	exit 0
}

for program in node npm; do
	command -v $program >/dev/null || skip "$program is not installed (scripts/setup.sh --ci)"
done

mkdir -p "$folder"
cp "$source"/test/mcap/*.mjs "$source"/test/mcap/*.json "$folder"
if ! cmp -s "$folder/package-lock.json" "$folder/node_modules/installed"; then
	(cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >npm.log 2>&1) ||
		skip "npm ci failed, see $folder/npm.log: $(tail -1 "$folder/npm.log")"
	cp "$folder/package-lock.json" "$folder/node_modules/installed"
fi
cd "$folder"
"$sample" sample.mcap "$seconds" >&2
"$cairn" recording sample.mcap --json >sample.json
exec node --test-reporter=tap test_mcap.mjs sample.mcap sample.json
