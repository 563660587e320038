"""Many pairs at a time, one in each lane of a vector register."""
