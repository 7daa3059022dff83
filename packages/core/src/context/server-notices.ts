// MCP servers that wait for a person: one line of ours each, in place of everything that they say of themselves.
import type { Millis } from "../contract/base.ts";
import type { NoticeMessage } from "../contract/message.ts";
import type { SessionState } from "../contract/session.ts";
import { visible } from "../lib/visible.ts";
import { escapeXml } from "./sections/skills.ts";

export interface WaitingServer {
  /** As the operator configured it. */
  readonly name: string;
  readonly tools: number;
}

const START = "<mcp_servers>\n";
const END = "\n</mcp_servers>";

/** Undefined when the last such notice says the same. Derived from the journal, so a restart announces nothing twice. */
export function serversNotice(
  state: SessionState,
  waiting: readonly WaitingServer[],
  now: Millis,
): NoticeMessage | undefined {
  const lines = waiting.map(
    ({ name, tools }) =>
      `Server ${escapeXml(oneLine(name))}: ${tools} ${tools === 1 ? "tool" : "tools"}, waits for review`,
  );
  const text = `${START}${lines.length === 0 ? "No server waits for review" : lines.join("\n")}${END}`;
  const last = state.messages.findLast((message) => message.role === "notice" && message.text.startsWith(START));
  if (last === undefined ? lines.length === 0 : last.role === "notice" && last.text === text) return undefined;
  return { role: "notice", at: now, kind: "runtime", text };
}

function oneLine(name: string): string {
  return visible(name).replaceAll("\n", " ");
}
