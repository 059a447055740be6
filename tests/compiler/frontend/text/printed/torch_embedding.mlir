#map = affine_map<(d0, d1, d2) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<2x5xi64>) -> (tensor<2x3x6xf32>, tensor<2x5x1xf32>, tensor<2x5x8xf32>) {
    %c8 = arith.constant 8 : index
    %c11 = arith.constant 11 : index
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense_resource<torch_tensor_6_torch.float32> : tensor<6xf32>
    %cst_1 = arith.constant dense_resource<torch_tensor_6_8_torch.float32> : tensor<6x8xf32>
    %cst_2 = arith.constant dense_resource<torch_tensor_11_8_torch.float32> : tensor<11x8xf32>
    %c4 = arith.constant 4 : index
    %c8_i64 = arith.constant 8 : i64
    %cst_3 = arith.constant dense_resource<torch_tensor_3_torch.int64> : tensor<3xi64>
    %0 = tensor.empty() : tensor<2x5x8xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x5xi64>) outs(%0 : tensor<2x5x8xf32>) {
    ^bb0(%in: i64, %out: f32):
      %16 = arith.index_cast %in : i64 to index
      %17 = linalg.index 2 : index
      %18 = arith.cmpi slt, %16, %c11 : index
      cf.assert %18, "index must be smaller than dim size"
      %19 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %19, "index must be larger or equal to 0"
      %extracted = tensor.extract %cst_2[%16, %17] : tensor<11x8xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x5x8xf32>
    %2 = tensor.empty() : tensor<2x3x8xf32>
    %3 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_3 : tensor<3xi64>) outs(%2 : tensor<2x3x8xf32>) {
    ^bb0(%in: i64, %out: f32):
      %16 = arith.index_cast %in : i64 to index
      %17 = linalg.index 0 : index
      %18 = linalg.index 2 : index
      %extracted = tensor.extract %1[%17, %16, %18] : tensor<2x5x8xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x3x8xf32>
    %collapsed = tensor.collapse_shape %3 [[0, 1], [2]] : tensor<2x3x8xf32> into tensor<6x8xf32>
    %4 = tensor.empty() : tensor<8x6xf32>
    %transposed = linalg.transpose ins(%cst_1 : tensor<6x8xf32>) outs(%4 : tensor<8x6xf32>) permutation = [1, 0] 
    %5 = tensor.empty() : tensor<6x6xf32>
    %6 = linalg.fill ins(%cst : f32) outs(%5 : tensor<6x6xf32>) -> tensor<6x6xf32>
    %7 = linalg.matmul ins(%collapsed, %transposed : tensor<6x8xf32>, tensor<8x6xf32>) outs(%6 : tensor<6x6xf32>) -> tensor<6x6xf32>
    %8 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%7, %cst_0 : tensor<6x6xf32>, tensor<6xf32>) outs(%5 : tensor<6x6xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %16 = arith.addf %in, %in_5 : f32
      linalg.yield %16 : f32
    } -> tensor<6x6xf32>
    %expanded = tensor.expand_shape %8 [[0, 1], [2]] output_shape [2, 3, 6] : tensor<6x6xf32> into tensor<2x3x6xf32>
    %expanded_4 = tensor.expand_shape %arg0 [[0], [1, 2]] output_shape [2, 5, 1] : tensor<2x5xi64> into tensor<2x5x1xi64>
    %9 = tensor.empty() : tensor<2x5x1xi64>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_4 : tensor<2x5x1xi64>) outs(%9 : tensor<2x5x1xi64>) {
    ^bb0(%in: i64, %out: i64):
      %16 = arith.remsi %in, %c8_i64 : i64
      %17 = arith.cmpi ne, %16, %c0_i64 : i64
      %18 = arith.cmpi slt, %16, %c0_i64 : i64
      %19 = arith.andi %17, %18 : i1
      %20 = arith.addi %16, %c8_i64 : i64
      %21 = arith.select %19, %20, %16 : i64
      linalg.yield %21 : i64
    } -> tensor<2x5x1xi64>
    %11 = tensor.empty() : tensor<2x5x1xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<2x5x1xf32>) -> tensor<2x5x1xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10 : tensor<2x5x1xi64>) outs(%12 : tensor<2x5x1xf32>) {
    ^bb0(%in: i64, %out: f32):
      %16 = linalg.index 0 : index
      %17 = linalg.index 1 : index
      %18 = arith.index_cast %in : i64 to index
      %19 = arith.cmpi slt, %18, %c8 : index
      cf.assert %19, "index must be smaller than dim size"
      %20 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %20, "index must be larger or equal to 0"
      %extracted = tensor.extract %1[%16, %17, %18] : tensor<2x5x8xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x5x1xf32>
    %14 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1 : tensor<2x5x8xf32>) outs(%14 : tensor<2x5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %16 = linalg.index 0 : index
      %17 = linalg.index 1 : index
      %18 = linalg.index 2 : index
      %19 = arith.subi %c4, %17 : index
      %extracted = tensor.extract %1[%16, %19, %18] : tensor<2x5x8xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x5x8xf32>
    return %expanded, %13, %15 : tensor<2x3x6xf32>, tensor<2x5x1xf32>, tensor<2x5x8xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_6_torch.float32: "0x04000000732D7BBEEF15AB3E8FF09C3EA1088FBE4A0452BED41B2D3E",
      torch_tensor_6_8_torch.float32: "0x040000009A1165BEAED2FB3DBC74AA3E5150D8BD210453BB82BEAEBE3EC0ADBEAF6D9D3E469D993E25ADDCBD24280FBE7F7EBBBC92FB273E5DEFAEBE848A48BE0DB5EEBDB5941DBE990619BC7409843E08189E3DB1D1A3BEEE6BA73E3DC1913EBDFAE33DF635313EEB56073E0160943E8E1AAEBECB5F61BEF7E737BDE7BB89BDAF7070BEE298ADBEBA3F8ABE21EB60BDA2A9993E3E06703EE5B5D03DB55B5EBE90A511BEEE810B3DB1C9A7BE863784BCF63D933D3BA8A33EAD11BEBD36AFB13E3F82DA3C",
      torch_tensor_11_8_torch.float32: "0x04000000040A34BE989F15BD51019ABF13C72A406F1C0FBFBAB06E3F0F7E993FB2C402BF14A61EBA877910BF1E99F1BE6ECB80BFB68AC13E0E0DCD3FADC2BFBEB5DB233FECCDDB3F88ABDABFF6409B3F5B620D3DCC30EF3D0067A33F311E80BF8FDE733FA0CF2B3FE4114A3FC25F0DBFCB2CDDBEFD688CBDB3CE82BF4AE2783F10D5BE3F24822ABF8582993E6950ADBD195FBABE892094BF4E42EA3E07AFD13F7608C7BF321FAFBDC4A5BABFCCCB573F65C78F3F4ADA203FB5F4E13FCC0314BFB2F24F3F17D1B43F391680BFE0EB82BF2301393FCD7F69BFC8DC16BD0FF0003F6E67DDBF33CD8E3EA0A611BF95360FBF709EC83D857324BF6381A7BE76A817BF869C93BF99321BBEC14292BE9486A4BFE32777BFFDFEF93E0DA37DBF2D2B27BD179BF7BF956FA9BE23965F3FAA2B833C825D383FF90C253FBA3214BF581A1DC0D5824F3F2C339BBFD2CF4F3E89663EBF128CBABED78E4B3FF810193FB1FE11C0196DE03D",
      torch_tensor_3_torch.int64: "0x08000000020000000000000000000000000000000200000000000000"
    }
  }
#-}

