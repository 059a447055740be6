// RUN: emu offload %s --until calls | filecheck %s
// Functions by name and element type, of any sizes and strides, each declared once.
func.func @main(%b: memref<5x4xi16>, %a: memref<6x5xi16>, %v: memref<5xi16>, %n: memref<2x3xi8>, %m: memref<1x2xi8>, %c: memref<6x4xi16>, %w: memref<4xi16>, %o: memref<1x3xi32>) {
  %x = arith.constant 7 : i32
  memristor.write_to_crossbar(%x, %b) : i32, memref<5x4xi16>
  memristor.gemm(%x, %a, %c) : i32, memref<6x5xi16>, memref<6x4xi16>
  memristor.gevm(%x, %v, %w) : i32, memref<5xi16>, memref<4xi16>
  memristor.barrier(%x) : i32
  memristor.write_to_crossbar(%x, %n) {sums = i32} : i32, memref<2x3xi8>
  memristor.gemm(%x, %m, %o) : i32, memref<1x2xi8>, memref<1x3xi32>
  memristor.barrier(%x) : i32
  memristor.release(%x) : i32
  return
}
// CHECK: %[[X:.+]] = arith.constant 7 : i32
// CHECK-NEXT: %[[B:.+]] = memref.cast %b : memref<5x4xi16> to memref<?x?xi16, strided<[?, ?], offset: ?>>
// CHECK-NEXT: func.call @memristor_write_to_crossbar_i16(%[[X]], %[[B]])
// CHECK: func.call @memristor_gemm_i16(%[[X]], %{{.+}}, %{{.+}}) : (i32, memref<?x?xi16, strided<[?, ?], offset: ?>>, memref<?x?xi16, strided<[?, ?], offset: ?>>) -> ()
// CHECK: func.call @memristor_gevm_i16(%[[X]], %{{.+}}, %{{.+}}) : (i32, memref<?xi16, strided<[?], offset: ?>>, memref<?xi16, strided<[?], offset: ?>>) -> ()
// CHECK: func.call @memristor_barrier(%[[X]]) : (i32) -> ()
// CHECK: func.call @memristor_write_to_crossbar_i8_i32(%[[X]], %{{.+}}) : (i32, memref<?x?xi8, strided<[?, ?], offset: ?>>) -> ()
// CHECK: func.call @memristor_gemm_i8_i32(
// CHECK: func.call @memristor_barrier
// CHECK: func.call @memristor_release(%[[X]]) : (i32) -> ()
// CHECK: func.func private @memristor_write_to_crossbar_i16(i32, memref<?x?xi16, strided<[?, ?], offset: ?>>) -> ()
// CHECK: func.func private @memristor_barrier(i32) -> ()
// CHECK-NOT: func.func private @memristor_barrier
