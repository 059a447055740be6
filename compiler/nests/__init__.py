"""Structured nests: loops over points, affine maps to elements, a body of scalar functions; as data, without IR."""
