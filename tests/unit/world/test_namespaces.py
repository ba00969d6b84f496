"""Packages without a source of their own stand between others."""


def test_import_as_through_a_namespace(project):
    made = project(
        {
            "acme": "import acme.inner.first\nimport acme.inner.first as first\n",
            "acme.inner.first": "value = 1\n",
        },
        namespaces=frozenset({"acme.inner"}),
    )
    assert made.outcome("acme") == "ok"
