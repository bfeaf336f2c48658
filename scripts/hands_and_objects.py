#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Makes the robot hands (URDF with OBJ links) and the objects (OBJ, one group for each convex part) of the grasp scenes.
#
#   scripts/hands_and_objects.py [FOLDER]     into FOLDER/hands and FOLDER/objects; default: scenes
#
# The same files come out every time.  Lengths in metres, z up; objects stand about their middle.
import math
import os
import sys


# ---- vectors and meshes

def add(a, b):
    return tuple(x + y for x, y in zip(a, b))


def scaled(a, s):
    return tuple(x * s for x in a)


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def unit(a):
    length = math.sqrt(sum(x * x for x in a))
    return scaled(a, 1 / length)


def lathe(profile, sides):
    """A solid of revolution about z: profile is a list of (radius, z) from the bottom pole (0, z) to the top pole (0, z)."""
    vertices = [(0.0, 0.0, profile[0][1])]
    for radius, z in profile[1:-1]:
        for i in range(sides):
            angle = 2 * math.pi * i / sides
            vertices.append((radius * math.cos(angle), radius * math.sin(angle), z))
    vertices.append((0.0, 0.0, profile[-1][1]))
    top, rings, faces = len(vertices) - 1, len(profile) - 2, []
    for i in range(sides):
        j = (i + 1) % sides
        faces.append((0, 1 + j, 1 + i))
        for ring in range(rings - 1):
            a, b = 1 + ring * sides, 1 + (ring + 1) * sides
            faces += [(a + i, a + j, b + j), (a + i, b + j, b + i)]
        last = 1 + (rings - 1) * sides
        faces.append((last + i, last + j, top))
    return vertices, faces


def capsule(radius, length, sides=12, rings=3):
    """From z = 0 to z = length, with half spheres of the radius at both ends."""
    angles = [math.pi / 2 * k / rings for k in range(1, rings + 1)]
    profile = [(0, -radius)]
    profile += [(radius * math.sin(a), -radius * math.cos(a)) for a in angles]
    profile += [(radius * math.sin(a), length + radius * math.cos(a)) for a in reversed(angles)]
    profile += [(0, length + radius)]
    return lathe(profile, sides)


def box(size, center=(0, 0, 0)):
    vertices = [add(center, (sx * size[0] / 2, sy * size[1] / 2, sz * size[2] / 2))
                for sx in (-1, 1) for sy in (-1, 1) for sz in (-1, 1)]
    faces = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4),
             (1, 5, 7), (1, 7, 3)]
    return vertices, faces


def moved(mesh, shift, turn=0.0, axis="z"):
    """Turned about a coordinate axis, then shifted."""
    c, s = math.cos(turn), math.sin(turn)
    def place(v):
        x, y, z = v
        if axis == "z":
            x, y = c * x - s * y, s * x + c * y
        elif axis == "y":
            x, z = c * x + s * z, -s * x + c * z
        else:
            y, z = c * y - s * z, s * y + c * z
        return add((x, y, z), shift)
    return [place(v) for v in mesh[0]], mesh[1]


def wedge(inner, outer, bottom, top, start, end):
    """The part of a ring about z between two angles: eight corners, convex where the angle is small."""
    vertices = [(r * math.cos(a), r * math.sin(a), z) for a in (start, end) for r in (inner, outer) for z in (bottom, top)]
    faces = [(0, 2, 3), (0, 3, 1), (4, 5, 7), (4, 7, 6), (0, 4, 6), (0, 6, 2), (1, 3, 7), (1, 7, 5), (2, 6, 7), (2, 7, 3),
             (0, 1, 5), (0, 5, 4)]
    return vertices, faces


def write_obj(path, comment, parts):
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"# {comment}\n")
        first = 1
        for index, (vertices, faces) in enumerate(parts):
            file.write(f"g part{index}\n")
            for v in vertices:
                file.write("v " + " ".join(f"{x + 0.0:.9g}" for x in v) + "\n")
            for f in faces:
                file.write("f " + " ".join(str(i + first) for i in f) + "\n")
            first += len(vertices)


# ---- objects

