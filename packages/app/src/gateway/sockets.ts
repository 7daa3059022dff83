/** The WebSocket endpoints. */
import { SEED_SOCKETS } from "./events/seed-socket.ts";
import { NATIVE_SOCKET } from "./events/socket.ts";
import type { SocketHandler } from "./socket-handler.ts";

export const SOCKETS: readonly SocketHandler[] = [NATIVE_SOCKET, ...SEED_SOCKETS];
