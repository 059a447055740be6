// RUN: emu opt %s -t asm | filecheck %s
// WEIGHTS: r = "2x2"
// WEIGHTS: b = [1, 2]

// Two steps of time of three samples: the state is zero before the first one, then stays in its buffer.
builtin.module {
  pim.core 0 {
    %b = pim.constant {key = "b", address = 0} : memref<1x1x2xf32>
    %x = pim.alloc {address = 64} : memref<2x3x2xf32>
    %y = pim.alloc {address = 128} : memref<2x3x2xf32>
    %h = pim.alloc {address = 192} : memref<1x3x2xf32>
    %z = pim.alloc {address = 256} : memref<1x1x2xf32>
    kernel.recurrent ins(%x) outs(%y) scratch(%h, %z) constants(%b) {node = "n", cell = "rnn", bodies = [[{fn = "tanh", type = f32, args = array<i64: 0>}]], makes = ["y"], weights = "r", bias = "b", crossbar = [4, 4], reverse = 0, direction = 0, given = []} : memref<2x3x2xf32>, memref<2x3x2xf32>, memref<1x3x2xf32>, memref<1x1x2xf32>, memref<1x1x2xf32>
    pim.halt
  }
}
// CHECK: group 0 f32.f32.f32 rows 2 cols 2
// CHECK: @ "n"
// CHECK-NEXT: lldi l[0x00c0], 0, 24 ;
// CHECK-NEXT: loop i0 2 { ;
// CHECK-NEXT: loop i1 3 { ;
// CHECK-NEXT: vvadd.f32 l[0x0100], l[0x0040 + 24*i0 + 8*i1], l[0x0000], 2 ;
// CHECK-NEXT: mvmul.f32.f32 l[0x0100], l[0x00c0 + 8*i1], group 0 acc ;
// CHECK-NEXT: vtanh.f32 l[0x00c0 + 8*i1], l[0x0100], 2 ;
// CHECK-NEXT: lmv l[0x0080 + 24*i0 + 8*i1], l[0x00c0 + 8*i1], 8 ;
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: @ none
