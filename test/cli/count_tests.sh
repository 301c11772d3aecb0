#!/bin/sh
# The counter behind the last line of scripts/check.sh, on a log with one test of each kind.
set -eu
script=$1
log=$(mktemp)
trap 'rm -f "$log"' EXIT
expect() {
	got=$(python3 "$script" "$log") && code=0 || code=$?
	if [ "$got" != "$1" ] || [ "$code" -ne "$2" ]; then
		echo "got '$got', $code; not '$1', $2"
		exit 1
	fi
}

cat >"$log" <<'LOG'
{"name": "cases", "stdout": "# SKIP no data\nok 1 - a\nok 2 - b\n1..2\n", "result": "OK"}
{"name": "exit code", "stdout": "whatever", "result": "OK"}
{"name": "skipped as a whole", "stdout": "1..0 # SKIP", "result": "SKIP"}
LOG
expect "2 passed, 0 failed, 2 skipped" 0

cat >>"$log" <<'LOG'
{"name": "one case fails", "stdout": "ok 1 - a\nnot ok 2 - b\n1..2\n", "result": "FAIL"}
{"name": "crash swallows three cases", "stdout": "ok 1 - a\n1..4\n", "result": "ERROR"}
{"name": "failure after the last case", "stdout": "ok 1 - a\n1..1\n", "result": "ERROR"}
{"name": "timeout", "stdout": "", "result": "TIMEOUT"}
LOG
expect "5 passed, 6 failed, 2 skipped" 1

cat >"$log" <<'LOG'
{"name": "quick", "stdout": "ok 1 - a\n1..1\n", "result": "OK", "duration": 0.25}
{"name": "slow", "stdout": "ok 1 - a\n1..1\n", "result": "OK", "duration": 12.34}
{"name": "middle", "stdout": "ok 1 - a\n1..1\n", "result": "OK", "duration": 3.0}
LOG
got=$(python3 "$script" --slowest 2 "$log")
[ "$got" = "slowest: slow 12.3 s, middle 3.0 s
3 passed, 0 failed" ] || { echo "got '$got'"; exit 1; }

cat >"$log" <<'LOG'
{"name": "good", "stdout": "ok 1 - a\n1..1\n", "result": "OK", "duration": 0.25}
{"name": "bad", "stdout": "not ok 1 - a: 3 is not 4\nok 2 - b\n1..2\n", "stderr": "one\nwhy\n", "result": "FAIL", "duration": 1.5}
LOG
got=$(python3 "$script" --failures 1 "$log") || true
[ "$got" = "---- failed: bad (FAIL, 1.5 s)
not ok 1 - a: 3 is not 4
1..2
why
2 passed, 1 failed" ] || { echo "got '$got'"; exit 1; }

: >"$log"
expect "0 passed, 1 failed" 1
