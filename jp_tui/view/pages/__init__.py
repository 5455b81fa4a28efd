"""Content of the pages."""
