"""The one language between the engine and its faces, as data. Holds no Future, no callable, no widget."""
