/** The part of the fold that keeps the label of the context. */
import type { SessionState } from "../contract/session.ts";
import { isHostCalling, withoutHostCalls } from "../lib/host-calls.ts";
import { join, labelOfAll } from "../lib/labels.ts";

/** What was added joins in; after a cut only what stayed counts. What the host called is in no context. */
export function labelled(state: SessionState, next: SessionState): SessionState {
  const { messages } = state;
  if (next.messages === messages) return next;
  const isLonger =
    next.messages.length > messages.length &&
    (messages.length === 0 || next.messages[messages.length - 1] === messages.at(-1));
  const added = next.messages.slice(messages.length);
  const label = isLonger
    ? join(state.label, labelOfAll(isHostCalling(state) ? added.filter(({ role }) => role !== "tool") : added))
    : labelOfAll(withoutHostCalls(next.messages));
  return label === next.label ? next : { ...next, label };
}

/** What was untrusted counts as trusted. Who may see it does not change. */
export function endorse(state: SessionState): SessionState {
  const messages = state.messages.map((message) => {
    if (message.integrity === undefined) return message;
    const { integrity: _integrity, ...rest } = message;
    return rest;
  });
  return { ...state, messages };
}
