#!/usr/bin/env bash
# plotgen beside other tools, as whole processes, in one run.
#
#     [RUNS=3] [BIG=400000000] bench/compare.sh [ROWS] [SCRATCH]
#
# ROWS (default 50,000,000; 1.4 GB) is the length of the large log, SCRATCH (default a new folder
# under TMPDIR) holds the data, the peers and nothing else; delete it when you are done. BIG is the length
# of one more log, which only plotgen reads; RUNS is how often each command is timed.
#
# Makes its own data with the seeded generator of examples/generate_logs.rs, installs the peers that
# the registries have (fio-plot, duckdb, polars, pandas from PyPI; gnuplot from Debian, when it is
# root and apt is there), runs each command once to warm the page cache and then several times, and
# prints the median of user + system time as a ratio to `wc -l` on the same file (the first row of a table, where
# it says so), with the peak memory.
# A peer that cannot be installed is left out by name. Nothing is asserted: timings are for people.
set -euo pipefail

rows=${1:-50000000}
scratch=${2:-$(mktemp -d)}
runs=${RUNS:-3}
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$scratch"
say() { printf '%s\n' "$*" >&2; }

say "data and peers in $scratch"
cd "$root"
cargo build --release --no-default-features --quiet --bin plotgen --example generate_logs
target=${CARGO_TARGET_DIR:-$root/target}/release
plotgen=$target/plotgen
generate=$target/examples/generate_logs

make_log() { # name rows columns kind
    [ -s "$scratch/$1" ] || "$generate" --rows "$2" --columns "$3" --kind "$4" --seed 1 -o "$scratch/$1"
}
make_log lat4_lat.1.log "$rows" 4 lat
make_log lat5_lat.1.log "$rows" 5 lat
make_log lat6_lat.1.log "$rows" 6 lat
make_log iops_iops.1.log "$rows" 5 iops
make_log bw_bw.1.log "$rows" 5 bw
make_log small_lat.1.log 1000000 4 lat
mkdir -p "$scratch/jobs"
for job in 1 2 3 4; do make_log "jobs/randrw_lat.$job.log" $((rows / 4)) 5 lat; done
if [ ! -d "$scratch/many" ]; then
    "$generate" --files 2000 --rows 600 --columns 4 --kind lat --window 1000 -o "$scratch/many"
fi
if [ ! -d "$scratch/outputs" ]; then
    "$generate" --files 1000 --rows 1000 --json -o "$scratch/outputs"
fi
if [ ! -d "$scratch/jobs-json" ]; then
    "$generate" --files 1000 --rows 29000 --json -o "$scratch/jobs-json"
fi
if [ ! -s "$scratch/lat4.gz_lat.1.log.gz" ]; then
    gzip -1 -c "$scratch/small_lat.1.log" > "$scratch/lat4.gz_lat.1.log.gz"
fi

python=
if command -v python3 > /dev/null; then
    if [ ! -x "$scratch/venv/bin/python" ]; then
        python3 -m venv "$scratch/venv" || say "no venv: peers in Python are left out"
    fi
    if [ -x "$scratch/venv/bin/python" ]; then
        python=$scratch/venv/bin/python
        for peer in fio-plot duckdb polars pandas; do
            "$python" -m pip --quiet --disable-pip-version-check install "$peer" || say "left out: $peer"
        done
    fi
