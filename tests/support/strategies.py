"""Strategies of scheduling, right ones and wrong ones, as users write them."""

from compiler.offload.schedule import Schedule


class OneByOne:
    """Each product is awaited before the next one is dispatched."""

    def schedule(self, graph, resources):
        order = [number for number in graph.order() if number < graph.products]
        dispatch = {number: 2 * place for place, number in enumerate(order)}
        times = [dispatch[number] for number in range(graph.products)]
        return Schedule(times, [time + 1 for time in times])


class Overlapping:
    """Dispatches what is ready when there is room, and awaits one, the oldest, when there is none, or nothing to do."""

    def schedule(self, graph, resources):
        users, left = graph.users(), [len(each) for each in graph.needs]
        ready = [number for number, count in enumerate(left) if not count]
        dispatch, wait, now, room, under_way = {}, {}, 0, resources.room(), []

        def done(number):
            for user in users[number]:
                left[user] -= 1
                if not left[user]:
                    ready.append(user) if user < graph.products else done(user)

        while ready or under_way:
            now += 1
            if ready and room.take(ready[0]):
                dispatch[ready[0]] = now
                under_way.append(ready.pop(0))
            else:
                number = under_way.pop(0)
                wait[number] = now
                room.give_back(number)
                done(number)
        numbers = range(graph.products)
        return Schedule([dispatch[number] for number in numbers], [wait[number] for number in numbers])


class TooSoon(OneByOne):
    """Dispatches a product before what it needs is awaited."""

    def schedule(self, graph, resources):
        made = super().schedule(graph, resources)
        return Schedule([0] * graph.products, made.wait)


class TooMany:
    """Dispatches all at once, whatever there is."""

    def schedule(self, graph, resources):
        return Schedule([0] * graph.products, [1] * graph.products)


class NeverAwaited(OneByOne):
    """Awaits a product when it is dispatched."""

    def schedule(self, graph, resources):
        made = super().schedule(graph, resources)
        return Schedule(made.dispatch, made.dispatch)


class TooFew:
    """Has no time for some."""

    def schedule(self, graph, resources):
        return Schedule([0], [1])


class NoNumbers:
    """Answers with something else."""

    def schedule(self, graph, resources):
        return Schedule(["soon"] * graph.products, ["late"] * graph.products)


class Nothing:
    """Answers with nothing."""

    def schedule(self, graph, resources):
        return None


class Raising:
    """Does not work."""

    def schedule(self, graph, resources):
        raise RuntimeError("no idea")


class NoMethod:
    """Is no strategy."""


class Unmakeable:
    """Wants more than it gets."""

    def __init__(self, more):
        pass
