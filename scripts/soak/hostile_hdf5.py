# SPDX-License-Identifier: Apache-2.0
"""Trajectories of strangers: sound HDF5 files in which one data set is replaced by something hostile.

forge(path, draw, outside) rewrites a data set of a sealed file, drawn, and seals the file again, as anybody can.  The
kinds lead out of the file (external links, external storage, virtual data sets), lead nowhere (links in circles, to
groups), are of another type, shape or size than a reader expects (HUGE rows that take no room in the file), are packed,
or hold numbers that no trajectory has.  outside: a folder with a file "secret.bin" and a file "secret.h5" that
make_secret wrote.
"""
import os

import h5py
import numpy

SEAL = 512  # bytes, the text of src/io/run/seal.c and zeros
HUGE = 10**9
KINDS = {}


def kind(function):
    KINDS[function.__name__] = function
    return function


def make_secret(folder, number):
    """A data set of another's file, in which every number is the secret one."""
    with h5py.File(os.path.join(folder, "secret.h5"), "w") as file:
        file["x"] = numpy.full((9, 2, 3), number)


def seal(path):
    """Seals a file anew: format, size and FNV-1a of the bytes behind the seal."""
    with open(path, "rb") as file:
        content = file.read()
    code = 0xCBF29CE484222325
    for byte in content[SEAL:]:
        code = ((code ^ byte) * 0x100000001B3) & (2**64 - 1)
    text = content[:SEAL].split(b"\n")[0] + b"\nsize %d\nfnv1a %016x\n" % (len(content), code)
    with open(path, "wb") as file:
        file.write(text.ljust(SEAL, b"\0") + content[SEAL:])


@kind
def external_link(file, name, value, outside, draw):
    file[name] = h5py.ExternalLink(os.path.join(draw.choice((outside, "../../outside")), "secret.h5"), "/x")


@kind
def external_storage(file, name, value, outside, draw):
    target = os.path.join(outside, draw.choice(("secret.bin", "pipe")))
    file.create_dataset(name, shape=value.shape, dtype=value.dtype, external=[(target, 0, h5py.h5f.UNLIMITED)])


@kind
def virtual(file, name, value, outside, draw):
    layout = h5py.VirtualLayout(shape=value.shape, dtype=value.dtype)
    layout[...] = h5py.VirtualSource(os.path.join(outside, "secret.h5"), "x", shape=value.shape)
    file.create_virtual_dataset(name, layout)


@kind
def link(file, name, value, outside, draw):
    file["elsewhere"] = value
    file[name] = h5py.SoftLink(draw.choice(("/elsewhere", "/" + name, "/", "/nothing")))


@kind
def hard_link(file, name, value, outside, draw):
    file[name] = draw.choice((file["/"], file["bodies"]))


@kind
def group(file, name, value, outside, draw):
    deep = file.create_group(name)
    for _ in range(draw.choice((0, 3, 2000))):
        deep = deep.create_group("g")


@kind
def packed(file, name, value, outside, draw):
    ways = ({"compression": "gzip"}, {"compression": "lzf"}, {"shuffle": True}, {"fletcher32": True}, {})
    file.create_dataset(name, data=value, chunks=value.shape, **draw.choice(ways))


@kind
def huge(file, name, value, outside, draw):
    shape = draw.choice(((HUGE,) + value.shape[1:], value.shape[:1] + (HUGE,) + value.shape[2:], (HUGE, HUGE)))
    file.create_dataset(name, shape=shape, dtype=value.dtype, chunks=tuple(min(length, 1024) for length in shape))


@kind
def other_shape(file, name, value, outside, draw):
    more = numpy.concatenate([value, value])
    file[name] = draw.choice((value[:0], value[:1], more, value.ravel(), value[..., None], numpy.zeros(())))


@kind
def other_type(file, name, value, outside, draw):
    kinds = ("i1", "u8", "f2", ">f8", "c16", "S9", [("a", "f8"), ("b", "S9")])
    file[name] = numpy.zeros(value.shape, draw.choice(kinds))


@kind
def text(file, name, value, outside, draw):
    file[name] = draw.choice(("text", ["a"] * len(value), h5py.Empty("f8"), "x" * 60000))


@kind
def numbers(file, name, value, outside, draw):
    file[name] = numpy.full(value.shape, draw.choice((numpy.nan, numpy.inf, 1e308, -1e308, 5e-324, -1, 2**31, 2**63)))


@kind
def attributes(file, name, value, outside, draw):
    file[name] = value
    for key in list(file.attrs):
        file.attrs[key] = draw.choice((numpy.zeros(5, [("a", "f8")]), "x" * 60000, numpy.nan, -1, 2**40))
    file[name].attrs["unit"] = "x" * 60000


def forge(path, draw, outside):
    """Replaces a drawn data set by a drawn kind and seals the file; their names."""
    with h5py.File(path, "r+") as file:
        names = []
        file.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) and item.shape else None)
        name, chosen = draw.choice(names), draw.choice(sorted(KINDS))
        value = file[name][()]
        del file[name]
        KINDS[chosen](file, name, value, outside, draw)
    seal(path)
    return name, chosen
