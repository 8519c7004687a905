"""Typed hand-over between the steps of a run.

Each value says in its type which model its rows follow and which step made it, so a program that skips or swaps a step
does not type-check. The frame inside belongs to one engine and is reached through that engine's typed accessor
(``etlgen_runtime.engines.polars.frame_of``).
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Generic, Literal, TypeVar, dataclass_transform

from etlgen_runtime.diagnostics import Diagnostic, ExecutionError, PlanError

M = TypeVar("M")
T = TypeVar("T")


class Pre:
    """Marks rules and checked rows of step 4."""


class Post:
    """Marks rules and checked rows of step 7."""


P = TypeVar("P")


class _Rows(Generic[M]):
    """Rows of one model in one engine's frame."""

    __slots__ = ("_frame", "_model")

    def __init__(self, model: type[M], frame: object) -> None:
        self._model = model
        self._frame = frame

    @property
    def model(self) -> type[M]:
        """The model that each row follows."""
        return self._model

    @property
    def native(self) -> object:
        """The engine's own frame; use the engine's accessor for a typed one."""
        return self._frame

    def __repr__(self) -> str:
        return f"{type(self).__name__}[{self._model.__name__}]"


class Dataset(_Rows[M]):
    """Rows at a boundary: what steps 1, 2, 5 and 6, links and user code hand on."""

    __slots__ = ()


def require_dataset(rows: object, model: type[Any]) -> None:
    """Refuse rows without a model, such as a bare frame.

    Raises:
        PlanError: PMPLAN112.
    """
    if not isinstance(rows, Dataset):
        raise PlanError(
            Diagnostic(
                code="PMPLAN112",
                message=f"the rows handed to run() are no Dataset: they are of type `{type(rows).__name__}`",
                node="source",
                help=f"wrap a frame with `dataset(frame, {model.__name__})` of the engine's module",
            )
        )


class Typed(_Rows[M]):
    """Rows whose columns have the declared types (steps 3 and 6); values that did not fit are remembered."""

    __slots__ = ()


class Checked(_Rows[M], Generic[M, P]):
    """Rows with their failed rules (steps 4 and 7)."""

    __slots__ = ()


class Accepted(_Rows[M]):
    """Rows that passed step 7; the only thing that a target takes."""

    __slots__ = ()


Input = Annotated[Dataset[T], "input"]
Output = Annotated[Dataset[T], "output"]


def output(*, init: Literal[False] = False) -> Any:
    """Declare an output of a :class:`Transformation`. The run fills it; it is no argument of the constructor.

    The result is ``Any`` because it stands as the default of a field of any type, as ``dataclasses.field`` does.
    """
    return _OUTPUT


class _OutputMarker:
    """The class attribute behind an output until the run has filled it."""

    @property
    def native(self) -> object:
        """There is none yet.

        Raises:
            ExecutionError: PMEXEC109.
        """
        raise ExecutionError(
            Diagnostic(
                code="PMEXEC109",
                message="an output of a transformation was read before `run.transform` filled it",
                node="run",
                help="write `run.transform(Transformation(...)).result`",
            )
        )

    def __repr__(self) -> str:
        return "output()"


_OUTPUT = _OutputMarker()


@dataclass_transform(kw_only_default=True, field_specifiers=(output,))
class Transformation:
    """Base of the generated interfaces: inputs are keyword arguments, outputs are filled by ``run.transform``.

    Raises:
        TypeError: An input is missing, unknown, or no dataset.
    """

    input_names: ClassVar[tuple[str, ...]] = ()
    output_names: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        names = [name for name in cls.__annotations__ if not name.startswith("_")]
        cls.output_names = tuple(name for name in names if isinstance(cls.__dict__.get(name), _OutputMarker))
        cls.input_names = tuple(name for name in names if name not in cls.output_names)

    def __init__(self, **inputs: object) -> None:
        missing = [name for name in self.input_names if name not in inputs]
        unknown = [name for name in inputs if name not in self.input_names]
        if missing or unknown:
            raise TypeError(
                f"{type(self).__name__} takes {', '.join(self.input_names)}"
                + (f"; missing: {', '.join(missing)}" if missing else "")
                + (f"; unknown: {', '.join(unknown)}" if unknown else "")
            )
        for name, value in inputs.items():
            if not isinstance(value, Dataset):
                raise TypeError(f"{type(self).__name__}.{name} must be a Dataset, not {type(value).__name__}")
            setattr(self, name, value)

    def inputs(self) -> dict[str, Dataset[Any]]:
        """The input datasets by name. ``Any``: each has a model of its own, known to the class that declares it."""
        return {name: getattr(self, name) for name in self.input_names}
