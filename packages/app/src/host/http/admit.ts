/** Host, origin and credential: the checks that HTTP and WebSocket share. */
import type { IncomingMessage } from "node:http";
import { languageOf } from "../../texts/text.ts";
import type { Translate } from "../../texts/translate.ts";
import type { Assets } from "./assets.ts";
import { cookieName, identify, type Presented } from "../auth/identify.ts";
import { Problem } from "../api/problem.ts";
import type { Services } from "../api/services.ts";
import { clientAddress, clientKey } from "./address.ts";
import type { Guards } from "./guards.ts";
import { tooMany } from "./rates.ts";
import type { RequestLine } from "./request-line.ts";
import type { RouteTable } from "./table.ts";

export interface Dispatch {
  readonly services: Services;
  readonly table: RouteTable;
  readonly assets: Assets;
  /** Who calls, and whether they may knock at all. @param isOpen the path is for everybody. @throws Problem. */
  readonly admit: (request: IncomingMessage, line: RequestLine, isOpen: boolean) => Admitted;
  readonly tls: boolean;
  readonly translator: (language: "en" | "zh-CN") => Translate;
}

/** What the checks of a server on the network look at. */
export interface Network {
  readonly services: Services;
  readonly guards: Guards;
  readonly port: () => number;
  readonly tls: boolean;
}

/** What all checks before the route have found out. */
export interface Admitted extends RequestLine {
  readonly presented: Presented;
  readonly address: string;
  readonly language: "en" | "zh-CN";
  readonly secure: boolean;
  /** May read the answer from its own page: only under /v1. */
  readonly corsOrigin: string | undefined;
  /** The person of this machine: no limit of rate holds. */
  readonly local?: true;
}

const BAD_TOKENS_PER_MINUTE = 20;

/** Host, origin, credential and rate: the checks that HTTP and WebSocket share. @throws Problem. */
export function admit(
  request: IncomingMessage,
  line: RequestLine,
  isOpen: boolean,
  { services, guards, port, tls }: Network,
): Admitted {
  const { headers } = request;
  const config = services.app.inside.loaded().config.gateway;
  guards.host(headers.host);
  const secure =
    tls || (config.publicUrl?.startsWith("https:") === true && new URL(config.publicUrl).host === headers.host);
  const presented = identify(request, services.auth, cookieName(port(), secure), config.proxyAuth);
  const corsOrigin = guards.origin({
    method: request.method ?? "",
    path: line.path,
    headers,
    isPublic: isOpen,
    byCookie: presented.by === "cookie",
  });
  const address = clientAddress(request.socket.remoteAddress, headers["x-forwarded-for"], config.trustedProxies);
  const language = languageFor(request, services);
  if (presented.credential === undefined && !isOpen) {
    const isWrong = presented.by === "token" || presented.problem?.code === "auth.invalid";
    if (isWrong) {
      if (!services.rates.within(`bad:${clientKey(address)}`, BAD_TOKENS_PER_MINUTE))
        throw tooMany("Too many wrong credentials.", 60_000);
      services.app.audit.record("auth.refused", { by: presented.by, address, path: line.path.slice(0, 200) });
    }
    if (!services.rates.within(`anonymous:${clientKey(address)}`, config.limits.anonymousPerMinute))
      throw tooMany("Too many requests without a credential.", 60_000);
    throw presented.problem ?? new Problem("auth.required", "This needs a login or a token.");
  }
  return { ...line, presented, address, language, secure, corsOrigin };
}

/** Whether the path, with this method, is for everybody. `OPTIONS` says nothing that the documents do not. */
export function isPublic(
  found: ReturnType<RouteTable["find"]>,
  request: IncomingMessage,
  { table, assets }: Dispatch,
): boolean {
  if (found !== undefined && "route" in found) return found.route.scope === "public";
  if (request.method !== "OPTIONS") return false;
  const path = (request.url ?? "").split("?")[0] ?? "";
  if (assets.has(path)) return true;
  const isCors = request.headers["access-control-request-method"] !== undefined && path.startsWith("/v1/");
  return isCors || ["GET", "POST"].some((method) => isPublicRoute(table.find(method, path)));
}

function isPublicRoute(found: ReturnType<RouteTable["find"]>): boolean {
  return found !== undefined && "route" in found && found.route.scope === "public";
}

export function languageFor({ headers }: IncomingMessage, { app }: Services): "en" | "zh-CN" {
  return languageFrom(headers["accept-language"]) ?? app.language;
}

/** The first language of the list that there are texts in. */
function languageFrom(header: string | undefined): "en" | "zh-CN" | undefined {
  const wanted = (header ?? "")
    .slice(0, 500)
    .split(",")
    .map((one, index) => {
      const [tag = "", quality] = one.split(";q=");
      return { tag: tag.trim(), weight: quality === undefined ? 1 : Number(quality), index };
    });
  wanted.sort((a, b) => b.weight - a.weight || a.index - b.index);
  for (const { tag } of wanted) {
    const language = languageOf(tag);
    if (language !== undefined) return language;
  }
  return undefined;
}
