// A temporary workspace, state directory and tool context for tools that touch the machine.
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PLAIN } from "../../src/lib/labels.ts";
import type { CallId, Clock, Logger, SessionId, TurnId } from "../../src/contract/base.ts";
import type { NotStarted, Tool, ToolContext, ToolResult } from "../../src/contract/tool.ts";
import { systemClock } from "../../src/machine/system/clock.ts";

export interface Machine extends Disposable {
  readonly workspace: string;
  readonly state: string;
  readonly progress: string[];
  context(change?: Partial<ToolContext>): ToolContext;
  /** Executes as the loop would after validation. */
  run(tool: Tool, input: unknown, change?: Partial<ToolContext>): Promise<Exclude<ToolResult, string>>;
}

export const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silent,
};

export function createMachine(clock: Clock = systemClock()): Machine {
  const root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "margay-test-")));
  const workspace = join(root, "workspace");
  const state = join(root, "state");
  fs.mkdirSync(workspace);
  fs.mkdirSync(state);
  const progress: string[] = [];
  let calls = 0;
  const context = (change: Partial<ToolContext> = {}): ToolContext => ({
    // Ids are strings with a brand; tests choose theirs.
    sessionId: "s-1" as SessionId,
    turnId: "t-1" as TurnId,
    callId: `c-${++calls}` as CallId,
    origin: { channel: "cli", chat: "direct" },
    label: PLAIN,
    attended: true,
    workspace,
    signal: new AbortController().signal,
    clock,
    log: silent,
    progress: (text) => void progress.push(text),
    ...change,
  });
  return {
    workspace,
    state,
    progress,
    context,
    run: async (tool, input, change) => {
      const result = await tool.execute(input as never, context(change)); // the registry's tools take any input
      return typeof result === "string" ? { parts: [{ type: "text", text: result }] } : result;
    },
    [Symbol.dispose]: () => fs.rmSync(root, { recursive: true, force: true }),
  };
}

export function textOf(result: ToolResult | NotStarted | undefined): string {
  if (result === undefined || typeof result === "string") return result ?? "";
  if ("started" in result) return "not started";
  return result.parts.map((part) => (part.type === "text" ? part.text : `[${part.mediaType}]`)).join("\n");
}
