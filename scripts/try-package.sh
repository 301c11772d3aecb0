#!/bin/sh
# Tries the Debian package as a user would: in a minimal Debian 12 of its own it is installed, drives the simulated home, is installed
# again, removed and purged; with --boot that system is booted once in a virtual machine, under systemd, where the service must stand
# until it is sent out, explore, and stay up. Nightly: some minutes. Touches nothing outside of a temporary folder.
#
#   sudo scripts/try-package.sh [--boot] FILE.deb...
#
# FILE.deb: what dpkg-buildpackage -b made. Needs mmdebstrap, with --boot also qemu-system-x86_64 and mke2fs; without them it says
# "skipped" and ends with 77. CAIRN_QEMU_ACCEL=kvm where that works; without, a boot takes many minutes, of which CAIRN_BOOT_LIMIT seconds
# (3600) are waited. Exit: 0 all as it should be, 1 not, 2 wrong usage, 77 skipped.
set -eu

boot=no
if [ "${1-}" = --boot ]; then
	boot=yes
	shift
fi
[ $# -gt 0 ] || {
	echo "usage: sudo scripts/try-package.sh [--boot] FILE.deb..." >&2
	exit 2
}
here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)

skip() {
	echo "try-package.sh: skipped: $1"
	exit 77
}
[ "$(id -u)" -eq 0 ] || skip "only root can make a system"
for tool in mmdebstrap unshare $([ "$boot" = no ] || echo qemu-system-x86_64 mke2fs); do
	command -v "$tool" >/dev/null || skip "there is no $tool"
done

dir=$(mktemp -d /tmp/cairn-package-XXXXXX)
trap 'rm -rf --one-file-system "$dir"' EXIT
root=$dir/root
packages=ca-certificates,python3-minimal,passwd
[ "$boot" = no ] || packages=$packages,systemd-sysv,udev,linux-image-cloud-amd64,dbus

echo "try-package.sh: a minimal system"
mmdebstrap --quiet --variant=apt --include="$packages" bookworm "$root" >"$dir/log" 2>&1 || {
	tail -20 "$dir/log" >&2
	exit 1
}
mkdir "$root/try"
cp -- "$@" "$root/try/"
cp "$here/debian/tests/drive" "$root/try/"
cp /etc/resolv.conf "$root/etc/resolv.conf"

inside() {
	"$here/scripts/in-root.sh" "$root" "$1"
}

echo "try-package.sh: install"
# shellcheck disable=SC2016 # expanded in there
inside 'export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install --no-install-recommends -y /try/*.deb >/try/log 2>&1 || { tail -20 /try/log; exit 1; }
for group in dialout video plugdev; do id -nG cairn | tr " " "\n" | grep -qx "$group"; done
[ "$(stat -c "%U %a" /var/lib/cairn)" = "cairn 700" ]
cairn version'

echo "try-package.sh: drive"
inside 'sh /try/drive'

