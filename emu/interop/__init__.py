"""Formats of other people's compilers and simulators, one folder or file each, which nothing else here knows."""
