"""A conversation as a document: Markdown, HTML, JSON."""
