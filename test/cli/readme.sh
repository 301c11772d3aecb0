#!/bin/sh
# The Python of README.md finds the run directory where the tool finds it. Usage: readme.sh CAIRN SOURCE
set -eu

cairn=$1
source=$2
dir=$(mktemp -d /tmp/cairn-readme-XXXXXX)
trap 'rm -r "$dir"' EXIT
# shellcheck disable=SC2016 # backquotes of Markdown
sed -n '/^```python$/,/^```$/p' "$source/README.md" | sed -n '/^def run_dir/,/^$/p' >"$dir/run_dir.py"
grep -q '^def run_dir' "$dir/run_dir.py" || { echo "readme: README.md has no run_dir()" >&2; exit 1; }
printf 'print(run_dir())\n' >>"$dir/run_dir.py"
sed -i '1i import os' "$dir/run_dir.py"

check()
{
	by_python=$(env -u CAIRN_RUN -u XDG_RUNTIME_DIR "$@" python3 "$dir/run_dir.py")
	by_tool=$(env -u CAIRN_RUN -u XDG_RUNTIME_DIR "$@" "$cairn" version --run-dir)
	if [ "$by_python" != "$by_tool" ]; then
		echo "readme: with '$*' the tool finds $by_tool, README's Python $by_python" >&2
		exit 1
	fi
}

cd "$dir"
check A=b
check CAIRN_RUN="$dir/one"
check CAIRN_RUN=two
check CAIRN_RUN=
check XDG_RUNTIME_DIR="$dir/three"
check XDG_RUNTIME_DIR=relative
check CAIRN_RUN="$dir/one" XDG_RUNTIME_DIR="$dir/three"
