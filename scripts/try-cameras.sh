#!/bin/sh
# Tries the cameras against Linux's own drivers: fetches Debian's kernel and ustreamer, unpacks them in a temporary folder (nothing is
# installed) and runs the tests `vivid` and `vivid-stack` with them in QEMU. Nightly: some minutes, many where QEMU has to emulate the processor.
#
#   scripts/try-cameras.sh [BUILD]      # default build
#
# Needs the packages qemu-system-x86, busybox-static, cpio, kmod and binutils. CAIRN_QEMU_ACCEL=kvm where that works.
# Exit: 0 passed, 1 not, 77 skipped.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
build=${1:-$here/build}
dir=$(mktemp -d /tmp/cairn-cameras-XXXXXX)
trap 'rm -rf "$dir"' EXIT

# linux-image-amd64 is no kernel but depends on the newest.
kernel=$(apt-cache depends linux-image-amd64 | sed -n 's/^ *Depends: //p' | head -1)
# shellcheck disable=SC2046 # a list of words
(cd "$dir" && apt-get download -qq "$kernel" ustreamer $(apt-cache depends ustreamer | sed -n 's/^ *Depends: //p' | grep -vx libc6))
for package in "$dir"/*.deb; do
	dpkg -x "$package" "$dir/root"
done
export CAIRN_KERNEL_ROOT="$dir/root" PATH="$dir/root/usr/bin:$PATH" LD_LIBRARY_PATH="$dir/root/usr/lib/x86_64-linux-gnu"
status=0
meson test -C "$build" --print-errorlogs --num-processes 1 vivid vivid-stack >"$dir/out" || status=$?
grep -v '^ninja' "$dir/out"
! grep -q 'SKIP' "$dir/out" || status=77
exit $status
