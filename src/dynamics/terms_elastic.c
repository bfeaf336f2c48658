// SPDX-License-Identifier: Apache-2.0
// The term of the step potential of elastic bodies: V psi(F) of every sample and B w/2 |k.x|^2 of every bend at t+1,
// and viscosity over the step,
//     eta/(2 h) sum V |E(x+) - E(x)|^2        (elastic/elastic.h).
// Beside a prediction a quarter of the forces by psi and k.x is due at t+1, the rest before (terms_past.c): moduli are
// those of that share.
#include "dynamics/soft_drive.h"
#include "elastic/sample.h"
#include "math/vector.h"

// Triangles have 3 corners and are sheets of dimension 2, tetrahedra 4 and 3.
static int dimension_of(const struct dc_soft *soft)
{
  return soft->mesh.corners - 1;
}

// Growth of the rest shape by muscles; NULL: none.
struct growth {
  struct dc_growth growth;
  double strains[DC_DRIVES_MOST], directions[DC_DRIVES_MOST][3];
};

// Strains of growth come from targets, one for each muscle of the body; arrays are in *room, which outlives the
// result.
static const struct dc_growth *growth_of(const struct dc_step_state *state, const struct dc_soft *soft,
                                         struct growth *room)
{
  const struct dc_soft_drives *drives = &soft->drives;
  if (!drives->growth_of)
    return NULL;
  for (int m = 0; m < drives->muscle_count; m++) {
    room->strains[m] = dc_soft_drive(state, soft, dc_soft_first_muscle(drives) + m);
    dc_vec_copy(room->directions[m], drives->muscles[m].direction);
  }
  room->growth = (struct dc_growth){drives->growth_of, (const double(*)[3])room->directions, room->strains};
  return &room->growth;
}

// Pa, or N/m of sheets, with the design's factor.
static double young_of(const struct dc_step_state *state, const struct dc_soft *soft)
{
  return state->input->design.young_scale[soft->body] * soft->young;
}

// Pa s.  Viscosity dissipates over the step to t+1 only: halves of intervals look at potentials alone.
static double viscosity_of(const struct dc_step_state *state, const struct dc_soft *soft)
{
  return state->half ? 0 : soft->viscosity;
}

// Material, moduli and factors of one soft body under the design: Young's modulus and bending stiffness are scaled.
// Share is the part of the force that is due at t+1 (terms_past.c); with 1 this is the derivative by it.
static struct dc_elasticity shared(const struct dc_step_state *state, const struct dc_soft *soft, double share,
                                   struct growth *room)
{
  const struct dc_design *design = &state->input->design;
  return (struct dc_elasticity){
      soft->material, dc_lame_of(dimension_of(soft), share * young_of(state, soft), design->poisson[soft->body]),
      share * design->bending_scale[soft->body] * soft->bending, design->young_element + soft->first_element,
      growth_of(state, soft, room)};
}

static struct dc_elasticity elasticity_of(const struct dc_step_state *state, const struct dc_soft *soft,
                                          struct growth *room)
{
  return shared(state, soft, dc_past_share(state, soft), room);
}

// Its derivatives by the factor on Young's modulus, by Poisson's ratio, and by the factor on the bending stiffness.
static struct dc_elasticity by_young(const struct dc_step_state *state, const struct dc_soft *soft, struct growth *room)
{
  const struct dc_design *design = &state->input->design;
  struct dc_lame lame = dc_lame_by_young(dimension_of(soft), design->poisson[soft->body]);
  double young = dc_past_share(state, soft) * soft->young;
  return (struct dc_elasticity){soft->material,
                                {young * lame.mu, young * lame.lambda},
                                0,
                                design->young_element + soft->first_element,
                                growth_of(state, soft, room)};
}

static struct dc_elasticity by_poisson(const struct dc_step_state *state, const struct dc_soft *soft,
                                       struct growth *room)
{
  const struct dc_design *design = &state->input->design;
  return (struct dc_elasticity){
      soft->material,
      dc_lame_by_poisson(dimension_of(soft), dc_past_share(state, soft) * young_of(state, soft),
                         design->poisson[soft->body]),
      0,
      design->young_element + soft->first_element, growth_of(state, soft, room)};
}

static struct dc_elasticity by_bending(const struct dc_step_state *state, const struct dc_soft *soft)
{
  return (struct dc_elasticity){soft->material, {0, 0}, dc_past_share(state, soft) * soft->bending, NULL, NULL};
}

