#!/bin/sh
# Ctrl-C ends an evaluation that runs in one process for minutes, and what it then says is no result. One that goes on is
# ended by the limit of the test. Usage: eval_interrupt.sh CAIRN
set -eu

dir=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill -9 "$pid" 2>/dev/null; rm -rf "$dir"' EXIT
trap 'exit 1' TERM # the limit of the test
"$1" eval cost --by-need >"$dir/out" 2>"$dir/said" &
pid=$!
# Signals are caught from the start of the evaluation on (bit 1 is SIGINT); a signal before that ends any program. A shell's
# child in the background ignores SIGINT until then, so that nothing is lost.
until [ $((0x$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$pid/status") & 2)) -ne 0 ]; do
	kill -0 "$pid" # it has not come to its end
done
kill -INT "$pid"
status=0
wait "$pid" || status=$?
pid=
if [ "$status" -ne 1 ] || ! grep -q interrupted "$dir/said" || grep -q '^passed' "$dir/out"; then
	echo "status $status, output:"
	cat "$dir/out" "$dir/said"
	exit 1
fi
