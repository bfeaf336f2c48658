#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Simulates the schedule of `mpirun -n R dcsim sweep` and says how well R ranks are used.

A rank asks rank 0 for a point, runs it, sends its row and asks again.  Rank 0 looks for messages every --poll seconds at the latest
and then serves all that have come, --service seconds each, one after the other; the answer is seen after at most --poll seconds, too.
Rank 0 runs points as well; what it serves costs its own run nothing but processor time, which is not counted.

Efficiency is the time of all runs divided by ranks and time from beginning to end.  "of the tail": what it would be with a rank 0
that answers at once; the rest is lost because the last points end at different times.  "waiting": longest queue of rank 0.

Times of runs: column "seconds" of a sweep.csv, drawn again for as many points as asked for; else lognormal with --mean and --spread.
"""
import argparse
import csv
import heapq
import math
import random


def read_times(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [float(row["seconds"]) for row in csv.DictReader(file) if row["seconds"]]


def draw_times(options, count, generator):
    if options.table:
        return generator.choices(read_times(options.table), k=count)
    sigma = math.sqrt(math.log(1 + options.spread**2))
    return [generator.lognormvariate(math.log(options.mean) - sigma**2 / 2, sigma) for _ in range(count)]


def simulate(times, ranks, service, poll, generator):
    """End of the sweep and the longest queue.  Events: a rank's message reaches rank 0 at a time."""
    asks = [(generator.random() * poll, rank) for rank in range(ranks)]
    heapq.heapify(asks)
    free, end, longest = 0.0, 0.0, 0  # rank 0 is free from then on
    for seconds in times:
        asked, rank = heapq.heappop(asks)
        look = asked + generator.random() * poll if asked > free else free
        longest = max(longest, round((look - asked) / service) if service and look - asked > poll else 0)
        free = look + service
        begin = free + generator.random() * poll
        end = max(end, begin + seconds)
        heapq.heappush(asks, (begin + seconds, rank))
    return end, longest


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", help="sweep.csv whose times are drawn from")
    parser.add_argument("--mean", type=float, default=10, help="mean time of a run, s (10)")
    parser.add_argument("--spread", type=float, default=0.5, help="standard deviation / mean (0.5)")
    parser.add_argument("--points", type=int, default=0, help="points; 0: 20 for each rank")
    parser.add_argument("--service", type=float, default=25e-6, help="time of rank 0 for a point, s (25e-6)")
    parser.add_argument("--poll", type=float, default=2e-3, help="longest time between two looks for messages, s (2e-3)")
    parser.add_argument("--ranks", default="1,2,8,64,512,1000,4000,10000")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"{'ranks':>6} {'points':>8} {'time, s':>10} {'efficiency':>10} {'of the tail':>11} {'waiting':>8}")
    for ranks in map(int, options.ranks.split(",")):
        generator = random.Random(options.seed)
        times = draw_times(options, options.points or 20 * ranks, generator)
        end, longest = simulate(times, ranks, options.service, options.poll, generator)
        ideal, _ = simulate(times, ranks, 0, 0, generator)
        work = sum(times)
        print(f"{ranks:6} {len(times):8} {end:10.2f} {work / ranks / end:10.3f} {work / ranks / ideal:11.3f} {longest:8}")


if __name__ == "__main__":
    main()
