#!/bin/sh
# Drives hostile pilots through random houses: with both safety layers, with each of them alone, and with neither.
#
#   scripts/safety.sh [HOURS [FOLDER]]
#
# HOURS: simulated hours with both layers (5; the nightly size is 200). Each layer alone drives 1 h, and 1 h the robot with two wheels
# that turns in place; neither 0.5 h.
# FOLDER: where the program is built (build-check). What is finished of the first part stays in
# FOLDER/safety-HOURS.state, so that a run that was interrupted goes on.
# Exit: 0 when `cairn eval safety` passes but the last (no contact, moved, little time and few
# goals lost to safety) and contacts were found with neither layer, so that the test is known to test something; else 1.
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

# What of the object on standard input is not as it must be.
faults() {
	python3 -c 'import json, sys
print(", ".join("not " + k for k, v in json.load(sys.stdin)["judged"].items() if not v))'
}

finished() {
	[ "$(printf '%s' "$1" | figure finished)" = True ] && return
	echo "safety.sh: not finished; the same command goes on" >&2
	exit 1
}

# WHO EXIT-STATUS FIGURES
tell() {
	echo "safety: $(printf '%s' "$3" | figure hours) h with $1: $(printf '%s' "$3" | figure contacts) contacts, nearest" \
		"$(printf '%s' "$3" | figure clearance_min_m) m"
	[ "$2" -eq 0 ] || echo "safety: FAILED with $1: $(printf '%s' "$3" | faults)"
}

# WHO MISSING OPTION...: the other layer alone.
drive_alone() {
	who=$1 missing=$2 code=0
	shift 2
	figures=$("$cairn" eval safety --hours 1 --without "$missing" "$@" --json) || code=$?
	finished "$figures"
	tell "$who" "$code" "$figures"
	[ "$code" -eq 0 ] || alone=1
}

state=$folder/safety-$hours.state
both=0 alone=0
figures=$("$cairn" eval safety --hours "$hours" --json --state "$state") || both=$?
finished "$figures"
rm -f "$state"
tell "both layers" "$both" "$figures"
cost=$(printf '%s' "$figures" | figure against_map_follower)
echo "safety: what it costs: $cost"
drive_alone "the motor stage alone" sequencer
drive_alone "the sequencer alone" motor
drive_alone "two wheels and the motor stage alone" sequencer --config config/robots/diffdrive-sim.yaml
drive_alone "two wheels and the sequencer alone" motor --config config/robots/diffdrive-sim.yaml
figures=$("$cairn" eval safety --hours 0.5 --without sequencer,motor --json) || true # contacts are what it is for
finished "$figures"
tell "neither" 0 "$figures"
[ "$both" -eq 0 ] && [ "$alone" -eq 0 ] && [ "$(printf '%s' "$figures" | figure contacts)" -gt 0 ]
