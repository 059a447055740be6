module @jit_int8 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x10xi8>) -> (tensor<4x6xi32> {jax.result_info = "result"}) {
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant dense<[[3, 121, 123, -101, 64, -13], [-9, -27, 86, -69, 21, 63], [-22, 36, -98, 57, -51, -107], [-53, -38, 37, 5, 85, -19], [98, -118, -45, -79, -31, 113], [-94, -87, -24, 90, -126, 82], [71, -28, -118, -9, 51, 82], [-88, 46, 14, 86, 53, 65], [90, 48, -28, 105, 14, 82], [-102, -83, 12, 63, 115, -106]]> : tensor<10x6xi8>
    %0 = tensor.empty() : tensor<4x6xi32>
    %1 = linalg.fill ins(%c0_i32 : i32) outs(%0 : tensor<4x6xi32>) -> tensor<4x6xi32>
    %2 = linalg.matmul ins(%arg0, %cst : tensor<4x10xi8>, tensor<10x6xi8>) outs(%1 : tensor<4x6xi32>) -> tensor<4x6xi32>
    return %2 : tensor<4x6xi32>
  }
}

