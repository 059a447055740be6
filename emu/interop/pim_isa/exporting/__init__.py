"""Our programs as programs of other people's machines: unrolled, piece by piece."""
