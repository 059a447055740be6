// RUN: emu offload %s --shape a=2,3 --shape b=3,4 --until linalg | filecheck %s
// Sizes that are open come from inputs: what was computed of them are numbers, what has had two sizes stays open.
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %m = tensor.dim %a, %zero : tensor<?x?xf32>
  %n = tensor.dim %b, %one : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %twice = arith.muli %m, %two : index
  %g = scf.for %i = %zero to %twice step %one iter_args(%x = %a) -> (tensor<?x?xf32>) {
    %grown = tensor.concat dim(0) %x, %a : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %grown : tensor<?x?xf32>
  }
  return %y, %g : tensor<?x?xf32>, tensor<?x?xf32>
}
// CHECK: func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> (tensor<2x4xf32>, tensor<10x3xf32>)
// CHECK-NOT: tensor.dim
// CHECK: %e = tensor.empty() : tensor<2x4xf32>
// CHECK-NEXT: %y = linalg.matmul ins(%a, %b : tensor<2x3xf32>, tensor<3x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK-NEXT: %twice = arith.constant 4 : index
// CHECK: scf.for %i = %zero to %twice step %one iter_args(%x = %{{.+}}) -> (tensor<?x3xf32>)
// CHECK: %[[G:.+]] = tensor.cast %g : tensor<?x3xf32> to tensor<10x3xf32>
// CHECK-NEXT: func.return %y, %[[G]] : tensor<2x4xf32>, tensor<10x3xf32>
