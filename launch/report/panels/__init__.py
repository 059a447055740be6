"""Panels of the report, a file for each: its values, its tables for the page and for text, its fields for the docs.

`panel.py` has what a panel is made of, and `table.py` the panels in the order of the page: a new one is a file that
makes a `Panel`, and its row there. What is more than tables, bars and sentences is drawn by a script beside the file
(`chip.py`, `chip.js`), as a function of `DRAWINGS`.
"""
