#!/bin/sh
# How many lines of common/ and ipc/ the tests reach: builds with counters, runs every test once that needs no long run, and
# prints a line for each folder.
#
#   scripts/coverage.sh [PERCENT]      what each folder must reach (85)
#   scripts/coverage.sh --parts        the tests of parts alone, which take most of the time and bear a busy machine
#   scripts/coverage.sh --rest         after these: the other tests, and the count
#
# With CAIRN_SANITIZE=address,undefined the same tests run under these sanitizers as well, and what they report is a failure.
# The lines that were not reached: FOLDER/lines.txt. Processes that a test kills do not write their counters, so the figure is
# what was reached at least. Exit: 0 reached, 1 not or a test failed, 77 there is no gcovr.
set -eu

cd "$(dirname -- "$0")/.."
no_gcovr() {
	echo "coverage: no gcovr (package gcovr): skipped" >&2
	exit 77
}
have_gcovr=true
command -v gcovr >/dev/null || have_gcovr=false
$have_gcovr || [ -n "${CAIRN_SANITIZE-}" ] || no_gcovr # the sanitizers find what they find without it
wanted=85
mode=all
case "${1-}" in
--parts | --rest) mode=${1#--} ;;
*) wanted=${1:-85} ;;
esac
export CAIRN_COVERAGE=1
build=build-check${CAIRN_SANITIZE:+-$(printf '%s' "$CAIRN_SANITIZE" | tr ',' '-')}-coverage
[ "$mode" = rest ] || [ ! -d "$build" ] || find "$build" -name '*.gcda' -delete
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
run() { # WHAT TEST...
	what=$1
	shift
	scripts/check.sh "$@" >"$log" 2>&1 || {
		tail -n 200 "$log"
		status=1
	}
	echo "$what${CAIRN_SANITIZE:+ under $CAIRN_SANITIZE}: $(tail -n 1 "$log")"
}
[ "$mode" = rest ] || run "tests of parts" --suite unit --suite bus --suite device --no-suite long
[ "$mode" != parts ] || exit "$status"
run "the tool and whole stacks" cli cli-stack ask-dry-run key broken-frames keys idle # frames.c needs RouDi
$have_gcovr || [ "$status" -ne 0 ] || no_gcovr
for folder in common ipc; do
	gcovr --root . --object-directory "$build" --filter "$folder/" --gcov-ignore-parse-errors -j "$(nproc)" \
		>"$build/$folder.txt" 2>"$build/gcovr.log" || {
		cat "$build/gcovr.log"
		exit 1
	}
	figure=$(awk '$1 == "TOTAL" { print $2, $3, $4 }' "$build/$folder.txt")
	share=$(echo "$figure" | awk '{ print 100.0 * $2 / $1 }')
	echo "coverage of $folder/: $figure (lines, reached, share)"
	awk -v have="$share" -v want="$wanted" 'BEGIN { exit !(have >= want) }' || {
		echo "coverage of $folder/ is below $wanted %"
		status=1
	}
done
cat "$build/common.txt" "$build/ipc.txt" >"$build/lines.txt"
exit "$status"
