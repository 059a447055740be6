"""Images of compiled networks: compilation, cache, check before a run, mapping of nodes."""
