// RUN: emu opt %s -p join-messages --arch tiny | filecheck %s

"builtin.module"() ({
  "pim.core"() <{coreId = 0 : i64}> ({
    %a = "pim.alloc"() : () -> memref<2x1x4xf32>
    %b = "pim.alloc"() : () -> memref<1x1x4xf32>
    %k = "pim.alloc"() : () -> memref<1x1x4xi32>
    "pim.send"(%a) <{node = "n", peer = 1 : i64, message = 0 : i64, rows = array<i64: 0, 0, 1, 2>}> : (memref<2x1x4xf32>) -> ()
    "pim.send"(%b) <{node = "n", peer = 1 : i64, message = 1 : i64}> : (memref<1x1x4xf32>) -> ()
    "pim.send"(%k) <{node = "n", peer = 1 : i64, message = 2 : i64}> : (memref<1x1x4xi32>) -> ()
    "pim.loop"() <{trips = 2 : i64}> ({
      "pim.send"(%b) <{node = "n", peer = 1 : i64, message = 3 : i64}> : (memref<1x1x4xf32>) -> ()
      "pim.send"(%b) <{node = "n", peer = 1 : i64, message = 4 : i64}> : (memref<1x1x4xf32>) -> ()
    }) : () -> ()
    "pim.halt"() : () -> ()
  }) : () -> ()
  "pim.core"() <{coreId = 1 : i64}> ({
    %a = "pim.alloc"() : () -> memref<2x1x4xf32>
    %b = "pim.alloc"() : () -> memref<1x1x4xf32>
    %k = "pim.alloc"() : () -> memref<1x1x4xi32>
    "pim.receive"(%a) <{node = "n", peer = 0 : i64, message = 0 : i64, rows = array<i64: 0, 0, 1, 2>}> : (memref<2x1x4xf32>) -> ()
    "pim.receive"(%b) <{node = "n", peer = 0 : i64, message = 1 : i64}> : (memref<1x1x4xf32>) -> ()
    "pim.receive"(%k) <{node = "n", peer = 0 : i64, message = 2 : i64}> : (memref<1x1x4xi32>) -> ()
    "pim.loop"() <{trips = 2 : i64}> ({
      "pim.receive"(%b) <{node = "n", peer = 0 : i64, message = 3 : i64}> : (memref<1x1x4xf32>) -> ()
      "pim.receive"(%b) <{node = "n", peer = 0 : i64, message = 4 : i64}> : (memref<1x1x4xf32>) -> ()
    }) : () -> ()
    "pim.halt"() : () -> ()
  }) : () -> ()
}) : () -> ()
// Some rows of a buffer, elements of another type, and messages in a loop stay by themselves.
// CHECK: pim.send(%{{[a-z0-9_]+}}) {{.+}}message = 0
// CHECK-NEXT: pim.send(%{{[a-z0-9_]+}}) {{.+}}message = 1
// CHECK-NEXT: pim.send(%{{[a-z0-9_]+}}) {{.+}}message = 2
// CHECK-NEXT: pim.loop
// CHECK-NEXT: pim.send(%{{[a-z0-9_]+}}) {{.+}}message = 3
// CHECK-NEXT: pim.send(%{{[a-z0-9_]+}}) {{.+}}message = 4
