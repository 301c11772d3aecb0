#!/bin/sh
# Makes the machine ready, builds, and drives: `cairn up` with all the arguments given here.
#
#   scripts/up.sh [--for TIME] [--headless] [--summary FILE] [--world FILE] [--config FILE] [--set KEY=VALUE]...
#
# Exit: that of `cairn up`: 0 the run ended as asked without a contact, 1 it did not, 2 usage or configuration.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
"$root/scripts/setup.sh"
"$root/scripts/build.sh" build --buildtype=release
exec "$root/build/procs/cairn" up "$@"
