"""Messages between the engine and its front ends, as data. They hold no Future, no callable and no widget."""
