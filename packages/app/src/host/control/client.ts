/** The running gateway of this state directory, reached over HTTP with the token that only its owner can read. */
import { readFileSync } from "node:fs";
import type { RequestOptions } from "node:https";
import { RuntimeError, type Json, type JsonObject } from "@margay/core";
import { lockOwner, messageOf } from "@margay/core/internal";
import type { Environment } from "../../config/environment.ts";
import type { Loaded } from "../../config/load.ts";
import { pathIn, type Places } from "../../config/paths.ts";
import type { Language } from "../../texts/text.ts";
import type { Translate } from "../../texts/translate.ts";
import { readNote } from "./gateway-note.ts";

/** What it needs of a command. */
export interface Asking {
  readonly places: Places;
  readonly t: Translate;
  readonly language: Language;
  readonly signal: AbortSignal;
  readonly environment: Pick<Environment, "userHome">;
  loadShown(): Loaded;
}

export interface GatewayClient {
  readonly url: string;
  readonly pid: number;
  /** @param path Below `/api/v1`. @throws RuntimeError with the gateway's own words. */
  request(method: string, path: string, body?: JsonObject): Promise<Json>;
  /** Whether it takes work by now. */
  isReady(): Promise<boolean>;
}

/** Undefined when none runs. */
export function findGateway(cli: Asking): GatewayClient | undefined {
  const note = readNote(cli.places.home);
  if (note === undefined || lockOwner(cli.places.home) !== note.pid) return undefined;
  const { url, pid, token } = note;
  return {
    url,
    pid,
    request: async (method, path, body) => {
      const answer = await send(cli, `${url}/api/v1${path}`, { method, token, body }).catch((error: unknown) => {
        throw new RuntimeError("usage.wrong", cli.t("gateway.unreachable", { url, reason: messageOf(error) }));
      });
      if (answer.status < 300) return answer.body;
      throw new RuntimeError("usage.wrong", cli.t("gateway.refused", { reason: detailOf(answer.body) }));
    },
    isReady: () =>
      send(cli, `${url}/ready`, { method: "GET", token, body: undefined }).then(
        ({ status }) => status === 200,
        () => false, // it does not answer yet
      ),
  };
}

/** @throws RuntimeError when none runs. */
export function requireGateway(cli: Asking): GatewayClient {
  const found = findGateway(cli);
  if (found === undefined) throw new RuntimeError("usage.wrong", cli.t("gateway.none"));
  return found;
}

interface Sent {
  readonly method: string;
  readonly token: string;
  readonly body: JsonObject | undefined;
}

function send(
  cli: Asking,
  url: string,
  { method, token, body }: Sent,
): Promise<{ readonly status: number; readonly body: Json }> {
  const isTls = url.startsWith("https:");
  const { request } = isTls ? process.getBuiltinModule("node:https") : process.getBuiltinModule("node:http");
  const text = body === undefined ? undefined : JSON.stringify(body);
  const options: RequestOptions = {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      "accept-language": cli.language,
      ...(text !== undefined && { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
    },
    signal: AbortSignal.any([cli.signal, AbortSignal.timeout(10_000)]),
    ...(isTls && ownCertificate(cli)),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      let answer = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (answer += chunk));
      response.on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: parsed(answer) }));
    });
    sent.on("error", reject);
    sent.end(text);
  });
}

/** It is for the public name; here it is asked for by address, and must be this very one. */
function ownCertificate(cli: Asking): RequestOptions {
  const { tls } = cli.loadShown().config.gateway;
  if (tls === null) return {};
  const file = pathIn(cli.places.home, tls.cert, cli.environment.userHome);
  return { ca: readFileSync(file), checkServerIdentity: () => undefined };
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json; // whatever it is
  } catch {
    return null;
  }
}

function detailOf(body: Json): string {
  if (typeof body !== "object" || body === null || !("detail" in body)) return "?";
  return String(body.detail);
}
