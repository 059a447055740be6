"""What all parts of the model of time agree on: units, causes and results."""
