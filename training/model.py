"""The decision model in PyTorch: BERT encoder, decision head, scorer, action head (Laya tensor names)."""

import json
import math
import pathlib

import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from torch import nn

CONFIG_KEYS = (
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "intermediate_size",
    "vocab_size",
    "max_position_embeddings",
    "type_vocab_size",
    "layer_norm_eps",
)
RELATIVE = "relative_attention_num_buckets"  # MPNet
HEAD_WIDTH = 64
MASKED = -1e4


def relative_bucket(distance, buckets, farthest=128):
    """Number of a distance key - query: exact when near, logarithmic when far, one half of the buckets a side."""
    half, near = buckets // 2, buckets // 4
    size = distance.abs()
    far = near + (
        (size.clamp(min=1).float() / near).log() / math.log(farthest / near) * (half - near)
    ).long().clamp(min=0, max=half - near - 1)
    return half * (distance > 0).long() + torch.where(size < near, size, far)


class Attention(nn.Module):
    """BERT names: self.{query,key,value}, output.{dense,LayerNorm}."""

    def __init__(self, c):
        super().__init__()
        d = c["hidden_size"]
        self.heads = c["num_attention_heads"]
        self.self = nn.ModuleDict({n: nn.Linear(d, d) for n in ("query", "key", "value")})
        self.output = nn.ModuleDict(
            {"dense": nn.Linear(d, d), "LayerNorm": nn.LayerNorm(d, c["layer_norm_eps"])}
        )

    def forward(self, x, mask, p):
        b, n, d = x.shape
        split = (
            lambda name: self.self[name](x).view(b, n, self.heads, d // self.heads).transpose(1, 2)
        )
        y = F.scaled_dot_product_attention(
            split("query"), split("key"), split("value"), attn_mask=mask
        )
        y = self.output["dense"](y.transpose(1, 2).reshape(b, n, d))
        return self.output["LayerNorm"](x + F.dropout(y, p, self.training))


class Layer(nn.Module):
    def __init__(self, c):
        super().__init__()
        d, wide = c["hidden_size"], c["intermediate_size"]
        self.attention = Attention(c)
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(d, wide)})
        self.output = nn.ModuleDict(
            {"dense": nn.Linear(wide, d), "LayerNorm": nn.LayerNorm(d, c["layer_norm_eps"])}
        )

    def forward(self, x, mask, p):
        x = self.attention(x, mask, p)
        y = self.output["dense"](F.gelu(self.intermediate["dense"](x)))
        return self.output["LayerNorm"](x + F.dropout(y, p, self.training))


class Encoder(nn.Module):
    def __init__(self, c):
        super().__init__()
        d = c["hidden_size"]
        self.embeddings = nn.ModuleDict(
            {
                "word_embeddings": nn.Embedding(c["vocab_size"], d),
                "position_embeddings": nn.Embedding(c["max_position_embeddings"], d),
                "token_type_embeddings": nn.Embedding(c["type_vocab_size"], d),
                "LayerNorm": nn.LayerNorm(d, c["layer_norm_eps"]),
            }
        )
        self.encoder = nn.ModuleDict(
            {"layer": nn.ModuleList([Layer(c) for _ in range(c["num_hidden_layers"])])}
        )
        if c.get(RELATIVE):
            self.relative = nn.Embedding(c[RELATIVE], c["num_attention_heads"]).requires_grad_(
                False
            )

    def with_positions(self, mask):
        """The mask as a term of the attention scores, one for each head."""
        place = torch.arange(mask.shape[-1], device=mask.device)
        number = relative_bucket(place[None] - place[:, None], self.relative.num_embeddings)
        bias = self.relative(number).permute(2, 0, 1)[None]
        return torch.where(mask, bias, torch.tensor(MASKED, dtype=bias.dtype, device=mask.device))

    def forward(self, ids, mask, p=0.1):
        e = self.embeddings
        mask = self.with_positions(mask) if hasattr(self, "relative") else mask
        x = (
            e["word_embeddings"](ids)
            + e["position_embeddings"].weight[: ids.shape[1]]
            + e["token_type_embeddings"].weight[0]
        )
        x = F.dropout(e["LayerNorm"](x), p, self.training)
        for layer in self.encoder["layer"]:
            x = layer(x, mask, p)
        return x


