"""The `out/` directory: manifest, programs, crossbar images, digests."""