// By the factors of elements: those of a variation take the place of the factors.
static struct dc_elasticity by_elements(const struct dc_step_state *state, const struct dc_soft *soft,
                                        const double *factors, struct growth *room)
{
  struct dc_elasticity elasticity = elasticity_of(state, soft, room);
  elasticity.bending = 0;
  elasticity.factors = factors + soft->first_element;
  return elasticity;
}

static bool any(const double *numbers, int count)
{
  for (int i = 0; i < count; i++)
    if (numbers[i] != 0)
      return true;
  return false;
}

// Sum over soft bodies of the elastic energy at t+1 and eta/h times half the sum of V |E(x+) - E(x)|^2.
// Here and below x are positions of nodes at t, y those at t+1, [nodes][3] in m.
static double value(const struct dc_step_state *state)
{
  double sum = 0;
  struct growth room;
  DC_FOR_EACH_SOFT(soft, state)
  {
    const double *x = state->q_now + soft->q_offset, *y = state->q_next + soft->q_offset;
    sum += dc_elastic_energy(&soft->elastic, elasticity_of(state, soft, &room), y);
    if (viscosity_of(state, soft) > 0)
      sum += viscosity_of(state, soft) / state->interval.length * dc_elastic_strain_change(&soft->elastic, x, y);
  }
  return sum;
}

// Forces on nodes, N, from the material's stress at t+1 and from the change of strain since t over h.
static void add_gradient(const struct dc_step_state *state, struct dc_step_forces *forces)
{
  struct growth room;
  DC_FOR_EACH_SOFT(soft, state)
  {
    const double *x = state->q_now + soft->q_offset, *y = state->q_next + soft->q_offset;
    double *sum = forces->joints + soft->v_offset;
    dc_elastic_add_gradient(&soft->elastic, elasticity_of(state, soft, &room), y, 1, sum);
    if (viscosity_of(state, soft) > 0)
      dc_elastic_add_strain_gradient(&soft->elastic, x, y, viscosity_of(state, soft) / state->interval.length, sum);
  }
}

// Both in one pass over the elements: deformation gradients are computed once.
static double value_and_gradient(const struct dc_step_state *state, struct dc_step_forces *forces)
{
  double sum = 0;
  struct growth room;
  DC_FOR_EACH_SOFT(soft, state)
  {
    const double *x = state->q_now + soft->q_offset, *y = state->q_next + soft->q_offset;
    sum += dc_elastic_evaluate(&soft->elastic, elasticity_of(state, soft, &room), x, y,
                               viscosity_of(state, soft) / state->interval.length, forces->joints + soft->v_offset);
  }
  return sum;
}

// Places are known once and for all where a rollout has listed them (dc_elastic_list_places).
static void add_blocks(const struct dc_step_state *state, const struct dc_soft *soft, int stencil,
                       const double blocks[DC_ELEMENT_BLOCKS][9], struct dc_step_hessian *hessian)
{
  int count;
  const int *nodes = dc_elastic_stencil(&soft->elastic, stencil, &count);
  for (int a = 0; a < count; a++)
    for (int b = 0; b <= a; b++)
      dc_symmetric_add_block(hessian->matrix, dc_node_block(&state->model->bodies, soft, nodes[a]),
                             dc_node_block(&state->model->bodies, soft, nodes[b]), 1, blocks[dc_element_block(a, b)],
                             3);
}

// Adds the blocks of one stencil where their places are known.  blocks holds the lower triangle, block (a, b) of nodes
// a >= b; the matrix holds the lower triangle by rows of its own order.  A block of a node with itself is symmetric, so
// that its lower half is added; a block whose nodes stand the other way round is added as its transpose.
static void add_blocks_at(const int *nodes, int count, const struct dc_block_place *places,
                          const double blocks[DC_ELEMENT_BLOCKS][9], double *values)
{
  for (int a = 0, k = 0; a < count; a++)
    for (int b = 0; b <= a; b++, k++) {
      const double *block = blocks[k];
      double *to[3] = {values + places[k].at[0], values + places[k].at[1], values + places[k].at[2]};
      if (a == b)
        for (int j = 0; j < 3; j++)
          for (int i = j; i < 3; i++)
            to[j][i - j] += block[3 * i + j];
      else if (nodes[a] > nodes[b])
        for (int j = 0; j < 3; j++)
          for (int i = 0; i < 3; i++)
            to[j][i] += block[3 * i + j];
      else
        for (int j = 0; j < 3; j++)
          for (int i = 0; i < 3; i++)
            to[j][i] += block[3 * j + i];
    }
}

