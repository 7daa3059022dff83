/** What `margay quarantine` asks for: of this process, or of the one that holds the lock. Everything is JSON on the way. */
import type { Json, JsonObject } from "@margay/core";
import type { Quarantine, Quarantined, Removed, TakenBack } from "@margay/core/internal";
import { answering, type AnswerError } from "../../host/control/ask-holder.ts";

export type QuarantineAction =
  | { readonly do: "list" }
  | { readonly do: "show"; readonly id: string }
  | { readonly do: "restore"; readonly id: string; readonly sha256: string }
  | { readonly do: "delete"; readonly id: string };

export type QuarantineAnswer =
  | { readonly items: readonly ListedAside[] }
  | { readonly item?: Quarantined }
  | { readonly done: TakenBack | Removed }
  | AnswerError;

/** Of many the texts would be long. */
export type ListedAside = Omit<Quarantined, "text" | "cut">;

export async function performQuarantine(action: QuarantineAction, quarantine: Quarantine): Promise<QuarantineAnswer> {
  switch (action.do) {
    case "list":
      return { items: (await quarantine.list()).map(({ text: _text, cut: _cut, ...item }) => item) };
    case "show": {
      const item = (await quarantine.list()).find(({ id }) => id === action.id);
      return item === undefined ? {} : { item };
    }
    case "restore":
      return { done: await quarantine.takeBack(action.id, action.sha256, "user") };
    case "delete":
      return { done: await quarantine.remove(action.id, "user") };
  }
}

/** For another process. */
export function answerQuarantine(action: JsonObject, quarantine: Quarantine): Promise<Json> {
  return answering(() => performQuarantine(action as unknown as QuarantineAction, quarantine)); // written by quarantine.ts of the same version
}
