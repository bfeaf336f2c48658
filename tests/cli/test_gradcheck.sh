#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Gradients against differences where time steps are divided.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

# two balls that would pass each other in the second step if it was not divided
cat >collision.json <<'SCENE'
{
  "name": "collision",
  "time": { "step": 0.04, "steps": 2 },
  "gravity": [0, 0, 0],
  "contact": { "model": "sdrs", "support": 0.0044, "stiffness": 8e-8 },
  "shapes": { "ball": { "type": "sphere", "radius": 0.1, "level": 0 } },
  "bodies": [
    { "name": "a", "shape": "ball", "mass": 1, "position": [-1.24, 0, 0], "rotation": [0.8, 0.2, 0.4, 0.4] },
    { "name": "b", "shape": "ball", "mass": 1, "position": [1.24, 0.05, 0], "velocity": [-20, 0, 0] }
  ],
  "control": [{ "type": "initial_state", "body": "a", "velocity": "x", "initial": [20] }],
  "objective": [{ "type": "reach", "body": "b", "target": [0.3, 0.2, 0.4] }]
}
SCENE

# differences with large steps reach over a change of division: smaller ones agree with the adjoint
run 0 gradcheck collision.json
check "the divided steps are told" grep -qx '1 of 2 steps are divided' "$out"
check "and that differences were passed over" grep -qE '^note: [0-9]+ differences? (was|were) passed over' "$out"
check "every entry has a difference" sh -c "! grep -q straddle '$out'"
cp "$out" one
run 0 gradcheck collision.json --threads 2 --json
holds "differences agree through the divided step" "$out" \
  'd["max_relative_error"] <= 1e-6 and d["divided_steps"] == 1 and d["straddling"] == d["taylor_straddling"] == 0
   and len(d["taylor_orders"]) == 4 and any(c["steps_passed_over"] for c in d["checks"])'
holds "which is said in JSON, too" "$out" 'd["confirmed"] and d["status"] == "ok"'
run 1 gradcheck collision.json --json --tolerance 1e-13
holds "where the status is 1 nothing is ok" "$out" 'not d["confirmed"] and d["status"] != "ok"'
run 0 gradcheck collision.json --threads 1
check "any number of threads says the same" cmp one "$out"

# bodies without a far field between them: friction and shapes, with triangles that fade in (5e-10 and 5e-9 observed)
cat >near.json <<'SCENE'
{"time": {"step": 0.01, "steps": 24}, "gravity": [0, 0, 0],
 "contact": {"stiffness": 2e-5, "friction": 0.4, "friction_smoothing": 0.02, "near_range": 0.1},
 "shapes": {"box": {"type": "box", "size": [0.3, 0.3, 0.3], "divisions": [1, 2, 1]},
            "rod": {"type": "box", "size": [0.1, 0.5, 0.2], "divisions": [1, 2, 1]}},
 "bodies": [{"name": "a", "shape": "box", "mass": 1, "position": [-0.26, 0.08, 0.01], "velocity": [0.4, 0.6, 0.1], "near_only": ["b"]},
            {"name": "b", "shape": "rod", "mass": 0.5, "position": [0, 0, 0], "rotation": [1, 0.01, 0.02, 0.03]}],
 "objective": [{"type": "reach", "body": "b", "target": [1, 0, 0.1]}],
 "design": [{"type": "size", "shape": "box", "axes": "xy"}, {"type": "number", "of": "friction"}]}
SCENE
for range in $(sample "0.1 0.005" 0.1); do
  run 0 gradcheck near.json --json --set contact.near_range=$range
  holds "near_range $range: friction and shapes against differences" "$out" \
    'd["max_relative_error"] <= 1e-6 and d["products"]["tangent_adjoint"] <= 1e-12 and
     all(any(n in c["parameter"] and abs(c["adjoint"]) > 1e-3 for c in d["checks"]) for n in ("box.size.x", "b.friction"))'
done

# right where the step begins to be divided nothing can be said of what leads over it
cat >bisect.py <<'BISECT'
import json, subprocess, sys
low, high = 0.0, 20.0  # m/s

def divided(speed):
    command = [sys.argv[1], "simulate", "collision.json", "-o", "none", "--json", "--set", "solver.tolerance=1e-9",
               "--set", "control.0.initial=[%.17g]" % speed]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["divided_steps"]

while high - low > 1e-11:
    middle = 0.5 * (low + high)
    low, high = (low, middle) if divided(middle) else (middle, high)
print("%.17g" % low)
BISECT
speed=$(python3 bisect.py "$dcsim")
echo "# divided from $speed m/s on"
"$dcsim" gradcheck collision.json --set "control.0.initial=[$speed]" --json >"$out" 2>"$err"
holds "they are no differences" "$out" \
  'd["straddling"] > 0 and d["straddling"] == sum(c["straddles"] for c in d["checks"]) and
   all(c["finite_difference"] is c["relative_error"] is None for c in d["checks"] if c["straddles"])'
"$dcsim" gradcheck collision.json --set "control.0.initial=[$speed]" >"$out" 2>"$err"
check "they are marked" grep -qE '^a.velocity.x .* - +-  \(straddles a change of division\)$' "$out"
check "and counted" grep -qE '^note: [0-9]+ of 16 parameters have no difference that does not straddle' "$out"
finish
