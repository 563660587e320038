"""Reproductions of the papers' tables and figures: one file each, ``tangency study <name>``.

| file | contents |
|---|---|
| study.py | the class Study; Markdown and CSV |
| picture.py | common style of figures |
| cli/studies.py | the command ``tangency study`` |
| romer_pairs.py | the random ellipsoids of Römer 3-D, section 5.2 |
| romer_fig2.py | Example 4 |
| romer_table1.py, romer_table2.py | Algorithms I to IV: success, iterations |
| romer_case.py | section 6: two ellipsoids in a box |
| romer2d_fig6.py, romer2d_fig8.py | Römer 2-D, section 6: the rolling foot, the cam with its tappet |
| romer2d_misprints.py | Römer 2-D: equations as printed and corrected |
| lopes_chapter3.py, artificial_heads.py | Lopes thesis, Tables 3.1 and 3.3 to 3.7: shape models of bone heads |
| lopes_table4.py | Lopes thesis, Tables 4.3 and 4.4: vector orthogonalisation |
| lopes_motion.py | the prescribed motions of Lopes 2010, section 7 |
| lopes_table5_3.py, lopes_table5_4.py | Newton iterations for pairs of ellipsoids, of superellipsoids |
| lopes_bowl.py | section 5.2.7: a ball in a bowl |
| foot_ground.py, foot_gait.py, foot_shapes.py, gait_files.py | chapter 6: foot and ground, ellipsoids against points |
| lopes_walking.py, walking/ | chapter 6: a person who walks, driven by torques and by muscles |
| portal_cases.py | the pairs of Portal, Table 2, and the printed results |
| portal_table3.py | Table 3: six pairs by two optimisers |
| portal_tables4_5.py | Tables 4 and 5: constraint sets |
| dem_impacts.py | benchmarks of discrete element codes: LAMMPS' ellipsoids, Chung and Ooi |
| dem_restitution.py | Chung and Ooi, damped and sliding impacts, and ellipsoids |
| dem_equilibrium.py | ellipsoids on a plane: OpenSim's forces, bodies that settle |
| haff_cooling.py | Haff's law: a gas of inelastic bodies |
| random_packings.py | random packings of spheres and ellipsoids |
| silo_discharge.py | Beverloo's law: flow rate of a silo |
| rotating_drum.py | angle of repose in a drum |
"""

from .dem_equilibrium import STUDY as _dem_equilibrium
from .dem_impacts import STUDY as _dem_impacts
from .dem_restitution import STUDY as _dem_restitution
from .foot_ground import STUDY as _foot_ground
from .haff_cooling import STUDY as _haff_cooling
from .lopes_bowl import STUDY as _lopes_bowl
from .lopes_chapter3 import STUDY as _lopes_chapter3
from .lopes_table4 import TABLE43_STUDY as _lopes_table43
from .lopes_table4 import TABLE44_STUDY as _lopes_table44
from .lopes_table5_3 import STUDY as _lopes_table53
from .lopes_table5_4 import STUDY as _lopes_table54
from .lopes_walking import STUDY as _lopes_walking
from .portal_table3 import STUDY as _portal_table3
from .portal_tables4_5 import TABLE4_STUDY as _portal_table4
from .portal_tables4_5 import TABLE5_STUDY as _portal_table5
from .random_packings import STUDY as _random_packings
from .romer2d_fig6 import STUDY as _romer2d_fig6
from .romer2d_fig8 import STUDY as _romer2d_fig8
from .romer2d_misprints import STUDY as _romer2d_misprints
from .romer_case import STUDY as _romer_case
from .romer_fig2 import STUDY as _romer_fig2
from .romer_table1 import STUDY as _romer_table1
from .romer_table2 import STUDY as _romer_table2
from .rotating_drum import STUDY as _rotating_drum
from .silo_discharge import STUDY as _silo_discharge
from .study import Result, Study, Table

#: All studies by name.
STUDIES: dict[str, Study] = {
    study.name: study
    for study in (
        _romer_table1,
        _romer_table2,
        _romer_fig2,
        _romer_case,
        _romer2d_fig6,
        _romer2d_fig8,
        _romer2d_misprints,
        _lopes_chapter3,
        _lopes_table43,
        _lopes_table44,
        _lopes_table53,
        _lopes_table54,
        _lopes_bowl,
        _foot_ground,
        _lopes_walking,
        _portal_table3,
        _portal_table4,
        _portal_table5,
        _dem_impacts,
        _dem_restitution,
        _dem_equilibrium,
        _haff_cooling,
        _random_packings,
        _silo_discharge,
        _rotating_drum,
    )
}

__all__ = ["STUDIES", "Result", "Study", "Table"]
