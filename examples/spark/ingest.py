#!/usr/bin/env python3
"""The map side as a Spark job: `plotgen ingest` on every host's directory, one store for each.

    spark-submit ingest.py FLEET STORES            or, with pyspark installed,
    python ingest.py FLEET STORES --master 'local-cluster[2,1,1024]'

A task writes STORES/rack01/host001. A store appears whole or not at all, and the same inputs give the same
bytes: so a task may be killed, retried, or run twice at the same time (speculation), and nothing changes.
"""

import argparse
import os
import signal
import subprocess
import threading
import time
from pathlib import Path

from pyspark.sql import SparkSession


def task(plotgen, fleet, stores):
    def run(host):
        target = os.path.join(stores, host)
        done = subprocess.run([plotgen, "ingest", os.path.join(fleet, host), "-o", target,
                               "--root", fleet, "--threads", "1"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        # 1: written, and some file was broken, which the report names. Above that nothing was written.
        if done.returncode > 1:
            raise RuntimeError(f"{host}: {done.stderr}")
        return host, done.returncode
    return run


def executors():
    """Processes of Spark's workers below this one, by their ids."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, rest = int(status.parent.name), status.read_text().rpartition(")")[2].split()
            command = (status.parent / "cmdline").read_bytes()
        except OSError:
            continue
        parents[pid] = (int(rest[1]), command)
    def is_ours(pid):
        while pid in parents:
            if pid == os.getpid():
                return True
            pid = parents[pid][0]
        return False
    return [pid for pid, (_, command) in sorted(parents.items())
            if b"CoarseGrainedExecutorBackend" in command and is_ours(pid)]


def kill_one(stores, after):
    """Kills a worker once so many stores are there."""
    while sum(1 for _ in Path(stores).rglob("plotgen-store.json")) < after:
        time.sleep(0.05)
    victims = executors()
    if victims:
        os.kill(victims[0], signal.SIGKILL)
        written = sum(1 for _ in Path(stores).rglob("plotgen-store.json"))
        print(f"killed worker {victims[0]} of {victims} after {written} stores", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fleet")
    parser.add_argument("stores")
    parser.add_argument("--plotgen", default="plotgen", help="the program, at the same path on all workers")
    parser.add_argument("--master", help="default: what spark-submit says")
    parser.add_argument("--kill-after", type=int, help="kill a worker once so many stores are written")
    args = parser.parse_args()
    fleet, stores = os.path.abspath(args.fleet), os.path.abspath(args.stores)
    # A directory with results is a unit: a log is understood by the output beside it.
    hosts = sorted({str(path.parent.relative_to(fleet)) for path in Path(fleet).rglob("*.json")})
    os.makedirs(stores, exist_ok=True)

    builder = SparkSession.builder.appName("plotgen ingest").config("spark.task.maxFailures", "8")
    if args.master:
        builder = builder.master(args.master)
    spark = builder.getOrCreate()
    if args.kill_after:
        threading.Thread(target=kill_one, args=(stores, args.kill_after), daemon=True).start()
    begin = time.monotonic()
    done = spark.sparkContext.parallelize(hosts, max(2, len(hosts) // 5)).map(
        task(args.plotgen, fleet, stores)).collect()
    broken = [host for host, code in done if code == 1]
    print(f"{len(done)} stores in {time.monotonic() - begin:.1f} s, {len(broken)} with broken files", flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
