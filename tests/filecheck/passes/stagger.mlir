// RUN: emu opt %s -p stagger --arch tiny | filecheck %s
// WEIGHTS: w = "2x40x1x1"

%x = "spat.input"() <{tensor = "x", offsets = array<i64: 0, 0, 0>, shape = array<i64: 1, 40, 2, 2>, extent = array<i64: 40, 2, 2>, layout = ["", "C", "H", "W"]}> : () -> tensor<2x2x40xf32>
%y = "spat.compute"(%x) <{node = "conv", tensors = ["y"], forms = [{shape = array<i64: 1, 2, 2, 2>, extent = array<i64: 2, 2, 2>, layout = ["", "C", "H", "W"]}], offsets = array<i64: 0, 0, 0>}> ({
^bb0(%a: tensor<2x2x40xf32>):
  %f = "kernel.apply_filters"(%a) <{weights = "w", kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, origins = array<i64: 0>, tiles = array<i64: 0, 0, 16, 0, 16, 32, 0, 32, 40>, channels = array<i64: 0, 2>}> : (tensor<2x2x40xf32>) -> tensor<2x2x2xf32>
  "spat.yield"(%f) : (tensor<2x2x2xf32>) -> ()
}) : (tensor<2x2x40xf32>) -> tensor<2x2x2xf32>
"spat.output"(%y) <{element = f32, tensor = "y", offsets = array<i64: 0, 0, 0>, shape = array<i64: 1, 2, 2, 2>, extent = array<i64: 2, 2, 2>, layout = ["", "C", "H", "W"]}> : (tensor<2x2x2xf32>) -> ()
// Row tiles that stand side by side are read in place by one product; now each has its own.
// CHECK: kernel.apply_filters({{.+}}tiles = [0, 0, 16, 0, 16, 32, 0, 32, 40]{{.*}}slices = [1, 1, 1]
