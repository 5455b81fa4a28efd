"""Questions as front ends show them: when they open, what they say, what became of them."""
