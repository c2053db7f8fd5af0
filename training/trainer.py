"""The loss and one optimizer step: BF16 weights with FP32 masters and an exponential average."""

import torch

import affine


def loss_of(z, batch, ordinal, order_weight, smooth):
    """Cross-entropy, ranked probability for scores, and agreement between two orders or a statement and its negation."""
    k = batch["k"]
    seen = torch.arange(z.shape[1], device=z.device)[None] < k[:, None]
    log_p = torch.log_softmax(z, -1)
    target = batch["target"] * (1 - smooth) + smooth * seen / k[:, None]
    ce = -(target * log_p.masked_fill(~seen, 0)).sum(-1)
    gap = (log_p.exp() - batch["target"]).cumsum(-1)
    rps = (gap**2 * seen).sum(-1) / (k - 1).clamp(min=1)
    loss = (ce + ordinal * rps * (batch["type"] == 1)).mean()
    if order_weight:
        # by option number, so that the two can be compared (batches.make_shard); a row without a second compares to nothing
        sorted_p = log_p.gather(1, batch["opts"].argsort(1)).masked_fill(~seen, 0)
        kl = ((sorted_p[1:].exp() - sorted_p[:-1].exp()) * (sorted_p[1:] - sorted_p[:-1])).sum(-1)
        loss = loss + order_weight * (kl * batch["second"][1:]).sum() / len(k)
    return loss


class Trainer:
    """BF16 weights with FP32 masters, AdamW, a linear schedule and an exponential average of the masters.

    With `args.bits` the matrices that will be stored in that many bits are rounded so whenever the weights are set from
    the masters: every step sees the weights that the engine will, and its gradient moves the masters.
    """

    def __init__(self, model, args, device):
        self.model, self.args = model.to(device), args
        trained = [
            (n, p)
            for n, p in model.named_parameters()
            if p.requires_grad and not n.startswith("act_head.")
        ]
        self.names, self.work = [n for n, _ in trained], [p for _, p in trained]
        self.master = [p.detach().float().clone() for p in self.work]
        self.start = [p.clone() for p in self.master]
        self.average = [p.clone() for p in self.master]
        self.round = torch.compile(affine.rounded, dynamic=True) if args.compile else affine.rounded
        self.coarse = [
            i
            for i, n in enumerate(self.names)
            if args.bits and affine.is_quantised(n, self.work[i])
        ]
        self.step_number = 0
        model.to(torch.bfloat16 if device == "cuda" else torch.float32)
        self.publish()
        for layer in model.layers() if args.compile else ():
            layer.compile(dynamic=True)
        groups = [
            dict(
                params=[m],
                lr=self.rate(n),
                base=self.rate(n),
                weight_decay=0.01 if m.ndim > 1 else 0.0,
            )
            for n, m in zip(self.names, self.master)
        ]
        self.optimizer = torch.optim.AdamW(merge(groups), betas=(0.9, 0.98), fused=device == "cuda")
        for m in self.master:
            m.grad = torch.zeros_like(m)
        self.skipped = torch.zeros((), device=device)
        self.encoder_part = [i for i, n in enumerate(self.names) if n.startswith("encoder.")]

    @torch.no_grad()
    def publish(self):
        """Sets the weights from the masters."""
        fine = sorted(set(range(len(self.work))) - set(self.coarse))
        torch._foreach_copy_([self.work[i] for i in fine], [self.master[i] for i in fine])
        for i in self.coarse:
            groups = self.master[i].view(-1, affine.GROUP)
            self.work[i].copy_(self.round(groups, self.args.bits).view_as(self.work[i]))

    def rate(self, name):
        if not name.startswith("encoder."):
            return self.args.head_lr
        layers = self.model.config["num_hidden_layers"]
        depth = int(name.split(".")[3]) + 1 if ".layer." in name else 0
        return self.args.lr * self.args.layer_decay ** (layers - depth)

    def step(self, batch, scale):
        z, _ = self.model(batch, self.args.dropout)
        loss = loss_of(
            z,
            batch,
            self.args.ordinal,
            self.args.order_weight if self.args.pairs else 0,
            self.args.smooth,
        )
        loss.backward()
        with torch.no_grad():
            torch._foreach_copy_([m.grad for m in self.master], [w.grad for w in self.work])
        for w in self.work:
            w.grad = None
        norm = torch.nn.utils.clip_grad_norm_(self.master, 1.0, foreach=True)
        bad = (~torch.isfinite(norm)).float()
        self.skipped += bad
        if norm.is_cuda:
            self.optimizer.found_inf = (
                bad  # the fused kernel leaves the weights alone where this is 1
            )
        for group in self.optimizer.param_groups:
            group["lr"] = group["base"] * scale
        self.optimizer.step()
        with torch.no_grad():
            if self.args.anchor:
                pick = lambda values: [values[i] for i in self.encoder_part]
                torch._foreach_lerp_(pick(self.master), pick(self.start), self.args.anchor * scale)
            self.publish()
            self.step_number += 1
            if self.step_number % 8 == 0:
                decay = min(0.995, (1 + self.step_number) / (10 + self.step_number))
                torch._foreach_lerp_(self.average, self.master, 1 - decay)
        return loss.detach().nan_to_num()

    def averaged_model(self, share=1.0):
        """The model in FP32 with the averaged weights, rounded as they will be stored.

        `share` below 1 places the encoder between its pretrained weights and the trained ones."""
        self.model.float()
        inside, coarse = set(self.encoder_part), set(self.coarse)
        for layer in self.model.layers():
            layer._compiled_call_impl = None  # figures come from the plain program
        with torch.no_grad():
            for i, (p, a, s) in enumerate(zip(self.work, self.average, self.start)):
                value = torch.lerp(s, a, share) if i in inside else a
                if i in coarse:
                    groups = value.view(-1, affine.GROUP)
                    value = affine.rounded(groups, self.args.bits).view_as(value)
                p.copy_(value.half().float())
        return self.model.eval()

    def state(self):
        return {
            "master": self.master,
            "average": self.average,
            "step": self.step_number,
            "optimizer": self.optimizer.state_dict(),
        }

    def load(self, state):
        with torch.no_grad():
            torch._foreach_copy_(self.master, state["master"])
            torch._foreach_copy_(self.average, state["average"])
        self.publish()
        self.optimizer.load_state_dict(state["optimizer"])
        self.step_number = state["step"]


def merge(groups):
    """One optimizer group per learning rate and decay."""
    merged = {}
    for g in groups:
        key = (g["base"], g["weight_decay"])
        merged.setdefault(key, {**g, "params": []})["params"] += g["params"]
    return list(merged.values())
