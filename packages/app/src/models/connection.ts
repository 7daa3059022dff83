/** Whether somebody listens at an address, and whether their certificate holds: what a failing request would not say apart. */
import { messageOf } from "@margay/core/internal";
import type { Socket } from "node:net";

/** @returns the address that answered. @throws Error of the look-up or the connection. */
export async function reach(url: URL, signal: AbortSignal): Promise<string> {
  const { connect } = process.getBuiltinModule("node:net");
  const socket = connect({ host: hostOf(url), port: portOf(url), autoSelectFamily: true });
  try {
    await opened(socket, "connect", signal);
    return `${socket.remoteAddress ?? hostOf(url)}:${portOf(url)}`;
  } finally {
    socket.destroy();
  }
}

/** @returns protocol and end of the certificate. @throws Error that says what is wrong with it. */
export async function handshake(url: URL, signal: AbortSignal): Promise<string> {
  const { connect } = process.getBuiltinModule("node:tls");
  const { isIP } = process.getBuiltinModule("node:net");
  const host = hostOf(url);
  const socket = connect({ host, port: portOf(url), ...(isIP(host) === 0 && { servername: host }) });
  try {
    await opened(socket, "secureConnect", signal);
    return `${socket.getProtocol() ?? "TLS"}, ${socket.getPeerCertificate().valid_to}`;
  } finally {
    socket.destroy();
  }
}

/** `getaddrinfo ENOTFOUND x`, `connect ECONNREFUSED …`: their first word is no news. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(", ");
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const message = messageOf(error).replace(/^(getaddrinfo|connect|read) /, "");
  return message === "" ? code : message;
}

function opened(socket: Socket, event: "connect" | "secureConnect", signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      socket.destroy();
      reject(signal.reason instanceof Error ? signal.reason : new Error("it took too long"));
    };
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    socket.once("close", () => signal.removeEventListener("abort", abort));
    socket.once("error", reject);
    socket.once(event, () => resolve());
  });
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

function portOf(url: URL): number {
  return url.port !== "" ? Number(url.port) : url.protocol === "https:" ? 443 : 80;
}
