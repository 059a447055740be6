// A product of two matrices of 8 bits, in sizes that are no multiples of a crossbar's.
func.func @main(%a: tensor<200x130xi8>, %b: tensor<130x70xi8>) -> tensor<200x70xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<200x70xi32>
  %start = linalg.fill ins(%zero : i32) outs(%empty : tensor<200x70xi32>) -> tensor<200x70xi32>
  %product = linalg.matmul ins(%a, %b : tensor<200x130xi8>, tensor<130x70xi8>)
    outs(%start : tensor<200x70xi32>) -> tensor<200x70xi32>
  return %product : tensor<200x70xi32>
}
