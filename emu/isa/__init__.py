"""The instruction set: element types, addresses, and one table row per instruction."""
