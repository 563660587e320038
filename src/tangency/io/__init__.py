"""What comes in and goes out: arguments are checked, files are written whole, long work reports its progress."""
