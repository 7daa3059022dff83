/** TCP connections are bounded: the one that has been idle longest makes room, so that a good request is still answered. */
import type { Socket } from "node:net";
import type { Server } from "node:http";

/** @param closing From then on no connection waits for another request: browsers and clients open some ahead of need. */
export function boundConnections(server: Server, limit: number, isTls: boolean, closing: AbortSignal): void {
  /** In order of their last request. */
  const idle = new Set<Socket>();
  let open = 0;
  // Under TLS a connection counts when it has shaken hands; those that never do are bounded by themselves.
  if (isTls) server.maxConnections = 2 * limit;
  server.on(isTls ? "secureConnection" : "connection", (socket: Socket) => {
    open += 1;
    idle.add(socket);
    socket.once("close", () => {
      open -= 1;
      idle.delete(socket);
    });
    if (open <= limit) return;
    const [oldest] = idle;
    if (oldest !== undefined && oldest !== socket) oldest.destroy();
    else socket.end("HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
  });
  server.on("request", (request, response) => {
    const { socket } = request;
    idle.delete(socket);
    response.once("close", () => {
      if (closing.aborted) socket.end();
      else if (!socket.destroyed) idle.add(socket);
    });
  });
  closing.addEventListener("abort", () => {
    for (const socket of idle) socket.destroy();
  });
  server.on("upgrade", (request) => {
    idle.delete(request.socket);
  });
}