echo "try-package.sh: install again, remove, purge"
inside 'export DEBIAN_FRONTEND=noninteractive
echo kept >/var/lib/cairn/map.bin
echo "# mine" >>/etc/cairn/cairn.yaml
apt-get install --reinstall -y /try/*.deb >/try/log 2>&1 || { tail -20 /try/log; exit 1; }
grep -qx kept /var/lib/cairn/map.bin
grep -qx "# mine" /etc/cairn/cairn.yaml'
[ "$boot" = no ] || cp -a "$root" "$dir/booted"
inside 'export DEBIAN_FRONTEND=noninteractive
apt-get remove -y cairn >/try/log 2>&1 || { tail -20 /try/log; exit 1; }
grep -qx kept /var/lib/cairn/map.bin
! [ -e /usr/bin/cairn ] && ! [ -e /usr/share/cairn ]
dpkg --purge cairn libcairn-dev cairn-dbgsym >/try/log 2>&1 || { tail -20 /try/log; exit 1; }
! [ -e /var/lib/cairn ] && ! [ -e /etc/cairn ] && ! getent passwd cairn
! find / -xdev -path /try -prune -o -name "*cairn*" ! -path "/proc/*" ! -path "/var/lib/dpkg/*" ! -path "/tmp/cairn-package-*" -print | grep .'

if [ "$boot" = no ]; then
	echo "try-package.sh: passed"
	exit 0
fi

# What runs in the booted system: the service must have come up, stand, explore when it is told to, and answer the watchdog. An
# emulated computer is many times slower than a robot's: it is given time to start.
root=$dir/booted
cat >"$root/try/booted" <<'E3'
#!/bin/sh
say() { echo "BOOTED $*" >/dev/console; }
fail() {
	say "failed: $1"
	journalctl --no-pager -n 40 -u cairn >/dev/console
	systemctl poweroff
	exit 1
}
# SECONDS WHAT TOPIC CONDITION: until a message d of the topic is so.
told() {
	timeout "$1" cairn echo "$3" --run /run/cairn 2>/dev/null | python3 -c '
import json, sys
sys.exit(not any(eval(sys.argv[1], {"d": json.loads(line)["data"]}) for line in sys.stdin))' "$4" || fail "$2"
	say "$2"
}
systemctl is-active --quiet cairn || fail "the service is up" # try.service comes after its start
say "the service is up"
told 60 "it stands: the mission is idle" mission 'd["state"] == "idle"'
say "driven before it was sent out: $(cairn echo odom -n 1 --run /run/cairn)"
cairn explore --run /run/cairn >/dev/null 2>&1 || fail "it takes the order to explore"
told 60 "sent out, it explores" mission 'd["state"] == "exploring"'
told 240 "it has driven a metre" odom 'd["distance_m"] >= 1.0'
say "restarts $(systemctl show -p NRestarts --value cairn), memory $(systemctl show -p MemoryCurrent --value cairn), user $(systemctl show -p User --value cairn)"
journalctl --no-pager -q -b -u systemd-udevd -g cairn >/dev/console
systemctl stop cairn && say "stopped: $(systemctl show -p Result --value cairn)"
[ "$(systemctl show -p Result --value cairn)" = success ] && say passed
systemctl poweroff
E3
chmod +x "$root/try/booted"
printf 'launcher:\n  start_timeout_s: 120\n' >>"$root/etc/cairn/cairn.yaml"
mkdir "$root/etc/systemd/system/cairn.service.d"
printf '[Service]\nTimeoutStartSec=400\n' >"$root/etc/systemd/system/cairn.service.d/slow.conf"
cat >"$root/etc/systemd/system/try.service" <<'E4'
[Unit]
Wants=cairn.service
After=cairn.service
[Service]
ExecStart=/try/booted
[Install]
WantedBy=multi-user.target
E4
mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
ln -s ../try.service "$root/etc/systemd/system/multi-user.target.wants/try.service"
ln -s /lib/systemd/system/cairn.service "$root/etc/systemd/system/multi-user.target.wants/cairn.service"
echo "/dev/vda / ext4 defaults 0 1" >"$root/etc/fstab"
echo robot >"$root/etc/hostname"

echo "try-package.sh: boot"
mke2fs -q -t ext4 -d "$root" "$dir/disk" 4G
timeout "${CAIRN_BOOT_LIMIT:-3600}" qemu-system-x86_64 -accel "${CAIRN_QEMU_ACCEL:-tcg}" -cpu max -m 3072 -smp 2 -nographic -no-reboot \
	-kernel "$(ls "$root"/boot/vmlinuz-*)" -initrd "$(ls "$root"/boot/initrd.img-*)" \
	-append "root=/dev/vda rw console=ttyS0 quiet no_timer_check" -drive "file=$dir/disk,format=raw,if=virtio" -nic none \
	</dev/null >"$dir/console" 2>&1 || true # how it ended the console tells
grep -a BOOTED "$dir/console" | sed 's/^.*BOOTED //' || true
grep -aq "BOOTED passed" "$dir/console" || {
	tail -60 "$dir/console" >&2
	echo "try-package.sh: the booted service did not pass" >&2
	exit 1
}
echo "try-package.sh: passed"
