// SPDX-License-Identifier: Apache-2.0
// Krylov methods.
//
// Conjugate gradients with a preconditioner (Hestenes and Stiefel 1952; Saad 2003, 9.2.1): directions are conjugate in
// A; each is made from the preconditioned residual and the direction before.
//
// GMRES (Saad and Schultz 1986) builds an orthonormal basis of the Krylov space of A M^-1 by modified Gram-Schmidt.  In
// this basis A M^-1 is a Hessenberg matrix, which Givens rotations make triangular column by column.  The rotated
// right-hand side yields the residual norm of the best combination at once; the combination itself is formed only at a
// restart or at the end.
#include "math/linear_krylov.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "math/vector.h"

// Basis vectors of GMRES before a restart: memory and orthogonalization grow with it.
enum { RESTART = 50 };

struct dc_krylov {
  struct dc_arena *arena;
  enum dc_krylov_method method;
  bool own_norm;
  int size;
  double *residual, *direction, *product, *better;  // [size]
  double *basis;                                    // [RESTART + 1][size] of GMRES, orthonormal
};

// Creates the vectors of conjugate gradients, or of restarted GMRES with its basis [RESTART + 1][size].
struct dc_krylov *dc_krylov_create(int size, enum dc_krylov_method method, bool own_norm)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_krylov *krylov = dc_arena_alloc(arena, 1, sizeof *krylov);
  size_t n = (size_t)size, vectors = method == DC_GMRES ? RESTART + 1 : 0;
  if (krylov)
    *krylov = (struct dc_krylov){.arena = arena,
                                 .method = method,
                                 .own_norm = own_norm,
                                 .size = size,
                                 .residual = dc_arena_alloc(arena, n, sizeof(double)),
                                 .direction = dc_arena_alloc(arena, n, sizeof(double)),
                                 .product = dc_arena_alloc(arena, n, sizeof(double)),
                                 .better = dc_arena_alloc(arena, n, sizeof(double)),
                                 .basis = dc_arena_alloc(arena, n * vectors, sizeof(double))};
  if (!dc_arena_failed(arena))
    return krylov;
  dc_arena_destroy(arena);
  return NULL;
}

void dc_krylov_destroy(struct dc_krylov *krylov)
{
  if (krylov)
    dc_arena_destroy(krylov->arena);
}

// y = A x or M^-1 x, by whatever the caller's map stands for.
static void apply(const struct dc_linear_map *map, const double *x, double *y)
{
  map->apply(map->context, x, y);
}

// sum += scale x, [size].
static void add_scaled(double *sum, double scale, const double *x, int size)
{
  for (int i = 0; i < size; i++)
    sum[i] += scale * x[i];
}

// r: residual, z = M^-1 r, p: direction, rho = r.z.  It stops at a direction of negative curvature, before x moves
// along it.
// An iteration: alpha = rho / (p.A p), x += alpha p, r -= alpha A p, z = M^-1 r, beta = r.z / rho, p = z + beta p.
// The norm that ends it is that of r, or the root of r.M^-1 r (own_norm), both relative to that of b.  The former is
// known before the preconditioner runs, whose last application it saves.
static struct dc_iterations conjugate_gradients(struct dc_krylov *krylov, const struct dc_linear_map *matrix,
                                                const struct dc_linear_map *inverse, const double *b, double part,
                                                int most, double *x)
{
  int size = krylov->size;
  double *r = krylov->residual, *p = krylov->direction, *product = krylov->product, *z = krylov->better;
  struct dc_iterations done = {.positive = true};
  memcpy(r, b, (size_t)size * sizeof *r);
  apply(inverse, r, z);
  memcpy(p, z, (size_t)size * sizeof *p);
  double rho = dc_dot(r, z, size), first = krylov->own_norm ? rho : dc_dot(r, r, size);
  done.converged = first == 0;
  done.positive = isfinite(first);
  while (done.positive && done.count < most && !done.converged) {
    apply(matrix, p, product);
    double curvature = dc_dot(p, product, size), before = rho;
    if (!(curvature > 0 && rho > 0)) {
      done.positive = false;
      return done;
    }
    add_scaled(x, rho / curvature, p, size);
    add_scaled(r, -rho / curvature, product, size);
    done.count++;
    done.converged = !krylov->own_norm && dc_dot(r, r, size) <= part * part * first;
    if (done.converged)
      break;
    apply(inverse, r, z);
    rho = dc_dot(r, z, size);
    for (int i = 0; i < size; i++)
      p[i] = z[i] + rho / before * p[i];
    done.converged = krylov->own_norm && rho <= part * part * first;
  }
  return done;
}

// The data of GMRES between two restarts: the triangular matrix, the rotations and the rotated right-hand side.
struct cycle {
  double triangle[RESTART][RESTART + 1];  // by columns
  double cosine[RESTART], sine[RESTART], right[RESTART + 1];
};

