"""JSON in a sheet: text, places in it, and the fields it is edited in."""
