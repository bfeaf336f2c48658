// SPDX-License-Identifier: Apache-2.0
// How much of the normal force F of time t friction gets in the interval from t on (docs/theory.md, "Friction").
//
// F acted over the interval before, of length h-: the normal impulse was F h-.  Friction comes an interval later, of
// length h = r h-.  Two rules are right for one kind of contact each:
//     an impact     F h- is all that there was: friction may use it up, F h-, in the sum exactly,
//     a lasting one F goes on: friction may use F h.
// Equal lengths make them one.  Otherwise a contact lasts whose force changes by less than LASTING of itself in a step
// of the scene, at the rate at which it changed over the interval before: c |F - F-| <= LASTING |F|, c = step/h-.  In a
// short interval that is a small change; an impact changes its force by the order of itself in every interval that
// resolves it.  An impact that steps do not resolve may have nearly the same force in two of them.  There the force
// brakes what it acts on: a contact lasts only when what it acts on moved along the force by a way w over the interval
// before that is short against what the force moves its mass m by, m |w| <= BRAKED |F| h- step.
//
// Where a contact slides so fast that friction will not stop it nothing is to be held, and impulses are what counts:
// there a force lasts only where it changes by less than LASTING_AS_IT_SLIDES of itself.  Free bodies are not asked, as
// lag_rigid.c knows what brakes them.
//
// The factor on F is 1 or 1/r.  It is constant wherever it has a derivative, so that no derivative has to know how it
// was found; where it jumps the division of the step jumps just as well.
#include "dynamics/step.h"
#include "math/vector.h"

static const double LASTING = 0.5, BRAKED = 0.02;
static const double LASTING_AS_IT_SLIDES = 0.02;
// Beyond this c the change of a force over an interval drowns in what solutions leave of their residuals.
static const double MOST_SCALE = 64;

bool dc_lag_changes(const struct dc_step_interval *interval)
{
  return interval->ratio != 1 && !interval->starts;
}

struct dc_lag dc_lag_of(const struct dc_model *model, const struct dc_step_interval *interval)
{
  double step = model->definition.time.step, before = interval->length / interval->ratio, scale = step / before;
  return (struct dc_lag){.ratio = interval->ratio,
                         .scale = (scale < MOST_SCALE ? scale : MOST_SCALE) / LASTING,
                         .braked = BRAKED * before * step};
}

double dc_lag_factor(const struct dc_lag *lag, const double force[3], const double before[3], double momentum,
                     bool slides)
{
  double change[3], scale = lag->scale * (slides ? LASTING / LASTING_AS_IT_SLIDES : 1),
                    square = dc_vec_dot(force, force);
  dc_vec_sub(change, force, before);
  bool lasts =
      scale * scale * dc_vec_dot(change, change) <= square && momentum * momentum <= lag->braked * lag->braked * square;
  return lasts ? 1 : 1 / lag->ratio;
}
