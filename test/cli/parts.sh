#!/bin/sh
# What .ci/run makes of parts that pass, fail, are cut off or skipped (scripts/parts.sh).
set -eu
root=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$root"
# shellcheck source=scripts/parts.sh
. scripts/parts.sh
say() { # TEXT STATUS
	case "$summary" in
	*"$1"*) [ "$status" -eq "$2" ] && return ;;
	esac
	echo "not '$1' with $2, but ($status): $summary"
	exit 1
}
part "good" 0 : true
say "good: passed" 0
part "no tool" 9 : sh -c 'exit 77'
say "no tool: SKIPPED" 0

mkdir "$dir/meson-logs"
cat >"$dir/meson-logs/testlog.json" <<'LOG'
{"name": "one", "stdout": "ok 1 - a\nok 2 - b\n1..2\n", "result": "OK"}
{"name": "two", "stdout": "ok 1 - a\n1..1\n", "result": "OK"}
LOG
part "slow" 1 "tests_of $dir" sh -c 'echo begun; exec sleep 60'
say "slow: CUT OFF after 1 s" 1
say "2 test programs ended, 3 passed, 0 failed" 1
status=0
part "bad" 0 "cat $dir/none" sh -c 'exit 3'
say "bad: FAILED" 1
say "nothing is known of how much ran" 1
