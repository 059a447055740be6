"""Cores in domains, such as the chips of a board or the hosts of a run: where to cut, so that little crosses."""
