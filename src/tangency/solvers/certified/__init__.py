"""The default solver: certified distance and depth of any two bounded shapes."""
