#!/usr/bin/env bash
# Reading beside `wc -l`, in seconds: what the log reader costs at a glance.
#
#     bench/quick.sh [PLOTGEN] [ROWS]
#
# PLOTGEN (default target/release/plotgen) is the program, ROWS (default 3,000,000) the length of the log that
# is made for it. Prints the least user + system time of five runs of each and their ratio. It never fails for
# being slow: machines differ, and what runs beside it counts.
set -euo pipefail

plotgen=${1:-target/release/plotgen}
rows=${2:-3000000}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
log=$scratch/quick_lat.1.log

awk -v rows="$rows" 'BEGIN {
    for (i = 0; i < rows; i++) {
        seed = (seed * 1103515245 + 12345) % 2147483648
        printf "%d, %d, %d, 4096, 0\n", i / 100, 40000 + seed % 90000, (seed % 10 > 6)
    }
}' > "$log"

TIMEFORMAT='%U %S'
least() { # command...
    for _ in 1 2 3 4 5; do
        { time "$@" > /dev/null 2>&1; } 2>&1
    done | awk '{ s = $1 + $2; if (NR == 1 || s < least) least = s } END { printf "%.3f\n", least }'
}

floor=$(least wc -l "$log")
own=$(least "$plotgen" summary "$log" --no-cache --threads 1 --format csv -q)
awk -v own="$own" -v floor="$floor" -v bytes="$(wc -c < "$log")" 'BEGIN {
    ratio = floor > 0 ? own / floor : 0
    printf "%d MB of single I/Os: wc -l %.3f s, plotgen summary %.3f s of CPU, ratio %.1f\n", bytes / 1e6, floor, own, ratio
    if (ratio > 12) print "that is far more than usual (docs/performance.md): look whether the reader takes the slow way"
}'
