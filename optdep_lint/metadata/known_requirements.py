"""What a plain install of well-known distributions brings besides them: facts, from the metadata of their releases of 2026.

Of each, requirements without a marker, or such as hold on every Python, and not all of these: what is not listed is only not known.
A lock file or installed metadata know better.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from optdep_lint.metadata.names import normalized

REQUIREMENTS = {
    "accelerate": "huggingface-hub numpy packaging psutil pyyaml safetensors torch",
    "aio-pika": "aiormq yarl",
    "aiobotocore": "aiohttp botocore jmespath multidict python-dateutil wrapt",
    "aiohttp": "aiohappyeyeballs aiosignal attrs frozenlist multidict propcache yarl",
    "aiormq": "pamqp yarl",
    "aiosignal": "frozenlist",
    "alembic": "mako sqlalchemy typing-extensions",
    "altair": "jinja2 jsonschema narwhals packaging typing-extensions",
    "anndata": "h5py natsort numpy packaging pandas scipy zarr",
    "anthropic": "anyio docstring-parser jiter pydantic sniffio typing-extensions",
    "anyio": "idna",
    "apscheduler": "tzlocal",
    "authlib": "cryptography joserfc",
    "azure-identity": "azure-core cryptography msal msal-extensions typing-extensions",
    "azure-storage-blob": "azure-core cryptography isodate typing-extensions",
    "bokeh": "jinja2 numpy packaging pillow pyyaml tornado xyzservices",
    "boto3": "botocore jmespath s3transfer",
    "botocore": "jmespath python-dateutil urllib3",
    "cachecontrol": "msgpack requests",
    "cattrs": "attrs typing-extensions",
    "celery": "billiard click kombu python-dateutil vine",
    "cryptography": "cffi",
    "dask": "click cloudpickle fsspec packaging partd pyyaml toolz",
    "datasets": "dill filelock fsspec huggingface-hub multiprocess numpy packaging pandas pyarrow pyyaml tqdm xxhash",
    "diffusers": "filelock huggingface-hub importlib-metadata numpy pillow regex requests safetensors",
    "distributed": "click cloudpickle dask jinja2 locket msgpack packaging psutil pyyaml sortedcontainers tblib toolz tornado zict",
    "django": "asgiref sqlparse",
    "djangorestframework": "django",
    "docker": "requests urllib3",
    "drf-spectacular": "django djangorestframework inflection jsonschema pyyaml uritemplate",
    "fastapi": "pydantic starlette typing-extensions",
    "flake8": "mccabe pycodestyle pyflakes",
    "flask": "blinker click itsdangerous jinja2 markupsafe werkzeug",
    "flask-caching": "cachelib flask",
    "flask-cors": "flask werkzeug",
    "flask-sqlalchemy": "flask sqlalchemy",
    "gcsfs": "aiohttp decorator fsspec google-auth google-auth-oauthlib google-cloud-storage requests",
    "geopandas": "numpy packaging pandas pyogrio pyproj shapely",
    "google-api-core": "google-auth googleapis-common-protos proto-plus protobuf requests",
    "google-api-python-client": "google-api-core google-auth google-auth-httplib2 httplib2 uritemplate",
    "google-auth": "pyasn1-modules",
    "google-auth-oauthlib": "google-auth requests-oauthlib",
    "google-cloud-bigquery": "google-api-core google-auth google-cloud-core google-resumable-media packaging python-dateutil requests",
    "google-cloud-core": "google-api-core google-auth",
    "google-cloud-firestore": "google-api-core google-auth google-cloud-core proto-plus protobuf",
    "google-cloud-pubsub": "google-api-core google-auth grpcio proto-plus protobuf",
    "google-cloud-secret-manager": "google-api-core google-auth grpc-google-iam-v1 proto-plus protobuf",
    "google-cloud-storage": "google-api-core google-auth google-cloud-core google-crc32c google-resumable-media requests",
    "googleapis-common-protos": "protobuf",
    "gradio": "anyio fastapi gradio-client httpx huggingface-hub jinja2 markupsafe numpy orjson packaging pandas pillow pydantic pydub pyyaml starlette typer typing-extensions uvicorn",
    "great-expectations": "altair cryptography jinja2 jsonschema marshmallow mistune packaging pydantic pyparsing python-dateutil requests ruamel-yaml scipy tqdm typing-extensions tzlocal",
    "grpcio-status": "googleapis-common-protos grpcio protobuf",
    "h5netcdf": "packaging",
    "h5py": "numpy",
    "holoviews": "bokeh colorcet narwhals numpy pandas panel param python-dateutil pyviz-comms",
    "httpx": "anyio certifi httpcore idna",
    "huggingface-hub": "filelock fsspec packaging pyyaml tqdm typing-extensions",
    "ibis-framework": "atpublic parsy python-dateutil sqlglot toolz typing-extensions",
    "imageio": "numpy pillow",
    "importlib-metadata": "zipp",
    "instructor": "docstring-parser idna jinja2 jiter openai pydantic pydantic-core regex rich tenacity typer",
    "ipython": "jedi matplotlib-inline prompt-toolkit pygments stack-data traitlets",
    "jedi": "parso",
    "jinja2": "markupsafe",
    "joblib": "cloudpickle",
    "jsonpatch": "jsonpointer",
    "jsonschema": "attrs jsonschema-specifications referencing rpds-py",
    "jsonschema-path": "attrs pathable pyyaml referencing",
    "keras": "absl-py h5py ml-dtypes namex numpy optree packaging rich",
    "kombu": "amqp vine",
    "kubernetes": "certifi python-dateutil pyyaml requests requests-oauthlib urllib3 websocket-client",
    "langchain-core": "certifi httpx jsonpatch langchain-protocol langsmith packaging pydantic pyyaml tenacity typing-extensions uuid-utils",
    "lightgbm": "narwhals numpy scipy",
    "litellm": "aiohttp boto3 certifi click filelock httpx huggingface-hub importlib-metadata jinja2 jsonschema openai packaging pydantic-settings python-dotenv pyyaml tokenizers typing-extensions",
    "magicgui": "docstring-parser psygnal qtpy superqt typing-extensions",
    "mako": "markupsafe",
    "markdown-it-py": "mdurl",
    "matplotlib": "contourpy cycler fonttools kiwisolver numpy packaging pillow pyparsing python-dateutil",
    "mcp": "anyio jsonschema pydantic pyjwt python-multipart sse-starlette starlette typing-extensions typing-inspection uvicorn",
    "mkdocs": "click ghp-import jinja2 markdown markupsafe mergedeep mkdocs-get-deps packaging pathspec pyyaml pyyaml-env-tag watchdog",
    "moto": "boto3 botocore cryptography requests responses werkzeug xmltodict",
    "motor": "pymongo",
    "nbconvert": "beautifulsoup4 bleach defusedxml jinja2 jupyter-core jupyterlab-pygments markupsafe mistune nbclient nbformat packaging pandocfilters pygments traitlets",
    "netcdf4": "certifi cftime numpy",
    "nibabel": "numpy packaging",
    "nltk": "click defusedxml joblib regex tqdm",
    "numba": "llvmlite numpy",
    "openai": "anyio jiter pydantic sniffio typing-extensions",
    "openapi-schema-validator": "jsonschema jsonschema-specifications pydantic pydantic-settings referencing rfc3339-validator",
    "openapi-spec-validator": "jsonschema jsonschema-path lazy-object-proxy openapi-schema-validator pydantic pydantic-settings",
    "opentelemetry-sdk": "opentelemetry-api opentelemetry-semantic-conventions typing-extensions",
    "optuna": "alembic colorlog numpy packaging pyyaml sqlalchemy tqdm",
    "pandas": "numpy python-dateutil",
    "paramiko": "bcrypt cryptography pynacl",
    "partd": "locket toolz",
    "patsy": "numpy packaging",
    "peft": "accelerate huggingface-hub numpy packaging psutil pyyaml safetensors torch tqdm transformers",
    "plotly": "narwhals packaging",
    "pooch": "packaging platformdirs requests",
    "pre-commit": "cfgv identify nodeenv pyyaml virtualenv",
    "prompt-toolkit": "wcwidth",
    "proto-plus": "protobuf",
    "pyasn1-modules": "pyasn1",
    "pydantic": "annotated-types pydantic-core typing-extensions",
    "pydantic-settings": "pydantic python-dotenv typing-inspection",
    "pydocket": "cloudpickle cronsim opentelemetry-api prometheus-client python-json-logger redis rich typer typing-extensions",
    "pylint": "astroid isort mccabe platformdirs tomlkit",
    "pymongo": "dnspython",
    "pyopenssl": "cryptography",
    "pyspark": "py4j",
    "pytest": "iniconfig packaging pluggy pygments",
    "python-dateutil": "six",
    "python-telegram-bot": "httpx",
    "python3-saml": "isodate lxml xmlsec",
    "qdrant-client": "grpcio httpx portalocker protobuf pydantic urllib3",
    "quart": "aiofiles blinker click flask hypercorn itsdangerous jinja2 markupsafe werkzeug",
    "ray": "click filelock jsonschema msgpack packaging protobuf pyyaml requests",
    "rdflib": "pyparsing",
    "referencing": "attrs rpds-py",
    "requests": "certifi charset-normalizer idna urllib3",
    "requests-cache": "attrs cattrs platformdirs requests url-normalize urllib3",
    "requests-oauthlib": "oauthlib requests",
    "responses": "pyyaml requests urllib3",
    "rich": "markdown-it-py pygments",
    "rq": "click croniter redis",
    "s3fs": "aiobotocore aiohttp fsspec",
    "sanic": "aiofiles html5tagger httptools multidict sanic-routing tracerite typing-extensions websockets",
    "scikit-image": "imageio lazy-loader networkx numpy packaging pillow scipy tifffile",
    "scikit-learn": "joblib numpy scipy threadpoolctl",
    "scipy": "numpy",
    "scrapy": "aiohttp charset-normalizer cryptography cssselect defusedxml itemadapter itemloaders lxml packaging parsel platformdirs protego pyopenssl queuelib service-identity tldextract twisted w3lib zope-interface",
    "seaborn": "matplotlib numpy pandas",
    "sentry-sdk": "certifi urllib3",
    "smart-open": "wrapt",
    "social-auth-core": "cryptography defusedxml oauthlib pyjwt python3-openid requests requests-oauthlib",
    "sqlalchemy": "typing-extensions",
    "starlette": "anyio",
    "statsmodels": "numpy packaging pandas patsy scipy",
    "sympy": "mpmath",
    "textual": "markdown-it-py mdit-py-plugins platformdirs pygments rich typing-extensions",
    "tiktoken": "regex requests",
    "timm": "huggingface-hub pyyaml safetensors torch torchvision",
    "tokenizers": "huggingface-hub",
    "torch": "filelock fsspec jinja2 networkx sympy typing-extensions",
    "torchaudio": "torch",
    "torchvision": "numpy pillow torch",
    "tortoise-orm": "aiosqlite anyio pypika-tortoise",
    "transformers": "huggingface-hub numpy packaging pyyaml regex safetensors tokenizers tqdm typer",
    "trimesh": "numpy",
    "twisted": "attrs automat constantly hyperlink incremental typing-extensions zope-interface",
    "typer": "rich shellingham",
    "universal-pathlib": "fsspec pathlib-abc",
    "uvicorn": "click h11",
    "virtualenv": "distlib packaging platformdirs python-discovery",
    "watchfiles": "anyio",
    "werkzeug": "markupsafe",
    "xarray": "numpy packaging pandas",
    "yarl": "idna multidict propcache",
    "zarr": "numcodecs numpy packaging typing-extensions",
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
        for one in REQUIREMENTS.get(waiting.pop(), "").split():
            if one not in found:
                found.add(one)
                waiting.append(one)
    return frozenset(found - given)


def is_well_known(name: str) -> bool:
    """Whether a distribution of that name, or of that import name, stands in one of the shipped tables."""
    from optdep_lint.metadata.known_import_names import ROOTS

    return normalized(name) in _named() or normalized(name) in ROOTS


@cache
def _named() -> frozenset[str]:
    return frozenset(REQUIREMENTS) | {one for brought in REQUIREMENTS.values() for one in brought.split()}
