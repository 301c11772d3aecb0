#!/bin/sh
# Runs a test of the stage ros2-bridge in a network namespace of its own, with nothing but loopback: whatever DDS says to all stays in it.
#
#   bridge.sh SOURCE_ROOT FOLDER TEST.mjs [ARGUMENT...]
set -eu
# shellcheck source=test/support/npm.sh
. "$1/test/support/npm.sh"

command -v ip >/dev/null || skip "ip is not installed (iproute2)"
unshare --net true 2>/dev/null || skip "no network namespace of its own for this user"
npm_folder "$1/test/ros2" "$2"
shift 2
# shellcheck disable=SC2016 # for the shell inside
exec unshare --net sh -c 'ip link set lo up && ip link set lo multicast on && ip route add 224.0.0.0/4 dev lo &&
	exec node --test-reporter=tap --test-reporter-destination=stdout \
		--test-reporter=spec --test-reporter-destination=stderr "$@"' sh "$@"
