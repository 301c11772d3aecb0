#!/bin/sh
# A real network on real pictures, end to end, in a folder of the build: real_network.mjs. Skips with the reason where there are no pictures.
#
#   real_network.sh SOURCE_ROOT FOLDER CAIRN
set -eu
# shellcheck source=test/support/npm.sh
. "$1/test/support/npm.sh"
# shellcheck disable=SC2034 # for skip()
skipped=77

frames=
for root in "${CAIRN_SHARED_DATA:-}" "$1/../shared/data"; do
	[ -n "$root" ] && [ -e "$root/rgbd/frame-000000.color.jpg" ] && frames=$root/rgbd && break
done
[ -n "$frames" ] || skip "no pictures in ../shared/data/rgbd"
npm_folder "$1/test/npm/network" "$2"
exec node real_network.mjs "$3" "$frames" "$2"
