"""Search: among the options that a network can be compiled with, those that a judge finds best."""
