// `cron/jobs.json` of nanobot, which is also the form of our own view of the jobs; OpenClaw's differs in a few words.
import type { Json, JsonObject } from "@margay/core";
import type { JobRequest } from "@margay/core/internal";
import { isRecord } from "@margay/core/internal";
import { listOf, objectOf, parseJson, textOf } from "../json.ts";
import type { Source } from "../source.ts";

export interface Changes {
  /** The file. */
  readonly from: string;
  /** By id, as they are now. */
  readonly changed: ReadonlyMap<string, JsonObject>;
  readonly removed: ReadonlySet<string>;
  /** Of `changed`, once the file has been read: what was not in it. */
  readonly added: Map<string, JsonObject>;
}

/** `cron/action.jsonl`: what was done to jobs while the program did not run, and waits for its start. */
export function changedJobs(found: Source, from: string, text: string): Changes {
  const changed = new Map<string, JsonObject>();
  const removed = new Set<string>();
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const action = objectOf(parseJson(line));
    const params = objectOf(action["params"]);
    const id = textOf(params["id"]) ?? textOf(params["job_id"]);
    if (id === undefined || typeof action["action"] !== "string") {
      const reason = { key: "import.why.unreadable", values: { why: "action" } } as const;
      found.skipped.push({ area: "job", from: `${from} ${String(index + 1)}`, reason });
    } else if (action["action"] === "del") {
      changed.delete(id);
      removed.add(id);
    } else {
      changed.set(id, params);
      removed.delete(id);
    }
  }
  return { from, changed, removed, added: new Map(changed) };
}

export function nanobotJobs(found: Source, from: string, text: string, changes?: Changes): void {
  const parsed = parseJson(text);
  const rows = isRecord(parsed) ? parsed["jobs"] : parsed;
  if (!Array.isArray(rows)) {
    const reason = { key: "import.why.unreadable", values: { why: "jobs" } } as const;
    found.skipped.push({ area: "job", from, reason });
    return;
  }
  listOf(rows).forEach((row, index) => {
    const given = objectOf(row);
    const id = textOf(given["id"]) ?? String(index + 1);
    const place = `${from} ${id}`;
    changes?.added.delete(id);
    if (changes?.removed.has(id) === true)
      return found.skipped.push({ area: "job", from: place, reason: { key: "import.why.removed" } });
    const changed = changes?.changed.get(id);
    if (changed === undefined) addJob(found, place, given, id);
    else addJob(found, `${changes?.from ?? from} ${id}`, changed, id);
  });
}

export function addJob(found: Source, from: string, job: JsonObject, id: string): void {
  const skip = (reason: Source["skipped"][number]["reason"]): void =>
    void found.skipped.push({ area: "job", from, reason });
  const kind = objectOf(job["payload"])["kind"];
  // Its own housekeeping, which is a setting here: heartbeat, and the sorting of memory.
  if (found.kind === "nanobot" && kind === "system_event") return skip({ key: "import.why.system" });
  const request = requestOf(job, `${found.kind}-${id}`);
  if (typeof request === "string") skip({ key: "import.why.job", values: { why: request } });
  else found.jobs.push({ from, request });
}

/** @returns what is missing, when something is. */
function requestOf(job: JsonObject, id: string): (JobRequest & { readonly id: string }) | string {
  const schedule = objectOf(job["schedule"]);
  const payload = objectOf(job["payload"]);
  const name = textOf(job["name"]);
  const message = textOf(payload["message"]) ?? textOf(payload["text"]);
  if (message === undefined) return "message";
  const time = timeOf(schedule);
  if (time === undefined) return `schedule ${JSON.stringify(schedule)}`;
  const mode = payload["mode"];
  const misfire = job["misfire"];
  return {
    id,
    ...(name !== undefined && { name }),
    message,
    ...time,
    ...((mode === "agent" || mode === "deliver") && { mode }),
    ...((misfire === "skip" || misfire === "latest_once" || misfire === "all") && { misfire }),
    ...(job["enabled"] === false && { enabled: false }),
    to: targetOf(job, payload),
  };
}

/** The chat it was made in; without one there is nobody to send to but the terminal. */
function targetOf(job: JsonObject, payload: JsonObject): JobRequest["to"] {
  const delivery = objectOf(job["delivery"]);
  const both = (channel: Json | undefined, chat: Json | undefined): JobRequest["to"] | undefined => {
    const [where, whom] = [textOf(channel), textOf(chat)];
    return where === undefined || whom === undefined ? undefined : { channel: where, chat: whom };
  };
  const key = textOf(payload["sessionKey"] ?? payload["session_key"]);
  const colon = key?.indexOf(":") ?? -1;
  return (
    both(payload["channel"], payload["to"]) ??
    both(payload["originChannel"] ?? payload["origin_channel"], payload["originChatId"] ?? payload["origin_chat_id"]) ??
    both(delivery["channel"], delivery["to"]) ??
    (key !== undefined && colon > 0 ? both(key.slice(0, colon), key.slice(colon + 1)) : undefined) ?? {
      channel: "cli",
      chat: "direct",
    }
  );
}

function timeOf(schedule: JsonObject): Partial<JobRequest> | undefined {
  const number = (camel: string, snake: string): number | undefined => {
    const value = schedule[camel] ?? schedule[snake];
    return typeof value === "number" ? value : undefined;
  };
  const atMs = number("atMs", "at_ms");
  const everyMs = number("everyMs", "every_ms");
  const anchor = number("anchorMs", "anchor_ms");
  const expression = textOf(schedule["expr"]);
  const tz = textOf(schedule["tz"]);
  const at = atMs ?? textOf(schedule["at"]);
  if (schedule["kind"] === "at" && at !== undefined) return { at };
  if (schedule["kind"] === "every" && everyMs !== undefined)
    return { every_seconds: everyMs / 1000, ...(anchor !== undefined && { anchor }) };
  if (schedule["kind"] === "cron" && expression !== undefined)
    return { cron_expr: expression, ...(tz !== undefined && { tz }) };
  return undefined;
}
