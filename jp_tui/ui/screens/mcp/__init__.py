"""The pages of MCP servers, see `ui/pages.py`."""
