// From a request to its answer.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Gateway } from "./gateway.ts";
import { type Fault, type Json, misbehave, readBody, send, type Upload } from "./http.ts";
import { type Answer, Refusal, refusal } from "./refusal.ts";
import { type Call, data, type Route } from "./route.ts";
import { checkRoute, ROUTES } from "./routes.ts";
import type { Registration } from "./registration.ts";
import type { World } from "./world.ts";

/** A request in the journal. */
export interface RequestRecord {
  readonly route: string;
  readonly path: string;
  readonly body: Json;
  readonly query: Readonly<Record<string, string>>;
}

export interface State {
  readonly world: World;
  readonly gateway: Gateway;
  readonly faults: { readonly when: string | ((route: string) => boolean); readonly how: Fault; left: number }[];
  readonly requests: RequestRecord[];
  readonly complaints: string[];
  readonly uuids: Call["uuids"];
  /** Tokens that hold, and until when. */
  readonly tokens: Map<string, number>;
  /** Until when a chat, or all, is refused. */
  readonly floods: Map<string, number>;
  /** When each chat was written in. */
  readonly sends: Map<string, number[]>;
  readonly isPaced: boolean;
  readonly changed: () => void;
  readonly url: () => string;
  readonly registration: Registration;
  /** What the endpoint says instead. */
  endpointCode: number;
}

const TOKEN_SECONDS = 7200;
const PATTERNS = new Map(
  ROUTES.map((route) => [route, new URLPattern({ pathname: `/open-apis${route.name.split(" ")[1] ?? ""}` })]),
);

export async function receive(state: State, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(incoming.url ?? "/", "http://feishu");
  const method = incoming.method ?? "";
  const route = ROUTES.find(
    (one) => one.name.startsWith(`${method} `) && PATTERNS.get(one)?.test({ pathname: url.pathname }),
  );
  const name = route?.name ?? `${method} ${url.pathname}`;
  const { value, files } = await readBody(incoming);
  const query = Object.fromEntries(url.searchParams);
  state.requests.push({ route: name, path: url.pathname, body: value, query });
  const bytes = Number(incoming.headers["content-length"] ?? 0);
  const act = (): Answer => {
    try {
      const registered = state.registration.answer(method, url.pathname, value, incoming.headers["content-type"]);
      if (registered !== undefined) return registered;
      const result = answerTo(state, route, { incoming, url, body: value, query, files, bytes });
      return { status: 200, body: result };
    } catch (error) {
      if (error instanceof Refusal) return error.answer;
      throw error;
    } finally {
      state.changed();
    }
  };
  const fault = state.faults.find(
    ({ when, left }) => left > 0 && (typeof when === "function" ? when(name) : when === name),
  );
  if (fault === undefined) return send(response, act());
  fault.left -= 1;
  misbehave(fault.how, response, act);
  state.changed();
}

interface Asked {
  readonly incoming: IncomingMessage;
  readonly url: URL;
  readonly body: Json;
  readonly query: Readonly<Record<string, string>>;
  readonly files: ReadonlyMap<string, Upload>;
  readonly bytes: number;
}

function answerTo(state: State, route: Route | undefined, asked: Asked): unknown {
  const { world, complaints, uuids } = state;
  const { url, body, query, files, bytes, incoming } = asked;
  if (url.pathname === "/open-apis/auth/v3/tenant_access_token/internal") return tokenFor(state, body);
  if (url.pathname === "/callback/ws/endpoint") return endpoint(state, body);
  if (route === undefined) {
    complaints.push(`unknown route ${incoming.method} ${url.pathname}`);
    return { code: 404, msg: "not found" };
  }
  const token = /^Bearer (.+)$/.exec(incoming.headers.authorization ?? "")?.[1];
  if (token === undefined) throw refusal(99_991_661);
  if ((state.tokens.get(token) ?? 0) <= world.now()) throw refusal(99_991_663);
  refuseFlood(state, "all");
  checkRoute(route, { world, body, query }, (text) => void complaints.push(text));
  const path = PATTERNS.get(route)?.exec({ pathname: url.pathname })?.pathname.groups ?? {};
  const known = Object.fromEntries(Object.entries(path).map(([key, value]) => [key, value ?? ""]));
  return route.act({ world, path: known, query, body, bytes, files, uuids, paced: (chat) => paced(state, chat) });
}

function tokenFor({ world, tokens }: State, { app_id: id, app_secret: secret }: Json): Json {
  if (id !== world.appId) throw refusal(10_003, undefined, { status: 200 });
  if (secret !== world.secret) throw refusal(10_014, undefined, { status: 200 });
  // As long as one holds for half an hour it is told again.
  const [last, until] = [...tokens].at(-1) ?? ["", 0];
  const now = world.now();
  const token = until > now + 1_800_000 ? last : `t-${tokens.size + 1}`;
  if (token !== last) tokens.set(token, now + TOKEN_SECONDS * 1000);
  return {
    code: 0,
    msg: "ok",
    tenant_access_token: token,
    expire: Math.floor(((tokens.get(token) ?? now) - now) / 1000),
  };
}

function endpoint({ world, gateway, endpointCode, url }: State, { AppID: id, AppSecret: secret }: Json): Json {
  if (endpointCode !== 0) return { code: endpointCode, msg: "no connection", data: null };
  if (id !== world.appId || secret !== world.secret) return { code: 514, msg: "auth failed", data: null };
  return data(gateway.endpoint(url()));
}

function refuseFlood({ floods, world }: State, scope: string): void {
  const rest = (floods.get(scope) ?? 0) - world.now();
  if (rest <= 0) return;
  if (scope !== "all") throw refusal(230_020);
  const headers = { "x-ogw-ratelimit-limit": "50", "x-ogw-ratelimit-reset": String(Math.ceil(rest / 1000)) };
  throw refusal(99_991_400, undefined, { status: 429, headers });
}

/** Five in a second. */
function paced(state: State, chat: string): void {
  refuseFlood(state, chat);
  const now = state.world.now();
  const recent = (state.sends.get(chat) ?? []).filter((at) => at > now - 1000);
  if (state.isPaced && recent.length >= 5) throw refusal(230_020);
  state.sends.set(chat, [...recent, now]);
}
