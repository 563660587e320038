"""Input and output: argument checks, files of clouds and meshes, atomic file writing, progress reports."""
