// The network between a browser and a gateway: a relay on this machine that can be cut and mended.
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface Network {
  readonly port: number;
  /** Where connections lead from now on. */
  leadTo(port: number): void;
  /** `reset`: what is open breaks and nothing new gets through. `silent`: nothing breaks, no byte arrives. */
  cut(how: "reset" | "silent"): void;
  /** What was held back while it was silent arrives late. */
  mend(): void;
}

export async function openNetwork(t: { onTestFinished(clean: () => Promise<void>): void }): Promise<Network> {
  const sockets = new Set<Socket>();
  const waiting: (() => void)[] = [];
  let target = 0;
  let state: "whole" | "reset" | "silent" = "whole";
  const join = (from: Socket): void => {
    const to = connect(target, "127.0.0.1");
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(one);
      one.on("data", (bytes) => {
        if (state === "silent") waiting.push(() => void other.write(bytes));
        else other.write(bytes);
      });
      one.on("error", () => {}); // it is cut on purpose
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  };
  const server = createServer((from) => {
    from.on("error", () => {});
    if (state === "reset") from.resetAndDestroy();
    else if (state === "silent") waiting.push(() => join(from));
    else join(from);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  t.onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  return {
    port: (server.address() as AddressInfo).port, // a TCP server, not a pipe
    leadTo: (port) => {
      target = port;
    },
    cut: (how) => {
      state = how;
      if (how === "reset") for (const socket of sockets) socket.resetAndDestroy();
    },
    mend: () => {
      state = "whole";
      for (const late of waiting.splice(0)) late();
    },
  };
}
