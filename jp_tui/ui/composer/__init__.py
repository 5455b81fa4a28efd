"""The composer: the text field, its completions and panels, and its side of the engine."""
