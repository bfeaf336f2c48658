// SPDX-License-Identifier: Apache-2.0
// Version of NLopt, for `dcsim --version` and the records of runs.
#ifndef DC_OPTIMIZE_NLOPT_H
#define DC_OPTIMIZE_NLOPT_H

// Version of the linked library; NULL: the program was built without it.
const char *dc_nlopt_version(void);

#endif