// Adds a vector to the basis and column k to the triangle; returns the norm of the residual that is left.
// 1. The new vector A M^-1 v_k is made orthogonal to those before, one after the other, and scaled to length 1.
// 2. The k rotations so far turn its products with these, column k of the Hessenberg matrix.
// 3. A new rotation removes the length below the diagonal and turns the right-hand side, whose last entry is the norm.
static double extend(struct dc_krylov *krylov, const struct dc_linear_map *matrix, const struct dc_linear_map *inverse,
                     struct cycle *cycle, int k)
{
  int size = krylov->size;
  double *column = cycle->triangle[k], *next = krylov->basis + (size_t)(k + 1) * (size_t)size;
  apply(inverse, krylov->basis + (size_t)k * (size_t)size, krylov->better);
  apply(matrix, krylov->better, next);
  for (int i = 0; i <= k; i++) {
    const double *vector = krylov->basis + (size_t)i * (size_t)size;
    column[i] = dc_dot(next, vector, size);
    add_scaled(next, -column[i], vector, size);
  }
  double length = sqrt(dc_dot(next, next, size));
  for (int i = 0; i < size && length > 0; i++)
    next[i] /= length;
  for (int i = 0; i < k; i++) {
    double upper = column[i];
    column[i] = cycle->cosine[i] * upper + cycle->sine[i] * column[i + 1];
    column[i + 1] = cycle->cosine[i] * column[i + 1] - cycle->sine[i] * upper;
  }
  double radius = hypot(column[k], length);
  cycle->cosine[k] = radius > 0 ? column[k] / radius : 1;
  cycle->sine[k] = radius > 0 ? length / radius : 0;
  column[k] = radius;
  cycle->right[k + 1] = -cycle->sine[k] * cycle->right[k];
  cycle->right[k] *= cycle->cosine[k];
  return fabs(cycle->right[k + 1]);
}

// x += M^-1 times the combination of the first `count` vectors that has the least residual.
// Back substitution in the triangle, from the last row up, gives the coefficients.  The preconditioner acts on their
// sum once, which is why no preconditioned basis is kept.
static void advance(struct dc_krylov *krylov, const struct dc_linear_map *inverse, struct cycle *cycle, int count,
                    double *x)
{
  int size = krylov->size;
  memset(krylov->direction, 0, (size_t)size * sizeof *krylov->direction);
  for (int i = count - 1; i >= 0; i--) {
    for (int j = i + 1; j < count; j++)
      cycle->right[i] -= cycle->triangle[j][i] * cycle->right[j];
    cycle->right[i] = cycle->triangle[i][i] > 0 ? cycle->right[i] / cycle->triangle[i][i] : 0;
    add_scaled(krylov->direction, cycle->right[i], krylov->basis + (size_t)i * (size_t)size, size);
  }
  apply(inverse, krylov->direction, krylov->better);
  add_scaled(x, 1, krylov->better, size);
}

// Cycles of at most RESTART iterations, each from the true residual at its start, which is b for x = 0.  A residual
// that is no finite number ends them: no iteration could lower it.
static struct dc_iterations gmres(struct dc_krylov *krylov, const struct dc_linear_map *matrix,
                                  const struct dc_linear_map *inverse, const double *b, double part, int most,
                                  double *x)
{
  int size = krylov->size;
  double wanted = part * sqrt(dc_dot(b, b, size));
  double *first = krylov->basis;
  struct dc_iterations done = {0};
  memcpy(first, b, (size_t)size * sizeof *first);
  while (true) {
    struct cycle cycle;
    double left = sqrt(dc_dot(first, first, size));
    done.positive = isfinite(left);
    done.converged = done.positive && left <= wanted;
    if (!done.positive || done.converged || done.count >= most)
      return done;
    for (int i = 0; i < size; i++)
      first[i] /= left;
    cycle.right[0] = left;
    int k = 0;
    while (k < RESTART && done.count < most && left > wanted) {
      left = extend(krylov, matrix, inverse, &cycle, k++);
      done.count++;
    }
    done.positive = isfinite(left);
    if (!done.positive)
      return done;
    advance(krylov, inverse, &cycle, k, x);
    apply(matrix, x, krylov->product);
    for (int i = 0; i < size; i++)
      first[i] = b[i] - krylov->product[i];
  }
}

// Both methods start from x = 0, which makes b the first residual.
struct dc_iterations dc_krylov_solve(struct dc_krylov *krylov, const struct dc_linear_map *matrix,
                                     const struct dc_linear_map *inverse, const double *b, double part, int most,
                                     double *x)
{
  memset(x, 0, (size_t)krylov->size * sizeof *x);
  return krylov->method == DC_GMRES ? gmres(krylov, matrix, inverse, b, part, most, x)
                                    : conjugate_gradients(krylov, matrix, inverse, b, part, most, x);
}
