// SPDX-License-Identifier: Apache-2.0
// Tables of what robot files can say and what comes of it: readers, notes, documents and tests look into the same ones.
// Private to src/io/robot.
#ifndef DC_IO_ATTRIBUTE_TABLE_H
#define DC_IO_ATTRIBUTE_TABLE_H

#include <stdio.h>

// ACTS: is read; HARMLESS: changes no motion; ABSENT: would act and does not here, which is told.
enum dc_attribute_kind { DC_ATTRIBUTE_ACTS, DC_ATTRIBUTE_HARMLESS, DC_ATTRIBUTE_ABSENT };

// An element, or an attribute, called name inside of parent; NULL: any.  effect: what it would have done.
struct dc_attribute_row {
  const char *parent, *name;
  enum dc_attribute_kind kind;
  const char *effect;
};

// The first row that fits; the last of rows, which has neither parent nor name, when none does.
const struct dc_attribute_row *dc_attribute_find(const struct dc_attribute_row *rows, const char *parent,
                                                 const char *name);

extern const struct dc_attribute_row dc_sdf_rows[], dc_urdf_rows[];

#endif