def ring_parts(inner, outer, bottom, top, count):
    return [wedge(inner, outer, bottom, top, 2 * math.pi * i / count, 2 * math.pi * (i + 1) / count) for i in range(count)]


def torus_parts(ring, radius, count, sides=8):
    parts = []
    for i in range(count):
        vertices = []
        for angle in (2 * math.pi * i / count, 2 * math.pi * (i + 1) / count):
            for k in range(sides):
                a = 2 * math.pi * k / sides
                r = ring + radius * math.cos(a)
                vertices.append((r * math.cos(angle), r * math.sin(angle), radius * math.sin(a)))
        faces = []
        for k in range(sides):
            n = (k + 1) % sides
            faces += [(k, n, sides + n), (k, sides + n, sides + k)]
        faces += [(0, k + 1, k) for k in range(1, sides - 1)]
        faces += [(sides, sides + k, sides + k + 1) for k in range(1, sides - 1)]
        # a section from angle to angle + step: the side faces must look outwards
        parts.append((vertices, [(a, c, b) for a, b, c in faces]))
    return parts


def sphere(radius, sides=14, rings=9):
    profile = [(0, -radius)]
    profile += [(radius * math.sin(math.pi * k / rings), -radius * math.cos(math.pi * k / rings)) for k in range(1, rings)]
    return lathe(profile + [(0, radius)], sides)


def objects():
    handle = [box((0.012, 0.01, 0.012), (x, 0, z)) for x, z in ((0.047, 0.022), (0.047, -0.022))]
    handle.append(box((0.01, 0.01, 0.056), (0.058, 0, 0)))
    can = lathe([(0, -0.05), (0.033, -0.05), (0.033, 0.05), (0, 0.05)], 24)
    egg = ([(x, y, 1.3 * z) for x, y, z in sphere(0.035)[0]], sphere(0.035)[1])
    return {
        "ball": ("a ball of radius 35 mm", [sphere(0.035)]),
        "egg": ("an ellipsoid, 35 mm and 45.5 mm", [egg]),
        "can": ("a can, radius 33 mm, height 100 mm", [can]),
        "brick": ("a box of 60 x 100 x 40 mm", [box((0.06, 0.1, 0.04))]),
        "cup": ("a cup of 16 wall parts, a bottom and a handle",
                ring_parts(0.034, 0.04, -0.045, 0.045, 16) +
                [lathe([(0, -0.045), (0.036, -0.045), (0.036, -0.039), (0, -0.039)], 16)] + handle),
        "bottle": ("a bottle: body, shoulder, neck",
                   [lathe([(0, -0.09), (0.031, -0.09), (0.031, 0.03), (0, 0.03)], 20),
                    lathe([(0, 0.03), (0.031, 0.03), (0.013, 0.06), (0, 0.06)], 20),
                    lathe([(0, 0.06), (0.013, 0.06), (0.013, 0.09), (0, 0.09)], 20)]),
        "hammer": ("a hammer: handle, head, claw",
                   [lathe([(0, -0.1), (0.013, -0.1), (0.011, 0.08), (0, 0.08)], 14), box((0.028, 0.09, 0.028), (0, 0.01, 0.092)),
                    ([(-0.012, -0.035, 0.082), (0.012, -0.035, 0.082), (-0.012, -0.035, 0.104), (0.012, -0.035, 0.104),
                      (-0.01, -0.07, 0.077), (0.01, -0.07, 0.077)],
                     [(0, 2, 1), (1, 2, 3), (4, 5, 2), (5, 3, 2), (0, 1, 5), (0, 5, 4), (0, 4, 2), (1, 3, 5)])]),
        "torus": ("a ring: radius 45 mm, thickness 26 mm, 14 parts", torus_parts(0.045, 0.013, 14)),
        "angle": ("two boxes at a right angle", [box((0.1, 0.035, 0.03), (0, 0, -0.02)), box((0.03, 0.035, 0.07), (-0.035, 0, 0.03))]),
        "stool": ("a seat on four legs",
                  [box((0.09, 0.09, 0.016), (0, 0, 0.035))] +
                  [box((0.014, 0.014, 0.065), (x, y, -0.0055)) for x in (-0.035, 0.035) for y in (-0.035, 0.035)]),
    }


