/** What was written while nobody listened: the chats still have it. */
import type { Backfill, SpokenPlace } from "@margay/core/plugin";
import type { Kept } from "./chats.ts";
import { Refusal } from "./errors.ts";
import { isGone, missingScopes } from "./faults.ts";
import { isRecord, recordsOf, textOf, type Wire } from "./json.ts";
import { readItem, type Said } from "./message.ts";
import { takeMessage, type Taking } from "./take.ts";

const PAGE = 50;
/** Between two questions: others of the app ask too. */
const PACE_MS = 25;

interface Missed extends SpokenPlace, Kept {}

/**
 * @param known The chats and topics that are asked for.
 * @param found told of each message that nobody had taken
 */
export function backfillOf(
  known: ReadonlyMap<string, Kept>,
  taking: Taking,
  found: (said: Said) => void,
): Backfill<Missed, Said> {
  let isTold = false;
  const closed = (chat: string, scopes: string): void => {
    if (isTold) return;
    isTold = true;
    const message = `Messages of groups that were written while margay was off may be missing: the app lacks ${scopes}.`;
    taking.account.host.degraded(`${message} Add it on the page Permissions & Scopes, and publish a version.`);
    taking.account.host.log.warn("feishu.backfill-impossible", { chat, message });
  };
  return {
    places: () => [...known].map(([id, kept]) => ({ ...kept, id })),
    async missed(place, { since, most }) {
      const oldest = Math.max(place.at, since);
      const items: Wire[] = [];
      for (let token = ""; items.length < most;) {
        const page = await ask(place, oldest, token, taking);
        if (page === "gone") return page;
        if ("lacks" in page) {
          closed(place.id, page.lacks);
          return "closed";
        }
        items.push(...page.items);
        const last = page.items.at(-1);
        if (page.next === undefined || last === undefined || Number(last["create_time"]) < oldest) break;
        token = page.next;
      }
      const said = items.slice(0, most).flatMap((item) => read(item, place, taking) ?? []);
      return {
        said: said.filter(({ at, id }) => at >= oldest && id !== place.last).toReversed(),
        isCut: items.length >= most,
      };
    },
    async take(said, place) {
      if (await takeMessage(said, taking)) found(said);
      // The list of a chat names the beginning of its topics alone.
      const { thread, chat, isPrivate, at } = said;
      if (thread === undefined || thread.id === place.id) return undefined;
      return { id: thread.id, chat, isPrivate, root: thread.root, at, last: said.id };
    },
  };
}

function read(item: Wire, { isPrivate, chat }: Kept, { account, me }: Taking): Said | undefined {
  try {
    return readItem({ chat_id: chat, ...item }, me, isPrivate);
  } catch (error) {
    account.host.deadLetter(JSON.stringify(item), error);
    return undefined;
  }
}

interface Page {
  /** Newest first. */
  readonly items: readonly Wire[];
  readonly next?: string;
}

async function ask(
  { id, chat }: Missed,
  oldest: number,
  token: string,
  { account, signal }: Taking,
): Promise<Page | "gone" | { readonly lacks: string }> {
  const { api, host, chats } = account;
  const isTopic = chat !== id;
  const query = {
    container_id_type: isTopic ? "thread" : "chat",
    container_id: id,
    // Of a topic Feishu does not take it.
    ...(!isTopic && { start_time: String(Math.floor(oldest / 1000)) }),
    sort_type: "ByCreateTimeDesc",
    page_size: String(PAGE),
    ...(token !== "" && { page_token: token }),
  };
  for (;;)
    try {
      await host.clock.sleep(PACE_MS, signal);
      const body = await api.call("GET", "/im/v1/messages", { signal, query });
      const data = isRecord(body["data"]) ? body["data"] : {};
      const next = data["has_more"] === true ? textOf(data["page_token"]) : undefined;
      return { items: recordsOf(data["items"]), ...(next !== undefined && { next }) };
    } catch (error) {
      if (error instanceof Refusal && error.retryAfterMs !== undefined) {
        await host.clock.sleep(error.retryAfterMs, signal);
        continue;
      }
      const lacks = missingScopes(error);
      if (lacks !== undefined) return { lacks };
      if (!isGone(error)) throw error;
      await chats.forget(id);
      return "gone";
    }
}
