#!/bin/sh
# The Debian package asks for what the project is built from, and its unit is one that systemd takes. Usage: package.sh SOURCE CAIRN
# Where there is no systemd-analyze the unit is not judged.
set -eu

source=$1
cairn=$2
dir=$(mktemp -d /tmp/cairn-package-XXXXXX)
trap 'rm -r "$dir"' EXIT

fail()
{
	echo "package: $1" >&2
	exit 1
}

# The compiler and C library are there wherever packages are built; what the package takes beside that it needs as one.
sed -n '/^ci\(-build\)\? /d; /^#/d; s/[ #].*//; /./p' "$source/scripts/packages.txt" | grep -vx -e gcc -e libc6-dev | sort >"$dir/wanted"
sed -n '/^Build-Depends:/,/^$/s/^ \([a-z0-9.+-]*\).*/\1/p' "$source/debian/control" | grep -vx -e debhelper-compat -e python3 | sort >"$dir/given"
diff "$dir/wanted" "$dir/given" >"$dir/out" || fail "scripts/packages.txt (<) and Build-Depends of debian/control (>) differ: $(cat "$dir/out")"

version=$(sed -n "s/^project(.* version: '\([^']*\)'.*/\1/p" "$source/meson.build")
head -1 "$source/debian/changelog" | grep -q "^cairn ($version)" || fail "debian/changelog is not of version $version"

# As a robot's configuration the one that the service comes with is accepted, and the robot stands with it.
"$cairn" config --config "$source/service/cairn.yaml" --json >"$dir/config" || fail "service/cairn.yaml is refused"
grep -q '"autostart": *"false"' "$dir/config" || fail "the service drives off by itself after a boot"
"$cairn" config --json | grep -q '"autostart": *"simulated"' || fail "a real robot drives off by itself by default"

if command -v systemd-analyze >/dev/null; then
	"$cairn" install-service --print >"$dir/cairn.service"
	systemd-analyze verify --man=no "$dir/cairn.service" >"$dir/out" 2>&1 || fail "the unit: $(cat "$dir/out")"
	# Other units of the machine may have their own troubles.
	! grep cairn.service "$dir/out" || fail "systemd does not take all of the unit"
	exposure=$("$cairn" install-service --print --package /usr >"$dir/cairn.service" &&
		systemd-analyze security --offline=true --threshold=40 "$dir/cairn.service" 2>&1) || fail "the unit is open wide: $exposure"
fi
