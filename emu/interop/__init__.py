"""Formats of other people's compilers and simulators, one folder each; nothing else of the machine knows them."""
