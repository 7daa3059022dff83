/** JSON lines over a socket, in both directions. */
import type { Duplex } from "node:stream";

/** @param line What one line holds; called in order. @param broken For what is no JSON: whoever sends that is no margay. */
export function readLines(
  socket: Duplex,
  line: (value: unknown) => void,
  broken: () => void,
): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder();
  let rest = "";
  const take = (bytes: Uint8Array): void => {
    const pieces = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = pieces.pop() ?? "";
    for (const piece of pieces) {
      let value: unknown;
      try {
        value = JSON.parse(piece);
      } catch {
        return broken();
      }
      line(value);
    }
  };
  socket.on("data", take);
  return take;
}

export function writeLine(socket: Duplex, value: object): void {
  if (!socket.destroyed && socket.writable) socket.write(`${JSON.stringify(value)}\n`);
}
