// SPDX-License-Identifier: Apache-2.0
// Bodies of several parts that do not meet but hold each other.
#include "contact_scene.h"
#include "geometry/mesh/mesh.h"

// Corners of a box along the axes; inwards: it bounds a cavity.
struct box {
  double low[3], high[3];
  bool inwards;
};

enum { BOXES = 3 };

static void add_box(struct dc_mesh *mesh, const struct box *box)
{
  static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  for (int f = 0; f < 6; f++)
    for (int half = 0; half < 2; half++) {
      int *triangle = mesh->triangles[mesh->triangle_count++];
      for (int k = 0; k < 3; k++)
        triangle[box->inwards ? 2 - k : k] = mesh->vertex_count + faces[f][k == 0 ? 0 : k + half];
    }
  for (int v = 0; v < 8; v++, mesh->vertex_count++)
    for (int k = 0; k < 3; k++)
      mesh->vertices[mesh->vertex_count][k] = v >> k & 1 ? box->high[k] : box->low[k];
}

// Puts boxes in place of the shape of a body that is not finished yet.
static void make_boxes(struct scene *scene, int body, int count, const struct box *boxes)
{
  struct dc_shape *shape = &scene->shapes[body];
  struct dc_mesh mesh = {.vertices = dc_arena_alloc(scene->arena, 8 * BOXES, sizeof *mesh.vertices),
                         .triangles = dc_arena_alloc(scene->arena, 12 * BOXES, sizeof *mesh.triangles)};
  scene_need(scene, mesh.vertices && mesh.triangles, "memory");
  for (int i = 0; i < count; i++)
    add_box(&mesh, &boxes[i]);
  scene_need(scene, !dc_mesh_validate(&mesh, &scene->error), "boxes");
  shape->mesh = mesh;
  dc_mesh_mass_properties(&mesh, &shape->properties);
}

static const struct {
  const char *name;
  int count[2];
  struct box boxes[2][BOXES];
  bool overlap;
} cases[] = {
    {"the first part inside",
     {1, 2},
     {{{{0, 0, 0}, {1, 1, 1}, 0}}, {{{.4, .4, .4}, {.6, .6, .6}, 0}, {{2, 0, 0}, {3, 1, 1}, 0}}},
     true},
    {"the second part inside",
     {1, 2},
     {{{{0, 0, 0}, {1, 1, 1}, 0}}, {{{2, 0, 0}, {3, 1, 1}, 0}, {{.4, .4, .4}, {.6, .6, .6}, 0}}},
     true},
    {"the third part inside the second",
     {2, 3},
     {{{{0, 5, 0}, {1, 6, 1}, 0}, {{0, 0, 0}, {1, 1, 1}, 0}},
      {{{2, 0, 0}, {3, 1, 1}, 0}, {{-2, 0, 0}, {-1, 1, 1}, 0}, {{.4, .4, .4}, {.6, .6, .6}, 0}}},
     true},
    {"between the parts",
     {1, 2},
     {{{{0, 0, 0}, {1, 1, 1}, 0}}, {{{2, 0, 0}, {3, 1, 1}, 0}, {{-2, 0, 0}, {-1, 1, 1}, 0}}},
     false},
    {"in a cavity",
     {2, 1},
     {{{{0, 0, 0}, {3, 3, 3}, 0}, {{1, 1, 1}, {2, 2, 2}, 1}}, {{{1.2, 1.2, 1.2}, {1.8, 1.8, 1.8}, 0}}},
     false},
    {"in the wall about a cavity",
     {2, 1},
     {{{{0, 0, 0}, {3, 3, 3}, 0}, {{1, 1, 1}, {2, 2, 2}, 1}}, {{{.2, .2, .2}, {.8, .8, .8}, 0}}},
     true},
};

static void test_parts(void)
{
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    for (int swapped = 0; swapped < 2; swapped++) {
      struct scene scene;
      int pair;
      double depth;
      scene_start(&scene);
      for (int i = 0; i < 2; i++) {
        scene_body(&scene, false, "box size=1,1,1");
        make_boxes(&scene, i, cases[c].count[i ^ swapped], cases[c].boxes[i ^ swapped]);
      }
      scene_finish(&scene);
      struct dc_contact *contact = scene_contact(&scene, "bsh", "");
      for (int i = 0; i < 2; i++)
        CHECK(contact->colliders[i].part_count == cases[c].count[i ^ swapped], "%s: %d parts", cases[c].name,
              contact->colliders[i].part_count);
      // Poses are those of the centres of mass; both turn about the origin.
      struct dc_pose turned = scene.poses[0];
      struct dc_random random;
      dc_random_seed(&random, c);
      for (int turn = 0; turn < 3; turn++) {
        struct dc_pose poses[2] = {scene.poses[0], scene.poses[1]};
        if (turn)
          pose_random_rotation(&random, &turned);
        for (int i = 0; i < 2 && turn; i++) {
          dc_mat_apply(poses[i].position, turned.rotation, scene.poses[i].position);
          pose_turn_to(&poses[i], turned.quaternion);
        }
        CHECK(dc_contact_overlap(contact, poses, &pair, &depth) == cases[c].overlap, "%s%s, turn %d", cases[c].name,
              swapped ? ", swapped" : "", turn);
      }
      scene_end(&scene);
    }
}

