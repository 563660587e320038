"""The fast mode, for many bodies: fixed steps in one compiled loop."""
