#!/bin/sh
# A loss against the baseline is exit status 1, and the fault that is named; a wrong option or a crash is another status.
# Arguments: the program, a house, a baseline that cannot be reached.
set -u
out=$("$1" eval explore --mode frontier --poses truth --for 4m --worlds "$2" --baseline "$3" --json)
status=$?
kinds=$(printf '%s' "$out" | python3 -c 'import json, sys; print(" ".join(sorted({f["kind"] for f in json.load(sys.stdin)["faults"]})))')
if [ "$status" -ne 1 ] || [ "$kinds" != baseline ]; then
  echo "expected exit status 1 and the fault 'baseline', got $status and '$kinds'"
  exit 1
fi
