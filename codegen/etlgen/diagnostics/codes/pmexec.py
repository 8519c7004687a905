"""PMEXEC: what stops a run while it is executing. Nothing is published then; the target is as it was."""

from __future__ import annotations

from etlgen.diagnostics.codes import CodeInfo

_INFOS = (
    CodeInfo(
        "PMEXEC101",
        "the run stopped with an error of the engine or of user code",
        "Something raised that is no finding about data or plan. The message names the kind of error and never a value; the traceback "
        "is the cause of the exception that `run()` raises.",
        "RunFailed: run of `orders` failed: PMEXEC101: the run stopped with ComputeError",
        "read the cause; if it is not code of yours, report it.",
    ),
    CodeInfo(
        "PMEXEC102",
        "the target or the quarantine cannot be written",
        "The file system refused: permission, a full disk, a folder where a file is expected. What was published before is intact.",
        "materialization: { target_path: /data/orders, format: parquet }    # a read-only mount",
        "check permissions and free space, then run again.",
    ),
    CodeInfo(
        "PMEXEC103",
        "the row accounts do not add up",
        "Rows are counted at every boundary. The counts of two neighbours differ by more than the operations between them removed or "
        "added, so a row was lost or invented; or a row was flagged as bad for which no rule failed when it was written. Nothing is "
        "published.",
        "rows after step 2 = bad_pre + good: 1000 is not 999",
        "this is a defect of an operation or of code that was passed in: report it with the accounts of the message.",
    ),
    CodeInfo(
        "PMEXEC104",
        "a callback raised",
        "A function passed in `Callbacks` raised; the run fails with the callback named.",
        "run(callbacks=Callbacks(on_rows=lambda rows: 1 / 0))",
        "correct the callback; its exception is the cause of the one that `run()` raises.",
    ),
    CodeInfo(
        "PMEXEC105",
        "cleanup left files where they were",
        "The data are published, but a consumed input file could not be archived or deleted. A warning, or with "
        "`cleanup_is_blocking: true` a failure of the run.",
        "source: { type: landing, path: incoming, post_ingestion: { action: archive, archive_path: archive } }",
        "move the files that the report names by hand, or give the run the right to do so.",
    ),
    CodeInfo(
        "PMEXEC106",
        "the report cannot be written",
        "The state folder (`.etlgen/`, or `state_dir` of the profile) cannot be written.",
        "$ chmod -w .etlgen && etlgen run orders",
        "give the run write access, or set `state_dir` in the profile.",
    ),
    CodeInfo(
        "PMEXEC107",
        "a dataset rule could not be computed",
        "DuckDB refused or stopped the query of a dataset rule over what was staged. Its message may hold values and is not shown.",
        "dataset_rules: [{ name: ratio, sql: SELECT sum(amount) / count(*) FROM source }]",
        "run the query by hand on the staged data, then correct the rule.",
    ),
    CodeInfo(
        "PMEXEC108",
        "another run is writing to the target",
        "Two runs on one target at once: the one that came first goes on, the other fails; nothing of it was published. Or the first was "
        "killed after the second began.",
        "etlgen run orders & etlgen run orders",
        "wait for the other run to end; if it was killed, run again: that finishes it.",
    ),
    CodeInfo(
        "PMEXEC109",
        "an output read before the run filled it",
        "A program takes the output of a transformation that was never handed to `run.transform`.",
        "typed = run.enforce_schema(PrepareOrders(orders=raw).result, TYPED)",
        "write `run.transform(PrepareOrders(orders=raw)).result`.",
    ),
    CodeInfo(
        "PMEXEC110",
        "the engine stopped",
        "The engine raised while the fused steps were executing. Its message may hold values of the data and is not shown; the target is "
        "unchanged.",
        "Polars stopped with ComputeError",
        "the exception is the cause of the one that `run()` raises: look at it in a debugger, and report it if the data are well-formed.",
    ),
    CodeInfo(
        "PMEXEC111",
        "a run that died was finished",
        "A run was killed after it had decided what to publish, and had written that into its journal. The next run carried it out before "
        "it began. Where it is the next run of the same contract over the same input, that outcome is reported as its own: nothing is "
        "read or published again, so nothing is appended twice.",
        "$ etlgen run orders    # killed\n$ etlgen run orders    # info[PMEXEC111]: run `...` of `orders` died after its decision; ...",
        "nothing is wrong. To process the same input once more, run again.",
    ),
    CodeInfo(
        "PMEXEC112",
        "the journal of a run is damaged",
        "`.etlgen/journal` holds what killed runs had decided. A line cut off by the kill is expected and ignored; this file is something "
        "else, or of another version, so nobody knows what that run was about to publish. A journal that names places where this run may "
        "not read or write, or another root, is refused as well, and nothing of it is done; runs of other targets are warned.",
        "$ echo hello > .etlgen/journal/20240301T120000000000-0a1b2c.jsonl && etlgen run orders",
        "where a run with another profile left it, run once with that profile. Else compare target, quarantine and input of the run that "
        "names the file, then remove the file.",
    ),
    CodeInfo(
        "PMEXEC113",
        "a run that died cannot be finished",
        "A run was killed after it had decided what to publish, and what is left to do is refused: the target cannot be written, or the "
        "staged rows are gone, or its journal was cut after rows were published. In the way of its own target this is an error; runs of "
        "other targets are warned. Where the quarantined rows alone are gone, the run is finished with a warning.",
        "$ etlgen run orders    # killed\n$ chmod -w data/orders && etlgen run orders",
        "do what the reason says, then run again. Where the staged rows are gone, the run starts from the beginning.",
    ),
    CodeInfo(
        "PMEXEC114",
        "the run was interrupted",
        "Ctrl-C, or a call of `sys.exit`, stopped the run before it had decided what to publish. What it staged is removed. After the "
        "decision an interrupt is like a kill: the next run finishes what is left to do.",
        "$ etlgen run orders    # Ctrl-C",
        "run again.",
    ),
    CodeInfo(
        "PMEXEC115",
        "the outcome is that of an earlier contract",
        "A run was killed after its decision, and then the contract was built anew from other text, or `as_of` of the profile was changed. "
        "The run that died is finished, and as its rows are appended already, they are not appended once more. An overwrite is simply "
        "carried out again, and has no such warning.",
        "$ etlgen run orders    # killed\n$ etlgen build       # of a changed contract\n$ etlgen run orders",
        "nothing is wrong with what is published. To process the same input with the changed contract too, run again.",
    ),
)

CODES: dict[str, CodeInfo] = {info.code: info for info in _INFOS}
