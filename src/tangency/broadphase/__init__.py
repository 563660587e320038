"""Which bodies may touch: candidates for the contact solver, as pairs of numbers and nothing more."""
