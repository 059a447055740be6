"""The dialect of transform scripts: xDSL's operations, those that it cannot read in their short form, and NeuroBoard's."""
