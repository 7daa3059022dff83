/** What a model says, without secrets: live, and as it is kept. It may repeat what a page, a file or its vendor said. */
import type { CallId, TurnId } from "../contract/base.ts";
import type { AssistantPart } from "../contract/message.ts";
import type { ModelEvent } from "../contract/provider.ts";
import type { RedactedText } from "../contract/services.ts";
import type { Session } from "../contract/session.ts";
import { mapStrings } from "../lib/secrets/redact.ts";
import type { ModelDeps } from "./deps.ts";

type Delta = Extract<ModelEvent, { readonly type: "text.delta" | "thinking.delta" | "tool-call.delta" }>;

export interface LiveAnswer {
  /** Publishes what cannot be the beginning of a secret. */
  push(delta: Delta): void;
  /** Publishes what was held back: nothing more comes. */
  end(): void;
}

export function createLiveAnswer(session: Session, turn: TurnId, secrets: ModelDeps["secrets"]): LiveAnswer {
  const open = new Map<string, { readonly text: RedactedText; readonly show: (text: string) => void }>();
  return {
    push: (delta) => {
      const key = `${delta.type} ${delta.type === "tool-call.delta" ? delta.callId : delta.index}`;
      let found = open.get(key);
      if (found === undefined) {
        found = { text: secrets.stream(), show: publisher(session, turn, delta) };
        open.set(key, found);
      }
      found.show(found.text.push(delta.text));
    },
    end: () => {
      for (const one of open.values()) flush(one);
      open.clear();
    },
  };
}

/** Text by value and by shape. Arguments by value: an example key in a file that is written stays the model's own. */
export function cleanPart(
  part: AssistantPart,
  { redact, secrets }: Pick<ModelDeps, "redact" | "secrets">,
): AssistantPart {
  switch (part.type) {
    case "text":
      return { ...part, text: redact(part.text) };
    case "thinking": {
      const text = redact(part.text);
      if (text === part.text) return part;
      // What was signed is not what is left.
      return { type: "thinking", text };
    }
    case "tool-call":
      return {
        ...part,
        input: mapStrings(part.input, secrets.redactKnown),
        ...(part.inputText !== undefined && { inputText: secrets.redactKnown(part.inputText) }),
      };
  }
}

function flush({ text, show }: { readonly text: RedactedText; readonly show: (text: string) => void }): void {
  show(text.end());
}

function publisher(session: Session, turn: TurnId, delta: Delta): (text: string) => void {
  switch (delta.type) {
    case "text.delta":
    case "thinking.delta":
      return (text) => {
        if (text !== "") session.publish({ type: delta.type, turn, index: delta.index, text });
      };
    case "tool-call.delta": {
      const call: CallId = delta.callId;
      return (text) => session.publish({ type: "tool-call.delta", turn, call, name: delta.name, text });
    }
  }
}
