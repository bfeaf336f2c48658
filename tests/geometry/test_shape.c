// SPDX-License-Identifier: Apache-2.0
// Shapes: every type of the registry, counts, closedness, volumes and moments against formulas.
#include "harness.h"

#include "math/vector.h"
#include "shape_builder.h"

// A closed surface without handles: V - E + F = 2 with E = 3 F / 2.
static void check_counts(const struct dc_mesh *mesh, int triangle_count)
{
  CHECK(mesh->triangle_count == triangle_count, "%d triangles, expected %d", mesh->triangle_count, triangle_count);
  CHECK(2 * mesh->vertex_count - mesh->triangle_count == 4, "%d vertices, %d triangles", mesh->vertex_count,
        mesh->triangle_count);
}

static void test_sphere_counts(void)
{
  static const int base_triangles[2] = {20, 8};
  for (int base = 0; base < 2; base++)
    for (int level = 0; level <= 6; level++) {
      struct builder sphere = begin("sphere");
      set_real(&sphere, "radius", 0.1);
      set_integer(&sphere, "level", level);
      *(int *)option_at(&sphere, "base", DC_CHOICE) = base;
      if (build(&sphere)) {
        const struct dc_mesh *mesh = &sphere.shape.mesh;
        check_counts(mesh, base_triangles[base] << 2 * level);
        double worst = 0;
        for (int v = 0; v < mesh->vertex_count; v++)
          worst = larger(worst, fabs(dc_vec_norm(mesh->vertices[v]) - 0.1));
        CHECK(worst < 1e-16, "%g off the sphere", worst);  // observed 2.8e-17
        for (int k = 0; k < 3; k++)
          CHECK_NEAR(sphere.shape.properties.center[k], 0, 1e-16);  // observed 4.9e-18
      }
      end(&sphere);
    }
}

// The chord polyhedron's relative error falls with the squared edge length: a factor 4 per level.
static void test_sphere_converges(void)
{
  const double radius = 0.7, exact = 4 * M_PI / 3 * radius * radius * radius;
  double previous = 0;
  for (int level = 1; level <= 6; level++) {
    struct builder sphere = begin("sphere");
    set_real(&sphere, "radius", radius);
    set_integer(&sphere, "level", level);
    build(&sphere);
    double error = 1 - sphere.shape.properties.volume / exact;
    CHECK(error > 0, "a polyhedron inscribed in the sphere is smaller: %g", error);
    if (level > 2)  // observed 3.93 to 3.999
      CHECK(previous / error > 3.8 && previous / error < 4.1, "ratio %g at level %d", previous / error, level);
    if (level == 6) {
      CHECK_NEAR(sphere.shape.properties.second_moment[0], exact * radius * radius / 5, 1e-4);  // observed 3.2e-5
      CHECK_NEAR(sphere.shape.properties.surface_area, 4 * M_PI * radius * radius, 1e-3);       // observed 4.6e-4
    }
    previous = error;
    end(&sphere);
  }
}

static void test_box(void)
{
  static const double divisions[][3] = {{1, 1, 1}, {2, 3, 4}, {24, 24, 1}, {1, 1, 7}, {5, 1, 2}, {2, 2, 2}};
  const double size[3] = {1.5, 0.25, 3};
  for (size_t i = 0; i < sizeof divisions / sizeof divisions[0]; i++) {
    const double *n = divisions[i];
    struct builder box = begin("box");
    set_reals(&box, "size", size[0], size[1], size[2]);
    set_reals(&box, "divisions", n[0], n[1], n[2]);
    if (build(&box)) {
      const struct dc_mass_properties *properties = &box.shape.properties;
      check_counts(&box.shape.mesh, (int)(4 * (n[0] * n[1] + n[1] * n[2] + n[2] * n[0])));
      double volume = size[0] * size[1] * size[2];
      // Observed: volume and area exact, centre 6e-18, moments 1.1e-16.
      CHECK_NEAR(properties->volume, volume, 1e-15);
      CHECK_NEAR(properties->surface_area, 2 * (size[0] * size[1] + size[1] * size[2] + size[2] * size[0]), 1e-14);
      for (int a = 0; a < 3; a++) {
        CHECK_NEAR(properties->center[a], 0, 1e-16);
        for (int b = 0; b < 3; b++)
          CHECK_NEAR(properties->second_moment[3 * a + b], a == b ? volume * size[a] * size[a] / 12 : 0, 1e-15);
      }
    }
    end(&box);
  }
}

