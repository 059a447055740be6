"""Programs replayed without data: when instructions run, which bytes they touch, in which order cores communicate.

`core_view` shows one core: steps (`timeline`), bytes of operands (`accesses`, `footprint`), registers (`scalars`).
`traces` and `abstract_run` are all cores together. The checker is written on it; nothing here judges.
"""
