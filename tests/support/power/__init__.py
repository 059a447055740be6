"""The power of the tests: which branches they run, and which small faults in the sources they notice.

`faults` are what a programmer might have got wrong, `branches` marks in compiled files what runs, `watching` is the
plug-in that notes it for each test, and `python -m power` chooses faults by a seed and runs each with the tests that
run its line. Processes that are started, forked or killed on the way count: marks are in memory that all share.
"""
