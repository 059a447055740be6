"""Child processes that compute for the launcher: a channel, a client and a server.

The launcher asks by the name of a function and its arguments; the child answers with what the function returned, with a
reason why it cannot (`Refusal`), or with the traceback of a bug. Messages are msgpack with lengths that are checked,
sending and receiving share a deadline, and nothing is ever unpickled.

A new kind of child process is three files:

* its worker: a module that ends with `serve({"name": function})` (`serving.py`); functions take and return plain values
  and arrays by keyword;
* its caller: a class derived from `Worker` (`worker.py`) that starts this module, calls `name`, and makes errors of its
  own of what failed (`Worker.failure`);
* its test. What all workers do is tested once, in tests/launch/workers.
"""
