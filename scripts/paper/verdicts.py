#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Words and tables for the records of compare.py.  Every word follows from numbers by the rules stated here."""
import csv
import math
import os

# Part by which the loss has to fall to count: less is no progress, and up to LITTLE it is little.
NO_PROGRESS, LITTLE = 0.01, 0.1
# A first gradient that is smaller than this part of that of bsh on the same task counts as vanished.
VANISHED = 1e-6
HEADER = ["task", "init", "model", "first loss", "final loss", "best loss", "iterations", "seconds per step",
          "first gradient", "verdict"]


# Part by which a number has to be smaller than another to be smaller: less is a tie, which confirms nothing.
TIE = 0.01


def below(one, other):
    return one < (1 - TIE) * other


def falling(values):
    """Whether every value is below the one before."""
    return all(below(after, before) for before, after in zip(values, values[1:]))


def fall(record):
    """Part by which the best loss is below the first, or below that of the trivial guess where that is less.

    A drawn first guess may scatter what lay near its target: to undo that is no progress.
    """
    first = min(record["initial_loss"], record.get("trivial_loss", math.inf))
    return 1 - record["best_loss"] / first if first > 0 else 0.0


def rank(record):
    """Smaller is better: reached with few iterations, else the lowest loss."""
    return (0, record["iterations"]) if record["success"] else (1, record["best_loss"])


def better(one, other):
    """Whether a run beats another: reached while the other is not, or by more than 1 % in iterations or best loss."""
    a, b = rank(one), rank(other)
    return a[0] < b[0] or (a[0] == b[0] and below(a[1], b[1]))


def best_of_seeds(records):
    """One record for every task, init and model: of runs with several seeds the best, which says how many there were."""
    groups = {}
    for record in records:
        groups.setdefault((record["task"], record["init"], record["model"]), []).append(record)
    result = []
    for group in groups.values():
        ran = [record for record in group if record["status"] == "ran"]
        best = dict(min(ran, key=rank) if ran else group[0])
        if len(ran) > 1:
            best["seeds"], best["seeds_reached"] = len(ran), sum(record["success"] for record in ran)
        result.append(best)
    return result


def reference_of(record, records):
    """The run of bsh that a record is compared with."""
    place = record["task"], record["init"]
    return next((other for other in records if other["model"] == "bsh" and other["status"] == "ran"
                 and (other["task"], other["init"]) == place), None)


def rows_words(record):
    """How many gradients were exactly zero, if most: at the ends of windows where there is a horizon."""
    if 2 * record["zero_gradients"] > record["gradients"]:
        return f"gradient exactly zero in {record['zero_gradients']} of {record['gradients']} rows of loss.csv"
    return ""


def gradient_words(record, reference):
    first = record.get("first_gradient")
    if record["gradients"] and record["zero_gradients"] == record["gradients"] and first in (0, None):
        return f"gradient exactly zero throughout ({record['gradients']} rows of loss.csv)"
    if first == 0:
        return "first estimate exactly zero" if record["model"] == "GB" else "gradient exactly zero at the first guess"
    size = reference.get("first_gradient") if reference and reference is not record else None
    if first is not None and size and first < VANISHED * size:
        return f"gradient vanishes at the first guess ({first:.1e}, bsh {size:.1e})"
    return ""


def undecided(record, reference):
    """Whether a run without progress was stopped before that says anything: its gradient did not vanish."""
    return (not record["success"] and record["out_of_time"] and fall(record) < NO_PROGRESS
            and not gradient_words(record, reference))


