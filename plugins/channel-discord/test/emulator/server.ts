// From a request to its answer.

import type { IncomingMessage, ServerResponse } from "node:http";

import { type Faults, misbehave } from "./faults.ts";
import { checkFields, fromQuery } from "./fields.ts";
import { type Answer, bytesOf, readBody, send, type Body } from "./http.ts";
import type { Limits } from "./limits.ts";
import type { Nonces } from "./messages.ts";
import { Refusal, refusal } from "./refusal.ts";
import { type Route, ROUTES, type Surroundings } from "./routes.ts";
import type { World } from "./world.ts";

/** A request in the journal. `answer` is absent as long as there is none. */
export interface RequestRecord {
  /** As `POST /channels/:channel/messages`; `GET file` for a download. */
  readonly route: string;
  readonly path: string;
  readonly body: unknown;
  /** Names and sizes of what was sent with it. */
  readonly files: Readonly<Record<string, number>>;
  readonly at: number;
  answer?: Answer;
}

/** What belongs to one server. */
export interface State {
  readonly world: World;
  readonly faults: Faults;
  readonly limits: Limits;
  readonly nonces: Nonces;
  readonly around: Surroundings;
  readonly requests: RequestRecord[];
  readonly complaints: string[];
  readonly changed: () => void;
  readonly messageContent: boolean;
  /** The right one; absent: there is none any more. */
  token: string | undefined;
}

/** One request: past the faults, into the journal, answered. */
export async function receive(state: State, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL((incoming.url ?? "/").replaceAll("%40", "@"), "http://discord");
  const isFile = incoming.method === "GET" && url.pathname.startsWith("/attachments/");
  const route = isFile ? undefined : routeOf(incoming.method ?? "", url);
  const name = isFile ? "GET file" : (route?.name ?? `${incoming.method} ${url.pathname}`);
  const bytes = await bytesOf(incoming);
  const body = await readBody(incoming.headers["content-type"] ?? "", bytes).catch(() => undefined);
  const files = Object.fromEntries([...(body?.files ?? [])].map(([part, file]) => [part, file.bytes.length]));
  const record: RequestRecord = { route: name, path: url.pathname, body: body?.value, files, at: state.world.now() };
  state.requests.push(record);
  state.changed();
  const act = (): Answer => {
    record.answer = isFile ? download(state, url, incoming) : answerTo(state, route, url, incoming, body);
    state.changed();
    return record.answer;
  };
  const how = state.faults.take(name, url.pathname);
  if (how !== undefined) misbehave(how, response, act);
  else send(response, act());
}

function routeOf(method: string, { pathname }: URL): Route | undefined {
  return ROUTES.find(({ name, pattern }) => name.startsWith(`${method} `) && pattern.test({ pathname }));
}

function answerTo(
  state: State,
  route: Route | undefined,
  url: URL,
  { headers }: IncomingMessage,
  body: Body | undefined,
): Answer {
  const { world, complaints, limits, nonces, around, messageContent } = state;
  if (route === undefined) {
    complaints.push(`unknown route ${url.pathname}`);
    return { status: 404, body: { message: "404: Not Found", code: 0 } };
  }
  const complain = (text: string): void => void complaints.push(`${route.name}: ${text}`);
  // Whoever does not name itself so is turned away in front of Discord.
  if (!/^DiscordBot \(.+, .+\)/.test(headers["user-agent"] ?? "")) complain(`user agent ${headers["user-agent"]}`);
  const isKnown = route.open === true || headers.authorization === `Bot ${state.token}`;
  try {
    if (!isKnown) throw new Refusal(401, { message: "401: Unauthorized", code: 0 });
    const path = route.pattern.exec({ pathname: url.pathname })?.pathname.groups ?? {};
    const limited = limits.take(route.name, path["channel"] ?? "");
    if (body === undefined) throw refusal(50_109);
    const isRead = route.name.startsWith("GET ");
    const given = isRead ? fromQuery(route.fields, url.searchParams) : (body.value ?? {});
    if (!isRead && url.searchParams.size > 0) complain(`query ${String(url.searchParams)}`);
    const checked =
      route.list === true
        ? { list: listOf(given).map((item) => checkFields(route.fields, item, complain)) }
        : checkFields(route.fields, given, complain);
    const known = Object.fromEntries(Object.entries(path).map(([key, value]) => [key, value ?? ""]));
    const call = { world, path: known, body: checked, files: body.files, nonces, messageContent };
    const result = route.act(call, around);
    return { status: result === undefined ? 204 : 200, body: result, headers: limited };
  } catch (error) {
    if (error instanceof Refusal) return error.answer;
    throw error;
  }
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw refusal(50_109);
  return value as readonly unknown[];
}

function download({ world, complaints }: State, url: URL, { headers }: IncomingMessage): Answer {
  if (headers.authorization !== undefined) complaints.push("the token was sent to the CDN");
  const bytes = world.fetch(url.pathname, url.searchParams);
  return bytes === undefined
    ? { status: 404, body: "This content is no longer available." }
    : { status: 200, body: bytes };
}
