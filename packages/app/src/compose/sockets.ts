/** The WebSocket endpoints. */
import { SEED_SOCKETS } from "../features/seed-protocol/socket.ts";
import { NATIVE_SOCKET } from "../host/live/socket.ts";
import type { SocketHandler } from "../host/live/socket-handler.ts";

export const SOCKETS: readonly SocketHandler[] = [NATIVE_SOCKET, ...SEED_SOCKETS];
