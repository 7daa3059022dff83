/**
 * The control door: the process that holds the lock serves its routes, its sockets and its conversations to commands and
 * terminals of the same owner. Opening it costs a socket; what is served is loaded when somebody asks.
 */
import { once } from "node:events";
import { chmodSync } from "node:fs";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { isMainThread } from "node:worker_threads";
import { messageOf } from "@margay/core/internal";
import type { App } from "../../app.ts";
import { makeSocketPlace } from "./socket-path.ts";
import type { DoorOptions } from "./routes.ts";
import { TERMINAL_PROTOCOL } from "./terminal-frames.ts";
import { serveTerminal, type Operate } from "./terminal-server.ts";

export interface Door extends AsyncDisposable {
  /** Of the socket. */
  readonly path: string;
  /** An operation in this process, as commands beside it ask for it. */
  readonly operate: Operate;
}

/** Only the holder of the lock may call it. @throws the system's error when there can be no socket. */
export async function openDoor(app: App, options: DoorOptions): Promise<Door> {
  const place = makeSocketPlace(app.loaded.places.control, options.environment.env);
  const sockets = new Set<Socket>();
  const server = process.getBuiltinModule("node:http").createServer({ requireHostHeader: false });
  let served: ReturnType<typeof serveRoutes> | undefined;
  const routes = (): ReturnType<typeof serveRoutes> => (served ??= serveRoutes(app, options));
  const operate: Operate = async (asked, signal) => (await routes()).operate(asked, signal);
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("request", (request, response) => {
    routes().then(
      ({ request: answer }) => answer(request, response),
      (error: unknown) => {
        app.log.error("control.failed", { message: messageOf(error) });
        response.destroy();
      },
    );
  });
  server.on("upgrade", (request, socket, head) => {
    if (request.headers.upgrade === TERMINAL_PROTOCOL) {
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: ${TERMINAL_PROTOCOL}\r\n\r\n`);
      serveTerminal(app, socket, head, operate);
      return;
    }
    routes().then(
      ({ upgrade }) => upgrade(request, socket, head),
      () => socket.destroy(),
    );
  });
  try {
    await listen(server, place.path);
  } catch (error) {
    place[Symbol.dispose]();
    throw error;
  }
  return {
    path: place.path,
    operate,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
      const opened = await served?.catch(() => undefined); // it never served
      await opened?.close();
      place[Symbol.dispose]();
    },
  };
}

async function listen(server: Server, path: string): Promise<void> {
  // The system makes the socket within this call: whoever is killed right after it leaves none that others may open.
  const mask = isMainThread ? process.umask(0o077) : undefined;
  try {
    server.listen(path);
  } finally {
    if (mask !== undefined) process.umask(mask);
  }
  await once(server, "listening");
  chmodSync(path, 0o600); // and its directory lets nobody else in
  server.unref(); // who holds the process is what it works on
}

async function serveRoutes(app: App, options: DoorOptions) {
  const { createDoorRoutes } = await import("./routes.ts");
  return createDoorRoutes(app, options);
}
