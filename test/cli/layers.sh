#!/bin/sh
# The folders of common/ stand on each other in the order of common/meson.build, with ipc after config: a file includes nothing from
# a folder that stands above its own. The check is tried on a copy with one include that goes upward.
# Usage: layers.sh SOURCE FOLDER
set -eu

cd "$1"
copy=$2/layers
# shellcheck disable=SC2016 # the program of awk
check() { # ROOT
	find "$1/common" "$1/ipc" -name '*.[ch]' -o -name '*.def' | sort | xargs awk -v order="$1/common/meson.build" -v root="$1/" '
		function room(path) {
			if (path ~ /^ipc\//) return "ipc"
			sub(/^common\//, "", path)
			sub(/\/[^\/]*$/, "", path)
			return path
		}
		BEGIN {
			while ((getline line < order) > 0)
				if (line ~ /^  .[a-z0-9\/]+.,$/) {
					gsub(/[^a-z0-9\/]/, "", line)
					rank[line] = ++rooms
				}
			rank["ipc"] = rank["config"] + 0.5
		}
		/^#include "(common|ipc)\// {
			from = room(substr(FILENAME, length(root) + 1))
			file = $2
			gsub(/"/, "", file)
			to = room(file)
			if (!(from in rank) || !(to in rank)) {
				print FILENAME ": " from " or " to " is not a folder of common/meson.build"
				bad = 1
			} else if (rank[to] > rank[from]) {
				print FILENAME " (" from ") includes " file " (" to ", above it)"
				bad = 1
			}
			count++
		}
		END {
			if (count < 500) { print "only " count " includes found"; bad = 1 }
			exit bad
		}'
}
check .
rm -rf "$copy"
mkdir -p "$copy"
cp -r common ipc "$copy"
echo '#include "common/sequencer/sequencer.h"' >>"$copy/common/slam/mapper.c"
if check "$copy" >"$copy/out"; then
	echo "layers.sh: an include that goes upward was not noticed" >&2
	exit 1
fi
grep -q 'mapper.c (slam) includes common/sequencer/sequencer.h' "$copy/out"
rm -rf "$copy"
