"""One table: what this version does with each key of the Open Lakehouse Contract.

``docs/contracts.md`` is made from it by :func:`etlgen.read.contracts_page.contracts_page`, the reader refuses keys by it,
and a test compares it with the official JSON Schema. A row names a definition of that schema and some of its keys.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    EXECUTED = "executed"
    METADATA = "metadata"
    REFUSED = "refused"


E, M, R = Verdict.EXECUTED, Verdict.METADATA, Verdict.REFUSED


@dataclass(frozen=True, slots=True)
class Row:
    """``keys`` of ``definition``. ``note``: what is done, or how to reach the goal without a refused key."""

    definition: str
    verdict: Verdict
    keys: str
    note: str = ""


ROOT = "OLCContractV1"
_ARCHIVE = "a .zip archive with one file of the format is read"
_INCREMENTAL = "used only by incremental loads, which this version refuses"
_FROM_FILES = "export the data to CSV, JSON or Parquet files and use `type: landing`"
_WRITE_SQL = "derive the columns with `transformations`"
_NO_PROVIDER = "inside a block that is refused as a whole"
_OPERATION = "the operation itself is refused (CTR-090) until a later version"
_NO_ROW_KEYS = "lists of row keys are not written by this version; count them with `count(DISTINCT key)`"
_ORDER = "order of contracts in a project; a name that none of them has orders nothing (WIR-004)"
_OTHER_ENGINE = "not read: this version has no such engine, and `sql` is what runs (note CTR-035)"
_NOT_COUNTED = "kept; not evaluated by a run"

ROWS: tuple[Row, ...] = (
    Row(ROOT, E, "version info model extensions source links dataset primary_key quality quarantine materialization"),
    Row(ROOT, E, "schema_policy transformations"),
    Row(ROOT, E, "lineage", "accepted while `enabled` is false"),
    Row(ROOT, E, "upstream upstream_contracts", _ORDER),
    Row(ROOT, M, "upstream_sources downstream metadata schedule tier contract_file_name observatory compliance"),
    Row(ROOT, M, "service_levels", _NOT_COUNTED),
    Row(ROOT, M, "natural_key", "deprecated in OLC itself: `primary_key` is the key"),
    Row(ROOT, R, "server environments", "settings of one environment belong into the profile of a run"),
    Row(ROOT, R, "logic external_logic extraction", _WRITE_SQL),
    Row("Info", E, "title table_name description target_layer"),
    Row("Info", M, "version owner contact status classification domain system data_product data_product_output"),
    Row("Model", E, "fields"),
    Row("Model", M, "grain grain_key"),
    Row("FieldDefinition", E, "name type required nullable description rules accepted_values min max max_length"),
    Row("FieldDefinition", E, "pii phi sensitive classification", "values are redacted in reports and quarantine"),
    Row("FieldDefinition", R, "masking masking_format pii_vault", "drop the column, or mask it with a `derive`"),
    Row("FieldDefinition", R, "foreign_key", "write a row rule `referential_integrity` over a link"),
    Row("FieldDefinition", R, "range", "it is the position in fixed-width files; bounds of values are `min` and `max`"),
    Row("FieldDefinition", R, "extraction_task extraction_examples", _WRITE_SQL),
    Row("FieldDefinition", M, "milestone generated security_groups"),
    Row("ForeignKeyRef", R, "contract column severity", _NO_PROVIDER),
    Row("QualityRule", E, "name sql category description severity phase must_be_between must_be_less_than"),
    Row("QualityRule", E, "must_be_greater_than"),
    Row("Quality", E, "enforce_required fail_pipeline_on_dataset_error row_rules dataset_rules"),
    Row("RowRuleNotNull", E, "not_null name severity phase category description"),
    Row("RowRuleAcceptedValues", E, "accepted_values name severity phase category description"),
    Row("RowRuleRegexMatch", E, "regex_match name severity phase category description"),
    Row("RowRuleRange", E, "range name severity phase category description"),
    Row("RowRuleReferentialIntegrity", E, "referential_integrity name severity phase category description"),
    Row("RowRuleLifecycleWindow", E, "lifecycle_window name severity phase category description"),
    Row("DatasetRuleUnique", E, "unique name severity phase category description"),
    Row("DatasetRuleNullRatio", E, "null_ratio name severity phase category description"),
    Row("DatasetRuleRowCountBetween", E, "row_count_between name severity phase category description"),
    Row("UniqueRuleSpec", E, "field fields columns name severity category description phase"),
    Row("SchemaPolicy", E, "evolution unknown_fields"),
    Row("SourceConfig", E, "type", "`landing`; other types are refused: " + _FROM_FILES),
    Row("SourceConfig", E, "format", "csv, tsv, json, ndjson, jsonl, parquet; other formats are refused"),
    Row("SourceConfig", E, "path pattern options empty_behavior post_ingestion", "local files"),
    Row("SourceConfig", R, "load_mode", "`full` is executed"),
    Row("SourceConfig", R, "query dlt", _FROM_FILES),
    Row("SourceConfig", R, "cdc_op_field cdc_delete_values cdc_timestamp_field", "change data capture is not executed"),
    Row("SourceConfig", R, "partition partition_filters from_date to_date manifest_path", "use `path` and `pattern`"),
    Row("SourceConfig", R, "flatten_nested", "declare nested values as `json`"),
    Row(
        "SourceConfig", M, "watermark_field watermark_strategy watermark_date_parts lookback target_path", _INCREMENTAL
    ),
    Row("SourceConfig", M, "pipeline_log_table pipeline_name", _INCREMENTAL),
    Row("PostIngestionConfig", E, "action cleanup_is_blocking archive_path"),
    Row("CsvOptions", E, "delimiter encoding skip_rows has_header quote_char null_values comment_prefix"),
    Row("CsvOptions", E, "date_formats", "added to the formats of the field"),
    Row("CsvOptions", R, "archive_member", _ARCHIVE),
    Row("CsvOptions", R, "implied_decimals decimal_comma engine_options", "prepare the files before"),
    Row("JsonOptions", E, "multiline date_formats"),
    Row("JsonOptions", R, "archive_member", _ARCHIVE),
    Row("JsonOptions", R, "implied_decimals decimal_comma engine_options", "prepare the files before"),
    Row("ParquetOptions", E, "date_formats"),
    Row("ParquetOptions", R, "archive_member", _ARCHIVE),
    Row("ParquetOptions", R, "implied_decimals decimal_comma engine_options", "prepare the files before"),
    Row("Link", E, "name path columns filter broadcast"),
    Row("Link", E, "type", "parquet, csv, json, jsonl, ndjson; other types are refused"),
    Row("Link", R, "table query", "export the reference data to a file; subset it with `columns` and `filter`"),
    Row("Materialization", E, "strategy", "append, overwrite; other strategies are refused"),
    Row("Materialization", E, "format", "parquet, csv; other formats are refused"),
    Row("Materialization", E, "target_path location", "one local path"),
    Row("Materialization", R, "partition_by", "the target is written without partitions"),
    Row("Materialization", R, "scd2 scd1 fact unknown_member merge_dedup_guard deletion", "use append or overwrite"),
    Row("Materialization", R, "soft_delete_column soft_delete_value soft_delete_time_column soft_delete_reason_column"),
    Row("Materialization", R, "reprocess_policy reprocess_date_column", "use append or overwrite"),
    Row("Materialization", R, "secondary_targets dlt_destination dlt_credentials dlt_dataset_name", "one local target"),
    Row("Materialization", M, "cluster_by table_properties compaction", "layout of tables; the rows are the same"),
    Row("Quarantine", E, "target location enabled include_error_reason fail_on_quarantine write_mode"),
    Row("Quarantine", E, "format", "parquet, csv, json; other formats are refused"),
    Row("Quarantine", R, "table", "name a path with `target`"),
    Row("Quarantine", M, "strict_notifications notifications_enabled notifications", "nothing is sent"),
    Row("LineageConfig", R, "enabled", "false is executed: no lineage columns"),
    Row("LineageConfig", M, "capture_source_path capture_timestamp capture_run_id source_column_name"),
    Row("LineageConfig", M, "timestamp_column_name run_id_column_name capture_contract_name contract_name_column_name"),
    Row("LineageConfig", M, "capture_domain capture_system domain_column_name system_column_name capture_created_at"),
    Row("LineageConfig", M, "created_at_column_name capture_created_by created_by_column_name created_by_override"),
    Row("LineageConfig", M, "preserve_upstream upstream_prefix run_id_source"),
    Row("Transformation", E, "rename derive lookup filter deduplicate deduplicate_by_latest select drop cast trim"),
    Row("Transformation", E, "lower upper coalesce map_values join bucket date_diff rollup phase"),
    Row("Transformation", R, "split explode pivot unpivot json_extract date_range_explode sql"),
    Row("TransformationBucket", E, "field source bins default"),
    Row("TransformationBucketBin", E, "label lt lte gt gte eq"),
    Row("TransformationCast", E, "columns"),
    Row("TransformationCoalesce", E, "field sources default output"),
    Row("TransformationDateDiff", E, "field from_col to_col unit"),
    Row("TransformationDeduplicate", E, "on by sort_by order blank_keys"),
    Row("TransformationDeduplicateByLatest", E, "key_columns timestamp_column", "deprecated: use `deduplicate`"),
    Row("TransformationDerive", E, "field sql"),
    Row("TransformationDerive", M, "sql_duckdb sql_spark", _OTHER_ENGINE),
    Row("TransformationDrop", E, "columns"),
    Row("TransformationFilter", E, "sql"),
    Row("TransformationJoin", E, "reference on key fields type prefix defaults"),
    Row("TransformationLookup", E, "field reference on key value default_value"),
    Row("TransformationLower", E, "fields"),
    Row("TransformationMapValues", E, "field mapping default output"),
    Row("TransformationRename", E, "from to mappings"),
    Row("TransformationRollup", E, "group_by aggregations"),
    Row("TransformationRollup", R, "keys key_expr", _NO_ROW_KEYS),
    Row("TransformationRollup", R, "upstream_run_id_column upstream_run_ids_column", "aggregate the column yourself"),
    Row("TransformationRollup", M, "rollup_keys_column rollup_keys_count_column distinct", "used only with `keys`"),
    Row("TransformationSelect", E, "columns"),
    Row("TransformationTrim", E, "fields side"),
    Row("TransformationUpper", E, "fields"),
    Row("TransformationSplit", R, "field delimiter output", _OPERATION),
    Row("TransformationExplode", R, "field output", _OPERATION),
    Row("TransformationPivot", R, "id_vars pivot_col pivot_cols value_col value_cols values pivot_values", _OPERATION),
    Row("TransformationPivot", R, "agg aggs fill_value separator name_template value_aliases", _OPERATION),
    Row("TransformationUnpivot", R, "id_vars value_vars value_cols key_field value_field include_nulls", _OPERATION),
    Row("TransformationUnpivot", R, "value_aliases", _OPERATION),
    Row("TransformationJsonExtract", R, "field source path cast", _OPERATION),
    Row("TransformationDateRangeExplode", R, "output start_col end_col interval", _OPERATION),
    Row("UpstreamContractRef", E, "contract", _ORDER),
    Row("UpstreamContractRef", M, "layer domain system note"),
    Row("UpstreamSource", M, "type name system path format catalog_path owner description note columns_used"),
    Row("UpstreamSource", M, "upstream_sources"),
    Row("DownstreamConsumer", M, "type name platform url owner description refresh columns_used sla managed consumers"),
    Row("Notification", M, "type target targets on_events subject_template subject_template_file message_template"),
    Row("Notification", M, "message_template_file body_template body_template_file template_context to channel url"),
    Row("ServiceLevel", M, "freshness availability row_count completeness", _NOT_COUNTED),
    Row("ServiceLevelObjective", M, "description threshold field", _NOT_COUNTED),
    Row("RowCountSLO", M, "min_rows max_rows check_field skip_reprocess_days description", _NOT_COUNTED),
    Row("ContractRetention", M, "period column starts basis", "nothing is deleted"),
    Row("DeletionConfig", R, "strategy max_delete_ratio scope", _NO_PROVIDER),
    Row("FactConfig", R, "type milestone_dates", _NO_PROVIDER),
    Row("SecondaryTarget", R, "format table_name fail_on_error dlt_destination dlt_credentials", _NO_PROVIDER),
    Row("SecondaryTarget", R, "dlt_dataset_name path mode", _NO_PROVIDER),
    Row("SourcePartition", R, "format lookback_days start_date end_date file_pattern", _NO_PROVIDER),
    Row("StrictServer", R, "type path format mode cast_to_string schema_policy post_ingestion", _NO_PROVIDER),
    Row("Environment", R, "path format", _NO_PROVIDER),
    Row("ExternalLogic", R, "type path engine entrypoint args output_path output_format handles_output", _NO_PROVIDER),
    Row("ExternalLogic", R, "kernel_name", _NO_PROVIDER),
    Row("ExtractionConfig", R, "provider model temperature max_tokens response_format prompt_template", _NO_PROVIDER),
    Row("ExtractionConfig", R, "system_prompt text_column context_columns preprocessing output_schema", _NO_PROVIDER),
    Row("ExtractionConfig", R, "patterns batch_size concurrency retry confidence max_cost_per_run", _NO_PROVIDER),
    Row("ExtractionConfig", R, "max_rows_per_run fallback_model fallback_provider redact_pii_before_llm", _NO_PROVIDER),
    Row("ExtractionConfig", R, "pii_fields", _NO_PROVIDER),
    Row("PreprocessingConfig", R, "content_type ocr transcription frame_extraction chunking file_column", _NO_PROVIDER),
    Row("PreprocessingConfig", R, "text_output_column", _NO_PROVIDER),
    Row("ConfidenceConfig", R, "enabled method column consistency_runs", _NO_PROVIDER),
    Row("RetryConfig", R, "max_attempts backoff initial_delay", _NO_PROVIDER),
    Row("DltSourceConfig", R, "source resource base_url endpoints credentials write_disposition", _NO_PROVIDER),
    Row("DltSourceConfig", R, "max_table_nesting", _NO_PROVIDER),
    Row("DltEndpointConfig", R, "name path params paginator", _NO_PROVIDER),
    Row("AvroOptions", R, "archive_member implied_decimals date_formats decimal_comma engine_options", _NO_PROVIDER),
    Row("ExcelOptions", R, "archive_member implied_decimals date_formats decimal_comma sheet_name", _NO_PROVIDER),
    Row("ExcelOptions", R, "header_row skip_footer engine_options", _NO_PROVIDER),
    Row("XmlOptions", R, "archive_member implied_decimals date_formats decimal_comma row_tag", _NO_PROVIDER),
    Row("XmlOptions", R, "engine_options", _NO_PROVIDER),
    Row("FixedWidthOptions", R, "archive_member implied_decimals date_formats decimal_comma columns", _NO_PROVIDER),
    Row("FixedWidthOptions", R, "record_length encoding skip_rows skip_footer strip engine_options", _NO_PROVIDER),
    Row("FixedWidthColumn", R, "name start width", _NO_PROVIDER),
    Row("DocumentOptions", R, "engine_options", _NO_PROVIDER),
    Row("TableOptions", R, "engine_options", _NO_PROVIDER),
    Row("DatabaseOptions", R, "fetch_size partition_column partition_num partition_lower_bound", _NO_PROVIDER),
    Row("DatabaseOptions", R, "partition_upper_bound cdc_provider cdc_capture_instance engine_options", _NO_PROVIDER),
    Row("MongoDbOptions", R, "database filter projection batch_size engine_options", _NO_PROVIDER),
    Row("SftpOptions", R, "username password private_key_path known_hosts staging_path engine_options", _NO_PROVIDER),
    Row("KafkaOptions", R, "kind brokers topic group_id starting_offsets checkpoint batch_size trigger", _NO_PROVIDER),
    Row("KafkaOptions", R, "processing_time max_offsets_per_trigger security_protocol sasl_mechanism", _NO_PROVIDER),
    Row("KafkaOptions", R, "sasl_username sasl_password engine_options", _NO_PROVIDER),
    Row(
        "EventHubsOptions", R, "kind connection_string topic brokers group_id starting_offsets checkpoint", _NO_PROVIDER
    ),
    Row(
        "EventHubsOptions", R, "batch_size trigger processing_time max_offsets_per_trigger engine_options", _NO_PROVIDER
    ),
)

VERDICTS: dict[tuple[str, str], Row] = {(row.definition, key): row for row in ROWS for key in row.keys.split()}
"""The row of each (definition, key)."""

SELF_REPORTING = frozenset(row.definition for row in ROWS if row.note in (_NO_PROVIDER, _OPERATION)) | {
    "Transformation"
}
"""Definitions whose keys get no diagnostic of their own: the block above, or resolution (CTR-090), refuses them."""


def metadata_keys(definition: str) -> tuple[str, ...]:
    """The keys of ``definition`` that are kept and not executed."""
    return tuple(
        key
        for row in ROWS
        if row.definition == definition and row.verdict is Verdict.METADATA
        for key in row.keys.split()
    )
