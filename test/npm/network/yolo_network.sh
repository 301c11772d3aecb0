#!/bin/sh
# Networks of YOLO's and CenterNet's shape in the real ONNX Runtime, in a folder of the build: yolo_network.mjs.
#
#   yolo_network.sh SOURCE_ROOT FOLDER SEARCH_PICTURE
set -eu
# shellcheck source=test/support/npm.sh
. "$1/test/support/npm.sh"

npm_folder "$1/test/npm/network" "$2"
node_test yolo_network.mjs "$3" "$2"
