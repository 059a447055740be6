#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, 0)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, d3)>
#map3 = affine_map<(d0, d1) -> (0, d1)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map7 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map8 = affine_map<(d0, d1, d2, d3) -> (0, 0, 0, 0)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, 0)>
#map10 = affine_map<(d0, d1, d2, d3) -> ()>
#map11 = affine_map<() -> ()>
module {
  func.func @main(%arg0: tensor<1x4x6x7xf32>) -> (tensor<1x2x4x7xf32>, tensor<1x6xf32>, tensor<f32>) {
    %c2_i64 = arith.constant 2 : i64
    %c3_i64 = arith.constant 3 : i64
    %c0_i64 = arith.constant 0 : i64
    %c1_i64 = arith.constant 1 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0.000000e+00 : f64
    %cst_1 = arith.constant 0xFF800000 : f32
    %cst_2 = arith.constant 1.670000e+02 : f64
    %cst_3 = arith.constant dense_resource<torch_tensor_2_torch.float32> : tensor<2xf32>
    %cst_4 = arith.constant dense_resource<torch_tensor_6_2_2_2_torch.float32> : tensor<6x2x2x2xf32>
    %cst_5 = arith.constant dense_resource<torch_tensor_6_torch.float32_2> : tensor<6xf32>
    %cst_6 = arith.constant dense_resource<torch_tensor_6_torch.float32_1> : tensor<6xf32>
    %cst_7 = arith.constant 1.000000e-05 : f64
    %cst_8 = arith.constant dense_resource<torch_tensor_6_torch.float32> : tensor<6xf32>
    %cst_9 = arith.constant dense_resource<torch_tensor_6_2_3_3_torch.float32> : tensor<6x2x3x3xf32>
    %cst_10 = arith.constant 5.600000e+01 : f64
    %cst_11 = arith.constant 5.600000e+01 : f32
    %cst_12 = arith.constant 3.000000e+00 : f32
    %cst_13 = arith.constant 6.000000e+00 : f32
    %c1 = arith.constant 1 : index
    %cst_14 = arith.constant 4.000000e+00 : f32
    %cst_15 = arith.constant 1.680000e+02 : f64
    %cst_16 = arith.constant dense_resource<torch_tensor_1_6_torch.int64> : tensor<1x6xi64>
    %cst_17 = arith.constant dense_resource<torch_tensor_1_6_torch.int64_1> : tensor<1x6xi64>
    %cst_18 = arith.constant dense_resource<torch_tensor_1_6_torch.int64_2> : tensor<1x6xi64>
    %cst_19 = arith.constant dense_resource<torch_tensor_1_6_torch.int64_3> : tensor<1x6xi64>
    %cst_20 = arith.constant dense_resource<torch_tensor_1_6_torch.int64_4> : tensor<1x6xi64>
    %cst_21 = arith.constant dense_resource<torch_tensor_1_6_torch.int64_5> : tensor<1x6xi64>
    %cst_22 = arith.constant dense_resource<torch_tensor_1_6_torch.int64_6> : tensor<1x6xi64>
    %cst_23 = arith.constant dense_resource<torch_tensor_1_6_torch.int64_7> : tensor<1x6xi64>
    %0 = tensor.empty() : tensor<1x4x6x9xf32>
    %inserted_slice = tensor.insert_slice %arg0 into %0[0, 0, 0, 1] [1, 4, 6, 7] [1, 1, 1, 1] : tensor<1x4x6x7xf32> into tensor<1x4x6x9xf32>
    %extracted_slice = tensor.extract_slice %inserted_slice[0, 0, 0, 7] [1, 4, 6, 1] [1, 1, 1, 1] : tensor<1x4x6x9xf32> to tensor<1x4x6x1xf32>
    %inserted_slice_24 = tensor.insert_slice %extracted_slice into %inserted_slice[0, 0, 0, 0] [1, 4, 6, 1] [1, 1, 1, 1] : tensor<1x4x6x1xf32> into tensor<1x4x6x9xf32>
    %extracted_slice_25 = tensor.extract_slice %inserted_slice_24[0, 0, 0, 1] [1, 4, 6, 1] [1, 1, 1, 1] : tensor<1x4x6x9xf32> to tensor<1x4x6x1xf32>
    %inserted_slice_26 = tensor.insert_slice %extracted_slice_25 into %inserted_slice_24[0, 0, 0, 8] [1, 4, 6, 1] [1, 1, 1, 1] : tensor<1x4x6x1xf32> into tensor<1x4x6x9xf32>
    %1 = tensor.empty() : tensor<1x6x4x7xf32>
    %broadcasted = linalg.broadcast ins(%cst_8 : tensor<6xf32>) outs(%1 : tensor<1x6x4x7xf32>) dimensions = [0, 2, 3] 
    %expanded = tensor.expand_shape %inserted_slice_26 [[0], [1, 2], [3], [4]] output_shape [1, 2, 2, 6, 9] : tensor<1x4x6x9xf32> into tensor<1x2x2x6x9xf32>
    %expanded_27 = tensor.expand_shape %cst_9 [[0, 1], [2], [3], [4]] output_shape [2, 3, 2, 3, 3] : tensor<6x2x3x3xf32> into tensor<2x3x2x3x3xf32>
    %expanded_28 = tensor.expand_shape %broadcasted [[0], [1, 2], [3], [4]] output_shape [1, 2, 3, 4, 7] : tensor<1x6x4x7xf32> into tensor<1x2x3x4x7xf32>
    %2 = linalg.conv_2d_ngchw_gfchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%expanded, %expanded_27 : tensor<1x2x2x6x9xf32>, tensor<2x3x2x3x3xf32>) outs(%expanded_28 : tensor<1x2x3x4x7xf32>) -> tensor<1x2x3x4x7xf32>
    %collapsed = tensor.collapse_shape %2 [[0], [1, 2], [3], [4]] : tensor<1x2x3x4x7xf32> into tensor<1x6x4x7xf32>
    %collapsed_29 = tensor.collapse_shape %2 [[0], [1, 2], [3, 4]] : tensor<1x2x3x4x7xf32> into tensor<1x6x28xf32>
    %expanded_30 = tensor.expand_shape %collapsed_29 [[0], [1, 2], [3]] output_shape [1, 3, 2, 28] : tensor<1x6x28xf32> into tensor<1x3x2x28xf32>
    %3 = tensor.empty() : tensor<1x3x2x28xf64>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_30 : tensor<1x3x2x28xf32>) outs(%3 : tensor<1x3x2x28xf64>) {
    ^bb0(%in: f32, %out: f64):
      %71 = arith.extf %in : f32 to f64
      linalg.yield %71 : f64
    } -> tensor<1x3x2x28xf64>
    %5 = tensor.empty() : tensor<1x3x1x1xf64>
    %6 = linalg.fill ins(%cst_0 : f64) outs(%5 : tensor<1x3x1x1xf64>) -> tensor<1x3x1x1xf64>
    %7 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%4 : tensor<1x3x2x28xf64>) outs(%6 : tensor<1x3x1x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %71 = arith.addf %in, %out : f64
      linalg.yield %71 : f64
    } -> tensor<1x3x1x1xf64>
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7 : tensor<1x3x1x1xf64>) outs(%5 : tensor<1x3x1x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %71 = arith.divf %in, %cst_10 : f64
      linalg.yield %71 : f64
    } -> tensor<1x3x1x1xf64>
    %9 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4, %8 : tensor<1x3x2x28xf64>, tensor<1x3x1x1xf64>) outs(%3 : tensor<1x3x2x28xf64>) {
    ^bb0(%in: f64, %in_37: f64, %out: f64):
      %71 = arith.subf %in, %in_37 : f64
      linalg.yield %71 : f64
    } -> tensor<1x3x2x28xf64>
    %10 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9, %9 : tensor<1x3x2x28xf64>, tensor<1x3x2x28xf64>) outs(%3 : tensor<1x3x2x28xf64>) {
    ^bb0(%in: f64, %in_37: f64, %out: f64):
      %71 = arith.mulf %in, %in_37 : f64
      linalg.yield %71 : f64
    } -> tensor<1x3x2x28xf64>
    %11 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%10 : tensor<1x3x2x28xf64>) outs(%6 : tensor<1x3x1x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %71 = arith.addf %in, %out : f64
      linalg.yield %71 : f64
    } -> tensor<1x3x1x1xf64>
    %12 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11 : tensor<1x3x1x1xf64>) outs(%5 : tensor<1x3x1x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %71 = arith.divf %in, %cst_10 : f64
      linalg.yield %71 : f64
    } -> tensor<1x3x1x1xf64>
    %13 = tensor.empty() : tensor<1x3x1x1xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%12 : tensor<1x3x1x1xf64>) outs(%13 : tensor<1x3x1x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %71 = arith.truncf %in : f64 to f32
      linalg.yield %71 : f32
    } -> tensor<1x3x1x1xf32>
    %15 = linalg.fill ins(%cst : f32) outs(%13 : tensor<1x3x1x1xf32>) -> tensor<1x3x1x1xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%expanded_30 : tensor<1x3x2x28xf32>) outs(%15 : tensor<1x3x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %71 = arith.addf %in, %out : f32
      linalg.yield %71 : f32
    } -> tensor<1x3x1x1xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16 : tensor<1x3x1x1xf32>) outs(%13 : tensor<1x3x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %71 = arith.divf %in, %cst_11 : f32
      linalg.yield %71 : f32
    } -> tensor<1x3x1x1xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14 : tensor<1x3x1x1xf32>) outs(%13 : tensor<1x3x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %71 = arith.truncf %cst_7 : f64 to f32
      %72 = arith.addf %in, %71 : f32
      linalg.yield %72 : f32
    } -> tensor<1x3x1x1xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18 : tensor<1x3x1x1xf32>) outs(%13 : tensor<1x3x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %71 = math.rsqrt %in : f32
      linalg.yield %71 : f32
    } -> tensor<1x3x1x1xf32>
    %expanded_31 = tensor.expand_shape %cst_6 [[0, 1, 2, 3]] output_shape [1, 3, 2, 1] : tensor<6xf32> into tensor<1x3x2x1xf32>
    %20 = tensor.empty() : tensor<1x3x2x1xf32>
    %21 = linalg.generic {indexing_maps = [#map2, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19, %expanded_31 : tensor<1x3x1x1xf32>, tensor<1x3x2x1xf32>) outs(%20 : tensor<1x3x2x1xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %71 = arith.mulf %in, %in_37 : f32
      linalg.yield %71 : f32
    } -> tensor<1x3x2x1xf32>
    %22 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17 : tensor<1x3x1x1xf32>) outs(%13 : tensor<1x3x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %71 = arith.negf %in : f32
      linalg.yield %71 : f32
    } -> tensor<1x3x1x1xf32>
    %23 = linalg.generic {indexing_maps = [#map2, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22, %21 : tensor<1x3x1x1xf32>, tensor<1x3x2x1xf32>) outs(%20 : tensor<1x3x2x1xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %71 = arith.mulf %in, %in_37 : f32
      linalg.yield %71 : f32
    } -> tensor<1x3x2x1xf32>
    %expanded_32 = tensor.expand_shape %cst_5 [[0, 1, 2, 3]] output_shape [1, 3, 2, 1] : tensor<6xf32> into tensor<1x3x2x1xf32>
    %24 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23, %expanded_32 : tensor<1x3x2x1xf32>, tensor<1x3x2x1xf32>) outs(%20 : tensor<1x3x2x1xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %71 = arith.addf %in, %in_37 : f32
      linalg.yield %71 : f32
    } -> tensor<1x3x2x1xf32>
    %25 = tensor.empty() : tensor<1x6xf32>
    %26 = linalg.generic {indexing_maps = [#map3, #map3, #map3, #map3, #map4], iterator_types = ["parallel", "parallel"]} ins(%cst_16, %cst_17, %cst_18, %cst_19 : tensor<1x6xi64>, tensor<1x6xi64>, tensor<1x6xi64>, tensor<1x6xi64>) outs(%25 : tensor<1x6xf32>) {
    ^bb0(%in: i64, %in_37: i64, %in_38: i64, %in_39: i64, %out: f32):
      %71 = arith.cmpi slt, %in, %c0_i64 : i64
      %72 = arith.addi %in, %c1_i64 : i64
      %73 = arith.select %71, %72, %in : i64
      %74 = arith.index_cast %73 : i64 to index
      %75 = arith.cmpi slt, %in_37, %c0_i64 : i64
      %76 = arith.addi %in_37, %c3_i64 : i64
      %77 = arith.select %75, %76, %in_37 : i64
      %78 = arith.index_cast %77 : i64 to index
      %79 = arith.cmpi slt, %in_38, %c0_i64 : i64
      %80 = arith.addi %in_38, %c2_i64 : i64
      %81 = arith.select %79, %80, %in_38 : i64
      %82 = arith.index_cast %81 : i64 to index
      %83 = arith.cmpi slt, %in_39, %c0_i64 : i64
      %84 = arith.addi %in_39, %c1_i64 : i64
      %85 = arith.select %83, %84, %in_39 : i64
      %86 = arith.index_cast %85 : i64 to index
      %extracted = tensor.extract %21[%74, %78, %82, %86] : tensor<1x3x2x1xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x6xf32>
    %27 = linalg.generic {indexing_maps = [#map3, #map3, #map3, #map3, #map4], iterator_types = ["parallel", "parallel"]} ins(%cst_20, %cst_21, %cst_22, %cst_23 : tensor<1x6xi64>, tensor<1x6xi64>, tensor<1x6xi64>, tensor<1x6xi64>) outs(%25 : tensor<1x6xf32>) {
    ^bb0(%in: i64, %in_37: i64, %in_38: i64, %in_39: i64, %out: f32):
      %71 = arith.cmpi slt, %in, %c0_i64 : i64
      %72 = arith.addi %in, %c1_i64 : i64
      %73 = arith.select %71, %72, %in : i64
      %74 = arith.index_cast %73 : i64 to index
      %75 = arith.cmpi slt, %in_37, %c0_i64 : i64
      %76 = arith.addi %in_37, %c3_i64 : i64
      %77 = arith.select %75, %76, %in_37 : i64
      %78 = arith.index_cast %77 : i64 to index
      %79 = arith.cmpi slt, %in_38, %c0_i64 : i64
      %80 = arith.addi %in_38, %c2_i64 : i64
      %81 = arith.select %79, %80, %in_38 : i64
      %82 = arith.index_cast %81 : i64 to index
      %83 = arith.cmpi slt, %in_39, %c0_i64 : i64
      %84 = arith.addi %in_39, %c1_i64 : i64
      %85 = arith.select %83, %84, %in_39 : i64
      %86 = arith.index_cast %85 : i64 to index
      %extracted = tensor.extract %24[%74, %78, %82, %86] : tensor<1x3x2x1xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x6xf32>
    %expanded_33 = tensor.expand_shape %26 [[0], [1, 2, 3]] output_shape [1, 6, 1, 1] : tensor<1x6xf32> into tensor<1x6x1x1xf32>
    %expanded_34 = tensor.expand_shape %27 [[0], [1, 2, 3]] output_shape [1, 6, 1, 1] : tensor<1x6xf32> into tensor<1x6x1x1xf32>
    %28 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%collapsed, %expanded_33 : tensor<1x6x4x7xf32>, tensor<1x6x1x1xf32>) outs(%1 : tensor<1x6x4x7xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %71 = arith.mulf %in, %in_37 : f32
      linalg.yield %71 : f32
    } -> tensor<1x6x4x7xf32>
    %29 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28, %expanded_34 : tensor<1x6x4x7xf32>, tensor<1x6x1x1xf32>) outs(%1 : tensor<1x6x4x7xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %71 = arith.addf %in, %in_37 : f32
      linalg.yield %71 : f32
    } -> tensor<1x6x4x7xf32>
    %30 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29 : tensor<1x6x4x7xf32>) outs(%1 : tensor<1x6x4x7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %71 = arith.addf %in, %cst_12 : f32
      linalg.yield %71 : f32
    } -> tensor<1x6x4x7xf32>
    %31 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%30 : tensor<1x6x4x7xf32>) outs(%1 : tensor<1x6x4x7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %71 = arith.cmpf ult, %in, %cst : f32
      %72 = arith.select %71, %cst, %in : f32
      linalg.yield %72 : f32
    } -> tensor<1x6x4x7xf32>
    %32 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%31 : tensor<1x6x4x7xf32>) outs(%1 : tensor<1x6x4x7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %71 = arith.cmpf ugt, %in, %cst_13 : f32
      %72 = arith.select %71, %cst_13, %in : f32
      linalg.yield %72 : f32
    } -> tensor<1x6x4x7xf32>
    %33 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29, %32 : tensor<1x6x4x7xf32>, tensor<1x6x4x7xf32>) outs(%1 : tensor<1x6x4x7xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %71 = arith.mulf %in, %in_37 : f32
      linalg.yield %71 : f32
    } -> tensor<1x6x4x7xf32>
    %34 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%33 : tensor<1x6x4x7xf32>) outs(%1 : tensor<1x6x4x7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %71 = arith.divf %in, %cst_13 : f32
      linalg.yield %71 : f32
    } -> tensor<1x6x4x7xf32>
    %35 = tensor.empty() : tensor<2x6x2x2xf32>
    %36 = linalg.fill ins(%cst : f32) outs(%35 : tensor<2x6x2x2xf32>) -> tensor<2x6x2x2xf32>
    %37 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%36 : tensor<2x6x2x2xf32>) {
    ^bb0(%out: f32):
      %71 = linalg.index 0 : index
      %72 = linalg.index 1 : index
      %73 = linalg.index 2 : index
      %74 = linalg.index 3 : index
      %75 = arith.subi %c1, %73 : index
      %76 = arith.subi %c1, %74 : index
      %extracted = tensor.extract %cst_4[%72, %71, %75, %76] : tensor<6x2x2x2xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x6x2x2xf32>
    %38 = tensor.empty() : tensor<1x6x9x15xf32>
    %39 = linalg.fill ins(%cst : f32) outs(%38 : tensor<1x6x9x15xf32>) -> tensor<1x6x9x15xf32>
    %inserted_slice_35 = tensor.insert_slice %34 into %39[0, 0, 1, 1] [1, 6, 4, 7] [1, 1, 2, 2] : tensor<1x6x4x7xf32> into tensor<1x6x9x15xf32>
    %40 = tensor.empty() : tensor<1x2x8x14xf32>
    %broadcasted_36 = linalg.broadcast ins(%cst_3 : tensor<2xf32>) outs(%40 : tensor<1x2x8x14xf32>) dimensions = [0, 2, 3] 
    %41 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%inserted_slice_35, %37 : tensor<1x6x9x15xf32>, tensor<2x6x2x2xf32>) outs(%broadcasted_36 : tensor<1x2x8x14xf32>) -> tensor<1x2x8x14xf32>
    %42 = tensor.empty() : tensor<1x2x4x7xf32>
    %43 = linalg.fill ins(%cst : f32) outs(%42 : tensor<1x2x4x7xf32>) -> tensor<1x2x4x7xf32>
    %44 = tensor.empty() : tensor<2x2xf32>
    %45 = linalg.pooling_nchw_sum {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%41, %44 : tensor<1x2x8x14xf32>, tensor<2x2xf32>) outs(%43 : tensor<1x2x4x7xf32>) -> tensor<1x2x4x7xf32>
    %46 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%45 : tensor<1x2x4x7xf32>) outs(%42 : tensor<1x2x4x7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %71 = arith.divf %in, %cst_14 : f32
      linalg.yield %71 : f32
    } -> tensor<1x2x4x7xf32>
    %47 = tensor.empty() : tensor<1x6x4xi64>
    %48 = linalg.fill ins(%c0_i64 : i64) outs(%47 : tensor<1x6x4xi64>) -> tensor<1x6x4xi64>
    %49 = tensor.empty() : tensor<1x6x4xf32>
    %50 = linalg.fill ins(%cst_1 : f32) outs(%49 : tensor<1x6x4xf32>) -> tensor<1x6x4xf32>
    %51:2 = linalg.generic {indexing_maps = [#map, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%34 : tensor<1x6x4x7xf32>) outs(%50, %48 : tensor<1x6x4xf32>, tensor<1x6x4xi64>) {
    ^bb0(%in: f32, %out: f32, %out_37: i64):
      %71 = linalg.index 3 : index
      %72 = arith.index_cast %71 : index to i64
      %73 = arith.maximumf %in, %out : f32
      %74 = arith.cmpf ogt, %in, %out : f32
      %75 = arith.select %74, %72, %out_37 : i64
      linalg.yield %73, %75 : f32, i64
    } -> (tensor<1x6x4xf32>, tensor<1x6x4xi64>)
    %52 = tensor.empty() : tensor<1x6xi64>
    %53 = linalg.fill ins(%c0_i64 : i64) outs(%52 : tensor<1x6xi64>) -> tensor<1x6xi64>
    %54 = linalg.fill ins(%cst_1 : f32) outs(%25 : tensor<1x6xf32>) -> tensor<1x6xf32>
    %55:2 = linalg.generic {indexing_maps = [#map6, #map7, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%51#0 : tensor<1x6x4xf32>) outs(%54, %53 : tensor<1x6xf32>, tensor<1x6xi64>) {
    ^bb0(%in: f32, %out: f32, %out_37: i64):
      %71 = linalg.index 2 : index
      %72 = arith.index_cast %71 : index to i64
      %73 = arith.maximumf %in, %out : f32
      %74 = arith.cmpf ogt, %in, %out : f32
      %75 = arith.select %74, %72, %out_37 : i64
      linalg.yield %73, %75 : f32, i64
    } -> (tensor<1x6xf32>, tensor<1x6xi64>)
    %56 = tensor.empty() : tensor<1x6x4x7xf64>
    %57 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%34 : tensor<1x6x4x7xf32>) outs(%56 : tensor<1x6x4x7xf64>) {
    ^bb0(%in: f32, %out: f64):
      %71 = arith.extf %in : f32 to f64
      linalg.yield %71 : f64
    } -> tensor<1x6x4x7xf64>
    %58 = tensor.empty() : tensor<1x1x1x1xf64>
    %59 = linalg.fill ins(%cst_0 : f64) outs(%58 : tensor<1x1x1x1xf64>) -> tensor<1x1x1x1xf64>
    %60 = linalg.generic {indexing_maps = [#map, #map8], iterator_types = ["reduction", "reduction", "reduction", "reduction"]} ins(%57 : tensor<1x6x4x7xf64>) outs(%59 : tensor<1x1x1x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %71 = arith.addf %in, %out : f64
      linalg.yield %71 : f64
    } -> tensor<1x1x1x1xf64>
    %61 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%60 : tensor<1x1x1x1xf64>) outs(%58 : tensor<1x1x1x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %71 = arith.divf %in, %cst_15 : f64
      linalg.yield %71 : f64
    } -> tensor<1x1x1x1xf64>
    %62 = linalg.generic {indexing_maps = [#map, #map9, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%57, %61 : tensor<1x6x4x7xf64>, tensor<1x1x1x1xf64>) outs(%56 : tensor<1x6x4x7xf64>) {
    ^bb0(%in: f64, %in_37: f64, %out: f64):
      %71 = arith.subf %in, %in_37 : f64
      linalg.yield %71 : f64
    } -> tensor<1x6x4x7xf64>
    %63 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%62, %62 : tensor<1x6x4x7xf64>, tensor<1x6x4x7xf64>) outs(%56 : tensor<1x6x4x7xf64>) {
    ^bb0(%in: f64, %in_37: f64, %out: f64):
      %71 = arith.mulf %in, %in_37 : f64
      linalg.yield %71 : f64
    } -> tensor<1x6x4x7xf64>
    %64 = tensor.empty() : tensor<f64>
    %65 = linalg.fill ins(%cst_0 : f64) outs(%64 : tensor<f64>) -> tensor<f64>
    %66 = linalg.generic {indexing_maps = [#map, #map10], iterator_types = ["reduction", "reduction", "reduction", "reduction"]} ins(%63 : tensor<1x6x4x7xf64>) outs(%65 : tensor<f64>) {
    ^bb0(%in: f64, %out: f64):
      %71 = arith.addf %in, %out : f64
      linalg.yield %71 : f64
    } -> tensor<f64>
    %67 = linalg.generic {indexing_maps = [#map11, #map11], iterator_types = []} ins(%66 : tensor<f64>) outs(%64 : tensor<f64>) {
    ^bb0(%in: f64, %out: f64):
      %71 = arith.divf %in, %cst_2 : f64
      linalg.yield %71 : f64
    } -> tensor<f64>
    %68 = tensor.empty() : tensor<f32>
    %69 = linalg.generic {indexing_maps = [#map11, #map11], iterator_types = []} ins(%67 : tensor<f64>) outs(%68 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %71 = arith.truncf %in : f64 to f32
      linalg.yield %71 : f32
    } -> tensor<f32>
    %70 = linalg.generic {indexing_maps = [#map11, #map11], iterator_types = []} ins(%69 : tensor<f32>) outs(%68 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %71 = math.sqrt %in : f32
      linalg.yield %71 : f32
    } -> tensor<f32>
    return %46, %55#0, %70 : tensor<1x2x4x7xf32>, tensor<1x6xf32>, tensor<f32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_2_torch.float32: "0x04000000B8323C3C16A4FE3D",
      torch_tensor_6_2_2_2_torch.float32: "0x0400000076B993BD85160ABEC5CFAA3D2759A93E89A582BEF2FFA9BB40499D3E0C0953BEB4488DBE1B21C13D9AFB86BB898D97BB0674633EE0E39ABE879858BE70457B3E5B2B7EBE2F6C42BD6715283E7BB645BEAB5F8CBE7D3358BE43B586BE371F9BBE9A546DBDEA07A8BEFD335CBE04BFD53C1A90A83EF77DB23E114F973E2852203D066C613EBE61E2BD51C468BE86B0353EDBD20E3EF5DDFE3D1978283E22F3B5BDFB29853EAE4E453E00861DBEFE08853EC078023EE070453C4307AE3B93969B3E",
      torch_tensor_6_torch.float32_2: "0x04000000000000000000000000000000000000000000000000000000",
      torch_tensor_6_torch.float32_1: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F",
      torch_tensor_6_torch.float32: "0x040000003A2585BDEC9710BEDFF4CD3D595B64BB4CD657BEA966F2BD",
      torch_tensor_6_2_3_3_torch.float32: "0x0400000014ADD0BD41AE55BE5029873DBDFC813CB70D3CBC845923BE4A78FE3DDA1B1E3D164D72BD800C2B3DF53FAA3DDE0111BE5E088BBD2936DBBDF89E553E71B86E3D972636BE88742A3E5E4C19BD9EE5843C29D4F93C7082E1BC1F7E643E5E19D13DFFDB4F3D317FAFBD3D345E3D70BC2FBE16E5A6BD84C2F43DDB8B6DBED74EC2BBA2E9B1BD2D9EF63D6AC316BE841A273D162A8BBD667C4A3EAF0E10BDD34030BED5F795BDF6252A3E9ED0B83DF4B44E3DD980163EDE68BA3D7390F7BC7FAAFFBD72F866BEA824E83DCD393C3EEB7EB8BD62F6D8BDC274263DAC66B2BCDB51393EFAB385BB99A3E8BB7A6360BECC55933DC4B5563AB3C2633DF38F133EFD5BCD3DD060EB39A7C494BCAFD0F3BDB3F4593EDBE4483E295C7ABAA213713E85F1533E5BC20A3E3423F83D9D1BBF3DF55A29BDC4E1BF3C805B443ED9AB22BD8CA6963D69C99BBD166F1E3D8B2D0C3EE51B163E0F34EC3D0FB2E53DCCC367BD84C75B3E0394293E397D643EE42543BE16BEDABDBF6948BEA60BAB3CBD6B383E24F624BECDAA7C3D558B9ABBC3B760BE75A517BC07B5E2BCC91FEABD879F16BE6AB00E3EB825C6BCFF573FBDFE3486BDDAE1F6BC",
      torch_tensor_1_6_torch.int64: "0x08000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_1_6_torch.int64_1: "0x08000000000000000000000000000000000000000100000000000000010000000000000002000000000000000200000000000000",
      torch_tensor_1_6_torch.int64_2: "0x08000000000000000000000001000000000000000000000000000000010000000000000000000000000000000100000000000000",
      torch_tensor_1_6_torch.int64_3: "0x08000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_1_6_torch.int64_4: "0x08000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_1_6_torch.int64_5: "0x08000000000000000000000000000000000000000100000000000000010000000000000002000000000000000200000000000000",
      torch_tensor_1_6_torch.int64_6: "0x08000000000000000000000001000000000000000000000000000000010000000000000000000000000000000100000000000000",
      torch_tensor_1_6_torch.int64_7: "0x08000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
    }
  }
#-}

