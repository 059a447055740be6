"""Host programs: the C library that compiled ones are linked with, how it is built, and how one is run."""
