/** Search in one conversation: its items as they are shown, so that nothing has to be indexed first and parts of words count. */
import type { Clock } from "@margay/core";
import type { SessionId } from "@margay/core/internal";
import { createView, type Item, type SessionView } from "@margay/core/state";
import type { z } from "zod";
import { politely } from "../../host/live/politely.ts";
import type { Reader } from "../../host/live/reader.ts";
import type { SearchQuery } from "../../protocol/search.ts";

type Wanted = Pick<z.output<typeof SearchQuery>, "q" | "from" | "to" | "limit">;

export interface FoundItem {
  readonly item: Item & { readonly kind: "assistant" | "user" };
  readonly text: string;
}

export interface FoundIn {
  /** The newest first, at most as many as were wanted. */
  readonly found: readonly FoundItem[];
  readonly total: number;
}

/** What people and the model said that holds every word of the query; upper case, accents and width of letters do not count. */
export async function findIn(
  id: SessionId,
  { q, from = 0, to = Number.POSITIVE_INFINITY, limit }: Wanted,
  { reader, clock }: { readonly reader: Reader; readonly clock: Clock },
): Promise<FoundIn> {
  const words = folded(q)
    .split(/\s+/)
    .filter((word) => word !== "");
  const view = await reader.view(id);
  const long = view.items.some(isCut) ? await wholeView(id, reader) : view;
  const found: FoundItem[] = [];
  let total = 0;
  for await (const shown of politely(view.items.toReversed(), clock)) {
    if (!isSaid(shown) || shown.at < from || shown.at > to) continue;
    const whole = isCut(shown) ? (long.items[long.indexOf(shown.id) ?? -1] ?? shown) : shown;
    const text = textOf(whole);
    const plain = folded(text);
    if (!words.every((word) => plain.includes(word))) continue;
    total += 1;
    if (found.length < limit) found.push({ item: shown, text });
  }
  return { found, total };
}

/** A message of more than 64 KiB is shown by its ends: it is looked through as it was said. */
async function wholeView(id: SessionId, reader: Reader): Promise<SessionView> {
  const whole = createView(id);
  for await (const commit of reader.whole(id)) whole.apply(commit);
  return whole;
}

function isSaid(item: Item): item is FoundItem["item"] {
  return item.kind === "assistant" || (item.kind === "user" && item.command !== true);
}

function isCut(item: Item): boolean {
  return item.kind === "user" && item.parts.some((part) => part.type === "text" && part.cut !== undefined);
}

function textOf(item: Item): string {
  if (!isSaid(item)) return "";
  return item.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** As the index of all conversations folds them. Most texts need no more than lower case. */
function folded(text: string): string {
  if (/^\p{ASCII}*$/u.test(text)) return text.toLowerCase();
  return text
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .toLowerCase();
}
