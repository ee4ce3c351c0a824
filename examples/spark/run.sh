#!/usr/bin/env bash
# The whole demonstration: a fleet of 200 hosts, its stores made by two Spark workers of which one is
# killed midway, one report from the stores and one from the files themselves, compared by hash.
#
#   examples/spark/run.sh [SCRATCH]       needs Java and Python 3; PySpark goes into SCRATCH/venv
#
# PLOTGEN names the program (default: the release build of this repository), HOSTS and IOS the fleet.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
scratch="${1:-$(mktemp -d)}"
mkdir -p "$scratch"
plotgen="${PLOTGEN:-$here/../../target/release/plotgen}"
[ -x "$plotgen" ] || { echo "no program at $plotgen; run: cargo build --release" >&2; exit 2; }

if [ ! -x "$scratch/venv/bin/python" ]; then
    python3 -m venv "$scratch/venv"
    "$scratch/venv/bin/pip" install --quiet pyspark
fi
python="$scratch/venv/bin/python"

[ -d "$scratch/fleet" ] || "$python" "$here/fleet.py" "$scratch/fleet" --hosts "${HOSTS:-200}" --ios "${IOS:-10000}"
echo "fleet: $(find "$scratch/fleet" -type f | wc -l) files, $(du -sh "$scratch/fleet" | cut -f1)"

rm -rf "$scratch/stores" "$scratch/from-stores" "$scratch/from-files"
export PYSPARK_PYTHON="$python"
"$python" "$here/ingest.py" "$scratch/fleet" "$scratch/stores" --plotgen "$plotgen" \
    --master 'local-cluster[2,1,1024]' --kill-after "${KILL_AFTER:-40}" 2> "$scratch/spark.log"
echo "stores: $(find "$scratch/stores" -name plotgen-store.json | wc -l), $(du -sh --apparent-size "$scratch/stores" | cut -f1)"

hash_of() { (cd "$1" && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -d' ' -f1); }
time "$plotgen" "$scratch/stores" -o "$scratch/from-stores" -q
time "$plotgen" "$scratch/fleet" -o "$scratch/from-files" -q
a="$(hash_of "$scratch/from-stores")" b="$(hash_of "$scratch/from-files")"
echo "from stores $a"
echo "from files  $b"
[ "$a" = "$b" ] && echo "the same report, byte for byte"
