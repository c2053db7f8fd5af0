"""Runs the official laya package and records what it computes, one question at a time."""

import json
import os
import warnings

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")

import laya
import laya.agent
import numpy as np
import torch


class OneByOne(torch.nn.Module):
    """The model of an agent, fed row by row without padding, so that an answer has no neighbours.

    Keeps the input ids, markers, logits and action logits of every row of the last call.
    """

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.rows = []

    def forward(self, ids, attention, markers, marker_mask, types):
        logits = torch.full(markers.shape, -1e4)
        actions = []
        for row in range(ids.shape[0]):
            length, count = int(attention[row].sum()), int(marker_mask[row].sum())
            z, action = self.model(
                ids[row : row + 1, :length],
                attention[row : row + 1, :length],
                markers[row : row + 1, :count],
                marker_mask[row : row + 1, :count],
                types[row : row + 1],
            )
            logits[row, :count] = z[0].float()
            actions.append(action[0].float())
            self.rows.append(
                {
                    "input_ids": ids[row, :length].tolist(),
                    "markers": markers[row, :count].tolist(),
                    "logits": z[0].float().tolist(),
                    "action_logits": action[0].float().tolist(),
                }
            )
        return logits, torch.stack(actions)


class Official:
    """A checkpoint in the official package: FP32, CPU, deterministic."""

    def __init__(self, folder, threads=1):
        torch.set_num_threads(threads)
        torch.use_deterministic_algorithms(True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # temperatures outside the clamp
            self.agent = laya.load(os.path.join(folder, ""), device="cpu")
        self.model = OneByOne(self.agent.model)
        self.agent.model = self.model
        self.probabilities = []
        self._keep_probabilities()

    def _keep_probabilities(self):
        """`answer_confidence` is handed each answer's unrounded probabilities, in option order."""
        original = laya.agent.answer_confidence

        def keep(p, k):
            self.probabilities.append(np.asarray(p, dtype=np.float64).tolist())
            return original(p, k)

        laya.agent.answer_confidence = keep

    def answer(self, line):
        """One request line: {"response", "details"} or {"error"}; `response` is JSON text."""
        self.model.rows, self.probabilities = [], []
        try:
            request = json.loads(line)
            if not isinstance(request, dict):
                raise TypeError("a request is an object")
            response = self.agent.system_one(request.get("state"), request.get("questions"))
        except (ValueError, TypeError, UnicodeError, RecursionError) as error:
            return {"error": f"{type(error).__name__}: {error}"}
        details = {}
        for (qid, question), row, p in zip(
            request["questions"].items(), self.model.rows, self.probabilities
        ):
            details[qid] = {**row, "probabilities": p, "type": question["type"]}
            details[qid]["logits"] = by_option(row["logits"], question.get("option_order"))
        return {"response": json.dumps(response, ensure_ascii=False), "details": details}


def by_option(slots, order):
    """Logits come by slot; slot s shows option order[s]."""
    if order is None:
        return slots
    options = [0.0] * len(slots)
    for slot, option in enumerate(order):
        options[option] = slots[slot]
    return options
