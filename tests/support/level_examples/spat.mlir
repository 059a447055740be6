builtin.module {
  %0 = spat.input {tensor = "x", boxes = <[0:2, 0:3, 0:3]>, form = <[1, H, W, C] with H = 2, W = 3, C = 3>} : tensor<2x3x3xf32>
  %1 = spat.layer(%2 = %0) {node = "softmax", tensors = ["y"], forms = <([1, H, W, C] with H = 2, W = 3, C = 3)>, boxes = <[0:2, 0:3, 0:3]>} : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32> {
    %3 = kernel.softmax(%2) : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    spat.yield(%3) : tensor<2x3x3xf32>
  }
  spat.output(%1) {tensor = "y", element = f32, boxes = <[0:2, 0:3, 0:3]>, form = <[1, H, W, C] with H = 2, W = 3, C = 3>} : tensor<2x3x3xf32>
}
// -----
builtin.module {
  %0 = spat.input {tensor = "x", boxes = <[0:4, 0:4, 0:1]>, form = <[1, 1, H, W] with H = 4, W = 4, C = 1>} : tensor<4x4x1xf32>
  %1 = spat.compute(%2 = %0) {node = "conv", tensors = ["y"], forms = <([1, C, H, W] with H = 4, W = 4, C = 2)>, boxes = <[0:4, 0:4, 0:2]>, core = 0} : (tensor<4x4x1xf32>) -> tensor<4x4x2xf32> {
    %3 = kernel.concat(%2) {parts = <[0:4, 0:4, 0:1] at [1, 1, 0]>} : (tensor<4x4x1xf32>) -> tensor<6x6x1xf32>
    %4 = kernel.apply_filters(%3) {kernel = [3, 3], strides = [1, 1], dilations = [1, 1], weights = "w", bias = "b", epilogue = <relu>, origins = [0], tiles = <0[0:9]>, channels = <0:2>} : (tensor<6x6x1xf32>) -> tensor<4x4x2xf32>
    spat.yield(%4) : tensor<4x4x2xf32>
  }
  spat.output(%1) {tensor = "y", element = f32, boxes = <[0:4, 0:4, 0:2]>, form = <[1, C, H, W] with H = 4, W = 4, C = 2>} : tensor<4x4x2xf32>
}
// -----
builtin.module {
  %0 = spat.input {tensor = "x", boxes = <[0:1, 0:2, 0:5]>, form = <[W, C] with H = 1, W = 2, C = 5>} : tensor<1x2x5xf32>
  %1 = spat.layer(%2 = %0) {node = "arg/places", tensors = [""], forms = <none>, boxes = <[0:2, 0:5, 0:1]>} : (tensor<1x2x5xf32>) -> tensor<2x5x1xf32> {
    %3 = kernel.nest(%2) {sizes = [2, 5], iterators = ["parallel", "parallel"], maps = [affine_map<(d0, d1) -> (0, d0, d1)>, affine_map<(d0, d1) -> (d0, d1, 0)>], body = []} : (tensor<1x2x5xf32>) -> tensor<2x5x1xf32>
    spat.yield(%3) : tensor<2x5x1xf32>
  }
  %4 = spat.layer(%5 = %1) {node = "arg/places", tensors = ["y/places"], forms = <([H, 1] with H = 2, W = 1, C = 1)>, boxes = <[0:2, 0:1, 0:1]>} : (tensor<2x5x1xf32>) -> tensor<2x1x1xi64> {
    %6 = kernel.arg(%5) {kind = "max", last = 0} : (tensor<2x5x1xf32>) -> tensor<2x1x1xi64>
    spat.yield(%6) : tensor<2x1x1xi64>
  }
  spat.output(%4) {tensor = "y", element = i64, boxes = <[0:2, 0:1, 0:1]>, form = <[H, 1] with H = 2, W = 1, C = 1>} : tensor<2x1x1xi64>
}
// -----
builtin.module {
  %0 = spat.input {tensor = "x", boxes = <[0:1, 0:1, 0:4]>, form = <[1, C] with H = 1, W = 1, C = 4>} : tensor<1x1x4xf32>
  %1 = spat.layer(%2 = %0) {node = "clip", tensors = ["y"], forms = <([1, C] with H = 1, W = 1, C = 4)>, boxes = <[0:1, 0:1, 0:4]>} : (tensor<1x1x4xf32>) -> tensor<1x1x4xf32> {
    %3 = kernel.activation(%2) {epilogue = <clip(0.0, 6.0)>} : (tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
    spat.yield(%3) : tensor<1x1x4xf32>
  }
  spat.output(%1) {tensor = "y", element = f32, boxes = <[0:1, 0:1, 0:4]>, form = <[1, C] with H = 1, W = 1, C = 4>} : tensor<1x1x4xf32>
}
// -----
builtin.module {
  %0 = spat.input {tensor = "x", boxes = <[0:1, 0:2, 0:5]>, form = <[W, C] with H = 1, W = 2, C = 5>} : tensor<1x2x5xf32>
  %1 = spat.layer(%2 = %0) {node = "sums", tensors = ["y"], forms = <([W, C] with H = 1, W = 2, C = 5)>, boxes = <[0:1, 0:2, 0:5]>} : (tensor<1x2x5xf32>) -> tensor<1x2x5xf32> {
    %3 = kernel.scan(%2) {axis = 2, exclusive = 0, reverse = 0} : (tensor<1x2x5xf32>) -> tensor<1x2x5xf32>
    spat.yield(%3) : tensor<1x2x5xf32>
  }
  spat.output(%1) {tensor = "y", element = f32, boxes = <[0:1, 0:2, 0:5]>, form = <[W, C] with H = 1, W = 2, C = 5>} : tensor<1x2x5xf32>
}
// -----
builtin.module {
  %0 = spat.input {tensor = "x", boxes = <[0:2, 0:2, 0:4]>, form = <[1, C, H, W] with H = 2, W = 2, C = 4>} : tensor<2x2x4xf32>
  %1 = spat.layer(%2 = %0) {node = "lrn", tensors = ["y"], forms = <([1, C, H, W] with H = 2, W = 2, C = 4)>, boxes = <[0:2, 0:2, 0:4]>} : (tensor<2x2x4xf32>) -> tensor<2x2x4xf32> {
    %3 = kernel.lrn(%2) {size = 3, alpha = 9.9999997473787516e-05 : f64, beta = 7.500000e-01, bias = 1.000000e+00, halo = 0} : (tensor<2x2x4xf32>) -> tensor<2x2x4xf32>
    spat.yield(%3) : tensor<2x2x4xf32>
  }
  spat.output(%1) {tensor = "y", element = f32, boxes = <[0:2, 0:2, 0:4]>, form = <[1, C, H, W] with H = 2, W = 2, C = 4>} : tensor<2x2x4xf32>
}
// -----
builtin.module {
  %0 = spat.input {tensor = "x", boxes = <[0:4, 0:4, 0:1]>, form = <[1, 1, H, W] with H = 4, W = 4, C = 1>} : tensor<4x4x1xf32>
  %1 = spat.layer(%2 = %0) {node = "pool", tensors = ["y"], forms = <([1, 1, H, W] with H = 2, W = 2, C = 1)>, boxes = <[0:2, 0:2, 0:1]>} : (tensor<4x4x1xf32>) -> tensor<2x2x1xf32> {
    %3 = kernel.pool(%2) {kernel = [2, 2], strides = [2, 2], dilations = [1, 1], kind = "max", pads = [0, 0, 0, 0], count_include_pad = 0} : (tensor<4x4x1xf32>) -> tensor<2x2x1xf32>
    spat.yield(%3) : tensor<2x2x1xf32>
  }
  spat.output(%1) {tensor = "y", element = f32, boxes = <[0:2, 0:2, 0:1]>, form = <[1, 1, H, W] with H = 2, W = 2, C = 1>} : tensor<2x2x1xf32>
}
// -----
builtin.module {
  %0 = spat.input {tensor = "x", boxes = <[0:3, 0:3, 0:4]>, form = <[1, C, H, W] with H = 3, W = 3, C = 4>} : tensor<3x3x4xf32>
  %1 = spat.product(%2 = %0) {node = "conv", tensors = ["y"], forms = <([1, C, H, W] with H = 2, W = 2, C = 4)>, boxes = <[0:2, 0:2, 0:4]>} : (tensor<3x3x4xf32>) -> tensor<2x2x4xf32> {
    %3 = kernel.apply_blocks(%2) {kernel = [2, 2], strides = [1, 1], dilations = [1, 1], origin = 0, groups = 4, blocks = <0:4>, weights = "w"} : (tensor<3x3x4xf32>) -> tensor<2x2x4xf32>
    spat.yield(%3) : tensor<2x2x4xf32>
  }
  spat.output(%1) {tensor = "y", element = f32, boxes = <[0:2, 0:2, 0:4]>, form = <[1, C, H, W] with H = 2, W = 2, C = 4>} : tensor<2x2x4xf32>
}
// -----
builtin.module {
  %0 = spat.input {tensor = "x", boxes = <[0:2, 0:2, 0:4]>, form = <[1, C, H, W] with H = 2, W = 2, C = 4>} : tensor<2x2x4xf32>
  %1, %2 = spat.layer(%3 = %0) {node = "cut", tensors = ["a", "b"], forms = <([1, C, H, W] with H = 2, W = 2, C = 2), ([1, C, H, W] with H = 2, W = 2, C = 2)>, boxes = <[0:2, 0:2, 0:2], [0:2, 0:2, 0:2]>} : (tensor<2x2x4xf32>) -> (tensor<2x2x2xf32>, tensor<2x2x2xf32>) {
    %4 = kernel.concat(%3) {parts = <[0:2, 0:2, 0:2] at [0, 0, 0]>} : (tensor<2x2x4xf32>) -> tensor<2x2x2xf32>
    %5 = kernel.concat(%3) {parts = <[0:2, 0:2, 2:4] at [0, 0, 0]>} : (tensor<2x2x4xf32>) -> tensor<2x2x2xf32>
    spat.yield(%4, %5) : tensor<2x2x2xf32>, tensor<2x2x2xf32>
  }
  %6 = spat.join(%2, %1) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x4xf32>
  spat.output(%6) {tensor = "y", element = f32, boxes = <[0:2, 0:2, 0:4]>, form = <[1, C, H, W] with H = 2, W = 2, C = 4>} : tensor<2x2x4xf32>
}
// -----
builtin.module {
  %0 = spat.input {tensor = "x", boxes = <[0:1, 0:1, 0:4]>, form = <[C] with H = 1, W = 1, C = 4>} : tensor<1x1x4xi64>
  %1 = spat.layer {node = "t", tensors = ["t"], forms = <([W, C] with H = 1, W = 5, C = 3)>, boxes = <[0:1, 0:5, 0:3]>} : tensor<1x5x3xf32> {
    %2 = kernel.nest {sizes = [5, 3], iterators = ["parallel", "parallel"], maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (0, d0, d1)>], body = [], arrays = ["t"], types = [f32]} : tensor<1x5x3xf32>
    spat.yield(%2) : tensor<1x5x3xf32>
  }
  %3 = spat.layer(%4 = %1, %5 = %0) {node = "look_up/gathered", tensors = ["y/gathered"], forms = <([1, W, C] with H = 1, W = 4, C = 3)>, boxes = <[0:1, 0:4, 0:3]>} : (tensor<1x5x3xf32>, tensor<1x1x4xi64>) -> tensor<1x4x3xf32> {
    %6 = kernel.gather(%4, %5) : (tensor<1x5x3xf32>, tensor<1x1x4xi64>) -> tensor<1x4x3xf32>
    spat.yield(%6) : tensor<1x4x3xf32>
  }
  spat.output(%3) {tensor = "y", element = f32, boxes = <[0:1, 0:4, 0:3]>, form = <[W, C] with H = 1, W = 4, C = 3>} : tensor<1x4x3xf32>
}
// -----
builtin.module {
  %0 = spat.input {tensor = "x", boxes = <[0:3, 0:1, 0:4]>, form = <[H, 1, C] with H = 3, W = 1, C = 4>} : tensor<3x1x4xf32>
  %1 = spat.product(%2 = %0) {node = "rnn/inputs_forward", tensors = ["y/inputs_forward"], forms = <([H, 1, C] with H = 3, W = 1, C = 2)>, boxes = <[0:3, 0:1, 0:2]>} : (tensor<3x1x4xf32>) -> tensor<3x1x2xf32> {
    %3 = kernel.apply_filters(%2) {kernel = [1, 1], strides = [1, 1], dilations = [1, 1], origins = [0], tiles = <0[0:4]>, channels = <0:2>, weights = "w/forward/filters"} : (tensor<3x1x4xf32>) -> tensor<3x1x2xf32>
    spat.yield(%3) : tensor<3x1x2xf32>
  }
  %4 = spat.layer(%5 = %1) {node = "rnn", tensors = ["y"], forms = <([H, 1, 1, C] with H = 3, W = 1, C = 2)>, boxes = <[0:3, 0:1, 0:2]>} : (tensor<3x1x2xf32>) -> tensor<3x1x2xf32> {
    %6 = kernel.recurrent(%5) {cell = "rnn", bodies = [[{fn = "tanh", type = f32, args = array<i64: 0>}]], crossbar = [16, 16], reverse = 0, direction = 0, weights = "r/0", given = [], makes = ["y"]} : (tensor<3x1x2xf32>) -> tensor<3x1x2xf32>
    spat.yield(%6) : tensor<3x1x2xf32>
  }
  spat.output(%4) {tensor = "y", element = f32, boxes = <[0:3, 0:1, 0:2]>, form = <[H, 1, 1, C] with H = 3, W = 1, C = 2>} : tensor<3x1x2xf32>
}
// -----
builtin.module {
  %0 = spat.input {tensor = "x", boxes = <[0:1, 0:2, 0:5]>, form = <[W, C] with H = 1, W = 2, C = 5>} : tensor<1x2x5xf32>
  %1 = spat.layer(%2 = %0) {node = "top/sorted", tensors = [""], forms = <none>, boxes = <[0:2, 0:5, 0:1]>} : (tensor<1x2x5xf32>) -> tensor<2x5x1xf32> {
    %3 = kernel.nest(%2) {sizes = [2, 5], iterators = ["parallel", "parallel"], maps = [affine_map<(d0, d1) -> (0, d0, d1)>, affine_map<(d0, d1) -> (d0, d1, 0)>], body = []} : (tensor<1x2x5xf32>) -> tensor<2x5x1xf32>
    spat.yield(%3) : tensor<2x5x1xf32>
  }
  %4, %5 = spat.layer(%6 = %1) {node = "top/sorted", tensors = ["v/sorted", "i/sorted"], forms = <([H, W, 1] with H = 2, W = 3, C = 1), ([H, W, 1] with H = 2, W = 3, C = 1)>, boxes = <[0:2, 0:3, 0:1], [0:2, 0:3, 0:1]>} : (tensor<2x5x1xf32>) -> (tensor<2x3x1xf32>, tensor<2x3x1xi64>) {
    %7, %8 = kernel.topk(%6) {largest = 1} : (tensor<2x5x1xf32>) -> (tensor<2x3x1xf32>, tensor<2x3x1xi64>)
    spat.yield(%7, %8) : tensor<2x3x1xf32>, tensor<2x3x1xi64>
  }
  spat.output(%4) {tensor = "v", element = f32, boxes = <[0:2, 0:3, 0:1]>, form = <[H, W] with H = 2, W = 3, C = 1>} : tensor<2x3x1xf32>
  spat.output(%5) {tensor = "i", element = i64, boxes = <[0:2, 0:3, 0:1]>, form = <[H, W] with H = 2, W = 3, C = 1>} : tensor<2x3x1xi64>
}
// -----
builtin.module {
  %0 = spat.input {tensor = "x", boxes = <[0:1, 0:5, 0:3]>, form = <[W, C] with H = 1, W = 5, C = 3>} : tensor<1x5x3xf32>
  %1 = spat.input {tensor = "u", boxes = <[0:1, 0:2, 0:3]>, form = <[W, C] with H = 1, W = 2, C = 3>} : tensor<1x2x3xf32>
  %2 = spat.layer {node = "i", tensors = ["i"], forms = <([W, 1] with H = 1, W = 2, C = 1)>, boxes = <[0:1, 0:2, 0:1]>} : tensor<1x2x1xi64> {
    %3 = kernel.nest {sizes = [2, 1], iterators = ["parallel", "parallel"], maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (0, d0, 0)>], body = [], arrays = ["i"], types = [i64]} : tensor<1x2x1xi64>
    spat.yield(%3) : tensor<1x2x1xi64>
  }
  %4 = spat.layer(%5 = %2) {node = "put/put", tensors = [""], forms = <none>, boxes = <[0:1, 0:1, 0:2]>} : (tensor<1x2x1xi64>) -> tensor<1x1x2xi64> {
    %6 = kernel.nest(%5) {sizes = [2], iterators = ["parallel"], maps = [affine_map<(d0) -> (0, d0, 0)>, affine_map<(d0) -> (0, 0, d0)>], body = []} : (tensor<1x2x1xi64>) -> tensor<1x1x2xi64>
    spat.yield(%6) : tensor<1x1x2xi64>
  }
  %7 = spat.layer(%8 = %0, %9 = %4, %10 = %1) {node = "put/put", tensors = ["y/put"], forms = <([1, W, C] with H = 1, W = 5, C = 3)>, boxes = <[0:1, 0:5, 0:3]>} : (tensor<1x5x3xf32>, tensor<1x1x2xi64>, tensor<1x2x3xf32>) -> tensor<1x5x3xf32> {
    %11 = kernel.put(%8, %9, %10) {combine = "assign"} : (tensor<1x5x3xf32>, tensor<1x1x2xi64>, tensor<1x2x3xf32>) -> tensor<1x5x3xf32>
    spat.yield(%11) : tensor<1x5x3xf32>
  }
  spat.output(%7) {tensor = "y", element = f32, boxes = <[0:1, 0:5, 0:3]>, form = <[W, C] with H = 1, W = 5, C = 3>} : tensor<1x5x3xf32>
}
// -----
builtin.module {
  %0 = spat.input {tensor = "x", boxes = <[0:2, 0:2, 0:1]>, form = <[1, 1, H, W] with H = 2, W = 2, C = 1>} : tensor<2x2x1xf32>
  %1 = spat.product(%2 = %0) {node = "up", tensors = [""], forms = <none>, boxes = <[0:2, 0:2, 0:2]>} : (tensor<2x2x1xf32>) -> tensor<2x2x2xf32> {
    %3 = kernel.apply_filters(%2) {kernel = [1, 1], strides = [1, 1], dilations = [1, 1], origins = [0], tiles = <0[0:1]>, channels = <0:2>, weights = "w/phase0"} : (tensor<2x2x1xf32>) -> tensor<2x2x2xf32>
    spat.yield(%3) : tensor<2x2x2xf32>
  }
  %4 = spat.product(%5 = %0) {node = "up", tensors = [""], forms = <none>, boxes = <[0:2, 0:2, 0:2]>} : (tensor<2x2x1xf32>) -> tensor<2x2x2xf32> {
    %6 = kernel.apply_filters(%5) {kernel = [1, 1], strides = [1, 1], dilations = [1, 1], origins = [0], tiles = <0[0:1]>, channels = <0:2>, weights = "w/phase1"} : (tensor<2x2x1xf32>) -> tensor<2x2x2xf32>
    spat.yield(%6) : tensor<2x2x2xf32>
  }
  %7 = spat.product(%8 = %0) {node = "up", tensors = [""], forms = <none>, boxes = <[0:2, 0:2, 0:2]>} : (tensor<2x2x1xf32>) -> tensor<2x2x2xf32> {
    %9 = kernel.apply_filters(%8) {kernel = [1, 1], strides = [1, 1], dilations = [1, 1], origins = [0], tiles = <0[0:1]>, channels = <0:2>, weights = "w/phase2"} : (tensor<2x2x1xf32>) -> tensor<2x2x2xf32>
    spat.yield(%9) : tensor<2x2x2xf32>
  }
  %10 = spat.product(%11 = %0) {node = "up", tensors = [""], forms = <none>, boxes = <[0:2, 0:2, 0:2]>} : (tensor<2x2x1xf32>) -> tensor<2x2x2xf32> {
    %12 = kernel.apply_filters(%11) {kernel = [1, 1], strides = [1, 1], dilations = [1, 1], origins = [0], tiles = <0[0:1]>, channels = <0:2>, weights = "w/phase3"} : (tensor<2x2x1xf32>) -> tensor<2x2x2xf32>
    spat.yield(%12) : tensor<2x2x2xf32>
  }
  %13 = spat.layer(%14 = %1, %15 = %4, %16 = %7, %17 = %10) {node = "up", tensors = ["y"], forms = <([1, C, H, W] with H = 4, W = 4, C = 2)>, boxes = <[0:4, 0:4, 0:2]>} : (tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<4x4x2xf32> {
    %18 = kernel.interleave(%14, %15, %16, %17) {origins = <[0, 0], [0, 1], [1, 0], [1, 1]>, strides = [2, 2], channels = <0:2>} : (tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<4x4x2xf32>
    spat.yield(%18) : tensor<4x4x2xf32>
  }
  spat.output(%13) {tensor = "y", element = f32, boxes = <[0:4, 0:4, 0:2]>, form = <[1, C, H, W] with H = 4, W = 4, C = 2>} : tensor<4x4x2xf32>
}
// -----
builtin.module {
  %0 = spat.input {tensor = "x", boxes = <[0:1, 0:2, 0:16]>, form = <[1, W, C] with H = 1, W = 2, C = 40>} : tensor<1x2x16xf32>
  %1 = spat.input {tensor = "x", boxes = <[0:1, 0:2, 16:32]>, form = <[1, W, C] with H = 1, W = 2, C = 40>} : tensor<1x2x16xf32>
  %2 = spat.input {tensor = "x", boxes = <[0:1, 0:2, 32:40]>, form = <[1, W, C] with H = 1, W = 2, C = 40>} : tensor<1x2x8xf32>
  %3 = spat.compute(%4 = %0) {node = "product", tensors = [""], forms = <none>, boxes = <[0:1, 0:2, 0:3]>, part = "row tiles 0-0 of 3", core = 0} : (tensor<1x2x16xf32>) -> tensor<1x2x3xf32> {
    %5 = kernel.apply_filters(%4) {kernel = [1, 1], strides = [1, 1], dilations = [1, 1], weights = "w/filters", origins = [0], tiles = <0[0:16]>, channels = <0:3>} : (tensor<1x2x16xf32>) -> tensor<1x2x3xf32>
    spat.yield(%5) : tensor<1x2x3xf32>
  }
  %6 = spat.compute(%7 = %1) {node = "product", tensors = [""], forms = <none>, boxes = <[0:1, 0:2, 0:3]>, part = "row tiles 1-1 of 3", core = 1} : (tensor<1x2x16xf32>) -> tensor<1x2x3xf32> {
    %8 = kernel.apply_filters(%7) {kernel = [1, 1], strides = [1, 1], dilations = [1, 1], weights = "w/filters", origins = [16], tiles = <0[0:16]>, channels = <0:3>} : (tensor<1x2x16xf32>) -> tensor<1x2x3xf32>
    spat.yield(%8) : tensor<1x2x3xf32>
  }
  %9 = spat.compute(%10 = %2) {node = "product", tensors = [""], forms = <none>, boxes = <[0:1, 0:2, 0:3]>, part = "row tiles 2-2 of 3", core = 2} : (tensor<1x2x8xf32>) -> tensor<1x2x3xf32> {
    %11 = kernel.apply_filters(%10) {kernel = [1, 1], strides = [1, 1], dilations = [1, 1], weights = "w/filters", origins = [32], tiles = <0[0:8]>, channels = <0:3>} : (tensor<1x2x8xf32>) -> tensor<1x2x3xf32>
    spat.yield(%11) : tensor<1x2x3xf32>
  }
  %12 = spat.compute(%13 = %3, %14 = %6) {node = "product", tensors = [""], forms = <none>, boxes = <[0:1, 0:2, 0:3]>, part = "partial sum 1 of 2", core = 0} : (tensor<1x2x3xf32>, tensor<1x2x3xf32>) -> tensor<1x2x3xf32> {
    %15 = kernel.vadd(%13, %14) {channels = <0:3>} : (tensor<1x2x3xf32>, tensor<1x2x3xf32>) -> tensor<1x2x3xf32>
    spat.yield(%15) : tensor<1x2x3xf32>
  }
  %16 = spat.compute(%17 = %12, %18 = %9) {node = "product", tensors = ["y"], forms = <([1, W, C] with H = 1, W = 2, C = 3)>, boxes = <[0:1, 0:2, 0:3]>, part = "partial sum 2 of 2", core = 0} : (tensor<1x2x3xf32>, tensor<1x2x3xf32>) -> tensor<1x2x3xf32> {
    %19 = kernel.vadd(%17, %18) {channels = <0:3>} : (tensor<1x2x3xf32>, tensor<1x2x3xf32>) -> tensor<1x2x3xf32>
    spat.yield(%19) : tensor<1x2x3xf32>
  }
  spat.output(%16) {tensor = "y", element = f32, boxes = <[0:1, 0:2, 0:3]>, form = <[1, W, C] with H = 1, W = 2, C = 3>} : tensor<1x2x3xf32>
}
// -----
builtin.module {
  %0 = spat.input {tensor = "a", boxes = <[0:1, 0:2, 0:4]>, form = <[W, C] with H = 1, W = 2, C = 4>} : tensor<1x2x4xf32>
  %1 = spat.input {tensor = "b", boxes = <[0:1, 0:4, 0:5]>, form = <[W, C] with H = 1, W = 4, C = 5>} : tensor<1x4x5xf32>
  %2 = spat.compute(%3 = %0, %4 = %1) {node = "product", tensors = ["y"], forms = <([W, C] with H = 1, W = 2, C = 5)>, boxes = <[0:1, 0:2, 0:5]>, core = 0} : (tensor<1x2x4xf32>, tensor<1x4x5xf32>) -> tensor<1x2x5xf32> {
    %5 = kernel.written_product(%3, %4) {sizes = [2, 5, 4], iterators = ["parallel", "parallel", "reduction"], maps = [affine_map<(d0, d1, d2) -> (0, d0, d2)>, affine_map<(d0, d1, d2) -> (0, d2, d1)>, affine_map<(d0, d1, d2) -> (0, d0, d1)>], body = [{fn = "mul", type = f32, args = array<i64: 0, 1>}], combine = "add", operand = 0, crossbar = [128, 128], bank = 0, groups = 1, stays = 1} : (tensor<1x2x4xf32>, tensor<1x4x5xf32>) -> tensor<1x2x5xf32>
    spat.yield(%5) : tensor<1x2x5xf32>
  }
  spat.output(%2) {tensor = "y", element = f32, boxes = <[0:1, 0:2, 0:5]>, form = <[W, C] with H = 1, W = 2, C = 5>} : tensor<1x2x5xf32>
}
