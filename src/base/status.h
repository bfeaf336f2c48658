// SPDX-License-Identifier: Apache-2.0
// Statuses and error messages.  Zero is success; the values are the exit statuses of the command line.
#ifndef DC_BASE_STATUS_H
#define DC_BASE_STATUS_H

#include <stdarg.h>
#include <stdbool.h>

enum dc_status {
  DC_OK = 0,
  DC_UNMET = 1,       // ran, but a requested condition does not hold
  DC_USAGE = 2,       // wrong usage of a command or function
  DC_BAD_INPUT = 3,   // scene, mesh or URDF
  DC_NUMERICAL = 4,   // a step or solve failed
  DC_IO = 5,          // reading or writing failed
  DC_MEMORY = 6,      // out of memory or over a limit
  DC_CHECKPOINT = 7,  // checkpoint unusable
  DC_INFEASIBLE = 8,  // inside the library only: these parameters make bodies overlap
  DC_STOPPED = 9      // inside the library only: a signal or a time limit asked to stop
};

// Whether a trial point, such as the parameters of a rollout, has no value: optimizers then go on without it.  All
// other failures end the run.
static inline bool dc_point_has_no_value(enum dc_status status)
{
  return status == DC_INFEASIBLE || status == DC_NUMERICAL;
}

// An error is a status and one message with the place and the rule.  Owned by the caller; zero-initialized.
struct dc_error {
  enum dc_status status;
  char text[1024];
};

// Stores status and message in *error (which may be NULL; an earlier error is replaced) and returns status.
enum dc_status dc_fail(struct dc_error *error, enum dc_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Does the same for a caller with a va_list; error may be NULL.
void dc_error_set(struct dc_error *error, enum dc_status status, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

// Running out of memory has three forms: "out of memory", "out of memory for ..." and "place: out of
// memory".  All return DC_MEMORY; error may be NULL.
enum dc_status dc_out_of_memory(struct dc_error *error);
enum dc_status dc_out_of_memory_for(struct dc_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
enum dc_status dc_out_of_memory_in(struct dc_error *error, const char *place);

// Maps the errno of a file that could not be found or opened for reading: DC_BAD_INPUT for a wrong name or missing
// permission, DC_MEMORY, and DC_IO when the disk or the system fails.
enum dc_status dc_status_of_open(int number);

// Puts "prefix: " in front of the message of *error, for callers that know the place.
void dc_error_prefix(struct dc_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Adds to the end of the message of *error.
void dc_error_append(struct dc_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Ending of a noun after a count: "" for 1, "s" otherwise.
const char *dc_plural(long count);

#endif
