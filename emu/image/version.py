"""Name and version of the format of an image, in a file that imports nothing."""

FORMAT = "emu-image"
VERSION = 4
