"""The scripted model of the tour and of tests."""
