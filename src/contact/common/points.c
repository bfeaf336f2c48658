// SPDX-License-Identifier: Apache-2.0
// The potential by the points of the bodies (docs/theory.md, "Points"): the loop over the pairs, what points above
// primitives add, and rates from products.  A model adds what a pair of its own has (struct dc_point_methods).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/common/points.h"

// Velocity of a point, m/s: as given, or that of its body's frame, v + w x r with r the point's place from the frame's
// origin.
void dc_points_velocity(const struct dc_points *p, int body, int index, double velocity[3])
{
  if (p->velocities) {
    dc_vec_copy(velocity, p->velocities[body][index]);
    return;
  }
  const double *twist = p->twists[body];
  double arm[3];
  dc_mat_apply(arm, p->poses[body].rotation, dc_contact_point_places(p->contact, body)[index]);
  dc_vec_cross(velocity, twist, arm);
  dc_vec_add(velocity, velocity, twist + 3);
}

// One point above a primitive; value holds the barrier V(g) of its gap g, V' and V''.  With the normal n the force is
// -V' n.  The product is V'' (n . velocity) n, the Hessian of V along the velocity.
void dc_points_add_primitive(const struct dc_points *p, const struct dc_primitive *seen, const double arm[3], int index,
                             const double value[3])
{
  double normal[3];
  if (value[1] == 0 && value[2] == 0)
    return;
  dc_primitive_gap(seen, arm, normal);
  if (p->forces)
    dc_vec_add_scaled(p->forces[p->pair->a][index], p->forces[p->pair->a][index], -value[1], normal);
  if (p->products) {
    double velocity[3];
    dc_points_velocity(p, p->pair->a, index, velocity);
    double size = value[2] * dc_vec_dot(normal, velocity);
    dc_vec_add_scaled(p->products[p->pair->a][index], p->products[p->pair->a][index], size, normal);
  }
}

// The same of all vertices of body a within reach of the primitive that body b is.
void dc_points_add_primitive_pair(const struct dc_points *p, dc_primitive_barrier *barrier)
{
  const struct dc_collider *a = &p->contact->colliders[p->pair->a];
  struct dc_primitive seen = dc_primitive_about(&p->contact->colliders[p->pair->b].primitive, &p->poses[p->pair->a]);
  struct dc_primitive_points mesh = {p->contact, a, (const double(*)[3])a->turned, a->vertex_count, NULL};
  for (int v = 0; v < a->vertex_count; v++) {
    double gap = dc_primitive_gap(&seen, a->turned[v], NULL) - dc_vertex_radius(a, v), value[1][3];
    if (gap > p->reach)
      continue;
    barrier(&mesh, v, 1, &gap, value);
    dc_points_add_primitive(p, &seen, a->turned[v], v, value[0]);
  }
}

// Points of models that see triangles are the vertices of the mesh.
int dc_points_of_mesh(const struct dc_contact *contact, int body)
{
  return contact->colliders[body].vertex_count;
}

const double (*dc_places_of_mesh(const struct dc_contact *contact, int body))[3]
{
  return (const double(*)[3])contact->colliders[body].vertices;
}

// NULL: the model knows its potential by poses only.
static const struct dc_point_methods *methods_of(const struct dc_contact *contact)
{
  return contact->model->methods->points;
}

// A model without methods for points offers none; one may offer them for some scenes only.
bool dc_contact_has_points(const struct dc_contact *contact)
{
  return dc_contact_has_point_rates(contact) && !methods_of(contact)->rates_only;
}

bool dc_contact_has_point_rates(const struct dc_contact *contact)
{
  const struct dc_point_methods *methods = methods_of(contact);
  return methods && (!methods->offers || methods->offers(contact));
}

int dc_contact_point_count(const struct dc_contact *contact, int body)
{
  return methods_of(contact)->count(contact, body);
}

const double (*dc_contact_point_places(const struct dc_contact *contact, int body))[3]
{
  return methods_of(contact)->places(contact, body);
}

// Adds all pairs by the functions of the model.
static int add_pairs(struct dc_points *p, struct dc_arena *arena)
{
  const struct dc_point_methods *methods = methods_of(p->contact);
  if (!arena || (methods->begin && methods->begin(p, arena)))
    return -1;
  for (int k = 0; k < p->contact->pair_count; k++) {
    p->pair = &p->contact->pairs[k];
    p->reach = p->reaches ? p->reaches[k] : INFINITY;
    dc_vec_sub(p->arm, p->poses[p->pair->a].position, p->poses[p->pair->b].position);
    if (methods->add_pair(p))
      return -1;
  }
  if (methods->end)
    methods->end(p);
  return 0;
}

// Forces are those of surfaces that are apart: pairs that cross, or could not be evaluated, are refused.
static enum dc_status refuse_crossings(const struct dc_contact *contact, struct dc_error *error)
{
  for (int k = 0; k < contact->pair_count; k++)
    if (contact->pairs[k].crossing || contact->pairs[k].failed)
      return dc_fail(error, DC_NUMERICAL, "surfaces that meet have no forces on their points");
  return DC_OK;
}

