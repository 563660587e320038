"""Other libraries: contacts with exact derivatives inside them, and engines that carry work beyond one machine.

Each of these needs that library, by an extra of the same name; `stream`, `ensemble` and `sweep` also work without.

==============  ====================================================================
jax             differentiable functions of poses: grad, hessian, vmap, jit
torch           the same as PyTorch functions, with double backward
casadi          CasADi functions with Jacobian and Hessian, for IPOPT and the like
optimize        gaps of a scene as constraints for ``scipy.optimize``
dask            contacts of Dask arrays
stream          billions of pairs in blocks, made and reduced where they are solved
ensemble        many simulations, each with its checkpoints
sweep           parameter studies of scene files, for ``tangency sweep``
lammps          simulations on many processors, distributed by LAMMPS
formats         scenes from and to MJCF, URDF, SDF, OSIM, glTF, STL, NPZ
mujoco          contacts and force laws inside a running MuJoCo simulation
mjcf            geoms of MuJoCo models as shapes; MJCF and URDF files as worlds
==============  ====================================================================
"""
