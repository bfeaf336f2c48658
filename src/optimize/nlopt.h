// SPDX-License-Identifier: Apache-2.0
#ifndef DC_OPTIMIZE_NLOPT_H
#define DC_OPTIMIZE_NLOPT_H

// Of the library that is linked; NULL: the program was built without it.
const char *dc_nlopt_version(void);

#endif
