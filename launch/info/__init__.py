"""The contents of an image and its work in a sample: by node, by core and in total, of one image or of two."""
