"""The dialect of transform scripts: operations of xDSL, those that it reads in no short form, and NeuroBoard's."""
