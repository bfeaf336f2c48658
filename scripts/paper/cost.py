# SPDX-License-Identifier: Apache-2.0
"""Processor time of one more iteration or step, from the difference of a long and a short run.

Runs of less than a second that fail go on to try pieces of advice, which is no part of an iteration: counts grow until the shorter run takes longer than that by its
own clock, and four times as many iterations three to four times as long.  Each count is that of the iterations that ran; a run that ends before its count is refused,
as one whose Newton iterations a step differ: later iterations then are of other motions.
"""
from measuring import Failed, answer

SHORT, LEAST, MOST = 0.2, 1.2, 16000  # SHORT: s of runs that tell how long others will be; LEAST: s that the shorter of two runs takes, longer than those whose advice is tried (DC_TRIED_SECONDS)
SAME = 0.01  # part by which Newton iterations a step of both runs may differ
RATE = 1e-9  # of Adam: so small that thousands of iterations leave the motion what it is


class Cost:
    """The cost of one more iteration, or of one more step; once() adds a measurement to found."""

    def __init__(self, make, unit="iterations"):
        self.make, self.unit, self.count, self.found = make, unit, 20, []
        while self.run(self.count)[0]["seconds"] < SHORT and self.count < MOST:
            self.count *= 4
        self.count = max(1, int(self.count * 1.2 * LEAST / self.run(self.count)[0]["seconds"]))
        while not self.once():
            if self.count >= MOST:
                raise Failed("%s: no two counts of %s take times in proportion" % (" ".join(make(self.count)), unit))
            self.count *= 2
        self.found = []

    def once(self):
        (first, early), (last, late) = (self.run(n) for n in (self.count, 4 * self.count))
        self.found.append((late - early) / (last[self.unit] - first[self.unit]))
        if self.unit == "iterations" and abs(last["newton_iterations_per_step"] / first["newton_iterations_per_step"] - 1) > SAME:
            raise Failed("%s: Newton iterations a step are not those of its first iterations" % " ".join(self.make(4 * self.count)))
        return first["seconds"] > LEAST and 3 < late / early < 4.2

    def run(self, count):
        said, seconds = answer(*self.make(count), accepted=(0, 1))
        if self.unit == "iterations" and said["iterations"] < count:
            raise Failed("%s: ends after %d iterations (%s)" % (" ".join(self.make(count)), said["iterations"], said["end"]))
        return said, seconds
