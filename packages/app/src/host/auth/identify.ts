/** Who sent a request: a bearer token, a browser's cookie and key together, or the header of a listed proxy. A token in the URL is never looked at. */
import type { IncomingMessage } from "node:http";
import { isIn, plainAddress } from "../http/address.ts";
import { OWNER } from "../people.ts";
import { Problem } from "../api/problem.ts";
import type { Config } from "../api/services.ts";
import type { Credential } from "./credential.ts";
import type { AuthStore } from "./store.ts";

/** Sub-protocol in which a browser sends its key: it cannot set headers on a WebSocket. */
const KEY_PROTOCOL = "margay.key.";

export interface Presented {
  readonly by: "token" | "cookie" | "nothing";
  readonly credential: Credential | undefined;
  /** Why there is none. */
  readonly problem: Problem | undefined;
}

export function cookieName(port: number, secure: boolean): string {
  return secure ? "__Host-margay" : `margay_${port}`;
}

/** @param cookie Name of ours. @param proxy Who vouches for people by a header. */
export function identify(
  request: IncomingMessage,
  auth: AuthStore,
  cookie: string,
  proxy: Config["gateway"]["proxyAuth"],
): Presented {
  const { authorization } = request.headers;
  const isDouble = count(request.rawHeaders, "authorization") > 1;
  if (authorization !== undefined) {
    const [, secret] = /^Bearer ([^\s,]+)$/i.exec(authorization) ?? [];
    if (isDouble || secret === undefined)
      return nobody("token", new Problem("auth.invalid", "The Authorization header is not one bearer token."));
    return presented("token", auth.bearer(secret));
  }
  const id = cookieValue(request.headers.cookie, cookie);
  if (id === undefined) {
    const user = vouchedFor(request, proxy);
    // As with a cookie, a foreign page can make the browser send it: the same checks hold.
    return user === undefined
      ? nobody("nothing", required())
      : { by: "cookie", credential: auth.proxied(...user), problem: undefined };
  }
  const key = keyOf(request);
  if (key === undefined) return nobody("cookie", required());
  return presented("cookie", auth.browser(id, key));
}

function presented(by: Presented["by"], found: ReturnType<AuthStore["bearer"]>): Presented {
  if (found === "invalid")
    return nobody(by, new Problem("auth.invalid", { detail: "This credential is not known.", headers: CHALLENGE }));
  if (found === "expired")
    return nobody(by, new Problem("auth.expired", { detail: "This credential has expired.", headers: CHALLENGE }));
  return { by, credential: found, problem: undefined };
}

function nobody(by: Presented["by"], problem: Problem): Presented {
  return { by, credential: undefined, problem };
}

const CHALLENGE: Readonly<Record<string, string>> = { "www-authenticate": 'Bearer realm="margay"' };

function required(): Problem {
  return new Problem("auth.required", {
    detail: "This needs a login or a token.",
    remedy: "Run `margay open` for a login link, or send `Authorization: Bearer …` (`margay token create`).",
    headers: CHALLENGE,
  });
}

/** The peer of the connection counts, not what it forwards. */
function vouchedFor({ socket, headers }: IncomingMessage, proxy: Config["gateway"]["proxyAuth"]): Vouched | undefined {
  if (proxy === null || !isIn(proxy.peers, plainAddress(socket.remoteAddress ?? ""))) return undefined;
  const user = headers[proxy.header.toLowerCase()];
  return typeof user === "string" ? userOf(user, proxy) : undefined;
}

/** What the header says, and the person that it stands for; absent: the owner. */
type Vouched = readonly [user: string, person?: string];

/** Undefined: nobody is called so. */
export function userOf(user: string, proxy: Config["gateway"]["proxyAuth"]): Vouched | undefined {
  const found = proxy?.users.find((one) => (typeof one === "string" ? one : one.value) === user);
  if (found === undefined) return undefined;
  return typeof found === "string" || found.person === OWNER ? [user] : [user, found.person];
}

function keyOf({ headers }: IncomingMessage): string | undefined {
  const direct = headers["margay-key"];
  if (typeof direct === "string") return direct;
  const offered = (headers["sec-websocket-protocol"] ?? "").split(",").map((one) => one.trim());
  return offered.find((one) => one.startsWith(KEY_PROTOCOL))?.slice(KEY_PROTOCOL.length);
}

/** The first of that name: a second one is somebody else's. */
function cookieValue(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? "").split(";")) {
    const [key, ...value] = pair.trim().split("=");
    if (key === name) return value.join("=");
  }
  return undefined;
}

function count(raw: readonly string[], name: string): number {
  return raw.filter((one, index) => index % 2 === 0 && one.toLowerCase() === name).length;
}
