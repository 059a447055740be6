// RUN: emu opt %s -p cut-layers --arch tiny --cores 2 | filecheck %s
// WEIGHTS: w = "2x40x1x1"

%x = "spat.input"() <{tensor = "x", offsets = array<i64: 0, 0, 0>, shape = array<i64: 1, 40, 2, 2>, extent = array<i64: 40, 2, 2>, layout = ["", "C", "H", "W"]}> : () -> tensor<2x2x40xf32>
%y = "spat.layer"(%x) <{node = "conv", tensors = ["y"], forms = [{shape = array<i64: 1, 2, 2, 2>, extent = array<i64: 2, 2, 2>, layout = ["", "C", "H", "W"]}], offsets = array<i64: 0, 0, 0>}> ({
^bb0(%a: tensor<2x2x40xf32>):
  %f = "kernel.apply_filters"(%a) <{weights = "w", kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, origins = array<i64: 0>, tiles = array<i64: 0, 0, 40>, channels = array<i64: 0, 2>, epilogue = [{fn = "relu", args = []}]}> : (tensor<2x2x40xf32>) -> tensor<2x2x2xf32>
  "spat.yield"(%f) : (tensor<2x2x2xf32>) -> ()
}) : (tensor<2x2x40xf32>) -> tensor<2x2x2xf32>
"spat.output"(%y) <{element = f32, tensor = "y", offsets = array<i64: 0, 0, 0>, shape = array<i64: 1, 2, 2, 2>, extent = array<i64: 2, 2, 2>, layout = ["", "C", "H", "W"]}> : (tensor<2x2x2xf32>) -> ()
// Three row tiles of at most 16 channels, shared by two cores; the sum stands beside one of its operands.
// CHECK: %[[A:.+]] = spat.input {tensor = "x", offsets = [0, 0, 0]
// CHECK-NEXT: %[[B:.+]] = spat.input {tensor = "x", offsets = [0, 0, 16]
// CHECK-NEXT: %[[C:.+]] = spat.input {tensor = "x", offsets = [0, 0, 32]
// CHECK-NEXT: %[[P:.+]] = spat.compute(%{{[^ ]+}} = %[[A]]) {node = "conv", tensors = [""], forms = [{}], offsets = [0, 0, 0], part = "row tiles 0-0 of 3", cluster = 0}
// CHECK: kernel.apply_filters({{.+}}origins = [0], tiles = [0, 0, 16], channels = [0, 2]}
// CHECK: %[[Q:.+]] = spat.compute(%{{[^ ]+}} = %[[B]], %{{[^ ]+}} = %[[C]]) {node = "conv", tensors = [""], {{.+}}part = "row tiles 1-2 of 3", cluster = 1}
// CHECK: kernel.apply_filters({{.+}}origins = [16, 32], tiles = [0, 0, 16, 1, 0, 8], channels = [0, 2]}
// CHECK: %[[Y:.+]] = spat.compute(%{{[^ ]+}} = %[[P]], %{{[^ ]+}} = %[[Q]]) {node = "conv", tensors = ["y"], {{.+}}part = "partial sum 1 of 1", cluster = 0}
// CHECK: kernel.vadd({{.+}}) {channels = [0, 2], epilogue = [{fn = "relu", args = []}]}
// CHECK: spat.output(%[[Y]])
