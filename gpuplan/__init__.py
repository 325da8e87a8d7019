"""gpuplan: one fleet spec compiles into every manifest that a Kubernetes GPU platform needs.

The arrow (see `gpuplan.pipeline`):

    fleet/*.yaml -> Document -> FleetSpec + Origins -> Fleet -> Diagnostics
                                                          \\-> ManifestSet -> Diagnostics -> rendered/
"""

__version__ = "0.1.0"
