// What a tool is called with in tests.
import { PLAIN } from "../../src/lib/labels.ts";
import type { CallId, Logger, SessionId, TurnId } from "../../src/contract/base.ts";
import type { ToolContext } from "../../src/contract/tool.ts";
import { fakeClock } from "../../src/testing/fake-clock.ts";

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, child: () => silent };

export function toolContext(change: Partial<ToolContext> = {}): ToolContext {
  return {
    // Branded ids are plain strings; a test may name its own.
    sessionId: "s-1" as SessionId,
    turnId: "t-1" as TurnId,
    callId: "c-1" as CallId,
    origin: { channel: "cli", chat: "direct" },
    label: PLAIN,
    attended: true,
    workspace: "/nowhere",
    signal: new AbortController().signal,
    clock: fakeClock(),
    log: silent,
    progress: () => {},
    ...change,
  };
}

/** The text of a result. */
export function said(parts: readonly { readonly type: string; readonly text?: string }[]): string {
  return parts.map((part) => part.text ?? `<${part.type}>`).join("\n");
}
