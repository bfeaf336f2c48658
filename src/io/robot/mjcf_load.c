// SPDX-License-Identifier: Apache-2.0
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "dynamics/mujoco/mujoco_protect.h"
#include "io/robot/mjcf_build.h"

struct loading {
  const char *path;
  mjModel *model;
  char message[600];
};

static void load_model(void *context)
{
  struct loading *loading = context;
  loading->model = mj_loadXML(loading->path, NULL, loading->message, (int)sizeof loading->message);
  mj_freeLastXML();
}

enum dc_status dc_mjcf_load(struct dc_mjcf **mjcf, const char *name, const char *path, const char *text,
                            struct dc_error *error)
{
  struct loading loading = {.path = path};
  locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);  // a decimal point is a point
  *mjcf = dc_alloc(1, sizeof **mjcf);
  if (!*mjcf || !plain) {
    if (plain)
      freelocale(plain);
    return dc_fail(error, DC_MEMORY, "%.300s: out of memory", name);
  }
  **mjcf = (struct dc_mjcf){.name = name, .text = text};
  locale_t before = uselocale(plain);
  enum dc_status status = dc_mujoco_protect(load_model, &loading, DC_BAD_INPUT, error);
  uselocale(before);
  freelocale(plain);
  (*mjcf)->model = loading.model;
  if (!status && !loading.model) {
    for (char *c = loading.message; (c = strpbrk(c, "\r\n")) != NULL;)
      *c = ' ';
    status = dc_fail(error, DC_BAD_INPUT, "MuJoCo: %s", loading.message);
  }
  if (status)
    dc_error_prefix(error, "%.300s", name);
  return status;
}

void dc_mjcf_release(struct dc_mjcf *mjcf)
{
  if (mjcf && mjcf->model)
    mj_deleteModel(mjcf->model);
  free(mjcf);
}

int dc_mjcf_joint_count(const struct dc_mjcf *mjcf)
{
  return mjcf->model->njnt;
}

int dc_mjcf_find_joint(const struct dc_mjcf *mjcf, const char *name)
{
  int joint = mj_name2id(mjcf->model, mjOBJ_JOINT, name);
  int type = joint < 0 ? mjJNT_FREE : mjcf->model->jnt_type[joint];
  return type == mjJNT_HINGE || type == mjJNT_SLIDE ? joint : -1;
}
