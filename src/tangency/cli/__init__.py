"""The command ``tangency``: one file per verb."""