// The mirror image in each midplane of a box with even divisions is the box itself: diagonals and all.
static void test_box_is_symmetric(void)
{
  struct builder builder = begin("box");
  set_reals(&builder, "size", 1, 2, 3);
  set_reals(&builder, "divisions", 2, 4, 2);
  build(&builder);
  const struct dc_mesh *mesh = &builder.shape.mesh;
  for (int axis = 0; axis < 3; axis++)
    for (int t = 0; t < mesh->triangle_count; t++) {
      bool found = false;
      for (int u = 0; u < mesh->triangle_count && !found; u++) {
        int same = 0;
        for (int k = 0; k < 9; k++) {
          const double *a = mesh->vertices[mesh->triangles[t][k / 3]], *b = mesh->vertices[mesh->triangles[u][k % 3]];
          same +=
              a[axis] == -b[axis] && a[(axis + 1) % 3] == b[(axis + 1) % 3] && a[(axis + 2) % 3] == b[(axis + 2) % 3];
        }
        found = same == 3;
      }
      CHECK(found, "triangle %d has no mirror image across axis %d", t, axis);
    }
  end(&builder);
}

// The diagonals of the undivided cube form a tetrahedron: four corners have six triangles, their neighbours three.
static void test_cube_diagonals(void)
{
  struct builder builder = begin("box");
  set_reals(&builder, "size", 1, 1, 1);
  build(&builder);
  const struct dc_mesh *mesh = &builder.shape.mesh;
  int triangles[8] = {0};
  CHECK(mesh->vertex_count == 8, "%d vertices", mesh->vertex_count);
  for (int t = 0; t < mesh->triangle_count; t++)
    for (int k = 0; k < 3; k++)
      triangles[mesh->triangles[t][k] & 7]++;
  for (int v = 0; v < mesh->vertex_count; v++) {
    const double *x = mesh->vertices[v];
    CHECK(triangles[v] == (x[0] * x[1] * x[2] < 0 ? 6 : 3), "vertex %d has %d triangles", v, triangles[v]);
  }
  end(&builder);
}

// Prism over a regular polygon of n sides inscribed in the circle: area n/2 sin(2 pi/n) r^2.
static double polygon_area(long n, double radius)
{
  return 0.5 * (double)n * sin(2 * M_PI / (double)n) * radius * radius;
}

static void test_cylinder(void)
{
  static const long sides[] = {3, 4, 12, 25, 1000}, rings[] = {1, 4, 3, 2, 1};
  const double radius = 0.3, height = 2;
  for (int i = 0; i < 5; i++) {
    struct builder cylinder = begin("cylinder");
    set_real(&cylinder, "radius", radius);
    set_real(&cylinder, "height", height);
    set_integer(&cylinder, "sides", sides[i]);
    set_integer(&cylinder, "rings", rings[i]);
    if (build(&cylinder)) {
      const struct dc_mass_properties *properties = &cylinder.shape.properties;
      double area = polygon_area(sides[i], radius), edge = 2 * radius * sin(M_PI / (double)sides[i]);
      check_counts(&cylinder.shape.mesh, (int)(2 * sides[i] * (rings[i] + 1)));
      // Observed: volume 2.2e-16, area 8.9e-16, moments 8e-17, centre 3e-17.
      CHECK_NEAR(properties->volume, area * height, 2e-15);
      CHECK_NEAR(properties->surface_area, 2 * area + (double)sides[i] * edge * height, 1e-14);
      CHECK_NEAR(properties->second_moment[8], area * height * height * height / 12, 1e-15);
      // A regular polygon's second moment is the same about every axis in its plane: A r^2 (2 + cos(2 pi/n)) / 12.
      double moment = area * height * radius * radius * (2 + cos(2 * M_PI / (double)sides[i])) / 12;
      CHECK_NEAR(properties->second_moment[0], moment, 1e-15);
      CHECK_NEAR(properties->second_moment[4], moment, 1e-15);
      for (int k = 0; k < 3; k++)
        CHECK_NEAR(properties->center[k], 0, 1e-15);
    }
    end(&cylinder);
  }
}

