"""All clients, in the order of the table: the modules that declare them."""

from importlib import import_module

from tests.clients.declared import DECLARED

MODULES = {
    "models": "models, files and tables",
    "exports": "exports, run in their engines",
    "commands": "the command line",
    "scikit_learn": "scikit-learn",
    "others": "packages around it",
}
for _module in MODULES:
    import_module(f"tests.clients.{_module}")


def module_of(client):
    return client.use.__module__.rpartition(".")[2]


CLIENTS = sorted(DECLARED, key=lambda each: list(MODULES).index(module_of(each)))
