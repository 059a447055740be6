#map = affine_map<(d0, d1, d2, d3) -> ()>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> ()>
#map5 = affine_map<(d0, d1) -> (d0, d1)>
module @jit_conv attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x9x9x2xf32>) -> (tensor<1x4xf32> {jax.result_info = "result"}) {
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant dense<1.600000e+01> : tensor<f32>
    %cst_1 = arith.constant dense<1.000000e-01> : tensor<f32>
    %cst_2 = arith.constant 0.000000e+00 : f32
    %cst_3 = arith.constant dense<[[[[-0.160065606, 0.183075428, -0.292632699, -0.358570367], [0.159963012, 0.188592225, -0.239733428, 0.140599415]], [[-0.0729081109, 0.0753230453, -0.315240055, 0.208223611], [0.300814748, 0.159268305, 0.139584988, -0.943068802]], [[0.0651574358, -0.006361329, -0.036761377, -0.157644495], [0.0138412435, 0.103029348, -0.0659470409, -0.115831032]]], [[[0.307438463, -0.276341766, 0.257538795, 0.0442031175], [-0.201076418, -0.0724954754, -0.229998395, 0.168766126]], [[0.0869754404, -0.139199048, -0.275554568, 0.0754290223], [0.2393464, -0.028459087, 0.104588129, -0.0940067842]], [[1.689230e-02, -0.0728207305, 0.0735105351, -0.377443135], [0.161047637, -0.0574831218, 0.0896520168, -0.0850775316]]], [[[8.009030e-02, -0.268140703, 0.297288597, -0.425886154], [-0.259809703, 0.0589165166, 0.365710557, 0.0695315748]], [[-0.0619771145, -0.356272548, -0.0478191674, -0.00496925274], [0.422642171, 0.155531302, -0.382273227, 0.506694794]], [[-0.0987524688, -0.219864935, 0.36870566, -0.0124389399], [-0.0918506533, 0.0546964966, 0.211222202, 0.24833405]]]]> : tensor<3x3x2x4xf32>
    %0 = tensor.empty() : tensor<1x5x5x4xf32>
    %1 = linalg.fill ins(%cst_2 : f32) outs(%0 : tensor<1x5x5x4xf32>) -> tensor<1x5x5x4xf32>
    %padded = tensor.pad %arg0 low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
      tensor.yield %cst_2 : f32
    } : tensor<1x9x9x2xf32> to tensor<1x11x11x2xf32>
    %2 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%padded, %cst_3 : tensor<1x11x11x2xf32>, tensor<3x3x2x4xf32>) outs(%1 : tensor<1x5x5x4xf32>) -> tensor<1x5x5x4xf32>
    %3 = tensor.empty() : tensor<1x5x5x4xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%3 : tensor<1x5x5x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x5x5x4xf32>
    %5 = tensor.empty() : tensor<1x5x5x4xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4, %2 : tensor<1x5x5x4xf32>, tensor<1x5x5x4xf32>) outs(%5 : tensor<1x5x5x4xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %20 = arith.mulf %in, %in_4 : f32
      linalg.yield %20 : f32
    } -> tensor<1x5x5x4xf32>
    %7 = tensor.empty() : tensor<1x5x5x4xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %6 : tensor<1x5x5x4xf32>, tensor<1x5x5x4xf32>) outs(%7 : tensor<1x5x5x4xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %20 = arith.maximumf %in, %in_4 : f32
      linalg.yield %20 : f32
    } -> tensor<1x5x5x4xf32>
    %9 = tensor.empty() : tensor<2x2xf32>
    %10 = tensor.empty() : tensor<1x4x4x4xf32>
    %11 = linalg.fill ins(%cst : f32) outs(%10 : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
    %12 = linalg.pooling_nhwc_max {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%8, %9 : tensor<1x5x5x4xf32>, tensor<2x2xf32>) outs(%11 : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
    %13 = tensor.empty() : tensor<1x4xf32>
    %14 = linalg.fill ins(%cst_2 : f32) outs(%13 : tensor<1x4xf32>) -> tensor<1x4xf32>
    %15 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%12 : tensor<1x4x4x4xf32>) outs(%14 : tensor<1x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.addf %out, %in : f32
      linalg.yield %20 : f32
    } -> tensor<1x4xf32>
    %16 = tensor.empty() : tensor<1x4xf32>
    %17 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel"]} ins(%cst_0 : tensor<f32>) outs(%16 : tensor<1x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x4xf32>
    %18 = tensor.empty() : tensor<1x4xf32>
    %19 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%15, %17 : tensor<1x4xf32>, tensor<1x4xf32>) outs(%18 : tensor<1x4xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %20 = arith.divf %in, %in_4 : f32
      linalg.yield %20 : f32
    } -> tensor<1x4xf32>
    return %19 : tensor<1x4xf32>
  }
}

