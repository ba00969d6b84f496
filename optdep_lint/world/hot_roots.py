"""Which functions run on every step: implementations of operations, `forward` of modules, what is compiled, what is configured."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import NamedTuple

from optdep_lint.facts import syntax
from optdep_lint.facts.syntax import Expression
from optdep_lint.facts.walk import all_expressions, last_name
from optdep_lint.world.hot_mentions import Mentions
from optdep_lint.world.hot_scope import Scopes
from optdep_lint.world.hot_sites import Site
from optdep_lint.world.own_calls import own_calls
from optdep_lint.world.survey import Survey
from optdep_lint.world.values import ClassValue, Descriptor, External, FunctionValue, Value

TENSOR_LIBRARIES = frozenset({
    "torch", "tensorflow", "keras", "tf_keras", "jax", "flax", "haiku", "equinox", "mlx", "paddle", "mindspore", "mxnet",
    "chainer", "tinygrad", "pytorch_lightning", "lightning", "oneflow",
})  # fmt: skip
_MODULE_BASE = re.compile(r"(Module|Layer|Cell|Network)$")
_MODULE_BASES = frozenset(
    {"Module", "Layer", "Model", "Cell", "Block", "HybridBlock", "Chain", "Link", "Function", "Sequential"}
)
_FORWARD = re.compile(
    r"forward(_\w+)?|__call__|call|construct|hybrid_forward|(training|validation|test|predict)_step|apply_forward"
)
_REGISTERING = re.compile(
    r"torch(\.library|\._library\.\w+|\._custom_ops?\w*(\.\w+)?)\.(custom_op|triton_op|impl|register_kernel|register_autograd)"
    r"|torch\._custom_ops\.(impl|impl_backward)|(\w+\.)+(direct_)?register_custom_op"
)
_COMPILING = re.compile(
    r"torch\.(compile|_dynamo\.optimize|jit\.(script|trace|export))"
    r"|torch\.cuda\.(amp\.)?(custom_fwd|make_graphed_callables)|torch\.amp\.custom_fwd"
    r"|(jax|flax\.\w+|equinox|haiku)\.(\w+\.)?(jit|filter_jit|pmap|vmap|grad|value_and_grad|custom_vjp|custom_jvp|checkpoint|remat|scan|compact)"
    r"|tensorflow\.(function|custom_gradient)|(numba|numba\.\w+)\.(jit|njit|vectorize|guvectorize|stencil|cfunc)"
    r"|mlx\.core\.compile|paddle\.jit\.to_static|cupy\.fuse|taichi\.(kernel|func)"
)
_WITHOUT_GRADIENTS = re.compile(r"torch\.(autograd\.(grad_mode\.)?)?(no_grad|inference_mode)|paddle\.no_grad")
_COLD_NAME = re.compile(
    r"_*(init|reset|load|save|convert|post_|prepare_|from_|export|setup|build|register|test_|main$|pack|quantize|merge|fuse|create"
    r"|calibrate|warm|make_|set_|capture|compile|process_weights|update_weights)|.*(weight|state_dict|checkpoint|warm_?up)"
)
"""What functions are called that prepare: `no_grad` over them says nothing about how often they run."""
_FOR_TRACING = re.compile(r"fake|meta|abstract|setup_context|vmap")
"""Arguments of registrations that run only while something is traced."""
_STAGE = re.compile(
    r"(Stage|Pipeline|Runner|Proxy|Server|Client|Handler|Worker|Scheduler|Loader|Processor|Manager|Engine)\b"
)
"""Classes whose `forward` runs once a request, or forwards a message."""
_PASS = re.compile(r"(Stage|Pipeline)\.")
"""Classes that are gone through once a request: that they do so without gradients says nothing about steps."""
_NEAR = 2
_DEEPEST = 3
_MOST_INNER = 8


_COMPILERS = frozenset({"numba", "cupy", "taichi"})


def knows_heat(survey: Survey) -> bool:
    """The project works with tensors, or compiles something, or says by configuration what runs on every step."""
    libraries = TENSOR_LIBRARIES | _COMPILERS
    return bool(survey.config.hot_paths) or any(
        name.partition(".")[0] in libraries for source in survey.tree.sources.values() for name in source.summary.asks
    )


class Root(NamedTuple):
    """A function that runs on every step, and why."""

    site: Site
    why: str
    reach: int = 12
    """Through how many calls its heat spreads: the less sure the root, the fewer."""


class Roots:
    """Finds where the heat comes from."""

    def __init__(self, survey: Survey, scopes: Scopes, mentions: Mentions) -> None:
        self._survey, self._scopes, self._mentions = survey, scopes, mentions
        self._heating: dict[int, dict[str, str]] = {}
        self._likes: dict[int, bool] = {}

    def find(self) -> Iterator[Root]:
        """All roots that can lead to something of interest; a function may have several reasons."""
        for module in self._mentions.modules if self._mentions.names else ():
            yield from self._registered(module, None)
        for site in self._mentions.leading():
            yield from self._of(site)
            if self._mentions_heat(site):
                yield from self._within(site)
        yield from self._by_another_name()

    def _within(self, site: Site) -> Iterator[Root]:
        """What a function registers or compiles while it runs."""
        yield from self._registered(site.module, site)
        for inner in self._scopes.inner_sites(site):
            yield from self._decorated(inner, site)

    def _of(self, site: Site) -> Iterator[Root]:
        dotted = f"{site.module}.{site.name}"
        if any(fnmatchcase(dotted, glob) for glob in self._survey.config.hot_paths):
            yield Root(site, "a hot path by configuration")
        yield from self._decorated(site, None)
        method = site.name.rpartition(".")[2]
        if "." in site.name and _FORWARD.fullmatch(method) and len(site.node.parameters) > 1:
            if self._is_like_module(site):
                yield Root(site, f"`{method}` of a module")
            elif method == "forward" and self._knows_tensors(site.module) and not _STAGE.search(site.name):
                yield Root(site, "`forward`, in a file that works with tensors", _NEAR)
        elif method == "backward" and self._is_like_module(site):
            yield Root(site, "`backward` of a module")

    def _by_another_name(self) -> Iterator[Root]:
        """Functions that a class binds as its `forward`."""
        for class_ in self._scopes.classes.values():
            for name, value in class_.names.items():
                if _FORWARD.fullmatch(name) and isinstance(value, FunctionValue) and value.name != name:
                    site = self._scopes.site_of(value)
                    if site is not None and self._is_like(class_):
                        yield Root(site, f"`{name}` of a module")

    # --- classes -------------------------------------------------------------------------------------------------

    def _knows_tensors(self, module: str) -> bool:
        asks = self._survey.tree.sources[module].summary.asks
        return any(name.partition(".")[0] in TENSOR_LIBRARIES for name in asks)

    def _is_like_module(self, site: Site) -> bool:
        return site.owner is not None and self._is_like(site.owner)

    def _is_like(self, class_: ClassValue) -> bool:
        known = self._likes.get(id(class_))
        if known is None:
            self._likes[id(class_)] = False
            tensors = self._knows_tensors(class_.module.name)
            known = self._likes[id(class_)] = any(self._is_base(base) for base in class_.bases) or (
                tensors
                and class_.node is not None
                and any(_MODULE_BASE.search(last_name(base)) for base in class_.node.bases)
            )
        return known

    def _is_base(self, base: Value) -> bool:
        if isinstance(base, ClassValue):
            return self._is_like(base)
        if not isinstance(base, External):
            return False
        root, last = base.path.partition(".")[0], base.path.rpartition(".")[2]
        return root in TENSOR_LIBRARIES and (last in _MODULE_BASES or _MODULE_BASE.search(last) is not None)

    # --- decorators and calls ------------------------------------------------------------------------------------

    def _decorated(self, site: Site, outer: Site | None) -> Iterator[Root]:
        for decorator in site.node.decorators:
            function = decorator.function if isinstance(decorator, syntax.Call) else decorator
            values = list(self._scopes.values(function, outer, site.module))
            if isinstance(decorator, syntax.Call) and any(
                getattr(value, "path", "") == "functools.partial" for value in values
            ):
                function = decorator.arguments[0]
                values = list(self._scopes.values(function, outer, site.module))
            why = next((why for value in values if (why := self._heats_decorated(value))), "")
            if not why and isinstance(function, syntax.Attribute) and function.name in ("impl", "register_kernel"):
                why = _REGISTERED if self._knows_tensors(site.module) else ""
            if why and not _is_cold(site, why):
                yield Root(site, why)

    def _heats_decorated(self, value: Value) -> str:
        match value:
            case External(path=path):
                return _reason(path)
            case FunctionValue():
                return next(iter(self._heated_parameters(value, 0).values()), "")
        return ""

    def _registered(self, module: str, site: Site | None) -> Iterator[Root]:
        """What is handed to a call that registers or compiles, at the top of a module or in a function."""
        if site is None:
            calls = own_calls(self._survey, self._survey.tree.sources[module])
        else:
            calls = [one for one in all_expressions(self._scopes.body(site)) if isinstance(one, syntax.Call)]
        for node in calls:
            if not self._mentions.names.isdisjoint(self._handed(node, module)):
                for argument, why in self._heated_arguments(node, site, module):
                    for found in self._named(argument, site, module):
                        if not _is_cold(found, why):
                            yield Root(found, why)

    def _handed(self, call: syntax.Call, module: str) -> Iterator[str]:
        """The last parts of the names that a call is given, or that a lambda which it is given calls."""
        for one in (*call.arguments, *(keyword.value for keyword in call.keywords)):
            if isinstance(one, syntax.Lambda):
                yield from (last_name(called) for called in self._called_in(one, module))
            yield last_name(one)

    def _called_in(self, node: syntax.Lambda, module: str) -> Iterator[Expression]:
        body = self._survey.tree.sources[module].summary.body_of(node.body)
        yield from (part.function for part in all_expressions(body) if isinstance(part, syntax.Call))

    def _named(self, argument: Expression, site: Site | None, module: str) -> Iterator[Site]:
        """The functions that an argument stands for, those among them whose name is bound anew, as in `f = compile(f)`; of a lambda, those that it calls."""
        if isinstance(argument, syntax.Lambda):
            for called in self._called_in(argument, module):
                yield from self._named(called, site, module)
            return
        for value in self._scopes.values(argument, site, module):
            function = value.function if isinstance(value, Descriptor) else value
            found = self._scopes.site_of(function) if isinstance(function, FunctionValue) else None
            if found is not None:
                yield found
        if site is None and isinstance(argument, syntax.Name):
            yield from (one for one in self._scopes.sites(module) if one.name == argument.id)

    def _heated_arguments(
        self, call: syntax.Call, site: Site | None, module: str, depth: int = 0
    ) -> Iterator[tuple[Expression, str]]:
        named = [one.value for one in call.keywords if not _FOR_TRACING.search(one.name or "")]
        passed = [*call.arguments, *named]
        if not any(isinstance(one, (syntax.Name, syntax.Attribute, syntax.Lambda)) for one in passed):
            return
        for value in self._scopes.values(call.function, site, module):
            function = value.function if isinstance(value, Descriptor) else value
            match function:
                case External(path=path) if why := _reason(path):
                    yield from ((argument, why) for argument in (passed if why == _REGISTERED else passed[:1]))
                    return
                case FunctionValue() if depth < _DEEPEST:
                    yield from _arguments_for(function, call, self._heated_parameters(function, depth + 1))
                    return
        match call:
            case syntax.Call(function=syntax.Attribute(name="impl"), arguments=(_, argument, *keys)):
                if self._knows_tensors(module) and syntax.Constant("Meta") not in keys:
                    yield argument, _REGISTERED
            case syntax.Call(function=syntax.Attribute(name=name), arguments=(argument, *_)):
                if _HOOKING.fullmatch(name) and self._knows_tensors(module):
                    yield argument, _HOOKED

    def _heated_parameters(self, function: FunctionValue, depth: int) -> dict[str, str]:
        """The parameters that a function of the project, or one defined in it, registers or compiles, and which of the two."""
        known = self._heating.get(id(function.node))
        if known is None:
            self._heating[id(function.node)] = {}
            known = self._heating[id(function.node)] = dict(self._find_heated(function, depth))
        return known

    def _find_heated(self, function: FunctionValue, depth: int) -> Iterator[tuple[str, str]]:
        site = self._scopes.site_of(function)
        if depth > _DEEPEST or site is None:
            return
        todo = [site]
        for one in todo:
            names = {parameter.name for parameter in one.node.parameters}
            for node in all_expressions(self._scopes.body(one)):
                if isinstance(node, syntax.Call):
                    for argument, why in self._heated_arguments(node, one, one.module, depth):
                        if isinstance(argument, syntax.Name) and argument.id in names:
                            yield argument.id, why
            todo += [inner for inner in self._scopes.inner_sites(one) if len(todo) < _MOST_INNER]

    def _mentions_heat(self, site: Site) -> bool:
        """A quick look at an encoded body, so that most need not be decoded."""
        body = self._survey.tree.sources[site.module].summary.bodies[site.node.body]
        return not isinstance(body, bytes) or _WORDS.search(body) is not None


_REGISTERED = "the implementation of an operation"
_COMPILED = "compiled for every step"
_HOOKED = "a hook that a module calls on every step"
_HOOKING = re.compile(r"register_(module_)?(forward|(full_)?backward)(_pre)?_hook")
_INFERRING = "run without gradients, for every step"
_WORDS = re.compile(rb"custom_op|triton_op|impl|regist|compile|jit|script|trace|pmap")
"""In an encoded body, what registers or compiles something."""


def _reason(path: str) -> str:
    """Why what is handed to a function of another project runs on every step; empty where it does not."""
    if _REGISTERING.fullmatch(path):
        return _REGISTERED
    if _COMPILING.fullmatch(path):
        return _COMPILED
    return _INFERRING if _WITHOUT_GRADIENTS.fullmatch(path) else ""


def _is_cold(site: Site, why: str) -> bool:
    if why == _INFERRING and _PASS.search(site.name):
        return True
    return why in (_COMPILED, _INFERRING) and _COLD_NAME.match(site.node.name) is not None


def _arguments_for(
    function: FunctionValue, call: syntax.Call, wanted: dict[str, str]
) -> Iterator[tuple[Expression, str]]:
    parameters = [
        parameter.name for parameter in function.node.parameters if parameter.kind in ("positional", "either")
    ]
    if function.owner is not None and parameters[:1] in (["self"], ["cls"]):
        parameters = parameters[1:]
    passed = [*zip(parameters, call.arguments), *((keyword.name, keyword.value) for keyword in call.keywords)]  # noqa: B905
    for name, argument in passed:
        if name in wanted:
            yield argument, wanted[name]
