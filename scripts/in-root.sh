#!/bin/sh
# Runs a shell command in the system below a folder, as its root, in namespaces of its own: they take its mounts and processes with them.
#
#   scripts/in-root.sh FOLDER COMMAND
set -eu

# shellcheck disable=SC2016 # expanded in there
exec unshare --mount --pid --fork --propagation private sh -euc '
mount --bind "$1" "$1"
cd "$1"
mount -t proc proc proc
mount -t tmpfs -o mode=755 tmpfs dev
for node in null zero full random urandom tty; do
	touch "dev/$node"
	mount --bind "/dev/$node" "dev/$node"
done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
mount -t tmpfs -o mode=1777 tmpfs dev/shm
mount -t tmpfs -o mode=755 tmpfs run
exec chroot . sh -euc "$2"' in-root "$1" "$2" </dev/null
