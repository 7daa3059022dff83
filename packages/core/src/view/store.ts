/** The items of a view, found by what later records say of them: message, call, reply. */
import type { CallId } from "../contract/base.ts";
import { isWaiting } from "./calls.ts";
import type { ApprovalView, AssistantItemPart, CallView, Item, ItemOf } from "./types.ts";

export interface ItemStore {
  readonly items: readonly Item[];
  readonly pending: readonly ItemOf<"user">[];
  readonly approvals: readonly ApprovalView[];
  indexOf(id: string): number | undefined;
  add(item: Item): void;
  /** What is older than the first item that is held is not found, and nothing happens. */
  onMessage(id: string, change: (item: ItemOf<"user">) => Item): void;
  onCall(id: CallId, change: (call: CallView) => CallView): void;
  /** @returns whether it is known and not delivered. */
  onDelivery(reply: string, change: (item: ItemOf<"delivery">) => Item): boolean;
  /** New or other since the last time this was asked. */
  takeTouched(): readonly Item[];
}

/** Where later records will look for an item. */
interface Index {
  readonly calls: Map<CallId, string>;
  readonly messages: Map<string, string>;
  readonly deliveries: Map<string, string>;
  readonly waiting: Set<string>;
  readonly asked: Set<CallId>;
}

export function createItemStore(initial: readonly Item[]): ItemStore {
  const items: Item[] = [...initial];
  const places = new Map<string, number>();
  const index: Index = {
    calls: new Map(),
    messages: new Map(),
    deliveries: new Map(),
    waiting: new Set(),
    asked: new Set(),
  };
  let touched = new Map<string, Item>();
  items.forEach((item, place) => {
    places.set(item.id, place);
    note(item, index);
  });

  const at = (id: string | undefined): Item | undefined => {
    const place = id === undefined ? undefined : places.get(id);
    return place === undefined ? undefined : items[place];
  };
  const put = (before: Item, after: Item): void => {
    const place = places.get(before.id);
    if (place === undefined || after === before) return;
    items[place] = after;
    touched.set(after.id, after);
    note(after, index);
  };

  return {
    items,
    get pending() {
      return [...index.waiting].flatMap((id) => {
        const item = at(id);
        return item?.kind === "user" ? [item] : [];
      });
    },
    get approvals() {
      return [...index.asked].flatMap((id) => {
        const item = at(index.calls.get(id));
        return item?.kind === "assistant"
          ? callsOf(item).flatMap((call) => (call.call === id ? (call.approval ?? []) : []))
          : [];
      });
    },
    indexOf: (id) => places.get(id),
    add: (item) => {
      places.set(item.id, items.length);
      items.push(item);
      touched.set(item.id, item);
      note(item, index);
    },
    onMessage: (id, change) => {
      const item = at(index.messages.get(id));
      if (item?.kind === "user") put(item, change(item));
    },
    onCall: (id, change) => {
      const item = at(index.calls.get(id));
      if (item?.kind === "assistant")
        put(item, { ...item, parts: item.parts.map((part) => changed(part, id, change)) });
    },
    onDelivery: (reply, change) => {
      const item = at(index.deliveries.get(reply));
      if (item?.kind !== "delivery") return false;
      put(item, change(item));
      return true;
    },
    takeTouched: () => {
      const taken = [...touched.values()];
      touched = new Map();
      return taken;
    },
  };
}

function note(item: Item, { calls, messages, deliveries, waiting, asked }: Index): void {
  switch (item.kind) {
    case "user":
      messages.set(item.messageId, item.id);
      if (item.state === "pending") waiting.add(item.id);
      else waiting.delete(item.id);
      return;
    case "assistant":
      for (const call of callsOf(item)) {
        calls.set(call.call, item.id);
        if (isWaiting(call)) asked.add(call.call);
        else asked.delete(call.call);
      }
      return;
    case "delivery":
      if (item.state === "delivered") deliveries.delete(item.reply);
      else deliveries.set(item.reply, item.id); // what was given up may be asked for again
      return;
    case "notice":
    case "compaction":
    case "epoch":
    case "cleared":
    case "turn-end":
  }
}

export function callsOf(item: ItemOf<"assistant">): readonly CallView[] {
  return item.parts.flatMap((part) => (part.type === "call" ? [part.call] : []));
}

function changed(part: AssistantItemPart, id: CallId, change: (call: CallView) => CallView): AssistantItemPart {
  return part.type === "call" && part.call.call === id ? { type: "call", call: change(part.call) } : part;
}
