"""Whether a shape is right: its formula, its convexity, its smoothness, its poles."""
