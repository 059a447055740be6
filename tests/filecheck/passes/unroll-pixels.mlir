// RUN: emu opt %s -p unroll-pixels --arch tiny | filecheck %s
// WEIGHTS: w = "2x1x2x1"

%x = "spat.input"() <{tensor = "x", offsets = array<i64: 0, 0, 0>, shape = array<i64: 1, 1, 2, 1>, extent = array<i64: 1, 2, 1>, layout = ["", "C", "H", "W"]}> : () -> tensor<2x1x1xf32>
%y = "spat.compute"(%x) <{node = "conv", tensors = ["y"], forms = [{shape = array<i64: 1, 2, 2, 1>, extent = array<i64: 2, 2, 1>, layout = ["", "C", "H", "W"]}], offsets = array<i64: 0, 0, 0>}> ({
^bb0(%a: tensor<2x1x1xf32>):
  %p = "kernel.concat"(%a) <{origins = array<i64: 1, 0, 0>, starts = array<i64: 0, 0, 0>, sizes = array<i64: 2, 1, 1>}> : (tensor<2x1x1xf32>) -> tensor<3x1x1xf32>
  %f = "kernel.apply_filters"(%p) <{weights = "w", kernel = array<i64: 2, 1>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, origins = array<i64: 0>, tiles = array<i64: 0, 0, 2>, channels = array<i64: 0, 2>}> : (tensor<3x1x1xf32>) -> tensor<2x1x2xf32>
  "spat.yield"(%f) : (tensor<2x1x2xf32>) -> ()
}) : (tensor<2x1x1xf32>) -> tensor<2x1x2xf32>
%z = "spat.compute"(%y) <{node = "relu", tensors = ["z"], forms = [{shape = array<i64: 1, 2, 2, 1>, extent = array<i64: 2, 2, 1>, layout = ["", "C", "H", "W"]}], offsets = array<i64: 0, 0, 0>}> ({
^bb0(%b: tensor<2x1x2xf32>):
  %g = "kernel.activation"(%b) <{epilogue = [{fn = "relu", args = []}]}> : (tensor<2x1x2xf32>) -> tensor<2x1x2xf32>
  "spat.yield"(%g) : (tensor<2x1x2xf32>) -> ()
}) : (tensor<2x1x2xf32>) -> tensor<2x1x2xf32>
"spat.output"(%z) <{element = f32, tensor = "z", offsets = array<i64: 0, 0, 0>, shape = array<i64: 1, 2, 2, 1>, extent = array<i64: 2, 2, 1>, layout = ["", "C", "H", "W"]}> : (tensor<2x1x2xf32>) -> ()
// The window of each pixel is put together, padding left out, and its product is a result of its own; what is no
// product gets all pixels put together again.
// CHECK: %[[X:.+]] = spat.input
// CHECK: %[[P:.+]], %[[Q:.+]] = spat.compute(%{{[^ ]+}} = %[[X]]) {{.+}}offsets = [0, 0, 0, 1, 0, 0]
// CHECK: %[[V:.+]] = kernel.concat(%[[A:.+]]) {origins = [1, 0, 0], starts = [0, 0, 0], sizes = [1, 1, 1]} : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
// CHECK: %[[F:.+]] = kernel.apply_filters(%[[V]]) {{.+}}unit = 0
// CHECK: %[[W:.+]] = kernel.concat(%[[A]], %[[A]]) {origins = [0, 0, 0, 1, 0, 0], starts = [0, 0, 0, 1, 0, 0], sizes = [1, 1, 1, 1, 1, 1]}
// CHECK: %[[G:.+]] = kernel.apply_filters(%[[W]]) {{.+}}unit = 0
// CHECK: spat.yield(%[[F]], %[[G]])
// CHECK: spat.compute(%{{[^ ]+}} = %[[P]], %{{[^ ]+}} = %[[Q]]) {node = "relu"
// CHECK: kernel.concat({{.+}}) {origins = [0, 0, 0, 1, 0, 0], starts = [0, 0, 0, 0, 0, 0], sizes = [1, 1, 2, 1, 1, 2]}
