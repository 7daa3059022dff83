/** Whether a request was meant for us: Host, Origin and fetch metadata. Trusts no address. */
import { isIP } from "node:net";
import type { Config } from "../api/services.ts";
import { Problem } from "../api/problem.ts";

export interface GuardOptions {
  /** What holds now. */
  readonly config: () => Config["gateway"];
  /** The port the server listens on. */
  readonly port: () => number;
  readonly tls: boolean;
}

export interface Guarded {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly isPublic: boolean;
  /** It carries our cookie and no `Authorization`. */
  readonly byCookie: boolean;
}

export interface Guards {
  /** @throws Problem `host.refused`. */
  host(host: string | undefined): void;
  /** @returns the foreign origin that may read the answer: only under /v1. @throws Problem `origin.refused`. */
  origin(request: Guarded): string | undefined;
}

export function createGuards({ config, port, tls }: GuardOptions): Guards {
  const own = (): ReadonlySet<string> => {
    const { host, allowedHosts, publicUrl } = config();
    const bound = isIP(host) === 6 ? `[${host}]` : host;
    const isAll = host === "0.0.0.0" || host === "::";
    const names = [
      "127.0.0.1",
      "localhost",
      ...(isIP(host) === 6 || host === "localhost" ? ["[::1]"] : []),
      ...(isAll ? [] : [bound]),
    ];
    const hosts = [...names.map((name) => `${name}:${port()}`), ...allowedHosts];
    if (publicUrl !== null) {
      const { host, hostname, protocol } = new URL(publicUrl);
      hosts.push(host, `${hostname}:${protocol === "https:" ? 443 : 80}`);
    }
    return new Set(hosts.map((one) => one.toLowerCase()));
  };
  return {
    host: (host) => {
      if (host !== undefined && own().has(host.toLowerCase())) return;
      throw new Problem("host.refused", {
        detail: "The Host header names no address of this gateway.",
        remedy: "Add the name to gateway.allowedHosts, or set gateway.publicUrl.",
      });
    },
    origin: ({ method, path, headers, isPublic, byCookie }) => {
      const { allowedOrigins, publicUrl, api } = config();
      const { origin } = headers;
      const host = String(headers.host).toLowerCase();
      // The diagram frame has an opaque origin, which chromium names "null" when the frame loads its own script.
      if (origin === "null" && isPublic && method === "GET" && path.startsWith("/assets/diagram")) return undefined;
      if (typeof origin === "string") {
        if ((path === "/v1" || path.startsWith("/v1/")) && api.corsOrigins.includes(origin)) return origin;
        const schemes = new Set([tls ? "https" : "http"]);
        if (publicUrl !== null && new URL(publicUrl).host === host)
          schemes.add(new URL(publicUrl).protocol.slice(0, -1));
        const isOwn = [...schemes].some((scheme) => origin === `${scheme}://${host}`);
        const isAllowed = allowedOrigins.includes(origin) && hostOf(origin) === host;
        if (!isOwn && !isAllowed) throw refused("The Origin header names another site.");
      } else if (byCookie && method !== "GET" && method !== "HEAD" && method !== "OPTIONS")
        throw refused("A request with a cookie that changes something needs an Origin header.");
      const site = headers["sec-fetch-site"];
      if (!isPublic && site !== undefined && site !== "same-origin")
        throw refused("The request comes from another site, as Sec-Fetch-Site says.");
      return undefined;
    },
  };
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

function refused(detail: string): Problem {
  return new Problem("origin.refused", {
    detail,
    remedy: "Open the page at the gateway's own address, or add the origin to gateway.allowedOrigins.",
  });
}
