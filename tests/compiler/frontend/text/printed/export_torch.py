"""Prints modules of torch as linalg on tensors, and what torch computes: torch 2.13.0, torch-mlir 20261001."""

from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch_mlir import fx


class Cnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(3, 8, 3, padding=1)
        self.bn = nn.BatchNorm2d(8)
        self.c2 = nn.Conv2d(8, 8, 3, stride=2, groups=8, bias=False)
        self.pool = nn.MaxPool2d(2)
        self.fc = nn.Linear(8 * 3 * 3, 10)

    def forward(self, x):
        x = self.pool(torch.relu(self.bn(self.c1(x))))
        x = torch.nn.functional.relu6(self.c2(x))
        return torch.softmax(self.fc(torch.flatten(x, 1)), -1)


class Block(nn.Module):
    def __init__(self, d=16, h=2):
        super().__init__()
        self.h, self.n1, self.n2 = h, nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.out = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.up, self.down = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (p.view(b, t, self.h, d // self.h).transpose(1, 2) for p in self.qkv(self.n1(x)).chunk(3, -1))
        a = torch.softmax(q @ k.transpose(-1, -2) / (d // self.h) ** 0.5, -1) @ v
        x = x + self.out(a.transpose(1, 2).reshape(b, t, d))
        return x + self.down(torch.nn.functional.gelu(self.up(self.n2(x))))


class Int8(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer(
            "w", torch.randint(-128, 128, (12, 7), dtype=torch.int8, generator=torch.Generator().manual_seed(1))
        )

    def forward(self, x):
        return torch.matmul(x.to(torch.int32), self.w.to(torch.int32))


class Odd(nn.Module):
    """What else texts hold: arg max, cat, slices, pad, average pool, several results."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(4, 6, 3, dilation=2)

    def forward(self, x):
        y = torch.nn.functional.pad(x, (2, 1))
        y = self.conv(y)
        z = torch.cat([y, torch.sigmoid(y[:, :, :4])], 2)
        m = torch.nn.functional.avg_pool1d(z, 3, 2, padding=1)
        return m.argmax(-1), m.mean(-1), torch.einsum("bcl,bdl->bcd", m, m)


class Embedding(nn.Module):
    """Rows of a table, entries by data along an axis, elements backwards."""

    def __init__(self):
        super().__init__()
        self.table, self.head = nn.Embedding(11, 8), nn.Linear(8, 6)

    def forward(self, k):
        x = self.table(k)
        y = torch.index_select(x, 1, torch.tensor([2, 0, 2]))
        return self.head(y), x.gather(2, k.unsqueeze(-1) % 8), x.flip(1)


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTM(4, 5, batch_first=True)

    def forward(self, x):
        return self.cell(x)[0]


class Grouped(nn.Module):
    """A convolution of five dimensions, a normalisation of groups, a transposed convolution, rims that go round."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.up = nn.Conv2d(4, 6, 3, groups=2), nn.GroupNorm(3, 6), nn.ConvTranspose2d(6, 2, 2, 2)

    def forward(self, x):
        y = torch.nn.functional.hardswish(
            self.norm(self.conv(torch.nn.functional.pad(x, (1, 1, 0, 0), mode="circular")))
        )
        return torch.nn.functional.avg_pool2d(self.up(y), 2), y.amax((2, 3)), y.std()


class Dynamic(nn.Module):
    """Batch and height are open."""

    def __init__(self):
        super().__init__()
        self.conv, self.head = nn.Conv2d(3, 4, 3, padding=1), nn.Linear(4, 5)

    def forward(self, x):
        return torch.softmax(self.head(torch.relu(self.conv(x)).mean((2, 3))), -1)


OPEN = {"dynamic": ({0: torch.export.Dim("batch", min=2, max=99), 2: torch.export.Dim("height", min=4, max=50)},)}
torch.manual_seed(0)
MODULES = {
    "cnn": (Cnn(), torch.randn(1, 3, 16, 16)),
    "transformer": (Block(), torch.randn(1, 5, 16)),
    "int8": (Int8(), torch.randint(-128, 128, (5, 12), dtype=torch.int8)),
    "odd": (Odd(), torch.randn(2, 4, 13)),
    "embedding": (Embedding(), torch.randint(0, 11, (2, 5))),
    "lstm": (Lstm(), torch.randn(2, 3, 4)),
    "grouped": (Grouped(), torch.randn(1, 4, 6, 7)),
    "dynamic": (Dynamic(), torch.randn(2, 3, 8, 9)),
}
for name, (module, x) in MODULES.items():
    module.eval()
    text = fx.export_and_import(module, x, output_type="linalg-on-tensors", dynamic_shapes=OPEN.get(name))
    Path(f"torch_{name}.mlir").write_text(f"{text}\n")
    made = module(x)
    outputs = made if isinstance(made, tuple) else (made,)
    arrays = {f"y{place}": value.detach().numpy() for place, value in enumerate(outputs)}
    np.savez(f"torch_{name}.npz", x=x.numpy(), **arrays)
