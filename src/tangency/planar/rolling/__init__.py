"""Bodies that roll on a line (Römer 2-D, sections 4 and 6.1)."""
