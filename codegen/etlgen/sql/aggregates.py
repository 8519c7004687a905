"""Functions that dataset rules may use besides the scalar table: aggregates and window functions."""

from __future__ import annotations


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
