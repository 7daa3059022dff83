/** What the gateway remembers of `/v1` beside the journals: which text a session answers to, which turn a response is. */
import { appendFile } from "node:fs/promises";
import { dirname } from "node:path";
import { type Clock, type JsonObject, type Logger } from "@margay/core";
import { makeDirectory, readIfExists, replaceFile } from "@margay/core/internal";

/** A session of a token, by what the client has seen of it. */
export interface KnownSession {
  readonly type: "session";
  readonly key: string;
  readonly token: string;
  readonly name: string;
  /** Hash of `user`; "" without one. */
  readonly space: string;
  /** Of all messages of the client and the answers to them. */
  readonly fingerprint: string;
  readonly at: number;
  /** The turn that waits for the client's tools. */
  readonly waiting?: string;
  /** Removed then; absent: it has a name and stays. */
  readonly expiresAt?: number;
}
/** An object of `/v1/responses`; what it says is in the journal. */
export interface KnownResponse {
  readonly type: "response";
  readonly id: string;
  readonly token: string;
  readonly session: string;
  /** Inbox key of the message it answers. */
  readonly message: string;
  /** It goes on with a turn instead, from behind this commit. */
  readonly segment?: { readonly turn: string; readonly after: number };
  readonly model: string;
  readonly at: number;
  /** Members of the object that only repeat the request. */
  readonly echo: JsonObject;
}
type Line =
  | KnownSession
  | KnownResponse
  | { readonly type: "session-gone"; readonly key: string }
  | { readonly type: "response-gone"; readonly id: string };

export interface ApiIndex {
  session(key: string): KnownSession | undefined;
  /** An unnamed session that has said exactly this. */
  matching(token: string, space: string, fingerprint: string): KnownSession | undefined;
  waitingFor(token: string, turn: string): KnownSession | undefined;
  latest(token: string, space: string): KnownSession | undefined;
  remember(session: Omit<KnownSession, "type">): void;
  forget(key: string): void;
  expired(now: number): readonly KnownSession[];
  response(id: string): KnownResponse | undefined;
  keep(response: Omit<KnownResponse, "type">): void;
  drop(id: string): void;
  /** An unnamed session without responses is removed soon. */
  release(key: string, now: number): void;
  /** Resolves when what was remembered is in the file. */
  flush(): Promise<void>;
}

/** As long as the original keeps them. */
const RESPONSE_MS = 30 * 24 * 3_600_000;
/** Lines beyond twice what is known, before the file is written anew. */
const SLACK = 1000;

/** A lost or damaged line costs a match, never a conversation: those are in the journals. */
export function openApiIndex(path: string, clock: Clock, log: Logger): ApiIndex {
  /** The one that was remembered last stands last, in the file too. */
  const sessions = new Map<string, KnownSession>();
  const responses = new Map<string, KnownResponse>();
  const prints = new Map<string, string>();
  const unnamed = ({ expiresAt }: KnownSession): boolean => expiresAt !== undefined;

  const remove = (key: string): void => {
    const before = sessions.get(key);
    // Another may have said the same since.
    if (before !== undefined && prints.get(printOf(before)) === key) prints.delete(printOf(before));
    sessions.delete(key);
  };
  const take = (line: Line): void => {
    switch (line.type) {
      case "session":
        remove(line.key);
        sessions.set(line.key, line);
        if (unnamed(line)) prints.set(printOf(line), line.key);
        return;
      case "session-gone":
        remove(line.key);
        for (const { id, session } of [...responses.values()]) if (session === line.key) responses.delete(id);
        return;
      case "response":
        responses.set(line.id, line);
        return;
      case "response-gone":
        responses.delete(line.id);
        return;
    }
  };

  let lines = 0;
  /** What still says something. A line that was taken and not written yet is in it: written once more, it says the same. */
  const rewrite = (): void => {
    for (const { id, at } of [...responses.values()]) if (at < clock.now() - RESPONSE_MS) responses.delete(id);
    const all = [...sessions.values(), ...responses.values()];
    replaceFile(path, all.map(textOf).join(""));
    lines = all.length;
  };
  for (const line of readLines(path)) take(line);
  makeDirectory(dirname(path));
  rewrite();

  let written: Promise<void> = Promise.resolve();
  const append = (line: Line): void => {
    take(line);
    written = written
      .then(async () => {
        await appendFile(path, textOf(line), { mode: 0o600 });
        lines += 1;
        if (lines > 2 * (sessions.size + responses.size) + SLACK) rewrite();
      })
      .catch((error: unknown) =>
        log.warn("api.index", { message: error instanceof Error ? error.message : "unknown" }),
      );
  };
  return {
    session: (key) => sessions.get(key),
    matching: (token, space, fingerprint) => sessions.get(prints.get(printOf({ token, space, fingerprint })) ?? ""),
    waitingFor: (token, turn) => [...sessions.values()].find((one) => one.token === token && one.waiting === turn),
    latest: (token, space) =>
      [...sessions.values()].findLast((one) => unnamed(one) && one.token === token && one.space === space),
    remember: (session) => append({ type: "session", ...session }),
    forget: (key) => append({ type: "session-gone", key }),
    expired: (now) => [...sessions.values()].filter(({ expiresAt }) => expiresAt !== undefined && expiresAt <= now),
    response: (id) => responses.get(id),
    keep: (response) => append({ type: "response", ...response }),
    drop: (id) => {
      if (responses.has(id)) append({ type: "response-gone", id });
    },
    release: (key, now) => {
      const session = sessions.get(key);
      if (session?.expiresAt === undefined || [...responses.values()].some((one) => one.session === key)) return;
      append({ ...session, fingerprint: "", expiresAt: now });
    },
    flush: () => written,
  };
}

function textOf(line: Line): string {
  return `${JSON.stringify(line)}\n`;
}

function printOf({ token, space, fingerprint }: Pick<KnownSession, "token" | "space" | "fingerprint">): string {
  return `${token}\n${space}\n${fingerprint}`;
}

function readLines(path: string): readonly Line[] {
  const text = readIfExists(path)?.toString("utf8") ?? "";
  return text.split("\n").flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return typeof value === "object" && value !== null && "type" in value ? [value as Line] : []; // our own file
    } catch {
      return []; // torn by a crash
    }
  });
}