// A capsule of polygons: prism plus, between circles of latitude, frusta of volume h/3 (A + B + sqrt(A B)).
// Two rows of three heights, on a rectangle.
static void set_heights(struct builder *builder, const double heights[6])
{
  double *extent = option_at(builder, "extent", DC_REALS);
  extent[0] = 4, extent[1] = 1;
  set_integer(builder, "rows", 2);
  *(struct dc_real_list *)option_at(builder, "heights", DC_REAL_LIST) = (struct dc_real_list){6, (double *)heights};
}

// A roof: its volume, its middle by symmetry, the first row at the least y; ground below its bottom is refused.
static void test_heights(void)
{
  struct builder roof = begin("heights");
  set_heights(&roof, (double[6]){1, 2, 1, 0, 1, 0});
  set_real(&roof, "base", 0.5);
  if (build(&roof)) {
    // along x a triangle of mean 1/2 on 1, along y a slope from 1 to 0
    CHECK_NEAR(roof.shape.properties.volume, 4 * (0.5 + 0.5 + 0.5), 1e-14);
    CHECK_NEAR(roof.shape.properties.center[0], 0, 1e-15);
    CHECK(roof.shape.properties.center[1] < -0.01, "%g", roof.shape.properties.center[1]);
    check_counts(&roof.shape.mesh, 22);
    CHECK_NEAR(roof.shape.mesh.vertices[1][2], 2, 0);
  }
  end(&roof);
  struct dc_error error = {0};
  struct builder deep = begin("heights");
  set_heights(&deep, (double[6]){1, 2, 1, 0, -0.1, 0});
  CHECK(dc_shape_build(&deep.shape, deep.arena, &error) == DC_BAD_INPUT &&
            strstr(error.text, "heights[4]: must be above the bottom at -0.1 m (is -0.1)"),
        "%s", error.text);
  set_integer(&deep, "rows", 4);
  CHECK(dc_shape_build(&deep.shape, deep.arena, &error) == DC_BAD_INPUT && strstr(error.text, "for each of 4 rows"),
        "%s", error.text);
  end(&deep);
}

static void test_capsule(void)
{
  static const long sides[] = {3, 24, 12, 200}, rings[] = {1, 6, 2, 100};
  const double radius = 0.2, height = 0.5;
  for (int i = 0; i < 4; i++) {
    struct builder capsule = begin("capsule");
    set_real(&capsule, "radius", radius);
    set_real(&capsule, "height", height);
    set_integer(&capsule, "sides", sides[i]);
    set_integer(&capsule, "rings", rings[i]);
    if (build(&capsule)) {
      double expected = polygon_area(sides[i], radius) * height;
      for (long k = 0; k < rings[i]; k++) {
        double a = M_PI_2 * (double)k / (double)rings[i], b = M_PI_2 * (double)(k + 1) / (double)rings[i];
        double lower = polygon_area(sides[i], radius * cos(a)), upper = polygon_area(sides[i], radius * cos(b));
        expected += 2 * radius * (sin(b) - sin(a)) / 3 * (lower + upper + sqrt(lower * upper));
      }
      check_counts(&capsule.shape.mesh, (int)(4 * sides[i] * rings[i]));
      CHECK_NEAR(capsule.shape.properties.volume, expected, 5e-16);  // observed 4.2e-17
      CHECK_NEAR(capsule.shape.properties.center[2], 0, 1e-15);
      if (i == 3) {
        double smooth = M_PI * radius * radius * height + 4 * M_PI / 3 * radius * radius * radius;
        CHECK_NEAR(capsule.shape.properties.volume / smooth, 1, 3e-4);  // observed 1.9e-4
      }
    }
    end(&capsule);
  }
}

