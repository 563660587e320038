"""Cams and roller tappets (Römer 2-D, section 6.2)."""
