"""PMPLAN: what stops a run before any row is read."""

from __future__ import annotations

from etlgen.diagnostics.codes import CodeInfo

_INFOS = (
    CodeInfo(
        "PMPLAN101",
        "unknown engine",
        "The configuration, the profile or `--engine` names an engine that this version does not have.",
        '[tool.etlgen]\nengines = ["pandas"]',
        "use an engine of the list in the message; `etlgen engines` shows them.",
    ),
    CodeInfo(
        "PMPLAN102",
        "the engine's library is not installed",
        "Engines are extras of etlgen-runtime, so that production installs only what it runs.",
        "$ pip install etlgen-runtime     # without an extra\n$ python -m pipelines.orders",
        "run the `pip install` line of the message.",
    ),
    CodeInfo(
        "PMPLAN103",
        "a profile does not fit",
        "A key of the profile is unknown, its value has the wrong type, or `assets` names what is neither a contract nor a link. "
        "A misspelt setting would otherwise have no effect.",
        '[tool.etlgen.profiles.production]\nasof = "2024-01-01"        # the key is as_of',
        "use the keys that the message lists.",
    ),
    CodeInfo(
        "PMPLAN104",
        "the source has no path",
        "The contract has no `source.path`, and the profile names no asset for it.",
        "source: { type: landing, format: csv }",
        "write `source.path`, set `assets` in the profile, or pass `--source`.",
    ),
    CodeInfo(
        "PMPLAN105",
        "the format of the files is not known",
        "Neither the contract nor the names of the files say which format they have, or the files have several.",
        "source: { type: landing, path: incoming/orders.txt }",
        "write `format:` (csv, json, jsonl or parquet).",
    ),
    CodeInfo(
        "PMPLAN106",
        "the package was generated without that engine",
        "A run on an engine needs its steps module, which `etlgen build` writes for the engines of the configuration only.",
        '[tool.etlgen.profiles.big]\nengine = "duckdb"          # and engines = ["polars"]',
        "add the engine to `engines` and run `etlgen build`.",
    ),
    CodeInfo(
        "PMPLAN107",
        "unknown encoding",
        "`source.options.encoding` is no name of a text encoding that Python knows.",
        "options: { encoding: utf8mb4 }",
        "use a name such as utf-8, latin-1, cp1252 or utf-16.",
    ),
    CodeInfo(
        "PMPLAN108",
        "a CSV dialect that cannot be read",
        "The delimiter, quote or comment prefix is longer than one character, not ASCII, or the same as another one.",
        'options: { delimiter: "||" }',
        "use single ASCII characters, such as a comma, a semicolon, a bar or a tab, and another one as quote.",
    ),
    CodeInfo(
        "PMPLAN110",
        "unknown profile",
        "`--profile` names neither a profile of the configuration nor a TOML or JSON file.",
        "$ etlgen run orders --profile prod",
        "use a name that the message lists, or add `[tool.etlgen.profiles.<name>]`; correct the path of a file.",
    ),
    CodeInfo(
        "PMPLAN111",
        "one target for several contracts",
        "`target` of a profile takes the place of the contract's target. Several contracts under it would write to one place, each "
        "overwriting the one before, so nothing runs.",
        'from pipelines import pipeline\npipeline.run(Profile(target="out"))',
        "remove `target`, or run one contract: `pipelines.orders.run(profile)`.",
    ),
    CodeInfo(
        "PMPLAN112",
        "rows that are no dataset",
        "Rows handed to `run()` are a `Dataset`, which says the model that they follow; a bare frame does not.",
        "orders.run(orders=polars.LazyFrame({}))",
        "wrap the frame: `dataset(frame, OrderSource)` of `etlgen_runtime.engines.polars`.",
    ),
    CodeInfo(
        "PMPLAN120",
        "a path that leads out of the root",
        "A file that a contract names or finds, or a place it writes to, lies outside of the root of the run once `..` and symbolic "
        "links are resolved, and the profile does not allow it. What `assets`, `target` and `state_dir` of the profile name is "
        "allowed by being named there. Nothing was read.",
        "source: { type: landing, path: incoming }      # incoming -> /mnt/landing",
        'name the place in `assets` or `target` of the profile, or its folder in `allowed_folders = ["/mnt/landing"]`.',
    ),
    CodeInfo(
        "PMPLAN121",
        "a pattern that cannot be used",
        "`source.pattern` is relative to the folder of `source.path`, and `**` stands for whole folders.",
        'source: { type: landing, path: incoming, pattern: "a**.csv" }',
        "write a pattern such as `*.csv` or `**/*.csv`.",
    ),
)

CODES: dict[str, CodeInfo] = {info.code: info for info in _INFOS}
