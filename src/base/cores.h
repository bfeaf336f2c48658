// SPDX-License-Identifier: Apache-2.0
// How many cores this program may use, and how many of them other programs leave free.
#ifndef DC_BASE_CORES_H
#define DC_BASE_CORES_H

// Number of cores that this program may run on, at least 1.
int dc_core_count(void);

// Number of these cores that other programs left free on average since the last look: at least 1, not rounded.  It
// looks at the system's account at most every tenth of a second and repeats the last answer in between. INFINITY at the
// first look, and where there is no account (only Linux has one).  Not for several threads at a time.
double dc_cores_left(void);

// One look at the system's account.
struct dc_core_look {
  int cores;    // cores that this program may run on
  double time;  // time of the look, s
  double busy;  // processor time that all programs took of these cores so far, s; NAN: there is no account
  double own;   // processor time that this program took, s
};
// The answer of dc_cores_left after two looks; INFINITY when they do not fit each other, as those of a parent and its
// forked child do not.
double dc_cores_left_between(const struct dc_core_look *last, const struct dc_core_look *look);

// Seconds that cores were busy, from text in the form of proc_stat(5) that ends with a zero byte; only cores k with
// allowed [count] set are added.  NAN when text lacks the line of one of them.
double dc_cores_busy_seconds(const char *text, int count, const unsigned char *allowed);

#endif
