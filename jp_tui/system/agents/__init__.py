"""Programs of other makers that have a session with jp-tui: what is known of them without the database."""
