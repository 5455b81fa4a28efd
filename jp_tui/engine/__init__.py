"""Engine: turns, effects, pending questions. Never imports a front end, `view` or a widget library."""
