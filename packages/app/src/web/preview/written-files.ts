/** Which files the tools of a chat wrote, as its calls say. */
import { callsOf, isRecord, type CallView } from "@margay/core/internal/state";
import type { Item } from "@margay/core/state";
import type { LiveCall } from "../store/overlay.ts";

const WRITERS: ReadonlySet<string> = new Set(["write_file", "edit_file"]);

export interface Written {
  readonly path: string;
  /** How often it was written so far. */
  readonly version: number;
}

/** @param turn Only what it wrote is given back; what came before counts. In the order of their last change. */
export function writtenIn(items: readonly Item[], turn: string | undefined): readonly Written[] {
  const counts = new Map<string, number>();
  const inTurn = new Set<string>();
  for (const item of items) {
    if (item.kind !== "assistant") continue;
    for (const call of callsOf(item)) {
      const path = pathOf(call);
      if (path === undefined || call.status !== "ok") continue;
      counts.set(path, (counts.get(path) ?? 0) + 1);
      if (item.turn !== turn) continue;
      inTurn.delete(path);
      inTurn.add(path);
    }
    if (item.turn === turn) continue;
  }
  return [...inTurn].map((path) => ({ path, version: counts.get(path) ?? 1 }));
}

/** @returns how often the chat wrote the file, and whether it is being written now. */
export function versionOf(
  items: readonly Item[],
  live: readonly LiveCall[],
  path: string,
): { readonly version: number; readonly isWriting: boolean } {
  const calls = items
    .flatMap((item) => (item.kind === "assistant" ? callsOf(item) : []))
    .filter((call) => pathOf(call) === path);
  const version = calls.filter(({ status }) => status === "ok").length;
  const isWriting =
    calls.some(({ status }) => status === "running" || status === "proposed" || status === "allowed") ||
    live.some(({ name, argsText }) => WRITERS.has(name) && argsText.includes(JSON.stringify(path)));
  return { version, isWriting };
}

function pathOf({ name, input }: CallView): string | undefined {
  if (!WRITERS.has(name) || !isRecord(input)) return undefined;
  const path = input["path"];
  return typeof path === "string" ? path.replace(/^\.\//, "") : undefined;
}
