// RUN: emu opt %s -p cut-layers --arch tiny --cores 3 --placement scatter | filecheck %s
// WEIGHTS: w = "2x40x1x1"

%x = "spat.input"() <{tensor = "x", offsets = array<i64: 0, 0, 0>, shape = array<i64: 1, 40, 2, 2>, extent = array<i64: 40, 2, 2>, layout = ["", "C", "H", "W"]}> : () -> tensor<2x2x40xf32>
%y = "spat.layer"(%x) <{node = "conv", tensors = ["y"], forms = [{shape = array<i64: 1, 2, 2, 2>, extent = array<i64: 2, 2, 2>, layout = ["", "C", "H", "W"]}], offsets = array<i64: 0, 0, 0>}> ({
^bb0(%a: tensor<2x2x40xf32>):
  %f = "kernel.apply_filters"(%a) <{weights = "w", kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, origins = array<i64: 0>, tiles = array<i64: 0, 0, 40>, channels = array<i64: 0, 2>, epilogue = [{fn = "relu", args = []}]}> : (tensor<2x2x40xf32>) -> tensor<2x2x2xf32>
  "spat.yield"(%f) : (tensor<2x2x2xf32>) -> ()
}) : (tensor<2x2x40xf32>) -> tensor<2x2x2xf32>
"spat.output"(%y) <{element = f32, tensor = "y", offsets = array<i64: 0, 0, 0>, shape = array<i64: 1, 2, 2, 2>, extent = array<i64: 2, 2, 2>, layout = ["", "C", "H", "W"]}> : (tensor<2x2x2xf32>) -> ()
// Partial sums are added one after another, in the order of the row tiles; only the last sum is activated.
// CHECK: %[[P:.+]] = spat.compute({{.+}}part = "row tiles 0-0 of 3", cluster = 0}
// CHECK: %[[Q:.+]] = spat.compute({{.+}}part = "row tiles 1-1 of 3", cluster = 1}
// CHECK: %[[R:.+]] = spat.compute({{.+}}part = "row tiles 2-2 of 3", cluster = 2}
// CHECK: %[[S:.+]] = spat.compute(%{{[^ ]+}} = %[[P]], %{{[^ ]+}} = %[[Q]]) {node = "conv", tensors = [""], {{.+}}part = "partial sum 1 of 2", cluster = 0}
// CHECK: kernel.vadd({{.+}}) {channels = [0, 2]}
// CHECK: spat.compute(%{{[^ ]+}} = %[[S]], %{{[^ ]+}} = %[[R]]) {node = "conv", tensors = ["y"], {{.+}}part = "partial sum 2 of 2", cluster = 0}
// CHECK: kernel.vadd({{.+}}) {channels = [0, 2], epilogue = [{fn = "relu", args = []}]}
