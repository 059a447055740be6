"""Programs: columnar instructions with counted loops, array groups, initial data and source maps."""
