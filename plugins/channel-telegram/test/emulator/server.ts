// From a request to its answer.

import type { IncomingMessage, ServerResponse } from "node:http";

import { misbehave, type Faults } from "./faults.ts";
import { bytesOf, readBody, send, type Answer, type Body } from "./http.ts";
import { HANDLERS } from "./methods.ts";
import { checkParams, type Params } from "./params.ts";
import { badRequest, Refusal } from "./refusal.ts";
import { METHODS, methodOf, type Method } from "./schema.ts";
import type { World } from "./world.ts";

/** A request in the journal. `answer` is absent as long as there is none. */
export interface RequestRecord {
  /** As Telegram spells it; `file` for a download. */
  readonly method: string;
  readonly params: Params;
  /** Names and sizes of what was sent with it. */
  readonly files: Readonly<Record<string, number>>;
  readonly at: number;
  answer?: Answer;
}

/** What belongs to one server. */
export interface State {
  readonly world: World;
  readonly token: string;
  readonly faults: Faults;
  readonly requests: RequestRecord[];
  readonly complaints: string[];
  readonly without: ReadonlySet<string>;
  readonly watchers: Set<() => void>;
  revoked: boolean;
}

/** One request: into the journal, past the faults, answered. */
export async function receive(state: State, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(incoming.url ?? "/", "http://telegram");
  const [, file, token = "", rest = ""] = /^(\/file)?\/bot([^/]+)\/(.+)$/.exec(pathname) ?? [];
  const method = file === undefined ? (methodOf(rest) ?? rest) : "file";
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  if (state.faults.takeHead(method)) {
    state.requests.push({ method, params: {}, files: {}, at: state.world.clock.now() });
    notify(state.watchers);
    response.destroy();
    return;
  }
  const bytes = await bytesOf(incoming);
  const body = bytes === undefined ? undefined : bodyOf(incoming.headers["content-type"] ?? "", searchParams, bytes);
  const values = file === undefined ? (body?.values ?? {}) : { path: rest };
  const files = Object.fromEntries([...(body?.files ?? [])].map(([name, { bytes: sent }]) => [name, sent.length]));
  const record: RequestRecord = { method, params: values, files, at: state.world.clock.now() };
  state.requests.push(record);
  notify(state.watchers);
  const act = async (): Promise<Answer> => {
    record.answer = await answerTo(state, { file: file !== undefined, token, method, rest }, bytes, body, gone.signal);
    notify(state.watchers);
    return record.answer;
  };
  const how = state.faults.take(method, values);
  if (how !== undefined) await misbehave(how, response, state.world.clock, act);
  else send(response, await act());
}

/** Something happened: whoever waits looks again. */
export function notify(watchers: ReadonlySet<() => void>): void {
  for (const watcher of watchers) watcher();
}

function bodyOf(type: string, query: URLSearchParams, bytes: Buffer): Body | undefined {
  try {
    return readBody(type, query, bytes);
  } catch {
    return undefined;
  }
}

async function answerTo(
  state: State,
  { file, token, method, rest }: { file: boolean; token: string; method: string; rest: string },
  bytes: Buffer | undefined,
  body: Body | undefined,
  gone: AbortSignal,
): Promise<Answer> {
  try {
    if (token === "") throw new Refusal(404, "Not Found");
    if (token !== state.token || state.revoked) throw new Refusal(401, "Unauthorized");
    if (file) return download(state.world, rest);
    if (bytes === undefined) throw new Refusal(413, "Request Entity Too Large");
    if (!(method in METHODS) || state.without.has(method)) {
      if (!state.without.has(method)) state.complaints.push(`unknown method ${method}`);
      throw new Refusal(404, "Not Found");
    }
    if (body === undefined) {
      state.complaints.push(`${method}: the body is not what its content type says`);
      throw badRequest("can't parse request");
    }
    const known = method as Method; // looked up a few lines above
    const complain = (text: string): void => void state.complaints.push(`${known}: ${text}`);
    const { params, files } = checkParams(METHODS[known], body, complain);
    const result = await HANDLERS[known](state.world, params as never, { files, gone }); // its table was checked on the line above
    return { status: 200, body: { ok: true, result } };
  } catch (error) {
    if (error instanceof Refusal) return error.answer();
    throw error;
  }
}

function download({ files, clock }: World, path: string): Answer {
  const file = [...files.values()].find((one) => one.path === path && (one.pathUntil ?? 0) > clock.now());
  if (file === undefined) throw new Refusal(404, "Not Found");
  return { status: 200, body: file.bytes };
}
