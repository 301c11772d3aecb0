#!/bin/sh
# A real network on real pictures, end to end: real_network.mjs. The npm packages of package-lock.json go into a folder of the build.
# Skips with the reason where there is no node, no way to the packages, or no pictures.
#
#   real_network.sh SOURCE_ROOT FOLDER CAIRN
set -eu

source=$1 folder=$2 cairn=$3

skip() {
	echo "skipped: $1"
	exit 77
}

for program in node npm; do
	command -v $program >/dev/null || skip "$program is not installed (scripts/setup.sh --ci)"
done
frames=
for root in "${CAIRN_SHARED_DATA:-}" "$source/../shared/data"; do
	[ -n "$root" ] && [ -e "$root/rgbd/frame-000000.color.jpg" ] && frames=$root/rgbd && break
done
[ -n "$frames" ] || skip "no pictures in ../shared/data/rgbd"
mkdir -p "$folder"
cp "$source"/test/npm/network/*.mjs "$source"/test/npm/network/*.json "$folder"
if ! cmp -s "$folder/package-lock.json" "$folder/node_modules/installed"; then
	(cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >npm.log 2>&1) ||
		skip "npm ci failed, see $folder/npm.log: $(tail -1 "$folder/npm.log")"
	cp "$folder/package-lock.json" "$folder/node_modules/installed"
fi
exec node "$folder/real_network.mjs" "$cairn" "$frames" "$folder"
