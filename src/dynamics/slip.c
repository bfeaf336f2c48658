// SPDX-License-Identifier: Apache-2.0
// Two laws of friction with the limit c; s = |t| is the way in a step, e the energy of the barrier (paper 004, Eq. 4
// and 14).
//
// Smooth:  k = 2 c^2/(e + R),  R = sqrt(e^2 + 4 c^2 s^2),  D = (R - e - e log((R + e)/(2 e)))/2.
//
// Fischer-Burmeister:  phi_eps(s, r (c - k s)) = 0 says 2 s (c - k s) = e, so that the force rises as c - e/(2 s).  It
// is 0 at s = e/(2 c), where its direction is that of no way, and there is no solution below.  Its tangent at twice
// that way, s = e/c, where the force is c/2, goes through the origin: below that way it is the law, with continuous
// first derivatives,
//     k = c^2/(2 e),  D = c^2 s^2/(4 e)                        c s <= e,
//     k = c/s - e/(2 s^2),  D = c s - (e/2) log(c s/e) - 3e/4  else.
//
// Both forces rise with s and both k fall, so that D is convex, and 2 |k'| c s <= k^2, which multipliers of friction
// need (terms_node_contact.c).
#include "dynamics/slip.h"

#include <math.h>

#include "math/vector.h"

static const double ROOT_PRECISION = 1e-14;
enum { ROOT_ITERATIONS = 60 };

// k is the force over the way, whose derivative by the square of the way needs no division by a way of zero.
struct dc_slip_stiffness dc_slip_stiffness(const struct dc_slip_law *law, double square)
{
  double c = law->c, e = law->e;
  if (law->friction == DC_NODE_FRICTION_SMOOTH) {
    double root = sqrt(e * e + 4 * c * c * square), sum = e + root, k = 2 * c * c / sum;
    return (struct dc_slip_stiffness){k, -k * k / root, 4 * c / sum - 8 * c * c * c * square / (sum * sum * root)};
  }
  if (c * c * square <= e * e)
    return (struct dc_slip_stiffness){0.5 * c * c / e, 0, c / e};
  double s = sqrt(square);
  return (struct dc_slip_stiffness){(c - 0.5 * e / s) / s, 0.5 * (e - c * s) / (square * square), 1 / s};
}

// D - e/4 of the Fischer-Burmeister law at x = c s/e, over e.
static double bent_energy(double x)
{
  return x <= 1 ? 0.25 * (x - 1) * (x + 1) : x - 1 - 0.5 * log1p(x - 1);
}

// Differences of the energy in closed form on each branch of the law, so that nearly equal ways cancel no digits.
double dc_slip_energy_change(const struct dc_slip_law *law, const double from[3], const double to[3])
{
  double sum[3], difference[3], c = law->c, e = law->e;
  dc_vec_add(sum, to, from);
  dc_vec_sub(difference, to, from);
  double growth = dc_vec_dot(sum, difference), s = dc_vec_norm(from), next = dc_vec_norm(to);  // growth of s^2
  if (law->friction == DC_NODE_FRICTION_SMOOTH) {
    double root = sqrt(e * e + 4 * c * c * s * s),
           step = 4 * c * c * growth / (root + sqrt(e * e + 4 * c * c * next * next));
    return 0.5 * (step - e * log1p(step / (e + root)));
  }
  if (c * s <= e && c * next <= e)
    return 0.25 * c * c / e * growth;
  if (c * s > e && c * next > e)
    return c * growth / (s + next) - 0.5 * e * log1p(growth / (s + next) / s);
  return e * (bent_energy(c * next / e) - bent_energy(c * s / e));
}

// A function of the stiffness z that rises through 0 at the solution, and its derivative by z.  Smooth law: z^2 s^2 + e
// z
// - c^2.  Else, for forces above c/2: z s less the force at s.  Here s(z)^2 = sum f_i^2/(b_i + z)^2.
static void excess(const struct dc_slip_law *law, const double f[2], const double b[2], double z, double *value,
                   double *rate)
{
  double c = law->c, e = law->e, square = 0, fall = 0;  // of s^2, halved
  if (law->friction == DC_NODE_FRICTION_SMOOTH) {
    *value = e * z - c * c;
    *rate = e;
    for (int k = 0; k < 2; k++) {
      double part = f[k] / (b[k] + z);
      *value += part * part * z * z;
      *rate += 2 * part * part * z * b[k] / (b[k] + z);
    }
    return;
  }
  for (int k = 0; k < 2; k++) {
    double part = f[k] / (b[k] + z);
    square += part * part;
    fall += part * part / (b[k] + z);
  }
  double s = sqrt(square);
  bool bent = c * s <= e;
  *value = z * s - (bent ? 0.5 * c * c * s / e : c - 0.5 * e / s);
  *rate = s - fall / s * (z - (bent ? 0.5 * c * c / e : 0.5 * e / square));
}

// Newton's method on excess() between bounds of the root that close in, so that it cannot leave them.
double dc_slip_response(const struct dc_slip_law *law, const double f[2], const double b[2])
{
  double c = law->c, e = law->e, least = fmin(b[0], b[1]), size = sqrt(f[0] * f[0] + f[1] * f[1]), low, high;
  if (law->friction == DC_NODE_FRICTION_SMOOTH) {
    low = fmax(0, (c * c - size * size) / e);
    high = c * c / e;
  } else {
    high = 0.5 * c * c / e;
    if (c * hypot(f[0] / (b[0] + high), f[1] / (b[1] + high)) <= e)
      return high;
    low = 0.5 * c * least / (size - 0.5 * c);  // the force is c/2 at least
  }
  double z = size > c ? fmin(least * c / (size - c), high) : low;
  for (int i = 0; i < ROOT_ITERATIONS && high - low > ROOT_PRECISION * high; i++) {
    double value, rate;
    excess(law, f, b, z, &value, &rate);
    if (value > 0)
      high = z;
    else
      low = z;
    double next = z - value / rate;
    if (fabs(next - z) <= ROOT_PRECISION * z)
      break;
    z = next > low && next < high ? next : low > 0 && high > 16 * low ? sqrt(low * high) : 0.5 * (low + high);
  }
  return z;
}
