#!/bin/sh
# A house whose rooms are joined by openings of half a metre is explored whole from where the robot once closed the opening behind it.
# Arguments: the program, the folder of shared data (CAIRN_SHARED overrides it). 77: the house is not there.
set -u
house=${CAIRN_SHARED:-$2}/houses/7d782cd83f616e69253681c20a40fa30.pgm.gz
[ -f "$house" ] || { echo "skipped: no $house"; exit 77; }
drive() { # MODE SEED SEEDS
  "$cairn" eval explore --poses truth --for 10m --worlds "$house" --mode "$1" --seed "$2" --seeds "$3" || exit 1
}
cairn=$1
drive frontier 74 2
drive nearest 76 1