// Adds forces or products of all pairs, as p asks; memory that a model needs meanwhile is in an arena of the call.
enum dc_status dc_points_add(struct dc_points *p, struct dc_error *error)
{
  enum dc_status refused = refuse_crossings(p->contact, error);
  if (refused)
    return refused;
  struct dc_arena *arena = dc_arena_create();
  int status = add_pairs(p, arena);
  dc_arena_destroy(arena);
  return status ? dc_out_of_memory_for(error, "the points of contact") : DC_OK;
}

enum dc_status dc_contact_near_forces(struct dc_contact *contact, const struct dc_pose *poses, const double *reaches,
                                      double (*const *forces)[3], struct dc_error *error)
{
  struct dc_points points = {.contact = contact, .poses = poses, .forces = forces, .reaches = reaches};
  return dc_points_add(&points, error);
}

// Forces and products of all points, by body; zeros between calls.
struct dc_point_rows {
  int count;
  double (**forces)[3], (**products)[3];
};

// One row of vectors for each body, [points of the body][3], in one block.
static double (**make_rows(const struct dc_contact *contact, int points))[3]
{
  double(**rows)[3] = dc_arena_alloc(contact->arena, (size_t)contact->bodies->count, sizeof *rows);
  double(*block)[3] = dc_arena_alloc(contact->arena, (size_t)points, sizeof *block);
  for (int i = 0; i < contact->bodies->count && rows && block; i++) {
    rows[i] = block;
    block += dc_contact_point_count(contact, i);
  }
  return block ? rows : NULL;
}

// Rows are made when they are asked for first and stay with the contact, so that later calls allocate nothing.
static struct dc_point_rows *rows_of(struct dc_contact *contact)
{
  if (contact->rows)
    return contact->rows;
  struct dc_point_rows *rows = dc_arena_alloc(contact->arena, 1, sizeof *rows);
  if (!rows)
    return NULL;
  for (int i = 0; i < contact->bodies->count; i++)
    rows->count += dc_contact_point_count(contact, i);
  rows->forces = make_rows(contact, rows->count);
  rows->products = make_rows(contact, rows->count);
  return contact->rows = rows->forces && rows->products ? rows : NULL;
}

// f = dP/dx of the points, f' its rate with their velocities: by the place in the body R^T (f' - w x f).  The rows
// become zeros.
static void turn_products(const struct dc_contact *contact, const struct dc_pose *poses, const double (*twists)[6],
                          double scale, const struct dc_point_rows *rows, double (*const *by_point)[3])
{
  for (int i = 0; i < contact->bodies->count; i++) {
    int count = dc_contact_point_count(contact, i);
    for (int v = 0; v < count; v++) {
      double *f = rows->forces[i][v], *rate = rows->products[i][v];  // f is -dP/dx
      double sum[3], local[3];
      if (f[0] == 0 && f[1] == 0 && f[2] == 0 && rate[0] == 0 && rate[1] == 0 && rate[2] == 0)
        continue;
      if (by_point[i]) {
        dc_vec_cross(sum, twists[i], f);
        dc_vec_add(sum, sum, rate);
        dc_mat_apply_transposed(local, poses[i].rotation, sum);
        dc_vec_add_scaled(by_point[i][v], by_point[i][v], scale, local);
      }
      for (int k = 0; k < 3; k++)
        f[k] = rate[k] = 0;
    }
  }
}

// Rates of forces by the motion of all bodies, in the frames of the bodies: forces and their products with the points'
// velocities, then turned into the bodies' frames.  After a failure the rows are zero again.
enum dc_status dc_points_rates_of_products(struct dc_contact *contact, const struct dc_pose *poses,
                                           const double (*twists)[6], double scale, double (*const *by_point)[3],
                                           struct dc_error *error)
{
  const struct dc_point_rows *rows = rows_of(contact);
  if (!rows)
    return dc_out_of_memory_for(error, "the points of contact");
  struct dc_points points = {
      .contact = contact, .poses = poses, .twists = twists, .forces = rows->forces, .products = rows->products};
  enum dc_status status = dc_points_add(&points, error);
  if (!status) {
    turn_products(contact, poses, twists, scale, rows, by_point);
  } else if (rows->count > 0) {
    memset(rows->forces[0], 0, (size_t)rows->count * sizeof **rows->forces);
    memset(rows->products[0], 0, (size_t)rows->count * sizeof **rows->products);
  }
  return status;
}

enum dc_status dc_contact_point_rates(struct dc_contact *contact, const struct dc_pose *poses,
                                      const double (*twists)[6], double scale, double (*const *by_point)[3],
                                      struct dc_error *error)
{
  const struct dc_point_methods *methods = methods_of(contact);
  if (!methods->rates)
    return dc_points_rates_of_products(contact, poses, twists, scale, by_point, error);
  enum dc_status status = refuse_crossings(contact, error);
  if (!status && methods->rates(contact, poses, twists, scale, by_point))
    status = dc_out_of_memory_for(error, "the points of contact");
  return status;
}

// Radii and spreads of nodes are functions of the vertices below them, hence sizes go back through the trees.
void dc_contact_take_sizes(struct dc_contact *contact, double (*const *points)[3])
{
  dc_colliders_pull_back_nodes(contact, points);
}
