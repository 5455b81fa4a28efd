"""Approval rules: the commands of a line, the rules that match a call, and the decision. Pure; knows no tool by
name."""
