"""The dialects of the compiler's IR, one file each."""
