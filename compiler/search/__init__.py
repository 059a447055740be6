"""Search: among the options that a network can be compiled with, those that a judge finds best.

The default comes first, then where the goal's search begins (`goals.py`), then always what is near the best candidate
of which something is left (`moves.py`); what is refused is a candidate without figures. The network is read and
lowered to layers once; each candidate goes on from there, in memory, to the programs that the same options by hand
would give (`candidates.py`). So nothing is written that is worse than the default by the judged figure.
"""
