// SPDX-License-Identifier: Apache-2.0
// dcsim: trajectory optimization through contact.  The public interface; everything else is private.
#ifndef DCSIM_H
#define DCSIM_H

#ifdef __cplusplus
extern "C" {
#endif

// Version of the library as "major.minor.patch".
const char *dcsim_version(void);

#ifdef __cplusplus
}
#endif

#endif
