#map = affine_map<(d0, d1, d2) -> (d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<2x3x4xf32>) -> tensor<2x3x5xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<2x5xf32>
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<1x2x5xf32>
    %cst_3 = arith.constant dense_resource<torch_tensor_20_torch.float32_1> : tensor<20xf32>
    %cst_4 = arith.constant dense_resource<torch_tensor_20_5_torch.float32> : tensor<20x5xf32>
    %cst_5 = arith.constant dense_resource<torch_tensor_20_torch.float32> : tensor<20xf32>
    %cst_6 = arith.constant dense_resource<torch_tensor_20_4_torch.float32> : tensor<20x4xf32>
    %0 = tensor.empty() : tensor<3x2x4xf32>
    %transposed = linalg.transpose ins(%arg0 : tensor<2x3x4xf32>) outs(%0 : tensor<3x2x4xf32>) permutation = [1, 0, 2] 
    %1 = tensor.empty() : tensor<4x20xf32>
    %transposed_7 = linalg.transpose ins(%cst_6 : tensor<20x4xf32>) outs(%1 : tensor<4x20xf32>) permutation = [1, 0] 
    %2 = tensor.empty() : tensor<3x4x20xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed_7 : tensor<4x20xf32>) outs(%2 : tensor<3x4x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x4x20xf32>
    %4 = tensor.empty() : tensor<3x2x20xf32>
    %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<3x2x20xf32>) -> tensor<3x2x20xf32>
    %6 = linalg.batch_matmul ins(%transposed, %3 : tensor<3x2x4xf32>, tensor<3x4x20xf32>) outs(%5 : tensor<3x2x20xf32>) -> tensor<3x2x20xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %cst_5 : tensor<3x2x20xf32>, tensor<20xf32>) outs(%4 : tensor<3x2x20xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %50 = arith.addf %in, %in_30 : f32
      linalg.yield %50 : f32
    } -> tensor<3x2x20xf32>
    %extracted_slice = tensor.extract_slice %7[0, 0, 0] [1, 2, 20] [1, 1, 1] : tensor<3x2x20xf32> to tensor<1x2x20xf32>
    %extracted_slice_8 = tensor.extract_slice %7[1, 0, 0] [1, 2, 20] [1, 1, 1] : tensor<3x2x20xf32> to tensor<1x2x20xf32>
    %extracted_slice_9 = tensor.extract_slice %7[2, 0, 0] [1, 2, 20] [1, 1, 1] : tensor<3x2x20xf32> to tensor<1x2x20xf32>
    %collapsed = tensor.collapse_shape %extracted_slice [[0, 1], [2]] : tensor<1x2x20xf32> into tensor<2x20xf32>
    %collapsed_10 = tensor.collapse_shape %extracted_slice_8 [[0, 1], [2]] : tensor<1x2x20xf32> into tensor<2x20xf32>
    %collapsed_11 = tensor.collapse_shape %extracted_slice_9 [[0, 1], [2]] : tensor<1x2x20xf32> into tensor<2x20xf32>
    %8 = tensor.empty() : tensor<5x20xf32>
    %transposed_12 = linalg.transpose ins(%cst_4 : tensor<20x5xf32>) outs(%8 : tensor<5x20xf32>) permutation = [1, 0] 
    %9 = tensor.empty() : tensor<2x20xf32>
    %10 = linalg.fill ins(%cst : f32) outs(%9 : tensor<2x20xf32>) -> tensor<2x20xf32>
    %11 = linalg.matmul ins(%cst_1, %transposed_12 : tensor<2x5xf32>, tensor<5x20xf32>) outs(%10 : tensor<2x20xf32>) -> tensor<2x20xf32>
    %12 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%11, %cst_3 : tensor<2x20xf32>, tensor<20xf32>) outs(%9 : tensor<2x20xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %50 = arith.addf %in, %in_30 : f32
      linalg.yield %50 : f32
    } -> tensor<2x20xf32>
    %expanded = tensor.expand_shape %12 [[0, 1], [2]] output_shape [1, 2, 20] : tensor<2x20xf32> into tensor<1x2x20xf32>
    %13 = tensor.empty() : tensor<1x2x20xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded, %collapsed : tensor<1x2x20xf32>, tensor<2x20xf32>) outs(%13 : tensor<1x2x20xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %50 = arith.addf %in, %in_30 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x20xf32>
    %extracted_slice_13 = tensor.extract_slice %14[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<1x2x20xf32> to tensor<1x2x5xf32>
    %extracted_slice_14 = tensor.extract_slice %14[0, 0, 5] [1, 2, 5] [1, 1, 1] : tensor<1x2x20xf32> to tensor<1x2x5xf32>
    %extracted_slice_15 = tensor.extract_slice %14[0, 0, 10] [1, 2, 5] [1, 1, 1] : tensor<1x2x20xf32> to tensor<1x2x5xf32>
    %extracted_slice_16 = tensor.extract_slice %14[0, 0, 15] [1, 2, 5] [1, 1, 1] : tensor<1x2x20xf32> to tensor<1x2x5xf32>
    %15 = tensor.empty() : tensor<1x2x5xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_13 : tensor<1x2x5xf32>) outs(%15 : tensor<1x2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %50 = arith.negf %in : f32
      %51 = math.exp %50 : f32
      %52 = arith.addf %51, %cst_0 : f32
      %53 = arith.divf %cst_0, %52 : f32
      linalg.yield %53 : f32
    } -> tensor<1x2x5xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_14 : tensor<1x2x5xf32>) outs(%15 : tensor<1x2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %50 = arith.negf %in : f32
      %51 = math.exp %50 : f32
      %52 = arith.addf %51, %cst_0 : f32
      %53 = arith.divf %cst_0, %52 : f32
      linalg.yield %53 : f32
    } -> tensor<1x2x5xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_15 : tensor<1x2x5xf32>) outs(%15 : tensor<1x2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %50 = math.tanh %in : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x5xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_16 : tensor<1x2x5xf32>) outs(%15 : tensor<1x2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %50 = arith.negf %in : f32
      %51 = math.exp %50 : f32
      %52 = arith.addf %51, %cst_0 : f32
      %53 = arith.divf %cst_0, %52 : f32
      linalg.yield %53 : f32
    } -> tensor<1x2x5xf32>
    %20 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%17, %cst_2 : tensor<1x2x5xf32>, tensor<1x2x5xf32>) outs(%15 : tensor<1x2x5xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %50 = arith.mulf %in, %in_30 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x5xf32>
    %21 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16, %18 : tensor<1x2x5xf32>, tensor<1x2x5xf32>) outs(%15 : tensor<1x2x5xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %50 = arith.mulf %in, %in_30 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x5xf32>
    %22 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20, %21 : tensor<1x2x5xf32>, tensor<1x2x5xf32>) outs(%15 : tensor<1x2x5xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %50 = arith.addf %in, %in_30 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x5xf32>
    %23 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22 : tensor<1x2x5xf32>) outs(%15 : tensor<1x2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %50 = math.tanh %in : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x5xf32>
    %24 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19, %23 : tensor<1x2x5xf32>, tensor<1x2x5xf32>) outs(%15 : tensor<1x2x5xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %50 = arith.mulf %in, %in_30 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x5xf32>
    %collapsed_17 = tensor.collapse_shape %24 [[0, 1], [2]] : tensor<1x2x5xf32> into tensor<2x5xf32>
    %25 = linalg.matmul ins(%collapsed_17, %transposed_12 : tensor<2x5xf32>, tensor<5x20xf32>) outs(%10 : tensor<2x20xf32>) -> tensor<2x20xf32>
    %26 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%25, %cst_3 : tensor<2x20xf32>, tensor<20xf32>) outs(%9 : tensor<2x20xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %50 = arith.addf %in, %in_30 : f32
      linalg.yield %50 : f32
    } -> tensor<2x20xf32>
    %expanded_18 = tensor.expand_shape %26 [[0, 1], [2]] output_shape [1, 2, 20] : tensor<2x20xf32> into tensor<1x2x20xf32>
    %27 = linalg.generic {indexing_maps = [#map1, #map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_18, %collapsed_10 : tensor<1x2x20xf32>, tensor<2x20xf32>) outs(%13 : tensor<1x2x20xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %50 = arith.addf %in, %in_30 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x20xf32>
    %extracted_slice_19 = tensor.extract_slice %27[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<1x2x20xf32> to tensor<1x2x5xf32>
    %extracted_slice_20 = tensor.extract_slice %27[0, 0, 5] [1, 2, 5] [1, 1, 1] : tensor<1x2x20xf32> to tensor<1x2x5xf32>
    %extracted_slice_21 = tensor.extract_slice %27[0, 0, 10] [1, 2, 5] [1, 1, 1] : tensor<1x2x20xf32> to tensor<1x2x5xf32>
    %extracted_slice_22 = tensor.extract_slice %27[0, 0, 15] [1, 2, 5] [1, 1, 1] : tensor<1x2x20xf32> to tensor<1x2x5xf32>
    %28 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_19 : tensor<1x2x5xf32>) outs(%15 : tensor<1x2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %50 = arith.negf %in : f32
      %51 = math.exp %50 : f32
      %52 = arith.addf %51, %cst_0 : f32
      %53 = arith.divf %cst_0, %52 : f32
      linalg.yield %53 : f32
    } -> tensor<1x2x5xf32>
    %29 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_20 : tensor<1x2x5xf32>) outs(%15 : tensor<1x2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %50 = arith.negf %in : f32
      %51 = math.exp %50 : f32
      %52 = arith.addf %51, %cst_0 : f32
      %53 = arith.divf %cst_0, %52 : f32
      linalg.yield %53 : f32
    } -> tensor<1x2x5xf32>
    %30 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_21 : tensor<1x2x5xf32>) outs(%15 : tensor<1x2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %50 = math.tanh %in : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x5xf32>
    %31 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_22 : tensor<1x2x5xf32>) outs(%15 : tensor<1x2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %50 = arith.negf %in : f32
      %51 = math.exp %50 : f32
      %52 = arith.addf %51, %cst_0 : f32
      %53 = arith.divf %cst_0, %52 : f32
      linalg.yield %53 : f32
    } -> tensor<1x2x5xf32>
    %32 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%29, %22 : tensor<1x2x5xf32>, tensor<1x2x5xf32>) outs(%15 : tensor<1x2x5xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %50 = arith.mulf %in, %in_30 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x5xf32>
    %33 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%28, %30 : tensor<1x2x5xf32>, tensor<1x2x5xf32>) outs(%15 : tensor<1x2x5xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %50 = arith.mulf %in, %in_30 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x5xf32>
    %34 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%32, %33 : tensor<1x2x5xf32>, tensor<1x2x5xf32>) outs(%15 : tensor<1x2x5xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %50 = arith.addf %in, %in_30 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x5xf32>
    %35 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%34 : tensor<1x2x5xf32>) outs(%15 : tensor<1x2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %50 = math.tanh %in : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x5xf32>
    %36 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%31, %35 : tensor<1x2x5xf32>, tensor<1x2x5xf32>) outs(%15 : tensor<1x2x5xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %50 = arith.mulf %in, %in_30 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x5xf32>
    %collapsed_23 = tensor.collapse_shape %36 [[0, 1], [2]] : tensor<1x2x5xf32> into tensor<2x5xf32>
    %37 = linalg.matmul ins(%collapsed_23, %transposed_12 : tensor<2x5xf32>, tensor<5x20xf32>) outs(%10 : tensor<2x20xf32>) -> tensor<2x20xf32>
    %38 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%37, %cst_3 : tensor<2x20xf32>, tensor<20xf32>) outs(%9 : tensor<2x20xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %50 = arith.addf %in, %in_30 : f32
      linalg.yield %50 : f32
    } -> tensor<2x20xf32>
    %expanded_24 = tensor.expand_shape %38 [[0, 1], [2]] output_shape [1, 2, 20] : tensor<2x20xf32> into tensor<1x2x20xf32>
    %39 = linalg.generic {indexing_maps = [#map1, #map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_24, %collapsed_11 : tensor<1x2x20xf32>, tensor<2x20xf32>) outs(%13 : tensor<1x2x20xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %50 = arith.addf %in, %in_30 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x20xf32>
    %extracted_slice_25 = tensor.extract_slice %39[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<1x2x20xf32> to tensor<1x2x5xf32>
    %extracted_slice_26 = tensor.extract_slice %39[0, 0, 5] [1, 2, 5] [1, 1, 1] : tensor<1x2x20xf32> to tensor<1x2x5xf32>
    %extracted_slice_27 = tensor.extract_slice %39[0, 0, 10] [1, 2, 5] [1, 1, 1] : tensor<1x2x20xf32> to tensor<1x2x5xf32>
    %extracted_slice_28 = tensor.extract_slice %39[0, 0, 15] [1, 2, 5] [1, 1, 1] : tensor<1x2x20xf32> to tensor<1x2x5xf32>
    %40 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_25 : tensor<1x2x5xf32>) outs(%15 : tensor<1x2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %50 = arith.negf %in : f32
      %51 = math.exp %50 : f32
      %52 = arith.addf %51, %cst_0 : f32
      %53 = arith.divf %cst_0, %52 : f32
      linalg.yield %53 : f32
    } -> tensor<1x2x5xf32>
    %41 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_26 : tensor<1x2x5xf32>) outs(%15 : tensor<1x2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %50 = arith.negf %in : f32
      %51 = math.exp %50 : f32
      %52 = arith.addf %51, %cst_0 : f32
      %53 = arith.divf %cst_0, %52 : f32
      linalg.yield %53 : f32
    } -> tensor<1x2x5xf32>
    %42 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_27 : tensor<1x2x5xf32>) outs(%15 : tensor<1x2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %50 = math.tanh %in : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x5xf32>
    %43 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_28 : tensor<1x2x5xf32>) outs(%15 : tensor<1x2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %50 = arith.negf %in : f32
      %51 = math.exp %50 : f32
      %52 = arith.addf %51, %cst_0 : f32
      %53 = arith.divf %cst_0, %52 : f32
      linalg.yield %53 : f32
    } -> tensor<1x2x5xf32>
    %44 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%41, %34 : tensor<1x2x5xf32>, tensor<1x2x5xf32>) outs(%15 : tensor<1x2x5xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %50 = arith.mulf %in, %in_30 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x5xf32>
    %45 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%40, %42 : tensor<1x2x5xf32>, tensor<1x2x5xf32>) outs(%15 : tensor<1x2x5xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %50 = arith.mulf %in, %in_30 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x5xf32>
    %46 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%44, %45 : tensor<1x2x5xf32>, tensor<1x2x5xf32>) outs(%15 : tensor<1x2x5xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %50 = arith.addf %in, %in_30 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x5xf32>
    %47 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%46 : tensor<1x2x5xf32>) outs(%15 : tensor<1x2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %50 = math.tanh %in : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x5xf32>
    %48 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%43, %47 : tensor<1x2x5xf32>, tensor<1x2x5xf32>) outs(%15 : tensor<1x2x5xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %50 = arith.mulf %in, %in_30 : f32
      linalg.yield %50 : f32
    } -> tensor<1x2x5xf32>
    %concat = tensor.concat dim(0) %24, %36, %48 : (tensor<1x2x5xf32>, tensor<1x2x5xf32>, tensor<1x2x5xf32>) -> tensor<3x2x5xf32>
    %49 = tensor.empty() : tensor<2x3x5xf32>
    %transposed_29 = linalg.transpose ins(%concat : tensor<3x2x5xf32>) outs(%49 : tensor<2x3x5xf32>) permutation = [1, 0, 2] 
    return %transposed_29 : tensor<2x3x5xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_20_torch.float32_1: "0x0400000032AF98BE76ACBE3E7FF723BE3D762C3EA660D33D9DE6E1BE5A8DA2BE7462EBBD7C88AFBE8BD3723EB2EE8F3E5C1157BAE14B603D585CF13DC54F183EF426B1BD943134BE82948DBEB0E1913C6D0FB53E",
      torch_tensor_20_5_torch.float32: "0x04000000C987023E29B8953E3FFBCFBE3957923ECFAB8EBE158FA5BED21E42BEE03F2CBE91553DBEA8D7033EB568313EBCFA313E00179E3E9EDF90BEBC6AD9BE5BB0B7BEF4B27BBE0E7851BE563A493EFAB2A5BE6769A7BEB93E753E91B191BE81C9AB3DFB96AEBE56BB2E3E16148F3ECA99C0BEACC51B3EAD1670BEB950913EABF0CD3EDA2AC1BE524B2B3EBFA29A3E052DD03E0FEFAC3E2C21B43D482DD63CA9B5BC3D6C8288BE3C73B3BD93FFE1BB32E490BE7E70A2BC105773BDFB5120BE60A70CBE630AE4BEE735DA3E24B9613E438AA53E27E9C2BE932AE0BE8D47AA3E5DD5A0BDBAC48E3DEBA1653E531CEA3C71AA72BC410E883E3BECB63EAC3CFFBDFC7CC3BEF31B7BBE51A1A33E7D481F3D820EC43E503220BE17F5D8BE8E360E3E022643BEC8E488BE65C08E3EA1C5FE3C806A1CBD7EFDDE3E8777C73EA00DBBBE477CD2BE777462BE96C7B1BEECB970BE5F7A9A3EB15B98BEF700D23EA8E10E3E911F9F3CCFA99C3DB151C13DC658133E0839BABE3ADEFEBB94E5973E727CE33E1BCFC1BC2492A3BE8F76523EAC7FD1BE1017CC3E",
      torch_tensor_20_torch.float32: "0x0400000011BB8C3EFD434E3EE8367A3D9872A63EE8FD38BEADFBBEBEA7257DBE8463AA3EFBDF64BE7B93B6BE659DC83DDC3B8EBE42129BBC525591BE1684C13D278595BD64B0713D2FAE533E516F93BEAA221CBE",
      torch_tensor_20_4_torch.float32: "0x040000001E2D0DBB51DDB0BE6956D3BEF11BD1BDFD7E4A3DD842C33E6695DBBEA4C503BE3A06F13DF2EC2C3E46C7853E6F1DB8BE5AE9DFBD75C8D33DEF8BB7BEDEC3663E9D7ADABE40E08E3E9AE2143E3D1402BE4B91143E84EFC13E2771A83E6EE28A3ED14A85BE5998033EC1D4AB3E8989A13D9E98973E5A018EBE42EFA03E610C73BC886ECDBE4C6CEDBD9C60CA3E11FB1FBE2DA19EBD453237BE93FF78BEF8AC9E3D20E78A3E9199583DD9F5E1BC28EDD33C71B4ABBE864A71BED152B73C6104B7BE73D2623EAD998B3D604E9A3B901AEBBCDF63C13E79F7D03E769A5F3ED972633E780C5EBEAD333B3EA0DE9ABECEE9453E0797A2BEE64F20BBDCF4A53E9F0B983EA775CA3E4B371C3EC9C3313EA39CF53D1833A73E094F703E4B20073E02C91FBE2DA15DBE0071E2BDC88C5A3E824779BEA73AFA3D5154C83EE9E1C13EBC94A8BE"
    }
  }
#-}

