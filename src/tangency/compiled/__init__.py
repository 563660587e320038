"""Compiled code: where it is kept, and how an entry on disk is known to be the right one."""
