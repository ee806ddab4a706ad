"""The Model Context Protocol: how agents reach one memory. `server.py` names the tools, `stdio.py` and `http.py` carry."""
