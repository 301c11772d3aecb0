#!/bin/sh
# Makes the reference pages docs/bus.md and docs/config.md anew from the tables of the program in build/.
set -eu

cd "$(dirname -- "$0")/.."
./scripts/build.sh build --buildtype=release
build/procs/cairn topics --markdown >docs/bus.md
build/procs/cairn config --markdown >docs/config.md
