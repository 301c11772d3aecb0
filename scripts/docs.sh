#!/bin/sh
# Makes the reference pages docs/bus.md and docs/config.md anew from the tables of the program in build/, however that folder was
# set up.
set -eu

cd "$(dirname -- "$0")/.."
if [ -f build/build.ninja ]; then
	ninja -C build procs/cairn >/dev/null
else
	./scripts/build.sh build --buildtype=release
fi
build/procs/cairn topics --markdown >docs/bus.md
build/procs/cairn config --markdown >docs/config.md
