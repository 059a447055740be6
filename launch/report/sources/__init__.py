"""What a report is made from: the image with its programs, a run of it, a trace, simulated time; `known.py` has all."""
