#!/bin/sh
# Drives hostile pilots through random houses, once as it is and once with both safety layers off.
#
#   scripts/safety.sh [HOURS [FOLDER]]
#
# HOURS: simulated hours with both layers (5; the nightly size is 200). FOLDER: where the program is built
# (build-check). What is finished stays in FOLDER/safety-HOURS.state, so that a run that was interrupted goes on.
# Exit: 0 when no contact was found with the layers and some were found without them, so that the test is known to test
# something; else 1. What safety costs is told; it is judged by `cairn eval safety` itself.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"
hours=${1:-5}
folder=${2:-build-check}
cairn=$folder/procs/cairn
if [ ! -x "$cairn" ]; then
	echo "safety.sh: $cairn is not there; scripts/build.sh $folder makes it" >&2
	exit 1
fi

# One figure of the object on standard input.
figure() {
	python3 -c 'import json, sys
o = json.load(sys.stdin)
for key in sys.argv[1].split("."):
    o = o[key]
print(o)' "$1"
}

state=$folder/safety-$hours.state
with=$("$cairn" eval safety --hours "$hours" --json --state "$state" || true)
if [ "$(printf '%s' "$with" | figure finished)" != True ]; then
	echo "safety.sh: not finished; the same command goes on" >&2
	exit 1
fi
rm -f "$state"
without=$("$cairn" eval safety --hours 0.5 --without sequencer,motor --json || true)
contacts=$(printf '%s' "$with" | figure contacts)
unguarded=$(printf '%s' "$without" | figure contacts)
echo "safety: $(printf '%s' "$with" | figure hours) h with both layers: $contacts contacts, nearest" \
	"$(printf '%s' "$with" | figure clearance_min_m) m, time lost" \
	"$(printf '%s' "$with" | figure against_map_follower.time_lost_share); 0.5 h with neither: $unguarded contacts"
[ "$contacts" -eq 0 ] && [ "$unguarded" -gt 0 ]
