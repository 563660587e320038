"""A contact lab in the browser: ``tangency lab``.

| file | what it does |
|---|---|
| arrangement.py, samples.py | the state: bodies and the pair under study; bodies to add |
| measures.py | contacts of all pairs; what is drawn and said about the pair under study |
| steps.py | the steps of a solver, with the bounds that each of them proves |
| sliders.py | ranges of the sliders of shape parameters |
| view.py, marks.py | what is drawn in the browser: bodies with gizmos; points, arrows, ellipses |
| panel.py, solver_panel.py, impact_panel.py, file_panel.py | the controls |
| recording.py | recordings as pages |
| same_origin.py | refuses pages of other sites |
| desk.py | puts these together; the loop of updates |

Only view.py, the panels, recording.py, same_origin.py and desk.py use viser.
"""