// How many blocks a stencil has.
static int blocks_of(const struct dc_elastic *elastic, int stencil)
{
  int count;
  dc_elastic_stencil(elastic, stencil, &count);
  return count * (count + 1) / 2;
}

// Places of the blocks of one stencil in the matrix.  False if the matrix has no such block.
static bool list_places(const struct dc_bodies *bodies, const struct dc_soft *soft, int stencil,
                        const struct dc_symmetric_matrix *matrix, struct dc_block_place *places)
{
  int count;
  const int *nodes = dc_elastic_stencil(&soft->elastic, stencil, &count);
  for (int a = 0; a < count; a++)
    for (int b = 0; b <= a; b++) {
      int i = dc_node_block(bodies, soft, nodes[a]), j = dc_node_block(bodies, soft, nodes[b]);
      if (!dc_symmetric_place(matrix, i > j ? i : j, i > j ? j : i, &places[dc_element_block(a, b)]))
        return false;
    }
  return true;
}

bool dc_elastic_list_places(const struct dc_bodies *bodies, const struct dc_symmetric_matrix *matrix,
                            struct dc_block_place *places)
{
  for (int s = 0; s < bodies->soft_count; s++) {
    const struct dc_elastic *elastic = &bodies->soft[s].elastic;
    for (int e = 0; e < dc_elastic_stencil_count(elastic); e++) {
      if (!list_places(bodies, &bodies->soft[s], e, matrix, places))
        return false;
      places += blocks_of(elastic, e);
    }
  }
  return true;
}

size_t dc_elastic_place_count(const struct dc_bodies *bodies)
{
  size_t count = 0;
  for (int s = 0; s < bodies->soft_count; s++) {
    const struct dc_elastic *elastic = &bodies->soft[s].elastic;
    for (int e = 0; e < dc_elastic_stencil_count(elastic); e++)
      count += (size_t)blocks_of(elastic, e);
  }
  return count;
}

// Loops over stencils, elements first, then bends; only elements are viscous.  Unless exact, negative eigenvalues of
// each stencil's Hessian are cut off, so that the sum is positive semidefinite.
static void add_hessian(const struct dc_step_state *state, bool exact, struct dc_step_hessian *hessian)
{
  struct growth room;
  double blocks[DC_ELEMENT_BLOCKS][9], *values = hessian->element_places ? dc_symmetric_values(hessian->matrix) : NULL;
  const struct dc_block_place *places = hessian->element_places;
  DC_FOR_EACH_SOFT(soft, state)
  {
    const double *x = state->q_now + soft->q_offset, *y = state->q_next + soft->q_offset;
    struct dc_elasticity elasticity = elasticity_of(state, soft, &room);
    for (int e = 0; e < dc_elastic_stencil_count(&soft->elastic); e++) {
      int count;
      const int *nodes = dc_elastic_stencil(&soft->elastic, e, &count);
      dc_elastic_element_hessian(&soft->elastic, elasticity, y, e, !exact, blocks);
      if (viscosity_of(state, soft) > 0 && e < soft->elastic.element_count)
        dc_elastic_add_strain_hessian(&soft->elastic, x, y, e, !exact,
                                      viscosity_of(state, soft) / state->interval.length, blocks);
      if (places) {
        add_blocks_at(nodes, count, places, (const double(*)[9])blocks, values);
        places += count * (count + 1) / 2;
      } else {
        add_blocks(state, soft, e, (const double(*)[9])blocks, hessian);
      }
    }
  }
}

