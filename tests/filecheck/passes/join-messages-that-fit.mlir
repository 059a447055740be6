// RUN: emu opt %s -p join-messages --arch tiny | filecheck %s

"builtin.module"() ({
  "pim.core"() <{coreId = 0 : i64}> ({
    %a = "pim.alloc"() : () -> memref<64x64x2xf32>
    %b = "pim.alloc"() : () -> memref<64x64x2xf32>
    "pim.load"(%a) <{node = "n", address = 0 : i64}> : (memref<64x64x2xf32>) -> ()
    "pim.load"(%b) <{node = "n", address = 0 : i64}> : (memref<64x64x2xf32>) -> ()
    "pim.send"(%a) <{node = "n", peer = 1 : i64, message = 0 : i64}> : (memref<64x64x2xf32>) -> ()
    "pim.send"(%b) <{node = "n", peer = 1 : i64, message = 1 : i64}> : (memref<64x64x2xf32>) -> ()
    "pim.halt"() : () -> ()
  }) : () -> ()
  "pim.core"() <{coreId = 1 : i64}> ({
    %a = "pim.alloc"() : () -> memref<64x64x2xf32>
    %b = "pim.alloc"() : () -> memref<64x64x2xf32>
    %c = "pim.alloc"() : () -> memref<64x1x2xf32>
    "pim.receive"(%a) <{node = "n", peer = 0 : i64, message = 0 : i64}> : (memref<64x64x2xf32>) -> ()
    "pim.receive"(%b) <{node = "n", peer = 0 : i64, message = 1 : i64}> : (memref<64x64x2xf32>) -> ()
    "pim.load"(%c) <{node = "n", address = 0 : i64}> : (memref<64x1x2xf32>) -> ()
    "pim.store"(%a) <{node = "n", address = 0 : i64}> : (memref<64x64x2xf32>) -> ()
    "pim.store"(%b) <{node = "n", address = 0 : i64}> : (memref<64x64x2xf32>) -> ()
    "pim.store"(%c) <{node = "n", address = 0 : i64}> : (memref<64x1x2xf32>) -> ()
    "pim.halt"() : () -> ()
  }) : () -> ()
}) : () -> ()
// Core 1 has no room for its buffers, however they are placed: its messages, and so those of its peer, stay apart.
// CHECK: pim.send(%{{[a-z0-9_]+}}) {{.+}}message = 0
// CHECK-NEXT: pim.send(%{{[a-z0-9_]+}}) {{.+}}message = 1
// CHECK: pim.receive(%{{[a-z0-9_]+}}) {{.+}}message = 0
// CHECK-NEXT: pim.receive(%{{[a-z0-9_]+}}) {{.+}}message = 1
