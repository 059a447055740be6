// RUN: emu opt %s -t asm | filecheck %s

"builtin.module"() ({
  "pim.core"() <{coreId = 0 : i64}> ({
    %x = "pim.alloc"() <{address = 0 : i64}> : () -> memref<2x2x3xf32>
    %y = "pim.alloc"() <{address = 64 : i64}> : () -> memref<3x2x3xf32>
    "kernel.activation"(%x, %y) <{epilogue = [], segments = array<i64: 1, 1, 0, 0>, rows = array<i64: 5, 0, 2, 8, 5, 0, 2, 8>, node = "n"}> : (memref<2x2x3xf32>, memref<3x2x3xf32>) -> ()
    "pim.halt"() : () -> ()
  }) : () -> ()
}) : () -> ()
// CHECK: @ "n"
// CHECK-NEXT: lmv l[0x0070], l[0x0018], 24 ;
// CHECK-NEXT: lmv l[0x0040], l[0x0000], 24 ;
// CHECK-NEXT: @ none
