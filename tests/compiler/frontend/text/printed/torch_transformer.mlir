#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d1)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @main(%arg0: tensor<1x5x16xf32>) -> tensor<1x5x16xf32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant 0xFF800000 : f32
    %cst_2 = arith.constant 1.000000e+00 : f32
    %cst_3 = arith.constant 5.000000e-01 : f32
    %cst_4 = arith.constant dense_resource<torch_tensor_16_torch.float32_5> : tensor<16xf32>
    %cst_5 = arith.constant dense_resource<torch_tensor_16_64_torch.float32> : tensor<16x64xf32>
    %cst_6 = arith.constant dense_resource<torch_tensor_64_torch.float32> : tensor<64xf32>
    %cst_7 = arith.constant dense_resource<torch_tensor_64_16_torch.float32> : tensor<64x16xf32>
    %cst_8 = arith.constant dense_resource<torch_tensor_16_torch.float32_4> : tensor<16xf32>
    %cst_9 = arith.constant dense_resource<torch_tensor_16_torch.float32_3> : tensor<16xf32>
    %cst_10 = arith.constant dense_resource<torch_tensor_16_torch.float32_2> : tensor<16xf32>
    %cst_11 = arith.constant dense_resource<torch_tensor_16_16_torch.float32> : tensor<16x16xf32>
    %cst_12 = arith.constant 2.8284271247461903 : f64
    %cst_13 = arith.constant dense_resource<torch_tensor_48_torch.float32> : tensor<48xf32>
    %cst_14 = arith.constant dense_resource<torch_tensor_48_16_torch.float32> : tensor<48x16xf32>
    %cst_15 = arith.constant dense_resource<torch_tensor_16_torch.float32_1> : tensor<16xf32>
    %cst_16 = arith.constant dense_resource<torch_tensor_16_torch.float32> : tensor<16xf32>
    %cst_17 = arith.constant 1.000000e-05 : f64
    %cst_18 = arith.constant 1.600000e+01 : f64
    %cst_19 = arith.constant 1.600000e+01 : f32
    %cst_20 = arith.constant 1.41421354 : f32
    %0 = tensor.empty() : tensor<1x5x16xf64>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<1x5x16xf32>) outs(%0 : tensor<1x5x16xf64>) {
    ^bb0(%in: f32, %out: f64):
      %82 = arith.extf %in : f32 to f64
      linalg.yield %82 : f64
    } -> tensor<1x5x16xf64>
    %2 = tensor.empty() : tensor<1x5x1xf64>
    %3 = linalg.fill ins(%cst : f64) outs(%2 : tensor<1x5x1xf64>) -> tensor<1x5x1xf64>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%1 : tensor<1x5x16xf64>) outs(%3 : tensor<1x5x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %82 = arith.addf %in, %out : f64
      linalg.yield %82 : f64
    } -> tensor<1x5x1xf64>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4 : tensor<1x5x1xf64>) outs(%2 : tensor<1x5x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %82 = arith.divf %in, %cst_18 : f64
      linalg.yield %82 : f64
    } -> tensor<1x5x1xf64>
    %6 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %5 : tensor<1x5x16xf64>, tensor<1x5x1xf64>) outs(%0 : tensor<1x5x16xf64>) {
    ^bb0(%in: f64, %in_46: f64, %out: f64):
      %82 = arith.subf %in, %in_46 : f64
      linalg.yield %82 : f64
    } -> tensor<1x5x16xf64>
    %7 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %6 : tensor<1x5x16xf64>, tensor<1x5x16xf64>) outs(%0 : tensor<1x5x16xf64>) {
    ^bb0(%in: f64, %in_46: f64, %out: f64):
      %82 = arith.mulf %in, %in_46 : f64
      linalg.yield %82 : f64
    } -> tensor<1x5x16xf64>
    %8 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%7 : tensor<1x5x16xf64>) outs(%3 : tensor<1x5x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %82 = arith.addf %in, %out : f64
      linalg.yield %82 : f64
    } -> tensor<1x5x1xf64>
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8 : tensor<1x5x1xf64>) outs(%2 : tensor<1x5x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %82 = arith.divf %in, %cst_18 : f64
      linalg.yield %82 : f64
    } -> tensor<1x5x1xf64>
    %10 = tensor.empty() : tensor<1x5x1xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<1x5x1xf64>) outs(%10 : tensor<1x5x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %82 = arith.truncf %in : f64 to f32
      linalg.yield %82 : f32
    } -> tensor<1x5x1xf32>
    %12 = linalg.fill ins(%cst_0 : f32) outs(%10 : tensor<1x5x1xf32>) -> tensor<1x5x1xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0 : tensor<1x5x16xf32>) outs(%12 : tensor<1x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = arith.addf %in, %out : f32
      linalg.yield %82 : f32
    } -> tensor<1x5x1xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<1x5x1xf32>) outs(%10 : tensor<1x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = arith.divf %in, %cst_19 : f32
      linalg.yield %82 : f32
    } -> tensor<1x5x1xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11 : tensor<1x5x1xf32>) outs(%10 : tensor<1x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = arith.truncf %cst_17 : f64 to f32
      %83 = arith.addf %in, %82 : f32
      linalg.yield %83 : f32
    } -> tensor<1x5x1xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<1x5x1xf32>) outs(%10 : tensor<1x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = math.rsqrt %in : f32
      linalg.yield %82 : f32
    } -> tensor<1x5x1xf32>
    %17 = tensor.empty() : tensor<1x5x16xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %14 : tensor<1x5x16xf32>, tensor<1x5x1xf32>) outs(%17 : tensor<1x5x16xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %82 = arith.subf %in, %in_46 : f32
      linalg.yield %82 : f32
    } -> tensor<1x5x16xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18, %16 : tensor<1x5x16xf32>, tensor<1x5x1xf32>) outs(%17 : tensor<1x5x16xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %82 = arith.mulf %in, %in_46 : f32
      linalg.yield %82 : f32
    } -> tensor<1x5x16xf32>
    %20 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19, %cst_16 : tensor<1x5x16xf32>, tensor<16xf32>) outs(%17 : tensor<1x5x16xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %82 = arith.mulf %in, %in_46 : f32
      linalg.yield %82 : f32
    } -> tensor<1x5x16xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20, %cst_15 : tensor<1x5x16xf32>, tensor<16xf32>) outs(%17 : tensor<1x5x16xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %82 = arith.addf %in, %in_46 : f32
      linalg.yield %82 : f32
    } -> tensor<1x5x16xf32>
    %collapsed = tensor.collapse_shape %21 [[0, 1], [2]] : tensor<1x5x16xf32> into tensor<5x16xf32>
    %22 = tensor.empty() : tensor<16x48xf32>
    %transposed = linalg.transpose ins(%cst_14 : tensor<48x16xf32>) outs(%22 : tensor<16x48xf32>) permutation = [1, 0] 
    %23 = tensor.empty() : tensor<5x48xf32>
    %24 = linalg.fill ins(%cst_0 : f32) outs(%23 : tensor<5x48xf32>) -> tensor<5x48xf32>
    %25 = linalg.matmul ins(%collapsed, %transposed : tensor<5x16xf32>, tensor<16x48xf32>) outs(%24 : tensor<5x48xf32>) -> tensor<5x48xf32>
    %26 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%25, %cst_13 : tensor<5x48xf32>, tensor<48xf32>) outs(%23 : tensor<5x48xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %82 = arith.addf %in, %in_46 : f32
      linalg.yield %82 : f32
    } -> tensor<5x48xf32>
    %expanded = tensor.expand_shape %26 [[0, 1], [2]] output_shape [1, 5, 48] : tensor<5x48xf32> into tensor<1x5x48xf32>
    %extracted_slice = tensor.extract_slice %expanded[0, 0, 0] [1, 5, 16] [1, 1, 1] : tensor<1x5x48xf32> to tensor<1x5x16xf32>
    %extracted_slice_21 = tensor.extract_slice %expanded[0, 0, 16] [1, 5, 16] [1, 1, 1] : tensor<1x5x48xf32> to tensor<1x5x16xf32>
    %extracted_slice_22 = tensor.extract_slice %expanded[0, 0, 32] [1, 5, 16] [1, 1, 1] : tensor<1x5x48xf32> to tensor<1x5x16xf32>
    %expanded_23 = tensor.expand_shape %extracted_slice [[0], [1], [2, 3]] output_shape [1, 5, 2, 8] : tensor<1x5x16xf32> into tensor<1x5x2x8xf32>
    %27 = tensor.empty() : tensor<1x2x5x8xf32>
    %transposed_24 = linalg.transpose ins(%expanded_23 : tensor<1x5x2x8xf32>) outs(%27 : tensor<1x2x5x8xf32>) permutation = [0, 2, 1, 3] 
    %expanded_25 = tensor.expand_shape %extracted_slice_21 [[0], [1], [2, 3]] output_shape [1, 5, 2, 8] : tensor<1x5x16xf32> into tensor<1x5x2x8xf32>
    %expanded_26 = tensor.expand_shape %extracted_slice_22 [[0], [1], [2, 3]] output_shape [1, 5, 2, 8] : tensor<1x5x16xf32> into tensor<1x5x2x8xf32>
    %transposed_27 = linalg.transpose ins(%expanded_26 : tensor<1x5x2x8xf32>) outs(%27 : tensor<1x2x5x8xf32>) permutation = [0, 2, 1, 3] 
    %28 = tensor.empty() : tensor<1x2x8x5xf32>
    %transposed_28 = linalg.transpose ins(%expanded_25 : tensor<1x5x2x8xf32>) outs(%28 : tensor<1x2x8x5xf32>) permutation = [0, 2, 3, 1] 
    %collapsed_29 = tensor.collapse_shape %transposed_24 [[0, 1], [2], [3]] : tensor<1x2x5x8xf32> into tensor<2x5x8xf32>
    %collapsed_30 = tensor.collapse_shape %transposed_28 [[0, 1], [2], [3]] : tensor<1x2x8x5xf32> into tensor<2x8x5xf32>
    %29 = tensor.empty() : tensor<2x5x5xf32>
    %30 = linalg.fill ins(%cst_0 : f32) outs(%29 : tensor<2x5x5xf32>) -> tensor<2x5x5xf32>
    %31 = linalg.batch_matmul ins(%collapsed_29, %collapsed_30 : tensor<2x5x8xf32>, tensor<2x8x5xf32>) outs(%30 : tensor<2x5x5xf32>) -> tensor<2x5x5xf32>
    %expanded_31 = tensor.expand_shape %31 [[0, 1], [2], [3]] output_shape [1, 2, 5, 5] : tensor<2x5x5xf32> into tensor<1x2x5x5xf32>
    %32 = tensor.empty() : tensor<1x2x5x5xf32>
    %33 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_31 : tensor<1x2x5x5xf32>) outs(%32 : tensor<1x2x5x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = arith.truncf %cst_12 : f64 to f32
      %83 = arith.divf %in, %82 : f32
      linalg.yield %83 : f32
    } -> tensor<1x2x5x5xf32>
    %34 = tensor.empty() : tensor<1x2x5xi64>
    %35 = linalg.fill ins(%c0_i64 : i64) outs(%34 : tensor<1x2x5xi64>) -> tensor<1x2x5xi64>
    %36 = tensor.empty() : tensor<1x2x5xf32>
    %37 = linalg.fill ins(%cst_1 : f32) outs(%36 : tensor<1x2x5xf32>) -> tensor<1x2x5xf32>
    %38:2 = linalg.generic {indexing_maps = [#map5, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%33 : tensor<1x2x5x5xf32>) outs(%37, %35 : tensor<1x2x5xf32>, tensor<1x2x5xi64>) {
    ^bb0(%in: f32, %out: f32, %out_46: i64):
      %82 = linalg.index 3 : index
      %83 = arith.index_cast %82 : index to i64
      %84 = arith.maximumf %in, %out : f32
      %85 = arith.cmpf ogt, %in, %out : f32
      %86 = arith.select %85, %83, %out_46 : i64
      linalg.yield %84, %86 : f32, i64
    } -> (tensor<1x2x5xf32>, tensor<1x2x5xi64>)
    %expanded_32 = tensor.expand_shape %38#0 [[0], [1], [2, 3]] output_shape [1, 2, 5, 1] : tensor<1x2x5xf32> into tensor<1x2x5x1xf32>
    %39 = linalg.generic {indexing_maps = [#map5, #map7, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%33, %expanded_32 : tensor<1x2x5x5xf32>, tensor<1x2x5x1xf32>) outs(%32 : tensor<1x2x5x5xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %82 = arith.subf %in, %in_46 : f32
      linalg.yield %82 : f32
    } -> tensor<1x2x5x5xf32>
    %40 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%39 : tensor<1x2x5x5xf32>) outs(%32 : tensor<1x2x5x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = math.exp %in : f32
      linalg.yield %82 : f32
    } -> tensor<1x2x5x5xf32>
    %41 = tensor.empty() : tensor<1x2x5x1xf32>
    %42 = linalg.fill ins(%cst_0 : f32) outs(%41 : tensor<1x2x5x1xf32>) -> tensor<1x2x5x1xf32>
    %43 = linalg.generic {indexing_maps = [#map5, #map7], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%40 : tensor<1x2x5x5xf32>) outs(%42 : tensor<1x2x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = arith.addf %in, %out : f32
      linalg.yield %82 : f32
    } -> tensor<1x2x5x1xf32>
    %44 = linalg.generic {indexing_maps = [#map5, #map7, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%40, %43 : tensor<1x2x5x5xf32>, tensor<1x2x5x1xf32>) outs(%32 : tensor<1x2x5x5xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %82 = arith.divf %in, %in_46 : f32
      linalg.yield %82 : f32
    } -> tensor<1x2x5x5xf32>
    %collapsed_33 = tensor.collapse_shape %44 [[0, 1], [2], [3]] : tensor<1x2x5x5xf32> into tensor<2x5x5xf32>
    %collapsed_34 = tensor.collapse_shape %transposed_27 [[0, 1], [2], [3]] : tensor<1x2x5x8xf32> into tensor<2x5x8xf32>
    %45 = tensor.empty() : tensor<2x5x8xf32>
    %46 = linalg.fill ins(%cst_0 : f32) outs(%45 : tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
    %47 = linalg.batch_matmul ins(%collapsed_33, %collapsed_34 : tensor<2x5x5xf32>, tensor<2x5x8xf32>) outs(%46 : tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
    %expanded_35 = tensor.expand_shape %47 [[0, 1], [2], [3]] output_shape [1, 2, 5, 8] : tensor<2x5x8xf32> into tensor<1x2x5x8xf32>
    %48 = tensor.empty() : tensor<1x5x2x8xf32>
    %transposed_36 = linalg.transpose ins(%expanded_35 : tensor<1x2x5x8xf32>) outs(%48 : tensor<1x5x2x8xf32>) permutation = [0, 2, 1, 3] 
    %collapsed_37 = tensor.collapse_shape %transposed_36 [[0, 1], [2, 3]] : tensor<1x5x2x8xf32> into tensor<5x16xf32>
    %49 = tensor.empty() : tensor<16x16xf32>
    %transposed_38 = linalg.transpose ins(%cst_11 : tensor<16x16xf32>) outs(%49 : tensor<16x16xf32>) permutation = [1, 0] 
    %50 = tensor.empty() : tensor<5x16xf32>
    %51 = linalg.fill ins(%cst_0 : f32) outs(%50 : tensor<5x16xf32>) -> tensor<5x16xf32>
    %52 = linalg.matmul ins(%collapsed_37, %transposed_38 : tensor<5x16xf32>, tensor<16x16xf32>) outs(%51 : tensor<5x16xf32>) -> tensor<5x16xf32>
    %53 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%52, %cst_10 : tensor<5x16xf32>, tensor<16xf32>) outs(%50 : tensor<5x16xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %82 = arith.addf %in, %in_46 : f32
      linalg.yield %82 : f32
    } -> tensor<5x16xf32>
    %expanded_39 = tensor.expand_shape %53 [[0, 1], [2]] output_shape [1, 5, 16] : tensor<5x16xf32> into tensor<1x5x16xf32>
    %54 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %expanded_39 : tensor<1x5x16xf32>, tensor<1x5x16xf32>) outs(%17 : tensor<1x5x16xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %82 = arith.addf %in, %in_46 : f32
      linalg.yield %82 : f32
    } -> tensor<1x5x16xf32>
    %55 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%54 : tensor<1x5x16xf32>) outs(%0 : tensor<1x5x16xf64>) {
    ^bb0(%in: f32, %out: f64):
      %82 = arith.extf %in : f32 to f64
      linalg.yield %82 : f64
    } -> tensor<1x5x16xf64>
    %56 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%55 : tensor<1x5x16xf64>) outs(%3 : tensor<1x5x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %82 = arith.addf %in, %out : f64
      linalg.yield %82 : f64
    } -> tensor<1x5x1xf64>
    %57 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%56 : tensor<1x5x1xf64>) outs(%2 : tensor<1x5x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %82 = arith.divf %in, %cst_18 : f64
      linalg.yield %82 : f64
    } -> tensor<1x5x1xf64>
    %58 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%55, %57 : tensor<1x5x16xf64>, tensor<1x5x1xf64>) outs(%0 : tensor<1x5x16xf64>) {
    ^bb0(%in: f64, %in_46: f64, %out: f64):
      %82 = arith.subf %in, %in_46 : f64
      linalg.yield %82 : f64
    } -> tensor<1x5x16xf64>
    %59 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%58, %58 : tensor<1x5x16xf64>, tensor<1x5x16xf64>) outs(%0 : tensor<1x5x16xf64>) {
    ^bb0(%in: f64, %in_46: f64, %out: f64):
      %82 = arith.mulf %in, %in_46 : f64
      linalg.yield %82 : f64
    } -> tensor<1x5x16xf64>
    %60 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%59 : tensor<1x5x16xf64>) outs(%3 : tensor<1x5x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %82 = arith.addf %in, %out : f64
      linalg.yield %82 : f64
    } -> tensor<1x5x1xf64>
    %61 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%60 : tensor<1x5x1xf64>) outs(%2 : tensor<1x5x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %82 = arith.divf %in, %cst_18 : f64
      linalg.yield %82 : f64
    } -> tensor<1x5x1xf64>
    %62 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%61 : tensor<1x5x1xf64>) outs(%10 : tensor<1x5x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %82 = arith.truncf %in : f64 to f32
      linalg.yield %82 : f32
    } -> tensor<1x5x1xf32>
    %63 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%54 : tensor<1x5x16xf32>) outs(%12 : tensor<1x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = arith.addf %in, %out : f32
      linalg.yield %82 : f32
    } -> tensor<1x5x1xf32>
    %64 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%63 : tensor<1x5x1xf32>) outs(%10 : tensor<1x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = arith.divf %in, %cst_19 : f32
      linalg.yield %82 : f32
    } -> tensor<1x5x1xf32>
    %65 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%62 : tensor<1x5x1xf32>) outs(%10 : tensor<1x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = arith.truncf %cst_17 : f64 to f32
      %83 = arith.addf %in, %82 : f32
      linalg.yield %83 : f32
    } -> tensor<1x5x1xf32>
    %66 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%65 : tensor<1x5x1xf32>) outs(%10 : tensor<1x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = math.rsqrt %in : f32
      linalg.yield %82 : f32
    } -> tensor<1x5x1xf32>
    %67 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%54, %64 : tensor<1x5x16xf32>, tensor<1x5x1xf32>) outs(%17 : tensor<1x5x16xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %82 = arith.subf %in, %in_46 : f32
      linalg.yield %82 : f32
    } -> tensor<1x5x16xf32>
    %68 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%67, %66 : tensor<1x5x16xf32>, tensor<1x5x1xf32>) outs(%17 : tensor<1x5x16xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %82 = arith.mulf %in, %in_46 : f32
      linalg.yield %82 : f32
    } -> tensor<1x5x16xf32>
    %69 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%68, %cst_9 : tensor<1x5x16xf32>, tensor<16xf32>) outs(%17 : tensor<1x5x16xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %82 = arith.mulf %in, %in_46 : f32
      linalg.yield %82 : f32
    } -> tensor<1x5x16xf32>
    %70 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%69, %cst_8 : tensor<1x5x16xf32>, tensor<16xf32>) outs(%17 : tensor<1x5x16xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %82 = arith.addf %in, %in_46 : f32
      linalg.yield %82 : f32
    } -> tensor<1x5x16xf32>
    %collapsed_40 = tensor.collapse_shape %70 [[0, 1], [2]] : tensor<1x5x16xf32> into tensor<5x16xf32>
    %71 = tensor.empty() : tensor<16x64xf32>
    %transposed_41 = linalg.transpose ins(%cst_7 : tensor<64x16xf32>) outs(%71 : tensor<16x64xf32>) permutation = [1, 0] 
    %72 = tensor.empty() : tensor<5x64xf32>
    %73 = linalg.fill ins(%cst_0 : f32) outs(%72 : tensor<5x64xf32>) -> tensor<5x64xf32>
    %74 = linalg.matmul ins(%collapsed_40, %transposed_41 : tensor<5x16xf32>, tensor<16x64xf32>) outs(%73 : tensor<5x64xf32>) -> tensor<5x64xf32>
    %75 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%74, %cst_6 : tensor<5x64xf32>, tensor<64xf32>) outs(%72 : tensor<5x64xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %82 = arith.addf %in, %in_46 : f32
      linalg.yield %82 : f32
    } -> tensor<5x64xf32>
    %expanded_42 = tensor.expand_shape %75 [[0, 1], [2]] output_shape [1, 5, 64] : tensor<5x64xf32> into tensor<1x5x64xf32>
    %76 = tensor.empty() : tensor<1x5x64xf32>
    %77 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_42 : tensor<1x5x64xf32>) outs(%76 : tensor<1x5x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = arith.divf %in, %cst_20 : f32
      %83 = math.erf %82 : f32
      %84 = arith.addf %83, %cst_2 : f32
      %85 = arith.mulf %84, %cst_3 : f32
      %86 = arith.mulf %in, %85 : f32
      linalg.yield %86 : f32
    } -> tensor<1x5x64xf32>
    %collapsed_43 = tensor.collapse_shape %77 [[0, 1], [2]] : tensor<1x5x64xf32> into tensor<5x64xf32>
    %78 = tensor.empty() : tensor<64x16xf32>
    %transposed_44 = linalg.transpose ins(%cst_5 : tensor<16x64xf32>) outs(%78 : tensor<64x16xf32>) permutation = [1, 0] 
    %79 = linalg.matmul ins(%collapsed_43, %transposed_44 : tensor<5x64xf32>, tensor<64x16xf32>) outs(%51 : tensor<5x16xf32>) -> tensor<5x16xf32>
    %80 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%79, %cst_4 : tensor<5x16xf32>, tensor<16xf32>) outs(%50 : tensor<5x16xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %82 = arith.addf %in, %in_46 : f32
      linalg.yield %82 : f32
    } -> tensor<5x16xf32>
    %expanded_45 = tensor.expand_shape %80 [[0, 1], [2]] output_shape [1, 5, 16] : tensor<5x16xf32> into tensor<1x5x16xf32>
    %81 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%54, %expanded_45 : tensor<1x5x16xf32>, tensor<1x5x16xf32>) outs(%17 : tensor<1x5x16xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %82 = arith.addf %in, %in_46 : f32
      linalg.yield %82 : f32
    } -> tensor<1x5x16xf32>
    return %81 : tensor<1x5x16xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_16_torch.float32_5: "0x04000000E8F591BC289CF8BC7667EABD447A59BDA007883BB20DC6BD76AAE03D607EA6BD9C7847BD38F088BC4460CFBD807281BAD48C76BD3048D6BD00F0483B42A2E23D",
      torch_tensor_16_64_torch.float32: "0x04000000F028E13C70A79CBC2CDBB2BDE03F9FBDEECEDC3D5EA592BD9669B53DDC5F2BBD80C4A33A4C4AF9BDD06E26BD80CDD73D32D6E5BD38CF803D1472D7BD685A953C5219E8BD8CA8CABD0EABCEBD408931BDD86C8B3C2AB1BBBD64C2013DA82F9A3DDEB0D03D98ACE23D308CA83DECC316BDE0BD3CBC9880E23DECB27E3D54C707BD9E47C13D8AB9DFBD2A1ADB3DC83B8F3D1EC4BBBD04CCD0BDD832C83D188CFC3D00B7323C780E48BD0AC5913D50FC663D40987FBC3EF5CC3DC4EEA53DB848FF3C26EC843D56CBEFBD44D36FBDA07F603C183C0B3DE0FD8BBC2453413D60F81B3DA298ECBD807E213D608326BC4C2AB0BD603B8A3B80D7FBBC3CF287BDD446E9BDFA28D63DC8779BBDE088893CE214CD3D900181BC36C9A7BD4EABF7BD2824AA3C7C7380BD305A153C2C8B233D341111BD9A94AD3DE84085BC20554CBD4244A9BD78571B3DF6459EBDE840D73C283D81BCF2EFAF3D2C017BBDFC387CBD185684BC305C9CBD6832433D908B3BBD9C0F523D4E93943DC27C953DB8FCBBBC5EB58B3D268F87BDC010FFBD70E842BCF89DB9BD9454C6BD0026023D16C2DA3D347D49BDA0B3E7BB7878B9BDD0F8B23C3CF8113D78309DBCB8C5C23D2C09CEBD806389BC18198EBD8CC8E03DF0D5D83DBED0FB3D0488EB3DF0C74A3DDE05C4BD1CA6ADBD087AF53CC08EE4BDC211A23D98965E3D2052F43C4471DFBD083ABA3D50C058BCC4DA56BDFEA8853D50112D3C1CC263BD98ABEF3C34B7AABD14EEED3D2062E03D08206C3D5C6E873D867AFEBDA44E8EBD2457F6BDC06D85BD323ED4BD2E6FBC3D7A1D8A3D02C3963D704B63BDB21EC33DC0F793BC44A704BDB6D6893D0088A93DBAFEB7BD34B8F33D20B44EBCBC5D083D98E8FEBDA0FE633CA8657DBDC24AA0BDFCC555BD00A318BAF4DB11BDFAFDA3BDC44AB73DD051183DB83EEEBD50CDD63C708BFB3C8082963B48A7F83CB0772BBC60EB5F3D0238B4BDB44E5ABD6CC5BF3D369A9EBD0C347B3DA6DEEC3DD216EABD404F60BDBC76DA3D40ACF7BBC826CA3C38BC913CA8FE523DD0F552BD20F0843CE061AE3D50C62CBC68DEEABDBCF9303DD8B402BD2008D8BC5683853DA875B33C24DE9ABDD8456CBD68A89BBCA8FEFCBCD0C7D8BC72FAAEBD0074B93D66C4843D1015CA3C00DBE73C70C16F3C806BBF3D38B6E73CF0FC9B3CDCB98CBD80CC2A3DFC7FEFBD987A213DE8E5DDBD00E753BDFC26873D087A98BD90D8CB3DFA718DBD1A7BF23DF8CD1D3D98E05DBD06219C3D34B6E2BD742CA2BDF462A0BDA0CC863CA033493CFC2FDCBDAA07F73D0088FAB802B488BD00AD433B18C75BBDB8410D3D4859393D083C11BD00CAEE3B7252983DAA82A6BDF856E4BCB01097BC765FA9BDD0CD263CE089963B4EC7CEBD680FD23CEA57F43D302A883D38DD8ABD7855EA3D0EF9AFBD802982BDF4D6613D9AA8CB3D184CF43D8C65DC3D1EF78CBD8851EA3CFABEA0BD00E8343BE618D43DC41A7C3D3A62ECBDCC595CBD6AFFD7BD4430713DE0FD81BC5224BBBD449B23BD2805283D609A3D3CE834F03D8085D9BA980D213D40191BBD4062743CA0BB923B32E6DB3D8C88563D72E491BD8078E3BD8091F3BDE0EF39BD185E843C0CD6F03DB03949BCF02F483D0E1B823D9A18C4BD66C4D3BD4801423DE0A56E3DBC676EBD1878A03C04A7FABD0084CE3A7801FB3C80159B3A188AA2BC0C1C553D50BB0CBD9690BE3D1680DCBD9E4D92BD9CB7D5BDEC86E7BD56C9BD3D8869FDBC4A18C9BD3063D43C84DBC1BD60BCD33B4865733D1888D8BC7C9A833DA82BD23CBA6CCDBDA88AC93C3807A53D2862EDBC108E413CC8A2823CA01C303C0418053D0C1CF5BD2A3BC23D644E5F3DA0E87C3CC053BA3CAE74CEBDCC2F12BDA029B2BB106AF33C5C6E8CBD404D593CE4E51EBD5056BA3D90BDDBBD5015563C4A70AD3DA4D4C6BD40CB6ABB68976C3DDC9A4E3D60D8703C00F84E3DF074B2BDF837D53D40B5363BF67AA53D7887E23CB0D563BC0C4F5B3D5C05F33DD085FC3DAE7CD7BD806BF83B82E7B7BD7228953DEEC7B73D38C3B3BD20BBECBB8225B13D664BA93D867AC0BDDAE2AB3DD849B5BC8CB8D9BDD8FACB3C7C856E3D5087993D6E0FAEBD966AB9BD1001ACBD0E14913D3ABDDFBD80288ABAEC7416BDA48A5F3DE018C93C144681BDD0DBB23CAA96EB3D5898A83CF4B77DBD4022893BBAD0EABDA43FA4BDB834BEBCDE869FBDDEC8D83DD8C4C63C6C48C63D882CE9BCB8698EBC4C26013DE43C18BDE4862EBD3621FBBD56DBC03DFCAFE73DA878FDBD486629BDA4A2C1BD78D54FBD42E5C23D94F0883D90E81EBC14AD5A3D70E7183D5CCE8B3DC0B8CDBD4C431E3DB274F2BDC45CA8BD84CC3EBD108947BCA296F1BD40E04B3B007DA33C08324BBDA011263DE2B2DF3D08EAAEBC125788BDA6C5E2BD92EEBABD24978DBD1441BDBD004B49BDCA068D3D5437203D2CBDE63D362BFE3DEC5F38BD4C8248BD18218C3C26D9CBBD463E8B3D204CB8BC305BD6BD7A46C1BDC866B0BD6CB90C3DF63DC43D12D1CA3D54FB0CBDFAB294BD543E63BDEAE0AEBD340104BD5434E7BDD4D4883D2CF2F0BDF83E9FBD3ACDAB3D887DBFBD60CDF43C04C0BF3DBC57FC3D8A88813D446709BD9849923DE02D87BBC4DE1DBD0070D53948B1E53C30A7AB3D54EB563DA079743D1830993C8028CEBBB8FC563D804BF63CC2F6F4BD308EA53C046063BD9AC187BD8401463D7865D13C5868AD3C64E272BDF8946C3D103DF03DE08B7A3C0C72523D9298E0BDD630983DD8DC313D9CAB663DA482553D28AB06BDE0DCF5BBDA9EF73D0C53BB3D727FB7BDD01DCB3D7EC7FE3DE8AA863C04BAC7BD287EC63CD0CECEBC860FB83DF2F5F5BDC805033D802AC0BA7039213CB019B03D80FC133BC619CEBD9A5595BDBC014DBD806B5A3CAC94453DF822BFBC40134ABD38AB603D2CE9F8BD54E3B23D00136EBCDE21B23DEA6FC13D10C85A3CA8F5213D96CB90BD806BB73DE6D5953D08D4A0BCE090473D206EE5BBA002C83D20C3523DD2A2BA3DD8B2E8BD7A6DF93DFCC23E3DD8EC783D582DE43C3223A83D0001F13D50782EBC9E0DD2BD4E13EB3DF0F3D7BCE8EC76BD06979D3D3CDE8E3D6818893CC08E00BC60E4C3BC96BAEA3D16FA9B3D0A75983DE03EA33DE0FA85BD68CED53C8476DDBD10BB943DCABFFDBDF4D8FFBD280DFDBDECDD9D3DA022553C0008953940DFA23C5CC441BDC4791BBD8870ACBD0014FABCB2869DBD4089573B0C24C93D1AA2D3BD74C97B3D8C69BEBD442254BDC83CC83C6032B03C80F0D13D002044B8300143BD38BF53BD402C703BC8F4BFBD0CB8C8BDE4105BBD4070523B28E3ACBD202292BD64C8B63D0E93EC3D606020BDCCA1DBBD600544BDF4A44E3DC02A263D48B81EBDD476E1BDC8F319BD08F6E4BCBE6B933DACE27DBD68A4993D380C8E3CE09EABBC6024E4BD8CBDFC3DB098B6BC2813A13DB46B84BDF84CF9BDE00ECCBD3C3283BD440E23BD409A90BCF681D53D2219ECBD388C7F3DDE67D73D00E7523A02A79FBDE001833BC0EEF23C388A623DD8A11BBD28B42FBDF08B71BD589BF7BDA4D1333D308AC1BD30F775BD809AA8BAF859C53D6A9EE33D4634BABD8606DE3DE851E53D58CECE3DA04D323CF89ACD3D6CC3783DFCB1B7BD88EE86BD80101A3B066CB5BDA49728BDDA65CE3D70606E3DF2F1DE3D00357B3ADC8882BDDE6EA93DB0FB163C0872AC3CF0EE58BD9050523D5E11BDBD3048CC3DB2F5DF3DACBD383D985AC73D44629B3DAC8A43BD9009DEBD90BF863C7EBCA03D708351BC40522C3CD6BEBD3DA466533D0C62BF3D885C963CF091653C30F0F4BC70CCACBC220E88BDD827AB3D0C7CE93DC8023E3D00C4683B880329BDC8C1FCBD089CBDBC6ABCB5BDC0FEBCBDD0C4CABC3871C9BC3091CE3CC68DB9BD04FAB73D5A13E9BDD07A72BDB86142BD0088FC3BA4A6533DA8ED06BD88D09F3CB06AF2BCF05F49BDE03B8FBC902CCE3C76AAF8BDE42FB2BD1400C83DC884673DC0085BBB605A813B10598D3C1800EE3CF0C7AEBD98900BBD5CF3EABD7843C9BDC8ABC0BCB03487BCBA3AC83D1861B03C8809A6BC80F462BB5AF98E3DF4181BBD306EBFBCE86BCDBC746ECEBDF01D8FBC36A8ECBDD09A89BD92F2A2BD76B3BE3DBAD2EBBD06AAF63D1CF93F3DCA00ADBDE417D43DF0A5E1BC04D4D8BD80348EBC1C097D3DECE7F8BD307919BCFC52503D148A47BD00873A3C1CAA48BDF6BFABBDE87BC83DB0C5B5BD0015C0BAD0862A3DAA108FBD0437773DF498D4BD387EF43D1406643DC0F890BC6CF3D4BDC0A17C3B749C353D38098BBD70F580BCA21FFFBD88ECFFBD106C5EBCF634D63DC0C7C0BBA484203D8CA74CBD802E27BDF01C61BC886A81BD68A69C3D32A49F3DB803C7BD4C0A1D3D808253BD163693BD50DA79BC98CD1EBD90C391BDC0E9963C381E923D98029EBC90420FBC201D1A3CEC0B5CBD8287873DAA34EC3DE02D3BBC10380B3CBA44CE3DDAADD13D3C70BEBDC81B6DBD2C1EFBBD3CCC9C3D12CFC73D28593ABD6C3C243D380CF83C6840DCBD74754C3D903A7B3D8029343BC005523C88F3ED3CAA6CB83DAE31E23D282D933C503E5A3DCCF305BDDAA0983D606549BD9C04D3BDA437703DD8E43D3DF063E13C04D7593D80B4733CE8402E3D9CA1503D28198ABDE076DBBB88519A3C78779BBC9E3DD7BD9045423CAE739C3D8EE888BDD057FB3DC887E93CCCC1593DD8B445BD4C69D1BDCC8B3EBDC0477A3B104E69BD2AFCE33D3ED9A3BD266CACBDFC9B35BDC0ABE53D541D6ABD6ED5EC3D180D763DF0969BBCBC67843DB868733D4C4D82BDD0D0D2BCC8F7F73D22C5923D40127ABDD0AB09BD687C8F3D5EF6813D4057223CB2B8A4BD20D1BCBD8022D8BCDC3E3C3D70565ABC8009D6BD20F6FABCCC87FF3DC496D3BD2EAEC6BDDEEDA03DC8B8FE3D3443F6BD4889E7BD581820BDAE3DFF3D624B91BD601A2F3CCCFAD03DA84035BD40031DBDF2D5ABBDA0449D3BE4F1EE3D085D513D9AF0B33DC0AE07BC90A6A2BC18F1B6BC4002923D604686BC92ACDABDB4C933BDB05F483DD897F93D4032BABCD4E3DEBD547FBCBD286CC9BD94634E3D78B4BC3D886A173DF488303D6CC7A63D4C08AF3DAADD983DB8278F3DC08A0A3D4423843D86A8AFBD7EB2A5BDD8B2093D685B9F3C240EE1BDDE7EBABD98CBCBBD4452CB3D565FA73DE6BE86BD88809A3C0887EBBC2A8CDE3D3CDEE7BD26C3BABDFE22D5BD8AFC943D44F17FBDE479983D98122D3D04437ABD84ED09BD90324FBD98E1613D18544DBDC8C12D3D004F123C7871CCBDB6ECA0BDF280B1BD8624863DB0E1DD3CC0FA4DBBD66E98BD8EA5FDBD983035BD7CEDC3BD48A2FEBDA229F4BDC037A7BD36DEF8BD849A1F3D8C933F3DE85E4E3DC0D8FEBDCE4C9E3D88A4C73C12E7823DE8ACFBBCB0DE753D54CBF2BD14642E3DACFFCA3D243A573D144FF1BDFCBA0FBD30547EBCD621863DECBD41BD5047933CF0BC33BDC8ABA2BC801223BBDAFF92BD1CB0B1BD6656D33D4C17D73DC00278BBEE95DD3D1A45C53DEA3FA1BDA4724BBD34D5AFBDD888253D402D4F3BA86D8CBC5012BE3D2C2048BD421B8CBDFAFBB5BD123C82BD7ABDF63DF8ED78BDE4E00CBD08C4663DCE9DC4BDA4619BBD0A6BBC3DC05F44BD1CD784BDC07B84BC78E991BCC023BB3CC8B53B3D4863C5BD9CA4E83D9064F3BD18682D3DCC7610BD203758BDB877EF3DFAB1F6BDC0DE0B3C760AA43DCCDCE43D226DD8BD40C0763C0048FD3D6AC2FABD301DFA3CF466A0BD983BA63CD892E7BDE0E77B3DD029E3BC20FF983D0060F6BA",
      torch_tensor_64_torch.float32: "0x04000000FE586D3E122330BEF88299BDB8B6113D50F18ABC6050883DA89C063E74A5D2BDA0779F3C5C9B673EC0DB10BEBC992DBEAC5344BEB806193EB6CF6ABE70FCF8BDA4E62C3E927719BED42E503E7457EFBD38FF213D180B063DC0EFC8BBBA721F3E286D593E36D61FBEC6920F3EB8CC883D80A798BB4AFF32BEF8E0973D7CD0393E1EBC5BBE0A6E6CBE64AB7BBE509B6C3D881D93BD940A9FBD66606E3EF09782BD789222BE6038B83C2E820CBE5C0396BD063A073E38556C3D28AC2FBEC8B8733E36332D3EE6822EBEB004DF3D0064D23D6CB137BE46EA33BE64F953BE0012E43D0068323D8061D83D30E2E0BD167E403EE8C0023DF6444CBEECDE80BD72A5023E",
      torch_tensor_64_16_torch.float32: "0x04000000B007D93D50EE9A3C48C08A3D04E87F3EEC5CB1BDBA792E3EF2835C3E367662BE20B3773DD402113E18BB1FBD36490D3E20520B3C74E3423EC062B03B9EE523BE906A423E6045983D06CC593E80337E3D16F0073E729E1F3E906D2C3D880B6EBDC87D533DFA7E32BEC0EE0B3C7090A4BDC07B813CB2B04ABEFC6B1C3E56306CBE7442DB3D6A97283E7A9F6ABE704C673E6A4E3EBE481449BD9EA8043E4C5BA2BDB424643EC4DEE1BDF81809BDEA5727BE2488EDBD0AD1793E3C87403EA0CB963C4064A83C8A3D59BE4044413ED88619BD548DD5BD06BB4BBE787A523EB4C8F23D3A321A3EA00FD43CCAB62DBE9CBBD13DB031EC3C74D0AB3D10FC7EBDE09EF1BD9628523E84A1AB3DC8CCCFBD60E2B63CA8975EBD6023AFBCEC8D0F3E4EC14BBE40B0673E644D2C3E00406139E86CD1BDF0C8503DD47229BEF648263E6A6307BE18A9433D58DC7BBE102FF53D7E4C2D3E0826403E102BA73CE826173E7492AE3D7EAD2B3E7A76103E4AFB5FBEF0E6D73CB48CAEBD607AF4BDB430333E308F12BD48121F3D642F213EBE512C3EBC9E083E78C732BD723264BE90C175BECCEFA03D806E42BB6EBE21BE709BDF3D5E5E683E6010143E487410BD385E0A3D164B23BE0CA9F13D0A6346BE8EBD303E08DBE9BDE010CBBDB66D56BED89F77BDF019C6BC24FFEBBDB83B363E5CEB123EB4EF61BEF0DCCCBC2024AC3DF4FC763EF8D974BD842A1D3E407865BCC05FC4BD7AA91C3E7C1E64BE167A563E3EB37F3ED8C98BBD5040CA3DC8487F3E385C9A3DE039C83DD000BC3DE478D1BDE8F4793DF67008BE1C9A5A3E3866DBBD70176A3DC45094BD6606003E0008873B2EC30C3E1CA48ABD4A3916BE184CC43D6E1210BE102F52BE04D1C53D6AF719BEA472C0BD20B07FBD606C913C6053B1BD1045B8BD70AF80BD1867333E8C4E993D087FF6BD76F430BE80CFBD3BE806A43D006DABBB24DC153E0053573E0410963D50DBA83D9A85143E9866AFBD80A3353DD6F84E3EAC2DF5BDE0649F3CCC2BC8BD30D844BE8698073ED28E4C3EDE4C0ABE14E4BF3D68009D3DFCEAC73D36EB0C3ED6FF6E3EDA4D423EAE0060BECCB7C8BD5AF6073EA02412BEC011493D187FDBBD88604B3D58D3F93D7CEDA03DB2F7393E4072F6BC9AF90A3E1C86A53D985BA1BDDECD34BE88356A3E54A798BD5ED3403EBC5D213E60F024BC487553BE90DFA43CE082F7BDE83A853D9483CBBD0C50453EF2F866BE2CD589BDB87B213D805FC33C3450523E14C6A1BD6A5A4CBE4A7E293E74118F3D62A3283ED88317BE465C16BE24D2CEBD809B913CF47EAD3D921C13BE40D2C0BC48FB30BD7295693EDCA5B8BD0015783E34031DBEB4F9D2BD728C40BE64983C3EB40B30BE0CEFD33D1024BCBD3C1B7F3E2871103D90505EBEF03B303D90FEF83CF69A77BED8814D3DA03F743E6857933D0043AEBA084754BD180F883D9C1AE4BD96197C3E224D5D3E7C30EF3D84B5BEBD585F70BE4C5F13BE4EE8783E16FA6ABE9C6E74BE609B93BC98E4A23D78CB7EBE0AAD6DBE0027B23A04BEABBD9E59323E3400933DBA365EBE34BC66BEF6CE2F3EA89335BD64FADFBD2C45A13D804049BDD8DCF43D90D6813DB8AEDDBD6A2E4DBE66950A3EBCCE19BE6084E2BC80020C3DC8FB14BE12730B3E361134BE40807B3D1009DB3CC0DBBB3D283E7BBE809B6C3C649AF93D44E523BED8637D3D0065803A762D593E28D458BD00DEDF3A1CB0DEBD285E7CBDE892923DDCE576BE1834423E0217383E6CD4D83D14A43F3EF4609FBDE83D693D0062503CCA0531BE10D6C4BDE8C3B5BD00307DBDF24F63BECE0A34BED07BC2BC28C61BBD106268BEA0CB5A3DFE630B3E4833553E5873573E56E232BE3C16A4BD28E4F2BDF8CF3B3D2033893D78D3633D4C99153E540F073E3E6809BE48BD2F3E88B02C3ED882073DE6B95EBEE6021DBEA4AE8E3D2005B13D0CB56E3EBC4A023E3092B93DC0B30BBC068F2E3E605CBABD4078D03DECDBF3BD00EC18BB6E4B173E74EEEA3D58CA65BD00754FBB361D0EBE5C28ED3DF6412C3EE83DB03DB8B877BE2A4237BE76612B3EF09E12BD8C371D3E0CB33C3EA0FA95BD683316BEDED770BE7CD9C33D604C033ED88631BD008878BE6CE424BEE0B15CBCB0ADE93DF08FABBD424325BE883832BEFE0C653E2868B93DC6D94FBE3E191EBE2E5159BE8027143DCCE7CFBD00DA5DBAB8FE21BD681660BEA8C464BE9A8F46BE546ED6BD80441F3D20C8F0BD400012BCE050F5BC4A1F6A3EC867E9BD4885703E1C8744BEF89655BEC87FA63DA2FD14BE004F033E9EA10DBE4A97493EFCE1773EB01C833C60D95A3D8AAC6E3ED0C2173E247C5FBE001E03BCE01567BE148E433ED88F3BBD0069E4BAA2481DBE7A330BBE30E5043DE037533EDCAD00BEE085C13CA0BB673E3E6E653EB03248BD5EF06F3E5474BA3DC227693EC00DF33B6CF558BE505E8BBD7C90993DA684083E7C077FBE2621473EC2A665BEE4FE153E26967C3E38597C3DC84241BD7AF40C3E7CF697BDA8A03DBE18AE35BEB0BBF03D6C83433EC0DB253C0C3778BE328C7BBE103A67BD98310A3EE0982ABE40018A3D04EC0BBE0C49503EF02886BD986655BD588860BE0C4C65BEE0698A3C6092253DF64E0A3E96DA5FBE086D333D30ED13BD242B163EE8CDE8BDE089983D0852CE3D3499003E489CAFBD64C4A43D98AF48BDFCDE893D4A6A1DBE846B4BBE8E6751BEB6ED20BE4CB1D8BDA86C183DA8FC5FBD10BC11BE80A2093B1CB0A1BD62CE1D3ECED752BED0FBBCBD988324BE60B4FC3CE0755F3C60A06BBC92007E3ED851C3BDC02D13BD6847843D20A9553EBE0A423EE0F5E93C08B4C1BD9433A83D4C12213E00D4AEBB788D0C3E0C84513E202809BED06162BD127B66BE08106B3DDE72363E08DA46BD0866233DF499A33DC0BAAEBB5C06473E0038153D54A27BBEB86653BECCA27DBE80D2283CA8620A3EC81807BD442C663E783838BD705B513D7AD8663E3C8F013EA0AC02BCC895763E6EF318BE20B5BE3D68AC213E58831EBED27870BEF8C4A33D403FC2BD323001BED8AD4B3DAAB539BE543F663E30D7B7BC20F8A3BDDE02563EE48F8E3D4818433D94CDF4BDB4FC733E6CF09BBD44EC543EA08B96BC526B003EDAFF333EB6973EBEF49F2ABE8C257DBEAAA4383E06285C3ED41EBBBD58C4FABD58682B3D3AD3093E70C27C3D686955BDCCD522BED6F25A3E02CA25BE605F77BE746DCCBDA0314C3D444EBE3D40F9C53DEC4C14BE1C80C4BD10ADE3BDDCF0F7BD3A9F57BEC89C513D04E694BDCC6676BE9A7B15BE62BD19BE94DBDCBDF82E1EBED09431BD547BB73D322F4FBEF070AFBC2C5993BDD2E102BEA06063BD6800D9BD60AD033C2ACB38BEB030423DB80A6B3EDC1F543E548FE5BD18D09D3DE6F871BE9A89573EDE1E7FBEB0C464BE06CB65BE44BC6DBE20AE0A3DB86387BD8017753DC06F7DBC40F9AFBBE0F9B8BD2AE217BE625656BE662C013E52FE03BE884250BDFCACF83D109B7DBDCC1781BD48A92ABEA4085BBE38BEF53D700867BD5CF9203ED0CA863C007CA6B9F81D67BE00DDB43BB06B67BD181512BE08FE6CBD4022563C38E440BE40462A3DEE20323ED0494A3D925D743EB8EBEE3DE6E449BED087C9BD186B76BD3829993D00A6E9BB9A004E3E90E8ED3CA42022BE10B5BBBD68FB54BE6C2C8DBD74BAFB3D80361E3B6A1F74BE28845DBEA49FB93D1EB160BED0304CBE8AA118BE90FF733EC49591BD2819D3BDC0DA2CBED8C3233E105825BD8076453D909F743DCC65903DD8DC233E408E543C10D7D33C50FF84BCE2ED46BE38576ABD2AA6733ED46E35BE5E9021BE48087EBE405F783C4A716FBE281F03BE90E36B3E6C0DD43DB863083E38572F3D2A8B59BE643EEEBD3A3F4FBEC44C1EBED05BAE3D5C018EBDEC2D7A3EEE9C3ABE14795ABE68C67C3EAA255DBEA2D6593EC8DE893DE05469BE80F85E3E98638BBDE41DD3BD94B447BE5C8958BED0FD633D6A757BBEE464D23D300A7DBD30AFB33D98B77ABD200FB13D00C6DFBB487C963DBC4DD0BDAC1630BE6069023D3C6623BE6AB21EBE522976BEE832A3BD640E2BBE5C5C473E6C7C383E90F5723D5600503E0489F63D642871BEB0E9CCBCD03726BD0E6F1BBEBCD2913D50CD9FBDDCD3F4BD80FE3EBBEE342ABEF6E0533EE8FD213EF653723EF05E35BD7837A73DE0BF24BCB4D553BE38A3E73D60D032BE88D2B8BD3849E5BDE6BE79BEC0EA123C70C1273DD04198BCAE463C3EA064443C18853ABD26A20BBE2C0A18BE309511BD5C3F16BE54E028BED06F07BDB0CD34BDAA441CBE0294153E921B593E4C8C2EBEC042E03DC492EDBDF0A6D4BC26FA6E3EF007033DDA1674BE82566B3EA04C2DBC1A3000BE383207BE46875B3E40428A3BD2650D3E1A40283E2CB9C6BD60D4AD3C509825BE14C6553E0E5F07BE560A2A3E94B9813D0AEB1D3EB05E34BE00C3FEBB1EA6043E407E23BC80156BBB0080F93DBA553FBEF84C4DBD3836E93D181CFB3DB0C46D3E50904ABD18A0723DF0EAFBBDD8DC2BBD308400BEBEB63D3E009BC73AC849D03DD2CF0C3E18D23E3D20F2D93C70E595BCE6D958BEF8FB243D78DC62BDDE2C57BED4826E3E8055DABC4C88FFBD6C3879BEB4C96BBEA8F8C23DF4BAE9BD942BDDBD882014BE1EA54E3E702876BD44EF253EC83B4B3E2C7A46BECEFC3E3E708A43BD5830753EA8C2023E98FB77BEC83C3E3D2CFBB33D50BDB9BDA220423E020054BEEC75A2BDA6EC733E8E057A3EFCC3FF3D78D118BE42435CBE462550BEB0FC7FBDE405113E6C19A23D00B6F8BCD63B663E5207493EB84CEFBD8CB9DDBD803940BB907F543D0094EABA24AAC53D6CA0303EC0A338BD6470FB3D08450B3D4488C43DC4C7D23D44D988BDC047E4BDC4D8DA3D84E723BE8E66063E444124BEFC9F2F3E406FCD3D50DD7ABDF653123E6C9DA8BD48285A3DB8BE963DC028D13CC0A24D3DC0A0A2BB2CEA93BD2CD30E3EE0F2C93D38F9BE3D5AD42C3EBEF105BE10EA6DBD007FE9BB8A964E3E06DB4BBE68D712BEB8EA73BDE8AC5ABE00424ABE8A5D2F3EC0123F3C2EF24DBEF81429BDE0A906BC3406B6BD7E2156BE14530B3EA0F3FCBCF4F0793EE00F44BE728A0CBEA0CC54BCB44532BED6903A3EA8F8453E52EB673E5C9A21BEE624363ED4BF313EE8B8CBBD60BAE03C88FAF33DE230373E6C1A6FBEFEDD7E3E64BA80BDA09CD03DB0FF1EBECA0045BE445F2DBEF6DF163E708DFCBDC4D0143EECC89A3D64A9CB3D28C363BD20F5A1BD048EEFBD8C180FBE3E0A6C3E009A5EBC5490DBBD042F6EBE6030323C801D7EBE80ED40BBEEA3213EB27213BE18A80C3EB052A3BD6AE444BE688D7DBEE059FE3D1CDD43BE6CFFF93D789D123D72220B3ED66E40BED8DE5F3EE8FB7EBE225042BE2285193EE0340B3CC2C00FBE88CC56BDC6D263BE92CC5EBEF8B15BBD4A4A433E00E8983DB818413DCCB187BD1001693E00EA1C3BD4E0AC3D8034823B80CA1F3D34BCAA3D1073443E0C5B133ED80C033D94B2CC3D74F999BD50FC2E3E68BA8F3DBC32413EA0E11FBD8E0451BE68494A3D403DD03D74DA4E3E5C72C63DF82BBD3DE4B94B3E58F4AFBD9007623EEE3F033EECF72A3EA093363E162651BEFA56053E246C6E3E6CD833BE1087AFBC343C1CBE184477BDC09A183DC8EF083E44A494BD806972BE063B0A3EB49F0F3E60A339BDDE275B3E5E59453E10B261BD202C1E3CC060343D70A948BDC0467CBDDC1DE7BD709511BE1CB3FF3D900898BD44A0F5BD5282613E98B8233DACB5383E864A693E484010BD70BE183D",
      torch_tensor_16_torch.float32_4: "0x0400000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_16_torch.float32_3: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F",
      torch_tensor_16_torch.float32_2: "0x04000000120F1E3E1C0C72BE6053C0BD94A016BE9AF817BEA21F1BBEF83971BE50BC2F3D78904ABD048E57BE00A0D7B850942ABDB036D33D708548BEE00990BD40C6523D",
      torch_tensor_16_16_torch.float32: "0x04000000963D50BED078053D1EE579BE9C55883DACD36BBEA42132BED87954BDC84B74BEFEC04E3E56C1513E5AB705BEF081563D94F6023E28B3A23DB82B09BD4A7671BEC6253A3E6A8960BE00A53DBDC0147E3C849FA8BD3444BBBDD4405DBEC0AF613C508AE8BC722E5F3EAC8FA8BDC2DD453EA0E7413C5008E6BDB88673BDD068E8BC80B5293BE8B428BDA4F2973DF4D1523EB8F4203DF473B93DD0151E3EA0B95C3D5C04EC3DF448063E909E6F3EAEA369BEB433AF3D809839BC88E637BDC465C5BD48E8193E822F6A3E44EB50BECA4F0A3E5486303EF0F7323D0000413BA6FF443E80E1F23B18697FBDD03B97BC7C44A43D742C803D00FE5CBC0C9FA13D68E4893D06604FBE30287F3DD2A11C3E50DEEA3C50EFBABCA21A443E92A95FBE0CB2E9BD546BE7BD86325D3ED89B77BEB01DCB3C02FC77BE20B106BC70D7BE3D90776FBD1C82783E00A0503A3A8402BEFC06843DEA22053E003402BA56005B3ECA0622BE9875DA3DAE5D113E504EFE3D0050C0B85C28923DBCD548BEC0E548BEE0977EBC505700BD2A163E3E72E3393E88942D3E4C83EABD30F848BEB22070BE604CB93D54AD66BEDE8D7FBE986001BE4C2458BEE0C5C9BDF62921BE3E5603BEAC62733E30F840BDA45C543E80C2B53B10AE03BD8CE795BDEAFE36BEC4AE4DBE8E42313E18C79DBD449879BE54F06A3E40F5973B724D2BBECE3A49BE28FC56BE947960BEECA8673EA682303E9081A73CA62E5ABE1CEA85BD2C7C70BE0C72B03D30F287BD60215BBD3CC09FBD4C0DF03DF2910A3E2851603DF83A00BD4064CABC00258FBB4EA23EBE0ECC793E10D1DCBD4AF1143E58830FBE00FADB3A8845AF3DE00D6BBEB4DAEA3D30F443BE38E50E3DF80E4BBDC2BE123E82CE783E48C6663D40EAE9BBF0AAFDBD60E4BE3DE86FF6BD847DD33D38EADDBDFEA52D3E785C443EB0F91C3E801E243BD06FED3D8A4669BEEE9B4F3E1C0685BD28A7BA3D18672DBD44ECABBD2070F0BD3820253ED0460BBEE89334BDA423013E5069CE3CF46557BE588F7EBEACEBF8BDEE1C6C3ECA0536BE34170D3EB23F373E0039D4BD481AE2BDFA2C38BEA8B91F3DD8260FBDE000473CE015DE3D40F5D63DD488A1BDB0A88C3C603F733D8060AE3BB0E94C3DEC67CFBD22D6513E6010D2BC180403BD64C365BEF69039BE80D3FE3B785D1EBD2EB600BEDC00063E4059B7BC7810B43DC49E573EF463EBBD00FEFBBD18C54DBD406DADBCA80A00BEA0D875BD4020ECBBCCA9E53D7AD76C3EFC913D3E00C0D83CF00E81BC7426833DA03427BCF06206BDC80FB03D1A4850BE38B659BE00BB843AAC2F9BBD043FFDBD44526EBEF07B2B3E603323BCDE8A09BE688FD0BD3C9B863DFEA839BEF088833C800B4ABB586BAE3DB41BCB3DDE4327BEB013DD3D6A4F413E60D9833C9A6B023E38D6C1BD78654B3D089B953DD47BECBD",
      torch_tensor_48_torch.float32: "0x04000000881A2A3E18C2A5BD20CC83BC903C963D5A211DBEC08AB63CA245183E20AE15BEBCF5943D40E70BBC0CC20C3E601B2A3E24D6873D0087F73B665F5CBEE0DACB3D12131C3EACF8B9BD7C317EBE12744F3E905C70BDC0DF4C3D70ED8FBD3842233EE8AB793E8078203ED8F0A2BDF866333E34D2F93DB0CEC73CFC334EBE6CD9DBBD72487DBEAE382B3EBC0D7D3EA21F153E0C98A33D7803723DC46F763E60C901BE34E4ABBD5CDB65BEE0CCCABCD07B8C3CA8278C3D5C1832BE40FEECBCBAF152BE",
      torch_tensor_48_16_torch.float32: "0x0400000044E6CC3D74DF84BDF0F6073E4C34F63D403EB13D407AECBB60F4183D0063913A26C939BEC0B56D3D7C323CBE506CF83DFA8618BEBC3EA7BD50D1F2BD4C104A3EAC4734BE94B7023E4A64003ED402353EA048803DDE8E0B3E365E4A3E20B4493DCC16AE3DD42C48BE6C5589BD30B2B93CE021F83CE4E3B4BD50C87DBEA02685BDBC03C43D1E6F5C3EEC2C67BE4C72F43D66E972BE32D074BE905120BED84007BD9CFF8E3DDCB042BE8E3B453E7880673E00037C3C4061503E50CAE7BD648BCABD602404BD80C6DF3C049532BE22FD4CBED041CA3D909F933DD46F7A3EC0BFD0BDD0CEB43D989CCEBDA0BFFC3D00E662BC5CC63D3EC0390E3EBC14553EA88E033EE0E2193C1E9D5C3EA85E16BEA674713EEE287A3E6E8C743E782AEFBDCAA407BED092813C886F9F3DA26A003E5C3BD03D36FB593ECC4680BD40F9A7BD5C9FAB3D78AD8E3DF65415BE9017C63C325E42BE7C3496BD3CF2C8BDC467603EC87166BE182617BE7E877ABE1021813D560A45BE20A7A53D08D231BE1CFD23BEBEC802BEB0AB193DC63B6B3E60CC6F3ED0B99ABC4EC07ABEEC26A9BDFC20C3BDE8CC59BD1CA1C33D02D4003E0402E33D1C43923D9C45CFBD00CE2DBB6852023D28C302BEE034B7BC50A6FFBC40DF71BE568C2D3ED00ECFBC3C4D5DBE5A8A4A3E38BF09BE4045B53DE0E07D3E409D3D3CE44D933DAC6ECB3D867B413EE0179DBD5A0E10BE2045A0BC8034483E4017B03C28DF313E00A0F3BA88179D3D606D0E3C4061DE3B569D73BED0CD5FBE2040AA3CF467FD3DFAF72B3EE0B8313CB0D1D73D2C23D63D1AFE5CBEC80161BE147D46BEC0D78C3B7EDF21BEC0D8A3BD703419BD48C3C73D706C6D3D2A7C6D3EDEE8663E225123BE00764EBA0819293DD47C5F3EF8AD9EBD9437C9BD302A22BEEEA23C3EB40D91BDC4C1BFBD8E262D3ED88F6B3E609C2CBCBA7434BEC295503E401BAFBD3CF1EBBD60F933BE203DF6BD827D48BE50C413BE8C3469BED8634EBDCCDCCD3D0C5642BE000CB7B958CEBCBD4CA7F73D22BA5D3E98BE07BD40D800BE84B344BED46716BE84D3933D30F36A3D12DD093ED82718BD988A033E861364BEA8A2893DEE85783EE05C7DBE8AE504BE22E2233EE01920BD887508BE322D1C3EE048893CA06D203C0C839BBD6AE1403EA2000E3EE870373D30461C3D3860043E947D1F3EEC05D2BDC061E0BC90C7E03DB01AF8BD6E5F6F3E1C5C2FBEC842EC3D54E337BED462A43D14CE323EB0E2F63C5044CDBC3CCB223E8AD137BEE4B62CBE1A305ABEA0941DBE009ED43B0C2AE8BDC021643D20380A3CD00E553EE401DEBDEC108CBD1E51293E247681BDD217753E305BCBBD007033BB489D72BD38DFEE3D882EC43DC65308BE66B0283E702282BC2C7981BD003FA5BB8029323EF61E7B3E6822F93DA02E333D0A13273E181AD6BD50C905BEBCDB93BD78B025BEE024DC3D008AC23C3C2CAFBDF0EACFBC006EA2BB92805B3EC885643EC21445BE78A5BB3D24B5C53DB0C5C33D809A0BBD8C0B803D80D6803D1C2A793E865B75BEA44AC2BDC03C2CBE205BF8BDE00C493D56211C3E3E9741BE6481263E5CD6553E505EFCBD40BA323DB66C03BEC0535B3DF85FEDBDBC73C7BDE25E2BBE7A7A55BEAA4A4C3E805001BD8043E3BB8CCEFEBDCA6E323E108712BEA815CFBD5CD647BEF24357BE6E46633E9EAE45BE305F0DBD203494BD108ABB3DB4F1883D4E3F44BE34E8653E88027FBE308FCA3C1019ABBC684D6DBD9C742E3E2425583EC863053D80D6B4BDB6523E3E48D6203E30EB373DB0098CBDE0AF2C3CD82B643E3018DE3C70CB49BD66BE58BE9A2F09BE62E4383E203C10BCF06188BC485AC73DE86D28BE10598ABC940090BDCEF1053EC456503E8EBE203EBCDC3E3EA6C964BEC0C4B5BD1084F23C506F59BE40E48A3DA6CD27BEFC65DB3DB6314F3EB6FE5ABE6483563E60E6EE3DA0F028BE9809753EF8B75DBE20582CBE34B1FEBD406A4FBC40E1373DC84196BD1EA672BE6067ECBC363B423E9C1A453ECC26003E68AC143D20707E3D545A45BE3C54CF3DC6C77EBEC870D3BD588D86BD32FD3B3E40CDEEBB8438E9BDD8E6323DD46B54BE488E87BDACCC8D3DC0A287BC9014D7BCFA751C3EFC7642BECE4201BEFACC773EC0C34B3D00CC25BDBE9A043E70011A3E901C2BBDE844D5BD706127BD58E9B93D10BA02BDFEFD143EA4C350BE1434FBBDB228433E6856063D60344E3DF864A83DD8F671BDB4C0CCBD7CE2923D24B287BD9081D3BDD849073DC0AF773DD0EAB8BCB0212DBEC0D41ABD0E1511BEB2BC063E22A029BE3A1E4C3E70ECCB3D98375BBE54FA3D3EEC2A7DBE80256EBCDED51FBE003B5CBE70EACA3C683FF8BDC40B393E7E3E49BE607C543EAC711A3E5A38603E18EE95BD9EEA1CBED4132ABECEE1543E08A8FEBD402AFCBCF8D51DBDA82A303D7C1152BE406C4E3E9C6C3DBE8CCA7B3E6856C8BD7491E4BD58C00CBD9087973D48BB3DBD1A807FBEF410343EA4907D3ECC28013EB2807A3EB88B8B3D107BA0BC1EE74BBECABE5FBE564130BEFCE781BD1212153E343ED3BDE0151FBC803A67BB805727BE40C2DDBB862E773EF29B4C3E7AF9423EA0FCC9BC0049913BA8F30B3E084EAABDB47FCFBDDE075B3EA0D8693C58DA2CBEFAB4573EF0F5293D88F9083EAE565EBE80063E3D20951C3E38BA13BDF68211BEC0D04C3E5824EE3D0CD2913D402C723D80CFB43BB8CE123EB8DA5FBD6CB116BE9881C33D7099883D7CF1C23D4079E3BCA8E307BDE0C5A2BC6C01873D9E7144BE729B6EBE9C96BF3D34290CBE9048ACBCE8F08D3D28A00F3D9208253EC03A063D60847D3D8051B7BC0827173DECBCBB3D9CA52E3E269072BEC447D5BDF8B765BEA821CCBD680D1C3E7C8F72BE726165BEDA3A143E702D17BE0A1A3B3E9C889F3D3C85803D9E5E4B3EAE216DBEB2773B3E580AA63D4E8C2BBEC826793DB4B18EBD0883CDBD30CEDDBCDC63F1BD16DB5F3EFA565C3ED079DABCCC0363BE20937ABCF04F873CA41D2B3E00C9033CFC03953D04DA873D3A4111BE1CCB1EBE1ECE64BE00A900BBDC949E3D609F91BC947D783E405743BD020C27BEF8AA2A3D542F90BD28610CBD1A0D783E800CEBBB6EA05F3E28C0083DA479BEBD54B03B3E32D311BE2086073C282B663D98CDE53D6A336CBEA0EE483C209184BD56FB253E6042AC3D4435CD3D2AEC193E104165BDE03683BC7E604D3E4E554EBEC6F330BE50D2953C3CD1CABD00956A3CE223623E6069EDBC42465ABE64BEE8BD161A6B3E40F660BD2C80E0BDFC76E63DE088FD3CC0B561BE8231553EF228103EEA825E3E040DE03D709FACBD1824A7BD6420F83DA08146BD40C2483D9C0F78BED017FDBD602EBE3DA0ED49BCF424F6BDEC4C5FBE0EB4223E60E24DBD48877BBE1CFC763E2027F93DA41F19BE3AD63ABE4660773E00D1883AD2F619BE7A50133E584C55BD504B8C3CE85B05BEA6D458BEF2032ABE60E0E0BCA25439BEDC507C3E8053313B8802C4BD4C5ACA3D2CF662BE26F102BEC84EC03D7E8359BEAC2EFF3D2025AC3C647455BE0A107EBE64D1A13D9401F23D40B44CBD905E62BE708B13BE20ABD93C4004153C680F833D5810353D80B256BC1619073ED052783E4833553EFC9E683E3CCDACBDD0C0AEBDF082E2BC7C53973D283FCF3D008DB6BC6C5B25BEEA2641BEBA74763E78A789BDB0690ABD68E41CBE3CD4FDBD38E9603DC0A5D73DD867CABDF873BCBDF2CA4A3E22D803BE6AFF3EBE90C21FBD6698733EA0CF5E3D487D0D3D6000FFBCB6F81F3EF4C5FDBD20922D3EF8E9713D00B4E33C68F80C3DB4E11DBE08223E3E0674063EDA3848BE5E5B6EBEC0CD83BDFC122A3EE412FCBD30456D3EEAB500BED43E67BEF038E13D4AB61ABEF06B21BDE0B19FBD80BBA2BC4E125FBEB4CD6ABED018DC3DF011E8BC506D1ABE40B0D0BBD6A869BE10E8873D7C26F33DE645783E6A8E50BEB055F8BC0EEE0A3E2C9D6A3E082336BEA894D93DEC62D33DBE551A3E947D30BE92AF363E3402DFBD9A941DBE90524B3D2EDE583E5A8729BE32AE083E708CEABC1473A33DB2B2473EB4048B3D228554BEA0269ABD983D4B3D8AF557BE603D2A3DCC7609BE408C4BBDD429B73DAA084EBE0E5B24BE8086E93DC4317DBE1C2D303E726545BE00E883BBE835523D0408CA3D14E41EBE78CD093DF075DC3DDA925B3E14A740BE548DFEBD6827953D207E03BC78C12CBE6C7657BE564F63BEB22233BE58FED9BD2AC431BE449360BE60DD9F3C0022163EBC66F1BDA0CBCC3C00FA49BB6C53EF3DAA8931BEC076423CFAF26E3E5EC3363ED4B97DBE08271ABD00BA183B780FA9BD3C3028BEAC2132BE",
      torch_tensor_16_torch.float32_1: "0x0400000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_16_torch.float32: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F"
    }
  }
#-}

