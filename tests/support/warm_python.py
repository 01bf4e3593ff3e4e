"""warm_python.py CLIENT [MODULE ...]: an interpreter that has imported the modules and forks for each call of CLIENT, which it writes: a
program that takes python3's place ($CARDIAC_PYTHON) and a tenth of the time that a start with numpy and h5py takes. A script has the
arguments, environment, folder, files 0 to 2 and signals of its call, and the call the script's status; limits (ulimit) are not handed on,
and a stop (SIGSTOP) stops the call alone."""
import atexit
import ctypes
import gc
import importlib
import marshal
import os
import runpy
import select
import signal
import socket
import sys
import traceback

CLIENT = """#!%s -IS
import _signal, _socket, marshal, os, sys
server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
server.connect(sys.argv[0] + ".socket")
call = marshal.dumps(([os.fsencode(word) for word in sys.argv[1:]], dict(os.environb), os.getcwdb()))
files = b"".join(k.to_bytes(4, sys.byteorder) for k in range(3))
server.sendmsg([len(call).to_bytes(8, "little")], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, files)])
server.sendall(call)
for name in "SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2":
    if _signal.getsignal(getattr(_signal, name)) != _signal.SIG_IGN:
        _signal.signal(getattr(_signal, name), lambda number, _: server.send(bytes([number])))
said = server.recv(4)
status = int.from_bytes(said, "little", signed=True) if said else 70  # its interpreter has failed
if status < 0:
    if -status != _signal.SIGKILL:
        _signal.signal(-status, _signal.SIG_DFL)
    os.kill(os.getpid(), -status)
os._exit(status)
"""


def end(call, *arguments):
    """The process, as Python does, but without taking apart all that was imported, which would copy it"""
    status = 0
    try:
        call(*arguments)
    except SystemExit as asked:
        status = asked.code or 0
        if not isinstance(status, int):
            print(status, file=sys.stderr)
            status = 1
    except BaseException:
        traceback.print_exc()
        status = 1
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def become(files, arguments, environment, folder):
    """This process as the script of a call"""
    for own, file in enumerate(files):
        os.dup2(file, own)
        os.close(file)
    os.chdir(folder)
    os.environb.clear()
    os.environb.update(environment)
    sys.argv = [os.fsdecode(word) for word in arguments]
    sys.path[:1] = [os.path.dirname(sys.argv[0]), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    runpy.run_path(sys.argv[0], run_name="__main__")


def attend(connection):
    """Forks the script of a call, hands it the call's signals, and the call its status; where the call is gone, kills it."""
    size, files, _, _ = socket.recv_fds(connection, 8, 3)
    call = marshal.loads(connection.recv(int.from_bytes(size, "little"), socket.MSG_WAITALL))  # no more: signals follow
    script = os.fork()
    if script == 0:
        connection.close()
        end(become, files, *call)
    for file in files:
        os.close(file)
    ended = os.pidfd_open(script)
    while ended not in select.select([ended, connection], [], [])[0]:
        number = connection.recv(1)
        os.kill(script, number[0] if number else signal.SIGKILL)
        if not number:
            os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(script, 0)[1])
    connection.sendall(status.to_bytes(4, "little", signed=True))
    os._exit(0)


def serve(client, modules):
    """Until its parent ends"""
    parent = os.getppid()
    ctypes.CDLL(None).prctl(1, int(signal.SIGTERM))  # PR_SET_PDEATHSIG
    for name in modules:
        importlib.import_module(name)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(client + ".socket")
    listener.listen(64)
    with open(client + ".new", "w", encoding="utf-8") as file:
        file.write(CLIENT % os.path.realpath(sys.executable))
    os.chmod(client + ".new", 0o700)
    os.rename(client + ".new", client)
    gc.freeze()
    attending = 0
    while os.getppid() == parent:
        connection, _ = listener.accept()
        attending += 1
        if os.fork() == 0:
            listener.close()
            attend(connection)
        connection.close()
        while attending and os.waitpid(-1, os.WNOHANG)[0]:
            attending -= 1


if __name__ == "__main__":
    serve(os.path.abspath(sys.argv[1]), sys.argv[2:])
