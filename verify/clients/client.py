"""One function a client: it asks the server at DIKAST_URL as that client's users do, holds what it got against the
server's own answer, and says in its last line what it saw. An exception is a failure. Run by verify/clients/run inside
the client's environment."""

import sys

import libraries
import misfits
import programs
import tool_servers


def main():
    name = sys.argv[1].replace("-", "_").replace(" ", "_")
    modules = (libraries, programs, tool_servers, misfits)
    row = next(getattr(module, name) for module in modules if hasattr(module, name))
    print(row() or "")


main()
