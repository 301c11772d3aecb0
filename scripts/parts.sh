# shellcheck shell=sh disable=SC2034
# The parts of .ci/run, what became of each, and how much of it ran. Sourced.

status=0
summary=

# part NAME SECONDS HOW-MUCH COMMAND...: runs COMMAND, for SECONDS at most (0: no limit). HOW-MUCH, a command too (or `:`), in
# one word, tells how much of it ran. A part that is cut off has failed: what did not run may be what is broken. 77: a tool is not there.
part() {
	name=$1 limit=$2 how_much=$3
	shift 3
	begin=$(date +%s)
	code=0
	timeout -k 10 "$limit" "$@" || code=$?
	case "$code" in
	0) verdict=passed ;;
	77) verdict="SKIPPED, a tool is missing" ;;
	124 | 137) verdict="CUT OFF after $limit s" ;;
	*) verdict=FAILED ;;
	esac
	case "$code" in
	0 | 77) ;;
	*) status=1 ;;
	esac
	ran=$($how_much) || ran="nothing is known of how much ran"
	summary="$summary
$name: $verdict, $(($(date +%s) - begin)) s${ran:+; $ran}"
}

# tests_of FOLDER [LOGS]: the tests that the last run in this build folder has finished (LOGS: how the names of its logs begin).
tests_of() {
	logs="$1/meson-logs/${2:-testlog}"
	echo "$(cat "$logs"*.json | wc -l) test programs ended, $(python3 scripts/count_tests.py "$logs"*.json || true)"
}
