"""Planar mechanics: the interface of tangency in two dimensions, and explicit solutions that exist only in the plane.

>>> from tangency import planar
>>> c = planar.contact(planar.Circle(1.0), planar.Ellipse([3, 2]), pose_b=(0.0, [5, 0]))
>>> float(c.distance)
1.0
"""

from .cam.export import pitch_points, profile_csv, profile_dxf, profile_points
from .cam.followers import FlatFace, Follower, KnifeEdge, Roller, SwingingFlat, SwingingRoller
from .cam.limits import CamLimits, cam_limits
from .cam.line_contact import line_contact
from .cam.motion import CamMotion, FollowerContact, cam_motion
from .cam.motion_laws import Segment, lift_program, motion_law
from .cam.optimal_lift import LiftTask, OptimalLift, highest_jump_speed, least_force
from .cam.run import CamEvent, CamRun, run_cam
from .cam.steady import SteadyState, steady_state
from .cam.sweep import SpeedSweep, lift_off_speed, sweep_speed
from .cam.synthesis import cam_from_motion
from .cam.tappet import CamTappet, TappetForces
from .check import check
from .continuity import Continuity, continuity
from .fits.fourier_fit import FourierFit, fit_fourier
from .fits.from_curve import CurveFit, shape_from_curve, shape_from_implicit
from .forces import PlanarForces
from .moments import Moments
from .pitch.composite import Arc, circular_arc_cam, pitch_from_arcs, tangent_cam
from .pitch.measured import smooth_profile, smooth_samples, smooth_shape, smooth_support
from .pitch.periodic import PeriodicFunction, from_pieces
from .pitch.pitch import Pitch, PitchContact
from .pitch.profile import cam_pitch, pitch_from_formula, pitch_from_profile, pitch_from_samples, pitch_from_shape
from .pitch.smooth_fit import SmoothedCurve
from .pitch.uniqueness import Uniqueness
from .query import contact
from .radii import offset_limit
from .rates import PlanarRates
from .result import Contact
from .rolling.ankle import AnkleLoads, ankle_loads
from .rolling.circle import CircleContact, RollingOnCircle
from .rolling.foot import RollingFoot
from .rolling.foot_pieces import FootEvent
from .rolling.foot_run import FootRun, PointMotion
from .rolling.line import LineContact, Motion, RollingBody
from .shape import Jet, Shape
from .shapes import (
    Affine,
    Circle,
    Ellipse,
    FourierShape,
    Line,
    MinkowskiSum,
    Offset,
    PiecewiseShape,
    Polygon,
    Superellipse,
    foot_shape,
    from_potential,
    periodic_spline,
)
from .warmup import warm

__all__ = [
    "Affine",
    "AnkleLoads",
    "Arc",
    "CamEvent",
    "CamLimits",
    "CamMotion",
    "CamRun",
    "CamTappet",
    "Circle",
    "CircleContact",
    "Contact",
    "Continuity",
    "CurveFit",
    "Ellipse",
    "FlatFace",
    "Follower",
    "FollowerContact",
    "FootEvent",
    "FootRun",
    "FourierFit",
    "FourierShape",
    "Jet",
    "KnifeEdge",
    "LiftTask",
    "Line",
    "LineContact",
    "MinkowskiSum",
    "Moments",
    "Motion",
    "Offset",
    "OptimalLift",
    "PeriodicFunction",
    "PiecewiseShape",
    "Pitch",
    "PitchContact",
    "PlanarForces",
    "PlanarRates",
    "PointMotion",
    "Polygon",
    "Roller",
    "RollingBody",
    "RollingFoot",
    "RollingOnCircle",
    "Segment",
    "Shape",
    "SmoothedCurve",
    "SpeedSweep",
    "SteadyState",
    "Superellipse",
    "SwingingFlat",
    "SwingingRoller",
    "TappetForces",
    "Uniqueness",
    "ankle_loads",
    "cam_from_motion",
    "cam_limits",
    "cam_motion",
    "cam_pitch",
    "check",
    "circular_arc_cam",
    "contact",
    "continuity",
    "fit_fourier",
    "foot_shape",
    "from_pieces",
    "from_potential",
    "highest_jump_speed",
    "least_force",
    "lift_off_speed",
    "lift_program",
    "line_contact",
    "motion_law",
    "offset_limit",
    "periodic_spline",
    "pitch_from_arcs",
    "pitch_from_formula",
    "pitch_from_profile",
    "pitch_from_samples",
    "pitch_from_shape",
    "pitch_points",
    "profile_csv",
    "profile_dxf",
    "profile_points",
    "run_cam",
    "shape_from_curve",
    "shape_from_implicit",
    "smooth_profile",
    "smooth_samples",
    "smooth_shape",
    "smooth_support",
    "steady_state",
    "sweep_speed",
    "tangent_cam",
    "warm",
]
