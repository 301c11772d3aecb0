#!/bin/sh
# Houses whose rooms are joined by openings of half a metre are explored whole: from where the robot once closed the opening behind it,
# from where it once closed the only one at the first failed approach, and from where it stood askew in one.
# Arguments: the program, the folder of shared data (CAIRN_SHARED overrides it). 77: the house is not there.
set -u
houses=${CAIRN_SHARED:-$2}/houses
[ -d "$houses" ] || { echo "skipped: no $houses"; exit 77; }
drive() { # HOUSE MODE SEED SEEDS
  "$cairn" eval explore --poses truth --for 10m --worlds "$houses/$1.pgm.gz" --mode "$2" --seed "$3" --seeds "$4" || exit 1
}
cairn=$1
drive 7d782cd83f616e69253681c20a40fa30 frontier 74 2
drive 7d782cd83f616e69253681c20a40fa30 nearest 76 1
drive 34a61b6aa2208127fa3fcdb33bae8311 frontier 93 1
drive 34a61b6aa2208127fa3fcdb33bae8311 nearest 91 1
drive 7d782cd83f616e69253681c20a40fa30 frontier 82 1
