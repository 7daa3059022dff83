import type { Session } from "../contract/session.ts";

/** Whether anything can leave the context: one message alone has to stay. */
export function hasRows({ state }: Session): boolean {
  return state.messages.filter((message) => message.role !== "notice").length > 1;
}
