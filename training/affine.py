"""MLX affine form of a matrix: groups of 64 columns, codes of 8 or 4 bits, FP16 scale and bias a group."""

import torch

GROUP, LEAST_ROWS = 64, 64
NOT_QUANTISED = "position_embeddings"


def is_quantised(name, value):
    return (
        name.endswith(".weight")
        and value.ndim == 2
        and len(value) >= LEAST_ROWS
        and value.shape[1] % GROUP == 0
        and NOT_QUANTISED not in name
    )


def codes_of(groups, bits):
    """(codes as floats, FP16 scales, FP16 biases) of a matrix of groups.

    Same bytes and decoder as MLX's own conversion, other codes: that one makes zero exact and clips up to a whole step at
    the far end of a group; here the range is covered and the codes are taken against the FP16 scale and bias, so that
    no weight is further off than 0.63 of a step of 8 bits."""
    low, high = groups.amin(-1), groups.amax(-1)
    levels = 2**bits - 1
    scale, bias = ((high - low) / levels).clamp(min=1e-7).half(), low.half()
    codes = (groups - bias.float()[..., None]) / scale.float()[..., None]
    return codes.round().clamp(0, levels), scale, bias


def rounded(groups, bits):
    """What the stored form of a matrix of groups decodes to."""
    codes, scale, bias = codes_of(groups, bits)
    return codes * scale.float()[..., None] + bias.float()[..., None]


def quantise(weight, bits=8):
    """One matrix in the stored form: (packed uint32, FP16 scales, FP16 biases), decoded as scale * code + bias."""
    codes, scale, bias = codes_of(weight.float().reshape(len(weight), -1, GROUP), bits)
    codes = codes.to(torch.uint8).reshape(len(weight), -1)
    if bits == 4:  # the first code in the low bits
        codes = codes[:, 0::2] | codes[:, 1::2] << 4
    return codes.contiguous().view(torch.uint32), scale, bias


def expand(packed, scales, biases, bits=8):
    codes = packed.view(torch.uint8)
    if bits == 4:
        codes = torch.stack([codes & 15, codes >> 4], -1).reshape(len(packed), -1)
    codes = codes.reshape(len(packed), -1, GROUP).float()
    return (codes * scales.float()[..., None] + biases.float()[..., None]).reshape(len(packed), -1)
