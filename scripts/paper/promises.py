#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of promises, docs/measured/front.md: its verdicts follow from numbers by the rules stated here.

docs/measured/promises.json holds a row for each promise: what was asked and what was measured, in words, and the numbers that judge:
  reached, of, least_rate   a rate over drawn cases: met where the lower end of Wilson's interval at 95 % reaches the bar, not met
                            where the upper end stays below it, open between
  reached, of [, needed]    a list that is not drawn: met where all of them, or as many as are needed, hold
  value, most | least       a number and its bound
Every number that judges stands in the words beside it: nobody can change one without the other.  A row without numbers has its verdict
in "said"; --check knows which may.

Usage: promises.py [--check] [TREE]   writes front.md, or says what is not as it would be written; exits 1 then.
"""
import json
import math
import os
import re
import sys

# Promises that no number judges, by name.
BY_HAND = {"what paper 000 says of others", "single jaw", "live view"}
INTRODUCTION = """## In short

What was promised, what is measured, and whether that meets it; each row links to its table below. Verdicts follow from the numbers by `scripts/paper/promises.py`: a rate over drawn cases is *met* where the lower end of its interval at 95 % (Wilson) reaches the bar, *open* where only the count does; runs that were drawn and all of which succeeded are *met* where it reaches one half, which takes four of them. Pages without a date of their own were measured from 2026-11-21 to 2026-11-24 on the machine named above. The same run differs between pages of different days: billiards takes 51, 58 and 61 iterations, because the order of sums changed and runs through contact are chaotic. Rates over drawn cases say more than single runs."""


def wilson(reached, cases):
    """The interval of a rate at 95 %."""
    z, p = 1.959964, reached / cases
    middle = (p + z * z / (2 * cases)) / (1 + z * z / cases)
    half = z * math.sqrt(p * (1 - p) / cases + z * z / (4 * cases * cases)) / (1 + z * z / cases)
    return max(0.0, middle - half), min(1.0, middle + half)


MAJORITY = 0.5  # runs that were drawn and all succeed say more than that of others only where this holds of most


def verdict(rule):
    """The word for one rule; "drawn": its runs are samples, not all that there are."""
    if rule.get("drawn") and rule["reached"] >= rule.get("needed", rule["of"]):
        return verdict({**rule, "drawn": False, "least_rate": MAJORITY})
    if "least_rate" in rule:
        low, high = wilson(rule["reached"], rule["of"])
        if low >= rule["least_rate"]:
            return "met"
        if high < rule["least_rate"] or rule["reached"] < rule["least_rate"] * rule["of"]:
            return "**not met**"
        return f"**open**: the interval begins at {math.floor(100 * low)} %"
    if "reached" in rule:
        return "met" if rule["reached"] >= rule.get("needed", rule["of"]) else "**not met**"
    met = rule["value"] <= rule["most"] if "most" in rule else rule["value"] >= rule["least"]
    return "met" if met else "**not met**"


def verdicts(row):
    """The last cell of a row: one word where all rules agree, else each with what it is about."""
    if not row.get("judged", []):
        return row.get("said", "")
    words = [(rule.get("what", ""), verdict(rule)) for rule in row.get("judged", [])]
    if len({word for _, word in words}) == 1:
        return words[0][1]
    return "; ".join(f"{what}: {word}" for what, word in words)


def name_of(row):
    return re.match(r"\[([^\]]*)\]", row["promise"]).group(1)


def table(rows):
    lines = [INTRODUCTION, "", "| promise | asked | measured | |", "| --- | --- | --- | --- |"]
    group = None
    for row in rows:
        if row["group"] != group:
            group = row["group"]
            lines.append(f"| **{group}** | | | |")
        lines.append(f"| {row['promise']} | {row['asked']} | {row['measured']} | {verdicts(row)} |".replace("|  |", "| |"))
    return "\n".join(lines) + "\n"


def numbers(text):
    """Numbers of a text as they may be written: 0.50, 1.9e-11, 1,000, 8.5 %."""
    found = set()
    for word in re.findall(r"\d[\d,]*\.?\d*(?:e-?\d+)?", text):
        found.add(float(word.replace(",", "")))
    return found


def complaints(rows):
    """What is wrong with the rows: judges whose numbers do not stand in the words, verdicts by hand."""
    for row in rows:
        said = numbers(row["measured"]) | numbers(row["asked"])
        for rule in row.get("judged", []):
            for key in ("reached", "of", "value"):
                written = rule.get(key)
                if written is not None and written not in said and not (key == "of" and rule["reached"] == rule["of"]):
                    yield f"{name_of(row)}: the words do not have {key} {written}"
            for key, factor in (("least_rate", 100), ("most", 1), ("least", 1)):
                if key in rule and not any(math.isclose(rule[key] * factor, number) for number in numbers(row["asked"])):
                    yield f"{name_of(row)}: what was asked does not have the bar {rule[key]}"
        if not row.get("judged", []) and name_of(row) not in BY_HAND:
            yield f"{name_of(row)}: no number judges it"


def called():
    """Whether pages are checked or written, and the tree."""
    trees = [argument for argument in sys.argv[1:] if argument != "--check"]
    return "--check" in sys.argv[1:], trees[0] if trees else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def tell(wrong):
    """Prints what is wrong and ends."""
    for complaint in wrong:
        print(complaint)
    sys.exit(1 if wrong else 0)


def main():
    check, tree = called()
    folder = os.path.join(tree, "docs", "measured")
    with open(os.path.join(folder, "promises.json"), encoding="utf-8") as file:
        rows = json.load(file)
    wrong = list(complaints(rows))
    text = table(rows)
    if not check:
        with open(os.path.join(folder, "front.md"), "w", encoding="utf-8") as file:
            file.write(text)
    else:
        with open(os.path.join(folder, "front.md"), encoding="utf-8") as file:
            if file.read() != text:
                wrong.append("docs/measured/front.md is not what scripts/paper/promises.py writes")
        with open(os.path.join(tree, "docs", "results.md"), encoding="utf-8") as file:
            if text.strip().replace("](../", "](") not in file.read():
                wrong.append("docs/results.md does not hold docs/measured/front.md as it is")
    tell(wrong)


if __name__ == "__main__":
    main()
