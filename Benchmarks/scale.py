#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Computes what a large run of `tensorio bulk` in parts takes, from measured figures.

    Benchmarks/scale.py [--photos 1e9] [--machines 10 100 1000] [--rate 1629] [--photo-bytes 69000]
    Benchmarks/scale.py --help                   lists the other figures

The stages are those of Documentation/Scaling.md: one process lists the photos, every part reads the whole
list and runs its photos, and one process merges the rows. Photos are read from a store whose network all
machines share. The table has the hours of each stage, what they add up to, and the machine hours. The last
column names what takes longest. The defaults are the figures of Documentation/Scaling.md.
"""

import argparse
from dataclasses import dataclass


@dataclass
class Figures:
    """What was measured of one machine and its network."""

    photos: float
    rate: float
    photo_bytes: float
    item_bytes: float
    row_bytes: float
    listing: float
    reading: float
    merging: float
    store: float
    machine: float


@dataclass
class Stages:
    """The seconds of each stage, of which only `running` and `reading` use all machines."""

    listing: float
    reading: float
    running: float
    merging: float
    limit: str

    @property
    def total(self) -> float:
        return self.listing + self.reading + self.running + self.merging


def stages(figures: Figures, machines: int) -> Stages:
    """The stages of a run in as many parts as machines. `store` and `machine` are in bits a second."""
    share = figures.photos / machines
    photo, item = 8 * figures.photo_bytes, 8 * figures.item_bytes
    running = {
        "processors": share / figures.rate,
        "a machine's network": share * photo / figures.machine,
        "the store's network": figures.photos * photo / figures.store,
    }
    # Every machine reads the whole list.
    reading = {
        "reading the list": figures.photos / figures.reading,
        "reading the list, a machine's network": figures.photos * item / figures.machine,
        "reading the list, the store's network": machines * figures.photos * item / figures.store,
    }
    run_limit, read_limit = max(running, key=running.get), max(reading, key=reading.get)
    found = Stages(
        figures.photos / figures.listing, reading[read_limit], running[run_limit],
        figures.photos / figures.merging, "")
    found.limit = max(
        ("listing", found.listing), (read_limit, found.reading), (run_limit, found.running),
        ("merging", found.merging), key=lambda each: each[1])[0]
    return found


def hours(seconds: float) -> str:
    value = seconds / 3600
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"


def table(figures: Figures, counts: list[int]) -> str:
    lines = [
        "| Machines | Listing | Reading the list | Running | Merging | Together | Machine hours | Limited by |",
        "|---:|---:|---:|---:|---:|---:|---:|---|"]
    for count in counts:
        each = stages(figures, count)
        used = each.listing + each.merging + count * (each.reading + each.running)
        lines.append(
            f"| {count:,} | {hours(each.listing)} h | {hours(each.reading)} h | {hours(each.running)} h "
            f"| {hours(each.merging)} h | {hours(each.total)} h | {hours(used)} | {each.limit} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("--photos", type=float, default=1e9, help="how many photos")
    add("--machines", type=int, nargs="+", default=[10, 100, 1000])
    add("--rate", type=float, default=1629.4, help="photos a second of one machine")
    add("--photo-bytes", type=float, default=69e3, help="bytes of a photo")
    add("--item-bytes", type=float, default=37, help="bytes of a line of the list")
    add("--row-bytes", type=float, default=453, help="bytes of a row")
    add("--listing", type=float, default=54e3, help="photos listed a second")
    add("--reading", type=float, default=2.9e6, help="lines of the list that a part passes a second")
    add("--merging", type=float, default=2.2e4, help="rows merged a second")
    add("--store", type=float, default=100e9, help="bits a second that the store of the photos sends")
    add("--machine", type=float, default=10e9, help="bits a second that a machine receives")
    arguments = parser.parse_args()
    counts = arguments.machines
    figures = Figures(**{name: value for name, value in vars(arguments).items() if name != "machines"})
    print(table(figures, counts))
    terabytes = figures.photos / 1e12
    print(
        f"\nThe photos are {terabytes * figures.photo_bytes:,.1f} TB, the list {terabytes * figures.item_bytes:,.2f} TB, "
        f"and the rows {terabytes * figures.row_bytes:,.2f} TB.")


if __name__ == "__main__":
    main()
