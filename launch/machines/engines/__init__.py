"""Engines that start agents on hosts: one file each, a row of `table.py`, or an entry point of a package of the user's.

Nothing else knows one. An agent is told one line and is started by one command (`Bootstrap`); all that follows goes
over the link that it opens to the launcher.
"""
