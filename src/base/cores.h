// SPDX-License-Identifier: Apache-2.0
// Cores: how many this program may run on, and how busy other programs keep them.
#ifndef DC_BASE_CORES_H
#define DC_BASE_CORES_H

// Cores that this program may run on, at least 1.
int dc_core_count(void);

// Of these, how many other programs left free on average since the last look: at least 1, not rounded.  Looks at the
// system's account at most every tenth of a second, and tells what it found last in between.  INFINITY at the first
// look, and where there is no account (only Linux has one).  Not to be called by several threads at a time.
double dc_cores_left(void);

// A look at the account.
struct dc_core_look {
  int cores;    // that this program may run on
  double time;  // s
  double busy;  // s of processor time that all programs took of these cores so far; NAN: there is no account
  double own;   // s of it that this program took
};
// What dc_cores_left tells after two looks; INFINITY when they do not fit each other, as those of a parent and its
// child of fork do not.
double dc_cores_left_between(const struct dc_core_look *last, const struct dc_core_look *look);

// Seconds that cores were busy, from text as of proc_stat(5) that ends with a zero; allowed [count]: those that count.
// NAN when text has no line of one of them.
double dc_cores_busy_seconds(const char *text, int count, const unsigned char *allowed);

#endif
