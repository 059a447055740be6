"""The page of the report: its frame, looks and script, which `html_page.py` puts together."""
