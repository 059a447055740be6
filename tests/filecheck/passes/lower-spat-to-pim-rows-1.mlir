// RUN: emu opt %s -p lower-spat-to-pim --arch tiny --granularity rows:1 | filecheck %s

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
// Row after row through buffers of one row: a loop in which the rows advance by one.
// CHECK: pim.core 0 {
// CHECK-NEXT: %[[A:.+]] = pim.alloc : memref<1x1x1xf32>
// CHECK-NEXT: pim.loop 4 {
// CHECK-NEXT: pim.load(%[[A]]) {node = "one", address = 0, rows = [0, 1, 1, 4]}
// CHECK-NEXT: kernel.activation ins(%[[A]]) outs(%[[A]]) {{.+}}rows = [0, 1, 1, 4, 0, 1, 1, 4]
// CHECK-NEXT: pim.send(%[[A]]) {node = "one", peer = 1, message = 0, rows = [0, 1, 1, 4]}
// CHECK-NEXT: }
// CHECK-NEXT: pim.halt
// CHECK: pim.core 1 {
// CHECK-NEXT: %[[B:.+]] = pim.alloc : memref<1x1x1xf32>
// CHECK-NEXT: pim.loop 4 {
// CHECK-NEXT: pim.receive(%[[B]]) {node = "one", peer = 0, message = 0, rows = [0, 1, 1, 4]}
