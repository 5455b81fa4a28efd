"""Gemini: generateContent of Google AI and Vertex."""
