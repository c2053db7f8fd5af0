#!/usr/bin/env python3
"""Times whole `dikast decide` processes, start to exit: bundled model, one ticket, three questions.

    bench/startup.py [build/dikast] [--runs 50] > startup.json

The first run is reported apart (it may read the model from disk); the others give the quantiles. The load
average says how busy the machine was: figures from a busy one are no figures.
"""
import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def cpu_name():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown"


def commit():
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=40"]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout.strip()


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def seconds(command):
    """Wall time and processor time of one process."""
    used = cpu_seconds()
    start = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    taken = time.perf_counter() - start, cpu_seconds() - used
    if done.returncode != 0:
        sys.exit(f"{command} ended with {done.returncode}: {done.stderr.decode()}")
    return taken


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", nargs="?", default=str(ROOT / "build/dikast"))
    parser.add_argument("--runs", type=int, default=50)
    arguments = parser.parse_args()
    decide = [arguments.program, "decide", "--state-file", str(ROOT / "examples/ticket.txt"),
              "--questions", str(ROOT / "tests/data/cli/questions.json")]
    info = json.loads(subprocess.check_output([arguments.program, "info", "--json"]))
    load = os.getloadavg()[0]
    first = seconds(decide)
    runs = [seconds(decide) for _ in range(arguments.runs)]
    times = sorted(wall for wall, _ in runs)
    json.dump({
        "what": "dikast decide, bundled model, 3 questions on one ticket, start to exit",
        "commit": commit(), "command": " ".join(["bench/startup.py", *sys.argv[1:]]),
        "cpu": cpu_name(), "cores": len(os.sched_getaffinity(0)), "load_average": load,
        "isa": info["isa"], "threads": info["threads"], "runs": arguments.runs,
        "first_s": round(first[0], 4), "median_s": round(statistics.median(times), 4),
        "cpu_median_s": round(statistics.median(cpu for _, cpu in runs), 4),
        "p10_s": round(times[len(times) // 10], 4), "p90_s": round(times[len(times) * 9 // 10], 4),
    }, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
