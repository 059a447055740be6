"""Networks that run in segments: what cores cannot do is left to nodes on the host, between programs of cores."""
