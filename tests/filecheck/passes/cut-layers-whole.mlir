// RUN: emu opt %s -p cut-layers --arch tiny | filecheck %s

%x = "spat.input"() <{tensor = "x", offsets = array<i64: 0, 0, 0>, shape = array<i64: 1, 20, 2, 2>, extent = array<i64: 20, 2, 2>, layout = ["", "C", "H", "W"]}> : () -> tensor<2x2x20xf32>
%y = "spat.layer"(%x) <{node = "soft", tensors = ["y"], forms = [{shape = array<i64: 1, 20, 2, 2>, extent = array<i64: 20, 2, 2>, layout = ["", "C", "H", "W"]}], offsets = array<i64: 0, 0, 0>}> ({
^bb0(%a: tensor<2x2x20xf32>):
  %f = "kernel.softmax"(%a) : (tensor<2x2x20xf32>) -> tensor<2x2x20xf32>
  "spat.yield"(%f) : (tensor<2x2x20xf32>) -> ()
}) : (tensor<2x2x20xf32>) -> tensor<2x2x20xf32>
"spat.output"(%y) <{element = f32, tensor = "y", offsets = array<i64: 0, 0, 0>, shape = array<i64: 1, 20, 2, 2>, extent = array<i64: 20, 2, 2>, layout = ["", "C", "H", "W"]}> : (tensor<2x2x20xf32>) -> ()
// A softmax needs all channels: one compute, which gathers its operand.
// CHECK: spat.compute(%{{[^ ]+}} = %{{[^,)]+}}, %{{[^ ]+}} = %{{[^,)]+}}) {node = "soft", {{.+}}offsets = [0, 0, 0]}
// CHECK: %[[A:.+]] = kernel.concat({{.+}}) {origins = [0, 0, 0, 0, 0, 16], starts = [0, 0, 0, 0, 0, 0], sizes = [{{[0-9]+, [0-9]+}}, 16, {{[0-9]+, [0-9]+}}, 4]}
// CHECK-NEXT: kernel.softmax(%[[A]]) : (tensor<2x2x20xf32>) -> tensor<2x2x20xf32>
// CHECK-NOT: spat.compute
