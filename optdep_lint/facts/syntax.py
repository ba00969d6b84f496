"""The statements and expressions of a summary: Python's syntax, less what no world can feel.

Nodes are named tuples, so that they are immutable, small, and quick to build. `at` is a packed position
(see `position`). Two nodes of different types can compare equal, as tuples do: key on identity, never on value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from typing_extensions import Self, dataclass_transform

    @dataclass_transform(frozen_default=True)
    class Node:
        """What a type checker sees of a node: checking tuples that hold each other in a circle takes it hours."""

        _fields: ClassVar[tuple[str, ...]]

        def _replace(self, **changes: Any) -> Self: ...

else:
    Node = NamedTuple

# --- expressions -------------------------------------------------------------------------------------------------


class Constant(Node):
    """A literal."""

    value: str | int | float | bool | None


class Name(Node):
    """A name that is read."""

    id: str
    at: int


class Attribute(Node):
    """`value.name`"""

    value: Expression
    name: str
    at: int


class Keyword(Node):
    """`name=value` in a call; `**value` where name is None."""

    name: str | None
    value: Expression


class Call(Node):
    """`function(*arguments, **keywords)`"""

    function: Expression
    arguments: tuple[Expression, ...]
    keywords: tuple[Keyword, ...]
    at: int


class Subscript(Node):
    """`value[index]`"""

    value: Expression
    index: Expression
    at: int


class Starred(Node):
    """`*value`"""

    value: Expression


class Not(Node):
    """`not operand`"""

    operand: Expression


class Boolean(Node):
    """`a and b`, `a or b`."""

    operator: str
    """`and` or `or`."""
    operands: tuple[Expression, ...]


class Compare(Node):
    """`left op right op right ...`"""

    left: Expression
    operators: tuple[str, ...]
    """As they are written: `==`, `is not`, `not in`."""
    rights: tuple[Expression, ...]


class Binary(Node):
    """`left op right`, arithmetic and the like."""

    operator: str
    left: Expression
    right: Expression
    at: int


class Conditional(Node):
    """`body if test else orelse`"""

    test: Expression
    body: Expression
    orelse: Expression


class Collection(Node):
    """A tuple, list or set display."""

    kind: str
    """`tuple`, `list` or `set`."""
    elements: tuple[Expression, ...]


class Mapping(Node):
    """A dictionary display; a key of None is a `**` unpacking."""

    keys: tuple[Expression | None, ...]
    values: tuple[Expression, ...]


class Generator(Node):
    """One `for target in iterable if tests` of a comprehension."""

    target: Target
    iterable: Expression
    tests: tuple[Expression, ...]


class Comprehension(Node):
    """A comprehension or generator expression; for a dict, `element` is its value and `key` its key."""

    kind: str
    """`list`, `set`, `dict` or `generator`."""
    element: Expression
    key: Expression | None
    generators: tuple[Generator, ...]


class Lambda(Node):
    """An anonymous function; its body is a block with one Return."""

    parameters: Parameters
    body: int
    """Index into the summary's bodies."""
    at: int


class Walrus(Node):
    """`target := value`"""

    target: str
    value: Expression
    at: int


class Format(Node):
    """An f-string: text and values in order."""

    parts: tuple[Expression, ...]


class Yield(Node):
    """`yield value`, also `yield from`."""

    value: Expression | None
    at: int


class Opaque(Node):
    """Anything else: its parts are evaluated, its value is unknown."""

    parts: tuple[Expression, ...]


Expression: TypeAlias = (
    Constant
    | Name
    | Attribute
    | Call
    | Subscript
    | Starred
    | Not
    | Boolean
    | Compare
    | Binary
    | Conditional
    | Collection
    | Mapping
    | Comprehension
    | Lambda
    | Walrus
    | Format
    | Yield
    | Opaque
)

Target: TypeAlias = Name | Attribute | Subscript | Starred | Collection | Opaque
"""What can stand left of `=`."""

# --- functions and classes ---------------------------------------------------------------------------------------


class Parameter(Node):
    """One parameter of a function."""

    name: str
    kind: str
    """`positional`, `either`, `keyword`, `*` or `**`."""
    annotation: Expression | None
    default: Expression | None


Parameters: TypeAlias = tuple[Parameter, ...]


class Function(Node):
    """`def`, `async def`."""

    name: str
    parameters: Parameters
    decorators: tuple[Expression, ...]
    returns: Expression | None
    body: int
    """Index into the summary's bodies: decoded only when somebody follows a call."""
    kind: str
    """`plain`, `generator`, `async` or `async generator`."""
    generic: bool
    """It has type parameters, in whose scope the annotations stand."""
    at: int


