#!/bin/sh
# The scripted pilot knows no house: its program has nothing of worlds, of the simulated robot, or of questions' answers in it.
#
#   scholar_leak.sh PILOT_PROGRAM OTHER_PROGRAM   (the other one does have it: the search is known to find something)
set -eu

known='cairn_world_|cairn_sim_|cairn_truth|cairn_question_|cairn_instruction|cairn_true_|cairn_walked'
if nm "$1" | grep -E " [TtDdBbRr] ($known)"; then
	echo "the pilot has symbols of the world in it, see above"
	exit 1
fi
nm "$2" | grep -qE " [Tt] ($known)" || {
	echo "no such symbol is found in $2 either: this test tests nothing"
	exit 1
}
