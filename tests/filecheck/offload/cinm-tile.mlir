// RUN: emu offload %s --arch occ -p 'cinm-tile{crossbars=2},cinm-to-cim{crossbars=2}' --until cinm | filecheck %s
// A chip with crossbars of 64 x 64, cores of one: 100 x 70 stand in four tiles. Sums go downwards, columns side by side.
func.func @main(%a: tensor<3x100xi8>, %b: tensor<100x70xi8>) -> tensor<3x70xi32> {
  %y = cinm.gemm(%a, %b) : (tensor<3x100xi8>, tensor<100x70xi8>) -> tensor<3x70xi32>
  return %y : tensor<3x70xi32>
}
// CHECK: %[[Y:.+]] = tensor.empty() : tensor<3x70xi32>
// CHECK: %[[A:.+]] = tensor.extract_slice %a[0, 0] [3, 64] [1, 1]
// CHECK: %[[B:.+]] = tensor.extract_slice %b[0, 0] [64, 64] [1, 1]
// CHECK: %[[P:.+]] = cinm.gemm(%[[A]], %[[B]])
// CHECK: tensor.extract_slice %b[64, 0] [36, 64] [1, 1]
// CHECK: %[[Q:.+]] = cinm.gemm
// CHECK: %[[S:.+]] = arith.addi %[[P]], %[[Q]] : tensor<3x64xi32>
// CHECK: %[[L:.+]] = tensor.insert_slice %[[S]] into %[[Y]]
// CHECK: tensor.extract_slice %b[0, 64] [64, 6] [1, 1]
// CHECK: tensor.extract_slice %b[64, 64] [36, 6] [1, 1]
// CHECK: tensor.insert_slice %{{.+}} into %[[L]]
