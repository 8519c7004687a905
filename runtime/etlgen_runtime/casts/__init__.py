"""The cast table on single values, in pure Python (semantics, section 4): every engine must agree with it.

``cast_value`` keeps a value exactly or raises ``Unfit``; ``to_text`` and ``canonical_json`` spell typed values.
"""

from __future__ import annotations

from etlgen_runtime.casts.spelling import canonical_json, to_text
from etlgen_runtime.casts.table import always_fits, cast_value, is_castable
from etlgen_runtime.casts.unfit import Unfit

__all__ = ["Unfit", "always_fits", "canonical_json", "cast_value", "is_castable", "to_text"]
