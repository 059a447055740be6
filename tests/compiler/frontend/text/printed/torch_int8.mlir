#map = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @main(%arg0: tensor<5x12xi8>) -> tensor<5x7xi32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant dense_resource<torch_tensor_12_7_torch.int8> : tensor<12x7xi8>
    %0 = tensor.empty() : tensor<5x12xi32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<5x12xi8>) outs(%0 : tensor<5x12xi32>) {
    ^bb0(%in: i8, %out: i32):
      %9 = arith.extsi %in : i8 to i32
      linalg.yield %9 : i32
    } -> tensor<5x12xi32>
    %2 = tensor.empty() : tensor<12x7xi32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%cst : tensor<12x7xi8>) outs(%2 : tensor<12x7xi32>) {
    ^bb0(%in: i8, %out: i32):
      %9 = arith.extsi %in : i8 to i32
      linalg.yield %9 : i32
    } -> tensor<12x7xi32>
    %4 = tensor.empty() : tensor<5x7xi64>
    %5 = linalg.fill ins(%c0_i64 : i64) outs(%4 : tensor<5x7xi64>) -> tensor<5x7xi64>
    %6 = linalg.matmul ins(%1, %3 : tensor<5x12xi32>, tensor<12x7xi32>) outs(%5 : tensor<5x7xi64>) -> tensor<5x7xi64>
    %7 = tensor.empty() : tensor<5x7xi32>
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<5x7xi64>) outs(%7 : tensor<5x7xi32>) {
    ^bb0(%in: i64, %out: i32):
      %9 = arith.trunci %in : i64 to i32
      linalg.yield %9 : i32
    } -> tensor<5x7xi32>
    return %8 : tensor<5x7xi32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_12_7_torch.int8: "0x01000000A56B0CC87F094B05CF4010014CC76D7C069932947EE512540B7C6A1C1D0EB2C457576971775EE0D60D690987BFBD96B98100BC5188580DF32F6AF9489EC7034615B1B983449871ABCC9AB4D0EDF3A9528FC04499"
    }
  }
#-}