# ---- hands

DENSITY = 1000.0


def capsule_inertia(radius, length):
    """Mass, centre z, transverse and axial moment of inertia about the centre of a capsule from z = 0 to length."""
    body, ball = math.pi * radius ** 2 * length * DENSITY, 4 / 3 * math.pi * radius ** 3 * DENSITY
    axial = body * radius ** 2 / 2 + ball * 2 / 5 * radius ** 2
    offset = length / 2 + 3 / 8 * radius  # of a half ball's centre of mass
    transverse = body * (radius ** 2 / 4 + length ** 2 / 12) + ball * (83 / 320 * radius ** 2 + offset ** 2)
    return body + ball, length / 2, transverse, axial


class Hand:
    def __init__(self, name, folder):
        self.name, self.folder, self.text, self.meshes = name, folder, [], set()

    def capsule_link(self, name, radius, length, color):
        file = f"capsule_{round(1e4 * radius)}_{round(1e4 * length)}.obj"
        if file not in self.meshes:
            self.meshes.add(file)
            write_obj(os.path.join(self.folder, file), f"a capsule of radius {radius} m from z = 0 to {length} m",
                      [capsule(radius, length)])
        mass, center, transverse, axial = capsule_inertia(radius, length)
        self.link(name, mass, (0, 0, center), (transverse, transverse, axial), f'<mesh filename="{file}"/>', color)

    def link(self, name, mass, center, inertia, geometry, color, origin=(0, 0, 0)):
        at = " ".join(f"{x:.9g}" for x in center)
        place = " ".join(f"{x:.9g}" for x in origin)
        self.text.append(f'''  <link name="{name}">
    <inertial>
      <origin xyz="{at}"/>
      <mass value="{mass:.6g}"/>
      <inertia ixx="{inertia[0]:.6g}" iyy="{inertia[1]:.6g}" izz="{inertia[2]:.6g}" ixy="0" ixz="0" iyz="0"/>
    </inertial>
    <visual>
      <origin xyz="{place}"/>
      <geometry>{geometry}</geometry>
      <material name="{color[0]}"><color rgba="{color[1]}"/></material>
    </visual>
    <collision>
      <origin xyz="{place}"/>
      <geometry>{geometry}</geometry>
    </collision>
  </link>''')

    def joint(self, name, parent, child, position, angles, axis, limits, mimic=None):
        follow = f'\n    <mimic joint="{mimic[0]}" multiplier="{mimic[1]:g}"/>' if mimic else ""
        self.text.append(f'''  <joint name="{name}" type="revolute">
    <parent link="{parent}"/>
    <child link="{child}"/>
    <origin xyz="{' '.join(f'{x + 0.0:.9g}' for x in position)}" rpy="{' '.join(f'{x + 0.0:.9g}' for x in angles)}"/>
    <axis xyz="{' '.join(f'{x:g}' for x in axis)}"/>
    <limit lower="{limits[0]:g}" upper="{limits[1]:g}" effort="2" velocity="5"/>{follow}
  </joint>''')

    def write(self):
        path = os.path.join(self.folder, self.name + ".urdf")
        with open(path, "w", encoding="utf-8") as file:
            file.write('<?xml version="1.0"?>\n<!-- Made by scripts/hands_and_objects.py. -->\n')
            file.write(f'<robot name="{self.name}">\n' + "\n".join(self.text) + "\n</robot>\n")


def rpy(x, y, z):
    """Roll, pitch, yaw of the rotation whose columns are x, y, z."""
    if abs(x[2]) > 1 - 1e-9:  # straight down or up: only the sum or difference of roll and yaw counts
        return (math.atan2(y[0], y[1]), math.pi / 2, 0.0) if x[2] < 0 else (math.atan2(-y[0], y[1]), -math.pi / 2, 0.0)
    pitch = -math.asin(x[2])
    return math.atan2(y[2], z[2]), pitch, math.atan2(x[1], x[0])


