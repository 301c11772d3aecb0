#!/bin/sh
# Detections and the scene graph are advice for people and for the model: nothing that plans a path, judges a decision or turns the
# wheels includes them, subscribes to them or reads their file. So a graph that lies can at worst lead the model astray. One reader is
# let be: the gate of skills, which refuses to move an arm without a fresh picture of the target (docs/skills.md). Only its file sees
# what it has read, and it holds the wheels, never turns them.
# Usage: advice.sh SOURCE FOLDER
set -eu

cd "$1"
copy=$2/advice
readers='common/safety common/plan common/sequencer common/slam common/map procs/motor procs/planner procs/sequencer procs/mapper procs/watchdog'
check() { # ROOT
	bad=0
	for folder in $readers; do
		[ -d "$1/$folder" ] || {
			echo "advice.sh: there is no $folder"
			bad=1
		}
		if grep -rnE '"common/(scene|detect)/|CAIRN_TOPIC_(SCENE|DETECTIONS|SIGHTINGS)|CAIRN_SERVICE_SCENE|scene\.json' "$1/$folder" |
			grep -v '/sequencer_ports.c:[0-9]*: .*, take_detections},$'; then
			bad=1
		fi
	done
	if grep -rnE 'sights|msg_detections' "$1/common/sequencer" |
		grep -vE '/(skill_hold.c|skill_private.h|sequencer_ports.c|sequencer.h):'; then
		echo "advice.sh: more than the gate of skills reads detections"
		bad=1
	fi
	return "$bad"
}
check .

# It does notice.
rm -rf "$copy"
mkdir -p "$copy"
cp -r common procs "$copy"
echo '#include "common/scene/scene.h"' >>"$copy/common/sequencer/validate.c"
if check "$copy" >"$copy/out"; then
	echo "advice.sh: an include of the scene graph was not noticed" >&2
	exit 1
fi
grep -q 'sequencer/validate.c' "$copy/out"
cp common/sequencer/validate.c "$copy/common/sequencer"
echo '/* seq->skill.sights */' >>"$copy/common/sequencer/drive.c"
if check "$copy" >"$copy/out"; then
	echo "advice.sh: a second reader of detections was not noticed" >&2
	exit 1
fi
rm -rf "$copy"
