"""Approval rules: what a command line says, which rules match a call, and what follows. Pure; knows no tool by name."""
