#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d1)>
#map4 = affine_map<(d0, d1) -> (d0)>
#map5 = affine_map<(d0, d1) -> (d0, 0)>
module {
  func.func @main(%arg0: tensor<?x3x?x9xf32>) -> tensor<?x5xf32> {
    %c9_i64 = arith.constant 9 : i64
    %c0_i64 = arith.constant 0 : i64
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant dense_resource<torch_tensor_5_torch.float32> : tensor<5xf32>
    %cst_2 = arith.constant dense_resource<torch_tensor_5_4_torch.float32> : tensor<5x4xf32>
    %cst_3 = arith.constant dense_resource<torch_tensor_4_3_3_3_torch.float32> : tensor<4x3x3x3xf32>
    %cst_4 = arith.constant dense_resource<torch_tensor_4_torch.float32> : tensor<4xf32>
    %dim = tensor.dim %arg0, %c0 : tensor<?x3x?x9xf32>
    %dim_5 = tensor.dim %arg0, %c2 : tensor<?x3x?x9xf32>
    %padded = tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
      tensor.yield %cst : f32
    } : tensor<?x3x?x9xf32> to tensor<?x3x?x11xf32>
    %0 = tensor.empty(%dim, %dim_5) : tensor<?x4x?x9xf32>
    %broadcasted = linalg.broadcast ins(%cst_4 : tensor<4xf32>) outs(%0 : tensor<?x4x?x9xf32>) dimensions = [0, 2, 3] 
    %1 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded, %cst_3 : tensor<?x3x?x11xf32>, tensor<4x3x3x3xf32>) outs(%broadcasted : tensor<?x4x?x9xf32>) -> tensor<?x4x?x9xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1 : tensor<?x4x?x9xf32>) outs(%0 : tensor<?x4x?x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      %25 = arith.cmpf ugt, %in, %cst : f32
      %26 = arith.select %25, %in, %cst : f32
      linalg.yield %26 : f32
    } -> tensor<?x4x?x9xf32>
    %3 = tensor.empty(%dim) : tensor<?x4xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<?x4xf32>) -> tensor<?x4xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%2 : tensor<?x4x?x9xf32>) outs(%4 : tensor<?x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %25 = arith.addf %in, %out : f32
      linalg.yield %25 : f32
    } -> tensor<?x4xf32>
    %6 = arith.index_cast %dim_5 : index to i64
    %7 = arith.muli %6, %c9_i64 : i64
    %8 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<?x4xf32>) outs(%3 : tensor<?x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %25 = arith.sitofp %7 : i64 to f32
      %26 = arith.divf %in, %25 : f32
      linalg.yield %26 : f32
    } -> tensor<?x4xf32>
    %9 = tensor.empty() : tensor<4x5xf32>
    %transposed = linalg.transpose ins(%cst_2 : tensor<5x4xf32>) outs(%9 : tensor<4x5xf32>) permutation = [1, 0] 
    %10 = tensor.empty(%dim) : tensor<?x5xf32>
    %11 = linalg.fill ins(%cst : f32) outs(%10 : tensor<?x5xf32>) -> tensor<?x5xf32>
    %12 = linalg.matmul ins(%8, %transposed : tensor<?x4xf32>, tensor<4x5xf32>) outs(%11 : tensor<?x5xf32>) -> tensor<?x5xf32>
    %13 = linalg.generic {indexing_maps = [#map2, #map3, #map2], iterator_types = ["parallel", "parallel"]} ins(%12, %cst_1 : tensor<?x5xf32>, tensor<5xf32>) outs(%10 : tensor<?x5xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %25 = arith.addf %in, %in_6 : f32
      linalg.yield %25 : f32
    } -> tensor<?x5xf32>
    %14 = tensor.empty(%dim) : tensor<?xi64>
    %15 = linalg.fill ins(%c0_i64 : i64) outs(%14 : tensor<?xi64>) -> tensor<?xi64>
    %16 = tensor.empty(%dim) : tensor<?xf32>
    %17 = linalg.fill ins(%cst_0 : f32) outs(%16 : tensor<?xf32>) -> tensor<?xf32>
    %18:2 = linalg.generic {indexing_maps = [#map2, #map4, #map4], iterator_types = ["parallel", "reduction"]} ins(%13 : tensor<?x5xf32>) outs(%17, %15 : tensor<?xf32>, tensor<?xi64>) {
    ^bb0(%in: f32, %out: f32, %out_6: i64):
      %25 = linalg.index 1 : index
      %26 = arith.index_cast %25 : index to i64
      %27 = arith.maximumf %in, %out : f32
      %28 = arith.cmpf ogt, %in, %out : f32
      %29 = arith.select %28, %26, %out_6 : i64
      linalg.yield %27, %29 : f32, i64
    } -> (tensor<?xf32>, tensor<?xi64>)
    %expanded = tensor.expand_shape %18#0 [[0, 1]] output_shape [%dim, 1] : tensor<?xf32> into tensor<?x1xf32>
    %19 = linalg.generic {indexing_maps = [#map2, #map5, #map2], iterator_types = ["parallel", "parallel"]} ins(%13, %expanded : tensor<?x5xf32>, tensor<?x1xf32>) outs(%10 : tensor<?x5xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %25 = arith.subf %in, %in_6 : f32
      linalg.yield %25 : f32
    } -> tensor<?x5xf32>
    %20 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%19 : tensor<?x5xf32>) outs(%10 : tensor<?x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %25 = math.exp %in : f32
      linalg.yield %25 : f32
    } -> tensor<?x5xf32>
    %21 = tensor.empty(%dim) : tensor<?x1xf32>
    %22 = linalg.fill ins(%cst : f32) outs(%21 : tensor<?x1xf32>) -> tensor<?x1xf32>
    %23 = linalg.generic {indexing_maps = [#map2, #map5], iterator_types = ["parallel", "reduction"]} ins(%20 : tensor<?x5xf32>) outs(%22 : tensor<?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %25 = arith.addf %in, %out : f32
      linalg.yield %25 : f32
    } -> tensor<?x1xf32>
    %24 = linalg.generic {indexing_maps = [#map2, #map5, #map2], iterator_types = ["parallel", "parallel"]} ins(%20, %23 : tensor<?x5xf32>, tensor<?x1xf32>) outs(%10 : tensor<?x5xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %25 = arith.divf %in, %in_6 : f32
      linalg.yield %25 : f32
    } -> tensor<?x5xf32>
    return %24 : tensor<?x5xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_5_torch.float32: "0x0400000070B044BEC028F5BE3C0321BEE0EF853E1062F83E",
      torch_tensor_5_4_torch.float32: "0x04000000003A69BE4AAABA3EB863D1BEF2FEEEBE5ABCC73E02F4ACBE16BFF53E106A633E189B453EA09D7DBDE09BC03DA04C033E08C370BE8C6EBC3EA0579D3E40D4F03C40CD123E009278BD20F038BEC854C5BE",
      torch_tensor_4_3_3_3_torch.float32: "0x040000007868793D98E53ABCA01733BEB59E42BD34E8F53C30CFD73DE804E1BDF39FEFBD3491B13D5796ECBD1FC99BBD1EF944BE2FE53DBD75231DBE11FFF63C10961F3E7E08AF3DBB4A24BE4BA7303EDB1C30BE393A97BDEB20DD3DB904BB3DCF34D93D21973BBD49942CBEAFF340BE492E813C81A63EBE0DE801BEA5C8003E48B5F2BCF08F893D5B091BBE07E7F93C5D93313E4A4F0F3D890A0B3DBC39F3BDA17D0EBEC5C4E53D8A6E30BE432741BC8AE81DBE989B5D3C041B41BEC87A823D86B0AB39039601BEBFC192BD3E819DBDA0ECB0BDCD9144BD153C113D5AC6E2BDEFF0463D7A6322BE8196393E183BECBDAB98A73D70E406BEB98206BE586AE7BC2187E0BDFF8B5CBDD270ABBDF4745CBDDC5718BE2B33403EAC4BDE3DD2CC8CBD371B0F3ED199AFBD6BFC20BE627C7C3DB1A087BD2536143ED31E54BD167420BE702C263EA4F0303DE83C6F3D4B7898BCD4B21CBE70C47D3D3241083A2E7A02BEB39AE03DD38938BEF99CF4BD19CC37BD47B738BE6C6931BE87D36CBD8D9814BD7E8F103E9CECB73DB23A373EC4D9743DDFD9D23C66E917BD9545A6BD818B30BE260034BE4CB4A73D0A7BF9BD68AFA1BD6C31B83D",
      torch_tensor_4_torch.float32: "0x04000000E5A4F3BD2DB9913D487B2EBCFBA8223D"
    }
  }
#-}