STEEL, TIP, PALM = ("steel", "0.55 0.6 0.68 1"), ("tip", "0.9 0.62 0.3 1"), ("palm", "0.3 0.34 0.4 1")
FLEX = (0, -1, 0)  # closes: turns a finger's z towards its -x
STRAIGHT = (0, 0, 0)


def three_fingers(folder):
    """A gripper of three fingers about a round palm that faces z; two of them spread, one following the other."""
    hand = Hand("hand3", folder)
    radius, height = 0.042, 0.03
    mass = math.pi * radius ** 2 * height * DENSITY
    side = mass * (3 * radius ** 2 + height ** 2) / 12
    hand.link("palm", mass, (0, 0, 0), (side, side, mass * radius ** 2 / 2),
              f'<cylinder radius="{radius:g}" length="{height:g}"/>', PALM)
    for finger, angle in enumerate((math.pi / 3, -math.pi / 3, math.pi), 1):
        place = (0.034 * math.cos(angle), 0.034 * math.sin(angle), height / 2)
        base = "palm"
        if finger < 3:
            hand.capsule_link(f"knuckle_{finger}", 0.009, 0.01, STEEL)
            hand.joint(f"spread_{finger}", "palm", f"knuckle_{finger}", place, (0, 0, angle), (0, 0, 1), (-0.7, 0.7),
                       ("spread_1", -1) if finger == 2 else None)
            base, place, angle = f"knuckle_{finger}", (0, 0, 0.012), 0
        else:
            place = add(place, (0, 0, 0.012))
        hand.capsule_link(f"proximal_{finger}", 0.0095, 0.055, STEEL)
        hand.capsule_link(f"distal_{finger}", 0.009, 0.045, TIP)
        hand.joint(f"flex_{finger}", base, f"proximal_{finger}", place, (0, 0, angle), FLEX, (-0.8, 1.5))
        hand.joint(f"tip_{finger}", f"proximal_{finger}", f"distal_{finger}", (0, 0, 0.055), STRAIGHT, FLEX, (-0.3, 1.6))
    hand.write()


def five_fingers(folder):
    """A hand with a flat palm that faces z: four fingers along y, whose last links follow the middle ones, and a thumb."""
    hand = Hand("hand5", folder)
    size = (0.085, 0.09, 0.024)
    mass = size[0] * size[1] * size[2] * DENSITY
    hand.link("palm", mass, (0, 0, 0), tuple(mass * (a * a + b * b) / 12 for a, b in
                                             ((size[1], size[2]), (size[0], size[2]), (size[0], size[1]))),
              f'<box size="{size[0]:g} {size[1]:g} {size[2]:g}"/>', PALM)
    along = rpy((0, 0, -1), (-1, 0, 0), (0, 1, 0))
    names = ("index", "middle", "ring", "little")
    for name, x in zip(names, (-0.033, -0.011, 0.011, 0.033)):
        radius, first, second, third = 0.0085, 0.042, 0.028, 0.024
        hand.capsule_link(f"{name}_knuckle", 0.0085, 0.008, STEEL)
        hand.capsule_link(f"{name}_proximal", radius, first, STEEL)
        hand.capsule_link(f"{name}_middle", radius, second, STEEL)
        hand.capsule_link(f"{name}_distal", radius, third, TIP)
        hand.joint(f"{name}_spread", "palm", f"{name}_knuckle", (x, size[1] / 2, 0), along, (1, 0, 0), (-0.25, 0.25))
        hand.joint(f"{name}_flex", f"{name}_knuckle", f"{name}_proximal", (0, 0, 0.01), STRAIGHT, FLEX, (-0.3, 1.6))
        hand.joint(f"{name}_bend", f"{name}_proximal", f"{name}_middle", (0, 0, first), STRAIGHT, FLEX, (0, 1.6))
        hand.joint(f"{name}_tip", f"{name}_middle", f"{name}_distal", (0, 0, second), STRAIGHT, FLEX, (0, 1.2),
                   (f"{name}_bend", 0.7))
    z = unit((-0.75, 0.25, 0.6))
    inward = (1.0, 0.0, 0.0)
    dot = sum(a * b for a, b in zip(inward, z))
    x = unit(scaled(add(inward, scaled(z, -dot)), -1))
    y = cross(z, x)
    hand.capsule_link("thumb_knuckle", 0.01, 0.012, STEEL)
    hand.capsule_link("thumb_proximal", 0.0095, 0.04, STEEL)
    hand.capsule_link("thumb_distal", 0.0095, 0.03, TIP)
    hand.joint("thumb_turn", "palm", "thumb_knuckle", (-0.04, -0.02, 0.0), rpy(x, y, z), (1, 0, 0), (-0.8, 0.8))
    hand.joint("thumb_flex", "thumb_knuckle", "thumb_proximal", (0, 0, 0.022), STRAIGHT, FLEX, (-0.6, 1.4))
    hand.joint("thumb_tip", "thumb_proximal", "thumb_distal", (0, 0, 0.04), STRAIGHT, FLEX, (-0.3, 1.5))
    hand.write()


