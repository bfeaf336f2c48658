# SPDX-License-Identifier: Apache-2.0
"""The paper's counts (paper 000, Table 3) and end conditions, as changes of scenes that are shipped with others.

The scenes ask bodies to rest and begin windows with the best of several first guesses, which takes a fraction of the
rollouts; the paper optimizes every window from the last solution, and a body that is at its target has reached it.
Ant-Push is shipped with a search by fans of Gauss-Newton steps instead of Adam.
"""


def horizon(length, iterations):
    return (f"horizon.length={length}", f"horizon.iterations={iterations}", "horizon.apply=1")


PAPER = {
    "ant_push": ("portfolio=null", 'optimizer={"type": "adam", "learning_rate": 0.03, "betas": [0.3, 0.5], "shared": true, "iterations": 100}'),
    "push": ("objective.0.rest=null", *horizon(48, 50), "horizon.explore=0"),
    "gather": ("objective.0.rest=null", *horizon(32, 60), "horizon.keep=last", "horizon.explore=0"),
    "gather_bunny": (*horizon(32, 60), "horizon.keep=last", "horizon.explore=0", "horizon.trials=false"),
    # Gradients alone leave the post in a corner (docs/theory.md, "The way around"): first guesses are looked for there.
    "sort": ("objective.0.rest=null", "objective.1.rest=null", *horizon(16, 100), "horizon.keep=last", "horizon.explore=12"),
}