// Every type builds with its defaults and 1 for every required number, and is a valid body.
static void test_registry(void)
{
  int types = 0;
  for (; dc_shape_types[types]; types++) {
    const struct dc_shape_type *type = dc_shape_types[types];
    CHECK(dc_shape_type_find(type->name) == type, "%s", type->name);
    CHECK(type->summary[0] && !type->build == (type->unite != NULL), "%s", type->name);
    if (type->unite)  // of nothing it is refused
      continue;
    struct builder builder = begin(type->name);
    const char *file = NULL;
    for (const struct dc_option *option = type->options; option->name; option++) {
      CHECK(option->help && option->unit, "%s.%s", type->name, option->name);
      if (option->fallback || strcmp(type->name, "heights") == 0)
        continue;
      if (option->type == DC_REAL)
        set_real(&builder, option->name, 1);
      else if (option->type == DC_REALS)
        set_reals(&builder, option->name, 1, 1, 1);
      else if (option->type == DC_STRING)
        *(const char **)option_at(&builder, option->name, DC_STRING) = file = temporary_mesh();
      else
        CHECK(false, "%s.%s: a required option this test does not know", type->name, option->name);
    }
    if (strcmp(type->name, "heights") == 0)
      set_heights(&builder, (double[6]){1, 2, 1, 1, 2, 1});
    build(&builder);
    CHECK((builder.shape.mesh.triangle_count > 0) == !type->half_space, "%s", type->name);
    CHECK((builder.shape.properties.volume > 0) == !type->half_space, "%s", type->name);
    end(&builder);
    if (file)
      remove(file);
  }
  CHECK(types == 12, "%d types", types);
  CHECK(dc_shape_type_find("Sphere") == NULL, "names have one case");
}

static void test_mesh_scale(void)
{
  struct builder mesh = begin("mesh");
  const char *path = write_mesh("v 0 0 0\nv 1000 0 0\nv 0 1000 0\nv 0 0 1000\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  *(const char **)option_at(&mesh, "file", DC_STRING) = path;
  set_real(&mesh, "scale", 1e-3);
  build(&mesh);
  CHECK_NEAR(mesh.shape.properties.volume, 1.0 / 6, 1e-16);
  remove(path);
  end(&mesh);
}

// Factors multiply scale; mirror images keep their faces outwards.
static void test_mesh_scales(void)
{
  static const double scales[][3] = {{2, 3, 4}, {-2, 3, 4}, {2, -3, -4}, {-1, -1, -1}, {1e-3, 1, 1e3}};
  for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
    const double *s = scales[i];
    struct builder mesh = begin("mesh");
    const char *path = temporary_mesh();
    *(const char **)option_at(&mesh, "file", DC_STRING) = path;
    set_real(&mesh, "scale", 0.5);
    set_reals(&mesh, "scales", s[0], s[1], s[2]);
    if (build(&mesh)) {
      double volume = fabs(s[0] * s[1] * s[2]) / 48;
      CHECK_NEAR(mesh.shape.properties.volume, volume, 1e-15 * volume);  // exact
      for (int k = 0; k < 3; k++)
        CHECK_NEAR(mesh.shape.properties.center[k], 0.125 * s[k], 1e-15 * fabs(s[k]));
    }
    remove(path);
    end(&mesh);
  }
}

static void expect_refusal(struct builder *builder, const char *part)
{
  struct dc_error error = {0};
  enum dc_status status = dc_shape_build(&builder->shape, builder->arena, &error);
  CHECK(status == DC_BAD_INPUT && error.status == DC_BAD_INPUT, "status %d", status);
  CHECK(strstr(error.text, part), "'%s' not in '%s'", part, error.text);
  end(builder);
}

