"""The papers' tables and figures, computed anew: one file each, ``tangency study <name>``.

| file | what is in it |
|---|---|
| study.py | what a study is; Markdown and CSV |
| picture.py | figures in one style |
| cli.py | the verb ``tangency study`` |
| romer_pairs.py | the random ellipsoids of Römer 3-D, section 5.2 |
| romer_fig2.py | Example 4 |
| lopes_motion.py | the prescribed motions of Lopes 2010, section 7 |
| lopes_table5_3.py, lopes_table5_4.py | Newton iterations for pairs of ellipsoids, of superellipsoids |
"""

from .lopes_table5_3 import STUDY as _lopes_table5_3
from .lopes_table5_4 import STUDY as _lopes_table5_4
from .romer_fig2 import STUDY as _romer_fig2
from .study import Result, Study, Table

#: Every study by its name.
STUDIES: dict[str, Study] = {
    study.name: study
    for study in (
        _romer_fig2,
        _lopes_table5_3,
        _lopes_table5_4,
    )
}  # fmt: skip

__all__ = ["STUDIES", "Result", "Study", "Table"]
