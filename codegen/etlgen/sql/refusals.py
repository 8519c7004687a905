"""Functions that are refused with their own reason. Every other function outside the table is just not supported.

Semantics, section 5: functions are an allow-list, so nothing here opens a hole when it is forgotten; these entries only
make the message say why.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


UNSAFE: frozenset[str] = _words(
    """
    read_csv read_csv_auto sniff_csv read_parquet parquet_scan parquet_metadata parquet_schema parquet_file_metadata
    parquet_kv_metadata read_json read_json_auto read_json_objects read_json_objects_auto read_ndjson read_ndjson_auto
    read_ndjson_objects read_text read_blob read_xlsx read_duckdb glob iceberg_scan iceberg_metadata iceberg_snapshots
    delta_scan arrow_scan arrow_scan_dumb pandas_scan python_map_function sqlite_scan sqlite_attach postgres_scan
    postgres_query postgres_execute postgres_attach mysql_scan mysql_query mysql_execute st_read shapefile_meta
    query query_table getenv current_setting set_config getvariable which_secret duckdb_secrets duckdb_settings
    duckdb_databases duckdb_tables duckdb_columns duckdb_views duckdb_functions duckdb_extensions duckdb_logs
    duckdb_variables duckdb_temporary_files duckdb_memory pragma_database_list pragma_table_info pragma_storage_info
    pragma_user_agent pragma_version pragma_platform force_checkpoint checkpoint pg_typeof current_user session_user
    current_role user current_database current_catalog current_schema current_schemas current_query in_search_path
    version txid_current nextval currval setseed write_log read_log load_extension install_extension system shell
    http_get http_post test_all_types test_vector_types repeat_row summary add_parquet_key json_execute_serialized_sql
    from_substrait from_substrait_json get_substrait json_serialize_sql json_deserialize_sql error sleep_ms
    """
)
"""Functions that reach files, network, settings, secrets or the catalog, or run SQL made at run time: SEC-001."""

NON_DETERMINISTIC: dict[str, str] = {
    "random": "its value differs from run to run",
    "rand": "its value differs from run to run",
    "setseed": "its value differs from run to run",
    "uuid": "its value differs from run to run",
    "gen_random_uuid": "its value differs from run to run",
    "uuidv4": "its value differs from run to run",
    "uuidv7": "its value differs from run to run",
    "any_value": "which value it takes is not defined",
    "arbitrary": "which value it takes is not defined",
    "mode": "ties are not defined",
    "approx_count_distinct": "its value is approximate and differs between engines",
    "approx_quantile": "its value is approximate and differs between engines",
    "approx_top_k": "its value is approximate and differs between engines",
    "reservoir_quantile": "its value is approximate and differs between engines",
    "tablesample": "the sample differs from run to run",
    "hash": "its value differs between engines and versions",
    "current_time": "a time of day without its date; use `current_timestamp`",
    "clock_timestamp": "the clock is fixed once per run; use `current_timestamp`",
    "current_localtimestamp": "the clock is kept in UTC; use `current_timestamp`",
    "current_localtime": "the clock is kept in UTC; use `current_timestamp`",
    "localtimestamp": "the clock is kept in UTC; use `current_timestamp`",
    "localtime": "the clock is kept in UTC; use `current_timestamp`",
}
"""Functions whose result is not fixed by their arguments, and why."""
