#!/bin/sh
# V4L2 cameras of Linux itself: boots QEMU with a Debian kernel whose vivid driver plays two webcams, one of them as a depth camera
# (Y16; its values are no distances), which are taken out and put in again 20 times. Skipped (77) where QEMU, busybox, cpio or such a
# kernel are not there.
#
#   vivid.sh SOURCE CAIRN check     # `cairn camera-check` reads the first, also by way of ustreamer where that is installed
#   vivid.sh SOURCE CAIRN stack     # a whole stack takes both into what the model is shown
#
# The kernel: CAIRN_KERNEL_ROOT, or / (package linux-image-amd64); scripts/try-cameras.sh fetches one.
set -eu

source=$1 cairn=$2 part=$3 rounds=20
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
mkdir -p "$guest/bin" "$guest/modules" "$guest/dev" "$guest/proc" "$guest/sys" "$guest/tmp" "$guest/share" "$guest/usr/share/fonts/truetype"
cp "$(command -v busybox)" "$guest/bin/"
mkdir "$guest/etc" "$guest/usr/bin"
ln -s /bin/iox-roudi "$guest/usr/bin/" # where it is looked for
echo root:x:0:0:root:/:/bin/sh >"$guest/etc/passwd"
echo root:x:0: >"$guest/etc/group"
cp -r "$source/config" "$guest/share/"
cp -r /usr/share/fonts/truetype/dejavu "$guest/usr/share/fonts/truetype/"

# A program's libraries where its loader looks for them; that one is where the program says.
add_libraries() {
	ldd "$1" | grep -o '/[^ ]*' | while read -r library; do
		place=/usr/lib/x86_64-linux-gnu
		case $library in */ld-linux*) place=${library%/*} ;; esac
		mkdir -p "$guest$place"
		cp -L "$library" "$guest$place/"
	done
}
for program in "$cairn" "${cairn%/*}"/cairn-* "$(command -v iox-roudi)"; do
	case $program in *-lab | *.[0-9] | *.p) continue ;; esac
	strip --strip-debug -o "$guest/bin/${program##*/}" "$program"
	add_libraries "$program"
done

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
mkdir /dev/pts /dev/shm
mount -t devpts none /dev/pts && mount -t tmpfs none /dev/shm && ifconfig lo 127.0.0.1 up
for module in /modules/*.ko; do
	case $module in
	*vivid.ko) insmod "$module" n_devs=2 node_types=1,1 vid_cap_nr=0,1 ;;
	*) insmod "$module" ;;
	esac || echo "FAILED insmod $module"
done
driver=/sys/bus/platform/drivers/vivid
export CAIRN_SHARE=/share

# SECONDS COMMAND...: until it holds.
within() {
	tries=$(($1 * 4))
	shift
	until "$@"; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || return 1
		usleep 250000
	done
}
GUEST
if [ "$part" = stack ]; then
	cat >>"$guest/init" <<'STACK'
# A robot whose base and LiDAR are silent: it stands, and is shown what the two cameras see.
cat >/share/alignment.yaml <<'YAML'
depth_unit_m: 0.0001
depth: {width: 320, height: 180, fx: 233.9, fy: 233.9, cx: 159.5, cy: 89.5}
color: {width: 320, height: 180, fx: 233.9, fy: 233.9, cx: 159.5, cy: 89.5}
rotation: [1, 0, 0, 0, 1, 0, 0, 0, 1]
translation_m: [0, 0, 0]
YAML
cairn up --run /tmp/run --headless --stay --set web.enabled=false --set mission.autostart=false --set launcher.fifo= \
	--set launcher.start_timeout_s=120 --set robot.drive=serial --set robot.base_device=/dev/ttyS1 \
	--set robot.lidar_device=/dev/ttyS2 --set robot.camera_device=/dev/video0 --set robot.depth_device=/dev/video1 \
	--set robot.depth_alignment=/share/alignment.yaml --set camera.width_px=320 --set camera.height_px=180 \
	--set camera.rate_hz=5 --set percept.pair_limit_s=0.5 >/tmp/up 2>&1 &
up=$!
snapshot() { cairn look --now --run /tmp/run --out /tmp/picture.jpg >/tmp/snapshot 2>/tmp/trouble; }
sees() { snapshot && ! grep -q 'Camera: none\|no distances' /tmp/snapshot; }
is_blind() { snapshot && grep -q 'Camera: none' /tmp/snapshot; }
is_let_go() { ! ls -l /proc/[0-9]*/fd 2>/dev/null | grep -q /dev/video; }
done=0
within 900 sees && while [ "$done" -lt ROUNDS ]; do
	echo vivid.0 >$driver/unbind
	within 120 is_let_go && within 120 is_blind || break
	echo vivid.0 >$driver/bind
	within 120 sees || break
	done=$((done + 1))
done
echo "ROUNDS $done"
cat /tmp/snapshot /tmp/trouble
grep -i 'camera' /tmp/run/logs/camera-bridge.log | tail -6
cairn status --run /tmp/run | grep -i camera
[ "$done" -eq ROUNDS ] || tail -5 /tmp/up /tmp/run/logs/*.log
cairn down --run /tmp/run
wait $up
STACK
else
	cat >>"$guest/init" <<'CHECK'
cairn camera-check /dev/video0 --for 8s --set camera.rate_hz=5 >/tmp/said 2>&1
echo "V4L2 STATUS $?"
cat /tmp/said

if [ -x /bin/ustreamer ]; then
	ustreamer --device=/dev/video0 --host=127.0.0.1 --port=8080 --resolution=640x480 --quality=60 >/tmp/ustreamer 2>&1 &
	streamer=$!
	cairn camera-check http://127.0.0.1:8080/stream --for 15s --set camera.rate_hz=1 >/tmp/said 2>&1
	echo "HTTP STATUS $?"
	cat /tmp/said
	kill $streamer
	wait $streamer
fi

# N TEXT: so often it has been said; waited for.
heard() {
	tries=0
	while [ "$(grep -c "$2" /tmp/told)" -lt "$1" ]; do
		tries=$((tries + 1))
		[ "$tries" -lt 600 ] || return 1
		usleep 100000
	done
}

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
CHECK
fi
echo 'poweroff -f' >>"$guest/init"
sed -i "s/ ROUNDS / $rounds /" "$guest/init"
chmod +x "$guest/init"
(cd "$guest" && find . | cpio -o -H newc --quiet) >"$folder/initrd"

timeout "${CAIRN_BOOT_LIMIT:-1800}" qemu-system-x86_64 -accel "${CAIRN_QEMU_ACCEL:-tcg}" -cpu max -smp 2 -m 2048 \
	-display none -serial stdio -serial null -serial null -monitor none -no-reboot -nic none -kernel "$kernel" -initrd "$folder/initrd" \
	-append "console=ttyS0 quiet panic=-1 no_timer_check" >"$folder/said" 2>&1 </dev/null || true

fail() {
	echo "$1; the guest said:" >&2
	tail -60 "$folder/said" >&2
	exit 1
}
if [ "$part" = check ]; then
	grep -q 'V4L2 STATUS 0' "$folder/said" || fail "the camera cannot be used"
	grep -q 'colour: [A-Z0-9]* of 640 x 480, .*Hz' "$folder/said" || fail "not the size that was asked for"
	[ -z "$streamer" ] || grep -q 'HTTP STATUS 0' "$folder/said" || fail "ustreamer's pictures cannot be used"
fi
grep -q "ROUNDS $rounds" "$folder/said" || fail "not back after each of $rounds times unplugged"
grep -a 'colour:\|times lost\|ROUNDS' "$folder/said"
