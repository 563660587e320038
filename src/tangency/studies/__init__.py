"""The papers' tables and figures, computed anew: one file each, ``tangency study <name>``.

| file | what is in it |
|---|---|
| study.py | what a study is; Markdown and CSV |
| picture.py | figures in one style |
| cli.py | the verb ``tangency study`` |
| romer_pairs.py | the random ellipsoids of Römer 3-D, section 5.2 |
| romer_fig2.py | Example 4 |
| romer_table1.py, romer_table2.py | Algorithms I to IV: success, iterations |
"""

from .romer_fig2 import STUDY as _romer_fig2
from .romer_table1 import STUDY as _romer_table1
from .romer_table2 import STUDY as _romer_table2
from .study import Result, Study, Table

#: Every study by its name.
STUDIES: dict[str, Study] = {
    study.name: study
    for study in (
        _romer_table1, _romer_table2, _romer_fig2,
    )
}  # fmt: skip

__all__ = ["STUDIES", "Result", "Study", "Table"]
