#!/bin/sh
# How many lines of common/ and ipc/ the tests reach: builds with counters, runs every test once that needs no long run, and
# prints a line for each folder.
#
#   scripts/coverage.sh [PERCENT]      what each folder must reach (85)
#
# The lines that were not reached: build-coverage/lines.txt. Processes that a test kills do not write their counters, so the figure is
# what was reached at least. Exit: 0 reached, 1 not or a test failed, 77 there is no gcovr.
set -eu

cd "$(dirname -- "$0")/.."
if ! command -v gcovr >/dev/null; then
	echo "coverage: no gcovr (package gcovr): skipped" >&2
	exit 77
fi
wanted=${1:-85}
scripts/build.sh build-coverage -Db_coverage=true --buildtype=debugoptimized
find build-coverage -name '*.gcda' -delete
status=0
run() {
	meson test -C build-coverage --no-rebuild --print-errorlogs --timeout-multiplier 6 "$@" >build-coverage/tests.log 2>&1 || {
		tail -n 60 build-coverage/tests.log
		status=1
	}
}
run --suite unit --suite bus --suite cli --suite device
run broken-frames # frames.c needs RouDi
for folder in common ipc; do
	gcovr --root . --object-directory build-coverage --filter "$folder/" --gcov-ignore-parse-errors -j "$(nproc)" \
		>"build-coverage/$folder.txt" 2>build-coverage/gcovr.log || {
		cat build-coverage/gcovr.log
		exit 1
	}
	figure=$(awk '$1 == "TOTAL" { print $2, $3, $4 }' "build-coverage/$folder.txt")
	share=$(echo "$figure" | awk '{ print 100.0 * $2 / $1 }')
	echo "coverage of $folder/: $figure (lines, reached, share)"
	awk -v have="$share" -v want="$wanted" 'BEGIN { exit !(have >= want) }' || {
		echo "coverage of $folder/ is below $wanted %"
		status=1
	}
done
cat build-coverage/common.txt build-coverage/ipc.txt >build-coverage/lines.txt
exit "$status"