class Class(Node):
    """`class`"""

    name: str
    bases: tuple[Expression, ...]
    keywords: tuple[Keyword, ...]
    decorators: tuple[Expression, ...]
    body: Block
    generic: tuple[str, ...]
    """The names of its type parameters."""
    at: int


# --- statements --------------------------------------------------------------------------------------------------


class Alias(Node):
    """`name as asname`"""

    name: str
    asname: str | None


class Import(Node):
    """`import a.b as c, d`"""

    names: tuple[Alias, ...]
    lazy: bool
    at: int


class ImportFrom(Node):
    """`from ..module import name as asname`"""

    module: str
    """Empty where only dots are written."""
    level: int
    names: tuple[Alias, ...]
    lazy: bool
    at: int


class Assign(Node):
    """`a = b = value`"""

    targets: tuple[Target, ...]
    value: Expression
    at: int


class Annotated(Node):
    """`target: annotation = value`"""

    target: Target
    annotation: Expression
    value: Expression | None
    at: int


class Augmented(Node):
    """`target += value`"""

    target: Target
    operator: str
    value: Expression
    at: int


class Evaluate(Node):
    """An expression statement."""

    value: Expression
    at: int


class If(Node):
    """`if test`; `elif` is an If alone in `orelse`."""

    test: Expression
    body: Block
    orelse: Block
    at: int


class Handler(Node):
    """`except type as name`"""

    type: Expression | None
    name: str | None
    body: Block
    at: int


class Try(Node):
    """`try`"""

    body: Block
    handlers: tuple[Handler, ...]
    orelse: Block
    final: Block
    star: bool
    at: int


class Item(Node):
    """`context as target`"""

    context: Expression
    target: Target | None


class With(Node):
    """`with`"""

    items: tuple[Item, ...]
    body: Block
    at: int


class For(Node):
    """`for target in iterable`"""

    target: Target
    iterable: Expression
    body: Block
    orelse: Block
    at: int


class While(Node):
    """`while test`"""

    test: Expression
    body: Block
    orelse: Block
    at: int


class Pattern(Node):
    """A `match` pattern, as far as it can be decided."""

    kind: str
    """`value` (equal to the expression), `any` (always matches), `either` (one of the parts) or `other`."""
    value: Expression | None
    parts: tuple[Pattern, ...]
    names: tuple[str, ...]
    """What it binds when it matches."""


class Case(Node):
    """`case pattern if guard`"""

    pattern: Pattern
    guard: Expression | None
    body: Block


class Match(Node):
    """`match subject`"""

    subject: Expression
    cases: tuple[Case, ...]
    at: int


class Return(Node):
    """`return value`"""

    value: Expression | None
    at: int


class Raise(Node):
    """`raise exception from cause`"""

    exception: Expression | None
    cause: Expression | None
    at: int


class Assert(Node):
    """`assert test, message`"""

    test: Expression
    message: Expression | None
    at: int


class Delete(Node):
    """`del targets`"""

    targets: tuple[Target, ...]
    at: int


class Scope(Node):
    """`global names`, `nonlocal names`."""

    kind: str
    names: tuple[str, ...]


class AliasStatement(Node):
    """`type name = ...`: the value is evaluated only when asked for."""

    name: str
    at: int


class Break(Node):
    """`break`"""

    at: int


class Continue(Node):
    """`continue`"""

    at: int


Statement: TypeAlias = (
    Import
    | ImportFrom
    | Assign
    | Annotated
    | Augmented
    | Evaluate
    | If
    | Try
    | With
    | For
    | While
    | Match
    | Function
    | Class
    | Return
    | Raise
    | Assert
    | Delete
    | Scope
    | AliasStatement
    | Break
    | Continue
)

Block: TypeAlias = tuple[Statement, ...]

NODES: tuple[type, ...] = (
    Constant, Name, Attribute, Keyword, Call, Subscript, Starred, Not, Boolean, Compare, Binary, Conditional, Collection,
    Mapping, Generator, Comprehension, Lambda, Walrus, Format, Yield, Opaque, Parameter, Function, Class, Alias, Import,
    ImportFrom, Assign, Annotated, Augmented, Evaluate, If, Handler, Try, Item, With, For, While, Pattern, Case, Match,
    Return, Raise, Assert, Delete, Scope, AliasStatement, Break, Continue,
)  # fmt: skip
"""Every node type; its index is its tag in the encoded form, so append, never reorder."""
