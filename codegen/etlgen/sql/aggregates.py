"""Functions over many rows: the typed aggregates of a rollup, and what dataset rules may use besides the scalar table."""

from __future__ import annotations

from etlgen.sql.functions import Accepts, Function, Group, Nulls, Parameter
from etlgen.sql.result_types import ResultRule, constant, same_as_first, total_type
from etlgen_runtime.types import FLOAT64, INT64


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


AGGREGATES: frozenset[str] = _words(
    """
    count sum avg mean min max stddev stddev_samp stddev_pop variance var_samp var_pop median quantile quantile_cont
    quantile_disc bool_and bool_or count_if countif count_star string_agg group_concat listagg corr covar_pop covar_samp
    skewness kurtosis product
    """
)
"""One value out of many rows, whatever their order; `string_agg` and its like need an ORDER BY."""

ORDERED_AGGREGATES: frozenset[str] = _words("string_agg group_concat listagg")
"""Aggregates whose value depends on the order of rows."""

WINDOW_FUNCTIONS: frozenset[str] = _words(
    "row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value"
)
"""One value per row, out of the rows of its window."""

OTHER_AGGREGATES: frozenset[str] = _words(
    """
    first last list array_agg arg_min arg_max min_by max_by histogram bit_and bit_or bit_xor mad entropy sumkahan fsum
    kahan_sum favg any_value mode approx_count_distinct approx_quantile regr_slope regr_intercept regr_r2 regr_count
    """
)
"""Aggregates that exist in DuckDB and are not allowed; known so that a row expression is told what they are."""

_ANY, _NUMBER = Parameter("value", Accepts.ANY), Parameter("value", Accepts.NUMBER)


def _group_function(
    name: str, parameters: tuple[Parameter, ...], result: ResultRule, result_text: str, spelling: str, meaning: str
) -> Function:
    nulls = Nulls.NEVER if name.startswith("count") else Nulls.SKIPPED
    return Function(name, Group.AGGREGATES, parameters, result, result_text, nulls, meaning, (spelling,))


# fmt: off
GROUP_FUNCTIONS: tuple[Function, ...] = (
    _group_function("count_star", (), constant(INT64), "int64", "count(*)", "Rows of the group."),
    _group_function("count", (_ANY,), constant(INT64), "int64", "count()", "Values that are not NULL."),
    _group_function("count_distinct", (_ANY,), constant(INT64), "int64", "count(DISTINCT a)",
                    "Different values, NULL not counted."),
    _group_function("sum", (_NUMBER,), total_type, "int128 for integers, decimal(38, s) for decimals, else double", "sum()",
                    "Sum, exact for integers and decimals; of booleans how many are TRUE. NULL when every value is NULL."),
    _group_function("avg", (_NUMBER,), constant(FLOAT64), "double", "avg()",
                    "Mean; `mean()` is the same. NULL when every value is NULL."),
    _group_function("min", (_ANY,), same_as_first, "as value", "min()",
                    "Least value: text by code point, NaN above every number. `bool_and()` is `min` of booleans."),
    _group_function("max", (_ANY,), same_as_first, "as value", "max()",
                    "Greatest value. `bool_or()` is `max` of booleans."),
)
# fmt: on
"""The aggregates that a rollup may use, by what they mean. All take FILTER (WHERE ...); ``count_if(c)`` is
``count(*) FILTER (WHERE c)``."""

GROUP_FUNCTION: dict[str, Function] = {function.name: function for function in GROUP_FUNCTIONS}
"""The same by canonical name."""
