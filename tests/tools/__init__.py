"""Tests of the tools: real files, real git repositories, real child processes."""
