"""What a plain install of well-known distributions brings besides them: facts, from the metadata of their releases of 2026.

Of each, requirements without a marker, or such as hold on every Python, and not all of these: what is not listed is only not known.
A lock file or installed metadata know better.
"""

from __future__ import annotations

from collections.abc import Iterable

_REQUIREMENTS = {
    "accelerate": "huggingface-hub numpy packaging psutil pyyaml safetensors torch",
    "aiobotocore": "aiohttp botocore jmespath multidict python-dateutil wrapt",
    "aiohttp": "aiohappyeyeballs aiosignal attrs frozenlist multidict propcache yarl",
    "alembic": "mako sqlalchemy typing-extensions",
    "altair": "jinja2 jsonschema narwhals packaging typing-extensions",
    "aio-pika": "aiormq yarl",
    "aiormq": "pamqp yarl",
    "anndata": "h5py natsort numpy packaging pandas scipy zarr",
    "anthropic": "anyio docstring-parser jiter pydantic sniffio typing-extensions",
    "azure-identity": "azure-core cryptography msal msal-extensions typing-extensions",
    "azure-storage-blob": "azure-core cryptography isodate typing-extensions",
    "bokeh": "contourpy jinja2 numpy packaging pillow pyyaml tornado xyzservices",
    "boto3": "botocore jmespath s3transfer",
    "botocore": "jmespath python-dateutil urllib3",
    "celery": "billiard click kombu python-dateutil vine",
    "cryptography": "cffi",
    "dask": "click cloudpickle fsspec packaging partd pyyaml toolz",
    "datasets": "dill filelock fsspec huggingface-hub multiprocess numpy packaging pandas pyarrow pyyaml tqdm xxhash",
    "diffusers": "filelock huggingface-hub importlib-metadata numpy pillow regex requests safetensors",
    "distributed": "click cloudpickle dask jinja2 locket msgpack packaging psutil pyyaml sortedcontainers tblib toolz tornado zict",
    "django": "asgiref sqlparse",
    "djangorestframework": "django",
    "docker": "requests urllib3",
    "fastapi": "pydantic starlette typing-extensions",
    "flask": "blinker click itsdangerous jinja2 markupsafe werkzeug",
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
    "gradio": "anyio fastapi gradio-client httpx huggingface-hub jinja2 markupsafe numpy orjson packaging pandas pillow pydantic pydub pyyaml starlette typer typing-extensions uvicorn",
    "h5netcdf": "packaging",
    "h5py": "numpy",
    "httpx": "anyio certifi httpcore idna",
    "huggingface-hub": "filelock fsspec packaging pyyaml tqdm typing-extensions",
    "imageio": "numpy pillow",
    "ipython": "jedi matplotlib-inline prompt-toolkit pygments stack-data traitlets",
    "jinja2": "markupsafe",
    "jsonschema": "attrs jsonschema-specifications referencing rpds-py",
    "keras": "absl-py h5py ml-dtypes namex numpy optree packaging rich",
    "kombu": "amqp vine",
    "kubernetes": "certifi python-dateutil pyyaml requests requests-oauthlib urllib3 websocket-client",
    "matplotlib": "contourpy cycler fonttools kiwisolver numpy packaging pillow pyparsing python-dateutil",
    "motor": "pymongo",
    "netcdf4": "certifi cftime numpy",
    "numba": "llvmlite numpy",
    "openai": "anyio jiter pydantic sniffio typing-extensions",
    "opentelemetry-sdk": "opentelemetry-api opentelemetry-semantic-conventions typing-extensions",
    "pandas": "numpy python-dateutil",
    "paramiko": "bcrypt cryptography pynacl",
    "partd": "locket toolz",
    "peft": "accelerate huggingface-hub numpy packaging psutil pyyaml safetensors torch tqdm transformers",
    "plotly": "narwhals packaging",
    "pydantic": "annotated-types pydantic-core typing-extensions",
    "pymongo": "dnspython",
    "pyopenssl": "cryptography",
    "pyspark": "py4j",
    "pytest": "iniconfig packaging pluggy pygments",
    "python3-saml": "isodate lxml xmlsec",
    "ray": "click filelock jsonschema msgpack packaging protobuf pyyaml requests",
    "requests": "certifi charset-normalizer idna urllib3",
    "requests-oauthlib": "oauthlib requests",
    "rich": "markdown-it-py pygments",
    "s3fs": "aiobotocore aiohttp fsspec",
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
    "twisted": "attrs automat constantly hyperlink incremental typing-extensions zope-interface",
    "typer": "rich shellingham",
    "uvicorn": "click h11",
    "xarray": "numpy packaging pandas",
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
        for one in _REQUIREMENTS.get(waiting.pop(), "").split():
            if one not in found:
                found.add(one)
                waiting.append(one)
    return frozenset(found - given)
