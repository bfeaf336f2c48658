# SPDX-License-Identifier: Apache-2.0
"""The messages of the program, from the calls in its sources that make them.

A message is a text of at least two words among the arguments of a function that fails, refuses, notes, warns or advises, or that
such a function returns; literals that stand beside each other are one, and what is filled in is "…".  Its exit status stands in the
same call, where it has one.  To these come what the system says of files.
"""
import errno
import glob
import os
import re

# Folders of src/ by what a reader looks for; the first that fits holds.
GROUPS = [("Robot files", ("io/robot",)), ("Run directories", ("io/run",)), ("Scenes", ("io/",)), ("Meshes and shapes", ("geometry",)),
          ("Controls, objectives and design", ("task", "design")), ("Optimization", ("optimize", "plan")),
          ("Bodies, contact and steps", ("body", "contact", "dynamics", "elastic")), ("Sweeps", ("sweep",)), ("The command line", ("cli",)),
          ("Commands and pictures", ("commands", "api", "render", "view")), ("Memory, files and the machine", ("base", "math"))]
OF_SYSTEM = [errno.ENOENT, errno.EACCES, errno.ENOSPC, errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.EROFS, errno.EMFILE, errno.ENAMETOOLONG, errno.EDQUOT]
STATUSES = {"UNMET": 1, "USAGE": 2, "BAD_INPUT": 3, "NUMERICAL": 4, "IO": 5, "MEMORY": 6, "CHECKPOINT": 7}
SPEAKERS = re.compile(r"\b\w*(?:fail|refuse|note|append|prefix|warn|advise|advice|memory_for|misuse|complain|suggest|says?)\w*\s*\(|\breturn\b")
PIECE = re.compile(r'"((?:[^"\\\n]|\\.)*)"|//[^\n]*|/\*.*?\*/|\'(?:[^\'\\]|\\.)+\'|[A-Z][A-Z0-9_]+|.', re.S)
FILLED = re.compile(r"%[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh|h|ll|l|z|j|t|L)?[a-zA-Z]")


def arguments(text, begin):
    """The pieces from a parenthesis to its end, or to the end of a statement where there is none."""
    depth, opened = 0, text[begin - 1] == "("
    for piece in PIECE.finditer(text, begin):
        what = piece.group()
        if what in "([{":
            depth += 1
        elif what in ")]}":
            depth -= 1
        if depth < 0 or (not opened and what == ";"):
            return
        yield piece


def literals(text, begin):
    """(texts, status) of a call: neighbours are one text, and a macro between two stands for what it prints."""
    texts, joined, status = [], False, None
    for piece in arguments(text, begin):
        what = piece.group()
        if piece.group(1) is not None:
            texts.append((texts.pop() if joined else "") + piece.group(1))
            joined = True
        elif re.fullmatch(r"PRI\w+", what):
            continue
        elif not what.isspace() and not what.startswith(("//", "/*")):
            joined = False
            found = re.fullmatch(r"DC(?:SIM)?_(\w+)", what)
            status = STATUSES.get(found.group(1), status) if found else status
    return texts, status


def shown(text):
    text = text.replace('\\"', '"').replace("\\n", " ").replace("%%", "\0").replace("\\\\", "\\")
    return re.sub(r"…+", "…", re.sub(r"\s+", " ", FILLED.sub("…", text).replace("\0", "%"))).strip(" ,;:")


def is_message(text):
    return len(re.findall(r"[A-Za-z]{2,}", text.replace("…", ""))) >= 2 and not text.startswith(("#", "<", "{", "(", "http")) and "${" not in text


def collect(tree):
    """{group: {message: status or None}}."""
    groups = {name: {} for name, _ in GROUPS}
    for path in sorted(glob.glob(os.path.join(tree, "src", "**", "*.c"), recursive=True)):
        folder = os.path.relpath(path, os.path.join(tree, "src"))
        group = next((name for name, folders in GROUPS if folder.startswith(folders)), None)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for speaker in SPEAKERS.finditer(text):
            texts, status = literals(text, speaker.end())
            if "memory_for" in speaker.group():
                texts, status = ["out of memory for " + one for one in texts], STATUSES["MEMORY"]
            for message in map(shown, texts):
                if group and is_message(message) and (status or message not in groups[group]):
                    groups[group][message] = status
    groups[GROUPS[-1][0]].update({f"…: {os.strerror(number)}": None for number in OF_SYSTEM})
    return groups
