// A browser as the gateway sees one: cookie, key, origin and fetch metadata.
import type { ApiAnswer, ApiInit, TestGateway } from "./support.ts";

export interface Browser {
  readonly cookie: string;
  readonly key: string;
  readonly setCookie: string;
  /** Headers of a request that the page itself makes. */
  headers(): Readonly<Record<string, string>>;
  api(path: string, init?: Pick<ApiInit, "method" | "body" | "raw" | "headers">): Promise<ApiAnswer>;
}

/** Logs in with a link that the terminal made. @param person whose; absent: the owner's. */
export async function logIn(gateway: TestGateway, person?: string): Promise<Browser> {
  const { code } = gateway.gateway.auth.codes.mint("login", person);
  const { body, headers, status } = await gateway.api("/auth/exchange", {
    method: "POST",
    body: { code },
    token: null,
  });
  if (status !== 200) throw new Error(`The link was refused: ${JSON.stringify(body)}`);
  return browserOf(gateway, headers.get("set-cookie") ?? "", String(body.key));
}

export function browserOf(gateway: TestGateway, setCookie: string, key: string): Browser {
  const cookie = setCookie.split(";")[0] ?? "";
  const own = (): Readonly<Record<string, string>> => ({
    cookie,
    "margay-key": key,
    origin: gateway.url,
    "sec-fetch-site": "same-origin",
  });
  return {
    cookie,
    key,
    setCookie,
    headers: own,
    api: (path, { headers = {}, ...init } = {}) => {
      const all = Object.entries({ ...own(), ...headers }).filter(([, value]) => value !== "");
      return gateway.api(path, { ...init, headers: Object.fromEntries(all), token: null });
    },
  };
}
