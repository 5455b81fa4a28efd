"""Prompts in lines: questions, approvals, forms."""
