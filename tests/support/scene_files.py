"""Scene files of simulations."""


def scene_file(path, simulation, radius=1):
    """A ball far above another one that is fixed."""
    ball = f'shape = "sphere"\nradius = {radius}\n'
    bodies = (
        f'[[body]]\nname = "a"\n{ball}fixed = true\n[[body]]\nname = "b"\n{ball}position = [0, 0, {1000 * radius}]\n'
    )
    law = '[simulation.normal]\nlaw = "hertz"\nstiffness = 1e6\n'
    path.write_text(f"{bodies}[simulation]\nduration = 1\n{simulation}\n{law}")
    return str(path)
