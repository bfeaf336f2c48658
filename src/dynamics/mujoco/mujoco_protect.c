// SPDX-License-Identifier: Apache-2.0
// MuJoCo reports fatal errors to mju_user_error.  While a call is protected, this handler copies the message and leaves
// the call by longjmp; otherwise it passes the error on to the handler that was there before.  One jump buffer for each
// thread.
#include "dynamics/mujoco/mujoco_protect.h"

#include <mujoco/mujoco.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <string.h>

#include "dynamics/mujoco/mujoco.h"

static _Thread_local struct {
  bool active;
  jmp_buf place;
  char text[512];
} protection;

static void (*outer_error)(const char *);  // of a program around us that uses MuJoCo, too

static void raise_error(const char *text)
{
  if (protection.active) {
    strncpy(protection.text, text, sizeof protection.text - 1);
    longjmp(protection.place, 1);
  }
  if (outer_error)
    outer_error(text);
}

// Warnings are counted in mjData, where they are looked for; the default writes a file into the working directory.
static void ignore_warning(const char *text)
{
  (void)text;
}

static void install_handlers(void)
{
  outer_error = mju_user_error;
  mju_user_error = raise_error;
  if (!mju_user_warning)
    mju_user_warning = ignore_warning;
}

// A call may not hold resources that only its end would release, since an error jumps out of it.
enum dc_status dc_mujoco_protect(void (*call)(void *context), void *context, enum dc_status failure,
                                 struct dc_error *error)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install_handlers);
  protection.active = true;
  if (setjmp(protection.place) == 0) {
    call(context);
    protection.active = false;
    return DC_OK;
  }
  protection.active = false;
  return dc_fail(error, failure, "MuJoCo: %s", protection.text);
}

const char *dc_mujoco_version(void)
{
  return mj_versionString();
}
