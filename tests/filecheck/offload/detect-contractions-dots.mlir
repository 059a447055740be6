// RUN: emu offload %s -p 'linalg-generalize,detect-contractions{dots},ttgt,linalg-to-cinm' --until cinm | filecheck %s
// A product of two vectors is one row times one column; without `dots` it stays on the host.
func.func @main(%a: tensor<7xf32>, %b: tensor<7xf32>, %c: tensor<f32>) -> tensor<f32> {
  %y = linalg.dot ins(%a, %b : tensor<7xf32>, tensor<7xf32>) outs(%c : tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
// CHECK: %[[P:.+]] = cinm.gemv(%{{.+}}, %{{[ab]}}) : (tensor<1x7xf32>, tensor<7xf32>) -> tensor<1xf32>
// CHECK: %[[S:.+]] = arith.addf
// CHECK: %[[E:.+]] = tensor.extract %[[S]][
// CHECK: %[[Y:.+]] = tensor.from_elements %[[E]] : tensor<f32>
// CHECK: return %[[Y]]
