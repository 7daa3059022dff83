// A person at the pages of a gateway: says something, and says yes to whatever is asked, at once.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { World } from "../worlds/world.ts";

interface Page<T> {
  readonly items: readonly T[];
}
interface Question {
  readonly session: string;
  readonly call: string;
  readonly hash: string;
}

export interface Desk {
  /** Of the gateway that runs now. */
  readonly url: string;
  /** Every question that was asked so far. */
  readonly asked: number;
  api(method: "GET" | "POST", path: string, body?: object): Promise<unknown>;
  /** A message and its whole turn. @param chat Messages of one name are one conversation, until the next day. */
  say(chat: string, text: string): Promise<void>;
  /** The gateway is started anew, and every conversation. */
  nextDay(): Promise<void>;
  /** Answers until `work` has ended. */
  attend<T>(work: Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** The gateway takes 600 requests in a minute. */
const POLL_MS = 200;

export async function openDesk(world: World): Promise<Desk> {
  const note = join(world.home, "gateway.json");
  const answered = new Set<string>();
  let chats = new Map<string, string>();
  let gateway = await start(world, note);

  const api = async (method: "GET" | "POST", path: string, body?: object, accept = "application/json") => {
    const response = await fetch(`${gateway.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${gateway.token}`, "content-type": "application/json", accept },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return accept === "application/json" ? (JSON.parse(text) as unknown) : text;
  };
  const answer = async (): Promise<void> => {
    const { items } = (await api("GET", "/approvals")) as Page<Question>;
    for (const { session, call, hash } of items) {
      if (answered.has(`${call} ${hash}`)) continue;
      answered.add(`${call} ${hash}`);
      // What was settled meanwhile needs no answer.
      await api("POST", `/sessions/${session}/approvals/${call}`, { verdict: "allow", hash }).catch(() => {});
    }
  };
  const attend = async <T>(work: Promise<T>): Promise<T> => {
    const ended = work.then(
      () => true,
      () => true,
    );
    const pause = (): Promise<boolean> => new Promise((resolve) => setTimeout(resolve, POLL_MS, false));
    while (!(await Promise.race([ended, pause()]))) await answer();
    return await work;
  };
  return {
    get url() {
      return gateway.url;
    },
    get asked() {
      return answered.size;
    },
    api,
    attend,
    say: async (chat, text) => {
      const id = chats.get(chat) ?? ((await api("POST", "/sessions", {})) as { readonly id: string }).id;
      chats.set(chat, id);
      const parts = [{ type: "text", text }];
      await attend(api("POST", `/sessions/${id}/messages`, { parts }, "text/event-stream")); // it ends with the turn
    },
    nextDay: async () => {
      await gateway.stop();
      chats = new Map();
      gateway = await start(world, note);
    },
    close: () => gateway.stop(),
  };
}

interface Running {
  readonly url: string;
  readonly token: string;
  stop(): Promise<void>;
}

async function start(world: World, note: string): Promise<Running> {
  rmSync(note, { force: true });
  const ended = world.margay("gateway", "--no-open");
  const early = ended.then(({ code, err }) => {
    throw new Error(`the gateway ended with ${code}: ${err}`);
  });
  const look = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, POLL_MS));
  while (!existsSync(note)) await Promise.race([look(), early]);
  const { url, token, pid } = JSON.parse(readFileSync(note, "utf8")) as Omit<Running, "stop"> & {
    readonly pid: number;
  };
  early.catch(() => {}); // from here on it is told to
  return {
    url,
    token,
    stop: async () => {
      process.kill(pid, "SIGTERM");
      await ended;
    },
  };
}