// What parts two bodies of a shape at a distance along x is known; the bound must not be above it.
static void test_depth(void)
{
  static const struct {
    const char *shapes[2];
    double distance, depth, least;  // m; least: what the bound must reach
  } known[] = {
      {{"box size=1,1,1", "box size=1,1,1"}, 0, 1, 1},
      {{"box size=1,1,1", "box size=1,1,1"}, 0.9, 0.1, 0.1},
      {{"box size=1,1,1", "box size=1,1,1"}, 1, 0, 0},
      {{"box size=1,1,1", "box size=0.2,0.2,0.2"}, 0, 0.6, 0.6},
      {{"box size=1,1,1", "box size=0.2,0.2,0.2"}, 0.3, 0.3, 0.3},
      {{"box size=1,1,1", "box size=4,4,0.01"}, 0, 0.505, 0.01},
      // spheres of level 3 miss 1 % of their radius
      {{"sphere radius=0.1 level=3", "sphere radius=0.1 level=3"}, 0, 0.2, 0.198},
      {{"sphere radius=0.1 level=3", "sphere radius=0.1 level=3"}, 0.15, 0.05, 0.048},
      {{"sphere radius=0.1 level=3", "sphere radius=0.05 level=3"}, 0.12, 0.03, 0.028},
  };
  for (size_t c = 0; c < sizeof known / sizeof *known; c++) {
    struct scene scene;
    int pair;
    double depth;
    scene_start(&scene);
    for (int i = 0; i < 2; i++)
      scene_body(&scene, false, known[c].shapes[i]);
    scene_finish(&scene);
    struct dc_contact *contact = scene_contact(&scene, "bsh", "");
    for (int i = 0; i < 2; i++) {
      pose_turn_to(&scene.poses[i], (const double[4]){1, 0, 0, 0});
      for (int k = 0; k < 3; k++)
        scene.poses[i].position[k] = i && k == 0 ? known[c].distance : 0;
    }
    CHECK(dc_contact_overlap(contact, scene.poses, &pair, &depth), "case %zu", c);
    CHECK(depth >= 0 && depth <= known[c].depth + 1e-12, "case %zu: %g", c, depth);
    depth = dc_contact_overlap_depth(contact, scene.poses, pair);
    CHECK(depth <= known[c].depth + 1e-12 && depth >= known[c].least - 1e-12, "case %zu: %.15g", c, depth);
    scene_end(&scene);
  }
}

// Two boxes, face to face: certainly apart as soon as rounding cannot close the gap, not when they touch or cross.
static void test_certain(void)
{
  struct scene scene;
  int pair;
  double separation;
  scene_pair(&scene, "box size=1,1,1 divisions=1,1,1", "box size=1,1,1 divisions=1,1,1");
  struct dc_contact *contact = scene_contact(&scene, "bsh", "");
  for (int i = 0; i < 2; i++)
    pose_turn_to(&scene.poses[i], (const double[4]){1, 0, 0, 0});
  const struct {
    double gap;
    bool apart;
  } gaps[] = {{0.1, true}, {1e-9, true}, {1e-12, true}, {1e-15, false}, {0, false}, {-1e-9, false}, {-0.3, false}};
  for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++) {
    for (int k = 0; k < 3; k++) {
      scene.poses[0].position[k] = 0;
      scene.poses[1].position[k] = k ? 0.1 * k : 1 + gaps[g].gap;
    }
    bool apart = dc_contact_certainly_apart(contact, scene.poses, &pair, &separation);
    CHECK(apart == gaps[g].apart, "gap %g", gaps[g].gap);
    if (!apart)
      CHECK(pair == 0 && (separation < 0) == (gaps[g].gap < 0) && separation >= gaps[g].gap - 1e-14, "%g, not %g",
            separation, gaps[g].gap);
  }
  scene_end(&scene);
}

RUN_TESTS({"certainly apart", test_certain}, {"parts inside of another body", test_parts},
          {"how deep at least", test_depth})
