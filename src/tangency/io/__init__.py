"""Input and output: argument checks, atomic file writing, progress reports."""
