// SPDX-License-Identifier: Apache-2.0
// Embree 3 or 4, whichever configure found.  Their interfaces differ in how a query is told that its rays are coherent;
// what is used beside is the same.
#ifndef DC_RENDER_EMBREE_H
#define DC_RENDER_EMBREE_H

#include <config.h>

#ifdef DC_EMBREE_4
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

// The nearest hits of 16 rays; coherent: they begin near each other and go much the same way.
static inline void dc_embree_intersect(RTCScene scene, bool coherent, const int *valid, struct RTCRayHit16 *rays)
{
#ifdef DC_EMBREE_4
  struct RTCIntersectArguments arguments;
  rtcInitIntersectArguments(&arguments);
  arguments.flags = coherent ? RTC_RAY_QUERY_FLAG_COHERENT : RTC_RAY_QUERY_FLAG_INCOHERENT;
  rtcIntersect16(valid, scene, rays, &arguments);
#else
  struct RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  context.flags = coherent ? RTC_INTERSECT_CONTEXT_FLAG_COHERENT : RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
  rtcIntersect16(valid, scene, &context, rays);
#endif
}

// Whether anything is on 16 rays that have no direction in common.
static inline void dc_embree_occlude(RTCScene scene, const int *valid, struct RTCRay16 *rays)
{
#ifdef DC_EMBREE_4
  struct RTCOccludedArguments arguments;
  rtcInitOccludedArguments(&arguments);
  arguments.flags = RTC_RAY_QUERY_FLAG_INCOHERENT;
  rtcOccluded16(valid, scene, rays, &arguments);
#else
  struct RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  context.flags = RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
  rtcOccluded16(valid, scene, &context, rays);
#endif
}

#endif
