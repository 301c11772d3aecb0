#!/bin/sh
# A V4L2 camera of Linux itself: boots QEMU with a Debian kernel whose vivid driver plays a webcam, and lets `cairn camera-check` read it
# while the camera is taken out and put in again 20 times. Skipped (77) where QEMU, busybox, cpio or such a kernel are not there.
#
#   vivid.sh SOURCE CAIRN
#
# The kernel: CAIRN_KERNEL_ROOT, or / (package linux-image-amd64). Without installing it:
#   apt-get download linux-image-6.1.0-NN-amd64 && dpkg -x linux-image-*.deb DIR && CAIRN_KERNEL_ROOT=DIR
set -eu

source=$1 cairn=$2 rounds=20
root=${CAIRN_KERNEL_ROOT:-/}

skip() {
	echo "skipped: $1"
	exit 77
}
for tool in qemu-system-x86_64 busybox cpio modinfo; do
	command -v "$tool" >/dev/null || skip "no $tool (packages qemu-system-x86, busybox-static, cpio, kmod)"
done
ldd "$(command -v busybox)" >/dev/null 2>&1 && skip "busybox is not static (package busybox-static)"
vivid=$(find "$root/lib/modules" -name 'vivid.ko' 2>/dev/null | sort | tail -1)
[ -n "$vivid" ] || skip "no kernel with vivid below $root (CAIRN_KERNEL_ROOT, package linux-image-amd64)"
modules=${vivid%/kernel/*}
kernel=$root/boot/vmlinuz-${modules##*/}
[ -r "$kernel" ] || skip "no $kernel"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
guest=$folder/guest
mkdir -p "$guest/bin" "$guest/modules" "$guest/dev" "$guest/proc" "$guest/sys" "$guest/tmp" "$guest/share"
cp "$(command -v busybox)" "$guest/bin/"
cp -r "$source/config" "$guest/share/"
cp "$cairn" "$guest/bin/cairn"

# A program's libraries under the names by which it finds them.
add_libraries() {
	ldd "$1" | grep -o '/[^ ]*' | while read -r library; do
		mkdir -p "$guest${library%/*}"
		cp -L "$library" "$guest$library"
	done
}
add_libraries "$cairn"

# A server of MJPEG that nobody here has written, where it is installed.
streamer=$(command -v ustreamer || true)
if [ -n "$streamer" ]; then
	cp "$streamer" "$guest/bin/ustreamer"
	add_libraries "$streamer"
fi

# In the order in which they need each other.
count=0 known=" "
add_module() {
	case $known in *" $1 "*) return ;; esac
	known="$known$1 "
	file=$(find "$modules" -name "$1.ko" -o -name "$(echo "$1" | tr _ -).ko" | head -1)
	[ -n "$file" ] || return 0 # built in
	for needed in $(modinfo -F depends "$file" | tr , ' '); do
		add_module "$needed"
		file=$(find "$modules" -name "$1.ko" -o -name "$(echo "$1" | tr _ -).ko" | head -1)
	done
	count=$((count + 1))
	cp "$file" "$guest/modules/$(printf %02d $count)-$1.ko"
}
add_module vivid

cat >"$guest/init" <<'GUEST'
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t devtmpfs none /dev && mount -t proc none /proc && mount -t sysfs none /sys
for module in /modules/*.ko; do
	case $module in
	*vivid.ko) insmod "$module" n_devs=1 node_types=1 ;;
	*) insmod "$module" ;;
	esac || echo "FAILED insmod $module"
done
driver=/sys/bus/platform/drivers/vivid
export CAIRN_SHARE=/share

# N TEXT: so often it has been said; waited for.
heard() {
	tries=0
	while [ "$(grep -c "$2" /tmp/told)" -lt "$1" ]; do
		tries=$((tries + 1))
		[ "$tries" -lt 600 ] || return 1
		usleep 100000
	done
}

cairn camera-check /dev/video0 --for 8s --set camera.rate_hz=5 >/tmp/said 2>&1
echo "V4L2 STATUS $?"
cat /tmp/said

if [ -x /bin/ustreamer ]; then
	ifconfig lo 127.0.0.1 up
	ustreamer --device=/dev/video0 --host=127.0.0.1 --port=8080 --resolution=640x480 --quality=60 >/tmp/ustreamer 2>&1 &
	streamer=$!
	cairn camera-check http://127.0.0.1:8080/stream --for 15s --set camera.rate_hz=1 >/tmp/said 2>&1
	echo "HTTP STATUS $?"
	cat /tmp/said
	kill $streamer
	wait $streamer
fi

cairn camera-check /dev/video0 --for 3600s --set camera.rate_hz=5 >/tmp/said 2>/tmp/told &
checker=$!
done=0
while [ "$done" -lt ROUNDS ]; do
	usleep 700000 # so that it streams for a while, too
	echo vivid.0 >$driver/unbind
	heard $((done + 1)) 'no such device: plug it in' || break
	echo vivid.0 >$driver/bind
	heard $((done + 1)) 'pictures arrive again' || break
	done=$((done + 1))
done
echo "ROUNDS $done"
usleep 1500000
kill -INT $checker
wait $checker
cat /tmp/said
tail -3 /tmp/told
poweroff -f
GUEST
sed -i "s/-lt ROUNDS/-lt $rounds/" "$guest/init"
chmod +x "$guest/init"
(cd "$guest" && find . | cpio -o -H newc --quiet | gzip -1) >"$folder/initrd"

timeout 900 qemu-system-x86_64 -accel tcg -cpu max -smp 2 -m 1024 -display none -serial stdio -monitor none -no-reboot -nic none \
	-kernel "$kernel" -initrd "$folder/initrd" -append "console=ttyS0 quiet panic=-1" >"$folder/said" 2>&1 </dev/null || true

fail() {
	echo "$1; the guest said:" >&2
	tail -60 "$folder/said" >&2
	exit 1
}
grep -q 'V4L2 STATUS 0' "$folder/said" || fail "the camera cannot be used"
grep -q 'colour: [A-Z0-9]* of 640 x 480, .*Hz' "$folder/said" || fail "not the size that was asked for"
[ -z "$streamer" ] || grep -q 'HTTP STATUS 0' "$folder/said" || fail "ustreamer's pictures cannot be used"
grep -q "ROUNDS $rounds" "$folder/said" || fail "not back after each of $rounds times unplugged"
grep -a 'colour:\|times lost\|ROUNDS' "$folder/said"
