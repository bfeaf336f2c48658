// SPDX-License-Identifier: Apache-2.0
// Shapes: every type of the registry, counts, closedness, volumes and moments against formulas.
#include "harness.h"

#include "geometry/shape.h"
#include "math/vector.h"

// Options of the built-in types, to be set by name.
struct builder {
  struct dc_arena *arena;
  struct dc_shape shape;
  char *options;
};

static struct builder begin(const char *type)
{
  struct builder builder = {.arena = dc_arena_create()};
  builder.shape.name = type;
  builder.shape.type = dc_shape_type_find(type);
  builder.options = dc_arena_alloc(builder.arena, 1, builder.shape.type->options_size);
  builder.shape.options = builder.options;
  struct dc_error error = {0};
  CHECK(dc_options_set_defaults(builder.shape.type->options, builder.options, builder.arena, &error) == DC_OK, "%s",
        error.text);
  return builder;
}

static void *option_at(struct builder *builder, const char *name, enum dc_option_type type)
{
  const struct dc_option *table = builder->shape.type->options;
  int i = dc_option_find(table, name);
  CHECK(i >= 0 && table[i].type == type, "option %s of %s", name, builder->shape.name);
  return builder->options + table[i].offset;
}

static void set_real(struct builder *builder, const char *name, double value)
{
  *(double *)option_at(builder, name, DC_REAL) = value;
}

static void set_integer(struct builder *builder, const char *name, long value)
{
  *(long *)option_at(builder, name, DC_INTEGER) = value;
}

static void set_reals(struct builder *builder, const char *name, double x, double y, double z)
{
  double *values = option_at(builder, name, DC_REALS);
  values[0] = x, values[1] = y, values[2] = z;
}

static bool build(struct builder *builder)
{
  struct dc_error error = {0};
  enum dc_status status = dc_shape_build(&builder->shape, builder->arena, &error);
  CHECK(status == DC_OK, "%s", error.text);
  return status == DC_OK;
}

static void end(struct builder *builder)
{
  dc_arena_destroy(builder->arena);
}

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
          worst = fmax(worst, fabs(dc_vec_norm(mesh->vertices[v]) - 0.1));
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

static const char *temporary_mesh(void)
{
  static char path[] = "/tmp/dcsim-shape-XXXXXX.obj";
  static bool made;
  if (made)
    return path;
  int descriptor = mkstemps(path, 4);
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
  CHECK(file != NULL, "%s", path);
  if (!file)
    return path;
  fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", file);
  fclose(file);
  made = true;
  return path;
}

// Every type builds with its defaults and 1 for every required number, and is a valid body.
static void test_registry(void)
{
  int types = 0;
  for (; dc_shape_types[types]; types++) {
    const struct dc_shape_type *type = dc_shape_types[types];
    CHECK(dc_shape_type_find(type->name) == type, "%s", type->name);
    CHECK(type->summary[0] && type->build, "%s", type->name);
    struct builder builder = begin(type->name);
    for (const struct dc_option *option = type->options; option->name; option++) {
      CHECK(option->help && option->unit, "%s.%s", type->name, option->name);
      if (option->fallback)
        continue;
      if (option->type == DC_REAL)
        set_real(&builder, option->name, 1);
      else if (option->type == DC_REALS)
        set_reals(&builder, option->name, 1, 1, 1);
      else if (option->type == DC_STRING)
        *(const char **)option_at(&builder, option->name, DC_STRING) = temporary_mesh();
      else
        CHECK(false, "%s.%s: a required option this test does not know", type->name, option->name);
    }
    build(&builder);
    CHECK((builder.shape.mesh.triangle_count > 0) == !type->half_space, "%s", type->name);
    CHECK((builder.shape.properties.volume > 0) == !type->half_space, "%s", type->name);
    end(&builder);
  }
  CHECK(types == 6, "%d types", types);
  CHECK(dc_shape_type_find("Sphere") == NULL, "names have one case");
  remove(temporary_mesh());
}

static void test_mesh_scale(void)
{
  struct builder mesh = begin("mesh");
  char path[] = "/tmp/dcsim-shape-XXXXXX.obj";
  int descriptor = mkstemps(path, 4);
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
  CHECK(file != NULL, "%s", path);
  if (!file)
    return;
  fputs("v 0 0 0\nv 1000 0 0\nv 0 1000 0\nv 0 0 1000\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", file);
  fclose(file);
  *(const char **)option_at(&mesh, "file", DC_STRING) = path;
  set_real(&mesh, "scale", 1e-3);
  build(&mesh);
  CHECK_NEAR(mesh.shape.properties.volume, 1.0 / 6, 1e-16);
  remove(path);
  end(&mesh);
}

static void expect_refusal(struct builder *builder, const char *part)
{
  struct dc_error error = {0};
  enum dc_status status = dc_shape_build(&builder->shape, builder->arena, &error);
  CHECK(status == DC_BAD_INPUT && error.status == DC_BAD_INPUT, "status %d", status);
  CHECK(strstr(error.text, part), "'%s' not in '%s'", part, error.text);
  end(builder);
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

RUN_TESTS({"sphere: counts, Euler characteristic, vertices on the sphere", test_sphere_counts},
          {"sphere: volume, area and moment converge", test_sphere_converges},
          {"box: counts, volume, moments", test_box},
          {"box: even divisions are mirror-symmetric", test_box_is_symmetric},
          {"cube: diagonals form a tetrahedron", test_cube_diagonals},
          {"cylinder: counts, volume, moments", test_cylinder}, {"capsule: counts, volume", test_capsule},
          {"registry: every type builds and validates", test_registry}, {"mesh: scale", test_mesh_scale},
          {"refusals", test_refusals})
