// Slack on this machine: Socket Mode and the Web API, people and their channels behind it, and a way to make it misbehave.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

import { buttonsIn, callsIn, readMrkdwn, seenIn } from "./blocks.ts";
import { Calls } from "./calls.ts";
import { type Fault, Faults, misbehave } from "./faults.ts";
import { type Answer, bytesOf, close, listen, send } from "./http.ts";
import { METHODS } from "./methods.ts";
import { People, type Teller } from "./people.ts";
import { Refusal } from "./refusal.ts";
import { Sockets } from "./sockets.ts";
import { type Channel, sorted, World } from "./world.ts";

export const ALL_SCOPES =
  "app_mentions:read,channels:history,channels:read,chat:write,commands,files:read,files:write,groups:history,groups:read,im:history,im:write,metadata.message:read,mpim:history,reactions:write,users:read".split(
    ",",
  );

export interface SlackOptions {
  /** Default: the time of the machine. */
  readonly now?: () => number;
  readonly scopes?: readonly string[];
  /** `real`: one message a second in a channel, fifty looks back a minute. Default `off`. */
  readonly limits?: "real" | "off";
}

export interface RequestRecord {
  readonly method: string;
  readonly args: Readonly<Record<string, string>>;
  readonly at: number;
  answer?: Answer;
}

export type Slack = Awaited<ReturnType<typeof startSlack>>;

/** Starts a Slack with one app and no people on 127.0.0.1. */
export async function startSlack({ now = Date.now, scopes = ALL_SCOPES, limits = "off" }: SlackOptions = {}) {
  const watchers = new Set<() => void>();
  const changed = (): void => {
    for (const watcher of [...watchers]) watcher();
  };
  const complaints: string[] = [];
  const complain = (text: string): void => void complaints.push(text);
  const world = new World(now);
  const sockets = new Sockets(changed, complain);
  const faults = new Faults();
  const requests: RequestRecord[] = [];
  const used = new Map<string, number[]>();
  const floods = new Map<string, number>();
  const tokens: { bot: string | undefined; app: string | undefined } = {
    bot: "xoxb-1-emulated",
    app: "xapp-1-emulated",
  };
  const around = {
    openSocket: () => `${world.url.replace("http", "ws")}/link/?ticket=${sockets.ticket()}&app_id=A1`,
    ephemeral: [] as { channel: string; user: string; text: string }[],
    status: [] as { channel: string; thread: string; status: string }[],
    team: "Zoo",
  };
  const calls = new Calls(now, changed);
  const teller: Teller = {
    tell: (type, payload) => (calls.url === undefined ? sockets : calls).tell(type, payload),
  };
  const people = new People(world, teller, changed);

  /** @throws Refusal with the seconds to wait. */
  const limit = (method: string, channel: string): void => {
    const flood = floods.get(method) ?? 0;
    if (flood > now()) throw new Refusal({ ok: false, error: "ratelimited" }, Math.ceil((flood - now()) / 1000));
    if (limits === "off") return;
    const isPost = method === "chat.postMessage";
    if (!isPost && !/^conversations\.(?:history|replies)$/.test(method)) return;
    const [key, most, windowMs] = isPost ? [`${method} ${channel}`, 1, 1000] : [method, 50, 60_000];
    const times = (used.get(key) ?? []).filter((time) => time > now() - windowMs);
    if (times.length >= most)
      throw new Refusal(
        { ok: false, error: "ratelimited" },
        Math.max(1, Math.ceil(((times[0] ?? 0) + windowMs - now()) / 1000)),
      );
    used.set(key, [...times, now()]);
  };

  const answerTo = (name: string, args: Readonly<Record<string, string>>, token: string | undefined): Answer => {
    const method = METHODS[name];
    if (method === undefined) {
      complain(`unknown method ${name}`);
      return { status: 200, body: { ok: false, error: "unknown_method", req_method: name } };
    }
    for (const arg of Object.keys(args)) if (!method.args.includes(arg)) complain(`${name}: unknown argument ${arg}`);
    try {
      if (token === undefined) throw new Refusal({ ok: false, error: "not_authed" });
      if (token !== tokens.bot && token !== tokens.app) throw new Refusal({ ok: false, error: "invalid_auth" });
      if ((token === tokens.app) !== (method.token === "app"))
        throw new Refusal({ ok: false, error: "not_allowed_token_type" });
      const { scope } = method;
      if (scope !== undefined && !scopes.includes(scope))
        throw new Refusal({ ok: false, error: "missing_scope", needed: scope, provided: scopes.join(",") });
      limit(name, args["channel"] ?? "");
      const body = { ok: true, ...method.act({ world, args, scopes, around }) };
      return {
        status: 200,
        body,
        headers: { "x-oauth-scopes": token === tokens.app ? "connections:write" : scopes.join(",") },
      };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { body, retryAfter } = error;
      return retryAfter === undefined
        ? { status: 200, body }
        : { status: 429, body, headers: { "retry-after": String(retryAfter) } };
    }
  };

  const receive = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(incoming.url ?? "/", "http://slack");
    const bytes = await fileIn(incoming.headers["content-type"] ?? "", await bytesOf(incoming));
    const [, kind = "", name = "", id = ""] =
      /^\/(api|upload|files-pri)\/([^/]+)(?:\/([^/]+))?$/.exec(url.pathname) ?? [];
    const token = /^Bearer (.+)$/.exec(incoming.headers.authorization ?? "")?.[1];
    const method = kind === "api" ? name : kind === "upload" ? "upload" : "download";
    const isForm = (incoming.headers["content-type"] ?? "").startsWith("application/x-www-form-urlencoded");
    if (kind === "") complain(`unknown address ${url.pathname}`);
    if (kind === "api" && bytes.length > 0 && !isForm)
      complain(`${name}: ${incoming.headers["content-type"]} is no form`);
    const args = kind === "api" ? Object.fromEntries(new URLSearchParams(bytes.toString("utf8"))) : {};
    const record: RequestRecord = { method, args, at: now() };
    requests.push(record);
    changed();
    const act = (): Answer => {
      if (kind === "api") record.answer = answerTo(name, args, token);
      else if (kind === "upload") record.answer = upload(world, id, bytes);
      else record.answer = download(world, name, token === tokens.bot && scopes.includes("files:read"));
      changed();
      return record.answer;
    };
    const how = faults.take(method);
    if (how !== undefined) misbehave(how, response, act);
    else send(response, act());
  };
  const server = createServer((incoming, response) => {
    receive(incoming, response).catch((error: unknown) => {
      complain(`the emulator itself failed: ${String(error)}`);
      response.destroy();
    });
  });
  server.on("upgrade", (incoming, socket, head: Buffer) => sockets.upgrade(incoming, socket, head));
  world.url = `http://127.0.0.1:${await listen(server)}`;
  return Object.assign(people, {
    url: world.url,
    tokens,
    me: world.me,
    bot: world.bot,
    sockets,
    /** How it calls the app, once `calls.verify` has found it. */
    outgoing: calls,
    requests: requests as readonly RequestRecord[],
    ephemeral: around.ephemeral as readonly (typeof around.ephemeral)[0][],
    status: around.status as readonly (typeof around.status)[0][],
    /** The complaints so far; they no longer count. Disposing throws when there are any. */
    takeComplaints: () => complaints.splice(0),
    shown: (channel: Channel, thread?: string) => shown(world, channel, thread),
    bytes: (file: string) => world.files.get(file)?.bytes,
    fault: (fault: Fault) => faults.add(fault),
    /** 429 for so many seconds. */
    flood: (method: string, seconds: number) => void floods.set(method, now() + seconds * 1000),
    calm: () => floods.clear(),
    calls: (method: string) => requests.filter((one) => one.method === method),
    /** Resolves when it is so; looked at after every request, answer, frame and act of a person. */
    until: (condition: () => boolean) =>
      new Promise<void>((resolve) => {
        const check = (): void => {
          if (!condition()) return;
          watchers.delete(check);
          resolve();
        };
        watchers.add(check);
        check();
      }),
    async [Symbol.asyncDispose]() {
      sockets.end();
      await close(server);
      if (complaints.length > 0) throw new Error(`Slack would not know:\n${complaints.join("\n")}`);
    },
  });
}

