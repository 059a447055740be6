"""Campaigns: cases that are selected, run in processes of their own, judged and reported.

A command makes a `Campaign`: cases, each a function with plain arguments or a command line of `emu` (`command_case`),
and the columns and JSON values of its own. All else is here, once: selection (`selecting.py`: -k, shards,
--last-failed), execution (`running.py`: jobs, forks of a warm process, deadlines, fail-fast, interrupts), outcomes
(`outcomes.py`: a word for each exit code, and `expect`), and reports (`campaign.py`, `junit.py`, `annotations.py`;
`launch.cli.campaigns` for a command).
"""