// H l without H: blocks of an element are multiplied by the direction of its nodes at once.  Only the lower triangle
// of an element is computed, and each block off the diagonal acts a second time as its transpose.
void dc_elastic_add_response(const struct dc_step_state *state, const double *direction, double *sum)
{
  struct growth room;
  double blocks[DC_ELEMENT_BLOCKS][9], part[3];
  DC_FOR_EACH_SOFT(soft, state)
  {
    struct dc_elasticity elasticity = elasticity_of(state, soft, &room);
    const double *along = direction + soft->v_offset;
    double *to = sum + soft->v_offset;
    for (int e = 0; e < dc_elastic_stencil_count(&soft->elastic); e++) {
      int count;
      const int *nodes = dc_elastic_stencil(&soft->elastic, e, &count);
      dc_elastic_element_hessian(&soft->elastic, elasticity, state->q_next + soft->q_offset, e, false, blocks);
      for (int a = 0; a < count; a++)
        for (int b = 0; b <= a; b++) {
          const double *block = blocks[dc_element_block(a, b)];
          dc_mat_apply(part, block, along + 3 * (size_t)nodes[b]);
          dc_vec_add(to + 3 * (size_t)nodes[a], to + 3 * (size_t)nodes[a], part);
          if (a == b)
            continue;
          dc_mat_apply_transposed(part, block, along + 3 * (size_t)nodes[a]);
          dc_vec_add(to + 3 * (size_t)nodes[b], to + 3 * (size_t)nodes[b], part);
        }
    }
  }
}

// By the strains of growth, which targets set.
static void add_growth_mixed(const struct dc_step_state *state, const struct dc_soft *soft, const double *y,
                             const double *l, struct dc_rollout_cotangent *input)
{
  struct growth room;
  double strains[DC_DRIVES_MOST] = {0};
  dc_elastic_along_growth(&soft->elastic, elasticity_of(state, soft, &room), y, l, strains);
  for (int m = 0; m < soft->drives.muscle_count; m++)
    dc_soft_drive_pull_back(state, soft, dc_soft_first_muscle(&soft->drives) + m, strains[m], input);
}

static void add_growth_product(const struct dc_step_state *state, const struct dc_soft *soft, const double *y,
                               const struct dc_rollout_cotangent *input, double *sum)
{
  struct growth room;
  double change[DC_DRIVES_MOST];
  for (int m = 0; m < soft->drives.muscle_count; m++)
    change[m] = dc_soft_drive_change(state, soft, dc_soft_first_muscle(&soft->drives) + m, input);
  dc_elastic_add_growth_gradient(&soft->elastic, elasticity_of(state, soft, &room), y, change, sum);
}

// The direction l meets the derivative of the gradient by each design parameter: l . d(grad)/d(theta).  The gradient is
// linear in the moduli, so that its derivative is the gradient of a material with the moduli's derivatives.
// Viscosity depends on x, too, which gives the cotangent of positions at t.
static void add_mixed(const struct dc_step_state *state, const struct dc_step_direction *direction,
                      struct dc_step_cotangent *out)
{
  struct dc_design *design = &out->input->design;
  struct growth room;
  DC_FOR_EACH_SOFT(soft, state)
  {
    const double *x = state->q_now + soft->q_offset, *y = state->q_next + soft->q_offset;
    const double *l = direction->joints + soft->v_offset;
    design->young_scale[soft->body] += dc_elastic_along(&soft->elastic, by_young(state, soft, &room), y, l);
    design->poisson[soft->body] += dc_elastic_along(&soft->elastic, by_poisson(state, soft, &room), y, l);
    dc_elastic_along_each(&soft->elastic, elasticity_of(state, soft, &room), y, l,
                          design->young_element + soft->first_element);
    if (state->prediction)
      dc_past_share_pull_back(
          state, soft, dc_elastic_along(&soft->elastic, shared(state, soft, 1, &room), y, l), design);
    if (soft->drives.growth_of)
      add_growth_mixed(state, soft, y, l, out->input);
    if (soft->elastic.bend_count)
      design->bending_scale[soft->body] += dc_elastic_along(&soft->elastic, by_bending(state, soft), y, l);
    if (viscosity_of(state, soft) > 0)
      dc_elastic_add_strain_mixed(&soft->elastic, x, y, false, viscosity_of(state, soft) / state->interval.length, l,
                                  out->now.joints + soft->v_offset);
  }
}

