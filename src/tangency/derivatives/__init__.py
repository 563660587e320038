"""Derivatives of a contact by poses and shape parameters, and its rates under given velocities.

With the common normal n, the distance d, the radii-of-curvature operators W_A, W_B and K = W_A + W_B on the tangent
plane, everything follows from one 2x2 system: the stationarity of F(n) = n.r - h_A(n) - h_B(-n) on the unit sphere,
differentiated.  No iteration is differentiated.  ``docs/derivatives.md`` has the formulas.

=======================  ==============================================================================
side.py                  what compiled loops know of the bodies of a contact
linear.py                the solution of the 2x2 system, and the velocities that follow from it
loops.py                 compiled loops over a stack: rates, Jacobians, Hessians, condition numbers
ellipsoid_lanes.py       Jacobians of spheres and ellipsoids, many at a time
ellipsoid_hessians.py    their Hessians
ties.py                  whether an overlap has a second normal of the same depth
frames.py                twists and Jacobians in the frames "hybrid", "body" and "spatial"
parameters.py            derivatives by shape parameters
rates.py                 what `Contact.rates` returns
methods.py               the functions behind the methods of `Contact`
=======================  ==============================================================================
"""
