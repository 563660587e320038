"""Plots of implicit surfaces; needs matplotlib, tangency[viz]."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..implicit import Patch, Surface

if TYPE_CHECKING:
    from mpl_toolkits.mplot3d import Axes3D


def draw_surface(
    axes: Axes3D, surface: Surface | Patch, reach: float, *, count: int = 48, color: str = "#4c78a8"
) -> None:
    """Draw the sheets of one surface into 3-D axes of matplotlib, in the frame of the surface.

    Parameters
    ----------
    axes : mpl_toolkits.mplot3d.Axes3D
        Axes to draw in.
    surface : Surface or Patch
        The surface; for a patch, the points within its box.
    reach : float
        Extent to which open sheets are drawn [m].
    count : int
        Number of points per parameter.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> import tangency as tg
    >>> from tangency.viz.implicit import draw_surface
    >>> axes = Figure().add_subplot(projection="3d")
    >>> draw_surface(axes, tg.implicit.hyperboloid_one_sheet([1, 1, 1]), 2.0)
    >>> len(axes.collections)
    1
    """
    import numpy as np

    whole = surface.surface if isinstance(surface, Patch) else surface
    for sheet in whole.sheets(reach, count):
        points = sheet
        if isinstance(surface, Patch):
            points = np.where(surface.holds(sheet)[..., None], sheet, np.nan)  # matplotlib omits NaN
        axes.plot_surface(
            *np.moveaxis(points, -1, 0),
            color=color,
            rcount=count,
            ccount=count,
            linewidth=0.2,
            edgecolor="#1b243055",
            antialiased=True,
        )
    axes.set_aspect("equal")
    axes.set_axis_off()