def four_fingers(folder):
    """A hand of sixteen joints, each for itself: three fingers along y before a flat palm that faces z, and a thumb at its side."""
    hand = Hand("hand4", folder)
    size = (0.11, 0.095, 0.032)
    mass = size[0] * size[1] * size[2] * DENSITY
    hand.link("palm", mass, (0, 0, 0), tuple(mass * (a * a + b * b) / 12 for a, b in
                                             ((size[1], size[2]), (size[0], size[2]), (size[0], size[1]))),
              f'<box size="{size[0]:g} {size[1]:g} {size[2]:g}"/>', PALM)
    along = rpy((0, 0, -1), (-1, 0, 0), (0, 1, 0))
    radius, lengths = 0.012, (0.052, 0.036, 0.03)
    for name, x in zip(("index", "middle", "ring"), (-0.042, 0.0, 0.042)):
        hand.capsule_link(f"{name}_knuckle", radius, 0.01, STEEL)
        hand.joint(f"{name}_spread", "palm", f"{name}_knuckle", (x, size[1] / 2, 0), along, (1, 0, 0), (-0.4, 0.4))
        parent, at = f"{name}_knuckle", 0.014
        for part, bend, length, color in zip(("proximal", "middle", "distal"), ("flex", "bend", "tip"), lengths, (STEEL, STEEL, TIP)):
            hand.capsule_link(f"{name}_{part}", radius, length, color)
            hand.joint(f"{name}_{bend}", parent, f"{name}_{part}", (0, 0, at), STRAIGHT, FLEX, (-0.2, 1.6))
            parent, at = f"{name}_{part}", length
    z = unit((-0.75, 0.25, 0.6))
    x = unit(scaled(add((1.0, 0.0, 0.0), scaled(z, -z[0])), -1))
    hand.capsule_link("thumb_base", 0.013, 0.012, STEEL)
    hand.joint("thumb_turn", "palm", "thumb_base", (-0.05, -0.03, 0.0), rpy(x, cross(z, x), z), (1, 0, 0), (-0.8, 0.8))
    hand.capsule_link("thumb_knuckle", 0.013, 0.014, STEEL)
    hand.joint("thumb_roll", "thumb_base", "thumb_knuckle", (0, 0, 0.018), STRAIGHT, (0, 0, 1), (-0.6, 0.6))
    hand.capsule_link("thumb_proximal", radius, 0.046, STEEL)
    hand.joint("thumb_flex", "thumb_knuckle", "thumb_proximal", (0, 0, 0.02), STRAIGHT, FLEX, (-0.6, 1.5))
    hand.capsule_link("thumb_distal", radius, 0.034, TIP)
    hand.joint("thumb_tip", "thumb_proximal", "thumb_distal", (0, 0, 0.046), STRAIGHT, FLEX, (-0.2, 1.6))
    hand.write()


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenes")
    for folder in ("hands", "objects"):
        os.makedirs(os.path.join(root, folder), exist_ok=True)
    three_fingers(os.path.join(root, "hands"))
    four_fingers(os.path.join(root, "hands"))
    five_fingers(os.path.join(root, "hands"))
    for name, (comment, parts) in objects().items():
        write_obj(os.path.join(root, "objects", name + ".obj"), comment, parts)


if __name__ == "__main__":
    main()
