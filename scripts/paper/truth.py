#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of all figures and tables of the five papers, docs/papers.md: what each says, what is measured here, and the verdict.

docs/measured/papers.json has a row for every figure and table.  Verdicts are those of promises.py.  A row also has
  quotes    lines of the page `source` (below docs/) that its numbers come from: they must stand there, letter for letter, so that
            a page that is written anew with other numbers is found
  command   what measures it again; a file of the tree
  state     drawing (nothing to measure), settings, replaced or absent, with `why`; partly: what is still missing
Every number that judges stands in the words or the quotes, every bar in the claim or in `asked`.

Usage: truth.py [--check] [TREE]   writes docs/papers.md, or says what is not as it would be written; exits 1 then.
"""
import json
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from promises import called, numbers, tell, verdict, wilson  # noqa: E402

TITLES = {"000": "000, a contact model with gradients at any distance", "001": "001, contact manifolds", "002": "002, witness points",
          "003": "003, shapes and motions of robots", "004": "004, deformables with friction"}
# How many figures and tables each paper has, so that none is left out.
ITEMS = {"000": (15, 5), "001": (11, 1), "002": (11, 4), "003": (24, 2), "004": (14, 1)}
STATES = {"drawing", "settings", "replaced", "absent"}
INTRODUCTION = """# The papers, figure by figure

Written by `scripts/paper/truth.py` from `docs/measured/papers.json`. Each number comes from the page that its row names, where it must stand letter for letter; verdicts follow from the numbers by the rule of [the results](results.md#in-short), a rate over drawn cases is *met* where the lower end of its interval at 95 % reaches the bar, and *open* where only the count does; of runs that were drawn and all succeeded it must reach one half, which takes four of them. *Replaced*: something else stands for what the paper has; *absent*: nothing does. A test compares this page with the numbers (`tests/cli/test_promises.sh`).
"""


def items_of(row):
    """The figures and tables of a row: {("figure", 5), ...}."""
    found, kind, last = set(), None, None
    words = row["item"].replace(",", " ").replace("Figs.", "Figures").replace("Fig.", "Figure").split()
    for word in words:
        if word.rstrip("s") in ("Figure", "Table"):
            kind = word.rstrip("s").lower()
        elif word == "to":
            last = ("from", last)
        elif word != "and":
            number = int(word) if word.isdigit() else {"I": 1, "II": 2, "III": 3, "IV": 4}[word]
            first = last[1] + 1 if isinstance(last, tuple) else number
            found |= {(kind, k) for k in range(first, number + 1)}
            last = number
    return found


def interval(row):
    """Intervals of the rates of a row, in words."""
    words = []
    for rule in row.get("judged", []):
        if "reached" in rule:
            low, high = wilson(rule["reached"], rule["of"])
            words.append(f"{rule['reached']} of {rule['of']}: {math.floor(100 * low)} to {math.ceil(100 * high)} %")
    return "; ".join(words)


def judge(row):
    if row.get("state") == "drawing":
        return "nothing to measure"
    words = [(rule.get("what", ""), verdict(rule)) for rule in row.get("judged", [])]
    text = words[0][1] if words and len({word for _, word in words}) == 1 else "; ".join(f"{what}: {word}" for what, word in words)
    text = text or row.get("said", "")
    state = row.get("state", "")
    note = f"*{state}*: {row['why']}" if "why" in row else ""
    if "partly" in row:
        note += f"{'; ' if note else ''}*absent*: {row['partly']}"
    return "; ".join(part for part in (text, note) if part)


def page(rows):
    text = INTRODUCTION
    for paper, title in TITLES.items():
        text += f"\n## Paper {title}\n\n| | the paper | here | interval | verdict | measured by |\n| --- | --- | --- | --- | --- | --- |\n"
        for row in rows:
            if row["paper"] == paper:
                ours = row.get("ours", "")
                if "source" in row:
                    ours += f" ([page]({row['source']}))"
                command = f"`{row['command']}`" if "command" in row else ""
                text += f"| {row['item']} | {row['claim']} | {ours} | {interval(row)} | {judge(row)} | {command} |\n"
    return text


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def complaints(rows, tree):
    for row in rows:
        name = f"paper {row['paper']}, {row['item']}"
        if row.get("state") not in STATES | {None} or (row.get("state") in STATES - {"drawing"} and "why" not in row):
            yield f"{name}: a state that is not known, or no reason for it"
        if "state" not in row and not ("ours" in row and "source" in row and "command" in row):
            yield f"{name}: nothing is measured, and nothing says so"
        if "state" not in row and not row.get("judged") and "said" not in row:
            yield f"{name}: no number judges it"
        if "source" in row:
            source = read(tree, "docs", row["source"])
            for quote in row["quotes"]:
                if quote not in source:
                    yield f"{name}: {row['source']} does not hold: {quote}"
        command = row.get("command", "")
        if command and not command.startswith("build/") and not os.access(os.path.join(tree, command), os.X_OK):
            yield f"{name}: there is no {command}"
        said = numbers(row.get("ours", "")) | numbers(" ".join(row.get("quotes", [])))
        asked = numbers(row["claim"] + " " + row.get("asked", "") + " " + row.get("ours", ""))
        for rule in row.get("judged", []):
            whole = rule.get("needed", rule.get("of")) == rule.get("of")
            if "value" in rule and not any(math.isclose(rule["value"], number) for number in said):
                yield f"{name}: the words do not have {rule['value']}"
            if "least_rate" in rule and not any(math.isclose(100 * rule["reached"] / rule["of"], number, abs_tol=0.051) for number in said):
                yield f"{name}: the words do not have the rate {rule['reached']} of {rule['of']}"
            for key, factor in (("least_rate", 100), ("most", 1), ("least", 1)):
                bar = rule.get(key)
                if bar is not None and not any(math.isclose(bar * factor, number, rel_tol=1e-9) for number in asked):
                    yield f"{name}: neither claim nor words have the bar {bar}"
            if "reached" in rule and not whole and rule["needed"] not in said | asked:
                yield f"{name}: the words do not have {rule['needed']}"
    for paper, (figures, tables) in ITEMS.items():
        found = set().union(*(items_of(row) for row in rows if row["paper"] == paper))
        for kind, count in (("figure", figures), ("table", tables)):
            for number in range(1, count + 1):
                if (kind, number) not in found:
                    yield f"paper {paper}: {kind} {number} has no row"


def main():
    check, tree = called()
    rows = json.loads(read(tree, "docs", "measured", "papers.json"))
    wrong = list(complaints(rows, tree))
    text = page(rows)
    if not check:
        with open(os.path.join(tree, "docs", "papers.md"), "w", encoding="utf-8") as file:
            file.write(text)
    elif read(tree, "docs", "papers.md") != text:
        wrong.append("docs/papers.md is not what scripts/paper/truth.py writes")
    tell(wrong)


if __name__ == "__main__":
    main()
