// SPDX-License-Identifier: Apache-2.0
// Compounds: meshes, moments and convex parts of unions of other shapes, and what is refused.
#include "harness.h"

#include "math/vector.h"
#include "shape_builder.h"

static const double origin[3] = {0, 0, 0}, unit[3] = {1, 1, 1};

static struct builder compound(int count, const struct dc_compound_part *parts)
{
  struct builder builder = begin("compound");
  struct dc_object_list *list = option_at(&builder, "parts", DC_OBJECT_LIST);
  list->count = count;
  list->objects = dc_arena_alloc(builder.arena, (size_t)count, sizeof *parts);
  if (count)
    memcpy(list->objects, parts, (size_t)count * sizeof *parts);
  return builder;
}

enum { CUBE, BEAM, PLANE, PAIR, NESTED, MEMBERS };
static struct builder member_builders[MEMBERS];
static struct dc_shape members[MEMBERS];

static void make_members(void)
{
  static char text[4096];
  member_builders[CUBE] = begin("box");
  set_reals(&member_builders[CUBE], "size", 0.1, 0.1, 0.1);
  member_builders[BEAM] = begin("box");
  set_reals(&member_builders[BEAM], "size", 0.2, 0.1, 0.1);
  member_builders[PLANE] = begin("plane");
  for (int i = 0; i < PAIR; i++)
    build(&member_builders[i]);
  // two cubes apart, as one surface without groups: not known to be convex parts
  static const double far_lower[3] = {3, 0, 0}, far_upper[3] = {4, 1, 1};
  text[0] = '\0';
  append_box(text, sizeof text, "", origin, unit, 1);
  append_box(text, sizeof text, "", far_lower, far_upper, 9);
  member_builders[PAIR] = mesh_shape(text, false);
  member_builders[NESTED] = compound(0, NULL);
  for (int i = 0; i < MEMBERS; i++) {
    members[i] = member_builders[i].shape;
    members[i].name = i == NESTED ? "nested" : i == PLANE ? "ground" : "member";
  }
}

static void drop_members(void)
{
  for (int i = 0; i < MEMBERS; i++)
    end(&member_builders[i]);
}

static bool unite(struct builder *builder)
{
  struct dc_error error = {0};
  enum dc_status status = dc_shape_unite(&builder->shape, MEMBERS, members, builder->arena, &error);
  CHECK(status == DC_OK, "%s", error.text);
  return status == DC_OK;
}

// Two cubes side by side are one box; members are turned and moved.
static void test_compound(void)
{
  make_members();
  const double quarter = sqrt(0.5);
  const struct dc_compound_part halves[2] = {{CUBE, {0.35, 0, 0}, {1, 0, 0, 0}},
                                             {CUBE, {0.25, 0, 0}, {quarter, 0, 0, quarter}}};
  struct builder two = compound(2, halves);
  if (unite(&two)) {
    const struct dc_shape *shape = &two.shape, *beam = &members[BEAM];
    CHECK(shape->mesh.group_count == 2 && shape->mesh.group_start[1] == 12 && shape->mesh.group_start[2] == 24,
          "a group per part");
    CHECK(shape->mesh.vertex_count == 16, "%d", shape->mesh.vertex_count);
    check_parts(shape, 2, 8);
    CHECK_NEAR(shape->properties.volume, beam->properties.volume, 1e-17);  // exact
    CHECK_NEAR(shape->properties.center[0], 0.3, 1e-15);                   // exact
    for (int k = 0; k < 9; k++)                                            // 2.5e-21 observed
      CHECK_NEAR(shape->properties.second_moment[k], beam->properties.second_moment[k], 1e-18);
    for (int v = 0; v < 8; v++)
      CHECK(fabs(shape->parts[1].vertices[v][0] - 0.25) < 0.0501, "the second part where it stands");
    CHECK(dc_mesh_contains(&shape->parts[0], (double[3]){0.39, 0.04, 0.04}), "the first part where it stands");
  }
  end(&two);
  // one member, many of them, and one that is not known to be convex parts
  const struct dc_compound_part one[2] = {{BEAM, {0, 1, 0}, {0, 1, 0, 0}}, {PAIR, {0, 5, 0}, {1, 0, 0, 0}}};
  struct builder single = compound(1, one), mixed = compound(2, one);
  if (unite(&single))
    check_parts(&single.shape, 1, 8);
  if (unite(&mixed)) {
    check_parts(&mixed.shape, 0, 0);
    CHECK_NEAR(mixed.shape.properties.volume, 2.002, 1e-14);  // 4.4e-16 observed
  }
  end(&single);
  end(&mixed);
  drop_members();
}

static void refuse_compound(int count, const struct dc_compound_part *parts, const char *part)
{
  struct builder builder = compound(count, parts);
  struct dc_error error = {0};
  enum dc_status status = dc_shape_unite(&builder.shape, MEMBERS, members, builder.arena, &error);
  CHECK(status == DC_BAD_INPUT && strstr(error.text, part), "'%s' not in '%s'", part, error.text);
  end(&builder);
}

static void test_compound_refusals(void)
{
  make_members();
  struct dc_compound_part good = {CUBE, {0, 0, 0}, {1, 0, 0, 0}}, bad = good;
  refuse_compound(0, NULL, "parts: must hold at least one part");
  bad.shape = MEMBERS;
  refuse_compound(1, &bad, "parts[0].shape: must name a shape");
  bad.shape = -1;
  refuse_compound(1, &bad, "parts[0].shape: must name a shape");
  struct dc_compound_part two[2] = {good, good};
  two[1].shape = NESTED;
  refuse_compound(2, two, "parts[1].shape: must not be a compound (\"nested\" is one)");
  two[1].shape = PLANE;
  refuse_compound(2, two, "parts[1].shape: must not be a half-space (\"ground\" is one)");
  bad = good, bad.rotation[3] = 0.1;
  refuse_compound(1, &bad, "parts[0].rotation: must be of unit length within 0.001");
  bad = good, bad.position[2] = NAN;
  refuse_compound(1, &bad, "parts[0].position: must be finite");
  bad = good, bad.position[2] = 2e6;
  refuse_compound(1, &bad, "parts[0].position: must be <= 1000000 m");
  drop_members();
}

RUN_TESTS({"compound", test_compound}, {"refusals of compounds", test_compound_refusals})