def verdict(record, records):
    if record["status"] == "not built":
        return "not built" if record["lacking"] == record["model"] else f"not built ({record['lacking']})"
    if record["status"] == "failed":
        return "failed: " + record["message"]
    part, reference = fall(record), reference_of(record, records)
    if record["success"]:
        words = [f"reached in {record['iterations']} iterations"]
    elif undecided(record, reference):
        words = [f"undecided, {100 * part:.2g} % in {record['iterations']} iterations"]
    elif part < NO_PROGRESS:
        words = [f"no progress ({100 * part:.2g} %)"]
    else:
        words = [f"fell by {100 * part:.3g} %" + (", little" if part < LITTLE else "")]
    words.append(gradient_words(record, reference) or rows_words(record))
    if "seeds" in record:
        words.append(f"best of {record['seeds']} seeds, {record['seeds_reached']} reached")
    if record.get("undrawn"):
        words.append("its gradient does not vanish, so nothing is drawn: the run of trivial")
    if not record["success"] and record["out_of_time"]:
        words.append(f"stopped after {record['seconds']:.0f} s")
    if record["unconverged_steps"]:
        words.append(f"{record['unconverged_steps']} steps did not converge")
    if record["message"]:
        words.append(record["message"])
    if reference is record:
        winners = [other["model"] for other in records if other["status"] == "ran" and other["model"] != "bsh" and
                   (other["task"], other["init"]) == (record["task"], record["init"]) and better(other, record)]
        words += ["lost against " + name for name in winners]
    elif reference and better(record, reference):
        words.append("better than bsh")
    return "; ".join(word for word in words if word)


def progress(record):
    return record["status"] == "ran" and (record["success"] or fall(record) >= NO_PROGRESS)


def advance(record):
    return f"{record['model']} fell by {100 * fall(record):.3g} %" + (" (reached)" if record["success"] else "")


def claim(records, text, others_limit):
    """Whether bsh advances while every other model's loss falls by less than others_limit: a sentence.

    records: of one task and init; text: what the paper says.  others_limit None: bsh only has to do better than others.
    """
    limit = LITTLE if others_limit is None else others_limit
    ours = [r for r in records if r["model"] == "bsh" and r["status"] == "ran"]
    others = [r for r in records if r["model"] not in ("bsh", "exact")]
    ran = [r for r in others if r["status"] == "ran"]
    absent = sorted(r["model"] for r in others if r["status"] != "ran")
    if not ours:
        return f"Paper: {text} Not judged: bsh did not run."
    measured = f"Paper: {text} Measured: {', '.join(advance(r) for r in [ours[0], *ran])}."
    if absent:
        measured += f" Without result: {', '.join(absent)}."
    if not ran:
        return measured + " The comparison cannot be judged."
    gone = [r["model"] for r in ran if (gradient_words(r, ours[0]) or rows_words(r)) and fall(r) < limit]
    if gone:
        measured += f" Gradient zero or vanished: {', '.join(gone)}."
    against = [r["model"] for r in ran if (not better(ours[0], r) if others_limit is None else fall(r) >= limit)]
    if undecided(ours[0], None):
        return measured + " Undecided: bsh was stopped by the time limit."
    if not progress(ours[0]):
        return measured + " Not confirmed: bsh makes no progress."
    if against:
        return measured + f" Not confirmed: {', '.join(against)} " + (
            "did as well or better." if others_limit is None else "advanced too.")
    open_still = [r["model"] for r in ran if undecided(r, ours[0])]
    if open_still:
        return measured + f" Undecided: {', '.join(open_still)} had no time for progress."
    return measured + (" Confirmed for those that ran." if absent else " Confirmed.")


def row_of(record, records, costs):
    """A row as in HEADER, of strings; costs: seconds per step by (scene, model)."""
    def number(name):
        value = record.get(name)
        return "" if value is None else f"{value:.4g}"

    cost = costs.get((record["scene"], record["model"]))
    return [record["task"], record["init"], record["model"], number("initial_loss"), number("final_loss"), number("best_loss"),
            str(record.get("iterations", "")), "" if cost is None else f"{cost:.3g}", number("first_gradient"),
            verdict(record, records)]


def write_csv(path, header, rows):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def write_curves(path, records):
    """Every point of every loss curve, one a row."""
    rows = [[r["task"], r["init"], r["model"], i, repr(loss)] for r in records if r["status"] == "ran"
            for i, loss in zip(r["curve"]["iteration"], r["curve"]["loss"])]
    write_csv(path, ["task", "init", "model", "iteration", "loss"], rows)
