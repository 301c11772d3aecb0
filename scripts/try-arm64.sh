#!/bin/sh
# Tries the Debian package for arm64 without such a machine: in a Debian 12 of its own it is cross-built, and the unit tests are built
# on the same objects and run under qemu-user. Nightly: an hour and more on two cores. Touches nothing outside of FOLDER.
#
#   sudo scripts/try-arm64.sh FOLDER [TEST...]
#
# FOLDER: gets root/ (the system, used again the next time), the packages, and testlog.txt. TEST: these unit tests only.
# What it does not show: times, real devices, shared memory between processes, and barriers that only a real processor reorders.
# Needs mmdebstrap and unshare. Exit: 0 built and all tests passed, 1 not, 2 wrong usage, 77 skipped.
set -eu

[ $# -gt 0 ] || {
	echo "usage: sudo scripts/try-arm64.sh FOLDER [TEST...]" >&2
	exit 2
}
here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
mkdir -p "$1"
dir=$(CDPATH='' cd -- "$1" && pwd)
shift
root=$dir/root

skip() {
	echo "try-arm64.sh: skipped: $1"
	exit 77
}
[ "$(id -u)" -eq 0 ] || skip "only root can make a system"
for tool in mmdebstrap unshare; do
	command -v "$tool" >/dev/null || skip "there is no $tool"
done
# What went wrong, if it did.
inside() {
	"$here/scripts/in-root.sh" "$root" "export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8; $1" >"$dir/log" 2>&1 || {
		tail -30 "$dir/log" >&2
		exit 1
	}
}

if [ ! -e "$root/ready" ]; then
	echo "try-arm64.sh: a system with the cross compiler"
	rm -rf --one-file-system "$root"
	mmdebstrap --quiet --variant=apt --architectures=amd64,arm64 bookworm "$root" \
		--include=crossbuild-essential-arm64,debhelper,meson,ninja-build,pkg-config,python3,git,qemu-user-static
	touch "$root/ready"
fi
# The sources as they are committed.
rm -rf "$root/src"
mkdir "$root/src"
git -C "$here" archive --prefix=cairn/ HEAD | tar -x -C "$root/src"
cp /etc/resolv.conf "$root/etc/resolv.conf"

echo "try-arm64.sh: packages to build with"
inside 'cd /src/cairn
apt-get update
apt-get build-dep -y --no-install-recommends -a arm64 -P cross,nocheck ./
apt-get install -y --no-install-recommends check:arm64 ca-certificates espeak-ng flite fonts-dejavu-core openssl pocketsphinx-en-us'

echo "try-arm64.sh: the package"
cat >"$root/src/cross" <<'C'
[binaries]
c = '/usr/bin/aarch64-linux-gnu-gcc'
cpp = '/usr/bin/aarch64-linux-gnu-g++'
ar = '/usr/bin/aarch64-linux-gnu-ar'
strip = '/usr/bin/aarch64-linux-gnu-strip'
pkgconfig = '/usr/bin/aarch64-linux-gnu-pkg-config'
exe_wrapper = '/usr/bin/qemu-aarch64-static'

[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
C
inside 'cd /src/cairn
DEB_BUILD_OPTIONS=nocheck DH_MESON_CROSS_FILE=/src/cross dpkg-buildpackage --host-arch arm64 --build-profiles=cross,nocheck -b -us -uc'
cp "$root"/src/*_arm64.deb "$dir/"
for package in "$dir"/*_arm64.deb; do
	echo "try-arm64.sh: $(basename "$package"), $(stat -c %s "$package") bytes"
done

echo "try-arm64.sh: unit tests under qemu-user"
# shellcheck disable=SC2016 # expanded in there
inside 'cd /src/cairn/obj-aarch64-linux-gnu
meson configure -Dtests=true
ninja $(ninja -t targets all | sed -n "s/^\(test\/unit\/test_[a-z0-9_]*\): .*LINKER.*/\1/p")'
status=0
"$here/scripts/in-root.sh" "$root" "cd /src/cairn/obj-aarch64-linux-gnu
meson test --no-rebuild --suite unit --timeout-multiplier 20 $*" >"$dir/tests" 2>&1 || status=1
cp "$root/src/cairn/obj-aarch64-linux-gnu/meson-logs/testlog.txt" "$dir/"
sed -n '/^Summary of Failures/,$p; /^Ok:/,$p' "$dir/tests"
exit $status
