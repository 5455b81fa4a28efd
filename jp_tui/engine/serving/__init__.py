"""Workers, which resume answered turns while no front end is there (store.md D20-D22)."""
