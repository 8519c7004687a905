"""GEN: the project, its configuration and its generated files."""

from __future__ import annotations

from etlgen.diagnostics.codes import CodeInfo

_INFOS = (
    CodeInfo(
        "GEN-001",
        "no contract found",
        "The folders and patterns under `contracts` hold no file named `*.olc.yaml`, `*.odcs.yaml` (or `.yml`). A lint or build "
        "that silently checks nothing would look like success.",
        '[tool.etlgen]\ncontracts = ["contract"]     # the folder is called contracts',
        "name the folder of your contracts, or start with `etlgen init`.",
    ),
    CodeInfo(
        "GEN-002",
        "a file of settings cannot be parsed",
        "pyproject.toml, etlgen.toml or the file of a profile is not valid TOML or JSON, so no setting in it is known.",
        "[tool.etlgen]\ncontracts = [contracts]      # strings need quotes",
        "correct the line that is shown.",
    ),
    CodeInfo(
        "GEN-003",
        "unknown configuration key",
        "`[tool.etlgen]` holds a key that etlgen does not know. A misspelt setting would otherwise have no effect.",
        '[tool.etlgen]\ncontract = ["contracts"]',
        "use one of: contracts, output, package, engines, profiles, templates, exclude, limits.",
    ),
    CodeInfo(
        "GEN-004",
        "a configuration value does not fit",
        "A setting has another type than it needs, or a value that cannot be used (a package name that is no Python identifier, or that of an installed package).",
        '[tool.etlgen]\npackage = "my-pipelines"',
        "write the value in the form the message names.",
    ),
    CodeInfo(
        "GEN-005",
        "file or folder not found",
        "A contract, folder or data file named on the command line or in the configuration does not exist.",
        "$ etlgen build contracts/ordres.olc.yaml",
        "check the spelling; paths are relative to the folder of the configuration file.",
    ),
    CodeInfo(
        "GEN-006",
        "a generated file was edited by hand",
        "The content of a generated file is not what etlgen wrote. Writing over it would lose the edit, keeping it would leave the "
        "pipeline out of step with its contract.",
        "$ $EDITOR pipelines/orders/pipeline.py\n$ etlgen build",
        "move the change into the contract or into a module of your own, then `etlgen build --force`.",
    ),
    CodeInfo(
        "GEN-007",
        "a file of yours is in the way",
        "A file that etlgen did not write has the name of a file it wants to write.",
        'pipelines/orders/models.py     # written by hand, and package = "pipelines"',
        "choose another `package` or `output`, move the file, or overwrite it with `etlgen build --force`.",
    ),
    CodeInfo(
        "GEN-008",
        "two contracts give one package",
        "Each contract becomes one package, named by `info.table_name`, else `dataset`, else the file. Two contracts of this project "
        "have the same name.",
        "contracts/a.olc.yaml: info: { table_name: orders }\ncontracts/b.olc.yaml: info: { table_name: orders }",
        "rename one table, or leave one of them out with `exclude`.",
    ),
    CodeInfo(
        "GEN-009",
        "a file cannot be read or written",
        "The operating system refused: permission, a full disk, a folder where a file is expected.",
        "$ chmod -w pipelines && etlgen build",
        "give etlgen the access it needs; nothing was half-written.",
    ),
    CodeInfo(
        "GEN-010",
        "no contract of that name",
        "The argument is neither the path of a contract file nor the name of a contract of this project.",
        "$ etlgen run ordres",
        "use a path or one of the names the message lists.",
    ),
    CodeInfo(
        "GEN-011",
        "unknown diagnostic code",
        "`etlgen explain` and `--select`/`--ignore` take codes of docs/diagnostics.md or their beginnings.",
        "$ etlgen explain PHS-999",
        "use one of the codes the message lists.",
    ),
    CodeInfo(
        "GEN-012",
        "`etlgen init` would overwrite a file",
        "A file that `init` wants to write is already there.",
        "$ etlgen init .     # in a folder with a pyproject.toml",
        "choose an empty folder.",
    ),
    CodeInfo(
        "GEN-013",
        "the generated package cannot be imported",
        "The package that `etlgen build` wrote does not import: a file is missing, or a library it needs is not installed.",
        "$ etlgen run orders     # without polars installed",
        "read the reason in the message; `etlgen doctor` shows what is installed.",
    ),
    CodeInfo(
        "GEN-014",
        "an option does not fit the command",
        "A combination of arguments that means nothing, such as one `--source`, or a profile with one `target`, for several "
        "contracts, or a time that is no ISO 8601 time.",
        "$ etlgen run all --source orders.csv",
        "follow the message; `etlgen COMMAND --help` shows what is possible.",
    ),
    CodeInfo(
        "GEN-015",
        "the models cannot be generated",
        "The generator of Pydantic models refused the schema that etlgen made of a contract, most likely because of unusual column "
        "names. It is a defect of etlgen that such a name gets this far.",
        'model: { fields: [{ name: "…", type: string }] }',
        "rename the unusual columns, and report the contract.",
    ),
    CodeInfo(
        "GEN-017",
        "contracts read one another in a ring",
        "Every contract of the ring needs the output of another one first (by `upstream`, or because its source or a link lies at "
        "the other one's target), so there is no order in which they can run.",
        "orders:    upstream: [customers]\ncustomers: links: [{ name: orders, path: data/silver/orders }]",
        "break the ring: read the original source in one of them, or merge two contracts.",
    ),
    CodeInfo(
        "GEN-018",
        "an engine cannot say an expression",
        "An operation or a rule uses a function, or a computed argument, that an engine of the configuration cannot compute with "
        "exactly the specified meaning. Something similar is never generated in its place.",
        'transformations:\n  - derive: { field: day, sql: "strptime(text, other_column)" }',
        "write the expression with functions that the engine has, or leave the engine out of `engines`.",
    ),
    CodeInfo(
        "GEN-019",
        "a template cannot be used",
        "A template of your own has a mistake, gives text that is no Python, or prints text of the contract without one of the "
        "filters `literal`, `text`, `doc`, `line`, `paragraph`, `listed`. Printed plainly, such text could become code.",
        "title = {{ contract.title }}      # {{ contract.title | literal }}",
        "correct the template; the built-in ones show each filter in use.",
    ),
    CodeInfo(
        "GEN-020",
        "not a contract of the project",
        "`etlgen build` or `etlgen run` was asked for a file that `contracts` of the configuration does not reach, or that `exclude` leaves out. "
        "The next build of everything would remove what was generated from it.",
        '$ etlgen build drafts/orders.olc.yaml     # contracts = ["contracts"]',
        "add the file or its folder to `contracts`, or move it there.",
    ),
)

CODES: dict[str, CodeInfo] = {info.code: info for info in _INFOS}
