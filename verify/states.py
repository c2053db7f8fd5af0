"""Per-layer states of a transformers encoder."""

import torch


def encoder_states(encoder, ids, attention=None):
    """Returns [embeddings, layer 1, ..., layer n] and, for ModernBERT, the final norm: the residual
    stream as it leaves each part, [batch, tokens, width]."""
    states = []

    def keep(_module, _inputs, output):
        states.append((output[0] if isinstance(output, tuple) else output).detach().clone())

    parts = [
        encoder.embeddings,
        *(encoder.layers if hasattr(encoder, "layers") else encoder.encoder.layer),
    ]
    if hasattr(encoder, "final_norm"):
        parts.append(encoder.final_norm)
    hooks = [part.register_forward_hook(keep) for part in parts]
    try:
        with torch.no_grad():
            encoder(
                input_ids=ids,
                attention_mask=torch.ones_like(ids) if attention is None else attention,
            )
    finally:
        for hook in hooks:
            hook.remove()
    return states
