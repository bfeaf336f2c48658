// SPDX-License-Identifier: Apache-2.0
// The term of the step potential of muscle fibres (body/soft_drives.h; the fibres of Min et al. 2019 and Du et al.
// 2021, with a length that a control sets).  A sample of volume V holds springs of stiffness k, Pa, along w = sum_a f_a
// x_a, a unit vector at rest, whose length at rest the coordinate c makes exp(-c):
//     V k/2 s^2,   s = |w| - exp(-c);   force of node a  -V k s f_a u,   u = w/|w|;
//     Hessian  V k f_a f_b (u u^T + s/|w| (I - u u^T)), positive semidefinite where s >= 0;
//     derivative of the gradient by c  V k exp(-c) f_a u.
#include <math.h>
#include <string.h>

#include "dynamics/soft_drive.h"
#include "elastic/sample.h"
#include "math/vector.h"

// Fibres of one sample in a step.
struct fibre {
  const struct dc_soft *soft;
  int coordinate;
  const int *nodes;       // [corners]
  const double *factors;  // [corners] f_a
  int corners;
  double u[3], length;       // |w|
  double stretch, short_of;  // s; exp(-c)
  double share;              // of the force that is due (terms_past.c)
  double stiffness;          // V k, J, times that
};

typedef void visitor_function(const struct dc_step_state *state, const struct fibre *fibre, void *context);

// The fibre of sample k of a muscle at the next state.
static void set_fibre(const struct dc_step_state *state, const struct dc_muscle *muscle, int k, struct fibre *fibre)
{
  const struct dc_elastic *elastic = &fibre->soft->elastic;
  fibre->nodes = dc_sample_nodes(elastic, muscle->samples[k]);
  fibre->factors = muscle->factors + (size_t)k * (size_t)elastic->corners;
  fibre->stiffness = fibre->share * elastic->volumes[muscle->samples[k]] * muscle->stiffness;
  memset(fibre->u, 0, sizeof fibre->u);
  for (int a = 0; a < fibre->corners; a++)
    dc_vec_add_scaled(fibre->u, fibre->u, fibre->factors[a],
                      state->q_next + fibre->soft->q_offset + 3 * (size_t)fibre->nodes[a]);
  fibre->length = dc_vec_norm(fibre->u);
  if (fibre->length > 0)
    dc_vec_scale(fibre->u, fibre->u, 1 / fibre->length);
  fibre->stretch = fibre->length - fibre->short_of;
}

// Calls a visitor for the fibres of all samples of the muscles of a body, of which a share counts.  The length at rest,
// exp(-c), is common to a muscle; it is positive for every c, so that a control needs no bounds.
static void visit_body(const struct dc_step_state *state, const struct dc_soft *soft, double share,
                       visitor_function *visitor, void *context)
{
  for (int m = 0; m < soft->drives.muscle_count; m++) {
    const struct dc_muscle *muscle = &soft->drives.muscles[m];
    if (muscle->kind != DC_MUSCLE_FIBRE)
      continue;
    struct fibre fibre = {
        .soft = soft, .coordinate = dc_soft_first_muscle(&soft->drives) + m, .corners = soft->elastic.corners, .share = share};
    fibre.short_of = exp(-dc_soft_drive(state, soft, fibre.coordinate));
    for (int k = 0; k < muscle->sample_count; k++) {
      set_fibre(state, muscle, k, &fibre);
      visitor(state, &fibre, context);
    }
  }
}

// The same of all bodies, with the share that is due.
static void visit(const struct dc_step_state *state, visitor_function *visitor, void *context)
{
  DC_FOR_EACH_SOFT(soft, state)
  if (soft->drives.muscle_count > 0)
    visit_body(state, soft, dc_past_share(state, soft), visitor, context);
}

static void visit_value(const struct dc_step_state *state, const struct fibre *fibre, void *context)
{
  (void)state;
  *(double *)context += 0.5 * fibre->stiffness * fibre->stretch * fibre->stretch;
}

