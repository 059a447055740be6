"""Name and version of the form of an image; whoever only asks for them imports nothing else."""

FORMAT = "emu-image"
VERSION = 2