static void test_parts_of_types(void)
{
  for (int i = 0; dc_shape_types[i]; i++) {
    const struct dc_shape_type *type = dc_shape_types[i];
    if (type->unite)
      continue;
    struct builder builder = begin(type->name);
    const char *file = NULL;
    for (const struct dc_option *option = type->options; option->name; option++) {
      if (option->fallback || strcmp(type->name, "heights") == 0)
        continue;
      if (option->type == DC_REAL)
        set_real(&builder, option->name, 0.37);
      else if (option->type == DC_REALS)
        set_reals(&builder, option->name, 0.7, 0.11, 0.3);
      else
        *(const char **)option_at(&builder, option->name, DC_STRING) = file = temporary_mesh();
    }
    if (strcmp(type->name, "box") == 0)
      set_reals(&builder, "divisions", 3, 40, 7);
    if (strcmp(type->name, "heights") == 0)
      set_heights(&builder, (double[6]){1, 2, 1, 1, 2, 1});  // a roof
    build(&builder);
    check_parts(&builder.shape, type->half_space ? 0 : 1, builder.shape.mesh.vertex_count);
    CHECK(builder.shape.part_count == 0 || builder.shape.parts[0].vertices == builder.shape.mesh.vertices, "no copy");
    end(&builder);
    if (file)
      remove(file);
  }
  for (int base = 0; base < 2; base++)
    for (int level = 0; level <= 6; level += 3) {
      struct builder sphere = begin("sphere");
      set_real(&sphere, "radius", 0.1);
      set_integer(&sphere, "level", level);
      *(int *)option_at(&sphere, "base", DC_CHOICE) = base;
      build(&sphere);
      check_parts(&sphere.shape, 1, sphere.shape.mesh.vertex_count);
      end(&sphere);
    }
}

static const double origin[3] = {0, 0, 0}, unit[3] = {1, 1, 1};

// An L of two boxes side by side, as one surface and as two.
static void test_parts_of_l(void)
{
  static const char *const surface =
      "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 1 1\nv 1 2 1\nv 0 2 1\n"
      "f 4 3 2 1\nf 6 5 4 1\nf 7 8 9 10\nf 7 10 11 12\nf 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 "
      "1 7 12\n";
  struct builder l = mesh_shape(surface, false);
  check_parts(&l.shape, 0, 0);
  CHECK_NEAR(l.shape.properties.volume, 3, 1e-14);
  end(&l);
  // Its hull cuts the corner: 3.5.
  l = mesh_shape(surface, true);
  check_parts(&l.shape, 1, 10);
  CHECK(l.shape.mesh.vertex_count == 10, "the inner edge is gone: %d vertices", l.shape.mesh.vertex_count);
  CHECK_NEAR(l.shape.properties.volume, 3.5, 1e-14);
  end(&l);
  for (int convex = 0; convex < 2; convex++) {
    char text[2048] = "";
    append_box(text, sizeof text, "o long side\n", origin, (const double[3]){2, 1, 1}, 1);
    append_box(text, sizeof text, "o short\ng short\n", (const double[3]){0, 1, 0}, (const double[3]){1, 2, 1}, 9);
    l = mesh_shape(text, convex);
    check_parts(&l.shape, 2, 8);
    CHECK(l.shape.mesh.vertex_count == 16 && l.shape.mesh.triangle_count == 24, "both surfaces");
    CHECK_NEAR(l.shape.properties.volume, 3, 1e-14);
    CHECK_NEAR(l.shape.properties.center[0], (2 * 1 + 1 * 0.5) / 3, 1e-15);
    CHECK(dc_mesh_contains(&l.shape.mesh, (const double[3]){1.5, 0.5, 0.5}) &&
              dc_mesh_contains(&l.shape.mesh, (const double[3]){0.5, 1.5, 0.5}) &&
              !dc_mesh_contains(&l.shape.mesh, (const double[3]){1.5, 1.5, 0.5}),
          "inside and outside");
    end(&l);
  }
}

// Overlapping parts: the union for what asks whether a point is inside, the sum for masses.
static void test_overlapping_parts(void)
{
  char text[2048] = "";
  append_box(text, sizeof text, "g a\n", origin, unit, 1);
  append_box(text, sizeof text, "g b\n", (const double[3]){0.5, 0, 0}, (const double[3]){1.5, 1, 1}, 9);
  struct builder boxes = mesh_shape(text, true);
  check_parts(&boxes.shape, 2, 8);
  CHECK_NEAR(boxes.shape.properties.volume, 2, 1e-15);
  CHECK(dc_mesh_contains(&boxes.shape.mesh, (const double[3]){0.75, 0.5, 0.5}), "the overlap is inside");
  CHECK(!dc_mesh_contains(&boxes.shape.mesh, (const double[3]){-0.25, 0.5, 0.5}), "outside");
  end(&boxes);
}

