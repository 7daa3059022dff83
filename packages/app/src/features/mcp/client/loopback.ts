/** Where the browser comes back to after a sign-in: this machine only, one answer, then it is closed (RFC 8252). */
import type { Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { RuntimeError } from "@margay/core";
import { en } from "../api-texts.en.ts";
import { zh } from "../api-texts.zh.ts";

const PATH = "/callback";
const PAGE = (text: string): string =>
  `<!doctype html><meta charset="utf-8"><title>margay</title><p style="font:1.2em system-ui;margin:4em">${text}</p>`;

export interface Loopback {
  readonly url: string;
  /** The parameters of the next callback that carries `state`. May be called again for another sign-in. */
  next(signal: AbortSignal): Promise<URLSearchParams>;
  close(): void;
}

/** @param port The one of the last sign-in; any other when it is taken. */
export async function listenForCallback(state: string, port: number | undefined): Promise<Loopback> {
  const http = process.getBuiltinModule("node:http");
  let waiting: PromiseWithResolvers<URLSearchParams> = Promise.withResolvers();
  const server = http.createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (request.method !== "GET" || url.pathname !== PATH || url.searchParams.get("state") !== state) {
      reply(response, 400, "This is not the answer margay waits for.");
      return;
    }
    reply(response, 200, `${en.signedIn} / ${zh.signedIn}`);
    waiting.resolve(url.searchParams);
  });
  await listen(server, port ?? 0).catch(() => listen(server, 0));
  const { port: bound } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `http://127.0.0.1:${bound}${PATH}`,
    next: async (signal) => {
      const stopped = (): void =>
        waiting.reject(new RuntimeError("mcp.login", "The sign-in was not finished. Try again."));
      signal.addEventListener("abort", stopped, { once: true });
      try {
        return await waiting.promise;
      } finally {
        signal.removeEventListener("abort", stopped);
        waiting = Promise.withResolvers();
      }
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function reply(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    "referrer-policy": "no-referrer",
    connection: "close",
  });
  response.end(PAGE(text));
}
