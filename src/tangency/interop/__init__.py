"""Contacts inside other libraries, with exact derivatives; each needs that library, by an extra of the same name.

==============  ====================================================================
jax             differentiable functions of poses: grad, hessian, vmap, jit
torch           the same as PyTorch functions, with double backward
casadi          CasADi functions with Jacobian and Hessian, for IPOPT and the like
optimize        gaps of a scene as constraints for ``scipy.optimize``
formats         scenes from and to MJCF, URDF, SDF, OSIM, glTF, STL, NPZ
mujoco          contacts and force laws inside a running MuJoCo simulation
mjcf            geoms of MuJoCo models as shapes; MJCF and URDF files as worlds
==============  ====================================================================
"""
