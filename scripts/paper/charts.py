#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Line charts as SVG, by matplotlib (Debian: python3-matplotlib).

    scripts/paper/charts.py DATA.json OUT.svg

DATA: {"panels": [{"title", "xlabel", "ylabel", "xscale", "yscale", "first_loss", "lines": [{"label", "x", "y"}]}]}, where first_loss
is the loss of the first guess, above which a curve is cut off.  draw() runs this file with the first python3 that has matplotlib.
"""
import json
import os
import subprocess
import sys
import tempfile


def interpreter():
    """A python3 that can import matplotlib, or None."""
    for python in dict.fromkeys([sys.executable, "/usr/bin/python3"]):
        if python and os.access(python, os.X_OK) and subprocess.run(
                [python, "-c", "import matplotlib"], capture_output=True, check=False).returncode == 0:
            return python
    return None


def draw(panels, path):
    """Writes the chart; without matplotlib says so and leaves the path alone.  Returns whether it was written."""
    python = interpreter()
    if not python:
        print(f"no {os.path.basename(path)}: no python3 has matplotlib (scripts/setup.sh --all installs python3-matplotlib); "
              "the CSV files hold the data", file=sys.stderr)
        return False
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "data.json")
        with open(data, "w", encoding="utf-8") as file:
            json.dump({"panels": panels}, file)
        done = subprocess.run([python, "-B", __file__, data, path], capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"no {os.path.basename(path)}: {(done.stderr.strip().splitlines() or ['unknown'])[-1]}", file=sys.stderr)
    return done.returncode == 0


def plot(panels, path):
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "dcsim", "svg.fonttype": "none", "font.family": "sans-serif"})
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(1, len(panels), figsize=(5.2 * len(panels), 3.8), squeeze=False)
    for panel, place in zip(panels, axes[0]):
        place.set(title=panel["title"], xlabel=panel["xlabel"], ylabel=panel["ylabel"], xscale=panel.get("xscale", "linear"),
                  yscale=panel.get("yscale", "linear"))
        for line in panel["lines"]:
            place.plot(line["x"], line["y"], label=line["label"], marker="o" if len(line["x"]) < 10 else None)
        marks = sorted({x for line in panel["lines"] for x in line["x"]})
        if panel.get("xscale") == "log" and 0 < len(marks) < 8:  # what was measured, where labels of powers would overlap
            place.set_xticks(marks, [f"{mark:g}" for mark in marks])
            place.minorticks_off()
        if panel.get("first_loss") and panel.get("yscale", "linear") == "linear":  # the rare leaps of a loss would flatten the rest
            place.set_ylim(top=min(place.get_ylim()[1], 1.5 * panel["first_loss"]))
        if panel["lines"]:
            if len(panel["lines"]) > 5:  # below, where they cover nothing
                place.legend(fontsize=8, ncol=2, loc="upper center", bbox_to_anchor=(0.5, -0.24))
            else:
                place.legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        plot(json.load(file)["panels"], sys.argv[2])


if __name__ == "__main__":
    main()
