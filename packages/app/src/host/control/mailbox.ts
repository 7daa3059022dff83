/** Requests of other margay commands to the process that holds the lock: files in a directory only its owner can enter. */
import { readdirSync, readFileSync, rmSync, watch } from "node:fs";
import { join } from "node:path";
import { type Json, type JsonObject } from "@margay/core";
import { isRecord, makeDirectory, messageOf, replaceFile } from "@margay/core/internal";
import type { AuditEvent } from "../audit-events.ts";

export type MailRequest =
  | { readonly type: "approvals" }
  /** Lists the kept answers; with an id takes that one back. */
  | { readonly type: "rules"; readonly remove?: string }
  | { readonly type: "cron"; readonly action: JsonObject }
  | { readonly type: "quarantine"; readonly action: JsonObject }
  | { readonly type: "trust"; readonly action: JsonObject }
  | { readonly type: "undo"; readonly action: JsonObject }
  | { readonly type: "estop"; readonly on: boolean }
  /** Something another command did, for the audit log: only the process that holds the lock writes there. */
  | { readonly type: "record"; readonly name: RecordedName; readonly data: JsonObject }
  | {
      readonly type: "resolve";
      readonly verdict: "allow" | "deny";
      readonly code: string;
      readonly remember?: Remember;
    };

/** What other commands may put into the audit log. */
export type RecordedName = (typeof RECORDED)[number];
export const RECORDED = [
  "mcp.approved",
  "mcp.refused",
  "pairing.approved",
  "pairing.refused",
  "pairing.removed",
  "estop.on",
  "estop.off",
  "schedule.released",
] as const satisfies readonly AuditEvent[];

/** For how long a yes holds. */
export type Remember = "session" | "always";

/** Types of requests with an action of their own. */
const ACTING = ["cron", "quarantine", "trust", "undo"] as const;

const REQUEST = ".request.json";
const ANSWER = ".answer.json";

export interface Mailbox extends AsyncDisposable {
  /** The directory that is watched. */
  readonly directory: string;
}

/** Answers requests until disposed. Requests left by a command that gave up are removed. */
export function openMailbox(
  directory: string,
  handle: (request: MailRequest) => Promise<Json>,
  failed: (message: string) => void,
): Mailbox {
  makeDirectory(directory);
  for (const name of readdirSync(directory))
    if (name.endsWith(REQUEST) || name.endsWith(ANSWER)) rmSync(join(directory, name), { force: true });
  let tail: Promise<void> = Promise.resolve();
  const answer = async (): Promise<void> => {
    for (const name of readdirSync(directory).filter((one) => one.endsWith(REQUEST))) {
      const request = take(join(directory, name));
      const result = request === undefined ? { error: "malformed" } : await handle(request);
      replaceFile(join(directory, name.replace(REQUEST, ANSWER)), JSON.stringify(result));
    }
  };
  const watcher = watch(directory, { persistent: false }, () => {
    tail = tail.then(answer).catch((error: unknown) => failed(messageOf(error)));
  });
  return {
    directory,
    [Symbol.asyncDispose]: async () => {
      watcher.close();
      await tail;
    },
  };
}

/**
 * Asks the process that holds the lock.
 * @returns undefined when `signal` aborted before it answered.
 */
export async function askMailbox(
  directory: string,
  id: string,
  request: MailRequest,
  signal: AbortSignal,
): Promise<Json | undefined> {
  makeDirectory(directory);
  const path = join(directory, `${id}${ANSWER}`);
  const arrived = Promise.withResolvers<Json | undefined>();
  const look = (): void => {
    const text = readText(path);
    if (text !== undefined) arrived.resolve(JSON.parse(text) as Json); // written by openMailbox
  };
  const watcher = watch(directory, look);
  signal.addEventListener("abort", () => arrived.resolve(undefined), { once: true });
  try {
    replaceFile(join(directory, `${id}${REQUEST}`), JSON.stringify(request));
    look();
    return await arrived.promise;
  } finally {
    watcher.close();
    for (const ending of [REQUEST, ANSWER]) rmSync(join(directory, `${id}${ending}`), { force: true });
  }
}

/** Removed as it is read, so that it is answered once. */
function take(path: string): MailRequest | undefined {
  const text = readText(path);
  rmSync(path, { force: true });
  if (text === undefined) return undefined;
  let value: JsonObject;
  try {
    value = JSON.parse(text) as JsonObject; // looked at below
  } catch {
    return undefined; // not ours: replaceFile never leaves half a file
  }
  if (value["type"] === "approvals") return { type: "approvals" };
  const { type, verdict, code, action, remember, remove, on, data } = value;
  if (type === "rules") return { type, ...(typeof remove === "string" && { remove }) };
  if (type === "estop" && typeof on === "boolean") return { type, on };
  const name = RECORDED.find((each) => each === value["name"]);
  if (type === "record" && name !== undefined && isRecord(data)) return { type, name, data };
  const acts = ACTING.find((each) => each === type);
  if (acts !== undefined && isRecord(action)) return { type: acts, action }; // looked at where it is done
  return type === "resolve" && (verdict === "allow" || verdict === "deny") && typeof code === "string"
    ? { type, verdict, code, ...((remember === "session" || remember === "always") && { remember }) }
    : undefined;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // gone already: somebody else took it
  }
}
