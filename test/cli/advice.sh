#!/bin/sh
# Detections and the scene graph are advice for people and for the model: nothing that plans a path, judges a decision or turns the
# wheels includes them, subscribes to them or reads their file. So a graph that lies can at worst lead the model astray.
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
		if grep -rnE '"common/(scene|detect)/|CAIRN_TOPIC_(SCENE|DETECTIONS|SIGHTINGS)|CAIRN_SERVICE_SCENE|scene\.json' "$1/$folder"; then
			bad=1
		fi
	done
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
rm -rf "$copy"
