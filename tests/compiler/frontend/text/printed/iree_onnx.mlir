#loc2 = loc("iree_onnx.torch":2:19)
#loc4 = loc("iree_onnx.torch":20:11)
#loc5 = loc("iree_onnx.torch":16:11)
#loc6 = loc("iree_onnx.torch":19:11)
#loc7 = loc("iree_onnx.torch":15:11)
#loc8 = loc("iree_onnx.torch":13:10)
#loc9 = loc("iree_onnx.torch":14:11)
#loc10 = loc("iree_onnx.torch":17:11)
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (d1)>
#map3 = affine_map<(d0, d1) -> (d0)>
#map4 = affine_map<(d0, d1) -> (d0, 0)>
module {
  func.func @main(%arg0: tensor<1x3x8x8xf32> loc("iree_onnx.torch":2:19)) -> tensor<1x6xf32> {
    %c-3_i64 = arith.constant -3 : i64 loc(#loc3)
    %c0_i64 = arith.constant 0 : i64 loc(#loc3)
    %cst = arith.constant 0.000000e+00 : f32 loc(#loc3)
    %cst_0 = arith.constant 0xFF800000 : f32 loc(#loc4)
    %cst_1 = arith.constant dense<[-1.28836143, 0.395122051, 0.429863691, 0.696042716]> : tensor<4xf32> loc(#loc5)
    %cst_2 = arith.constant dense<"0x2D9117BE5765A9BD71745FBD12BC15BE9BA35E3E03E87DBDB56E283D9F6304BD3DAF4A3E9701293E6623A23D4E068DBE551CD53B0F06AF3DD081003E282F9EBDAB37693EE20329BEE759A9BD705FEF3D7EEDC83B3327803E2D0BC13C0219A2BD015041BDADAA0BBE068B23BEA662A13D48C7943D1AB4253ED82DC1BDAC34583E7B2413BD3686493E1B965DBDA248BCBDBDC7FF3CA806043EB2DFA43C38E595BD16AD2BBE046533BED3AF803DD55DFD3DD73CA8BCCA8409BEB17FDF3DF3E323BEA18BB6BD07FB9E3D500290BE3CD2453D6AE694BD09CE5F3C67091BBC13F7CE3C41B5B13D8524C2BDBDE2353E48E1B93DDDFED73D431A153E629FC93D8A15D83DD3D01A3C87A036BE43498ABCE9FEC4BD671C36BEED53043D758C91BDA2D003BE0F8105BEF76D093DDAA3373D4946293E5AFAE3BA015B053E6A7D333EA138133E246197BE82451D3EACE22D3D8FF8583D85113E3DBFF8433D438A233D7CC337BDC96873BEAF0E5FBC5FC1CDBDCB420A3E34D913BD21F52A3CC77FD9BD27B882BD2BF5BCBAC6203EBE66F3193D693C59BCABC517BEA67C99BE6257833DEF5C18BDA2AE87BD85D2F1BC4982683E1AFCCBBB7165313C67583EBE02DC523E7EE0EA3D5291083E7B44C33BE3A9EA3DBEEC3D3DF6F99C3D79D89BBC5CA83CBE80B1033EC2AC77BEF5B1F5BC586ED1BC717C05BEA3F59C3D3B23CDBC35AD5FBD5914853D2B0274BD19CA313EEBF1333DC6DB72BDADDD78BE756427BE451D0B3E3546CFBBC5F510BD1256523EDA2D24BEABED95BD03F771BD331A963D71DDA9BDF4089DBD89754DBEA4B6BA3D265FCE3DA7E773BD9642A73C6E7525BE7E9171BDB260303EFFFC8A3CFFDC933E7785C9BD858D943DAE32C8BC70D9903D454D6CBAAEAA8FBD221CDEBDF239C43E16671EBCF81081BEB00AA6BD0394AD3D8D0080BD1A232E3E964E003EA9FE9BBC4AC671BD529D00BE0231B3BDF48F3CBEA8291A3E159C4B3E22C920BE634117BE995E62BE27BFF6BD39CEC6BE323612BE5301263EFDFB30BD08C6DA3D275A7ABD8C5D613ECDFFCB3CCE9543BDEA5AA33E2D2126BD0C511CBE7FC1CE3C7D119FBB537D083E33F0EBBDEE01CE3DB94DDA3D8EEDAABD7029A73C29ACD4BDB821963E7E42B4BD60F967BD616D08BECF3631BDAF8B40BAD48DC43DDA489CBD873BBEBC864F35BEA2D0D3BD275FB03E7547053E680BC8BDD52F2BBECCBFF9BD08B131BBBA3E8E3B6B8EBEBD79AE24BE8010363E5143673D61C73FBD03F5E1BC4F8F87BD2BE8BBBE1CE06C3C990709BEF65700BE3DE8A3BD2078BB3DF4D315BE899637BE58CDA33D521EC13DAE7CF5BD4BF98F3DD95015BDF8421A3D256721BE9238D53D64041A3E3B17A33D5EEF8E3DF56CF1BE4371053DB27250BB199396BC8F6DA1BD62C6E23B0D01533D3E0F07BDD2386DBD93681D3EAB7C0DBE20DC033E540EB53CFAE6CDBD827814BDB384EBBD07D1AC3D2E20323D328A8EBD7D150DBE887A1A3D3917F53D082369BC4D32563DA18640BDB9610A3C092315BDB18C163D3A4041BEACE9A43D6C73EBBC7A9B373D213D2EBD6206243DBD4909BE3636183EC00D5ABEC70505BE7252F13C6A3E3B3E92660E3DB7DBFDBC5B6936BE08DEC3BC1DD522BB8E64583E99439F3D51B943BEC0B6813EBC3E4ABD4624E1BDFDC63C3EB2CCCBBB321C3CBD6F09E03CA24AD83D484BFE3DA20630BE3ECE7F3E8565F23DA42642BDB193D1BD3311F8BDD6AD7C3C65E4A5BDC8CEC3BD5EAECF3D92A83A3D3E054ABDA7F7BB3D43062F3E75180CBE56719ABDAA4FF13D7D0CB83DBF23E83C38CA143E864A0BBE63543DBE6DD3DDBD66F87A3C58CCCBBDA87479BD9C99F9BD72D49EBDDE9C00BE88243C3DFB7DCB3D03FD75BD7C3DD4BC8DBE94BD1400883D0363363C550D4C3E6D380CBEED99393DD752633D9D8B38BD7E62953D832138BE789A873E1DC82BBE7D78EB3DF3800FBE2350133E1A0145BD9D39A23CFB7EDA3BDBE40C3EDEA124BD57E6BDBE3693C2BD151FBC3C0C8561BDFB12C53D3CF6013E7E5197BCB3AC3EBE532C313E7FA10A3E952F19BD33EE863ECE9F32BD248D11BE499D9FBC75F6093EF3FCEFBDBEC1793EBE82E5BD0555F43DE3618B3D22C19DBCE84E0A3E68F93FBEEAC42D3EC66C02BC09DD8ABDDFC9BF3DC5AA073E"> : tensor<64x6xf32> loc(#loc6)
    %cst_3 = arith.constant dense<[0.769795417, 1.99950385, 1.08072603, 1.28350663, -0.539863944, 0.106523775]> : tensor<6xf32> loc(#loc6)
    %cst_4 = arith.constant -1.280000e+02 : f32 loc(#loc3)
    %cst_5 = arith.constant 1.270000e+02 : f32 loc(#loc3)
    %cst_6 = arith.constant 4.000000e-02 : f32 loc(#loc3)
    %cst_7 = arith.constant -3.000000e+00 : f32 loc(#loc3)
    %cst_8 = arith.constant 5.000000e-02 : f32 loc(#loc3)
    %cst_9 = arith.constant dense<"0x070300FCFCF7F8F7FA0603080002090403010108FC0603F7FE0701F7050407FAF807F701F8FC00FFFEF7F7F9F7030003FB0205FEFF090609FE040903060404FE07F901040700FEFCFF000407F80801FD0301FBFD040200FD05FEFD07FCFB0402F7F8FE06FE05FDFB0607F8F8"> : tensor<4x3x3x3xi8> loc(#loc7)
    %0 = tensor.empty() : tensor<1x3x8x8xi8> loc(#loc8)
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<1x3x8x8xf32>) outs(%0 : tensor<1x3x8x8xi8>) {
    ^bb0(%in: f32 loc("iree_onnx.torch":13:10), %out: i8 loc("iree_onnx.torch":13:10)):
      %24 = arith.divf %in, %cst_6 : f32 loc(#loc8)
      %25 = math.roundeven %24 : f32 loc(#loc8)
      %26 = arith.addf %25, %cst_7 : f32 loc(#loc8)
      %27 = arith.maximumf %26, %cst_4 : f32 loc(#loc8)
      %28 = arith.minimumf %27, %cst_5 : f32 loc(#loc8)
      %29 = arith.fptosi %28 : f32 to i8 loc(#loc8)
      linalg.yield %29 : i8 loc(#loc8)
    } -> tensor<1x3x8x8xi8> loc(#loc8)
    %2 = tensor.empty() : tensor<1x3x8x8xf32> loc(#loc9)
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1 : tensor<1x3x8x8xi8>) outs(%2 : tensor<1x3x8x8xf32>) {
    ^bb0(%in: i8 loc("iree_onnx.torch":13:10), %out: f32 loc("iree_onnx.torch":14:11)):
      %24 = arith.extsi %in : i8 to i64 loc(#loc9)
      %25 = arith.subi %24, %c-3_i64 : i64 loc(#loc9)
      %26 = arith.sitofp %25 : i64 to f32 loc(#loc9)
      %27 = arith.mulf %26, %cst_6 : f32 loc(#loc9)
      linalg.yield %27 : f32 loc(#loc9)
    } -> tensor<1x3x8x8xf32> loc(#loc9)
    %4 = tensor.empty() : tensor<4x3x3x3xf32> loc(#loc7)
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_9 : tensor<4x3x3x3xi8>) outs(%4 : tensor<4x3x3x3xf32>) {
    ^bb0(%in: i8 loc("iree_onnx.torch":15:11), %out: f32 loc("iree_onnx.torch":15:11)):
      %24 = arith.sitofp %in : i8 to f32 loc(#loc7)
      %25 = arith.mulf %24, %cst_8 : f32 loc(#loc7)
      linalg.yield %25 : f32 loc(#loc7)
    } -> tensor<4x3x3x3xf32> loc(#loc7)
    %padded = tensor.pad %3 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg1: index loc("iree_onnx.torch":16:11), %arg2: index loc("iree_onnx.torch":16:11), %arg3: index loc("iree_onnx.torch":16:11), %arg4: index loc("iree_onnx.torch":16:11)):
      tensor.yield %cst : f32 loc(#loc5)
    } : tensor<1x3x8x8xf32> to tensor<1x3x10x10xf32> loc(#loc5)
    %6 = tensor.empty() : tensor<1x4x4x4xf32> loc(#loc5)
    %broadcasted = linalg.broadcast ins(%cst_1 : tensor<4xf32>) outs(%6 : tensor<1x4x4x4xf32>) dimensions = [0, 2, 3]  loc(#loc5)
    %7 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded, %5 : tensor<1x3x10x10xf32>, tensor<4x3x3x3xf32>) outs(%broadcasted : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32> loc(#loc5)
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7 : tensor<1x4x4x4xf32>) outs(%6 : tensor<1x4x4x4xf32>) {
    ^bb0(%in: f32 loc("iree_onnx.torch":16:11), %out: f32 loc("iree_onnx.torch":17:11)):
      %24 = arith.cmpf ugt, %in, %cst : f32 loc(#loc10)
      %25 = arith.select %24, %in, %cst : f32 loc(#loc10)
      linalg.yield %25 : f32 loc(#loc10)
    } -> tensor<1x4x4x4xf32> loc(#loc10)
    %collapsed = tensor.collapse_shape %8 [[0], [1, 2, 3]] : tensor<1x4x4x4xf32> into tensor<1x64xf32> loc(#loc11)
    %9 = tensor.empty() : tensor<1x6xf32> loc(#loc6)
    %10 = linalg.fill ins(%cst : f32) outs(%9 : tensor<1x6xf32>) -> tensor<1x6xf32> loc(#loc6)
    %11 = linalg.matmul ins(%collapsed, %cst_2 : tensor<1x64xf32>, tensor<64x6xf32>) outs(%10 : tensor<1x6xf32>) -> tensor<1x6xf32> loc(#loc6)
    %12 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%11, %cst_3 : tensor<1x6xf32>, tensor<6xf32>) outs(%9 : tensor<1x6xf32>) {
    ^bb0(%in: f32 loc("iree_onnx.torch":19:11), %in_10: f32 loc("iree_onnx.torch":19:11), %out: f32 loc("iree_onnx.torch":19:11)):
      %24 = arith.addf %in, %in_10 : f32 loc(#loc6)
      linalg.yield %24 : f32 loc(#loc6)
    } -> tensor<1x6xf32> loc(#loc6)
    %13 = tensor.empty() : tensor<1xi64> loc(#loc4)
    %14 = linalg.fill ins(%c0_i64 : i64) outs(%13 : tensor<1xi64>) -> tensor<1xi64> loc(#loc4)
    %15 = tensor.empty() : tensor<1xf32> loc(#loc4)
    %16 = linalg.fill ins(%cst_0 : f32) outs(%15 : tensor<1xf32>) -> tensor<1xf32> loc(#loc4)
    %17:2 = linalg.generic {indexing_maps = [#map1, #map3, #map3], iterator_types = ["parallel", "reduction"]} ins(%12 : tensor<1x6xf32>) outs(%16, %14 : tensor<1xf32>, tensor<1xi64>) {
    ^bb0(%in: f32 loc("iree_onnx.torch":19:11), %out: f32 loc("iree_onnx.torch":20:11), %out_10: i64 loc("iree_onnx.torch":20:11)):
      %24 = linalg.index 1 : index loc(#loc4)
      %25 = arith.index_cast %24 : index to i64 loc(#loc4)
      %26 = arith.maximumf %in, %out : f32 loc(#loc4)
      %27 = arith.cmpf ogt, %in, %out : f32 loc(#loc4)
      %28 = arith.select %27, %25, %out_10 : i64 loc(#loc4)
      linalg.yield %26, %28 : f32, i64 loc(#loc4)
    } -> (tensor<1xf32>, tensor<1xi64>) loc(#loc4)
    %expanded = tensor.expand_shape %17#0 [[0, 1]] output_shape [1, 1] : tensor<1xf32> into tensor<1x1xf32> loc(#loc4)
    %18 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%12, %expanded : tensor<1x6xf32>, tensor<1x1xf32>) outs(%9 : tensor<1x6xf32>) {
    ^bb0(%in: f32 loc("iree_onnx.torch":19:11), %in_10: f32 loc("iree_onnx.torch":20:11), %out: f32 loc("iree_onnx.torch":20:11)):
      %24 = arith.subf %in, %in_10 : f32 loc(#loc4)
      linalg.yield %24 : f32 loc(#loc4)
    } -> tensor<1x6xf32> loc(#loc4)
    %19 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%18 : tensor<1x6xf32>) outs(%9 : tensor<1x6xf32>) {
    ^bb0(%in: f32 loc("iree_onnx.torch":20:11), %out: f32 loc("iree_onnx.torch":20:11)):
      %24 = math.exp %in : f32 loc(#loc4)
      linalg.yield %24 : f32 loc(#loc4)
    } -> tensor<1x6xf32> loc(#loc4)
    %20 = tensor.empty() : tensor<1x1xf32> loc(#loc4)
    %21 = linalg.fill ins(%cst : f32) outs(%20 : tensor<1x1xf32>) -> tensor<1x1xf32> loc(#loc4)
    %22 = linalg.generic {indexing_maps = [#map1, #map4], iterator_types = ["parallel", "reduction"]} ins(%19 : tensor<1x6xf32>) outs(%21 : tensor<1x1xf32>) {
    ^bb0(%in: f32 loc("iree_onnx.torch":20:11), %out: f32 loc("iree_onnx.torch":20:11)):
      %24 = arith.addf %in, %out : f32 loc(#loc4)
      linalg.yield %24 : f32 loc(#loc4)
    } -> tensor<1x1xf32> loc(#loc4)
    %23 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%19, %22 : tensor<1x6xf32>, tensor<1x1xf32>) outs(%9 : tensor<1x6xf32>) {
    ^bb0(%in: f32 loc("iree_onnx.torch":20:11), %in_10: f32 loc("iree_onnx.torch":20:11), %out: f32 loc("iree_onnx.torch":20:11)):
      %24 = arith.divf %in, %in_10 : f32 loc(#loc4)
      linalg.yield %24 : f32 loc(#loc4)
    } -> tensor<1x6xf32> loc(#loc4)
    return %23 : tensor<1x6xf32> loc(#loc12)
  } loc(#loc1)
} loc(#loc)
#loc = loc("iree_onnx.torch":1:1)
#loc1 = loc("iree_onnx.torch":2:3)
#loc3 = loc(unknown)
#loc11 = loc("iree_onnx.torch":18:11)
#loc12 = loc("iree_onnx.torch":21:5)