class HeadLayer(nn.Module):
    """Pre-norm layer of the decision head (names of torch's TransformerEncoderLayer)."""

    def __init__(self, d):
        super().__init__()
        self.heads = max(1, d // HEAD_WIDTH)
        self.self_attn = nn.Module()
        self.self_attn.in_proj_weight = nn.Parameter(torch.empty(3 * d, d))
        self.self_attn.in_proj_bias = nn.Parameter(torch.zeros(3 * d))
        nn.init.xavier_uniform_(self.self_attn.in_proj_weight)
        self.self_attn.out_proj = nn.Linear(d, d)
        self.linear1, self.linear2 = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)
        self.norm1, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)

    def forward(self, x, mask, p):
        b, n, d = x.shape
        qkv = F.linear(self.norm1(x), self.self_attn.in_proj_weight, self.self_attn.in_proj_bias)
        q, k, v = qkv.view(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).reshape(b, n, d)
        x = x + F.dropout(self.self_attn.out_proj(y), p, self.training)
        return x + F.dropout(self.linear2(F.relu(self.linear1(self.norm2(x)))), p, self.training)


class Decider(nn.Module):
    def __init__(self, config, head_layers):
        super().__init__()
        d = config["hidden_size"]
        self.config = config
        self.encoder = Encoder(config)
        if head_layers:
            self.head = nn.ModuleDict(
                {"layers": nn.ModuleList([HeadLayer(d) for _ in range(head_layers)])}
            )
        self.type_emb = nn.Embedding(3, d)
        nn.init.normal_(self.type_emb.weight, std=0.02)
        self.scorer = nn.Sequential(nn.LayerNorm(d), nn.Linear(d, d), nn.GELU(), nn.Linear(d, 1))
        self.act_head = nn.Sequential(nn.Linear(d + 4, 256), nn.GELU(), nn.Linear(256, 2))

    @property
    def head_layers(self):
        return len(self.head["layers"]) if hasattr(self, "head") else 0

    def layers(self):
        return [*self.encoder.encoder["layer"], *(self.head["layers"] if self.head_layers else ())]

    def forward(self, batch, p=0.1):
        """batch: ids [B,n], size [B], marks [B,K], k [B], type [B]. Returns logits [B,K] FP32 and the CLS vector."""
        ids, n = batch["ids"], batch["ids"].shape[1]
        mask = (torch.arange(n, device=ids.device)[None] < batch["size"][:, None])[:, None, None, :]
        mask = mask.expand(-1, 1, n, -1)
        h = self.encoder(ids, mask, p) + self.type_emb(batch["type"])[:, None]
        for layer in self.head["layers"] if hasattr(self, "head") else ():
            h = layer(h, mask, p)
        marked = torch.gather(h, 1, batch["marks"][..., None].expand(-1, -1, h.shape[-1]))
        z = self.scorer(marked).squeeze(-1).float()
        missing = torch.arange(z.shape[1], device=z.device)[None] >= batch["k"][:, None]
        return z.masked_fill(missing, MASKED), h[:, 0]

    def act(self, z, cls, k):
        """Logits of (first choice is right, it is not) from the raw logits and the CLS vector."""
        p = torch.softmax(z, -1)
        top = F.pad(p, (0, 1)).topk(2, -1).values
        kk = k.clamp(min=2).float()
        entropy = -(p * p.clamp(min=1e-9).log()).sum(-1) / kk.log()
        extra = torch.stack([top[:, 0], top[:, 0] - top[:, 1], entropy, kk / 255], -1)
        return self.act_head(torch.cat([cls, extra.to(cls.dtype)], -1)).float()


def read_config(folder):
    config = json.loads((pathlib.Path(folder) / "config.json").read_text())
    return {k: config[k] for k in (*CONFIG_KEYS, RELATIVE) if k in config}


def renumbered(stored, layers):
    """The tensors with the layers named as 0, 1, ..., without the others."""
    place, out = {str(old): str(new) for new, old in enumerate(layers)}, {}
    for name, value in stored.items():
        parts = name.split(".")
        if parts[:2] != ["encoder", "layer"]:
            out[name] = value
        elif parts[2] in place:
            out[".".join([*parts[:2], place[parts[2]], *parts[3:]])] = value
    return out


def from_encoder(folder, head_layers, layers=()):
    """A new model on a pretrained BERT folder (int8 `#q` tensors are the compact form of pack_encoder.py).

    `layers`: numbers of the encoder's layers to take, in their order; all without it."""
    config, stored = read_config(folder), load_file(pathlib.Path(folder) / "model.safetensors")
    if layers:
        config["num_hidden_layers"], stored = len(layers), renumbered(stored, layers)
    model = Decider(config, head_layers)
    for key in [k for k in stored if k.endswith("#q")]:
        stored[key[:-2]] = stored.pop(key).float() * stored.pop(key[:-1] + "s").float()
    wanted = set(model.encoder.state_dict())
    model.encoder.load_state_dict({k: v.float() for k, v in stored.items() if k in wanted})
    return model