fi
if ! command -v gnuplot > /dev/null && [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
    apt-get -qq install -y gnuplot-nox > /dev/null 2>&1 || say "left out: gnuplot"
fi
has() { [ -n "$python" ] && "$python" -c "import $1" 2> /dev/null; }

# Prints "CPU-seconds wall-seconds peak-MB" of a command: the median of several runs by CPU time.
measure() {
    "$@" > /dev/null 2>&1 || true
    for _ in $(seq "$runs"); do
        /usr/bin/env python3 - "$@" <<'PY'
import os, subprocess, sys, time
start = time.monotonic()
null = open(os.devnull, "w")
child = subprocess.Popen(sys.argv[1:], stdout=null, stderr=null)
_, status, use = os.wait4(child.pid, 0)
wall = time.monotonic() - start
code = os.waitstatus_to_exitcode(status)
# plotgen says 1 where it had to leave something out.
note = "" if code == 0 or (code == 1 and "plotgen" in sys.argv[1]) else f" exit-{code}"
print(f"{use.ru_utime + use.ru_stime:.4f} {wall:.4f} {use.ru_maxrss / 1024:.0f}{note}")
PY
    done | sort -n | sed -n "$(((runs + 1) / 2))p"
}

print_row() { # what CPU-seconds wall-seconds MB note
    local ratio=
    [ "$floor" = 0 ] || ratio=$(awk -v a="$2" -v b="$floor" 'BEGIN { printf "%.2f", a / b }')
    printf '| %-52s | %8.3f | %8.3f | %7s | %6d | %s |\n' "$1" "$2" "$3" "$ratio" "$4" "${5:-}"
}

row() { # what command...
    local what=$1 cpu wall memory note
    shift
    read -r cpu wall memory note <<< "$(measure "$@")"
    print_row "$what" "$cpu" "$wall" "$memory" "${note:-}"
}

# The row that those below it are compared with, of more runs than they: command...
floor_row() {
    local what=$1 wall memory note
    shift
    read -r floor wall memory note <<< "$(runs=$((2 * runs + 1)) measure "$@")"
    print_row "$what" "$floor" "$wall" "$memory" "${note:-}"
}
floor=0

heading() {
    printf '\n### %s\n\n| command | CPU s | wall s | x first | MB |  |\n|---|---:|---:|---:|---:|---|\n' "$1"
}

echo "$(date -u +%Y-%m-%d), $(uname -sm), $(nproc) CPUs, $(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo), $("$plotgen" --version)"

for name in lat4_lat lat5_lat lat6_lat iops_iops bw_bw; do
    log=$scratch/$name.1.log
    heading "$name: $rows rows, $(du -m "$log" | cut -f1) MB"
    floor_row 'wc -l' wc -l "$log"
    row 'cat' cat "$log"
    row 'sha256sum' sha256sum "$log"
    for threads in 1 2; do
        row "plotgen summary, $threads thread(s)" \
            "$plotgen" summary "$log" --no-cache --threads $threads --format csv -q
    done
done

heading "four jobs of $((rows / 4)) rows each, reads and writes"
floor_row 'wc -l' wc -l "$scratch"/jobs/*.log
for threads in 1 2; do
    row "plotgen summary, $threads thread(s)" \
        "$plotgen" summary "$scratch/jobs" --no-cache --threads $threads --format csv -q
done

if [ -n "${BIG:-}" ]; then
    make_log big_lat.1.log "$BIG" 5 lat
    log=$scratch/big_lat.1.log
    heading "$BIG rows, $(du -m "$log" | cut -f1) MB"
    floor_row 'wc -l' wc -l "$log"
    for threads in 1 2; do
        row "plotgen summary, $threads thread(s)" \
            "$plotgen" summary "$log" --no-cache --threads $threads --format csv -q
    done
fi

log=$scratch/lat4_lat.1.log
heading "quantiles of the same log, elsewhere"
floor_row 'wc -l' wc -l "$log"
row 'plotgen summary' "$plotgen" summary "$log" --no-cache --threads 1 --format csv -q
if has duckdb; then
    row 'duckdb, exact quantiles' "$python" -c "
import duckdb
duckdb.execute('set threads to 1')
duckdb.sql(\"select column2, avg(column1), quantile_cont(column1, [.5,.99,.999]) from read_csv('$log', header=false) group by all\").fetchall()"
fi
# The blank after a comma makes a text of a number there.
polars="
import polars
value = polars.col('column_2').str.strip_chars().cast(polars.Int64)
rows = polars.scan_csv('$log', has_header=False, infer_schema=False).group_by('column_3')"
if has polars; then
    row 'polars, mean' env POLARS_MAX_THREADS=1 "$python" -c "
$polars
rows.agg(value.mean()).collect()"
fi
if has polars; then
    row 'polars, quantiles' env POLARS_MAX_THREADS=1 "$python" -c "
$polars
rows.agg([value.mean(), *[value.quantile(q).alias(str(q)) for q in (.5, .99, .999)]]).collect()"
fi
if command -v mawk > /dev/null; then
    row 'mawk, mean' mawk -F, '{ s += $2; n++ } END { print s / n }' "$log"
fi

log=$scratch/small_lat.1.log
heading "one million rows"
floor_row 'wc -l' wc -l "$log"
row 'plotgen summary' "$plotgen" summary "$log" --no-cache --threads 1 --format csv -q
row 'plotgen chart lat-time, SVG' "$plotgen" chart lat-time "$log" --no-cache --threads 1 -q -o "$scratch/one.svg"
row 'plotgen chart lat-time, PNG' "$plotgen" chart lat-time "$log" --no-cache --threads 1 -q -o "$scratch/one.png"
row 'gzip -dc | wc -l' sh -c "gzip -dc '$scratch/lat4.gz_lat.1.log.gz' | wc -l"
row 'plotgen summary of the gzip' "$plotgen" summary "$scratch/lat4.gz_lat.1.log.gz" --no-cache --threads 1 --format csv -q
if has pandas; then
    row 'pandas, quantiles' "$python" -c "
import pandas
pandas.read_csv('$log', header=None).groupby(2)[1].quantile([.5, .99, .999])"
fi
if command -v gnuplot > /dev/null; then
    row 'gnuplot, SVG of every thousandth row' gnuplot -e "set terminal svg size 1200,675; set output '$scratch/gnuplot.svg'; set datafile separator ','; plot '$log' using 1:2 every 1000 with lines"
fi
if [ -n "$python" ] && [ -x "$scratch/venv/bin/fio-plot" ]; then
    mkdir -p "$scratch/fio-plot"
    cp -n "$log" "$scratch/fio-plot/randread-iodepth-1-numjobs-1_lat.1.log" || true
    row 'fio-plot, log graph' "$scratch/venv/bin/fio-plot" -i "$scratch/fio-plot" -T benchmark -g -r randread -t lat -d 1 -n 1 -o "$scratch/fio-plot.png"
fi

heading "2,000 windowed logs of 600 rows"
floor_row 'wc -l' wc -l $(find "$scratch/many" -name '*.log' | sort)
row 'plotgen summary' "$plotgen" summary "$scratch/many" --no-cache --threads 1 --format csv -q
heading "1,000 JSON outputs of fio, $(du -sm "$scratch/outputs" | cut -f1) MB"
floor_row 'wc -l' wc -l $(find "$scratch/outputs" -name '*.json' | sort)
row 'plotgen summary' "$plotgen" summary "$scratch/outputs" --no-cache --threads 1 --format csv -q

heading "1,000 JSON outputs of fio with 29 jobs each, $(du -sm "$scratch/jobs-json" | cut -f1) MB"
floor_row 'wc -l' wc -l $(find "$scratch/jobs-json" -name '*.json' | sort)
row 'plotgen inspect' "$plotgen" inspect "$scratch/jobs-json" --no-cache --threads 1 -q

heading "start-up"
floor=0
row 'plotgen --version' "$plotgen" --version
one=$(find "$scratch/many" -name '*.log' | sort | sed -n 1p)
row 'one log of 600 rows to one SVG' "$plotgen" chart lat-time "$one" --no-cache -q -o "$scratch/start.svg"
heading "again on unchanged inputs"
row 'first report of 2,000 logs' sh -c "rm -rf '$scratch/report' '$scratch/cache'; PLOTGEN_CACHE='$scratch/cache' '$plotgen' report '$scratch/many' -q --format svg -o '$scratch/report'"
# Each of these looks at every input and every file of the report once.
floor_row 'find -newer, inputs and report' find "$scratch/many" "$scratch/report" -newermt 2100-01-01
row 'ls -lR, inputs and report' ls -lR "$scratch/many" "$scratch/report"
row 'second report of 2,000 logs' env PLOTGEN_CACHE="$scratch/cache" "$plotgen" report "$scratch/many" -q --format svg -o "$scratch/report"
