"""What a plain install of well-known distributions brings besides them: facts, from the metadata of their releases of November 2026.

Of each, requirements without a marker, or such as hold on every Python, and not all of these: what is not listed is only not known.
A lock file or installed metadata know better.
"""

from __future__ import annotations

from collections.abc import Iterable

_REQUIREMENTS = {
    "accelerate": "huggingface-hub numpy packaging psutil pyyaml safetensors torch",
    "aiohttp": "aiohappyeyeballs aiosignal attrs frozenlist multidict propcache yarl",
    "alembic": "mako sqlalchemy typing-extensions",
    "anndata": "h5py natsort numpy packaging pandas scipy zarr",
    "anthropic": "anyio docstring-parser jiter pydantic sniffio typing-extensions",
    "boto3": "botocore jmespath s3transfer",
    "botocore": "jmespath python-dateutil urllib3",
    "dask": "click cloudpickle fsspec packaging partd pyyaml toolz",
    "datasets": "dill filelock fsspec huggingface-hub multiprocess numpy packaging pandas pyarrow pyyaml tqdm xxhash",
    "diffusers": "filelock huggingface-hub importlib-metadata numpy pillow regex requests safetensors",
    "distributed": "click cloudpickle dask jinja2 locket msgpack packaging psutil pyyaml sortedcontainers tblib toolz tornado zict",
    "fastapi": "pydantic starlette typing-extensions",
    "flask": "blinker click itsdangerous jinja2 markupsafe werkzeug",
    "gradio": "anyio fastapi gradio-client httpx huggingface-hub jinja2 markupsafe numpy orjson packaging pandas pillow pydantic pydub pyyaml starlette typer typing-extensions uvicorn",
    "httpx": "anyio certifi httpcore idna",
    "huggingface-hub": "filelock fsspec packaging pyyaml tqdm typing-extensions",
    "jinja2": "markupsafe",
    "jsonschema": "attrs jsonschema-specifications referencing rpds-py",
    "keras": "absl-py h5py ml-dtypes namex numpy optree packaging rich",
    "matplotlib": "contourpy cycler fonttools kiwisolver numpy packaging pillow pyparsing python-dateutil",
    "numba": "llvmlite numpy",
    "openai": "anyio jiter pydantic sniffio typing-extensions",
    "pandas": "numpy python-dateutil",
    "peft": "accelerate huggingface-hub numpy packaging psutil pyyaml safetensors torch tqdm transformers",
    "pydantic": "annotated-types pydantic-core typing-extensions",
    "ray": "click filelock jsonschema msgpack packaging protobuf pyyaml requests",
    "requests": "certifi charset-normalizer idna urllib3",
    "rich": "markdown-it-py pygments",
    "scikit-learn": "joblib numpy scipy threadpoolctl",
    "scipy": "numpy",
    "seaborn": "matplotlib numpy pandas",
    "sqlalchemy": "typing-extensions",
    "starlette": "anyio",
    "statsmodels": "numpy packaging pandas patsy scipy",
    "tiktoken": "regex requests",
    "timm": "huggingface-hub pyyaml safetensors torch torchvision",
    "tokenizers": "huggingface-hub",
    "torch": "filelock fsspec jinja2 networkx sympy typing-extensions",
    "torchaudio": "torch",
    "torchvision": "numpy pillow torch",
    "transformers": "huggingface-hub numpy packaging pyyaml regex safetensors tokenizers tqdm typer",
    "typer": "rich shellingham",
    "uvicorn": "click h11",
    "xarray": "numpy packaging pandas",
}  # fmt: skip
"""By normalized name, the normalized names of what each requires."""


def usually_brought(distributions: Iterable[str]) -> frozenset[str]:
    """Return the distributions that a plain install of these brings, themselves excluded.

    Args:
        distributions: Normalized names.
    """
    given = frozenset(distributions)
    found: set[str] = set()
    waiting = list(given)
    while waiting:
        for one in _REQUIREMENTS.get(waiting.pop(), "").split():
            if one not in found:
                found.add(one)
                waiting.append(one)
    return frozenset(found - given)
