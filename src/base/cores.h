// SPDX-License-Identifier: Apache-2.0
// How busy other programs keep the cores that this one may run on.
#ifndef DC_BASE_CORES_H
#define DC_BASE_CORES_H

// Cores that are left for this program, by what others took of them lately: of those that it may run on, at least 1;
// INFINITY where the system does not tell (it is Linux that does) and before a tenth of a second has passed.  Looks at
// the system's account once in a tenth of a second.  For one thread at a time.
double dc_cores_left(void);

// Seconds that the cores of a machine were busy, by its account in the form of proc_stat(5), those of cores for which
// allowed [count] is false left out; NAN when it has no line of a core.  text ends with a zero.
double dc_cores_busy_seconds(const char *text, int count, const unsigned char *allowed);

#endif
