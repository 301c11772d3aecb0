#!/bin/sh
# Runs the tests of whole stacks that scripts/check.sh leaves out, of a build that it has made: two side by side, since a stack mostly
# waits, and then those that want the machine for themselves. Where the kernel gives no private namespaces there is one data
# plane for all, and so one stack at a time.
#
#   scripts/stacks.sh [FOLDER [side-by-side | alone]]      build folder (build-check); the ones or the others only
#
# The logs are FOLDER/meson-logs/testlog-stack-*. Exit: 0 all passed, 1 not.
set -eu

cd "$(dirname -- "$0")/.."
folder=${1:-build-check}
what=${2:-all}
[ "$what" = alone ] || rm -f "$folder"/meson-logs/testlog-stack-*
side_by_side=2
unshare --mount true 2>/dev/null || unshare --user --map-root-user --mount true 2>/dev/null || side_by_side=1

names() { # OPTIONS of meson test --list
	meson test -C "$folder" --no-rebuild --list --no-suite presubmit "$@" 2>/dev/null | sed -n 's,^cairn:[^/]* / ,,p'
}
run() { # HOW MANY AT ONCE; names on standard input
	xargs -P "$1" -I NAME meson test -C "$folder" --no-rebuild --print-errorlogs --logbase testlog-stack-NAME NAME
}
status=0
[ "$what" = alone ] || names --suite e2e --no-suite alone | run "$side_by_side" || status=1
[ "$what" = side-by-side ] || names --suite alone | run 1 || status=1
exit "$status"
