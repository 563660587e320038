"""Contact queries and their results.

| file | contents |
|---|---|
| result.py, status.py, summary.py | ``Contact`` and ``Status``, with the conventions; read these first |
| query.py, options.py | the function ``contact``, and the checks of its arguments |
| dispatch.py | which compiled loop solves which pairs |
| pair.py, single.py | ``Pair``: one pair, prepared once and queried many times |
| bodies.py | ``Bodies``: bodies of different shapes, and contacts between pairs of them |
"""
