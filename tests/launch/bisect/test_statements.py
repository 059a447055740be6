"""Statements say exactly which bytes they may write, and a core that runs alone does what it did among the others."""

from itertools import pairwise

import numpy as np

from launch.bisect.scene import Scene


def test_no_statement_changes_a_byte_that_it_does_not_name(scene: Scene) -> None:
    for core in scene.programs:
        statements, memory = scene.statements(core), scene.replay(core)
        indices = statements.indices
        for index, following in pairwise(indices):
            before, after = memory.before(index), memory.before(following)
            assert before is not None and after is not None
            assert not (before != after)[~statements.statement(index).writes].any()


def test_a_core_alone_holds_the_buffers_that_it_held_in_the_run(scene: Scene) -> None:
    seen = 0
    for (core, number), content in scene.recording.captures.items():
        buffer = scene.programs[core].buffers[number]
        memory = scene.replay(core).before(buffer.complete)
        if memory is not None:
            seen += 1
            assert memory[buffer.address : buffer.address + buffer.nbytes].tobytes() == content
    assert seen == len(scene.recording.captures) > 0


def test_messages_match_in_order(scene: Scene) -> None:
    for (src, dst), messages in scene.recording.messages.items():
        for message in messages:
            assert (message.src, message.dst) == (src, dst)
            assert message.received is not None
            region = scene.statements(dst).hull(message.received[1], written=True)
            assert region is not None and region[1] - region[0] == len(message.data)


def test_golden_tensors_are_recognised_where_cores_hold_them(scene: Scene) -> None:
    for (core, number), content in scene.recording.captures.items():
        found = scene.knowledge.find(np.frombuffer(content, np.uint8))
        assert found is not None and found.name == scene.programs[core].buffers[number].tensor


def test_names_of_the_source_map_lead_to_nodes(scene: Scene) -> None:
    network = scene.network
    assert network.owner("node_Conv_36/sums") == "node_Conv_36"
    assert network.owner("nobody/part") == "nobody/part"
    assert network.fused_with("node_relu") == ["node_Conv_36", "node_relu"]
    assert network.inputs_of("relu_1", ["relu", "max_pool2d"]) == ["max_pool2d"]
    assert network.shown("_unsafe_view") == "max_pool2d_1"
