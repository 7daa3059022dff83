/** The context and its label change together: here, and nowhere else in the fold. */
import type { Message } from "../contract/message.ts";
import type { SessionState } from "../contract/session.ts";
import { isHostCalling, withoutHostCalls } from "../lib/host-calls.ts";
import { join, labelOfAll } from "../lib/labels.ts";
import { appended, inPlaceOf } from "../lib/async/growing-list.ts";

type Context = Pick<SessionState, "messages" | "label">;

/** `rows` at the end of the context: their labels join in. What the host called is in no context. */
export function added(state: SessionState, rows: readonly Message[]): Context {
  if (rows.length === 0) return { messages: state.messages, label: state.label };
  const seen = isHostCalling(state) ? rows.filter(({ role }) => role !== "tool") : withoutHostCalls(rows);
  return { messages: appended(state.messages, rows), label: join(state.label, labelOfAll(seen)) };
}

/** Another context instead: only what is in it counts. */
export function replaced(state: SessionState, messages: readonly Message[]): Context {
  return { messages: inPlaceOf(state.messages, messages), label: labelOfAll(withoutHostCalls(messages)) };
}

/** What was untrusted counts as trusted. Who may see it does not change. */
export function endorse(state: SessionState): SessionState {
  const messages = state.messages.map((message) => {
    if (message.integrity === undefined) return message;
    const { integrity: _integrity, ...rest } = message;
    return rest;
  });
  return { ...state, ...replaced(state, messages) };
}
