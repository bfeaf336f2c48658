// SPDX-License-Identifier: Apache-2.0
// Gradients with known answers, of any contact model (docs/theory.md, "Gradients with known answers").
#ifndef BENCH_GRADIENTS_H
#define BENCH_GRADIENTS_H

#include "dynamics/model.h"

enum { DC_GRADIENT_ENTRIES = 8 };

enum dc_gradient_rule {
  DC_GRADIENT_EQUALS,  // within tolerance of expected
  DC_GRADIENT_ABOVE,   // greater than expected
  DC_GRADIENT_BELOW    // smaller than expected
};

// One number of a case.
struct dc_gradient_entry {
  const char *quantity;
  enum dc_gradient_rule rule;
  double expected, tolerance;  // tolerance: of DC_GRADIENT_EQUALS
  double computed;             // by the adjoint; by differences where the model has none
  double difference;           // by central differences; NAN: the number is not a derivative
  bool right;                  // as expected, and the same by differences
};

struct dc_gradient_result {
  const char *name, *summary;
  enum dc_status status;  // why the model could not do it; then there are no entries
  char message[160];
  int count;
  struct dc_gradient_entry entries[DC_GRADIENT_ENTRIES];
  bool score;  // all entries are right
  double seconds;
};

// Number of cases; the name of one (0 ... count - 1).
int dc_bench_gradient_count(void);
const char *dc_bench_gradient_name(int which);
// Runs a case with a contact model, on the calling thread.  What the model cannot do is no error but in
// result->status; only DC_MEMORY is returned.
enum dc_status dc_bench_gradient(const struct dc_contact_model *model, int which, struct dc_gradient_result *result,
                                 struct dc_error *error);

#endif
