"""The machines of a run over several: placed by an engine, joined, agreed on how they compute, and given the image."""