// The transpose of add_mixed: a variation of the design and of x gives a change of the gradient.
static void add_product(const struct dc_step_state *state, const struct dc_step_variation *variation,
                        struct dc_step_forces *forces)
{
  const struct dc_design *change = &variation->input->design;
  struct growth room;
  DC_FOR_EACH_SOFT(soft, state)
  {
    const double *x = state->q_now + soft->q_offset, *y = state->q_next + soft->q_offset;
    double *sum = forces->joints + soft->v_offset, young = change->young_scale[soft->body],
           poisson = change->poisson[soft->body], bending = change->bending_scale[soft->body],
           share = dc_past_share_change(state, soft, change);
    if (share != 0)
      dc_elastic_add_gradient(&soft->elastic, shared(state, soft, 1, &room), y, share, sum);
    if (young != 0)
      dc_elastic_add_gradient(&soft->elastic, by_young(state, soft, &room), y, young, sum);
    if (poisson != 0)
      dc_elastic_add_gradient(&soft->elastic, by_poisson(state, soft, &room), y, poisson, sum);
    if (any(change->young_element + soft->first_element, soft->mesh.element_count))
      dc_elastic_add_gradient(&soft->elastic, by_elements(state, soft, change->young_element, &room), y, 1, sum);
    if (soft->drives.growth_of)
      add_growth_product(state, soft, y, variation->input, sum);
    if (bending != 0 && soft->elastic.bend_count)
      dc_elastic_add_gradient(&soft->elastic, by_bending(state, soft), y, bending, sum);
    if (viscosity_of(state, soft) > 0)
      dc_elastic_add_strain_mixed(&soft->elastic, x, y, true, viscosity_of(state, soft) / state->interval.length,
                                  variation->now.joints + soft->v_offset, sum);
  }
}

// Rounding of the forces of a sample.  F is the sum of positions times gradients of shape functions, so that its error
// is the noise of positions relative to their size times those; a force is V times modulus times that times a gradient.
static void add_sample_floor(const struct dc_soft *soft, int e, double modulus, const double *x, double *floor)
{
  const int *element = dc_sample_nodes(&soft->elastic, e);
  const double(*gradients)[3] = dc_sample_gradients(&soft->elastic, e);
  double slope[DC_ELEMENT_NODES], strain = 0;
  for (int a = 0; a < soft->elastic.corners; a++) {
    slope[a] = dc_vec_norm(gradients[a]);
    strain += dc_vec_norm(x + 3 * (size_t)element[a]) * slope[a];
  }
  for (int a = 0; a < soft->elastic.corners; a++) {
    double noise = DC_POSITION_NOISE * soft->elastic.volumes[e] * modulus * slope[a] * strain,
           *at = floor + 3 * (size_t)element[a];
    for (int k = 0; k < 3; k++)
      at[k] += noise;
  }
}

// The same of a bend: the force on a node is w B k (k . x).
static void add_bend_floor(const struct dc_soft *soft, const struct dc_bend *bend, double bending, const double *x,
                           double *floor)
{
  int count = soft->mesh.corners + 1;
  double sum = 0;
  for (int a = 0; a < count; a++)
    sum += fabs(bend->factors[a]) * dc_vec_norm(x + 3 * (size_t)bend->nodes[a]);
  for (int a = 0; a < count; a++)
    for (int k = 0; k < 3; k++)
      floor[3 * (size_t)bend->nodes[a] + k] +=
          DC_POSITION_NOISE * bending * bend->weight * fabs(bend->factors[a]) * sum;
}

// The largest modulus of a body, 2 mu + lambda with viscosity over h, bounds the stress that rounding causes in a
// sample.
static void add_floor(const struct dc_step_state *state, struct dc_step_forces *floor)
{
  const struct dc_design *design = &state->input->design;
  DC_FOR_EACH_SOFT(soft, state)
  {
    const double *x = state->q_next + soft->q_offset;
    struct dc_lame lame =
        dc_lame_of(soft->mesh.corners - 1, design->young_scale[soft->body] * soft->young, design->poisson[soft->body]);
    double modulus = 2 * lame.mu + fabs(lame.lambda) + soft->viscosity / state->interval.length,
           *at = floor->joints + soft->v_offset;
    for (int e = 0; e < soft->elastic.sample_count; e++)
      add_sample_floor(
          soft, e, dc_sample_factor(&soft->elastic, design->young_element + soft->first_element, e) * modulus, x, at);
    for (int i = 0; i < soft->elastic.bend_count; i++)
      add_bend_floor(soft, &soft->elastic.bends[i], design->bending_scale[soft->body] * soft->bending, x, at);
  }
}

const struct dc_step_term dc_elastic_term = {
    .name = "elastic",
    .reference = "paper 004, Eq. 1; docs/theory.md, \"Soft bodies\"",
    .value = value,
    .add_gradient = add_gradient,
    .value_and_gradient = value_and_gradient,
    .add_hessian = add_hessian,
    .add_mixed = add_mixed,
    .add_product = add_product,
    .add_floor = add_floor,
};
