#!/bin/sh
# What is installed stands by itself: programs, homes, prompts, headers and library are those of the prefix, and a clone that has
# been moved uses its own files. Usage: install.sh BUILD SOURCE PREFIX
set -eu

build=$1
source=$2
prefix=$3
dir=$(mktemp -d /tmp/cairn-install-XXXXXX)
trap 'rm -r "$dir"' EXIT
unset CAIRN_SHARE CAIRN_RUN CAIRN_CONNECT CAIRN_KEY PKG_CONFIG_PATH

fail()
{
	echo "install: $1" >&2
	exit 1
}

# The answer to a home that is none lists those of the folder in use: one less shows that it is not another.
worlds_of()
{
	rm "$2/config/worlds/home.yaml"
	"$1" up --headless --run "$dir/run" --world castle >"$dir/out" 2>&1 && fail "a home that is none was taken"
	grep -q "bundled are: home-tasks, loop, studio$" "$dir/out" || fail "$1 uses other files than those of $2: $(cat "$dir/out")"
}

meson install -C "$build" --no-rebuild --destdir "$dir/root" >"$dir/out" 2>&1 || fail "$(tail -5 "$dir/out")"
root=$dir/root$prefix
cd /
for program in $(sed -n 's/^STAGE([^,]*, "[^"]*", "\([^"]*\)".*/\1/p' "$source/procs/launcher/stages.def") cairn-launcher; do
	case $program in
	cairn-*) [ -x "$root/bin/$program" ] || fail "$program is not installed" ;;
	esac
done
worlds_of "$root/bin/cairn" "$root/share/cairn"

mkdir -p "$dir/clone/build/procs"
cp "$build/procs/cairn" "$dir/clone/build/procs/cairn"
cp -r "$source/config" "$dir/clone/config"
worlds_of "$dir/clone/build/procs/cairn" "$dir/clone"

# Each file goes into one of the Debian packages, whose libraries lie in a folder of the machine's kind. The lab is left out of them, and
# the unit comes with another option.
lists=$(cat "$source/debian/cairn.install" "$source/debian/libcairn-dev.install")
(cd "$dir/root" && find ".$prefix" -type f ! -name 'cairn-lab*' ! -name home.yaml) | sed -e "s,^[.]$prefix,usr," -e 's,^usr/lib/\(pkgconfig/\|[^/]*$\),usr/lib/any/\1,' >"$dir/files"
printf '%s\n' etc/cairn/cairn.yaml lib/systemd/system/cairn.service lib/udev/rules.d/60-cairn.rules >>"$dir/files"
while read -r file; do
	places=0
	set -f
	for place in $lists; do
		# shellcheck disable=SC2254 # a pattern
		case $file in
		$place | $place/*) places=$((places + 1)) ;;
		esac
	done
	set +f
	[ "$places" = 1 ] || fail "$file is in $places packages: correct debian/*.install"
done <"$dir/files"
set -f
for place in $lists; do
	found=no
	while read -r file; do
		# shellcheck disable=SC2254 # a pattern
		case $file in
		$place | $place/*) found=yes ;;
		esac
	done <"$dir/files"
	[ "$found" = yes ] || fail "debian/*.install names $place, which is not installed"
done
set +f

# A reader of frames is built from what is installed, and from nothing else.
grep -q '^.SH NAME' "$root/share/man/man1/cairn.1" || fail "there is no manual page"
grep -q '^complete -F _cairn cairn' "$root/share/bash-completion/completions/cairn.bash" || fail "there is no completion for bash"
pc=$(find "$root" -name cairn.pc)
[ -n "$pc" ] || fail "there is no cairn.pc"
cat >"$dir/reader.c" <<'C'
#include <ipc/bus.h>
#include <ipc/frames.h>
int main(int argc, char **argv)
{
	struct cairn_config cfg;
	struct cairn_error err = {""};
	cairn_config_defaults(&cfg);
	if (argc < 2)
		return cairn_frame_topic_find("map.grid") == CAIRN_FRAME_MAP_GRID ? 0 : 1;
	struct cairn_frames *frames = cairn_frames_open("reader", &cfg, 1000, &err);
	struct cairn_frame_sub *sub = frames != NULL ? cairn_frame_sub_new(frames, CAIRN_FRAME_MAP_GRID, &err) : NULL;
	struct cairn_bus *bus = cairn_bus_new(argv[1], &err);
	cairn_bus_destroy(&bus);
	cairn_frames_close(&frames);
	return sub != NULL ? 0 : 1;
}
C
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046
cc -std=c17 -D_GNU_SOURCE $(pkg-config --define-variable=prefix="$root" --cflags cairn) "$dir/reader.c" -o "$dir/reader" \
	$(pkg-config --define-variable=prefix="$root" --libs cairn) >"$dir/out" 2>&1 ||
	fail "a reader of frames does not build: $(head -c 2000 "$dir/out")"
"$dir/reader" || fail "a reader of frames that was built does not run"
