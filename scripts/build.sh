#!/bin/sh
# Builds into a folder and says nothing unless that fails.
#
#   scripts/build.sh FOLDER [MESON OPTION...]
#
# CAIRN_TARGETS: the files to build, of the folder (all). The options count when the folder is new or was set up with others by this script; a folder that was set up by hand is built as
# it is. Exit: 0 built, 1 not.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
folder=${1:?usage: scripts/build.sh FOLDER [MESON OPTION...]}
shift
cd "$root"

log=$(mktemp)
trap 'rm -f "$log"' EXIT
fail() {
	cat "$log" >&2
	echo "build.sh: $1 failed, see above" >&2
	exit 1
}

ours=$folder/.cairn-options
if [ ! -f "$folder/build.ninja" ] || { [ -f "$ours" ] && [ "$*" != "$(cat "$ours")" ]; }; then
	echo "cairn: setting up $folder/ and building; this takes some minutes" >&2
	rm -rf "$folder"
	meson setup "$folder" "$@" >"$log" 2>&1 || fail "meson setup"
	printf '%s\n' "$*" >"$ours"
fi
# shellcheck disable=SC2086 # a list of words
ninja -C "$folder" ${CAIRN_TARGETS-} >"$log" 2>&1 || fail "the build"