static double value(const struct dc_step_state *state)
{
  double sum = 0;
  visit(state, visit_value, &sum);
  return sum;
}

// joints += scale f_a u
static void add_along(const struct fibre *fibre, double scale, double *joints)
{
  for (int a = 0; a < fibre->corners; a++) {
    double *at = joints + fibre->soft->v_offset + 3 * fibre->nodes[a];
    dc_vec_add_scaled(at, at, scale * fibre->factors[a], fibre->u);
  }
}

// V k s f_a u on every node a, N.
static void visit_gradient(const struct dc_step_state *state, const struct fibre *fibre, void *context)
{
  (void)state;
  add_along(fibre, fibre->stiffness * fibre->stretch, context);
}

static void add_gradient(const struct dc_step_state *state, struct dc_step_forces *forces)
{
  visit(state, visit_gradient, forces->joints);
}

struct hessian {
  struct dc_symmetric_matrix *matrix;
  bool exact;
};

// The core V k (u u^T + s/|w| (I - u u^T)) is shared by all pairs of nodes, with the factors f_a f_b.  A slack fibre
// (s < 0) has negative curvature across u, which only the exact Hessian keeps.
static void visit_hessian(const struct dc_step_state *state, const struct fibre *fibre, void *context)
{
  const struct hessian *to = context;
  const struct dc_bodies *bodies = &state->model->bodies;
  double across = fibre->length > 0 ? fibre->stretch / fibre->length : 0, core[9];
  if (!to->exact)
    across = fmax(across, 0);
  for (int i = 0; i < 9; i++)
    core[i] = fibre->stiffness * ((1 - across) * fibre->u[i / 3] * fibre->u[i % 3] + (i % 4 == 0 ? across : 0));
  for (int a = 0; a < fibre->corners; a++)
    for (int b = 0; b <= a; b++) {
      int row = dc_node_block(bodies, fibre->soft, fibre->nodes[a]),
          column = dc_node_block(bodies, fibre->soft, fibre->nodes[b]);
      dc_symmetric_add_block(to->matrix, row > column ? row : column, row > column ? column : row,
                             fibre->factors[a] * fibre->factors[b], core, 3);
    }
}

static void add_hessian(const struct dc_step_state *state, bool exact, struct dc_step_hessian *hessian)
{
  struct hessian to = {hessian->matrix, exact};
  visit(state, visit_hessian, &to);
}

struct response {
  const double *direction;
  double *sum;
};

// joints += sum_a f_a V k (u u^T + s/|w| (I - u u^T)) sum_b f_b l_b
static void visit_response(const struct dc_step_state *state, const struct fibre *fibre, void *context)
{
  const struct response *response = context;
  double rate[3] = {0}, across = fibre->length > 0 ? fibre->stretch / fibre->length : 0, force[3];
  (void)state;
  for (int a = 0; a < fibre->corners; a++)
    dc_vec_add_scaled(rate, rate, fibre->factors[a],
                      response->direction + fibre->soft->v_offset + 3 * (size_t)fibre->nodes[a]);
  dc_vec_scale(force, rate, across);
  dc_vec_add_scaled(force, force, (1 - across) * dc_vec_dot(fibre->u, rate), fibre->u);
  for (int a = 0; a < fibre->corners; a++) {
    double *at = response->sum + fibre->soft->v_offset + 3 * (size_t)fibre->nodes[a];
    dc_vec_add_scaled(at, at, fibre->stiffness * fibre->factors[a], force);
  }
}

void dc_muscle_add_response(const struct dc_step_state *state, const double *direction, double *sum)
{
  struct response response = {direction, sum};
  visit(state, visit_response, &response);
}

struct mixed {
  const double *direction;
  struct dc_rollout_cotangent *input;
};

