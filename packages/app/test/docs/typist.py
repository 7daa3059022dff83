"""Runs a script in a terminal and types as a person would: typist.py SCRIPT [WAIT KEYS]...

KEYS is a line, `^C` and the like, or `opens it`: the address that is shown, in a browser. Ends as the script ends; with 90 when it ended before all was asked.
"""
import fcntl, os, pty, re, struct, sys, termios, urllib.request

script, said = sys.argv[1], sys.argv[2:]
pairs = list(zip(said[::2], said[1::2]))
pid, terminal = pty.fork()
if pid == 0:
    os.execvp("bash", ["bash", script])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 200, 0, 0))
heard = ""
while True:
    try:
        part = os.read(terminal, 65536)
    except OSError:
        break  # the other end is closed: it has ended
    if not part:
        break
    sys.stdout.buffer.write(part)
    sys.stdout.buffer.flush()
    heard += part.decode(errors="replace")
    wait, keys = pairs[0] if pairs else (" ", "")
    address = re.search(r"(https?://\S+)\s", heard.split(wait)[-1]) if keys == "opens it" else None
    if not pairs or wait not in heard or (keys == "opens it" and address is None):
        continue
    pairs.pop(0)
    heard = ""
    if address is not None:
        urllib.request.urlopen(address[1]).read()
    else:
        os.write(terminal, bytes([ord(keys[1]) & 31]) if keys.startswith("^") else f"{keys}\r".encode())
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
sys.exit(90 if code == 0 and pairs else code if code >= 0 else 128 - code)