/** Bytes as they are, or as the one file of a form. */
async function fileIn(type: string, bytes: Buffer): Promise<Buffer> {
  if (!type.startsWith("multipart/form-data")) return bytes;
  const form = await new Response(new Uint8Array(bytes), { headers: { "content-type": type } }).formData();
  const [file] = [...form.values()].filter((part) => typeof part !== "string");
  return file === undefined ? Buffer.alloc(0) : Buffer.from(await file.arrayBuffer());
}

function upload(world: World, id: string, bytes: Buffer): Answer {
  const file = world.files.get(id);
  if (file === undefined) return { status: 404, body: "no such upload" };
  file.bytes = bytes.length === file.length ? bytes : undefined;
  return file.bytes === undefined
    ? { status: 400, body: "the length is another one" }
    : { status: 200, body: `OK - ${bytes.length}` };
}

/** Who may not is shown where to sign in. */
function download(world: World, id: string, may: boolean): Answer {
  const file = world.files.get(id);
  if (!may || file?.bytes === undefined)
    return {
      status: 200,
      body: "<!DOCTYPE html><title>Slack</title>",
      headers: { "content-type": "text/html; charset=utf-8" },
    };
  return { status: 200, body: file.bytes, headers: { "content-type": file.mediaType } };
}

/** Oldest first: of a thread, or of the chat without its threads. */
function shown(world: World, channel: Channel, thread: string | undefined) {
  return sorted(channel)
    .filter((message) => (thread === undefined ? message.thread_ts === undefined : message.thread_ts === thread))
    .map(({ ts, user, text, blocks = [], edited = false, files = [], unfurl = false }) => ({
      id: `${channel.id}:${ts}`,
      own: user === world.me.id,
      text: blocks.length > 0 ? seenIn(blocks) : readMrkdwn(text),
      notification: text,
      buttons: buttonsIn(blocks),
      calls: callsIn(text, blocks),
      edited,
      files: files.map(({ id, name }) => ({ id: String(id), name: String(name) })),
      unfurl,
    }));
}
