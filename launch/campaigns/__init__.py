"""Campaigns: cases that are selected, run in processes of their own, judged and told; each user of it has the cases.

Who asks (a command) makes a `Campaign`: cases, each a function of ours with plain arguments, or a command line of `emu`
(`command_case`), and what is special of its table and its JSON. All else is here, once: which cases are meant
(`selecting.py`: -k, shards, those that failed last), how they run (`running.py`: some at a time, in forks of a warm
process, deadlines, the first that is wrong, interrupts), what comes of them (`outcomes.py`: a word for each exit code,
and `expect`), and how it is told (`report.py`, `junit.py`, `annotations.py`; `launch.cli.campaigns` for a command).
"""
