#!/bin/sh
# Makes the machine ready: installs the Debian packages of scripts/packages.txt that are missing.
#
#   scripts/setup.sh [--ci | --ci-build]
#
# --ci: also what .ci/run needs; --ci-build: of that only what it builds with.
# Needs root or sudo only when something is missing; otherwise it prints the command to run and stops.
# Exit: 0 ready, 1 the installation failed, 2 not possible here.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
group=build
case "${1-}" in
'') ;;
--ci | --ci-build) group=${1#--} ;;
*)
	echo "usage: scripts/setup.sh [--ci | --ci-build]" >&2
	exit 2
	;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
	echo "setup.sh: this is not a Debian system; install by hand what scripts/packages.txt lists" >&2
	exit 2
fi

wanted=
while read -r first second unless program _; do
	case "$first" in
	'' | '#'*) ;;
	ci | ci-build)
		case "$group" in
		ci | "$first") [ "$unless" = unless ] && command -v "$program" >/dev/null || wanted="$wanted $second" ;;
		esac
		;;
	*) wanted="$wanted $first" ;;
	esac
done <"$here/packages.txt"

# One query for all. It prints what it knows and fails when it does not know one: both are an answer.
# shellcheck disable=SC2086 # a list of words
installed=$(dpkg-query -W -f '${Package}:${db:Status-Status}\n' $wanted 2>/dev/null || true)
missing=
for package in $wanted; do
	case "
$installed
" in
	*"
$package:installed
"*) ;;
	*) missing="$missing $package" ;;
	esac
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
	sudo=
elif command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
	sudo=sudo
else
	echo "setup.sh: packages are missing and this user may not install them. Run as root:" >&2
	echo "  apt-get update && apt-get install --no-install-recommends -y$missing" >&2
	exit 2
fi

echo "setup.sh: installing$missing" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086 # lists of words
if ! {
	$sudo apt-get -o DPkg::Lock::Timeout=120 update &&
		$sudo env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 install \
			--no-install-recommends -y $missing
} >"$log" 2>&1; then
	cat "$log" >&2
	echo "setup.sh: apt-get failed, see above" >&2
	exit 1
fi
