// SPDX-License-Identifier: Apache-2.0
// Versions of the libraries that read and write.
#ifndef DC_IO_LIBRARIES_H
#define DC_IO_LIBRARIES_H

const char *dc_cjson_version(void);
const char *dc_hdf5_version(void);
const char *dc_expat_version(void);

#endif
