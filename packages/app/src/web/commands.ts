/** Commands over the socket: each has an id, and its answer comes with it. */
import { offline } from "./api.ts";
import { randomId } from "./lib/ids.ts";

const COMMAND_MS = 30_000;

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export interface Commands {
  /** Those without an answer yet, by id. */
  readonly waiting: Map<string, Waiting>;
  socket: WebSocket | undefined;
}

/** @throws ApiProblem, also when the line is down, or no answer comes in time. */
export function command<Result>(
  { socket, waiting }: Commands,
  type: string,
  fields: Readonly<Record<string, unknown>>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    if (socket?.readyState !== WebSocket.OPEN) return reject(offline());
    const id = randomId("c");
    const timeout = setTimeout(() => {
      waiting.delete(id);
      reject(offline());
    }, COMMAND_MS);
    const settle = (): void => clearTimeout(timeout);
    waiting.set(id, {
      resolve: (result) => {
        settle();
        resolve(result as Result); // what this command answers
      },
      reject: (error) => {
        settle();
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    });
    socket.send(JSON.stringify({ ...fields, id, type }));
  });
}
