"""Bodies on joints: mechanisms whose dynamics are Pinocchio's and whose contacts are tangency's.

| file | contents |
|---|---|
| pinocchio.py | the only place that imports Pinocchio |
| link.py, model_files.py | models from links described in Python, and from URDF and MJCF files |
| elements.py, loop.py | springs, limits and passive torques of joints; loops |
| mechanism.py | a mechanism in a world |
| linkage.py, constrained.py | its kinematics and accelerations |
| system.py, stepping.py | all mechanisms of a world, for both modes of integration |
| history.py, identity.py, from_scene.py | the motion of joints in a trajectory; resumed runs; scene files |
| inverse.py, derivatives.py | inverse dynamics; derivatives of the accelerations |
"""
