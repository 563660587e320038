"""Fits of bodies to point clouds: distances and models; clouds are read by ``io/clouds.py`` (Lopes thesis, chapter 3).

| file | contents |
|---|---|
| fit_body.py, select.py, result.py | the functions ``fit`` and ``select_model``, and what they return |
| chosen_model.py, families.py, own_family.py, open_model.py | other bodies: built-in families, and shapes of a user |
| limits.py, restricted.py, priors.py, limited_starts.py | bounds, fixed and tied parameters, priors |
| compound.py, lines_of_sight.py, spherical_region.py | several bodies for one cloud, regions of a scan |
| normals.py, orientation.py, closing_signs.py | normals of a cloud, and which way they point |
| potentials.py, spline_model.py, known_families.py | potentials from points and meshes, and as models |
| convex_margins.py | convexity of a user's shape, or of a potential, as a condition |
| meshes.py, population.py | from an image to a cloud; many scans |
| fitted_scene.py, surface_files.py | fitted bodies as scene files, meshes, MJCF and OSIM |
| check_cloud.py, cloud_frame.py, sampling.py | validation, principal axes, thinning and cleaning of clouds |
| models.py, parameter_layout.py, canonical.py | the models and their parameters |
| convexity.py, middle_walls.py | their limit of convexity |
| hierarchy.py, starts.py, turned_starts.py, global_search.py | initial values: from simpler models, or globally |
| enough_starts.py, scattered_starts.py | how many starts are enough; random ones for a user's shape |
| problem.py, levenberg.py, bounded_step.py, envelope.py | orthogonal least squares with bounds, and derivatives |
| surface_distance.py, foot_points.py, implicit_foot_points.py, foot_row.py | distances from points to surfaces |
| closed_feet.py | the same in closed form for simple bodies |
| reported.py, rebuild.py, statistics.py, uncertainty.py | numbers of the result, and shapes from them |

>>> import numpy as np, tangency as tg
>>> n = np.random.default_rng(0).normal(size=(200, 3))
>>> found = tg.fit(tg.Sphere(2.0).point(n), "sphere")
>>> round(float(found.shape.radius), 9)
2.0
"""

from ..io.clouds import Cloud, CloudError, read_cloud, write_cloud
from .compound import CompoundFit, fit_bodies
from .fit_body import fit
from .fitted_scene import fitted_scene
from .meshes import close_holes, mesh_from_volume, sample_mesh, smooth_mesh
from .normals import outward_normals
from .population import PairedDifference, Population, fit_population
from .potentials import from_mesh, from_points
from .rebuild import shape_from_parameters
from .result import FitResult, FitStatus
from .sampling import poisson_disk, sampling_weights, without_duplicates, without_outliers
from .select import ModelChoice, select_model
from .spherical_region import spherical_region
from .statistics import Statistics, statistics
from .surface_distance import SurfaceDistance, signed_distance
from .surface_files import surface_mesh, write_surface

__all__ = [
    "Cloud",
    "CloudError",
    "CompoundFit",
    "FitResult",
    "FitStatus",
    "ModelChoice",
    "PairedDifference",
    "Population",
    "Statistics",
    "SurfaceDistance",
    "close_holes",
    "fit",
    "fit_bodies",
    "fit_population",
    "fitted_scene",
    "from_mesh",
    "from_points",
    "mesh_from_volume",
    "outward_normals",
    "poisson_disk",
    "read_cloud",
    "sample_mesh",
    "sampling_weights",
    "select_model",
    "shape_from_parameters",
    "signed_distance",
    "smooth_mesh",
    "spherical_region",
    "statistics",
    "surface_mesh",
    "without_duplicates",
    "without_outliers",
    "write_cloud",
    "write_surface",
]
