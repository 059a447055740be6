"""Progress bars, pages and values as text for people, whoever has something to say."""
