// RUN: emu opt %s -p cut-layers --arch tiny | filecheck %s

%x = "spat.input"() <{tensor = "x", offsets = array<i64: 0, 0, 0>, shape = array<i64: 1, 20, 2, 2>, extent = array<i64: 20, 2, 2>, layout = ["", "C", "H", "W"]}> : () -> tensor<2x2x20xf32>
%y = "spat.layer"(%x) <{node = "relu", tensors = ["y"], forms = [{shape = array<i64: 1, 20, 2, 2>, extent = array<i64: 20, 2, 2>, layout = ["", "C", "H", "W"]}], offsets = array<i64: 0, 0, 0>}> ({
^bb0(%a: tensor<2x2x20xf32>):
  %f = "kernel.activation"(%a) <{epilogue = [{fn = "relu", args = []}]}> : (tensor<2x2x20xf32>) -> tensor<2x2x20xf32>
  "spat.yield"(%f) : (tensor<2x2x20xf32>) -> ()
}) : (tensor<2x2x20xf32>) -> tensor<2x2x20xf32>
"spat.output"(%y) <{element = f32, tensor = "y", offsets = array<i64: 0, 0, 0>, shape = array<i64: 1, 20, 2, 2>, extent = array<i64: 20, 2, 2>, layout = ["", "C", "H", "W"]}> : (tensor<2x2x20xf32>) -> ()
// A compute per tile of the operand, and nothing is moved.
// CHECK: %[[A:.+]] = spat.input {tensor = "x", offsets = [0, 0, 0]
// CHECK-NEXT: %[[B:.+]] = spat.input {tensor = "x", offsets = [0, 0, 16]
// CHECK-NEXT: %[[Y:.+]] = spat.compute(%{{[^ ]+}} = %[[A]]) {node = "relu", {{.+}}offsets = [0, 0, 0]}
// CHECK: kernel.activation
// CHECK: %[[Z:.+]] = spat.compute(%{{[^ ]+}} = %[[B]]) {node = "relu", {{.+}}offsets = [0, 0, 16]}
// CHECK: kernel.activation
// CHECK: spat.output(%[[Y]], %[[Z]]) {{{.*}}tensor = "y", offsets = [0, 0, 0, 0, 0, 16]
// CHECK-NOT: kernel.concat
