// RUN: emu opt %s -t asm | filecheck %s

"builtin.module"() ({
  "pim.core"() <{coreId = 0 : i64}> ({
    %x = "pim.alloc"() <{address = 64 : i64}> : () -> memref<2x2x3xf32>
    "kernel.activation"(%x, %x) <{epilogue = [{fn = "leaky_relu", args = [0.5]}, {fn = "tanh", args = []}], segments = array<i64: 1, 1, 0, 0>, node = "n"}> : (memref<2x2x3xf32>, memref<2x2x3xf32>) -> ()
    "pim.halt"() : () -> ()
  }) : () -> ()
}) : () -> ()
// CHECK: @ "n"
// CHECK-NEXT: vlrelu.f32 l[0x0040], l[0x0040], 12, 0.5 ;
// CHECK-NEXT: vtanh.f32 l[0x0040], l[0x0040], 12 ;
// CHECK-NEXT: @ none
