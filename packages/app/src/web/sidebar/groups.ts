/** Chats in groups by age, with branches under their root. */
import { dayNumber } from "../texts/format.ts";
import { folderOf, type Filter } from "../store/sessions.ts";
import type { SessionSummary } from "../wire.ts";

export type GroupId = "pinned" | "today" | "yesterday" | "week" | "older" | "archived";
export interface Row {
  readonly summary: SessionSummary;
  readonly branch: boolean;
}
export interface Group {
  readonly id: GroupId;
  readonly rows: readonly Row[];
}

/** Nobody wrote what they begin with. */
const PROGRAMS: ReadonlySet<string> = new Set(["cron", "heartbeat", "greeting", "hook", "subagent"]);

/** Started by a program, and neither pinned nor in need of somebody. */
export function isOfPrograms({ source, pinned, state, approvals }: SessionSummary): boolean {
  return PROGRAMS.has(source) && !pinned && state !== "waiting" && approvals === 0;
}

export function passes(filter: Filter, one: SessionSummary): boolean {
  if (filter === "archived") return one.archived;
  if (one.archived) return false;
  const folder = folderOf(filter);
  if (folder !== undefined) return one.folder === folder;
  switch (filter) {
    case "all":
      return true;
    case "running":
      return one.state === "running";
    case "waiting":
      return one.state === "waiting" || one.approvals > 0;
    case "channels":
      return one.source === "channel";
    case "schedule":
      return ["cron", "heartbeat", "greeting"].includes(one.source);
    default:
      return false;
  }
}

/** @param sessions newest first. */
export function grouped(sessions: readonly SessionSummary[], now: number): readonly Group[] {
  const known = new Set(sessions.map(({ id }) => id));
  const branches = new Map<string, SessionSummary[]>();
  for (const one of sessions) {
    const root = one.forkedFrom?.session;
    if (root !== undefined && known.has(root) && !one.pinned) branches.set(root, [...(branches.get(root) ?? []), one]);
  }
  const under = new Set([...branches.values()].flat().map(({ id }) => id));
  const groups = new Map<GroupId, Row[]>();
  const add = (summary: SessionSummary, group: GroupId, branch: boolean, depth: number): void => {
    const rows = groups.get(group) ?? [];
    groups.set(group, [...rows, { summary, branch }]);
    // A copy of a copy stands at the same depth: one step says "branch of the one above".
    if (depth < 8) for (const child of branches.get(summary.id) ?? []) add(child, group, true, depth + 1);
  };
  for (const one of sessions) if (!under.has(one.id)) add(one, groupOf(one, now), false, 0);
  const order: readonly GroupId[] = ["pinned", "today", "yesterday", "week", "older", "archived"];
  return order.flatMap((id) => {
    const rows = groups.get(id);
    return rows ? [{ id, rows }] : [];
  });
}

function groupOf(one: SessionSummary, now: number): GroupId {
  if (one.archived) return "archived";
  if (one.pinned) return "pinned";
  const days = dayNumber(now) - dayNumber(one.updatedAt);
  return days <= 0 ? "today" : days === 1 ? "yesterday" : days < 7 ? "week" : "older";
}
