"""Contact between a body and a circle by pitch functions (Römer 2-D, section 5)."""
