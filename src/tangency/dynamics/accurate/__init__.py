"""The accurate mode, for few bodies: SciPy's integrators with located impacts."""
