#!/bin/sh
# Runs a test in a folder of the build, with the npm packages of package-lock.json; skips with the reason where there is no
# node or no way to the packages.
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

mkdir -p "$folder"
cp "$source"/test/ros2/*.mjs "$source"/test/ros2/*.json "$folder"
if ! cmp -s "$folder/package-lock.json" "$folder/node_modules/installed"; then
	(cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >npm.log 2>&1) ||
		skip "npm ci failed, see $folder/npm.log: $(tail -1 "$folder/npm.log")"
	cp "$folder/package-lock.json" "$folder/node_modules/installed"
fi
cd "$folder"
exec node --test-reporter=tap "$name" "$@"
