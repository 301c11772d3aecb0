#!/bin/sh
# Holds the requests of test/data/vlm against the types of the vendors' own SDKs (sdk_types.mjs). The npm packages of
# package-lock.json go into a folder of the build. Skips with the reason where there is no node or no way to the packages.
#
#   sdk_types.sh SOURCE_ROOT FOLDER
set -eu

source=$1 folder=$2

skip() {
	echo "skipped: $1"
	exit 77
}

for program in node npm; do
	command -v $program >/dev/null || skip "$program is not installed (scripts/setup.sh --ci)"
done
mkdir -p "$folder"
cp "$source"/test/npm/*.mjs "$source"/test/npm/*.json "$folder"
if ! cmp -s "$folder/package-lock.json" "$folder/node_modules/installed"; then
	(cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >npm.log 2>&1) ||
		skip "npm ci failed, see $folder/npm.log: $(tail -1 "$folder/npm.log")"
	cp "$folder/package-lock.json" "$folder/node_modules/installed"
fi
exec node "$folder/sdk_types.mjs" "$source/test/data/vlm"
