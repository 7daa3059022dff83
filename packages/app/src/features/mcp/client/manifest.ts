/** What a server says of itself as a person approves it: the hash, the texts to read, and what differs from before. */
import { type Effect } from "@margay/core";
import { sha256, type ServerReview, type TextChange, type ToolChange } from "@margay/core/internal";
import type { Definition, Offer } from "./types.ts";

/** A tool of a manifest: the hash of its definition, and what a person compares. */
export interface PinnedTool {
  readonly hash: string;
  readonly description: string;
  /** Absent in pins of earlier versions, as is the next one. */
  readonly effect?: Effect;
  /** JSON. */
  readonly parameters?: string;
}
export interface Manifest {
  readonly tools: Readonly<Record<string, PinnedTool>>;
  /** Absent: accepted by an earlier version, which did not look at them. No request holds them then or now. */
  readonly instructions?: string;
}

/** All tools of one name are one entry: whichever of them is offered, it was approved with the others. */
export function manifestOf({ definitions, instructions }: Offer): Manifest {
  const tools = Object.fromEntries(
    [...Map.groupBy(definitions, ({ name }) => name)].map(([name, same]): [string, PinnedTool] => {
      const values = same.map(({ description, inputSchema, annotations }) => [
        name,
        description,
        inputSchema,
        annotations,
      ]);
      return [
        name,
        {
          hash: sha256(stable(values.length === 1 ? values[0] : values)),
          description: same.map(({ description }) => description).join("\n"),
          effect: same.map(effectOf).toSorted(bolderFirst)[0] ?? "write",
          parameters: same.map(({ inputSchema }) => stable(inputSchema)).join("\n"),
        },
      ];
    }),
  );
  return { tools, instructions };
}

/** What the server says of itself; nothing said: it may change anything. */
export function effectOf({ annotations }: Pick<Definition, "annotations">): Effect {
  if (annotations.readOnly) return "read";
  return annotations.idempotent ? "idempotent" : "write";
}

/** Whoever approves this approves all of it. */
export function hashOf({ tools, instructions }: Manifest): string {
  const hashes = Object.fromEntries(Object.entries(tools).map(([name, { hash }]) => [name, hash]));
  return sha256(stable([hashes, instructions]));
}

/** Whether `seen` is what was approved. What nobody looked at then is not compared: it is in no request. */
export function isSame(approved: Manifest, seen: Manifest): boolean {
  const known = approved.instructions === undefined ? { tools: seen.tools } : seen;
  return hashOf(approved) === hashOf(known);
}

/** @param approved Undefined: nothing was. */
export function reviewOf(approved: Manifest | undefined, waiting: Manifest): ServerReview {
  const before = approved?.instructions;
  const after = waiting.instructions;
  const differs = (before ?? "") !== (after ?? "");
  return {
    hash: hashOf(waiting),
    isFirst: approved === undefined,
    tools: changesOf(approved?.tools ?? {}, waiting.tools),
    ...(differs && { instructions: textChange(before, after) }),
  };
}

function changesOf(before: Manifest["tools"], after: Manifest["tools"]): readonly ToolChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return names.flatMap((tool): readonly ToolChange[] => {
    const [old, now] = [own(before, tool), own(after, tool)];
    if (old?.hash === now?.hash) return [];
    const kind = old === undefined ? "added" : now === undefined ? "removed" : "changed";
    return [{ tool, kind, ...textChange(old?.description, now?.description), ...details(old, now) }];
  });
}

function details(old: PinnedTool | undefined, now: PinnedTool | undefined): Pick<ToolChange, "effect" | "parameters"> {
  if (now === undefined) return {};
  return {
    ...(old?.effect !== now.effect && {
      effect: {
        ...(old?.effect !== undefined && { before: old.effect }),
        ...(now.effect !== undefined && { after: now.effect }),
      },
    }),
    ...((old?.parameters ?? "") !== (now.parameters ?? "") && {
      parameters: textChange(old?.parameters, now.parameters),
    }),
  };
}

function textChange(before: string | undefined, after: string | undefined): TextChange {
  return { ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
}

/** A tool may be called `constructor`. */
function own(tools: Manifest["tools"], name: string): PinnedTool | undefined {
  return Object.hasOwn(tools, name) ? tools[name] : undefined;
}

const BOLDNESS: Readonly<Record<Effect, number>> = { write: 0, idempotent: 1, read: 2 };

function bolderFirst(a: Effect, b: Effect): number {
  return BOLDNESS[a] - BOLDNESS[b];
}

/** Equal values, equal text: the order of keys says nothing. */
export function stable(value: unknown): string {
  return (
    JSON.stringify(value, (_, item: unknown) =>
      typeof item === "object" && item !== null && !Array.isArray(item)
        ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : item,
    ) ?? ""
  );
}
