// SPDX-License-Identifier: Apache-2.0
// Steps an actuated arm to a target beside which a box lies, reads contact, and linearizes every step: control_arm.
// The spectral radius of A tells whether small errors of the state grow: while the arm pushes, they do (the box slips
// off to a side), and the radius is over 1; a box that drifts away on its own tends to 1.
#include <dcsim.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char arm[] =
    "{ \"time\": { \"step\": 0.02, \"steps\": 1 }, \"gravity\": [0, 0, 0],"
    "  \"contact\": { \"model\": \"exact\", \"stiffness\": 1e-4 }, \"solver\": { \"tolerance\": 1e-7 },"
    "  \"shapes\": { \"rod\": { \"type\": \"box\", \"size\": [0.5, 0.08, 0.08] },"
    "                \"box\": { \"type\": \"box\", \"size\": [0.2, 0.2, 0.2] } },"
    "  \"bodies\": [ { \"name\": \"arm\", \"shape\": \"rod\", \"mass\": 1, \"position\": [0.25, 0, 0],"
    "                  \"joint\": { \"type\": \"hinge\", \"axis\": [0, 0, 1], \"anchor\": [0, 0, 0] },"
    "                  \"pd\": { \"kp\": 4, \"kd\": 0.4 } },"
    "                { \"name\": \"box\", \"shape\": \"box\", \"mass\": 0.2, \"position\": [0.45, 0.3, 0] } ] }";

// The spectral radius of a [n][n] from the growth of its powers: |a^(2^k)|^(1/2^k), by squaring k times.  work [2 n n].
static double spectral_radius(int n, const double *a, double *work)
{
  enum { SQUARINGS = 20 };
  double *power = work, *square = work + n * n, logarithm = 0;
  memcpy(power, a, (size_t)(n * n) * sizeof *a);
  for (int k = 0; k <= SQUARINGS; k++) {
    double size = 0;
    for (int i = 0; i < n * n; i++)
      size = fmax(size, fabs(power[i]));
    if (size == 0)
      return 0;
    logarithm += log(size) / exp2(k);  // what is divided away here is to the power 2^k
    for (int i = 0; i < n * n; i++)
      power[i] /= size;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        square[n * i + j] = 0;
        for (int m = 0; m < n; m++)
          square[n * i + j] += power[n * i + m] * power[n * m + j];
      }
    memcpy(power, square, (size_t)(n * n) * sizeof *power);
  }
  return exp(logarithm);
}

// One line: time, angle of the arm, where the box is, gap and force between them, spectral radius.
static int report(dcsim_simulation *simulation, int step, int nv, double *a, double *b, dcsim_error *error)
{
  dcsim_contacts contacts = DCSIM_SIZED(dcsim_contacts);
  dcsim_trajectory trajectory = DCSIM_SIZED(dcsim_trajectory);
  int status = dcsim_simulation_linearize(simulation, a, b, error);
  if (!status)
    status = dcsim_simulation_get_trajectory(simulation, &trajectory, error);
  if (!status)
    status = dcsim_simulation_get_contacts(simulation, &contacts, error);
  if (status)
    return status;
  const double *q = trajectory.q + trajectory.nq, *force = contacts.wrenches[contacts.pairs][1] + 3;
  printf("%5.2f s  angle %7.4f rad  box at (%.3f, %.3f) m  gap %.4f m  force %6.3f N  dq'/dtarget %.3e  radius %.4f\n",
         step * trajectory.time_step, q[0], q[1], q[2], contacts.gaps[contacts.pairs], hypot(force[0], force[1]), b[0],
         spectral_radius(2 * nv, a, a + 4 * nv * nv));
  return DCSIM_OK;
}

static int run(dcsim_simulation *simulation, const dcsim_scene_sizes *sizes, dcsim_error *error)
{
  static const double target[] = {1.2}, final_time = 1;
  int nv = sizes->nv, steps = (int)lround(final_time / sizes->time_step), status = DCSIM_OK;
  double *a = calloc((size_t)(12 * nv * nv), sizeof *a),
         *b = calloc((size_t)(2 * nv * (2 * sizes->actuators + nv)), sizeof *b);
  for (int t = 1; t <= steps && !status; t++) {
    status = dcsim_simulation_step(simulation, target, NULL, NULL, error);
    if (!status && t % 5 == 0)
      status = report(simulation, t, nv, a, b, error);
  }
  free(a);
  free(b);
  return status;
}

int main(void)
{
  dcsim_error error = {0};
  dcsim_scene *scene;
  dcsim_simulation *simulation;
  dcsim_scene_sizes sizes = DCSIM_SIZED(dcsim_scene_sizes);
  int status = dcsim_scene_open_text(arm, NULL, NULL, &scene, &error);
  if (status) {
    fprintf(stderr, "%s\n", error.text);
    return status;
  }
  status = dcsim_scene_get_sizes(scene, &sizes, &error);
  if (!status)
    status = dcsim_simulation_create(scene, &simulation, &error);
  if (!status) {
    status = run(simulation, &sizes, &error);
    dcsim_simulation_destroy(simulation);
  }
  dcsim_scene_close(scene);
  if (status)
    fprintf(stderr, "%s\n", error.text);
  return status;
}
