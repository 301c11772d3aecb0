#!/bin/sh
# Homes, arenas, prompts and providers come from the folder that CAIRN_SHARE names, wherever the program was built.
# Usage: share.sh CAIRN SOURCE
set -eu

cairn=$1
source=$2
dir=$(mktemp -d /tmp/cairn-share-XXXXXX)
trap 'rm -r "$dir"' EXIT
cp -r "$source/config" "$dir/config"
for home in home home-tasks loop; do
	rm "$dir/config/worlds/$home.yaml"
done

fail()
{
	echo "share: $1" >&2
	exit 1
}

# From another folder, so that nothing is found by chance.
cd /
CAIRN_SHARE=$dir "$cairn" eval explore --mode hybrid --provider pilot --poses truth --for 20s --json >"$dir/out" || true
python3 - "$dir" <<'CHECK' || fail "explore drove other homes than those of CAIRN_SHARE"
import json, sys
figures = json.load(open(sys.argv[1] + "/out"))
assert [w["path"] for w in figures["worlds"]] == [sys.argv[1] + "/config/worlds/studio.yaml"], figures["worlds"]
assert figures["trials"][0]["calls"] > 0 and figures["trials"][0]["failures"] == 0, figures["trials"]
CHECK

rm "$dir/config/providers.yaml"
if CAIRN_SHARE=$dir "$cairn" eval explore --mode hybrid --provider pilot --for 20s >/dev/null 2>"$dir/err"; then
	fail "no providers, and explore asked one"
fi
grep -q "config/providers.yaml" "$dir/err" || fail "what is missing is not named: $(cat "$dir/err")"
if CAIRN_SHARE=$dir "$cairn" eval arenas --name 9-none >/dev/null 2>"$dir/err"; then
	fail "an arena that is none was driven"
fi
grep -q "$dir/config/arenas" "$dir/err" || fail "arenas were looked for elsewhere: $(cat "$dir/err")"
