"""Session: what one compilation carries from pass to pass, and how its errors become one sentence."""
