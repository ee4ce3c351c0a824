#!/usr/bin/env python3
"""A fleet of hosts that fio has measured: FLEET/rack03/host017/randread-qd4.json and its logs.

The same seed gives the same bytes. Latencies are log-normal around a level that depends on the host's
disk and on the queue depth; the summary is computed from the very rows of the logs.
"""

import argparse
import json
import math
import random
from pathlib import Path

DISKS = {"ssd": 90_000.0, "hdd": 6_000_000.0}
DEPTHS = (1, 4)
HOSTS_PER_RACK = 20


def rows_of(rng, level_ns, depth, count):
    """Time stamp (ms) and latency (ns) of each I/O: `depth` are in flight, so that many end per latency."""
    rows, clock = [], 0.0
    for _ in range(count):
        latency = int(level_ns * depth**0.6 * math.exp(rng.gauss(0.0, 0.35)))
        clock += latency / depth
        rows.append((int(clock / 1e6), latency))
    return rows


def percentile(ordered, share):
    return ordered[max(0, math.ceil(len(ordered) * share) - 1)]


def summary(rows, name, depth):
    latencies = sorted(latency for _, latency in rows)
    count, runtime = len(rows), max(rows[-1][0], 1)
    mean = sum(latencies) / count
    spread = math.sqrt(sum((latency - mean) ** 2 for latency in latencies) / count)
    iops = count * 1000 / runtime
    shares = (0.5, 0.9, 0.95, 0.99, 0.999)
    clat = {
        "min": latencies[0], "max": latencies[-1], "mean": mean, "stddev": spread, "N": count,
        "percentile": {f"{share * 100:.6f}": percentile(latencies, share) for share in shares},
    }
    return {
        "fio version": "fio-3.33",
        "jobs": [{
            "jobname": name, "groupid": 0, "error": 0,
            "job options": {
                "name": name, "rw": "randread", "bs": "4k", "iodepth": str(depth), "ioengine": "libaio",
                "direct": "1", "write_lat_log": name, "filename": "/dev/sdb",
            },
            "read": {
                "io_bytes": count * 4096, "bw_bytes": int(iops * 4096), "iops": iops, "runtime": runtime,
                "total_ios": count, "clat_ns": clat, "lat_ns": {k: v for k, v in clat.items() if k != "percentile"},
            },
        }],
    }


def write_host(folder, seed, disk, count):
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(seed)
    level = DISKS[disk] * rng.uniform(0.9, 1.1)
    for depth in DEPTHS:
        name = f"{disk}_randread_qd{depth}"
        rows = rows_of(rng, level, depth, count)
        text = "".join(f"{ms}, {ns}, 0, 4096, 0, 0\n" for ms, ns in rows)
        for kind in ("clat", "lat"):
            (folder / f"{name}_{kind}.1.log").write_text(text)
        (folder / f"{name}.json").write_text(json.dumps(summary(rows, name, depth), indent=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fleet", type=Path)
    parser.add_argument("--hosts", type=int, default=200)
    parser.add_argument("--ios", type=int, default=10_000, help="I/Os of each run; two logs have a row for each")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    for host in range(args.hosts):
        rack = f"rack{host // HOSTS_PER_RACK + 1:02}"
        disk = "ssd" if host % 2 else "hdd"
        write_host(args.fleet / rack / f"host{host + 1:03}", args.seed * 1_000_003 + host, disk, args.ios)


if __name__ == "__main__":
    main()
