#!/usr/bin/env python3
"""Draws the report of serve_load.py: throughput and latency by connections, and what overload does.

    bench/plot_serve_load.py bench/results/DATE-serve-load.json docs/serve-load.svg       (needs matplotlib)
"""
import json
import statistics
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

OURS, RIVAL, QUIET = "#0d7a76", "#b4562a", "#777777"


def by_connections(runs, value):
    return [run["connections"] for run in runs], [value(run) for run in runs]


def draw_throughput(axes, report):
    axes.plot(*by_connections(report["closed"], lambda run: run["good_per_s"]), "o-", color=OURS, label="dikast serve")
    if report["laya"]:
        axes.plot(*by_connections(report["laya"], lambda run: run["good_per_s"]), "s-", color=RIVAL, label="laya.serve")
    alone = statistics.median(part["forward_alone"]["requests_per_second"] for part in report["rounds"])
    axes.axhline(alone, color=QUIET, linestyle=":", label="forward pass alone, batches of 16")
    axes.set(title="Answers a second", xlabel="connections", xscale="log", ylim=(0, None))
    axes.legend(frameon=False, fontsize=8)


def draw_latency(axes, report):
    for runs, color, name in ((report["closed"], OURS, "dikast serve"), (report["laya"], RIVAL, "laya.serve")):
        for key, style in (("p50", "-"), ("p99", "--")):
            answered = [run for run in runs if run["latency_ms"]["count"]]
            if answered:
                axes.plot(*by_connections(answered, lambda run: run["latency_ms"][key]), "o" + style, color=color,
                          label=f"{name} {key}", markersize=3)
    axes.set(title="Latency, ms", xlabel="connections", xscale="log", yscale="log")
    axes.legend(frameon=False, fontsize=8)


def draw_overload(axes, report):
    for x, factor in enumerate((2, 4)):
        values = report["shares"][f"good_at_{factor}x_of_peak"]
        axes.bar(f"{factor}x", statistics.median(values), color=OURS)
        axes.plot([x] * len(values), values, "o", color=QUIET, markersize=3)
        slowest = max(part["open"][x]["health"]["ms"]["p99"] for part in report["rounds"])
        axes.text(x, 0.05, f"health p99\n{slowest:.1f} ms", ha="center", fontsize=8, color="white")
    axes.axhline(0.9, color=QUIET, linestyle=":")
    axes.set(title="Good answers under overload,\nshare of those at 16 connections", ylim=(0, 1.15))


def main():
    report = json.load(open(sys.argv[1], encoding="utf-8"))
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
    for draw, part in zip((draw_throughput, draw_latency, draw_overload), axes):
        draw(part, report)
        part.spines[["top", "right"]].set_visible(False)
    figure.savefig(sys.argv[2], metadata={"Date": None})


if __name__ == "__main__":
    main()
