"""Programs replayed without data: when instructions run, which bytes they touch, in which order cores communicate."""
