// A context over an in-memory workspace and a hand-turned clock.
import type { SessionId } from "../../src/contract/base.ts";
import type { Message } from "../../src/contract/message.ts";
import type { ContextBuilder } from "../../src/contract/services.ts";
import type { SessionState } from "../../src/contract/session.ts";
import type { Tool } from "../../src/contract/tool.ts";
import { createContext, type ContextOptions } from "../../src/context/context.ts";
import { sha256 } from "../../src/machine/system/hash.ts";
import { emptyState } from "../../src/session/reduce.ts";

export const never: AbortSignal = new AbortController().signal;
export const noon: number = Date.UTC(2026, 10, 21, 4, 5);

export function state(change: Partial<SessionState> = {}): SessionState {
  return {
    ...emptyState("telegram-42-0a1b2c3d" as SessionId),
    key: "telegram:42",
    origin: { channel: "telegram", chat: "42" },
    ...change,
  };
}

export interface Fixture {
  readonly context: ContextBuilder;
  readonly files: Map<string, string>;
  readonly clock: { at: number };
}

export function fixture(change: Partial<ContextOptions> = {}, files: Readonly<Record<string, string>> = {}): Fixture {
  const store = new Map(Object.entries(files));
  const clock = { at: noon };
  const context = createContext({
    workspace: "/home/ada/margay",
    language: "en",
    timeZone: "Asia/Shanghai",
    clock: { now: () => clock.at },
    persona: { name: "margay" },
    environment: { os: "Linux", arch: "x64", node: "24.21.0" },
    tools: () => [],
    hash: sha256,
    project: (current): readonly Message[] => current.messages,
    readFile: (path) => Promise.resolve(store.get(path)),
    ...change,
  });
  return { context, files: store, clock };
}

export function tool(
  name: string,
  description = `The tool ${name}.`,
  schema: Record<string, unknown> = { type: "object", properties: {} },
): Tool {
  return {
    name,
    description,
    effect: "read",
    input: {
      "~standard": {
        version: 1,
        vendor: "test",
        validate: () => ({ issues: [] }),
        jsonSchema: { input: () => schema },
      },
    },
    execute: () => Promise.resolve(""),
  };
}

/** The state after the notices were committed. */
export function withMessages(base: SessionState, ...messages: readonly Message[]): SessionState {
  return { ...base, messages: [...base.messages, ...messages] };
}
