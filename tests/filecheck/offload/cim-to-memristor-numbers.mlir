// RUN: emu offload %s --until memristor | filecheck %s
// A number is free behind its release, or where the block ends; crossbars that go around a loop are numbers there, too.
func.func private @use(%x: !cim.crossbar<tensor<2x2xf32>, f32>, %a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %z = cim.acquire : !cim.crossbar<tensor<2x2xf32>, f32>
  cim.write(%z, %a) : !cim.crossbar<tensor<2x2xf32>, f32>, tensor<2x2xf32>
  %f = cim.gemm(%x, %a) : (!cim.crossbar<tensor<2x2xf32>, f32>, tensor<2x2xf32>) -> !cim.future<tensor<2x2xf32>>
  %v = cim.barrier(%f) : (!cim.future<tensor<2x2xf32>>) -> tensor<2x2xf32>
  return %v : tensor<2x2xf32>
}
func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %x = cim.acquire : !cim.crossbar<tensor<2x2xf32>, f32>
  %y = cim.acquire : !cim.crossbar<tensor<2x2xf32>, f32>
  cim.write(%x, %a) : !cim.crossbar<tensor<2x2xf32>, f32>, tensor<2x2xf32>
  cim.write(%y, %a) : !cim.crossbar<tensor<2x2xf32>, f32>, tensor<2x2xf32>
  cim.release(%x) : !cim.crossbar<tensor<2x2xf32>, f32>
  %p = cim.acquire : !cim.crossbar<tensor<2x2xf32>, f32>
  cim.write(%p, %a) : !cim.crossbar<tensor<2x2xf32>, f32>, tensor<2x2xf32>
  %l, %m = scf.for %i = %c0 to %c9 step %c1 iter_args(%q = %p, %r = %y) -> (!cim.crossbar<tensor<2x2xf32>, f32>, !cim.crossbar<tensor<2x2xf32>, f32>) {
    %t = cim.acquire : !cim.crossbar<tensor<2x2xf32>, f32>
    cim.write(%t, %a) : !cim.crossbar<tensor<2x2xf32>, f32>, tensor<2x2xf32>
    scf.yield %r, %q : !cim.crossbar<tensor<2x2xf32>, f32>, !cim.crossbar<tensor<2x2xf32>, f32>
  }
  %v = func.call @use(%l, %a) : (!cim.crossbar<tensor<2x2xf32>, f32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %v : tensor<2x2xf32>
}
// CHECK: func.func private @use(%[[Z:.+]]: i32, %{{.+}}: tensor<2x2xf32>) -> tensor<2x2xf32>
// CHECK-NEXT: arith.constant 0 : i32
// CHECK: memristor.gemm(%[[Z]],
// CHECK: func.func @main
// CHECK: %[[X:.+]] = arith.constant 1 : i32
// CHECK-NEXT: %[[Y:.+]] = arith.constant 2 : i32
// CHECK: memristor.release(%[[X]])
// CHECK-NEXT: %[[P:.+]] = arith.constant 1 : i32
// CHECK: %[[L:.+]], %{{.+}} = scf.for %{{.+}} iter_args(%[[Q:.+]] = %[[P]], %[[R:.+]] = %[[Y]]) -> (i32, i32)
// CHECK-NEXT: arith.constant 3 : i32
// CHECK: scf.yield %[[R]], %[[Q]] : i32, i32
// CHECK: func.call @use(%[[L]], %a) : (i32, tensor<2x2xf32>) -> tensor<2x2xf32>
