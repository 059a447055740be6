"""Progress bars, pages and values as text for people, for all commands."""
