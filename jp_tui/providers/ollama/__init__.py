"""ollama's own chat API."""