// lambda^T d(gradient)/dc = V k exp(-c) sum_a f_a u . lambda_a, handed on to the control that sets c.
static void visit_mixed(const struct dc_step_state *state, const struct fibre *fibre, void *context)
{
  const struct mixed *mixed = context;
  double rate = 0;
  for (int a = 0; a < fibre->corners; a++)
    rate += fibre->factors[a] * dc_vec_dot(fibre->u, mixed->direction + fibre->soft->v_offset + 3 * fibre->nodes[a]);
  dc_soft_drive_pull_back(state, fibre->soft, fibre->coordinate, fibre->stiffness * fibre->short_of * rate,
                          mixed->input);
}

// lambda^T times the gradient, which the share of a body multiplies.
static void visit_along(const struct dc_step_state *state, const struct fibre *fibre, void *context)
{
  struct response *along = context;
  (void)state;
  for (int a = 0; a < fibre->corners; a++)
    *along->sum += fibre->stiffness * fibre->stretch * fibre->factors[a] *
                   dc_vec_dot(fibre->u, along->direction + fibre->soft->v_offset + 3 * (size_t)fibre->nodes[a]);
}

// Targets are mixed with the nodes at t+1, and moduli and mass by the share that is due.
static void add_mixed(const struct dc_step_state *state, const struct dc_step_direction *direction,
                      struct dc_step_cotangent *out)
{
  struct mixed mixed = {direction->joints, out->input};
  visit(state, visit_mixed, &mixed);
  DC_FOR_EACH_SOFT(soft, state)
  if (soft->drives.muscle_count > 0 && state->prediction) {
    double sum = 0;
    struct response along = {direction->joints, &sum};
    visit_body(state, soft, 1, visit_along, &along);
    dc_past_share_pull_back(state, soft, sum, &out->input->design);
  }
}

struct product {
  const struct dc_rollout_cotangent *input;
  double *joints;
};

// The transposed: a change of c pushes every node along u.
static void visit_product(const struct dc_step_state *state, const struct fibre *fibre, void *context)
{
  const struct product *product = context;
  double change = dc_soft_drive_change(state, fibre->soft, fibre->coordinate, product->input);
  add_along(fibre, fibre->stiffness * fibre->short_of * change, product->joints);
}

static void add_product(const struct dc_step_state *state, const struct dc_step_variation *variation,
                        struct dc_step_forces *forces)
{
  struct product product = {variation->input, forces->joints};
  visit(state, visit_product, &product);
  DC_FOR_EACH_SOFT(soft, state)
  if (soft->drives.muscle_count > 0 && state->prediction)
    visit_body(state, soft, dc_past_share_change(state, soft, &variation->input->design), visit_gradient,
               forces->joints);
}

// w is known to the noise of the places of its nodes times f_a.
// Rounding of |w| in the force V k s f_a u.
static void visit_floor(const struct dc_step_state *state, const struct fibre *fibre, void *context)
{
  double noise = 0;
  for (int a = 0; a < fibre->corners; a++)
    noise += fabs(fibre->factors[a]) * dc_vec_norm(state->q_next + fibre->soft->q_offset + 3 * (size_t)fibre->nodes[a]);
  for (int a = 0; a < fibre->corners; a++)
    for (int k = 0; k < 3; k++)
      ((double *)context)[fibre->soft->v_offset + 3 * fibre->nodes[a] + k] +=
          DC_POSITION_NOISE * fibre->stiffness * fabs(fibre->factors[a]) * noise;
}

static void add_floor(const struct dc_step_state *state, struct dc_step_forces *floor)
{
  visit(state, visit_floor, floor->joints);
}

const struct dc_step_term dc_muscle_term = {
    .name = "muscles",
    .reference = "Du et al. 2021; docs/theory.md, \"Soft bodies\"",
    .value = value,
    .add_gradient = add_gradient,
    .add_hessian = add_hessian,
    .add_mixed = add_mixed,
    .add_product = add_product,
    .add_floor = add_floor,
};
