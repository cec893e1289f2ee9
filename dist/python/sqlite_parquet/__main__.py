"""Prints where the extension is."""

from . import path

print(path)
