"""A conversation as blocks: the reducer, heights, loaded ranges."""
