// SPDX-License-Identifier: Apache-2.0
// Minimizes the loss of a scene by gradient descent of one's own: optimize_billiards [SCENE [EVALUATIONS]].
// Steps grow while the loss falls and shrink when it does not; an infeasible point is one more reason to shrink.
#include <dcsim.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int give_up(const char *what, const dcsim_error *error)
{
  fprintf(stderr, "%s: %s\n", what, error->text);
  return error->status ? error->status : EXIT_FAILURE;
}

static double norm(int n, const double *v)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += v[i] * v[i];
  return sqrt(sum);
}

// Lowers the loss from x [n], which is where it was lowest on return.  work [3 n].
static int descend(dcsim_problem *problem, int n, int evaluations, double *x, double *work, dcsim_error *error)
{
  double *gradient = work, *trial = work + n, *trial_gradient = work + 2 * n, loss, trial_loss, length = 0.05;
  int status = dcsim_problem_evaluate(problem, x, &loss, gradient, error), used = 1;
  if (status)
    return status;
  printf("loss %.6g at the start\n", loss);
  for (; used < evaluations && loss > 0 && length > 1e-9 && norm(n, gradient) > 0; used++) {
    double scale = length / norm(n, gradient);
    for (int i = 0; i < n; i++)
      trial[i] = x[i] - scale * gradient[i];
    status = dcsim_problem_evaluate(problem, trial, &trial_loss, trial_gradient, error);
    if (status && status != DCSIM_INFEASIBLE && status != DCSIM_NUMERICAL)
      return status;
    if (status || trial_loss >= loss) {
      length *= 0.5;
      continue;
    }
    loss = trial_loss;
    length *= 1.3;
    memcpy(x, trial, (size_t)n * sizeof *x);
    memcpy(gradient, trial_gradient, (size_t)n * sizeof *gradient);
  }
  printf("loss %.6g after %d evaluations\n", loss, used);
  return DCSIM_OK;
}

int main(int count, char **arguments)
{
  dcsim_error error = {0};
  dcsim_scene *scene;
  dcsim_problem *problem;
  if (dcsim_scene_open(count > 1 ? arguments[1] : "scenes/billiards.json", NULL, &scene, &error))
    return give_up("scene", &error);
  int status = dcsim_problem_create(scene, NULL, &problem, &error);
  if (!status) {
    int n = dcsim_problem_dimension(problem);
    double *x = calloc((size_t)(4 * n), sizeof *x);
    dcsim_problem_initial(problem, x);
    status = descend(problem, n, count > 2 ? atoi(arguments[2]) : 100, x, x + n, &error);
    for (int i = 0; i < n && !status; i++) {
      char name[80];
      dcsim_problem_name(problem, i, name, sizeof name);
      printf("  %s = %.6g\n", name, x[i]);
    }
    free(x);
    dcsim_problem_destroy(problem);
  }
  dcsim_scene_close(scene);
  return status ? give_up("descent", &error) : EXIT_SUCCESS;
}
