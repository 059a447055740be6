#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @main(%arg0: tensor<2x4x13xf32>) -> (tensor<2x6xi64>, tensor<2x6xf32>, tensor<2x6x6xf32>) {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant 0xFF800000 : f32
    %cst_2 = arith.constant dense_resource<torch_tensor_6_torch.float32> : tensor<6xf32>
    %cst_3 = arith.constant dense_resource<torch_tensor_6_4_3_torch.float32> : tensor<6x4x3xf32>
    %cst_4 = arith.constant 3.000000e+00 : f32
    %cst_5 = arith.constant 8.000000e+00 : f32
    %padded = tensor.pad %arg0 low[0, 0, 2] high[0, 0, 1] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index):
      tensor.yield %cst : f32
    } : tensor<2x4x13xf32> to tensor<2x4x16xf32>
    %0 = tensor.empty() : tensor<2x6x12xf32>
    %broadcasted = linalg.broadcast ins(%cst_2 : tensor<6xf32>) outs(%0 : tensor<2x6x12xf32>) dimensions = [0, 2] 
    %1 = linalg.conv_1d_ncw_fcw {dilations = dense<2> : vector<1xi64>, strides = dense<1> : vector<1xi64>} ins(%padded, %cst_3 : tensor<2x4x16xf32>, tensor<6x4x3xf32>) outs(%broadcasted : tensor<2x6x12xf32>) -> tensor<2x6x12xf32>
    %extracted_slice = tensor.extract_slice %1[0, 0, 0] [2, 6, 4] [1, 1, 1] : tensor<2x6x12xf32> to tensor<2x6x4xf32>
    %2 = tensor.empty() : tensor<2x6x4xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice : tensor<2x6x4xf32>) outs(%2 : tensor<2x6x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = arith.negf %in : f32
      %23 = math.exp %22 : f32
      %24 = arith.addf %23, %cst_0 : f32
      %25 = arith.divf %cst_0, %24 : f32
      linalg.yield %25 : f32
    } -> tensor<2x6x4xf32>
    %concat = tensor.concat dim(2) %1, %3 : (tensor<2x6x12xf32>, tensor<2x6x4xf32>) -> tensor<2x6x16xf32>
    %expanded = tensor.expand_shape %concat [[0], [1], [2, 3]] output_shape [2, 6, 1, 16] : tensor<2x6x16xf32> into tensor<2x6x1x16xf32>
    %padded_6 = tensor.pad %expanded low[0, 0, 0, 1] high[0, 0, 0, 1] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
      tensor.yield %cst : f32
    } : tensor<2x6x1x16xf32> to tensor<2x6x1x18xf32>
    %4 = tensor.empty() : tensor<2x6x1x8xf32>
    %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<2x6x1x8xf32>) -> tensor<2x6x1x8xf32>
    %6 = tensor.empty() : tensor<1x3xf32>
    %7 = linalg.pooling_nchw_sum {dilations = dense<1> : vector<2xi64>, strides = dense<[1, 2]> : vector<2xi64>} ins(%padded_6, %6 : tensor<2x6x1x18xf32>, tensor<1x3xf32>) outs(%5 : tensor<2x6x1x8xf32>) -> tensor<2x6x1x8xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7 : tensor<2x6x1x8xf32>) outs(%4 : tensor<2x6x1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = arith.divf %in, %cst_4 : f32
      linalg.yield %22 : f32
    } -> tensor<2x6x1x8xf32>
    %collapsed = tensor.collapse_shape %8 [[0], [1, 2], [3]] : tensor<2x6x1x8xf32> into tensor<2x6x8xf32>
    %9 = tensor.empty() : tensor<2x6xi64>
    %10 = linalg.fill ins(%c0_i64 : i64) outs(%9 : tensor<2x6xi64>) -> tensor<2x6xi64>
    %11 = tensor.empty() : tensor<2x6xf32>
    %12 = linalg.fill ins(%cst_1 : f32) outs(%11 : tensor<2x6xf32>) -> tensor<2x6xf32>
    %13:2 = linalg.generic {indexing_maps = [#map, #map2, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%collapsed : tensor<2x6x8xf32>) outs(%12, %10 : tensor<2x6xf32>, tensor<2x6xi64>) {
    ^bb0(%in: f32, %out: f32, %out_12: i64):
      %22 = linalg.index 2 : index
      %23 = arith.index_cast %22 : index to i64
      %24 = arith.maximumf %in, %out : f32
      %25 = arith.cmpf ogt, %in, %out : f32
      %26 = arith.select %25, %23, %out_12 : i64
      linalg.yield %24, %26 : f32, i64
    } -> (tensor<2x6xf32>, tensor<2x6xi64>)
    %14 = linalg.fill ins(%cst : f32) outs(%11 : tensor<2x6xf32>) -> tensor<2x6xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%collapsed : tensor<2x6x8xf32>) outs(%14 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = arith.addf %in, %out : f32
      linalg.yield %22 : f32
    } -> tensor<2x6xf32>
    %16 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%15 : tensor<2x6xf32>) outs(%11 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = arith.divf %in, %cst_5 : f32
      linalg.yield %22 : f32
    } -> tensor<2x6xf32>
    %expanded_7 = tensor.expand_shape %collapsed [[0], [1], [2, 3]] output_shape [2, 6, 8, 1] : tensor<2x6x8xf32> into tensor<2x6x8x1xf32>
    %17 = tensor.empty() : tensor<2x8x6x1xf32>
    %transposed = linalg.transpose ins(%expanded_7 : tensor<2x6x8x1xf32>) outs(%17 : tensor<2x8x6x1xf32>) permutation = [0, 2, 1, 3] 
    %collapsed_8 = tensor.collapse_shape %transposed [[0], [1], [2, 3]] : tensor<2x8x6x1xf32> into tensor<2x8x6xf32>
    %18 = tensor.empty() : tensor<2x6x6xf32>
    %19 = linalg.fill ins(%cst : f32) outs(%18 : tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    %20 = linalg.batch_matmul ins(%collapsed, %collapsed_8 : tensor<2x6x8xf32>, tensor<2x8x6xf32>) outs(%19 : tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    %expanded_9 = tensor.expand_shape %20 [[0], [1], [2, 3]] output_shape [2, 6, 1, 6] : tensor<2x6x6xf32> into tensor<2x6x1x6xf32>
    %21 = tensor.empty() : tensor<2x6x6x1xf32>
    %transposed_10 = linalg.transpose ins(%expanded_9 : tensor<2x6x1x6xf32>) outs(%21 : tensor<2x6x6x1xf32>) permutation = [0, 1, 3, 2] 
    %collapsed_11 = tensor.collapse_shape %transposed_10 [[0], [1], [2, 3]] : tensor<2x6x6x1xf32> into tensor<2x6x6xf32>
    return %13#1, %16, %collapsed_11 : tensor<2x6xi64>, tensor<2x6xf32>, tensor<2x6x6xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_6_torch.float32: "0x04000000F6B3703E6EF072BE866A89BE4FC62EBE6823A33DF9D213BE",
      torch_tensor_6_4_3_torch.float32: "0x0400000020A09B3CE0558ABEB467863E267D3C3EF240883EE768E83DEB1AC73D6E2499BD0B47F2BD275BEA3D9C08CD3DE65519BCAE123C3D6916CB3D41D48EBE1BB582BEAB619DBDD752493E3938103E31128DBE4D82B1BD81F9F9BC312DC23DE0D6713ECEE3CE3BEF1766BE801A913C0A4DE4BDD5A734BE55BB233E0CDC1EBD8CAD0B3E8A2C663E446BE83C887F263EF09B0BBEAC02253E6AF33C3CE76F443EA34E8D3E459C5FBEAC4F8C3EFFA6613EFD206EBEA54EAD3D2BA770BE7CC7BF3D2DD9363DD9178DBE829ED63D8E64A2BD4A53933E7041903E2B17CC3DDA01693E4C88D53DB7D58B3E2556DABCF21D923D845043BD826DA5BBE058B2BD0FF9E9BDFFFF2A3EEBB3FD3D917D02BE014282BE9389103E65F587BEF84A51BC89597EBE8D84773E"
    }
  }
#-}

