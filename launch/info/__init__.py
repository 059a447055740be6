"""What an image holds and does in a sample: by node, by core and in all, of one image or of two side by side."""
