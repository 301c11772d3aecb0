#!/bin/sh
# Installs cairn on this machine as a service, from this folder: what is missing, programs, systemd unit, udev rules, user and
# configuration. Again for an upgrade: configuration and what the robot has learned stay. The service is neither enabled nor started.
#
#   sudo scripts/install.sh [--prefix DIR]       # default /usr/local
#   sudo scripts/install.sh --remove | --purge   # programs, unit and rules; with --purge also configuration, keys and what was learned
#
# Exit: 0 done, 1 something failed, 2 wrong usage or not possible here.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
build=$root/build-install
prefix=/usr/local
do=install

fail() {
	echo "install.sh: $1" >&2
	exit "$2"
}

while [ $# -gt 0 ]; do
	case $1 in
	--prefix)
		[ $# -gt 1 ] || fail "--prefix needs a folder" 2
		prefix=$2
		shift
		;;
	--remove) do=remove ;;
	--purge) do=purge ;;
	*) fail "usage: sudo scripts/install.sh [--prefix DIR | --remove | --purge]" 2 ;;
	esac
	shift
done
case $prefix in
/?*) ;;
*) fail "--prefix takes an absolute path, not '$prefix'" 2 ;;
esac
[ "$(id -u)" -eq 0 ] || fail "only root may: sudo scripts/install.sh" 2
if dpkg-query -W -f '${db:Status-Status}\n' cairn 2>/dev/null | grep -qx installed; then
	fail "the Debian package is installed: 'apt remove cairn' first, so that there are not two" 2
fi

systemd_runs() { [ -d /run/systemd/system ]; }

install_it() {
	"$root/scripts/setup.sh"
	"$root/scripts/build.sh" "$build" --buildtype=release --prefix="$prefix" -Dlab=false -Dtests=false -Dservice=true
	# ninja has built as root; the folder stays its own, beside that of up.sh.
	meson install -C "$build" --no-rebuild --quiet
	if [ ! -e /etc/cairn/cairn.yaml ]; then
		install -D -m 0644 "$root/service/cairn.yaml" /etc/cairn/cairn.yaml
	fi
	sh "$root/debian/cairn.postinst" configure
	if systemd_runs; then
		systemctl daemon-reload
		systemctl try-restart cairn.service
		udevadm control --reload && udevadm trigger --subsystem-match=tty --subsystem-match=usb
	fi
	echo "cairn is installed in $prefix. Configuration: /etc/cairn/cairn.yaml. To start it, now and at each boot:"
	echo "  systemctl enable --now cairn"
}

remove_it() {
	list=$build/meson-logs/install-log.txt
	[ -f "$list" ] || fail "$list is not there, so it is not known what was installed" 1
	if systemd_runs; then
		systemctl disable --now cairn.service || true # not there any more: nothing to stop
	fi
	grep -v '^#' "$list" | while read -r file; do
		rm -f -- "$file"
	done
	rm -rf -- "$prefix/share/cairn"
	! systemd_runs || systemctl daemon-reload
	[ "$do" != purge ] || sh "$root/debian/cairn.postrm" purge
	echo "cairn is removed"
}

if [ "$do" = install ]; then
	install_it
else
	remove_it
fi
