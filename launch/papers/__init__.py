"""What papers publish, made again: one file per paper, of which `PAPER` has its figures; `emu paper` makes them.

A figure says what runs for it (`measure`), what rows come of that and how these are shown (`rows`, `columns`), and what
is published of them (`published`), with a sentence of why ours differ. All else is in `frame/`: the measurements are
cases of a campaign, which figures share, what came of them stands beside what is published, and is told as text,
Markdown, CSV, JSON and pictures. What figures of several papers have in common has a folder: `schedules/`.

A new paper is one new file here: its name is the name of the paper.
"""