// Hulls of what is no solid: faces of groups may be open, turned over, share vertices, hold faces without area.
static void test_convex_groups(void)
{
  static const char *const text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 1 1 1\nv 9 9 9\nv 0.1 0.1 0.1\n"
                                  "f 1 2 3\nf 1 2 4\nf 7 7 7\n# faces before the first group are one\ng empty\ng\nf 2 "
                                  "3 4\nf 5 3 2\nusemtl x\nf 2 2 3\n";
  struct builder groups = mesh_shape(text, true);
  check_parts(&groups.shape, 2, 4);
  CHECK_NEAR(groups.shape.properties.volume, 1.0 / 6 + 1.0 / 3, 1e-16);
  int at_unit = 0;
  for (int v = 0; v < 4; v++)
    at_unit += dc_vec_distance(groups.shape.parts[1].vertices[v], unit) == 0;
  CHECK(at_unit == 1, "the vertices of the second group");
  end(&groups);
  // A convex surface in groups is one part, with or without the option for one hull each.
  static const char *const tetrahedron =
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\ng a\nf 1 3 2\nf 1 2 4\ng b\nf 1 4 3\nf 2 3 4\n";
  groups = mesh_shape(tetrahedron, false);
  check_parts(&groups.shape, 1, 4);
  end(&groups);
  // One group is a solid, the other is not convex.
  char boxes[2048] = "";
  append_box(boxes, sizeof boxes, "g a\n", (const double[3]){5, 5, 5}, (const double[3]){6, 6, 6}, 1);
  strcat(boxes, "g dent\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.2 0.2 0.2\nf 9 11 10\nf 9 10 12\nf 9 12 11\n"
                "f 10 11 13\nf 11 12 13\nf 12 10 13\n");
  groups = mesh_shape(boxes, false);
  check_parts(&groups.shape, 0, 0);
  end(&groups);
  groups = mesh_shape(boxes, true);
  CHECK(groups.shape.part_count == 2 && groups.shape.parts[1].vertex_count == 4, "%d parts", groups.shape.part_count);
  end(&groups);
}

static void test_refusals(void)
{
  struct builder builder = begin("sphere");
  expect_refusal(&builder, "radius: must be > 0 m (is 0)");
  builder = begin("sphere");
  set_real(&builder, "radius", NAN);
  expect_refusal(&builder, "radius: must be finite");
  builder = begin("sphere");
  set_real(&builder, "radius", 1);
  set_integer(&builder, "level", 7);
  expect_refusal(&builder, "level: must be <= 6");
  builder = begin("sphere");
  set_real(&builder, "radius", 1e-10);
  expect_refusal(&builder, "at least 1e-09 m in size");
  builder = begin("box");
  set_reals(&builder, "size", 1, -1, 1);
  expect_refusal(&builder, "size: must be > 0 m (is -1)");
  builder = begin("box");
  set_reals(&builder, "size", 1, 1, 1);
  set_reals(&builder, "divisions", 1, 1, 1.5);
  expect_refusal(&builder, "divisions[2]: must be a whole number from 1 to 1000 (is 1.5)");
  builder = begin("box");
  set_reals(&builder, "size", 1, 1, 1);
  set_reals(&builder, "divisions", 1000, 1000, 1000);
  expect_refusal(&builder, "divisions: must have at most 4000000 triangles (has 12000000)");
  builder = begin("cylinder");
  set_real(&builder, "radius", 1);
  set_real(&builder, "height", 1);
  set_integer(&builder, "sides", 2);
  expect_refusal(&builder, "sides: must be >= 3");
  builder = begin("mesh");
  expect_refusal(&builder, "file: must be given");
  builder = begin("mesh");
  *(const char **)option_at(&builder, "file", DC_STRING) = "/nonexistent/bunny.obj";
  expect_refusal(&builder, "/nonexistent/bunny.obj: cannot be opened: No such file or directory");
}

static void test_scales_refusals(void)
{
  struct builder scales = begin("mesh");
  const char *path = temporary_mesh();
  *(const char **)option_at(&scales, "file", DC_STRING) = path;
  set_reals(&scales, "scales", 1, 0, 1);
  expect_refusal(&scales, "scales[1]: must not be 0");
  remove(path);
}

