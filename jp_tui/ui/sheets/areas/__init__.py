"""A module for each kind of answer, and the widgets that several kinds share."""
