#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (0, d1)>
#map3 = affine_map<(d0, d1) -> (d0)>
#map4 = affine_map<(d0) -> ()>
#map5 = affine_map<(d0) -> (d0)>
#map6 = affine_map<(d0, d1) -> (d0, 0)>
#map7 = affine_map<(d0, d1) -> ()>
module @jit_mlp attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x12xf32>) -> (tensor<3x5xf32> {jax.result_info = "result"}) {
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_1 = arith.constant 0.000000e+00 : f32
    %cst_2 = arith.constant dense<"0x6CBF003D7F4607BDBDF2233EDFD5D63CA12109BEFD22B93D79E9A63EE673723EFE2734BE55F9A1BEEA8E1FBE6E45293C4ECD14BFEC0A60BD037A9FBEE0753BBE8F540BBE18F2A1BD3DC1D23D1471853E979E03BD46E8AE3E334A2ABE21F9B33DD249673E8589C03CF8553EBE32F66BBE0A5BEABDD57A613D2B3B81BE1F3256BDE20B23BDDB740A3E9ACF5B3D69F3B53D506127BE70B904BD9EB2483EC028BF3E0F29A1BE41C8C13EA545AC3E0604483EBA66873D7EBAA0BD6CA0BA3EBFE9FA3EF99BE63E5255A83E91FAB63D2FAA9ABEFAF391BABE0E283E07E9A4BE704DCA3D1817DC3DDB2F323E2D9197BE576529BE7174DFBD12BC95BE9BA3DE3E03E8FDBDB56EA83D9F6384BD3DAFCA3E9701A93E6623223E4E060DBF551C553C0F062F3ED081803E282F1EBEAB37E93EE203A9BEE75929BE705F6F3E7EED483C3327003F2D0B413D021922BE0150C1BDADAA8BBE068BA3BEA662213E48C7143E1AB4A53ED82D41BEAC34D83E7B2493BD3686C93E1B96DDBDA2483CBEBDC77F3DA806843EB2DF243D38E515BE16ADABBE0465B3BED3AF003ED55D7D3ED73C28BDCA8489BEB17F5F3EF3E3A3BEA18B36BE07FB1E3E500210BF3CD2C53D6AE614BE09CEDF3C67099BBC13F74E3D41B5313E852442BEBDE2B53E48E1393EDDFE573E431A953E629F493E8A15583ED3D09A3C87A0B6BE43490ABDE9FE44BE671CB6BEED53843D758C11BEA2D083BE0F8185BEF76D893DDAA3B73D4946A93E5AFA63BB015B853E6A7DB33EA138933E246117BF82459D3EACE2AD3D8FF8D83D8511BE3DBFF8C33D438AA33D7CC3B7BDC968F3BEAF0EDFBC5FC14DBECB428A3E34D993BD21F5AA3CC77F59BE27B802BE2BF53CBBC620BEBE66F3993D693CD9BCABC597BEA67C19BF6257033EEF5C98BDA2AE07BE85D271BD4982E83E1AFC4BBC7165B13C6758BEBE02DCD23E7EE06A3E5291883E7B44433CE3A96A3EBEECBD3DF6F91C3E79D81BBD5CA8BCBE80B1833EC2ACF7BEF5B175BD586E51BD717C85BEA3F51C3E3B234DBD35ADDFBD5914053E2B02F4BD19CAB13EEBF1B33DC6DBF2BDADDDF8BE7564A7BE"> : tensor<12x16xf32>
    %cst_3 = arith.constant dense<[0.271707684, -0.012651016, -0.0707812682, 0.410812914, -0.32066232, -0.146414444, -0.118146919, 0.146584317, -0.165883794, -0.153354466, -0.401287347, 0.182337344, 0.201534837, -0.119094186, 0.0408349857, -0.323161542]> : tensor<16xf32>
    %cst_4 = arith.constant dense<[[-0.117953286, 0.344487727, 0.0339326821, 0.577590883, -0.19679819], [0.145071104, -0.0488764569, 0.141454458, -0.00180283992, -0.140299529], [-0.216904193, 0.766509175, -0.0193362646, -0.504165173, -0.162150145], [0.169509932, -0.125002101, 0.340111554, 0.250599563, -0.0380846597], [-0.118053988, -0.251200259, -0.174991637, -0.368285775, 0.301099062], [0.397675186, -0.314034522, -0.295420736, -0.442127973, -0.240963563], [-0.776584208, -0.285569727, 0.324228853, -0.0864181295, 0.213646054], [-0.122242264, 0.440166831, 0.0498044975, -0.0955005735, 6.381060e-01], [-0.0811179652, -0.305305839, 5.047750e-02, -0.00970875937, 0.266581148], [-0.230408475, 0.201179236, 0.213187113, -0.166921824, 0.0408110023], [-0.207687989, 5.864520e-01, -0.176034898, -0.113268614, -0.266459495], [-0.0865303203, -0.00146900665, 0.191947281, -0.152621657, -0.0464434884], [-0.354122341, -0.206850559, 0.688951909, 0.260310799, -0.195356011], [-0.334349304, -0.24389571, -0.0054227151, 0.00868194736, -0.186090156], [-0.321643621, 0.355594635, 0.112921365, -0.0936420038, -0.055165302], [-0.132382616, -0.734011352, 0.0289154574, -0.267636091, -0.250671089]]> : tensor<16x5xf32>
    %0 = tensor.empty() : tensor<3x16xf32>
    %1 = linalg.fill ins(%cst_1 : f32) outs(%0 : tensor<3x16xf32>) -> tensor<3x16xf32>
    %2 = linalg.matmul ins(%arg0, %cst_2 : tensor<3x12xf32>, tensor<12x16xf32>) outs(%1 : tensor<3x16xf32>) -> tensor<3x16xf32>
    %3 = tensor.empty() : tensor<1x16xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_3 : tensor<16xf32>) outs(%3 : tensor<1x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x16xf32>
    %5 = tensor.empty() : tensor<3x16xf32>
    %6 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<1x16xf32>) outs(%5 : tensor<3x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x16xf32>
    %7 = tensor.empty() : tensor<3x16xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%2, %6 : tensor<3x16xf32>, tensor<3x16xf32>) outs(%7 : tensor<3x16xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %37 = arith.addf %in, %in_5 : f32
      linalg.yield %37 : f32
    } -> tensor<3x16xf32>
    %9 = call @relu(%8) : (tensor<3x16xf32>) -> tensor<3x16xf32>
    %10 = tensor.empty() : tensor<3x5xf32>
    %11 = linalg.fill ins(%cst_1 : f32) outs(%10 : tensor<3x5xf32>) -> tensor<3x5xf32>
    %12 = linalg.matmul ins(%9, %cst_4 : tensor<3x16xf32>, tensor<16x5xf32>) outs(%11 : tensor<3x5xf32>) -> tensor<3x5xf32>
    %13 = tensor.empty() : tensor<3xf32>
    %14 = linalg.fill ins(%cst : f32) outs(%13 : tensor<3xf32>) -> tensor<3xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "reduction"]} ins(%12 : tensor<3x5xf32>) outs(%14 : tensor<3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %37 = arith.maximumf %out, %in : f32
      linalg.yield %37 : f32
    } -> tensor<3xf32>
    %16 = tensor.empty() : tensor<3xf32>
    %17 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel"]} ins(%cst_0 : tensor<f32>) outs(%16 : tensor<3xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3xf32>
    %18 = tensor.empty() : tensor<3xf32>
    %19 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel"]} ins(%17, %15 : tensor<3xf32>, tensor<3xf32>) outs(%18 : tensor<3xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %37 = arith.maximumf %in, %in_5 : f32
      linalg.yield %37 : f32
    } -> tensor<3xf32>
    %20 = tensor.empty() : tensor<3x1xf32>
    %21 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%19 : tensor<3xf32>) outs(%20 : tensor<3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x1xf32>
    %22 = tensor.empty() : tensor<3x5xf32>
    %23 = linalg.generic {indexing_maps = [#map6, #map1], iterator_types = ["parallel", "parallel"]} ins(%21 : tensor<3x1xf32>) outs(%22 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x5xf32>
    %24 = tensor.empty() : tensor<3x5xf32>
    %25 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%12, %23 : tensor<3x5xf32>, tensor<3x5xf32>) outs(%24 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %37 = arith.subf %in, %in_5 : f32
      linalg.yield %37 : f32
    } -> tensor<3x5xf32>
    %26 = tensor.empty() : tensor<3x5xf32>
    %27 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%25 : tensor<3x5xf32>) outs(%26 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %37 = math.exp %in : f32
      linalg.yield %37 : f32
    } -> tensor<3x5xf32>
    %28 = tensor.empty() : tensor<3xf32>
    %29 = linalg.fill ins(%cst_1 : f32) outs(%28 : tensor<3xf32>) -> tensor<3xf32>
    %30 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "reduction"]} ins(%27 : tensor<3x5xf32>) outs(%29 : tensor<3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %37 = arith.addf %out, %in : f32
      linalg.yield %37 : f32
    } -> tensor<3xf32>
    %31 = tensor.empty() : tensor<3x1xf32>
    %32 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%30 : tensor<3xf32>) outs(%31 : tensor<3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x1xf32>
    %33 = tensor.empty() : tensor<3x5xf32>
    %34 = linalg.generic {indexing_maps = [#map6, #map1], iterator_types = ["parallel", "parallel"]} ins(%32 : tensor<3x1xf32>) outs(%33 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x5xf32>
    %35 = tensor.empty() : tensor<3x5xf32>
    %36 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%27, %34 : tensor<3x5xf32>, tensor<3x5xf32>) outs(%35 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %37 = arith.divf %in, %in_5 : f32
      linalg.yield %37 : f32
    } -> tensor<3x5xf32>
    return %36 : tensor<3x5xf32>
  }
  func.func private @relu(%arg0: tensor<3x16xf32>) -> tensor<3x16xf32> {
    %cst = arith.constant dense<0.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<3x16xf32>
    %1 = linalg.generic {indexing_maps = [#map7, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst : tensor<f32>) outs(%0 : tensor<3x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x16xf32>
    %2 = tensor.empty() : tensor<3x16xf32>
    %3 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0, %1 : tensor<3x16xf32>, tensor<3x16xf32>) outs(%2 : tensor<3x16xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %4 = arith.maximumf %in, %in_0 : f32
      linalg.yield %4 : f32
    } -> tensor<3x16xf32>
    return %3 : tensor<3x16xf32>
  }
}