static void refuse_convex(const char *text, double scale, long triangles, const char *part)
{
  struct builder builder = begin("mesh");
  const char *path = write_mesh(text);
  *(const char **)option_at(&builder, "file", DC_STRING) = path;
  *(bool *)option_at(&builder, "convex", DC_BOOLEAN) = true;
  set_real(&builder, "scale", scale);
  set_integer(&builder, "triangles", triangles);
  expect_refusal(&builder, part);
  remove(path);
}

// Vertices without faces: a hull of all of them, or a refusal that says what would do.
static void test_points_of_file(void)
{
  static const char corners[] = "v 0 0 0\nv 2 0 0\nv 0 1 0\nv 2 1 0\nv 0 0 3\nv 2 0 3\nv 0 1 3\nv 2 1 3\nv 1 .5 1\n";
  struct dc_error error = {0};
  const char *file = write_mesh(corners);
  struct builder hull = begin("mesh"), surface = begin("mesh");
  *(const char **)option_at(&hull, "file", DC_STRING) = file;
  *(bool *)option_at(&hull, "convex", DC_BOOLEAN) = true;
  if (build(&hull)) {
    CHECK_NEAR(hull.shape.properties.volume, 6, 1e-14);
    CHECK(hull.shape.mesh.vertex_count == 8, "%d", hull.shape.mesh.vertex_count);
  }
  *(const char **)option_at(&surface, "file", DC_STRING) = file;
  CHECK(dc_shape_build(&surface.shape, surface.arena, &error) == DC_BAD_INPUT &&
            strstr(error.text, "holds 9 points and no faces: cut it into triangles, or use \"convex\""),
        "%s", error.text);
  end(&hull);
  end(&surface);
  remove(file);
}

static void test_convex_refusals(void)
{
#define TETRAHEDRON "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
  refuse_convex(TETRAHEDRON, 1, 4, "triangles: convex hulls cannot be simplified");
  refuse_convex("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\ng a\nf 1 2 3\ng b\nf 1 2 4 3\n", 1, 0,
                ".obj: group 1 of 2: a convex hull needs at least 4 points (has 3)");
  refuse_convex("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n", 1, 0, ".obj: all 4 points lie in a plane");
  refuse_convex("v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\nf 1 2 3 4\n", 1, 0, ".obj: all 4 points lie on a line");
  refuse_convex("v 1 1 1\nv 1 1 1\nv 1 1 1\nv 1 1 1\nf 1 2 3 4\n", 1, 0, "a convex hull needs at least 4 points (has 1)");
  refuse_convex("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1e308\nf 1 2 3 4\n", 1e9, 0,
                "point 3 of a convex hull is not finite");
  refuse_convex(TETRAHEDRON, 1e-10, 0, "at least 1e-09 m in size");
  static char many[16 * 4100 + sizeof TETRAHEDRON] = TETRAHEDRON;
  for (int i = 0; i < 4100; i++)
    strcat(many + 16 * i, "o a\nf 1 2 3 4  \n");
  refuse_convex(many, 1, 0, "must have at most 4096 groups to make hulls of (has 4101)");
}

RUN_TESTS({"sphere: counts, Euler characteristic, vertices on the sphere", test_sphere_counts},
          {"sphere: volume, area and moment converge", test_sphere_converges},
          {"box: counts, volume, moments", test_box},
          {"box: even divisions are mirror-symmetric", test_box_is_symmetric},
          {"cube: diagonals form a tetrahedron", test_cube_diagonals},
          {"cylinder: counts, volume, moments", test_cylinder}, {"capsule: counts, volume", test_capsule}, {"heights", test_heights},
          {"registry: every type builds and validates", test_registry}, {"mesh: scale", test_mesh_scale},
          {"mesh: a scale for every axis", test_mesh_scales},
          {"parts: every type but the half-space is convex", test_parts_of_types},
          {"parts: an L as one surface, its hull, two groups", test_parts_of_l},
          {"parts: overlap", test_overlapping_parts}, {"parts: hulls of groups", test_convex_groups},
          {"refusals", test_refusals}, {"refusals of scales", test_scales_refusals}, {"points of a file", test_points_of_file},
          {"refusals of hulls", test_convex_refusals})
