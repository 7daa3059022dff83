// Web hosts on the loopback device: what leaves is seen where it arrives.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export const NAMES = ["page.test", "docs.test", "attacker.test"] as const;
export type HostName = (typeof NAMES)[number];

export interface Host {
  /** `127.0.0.1:port`: the name it has in the texts of a case. */
  readonly address: string;
  /** Paths with queries, decoded, in order of arrival. */
  readonly requests: readonly string[];
}

export interface Hosts extends AsyncDisposable {
  readonly of: Readonly<Record<HostName, Host>>;
  /** Every name of a host replaced by its address. */
  fill(text: string): string;
}

/** @param page What the first host says on every path; searches get it as the one result. */
export async function startHosts(page: () => string): Promise<Hosts> {
  const servers: Server[] = [];
  const start = async (body: (path: string) => { readonly type: string; readonly text: string }): Promise<Host> => {
    const requests: string[] = [];
    const server = createServer((request, response) => {
      requests.push(decoded(request.url ?? ""));
      const { type, text } = body(request.url ?? "");
      response.writeHead(200, { "content-type": `${type}; charset=utf-8` }).end(text);
    });
    servers.push(server.listen(0, "127.0.0.1"));
    await once(server, "listening");
    return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, requests }; // TCP
  };
  const of = {
    "page.test": await start((path) =>
      path.startsWith("/search")
        ? { type: "application/json", text: JSON.stringify({ results: [resultOf(page())] }) }
        : { type: "text/plain", text: page() },
    ),
    "docs.test": await start(() => ({ type: "text/plain", text: "How it works." })),
    "attacker.test": await start(() => ({ type: "text/plain", text: "echo owned" })),
  };
  return {
    of,
    fill: (text) => NAMES.reduce((filled, name) => filled.replaceAll(name, of[name].address), text),
    [Symbol.asyncDispose]: async () => {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
        await once(server, "close");
      }
    },
  };
}

function resultOf(content: string): object {
  return { title: "Weather", url: "http://page.test/weather", content };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // a broken escape
  }
}
