// RUN: emu opt %s -p lower-spat-to-pim --arch tiny --granularity rows:2 | filecheck %s

%x = "spat.input"() <{tensor = "x", offsets = array<i64: 0, 0, 0>, shape = array<i64: 1, 1, 4, 1>, extent = array<i64: 1, 4, 1>, layout = ["", "", "H", ""]}> : () -> tensor<4x1x1xf32>
%one = "spat.compute"(%x) <{node = "one", tensors = ["one"], forms = [{shape = array<i64: 1, 1, 4, 1>, extent = array<i64: 1, 4, 1>, layout = ["", "", "H", ""]}], offsets = array<i64: 0, 0, 0>, core = 0 : i64}> ({
^bb0(%a: tensor<4x1x1xf32>):
  %f = "kernel.activation"(%a) <{epilogue = [{fn = "relu", args = []}]}> : (tensor<4x1x1xf32>) -> tensor<4x1x1xf32>
  "spat.yield"(%f) : (tensor<4x1x1xf32>) -> ()
}) : (tensor<4x1x1xf32>) -> tensor<4x1x1xf32>
%two = "spat.compute"(%one) <{node = "two", tensors = ["two"], forms = [{shape = array<i64: 1, 1, 4, 1>, extent = array<i64: 1, 4, 1>, layout = ["", "", "H", ""]}], offsets = array<i64: 0, 0, 0>, core = 1 : i64}> ({
^bb0(%a: tensor<4x1x1xf32>):
  %f = "kernel.activation"(%a) <{epilogue = [{fn = "relu", args = []}]}> : (tensor<4x1x1xf32>) -> tensor<4x1x1xf32>
  "spat.yield"(%f) : (tensor<4x1x1xf32>) -> ()
}) : (tensor<4x1x1xf32>) -> tensor<4x1x1xf32>
"spat.output"(%two) <{element = f32, tensor = "two", offsets = array<i64: 0, 0, 0>, shape = array<i64: 1, 1, 4, 1>, extent = array<i64: 1, 4, 1>, layout = ["", "", "H", ""]}> : (tensor<4x1x1xf32>) -> ()
// Two halves through a buffer of one half: too few for a loop.
// CHECK: %[[A:.+]] = pim.alloc : memref<2x1x1xf32>
// CHECK-NEXT: pim.load(%[[A]]) {node = "one", address = 0, rows = [0, 0, 2, 4]}
// CHECK-NEXT: kernel.activation ins(%[[A]]) outs(%[[A]])
// CHECK-NEXT: pim.send(%[[A]]) {node = "one", peer = 1, message = 0, rows = [0, 0, 2, 4]}
// CHECK-NEXT: pim.load(%[[A]]) {node = "one", address = 0, rows = [2, 0, 2, 4]}
// CHECK-NEXT: kernel.activation ins(%[[A]]) outs(%[[A]])
// CHECK-NEXT: pim.send(%[[A]]) {node = "one", peer = 1, message = 0, rows = [2, 0, 2, 4]}
// CHECK-NEXT: pim.halt
// CHECK-NOT: pim.loop
