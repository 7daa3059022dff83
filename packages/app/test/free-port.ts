/** For a program that is to listen at the same port after a restart. */
import { createServer } from "node:net";

/** Below those that systems give to connections: between two starts one of a neighbour would take it. */
const FIRST = 15_000;
const LAST = 32_000;

export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
