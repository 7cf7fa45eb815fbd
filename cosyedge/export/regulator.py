"""The length regulator's convolutions: interpolated rows → mu."""

from cosyedge.export.encoder import Tensors
from cosyedge.export.graph import Graph
from cosyedge.export.layers import conv, group_norm, mish

PREFIX = "length_regulator.model"


def regulator(g: Graph, tensors: Tensors) -> None:
    """Stretched rows [1, mel, T] → mu [1, mel, T]: convolution, norm and Mish, several times."""
    mel = tensors[f"{PREFIX}.0.weight"].shape[1]
    x = g.input("stretched", [1, mel, "frames"])
    index = 0
    while f"{PREFIX}.{index + 1}.weight" in tensors:
        x = conv(g, x, tensors[f"{PREFIX}.{index}.weight"], tensors[f"{PREFIX}.{index}.bias"])
        gain, shift = (tensors[f"{PREFIX}.{index + 1}.{part}"] for part in ("weight", "bias"))
        x = mish(g, group_norm(g, x, 1, gain, shift))
        index += 3
    x = conv(g, x, tensors[f"{PREFIX}.{index}.weight"], tensors[f"{PREFIX}.{index}.bias"])
    g.output(x, "mu", [1, tensors[f"{PREFIX}.{index}.weight"].shape[0], "frames"])
