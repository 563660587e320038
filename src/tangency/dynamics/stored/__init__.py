"""Trajectories streamed to disk: folders in the Zarr format, written chunk by chunk."""
