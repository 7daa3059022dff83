/** What a WebSocket handler is, and what it gets once all checks have passed. */
import type { WebSocket } from "ws";
import type { Credential } from "../auth/credential.ts";
import type { Services } from "../api/services.ts";

export interface SocketCall {
  readonly services: Services;
  readonly credential: Credential;
  readonly query: URLSearchParams;
  /** Remote address, after `trustedProxies`. */
  readonly address: string;
  readonly language: "en" | "zh-CN";
}

export interface SocketHandler {
  /** Of the URL, exactly: `/ws`. */
  readonly path: string;
  /** Sub-protocols it speaks; the first that the client offers too is chosen. None offered: none is needed. */
  readonly protocols: readonly string[];
  /** Bytes of one message; more closes with 1009. */
  readonly maxPayload: number;
  /** A login of a person beside the owner may use it: it asks for each thing what they may read. */
  readonly ofPersons?: true;
  /** False: answered 404, as if it were not there. */
  readonly enabled?: (services: Services, query: URLSearchParams) => boolean;
  /** The server itself closes the socket 4401 when the credential ends and 1001 when it shuts down, after a moment in which the handler says goodbye. */
  readonly connect: (socket: WebSocket, call: SocketCall) => void;
}
