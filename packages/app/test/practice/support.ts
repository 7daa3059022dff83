/** Fabricated requests, and a loop in miniature around the practice provider. */
import type { Message, ModelEvent, ModelRequest, ToolCallPart, ToolMessage, UserMessage } from "@margay/core";
import type { CallId } from "@margay/core/internal";
import { practiceProvider } from "../../src/features/practice/provider.ts";

export const ALL_TOOLS: readonly string[] = [
  "cron",
  "edit_file",
  "exec",
  "list_dir",
  "read_file",
  "recall",
  "remember",
  "search_files",
  "spawn",
  "use_skill",
  "web_fetch",
  "web_search",
  "write_file",
];

export function user(text: string, kind: UserMessage["from"]["kind"] = "person"): Message {
  return { role: "user", id: "m", at: 0, from: { id: "u", kind }, parts: [{ type: "text", text }] };
}
export function clock(text: string): Message {
  return {
    role: "notice",
    at: 0,
    kind: "clock",
    text: `<runtime_context>time=${text}, channel=cli, chat_id=direct</runtime_context>`,
  };
}
export function result(callId: CallId, name: string, text: string, status: ToolMessage["status"] = "ok"): Message {
  return { role: "tool", at: 0, callId, name, parts: [{ type: "text", text }], status };
}
export function assistant(...parts: Extract<Message, { role: "assistant" }>["parts"]): Message {
  const calls = parts.some((part) => part.type === "tool-call");
  return {
    role: "assistant",
    at: 0,
    model: { provider: "practice", model: "sentences" },
    parts,
    finish: calls ? "tool-calls" : "stop",
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  };
}
export function request(messages: readonly Message[], tools: readonly string[] = ALL_TOOLS, id = "r1"): ModelRequest {
  return {
    id,
    model: "sentences",
    prefix: {
      hash: "h",
      system: "You are margay.",
      tools: tools.map((name) => ({ name, description: name, inputSchema: { type: "object" } })),
    },
    messages,
    sampling: { maxOutputTokens: 1000, thinking: "off", toolChoice: "auto" },
    cacheKey: "k",
    media: () => Promise.reject(new Error("no media here")),
  };
}

export async function events(of: ModelRequest): Promise<readonly ModelEvent[]> {
  const seen: ModelEvent[] = [];
  for await (const event of practiceProvider().stream(of, new AbortController().signal)) seen.push(event);
  return seen;
}

export interface Reply {
  readonly text: string;
  readonly calls: readonly ToolCallPart[];
}
export async function ask(of: ModelRequest): Promise<Reply> {
  const parts = (await events(of)).flatMap((event) => (event.type === "part" ? [event.part] : []));
  return {
    text: parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(""),
    calls: parts.filter((part) => part.type === "tool-call"),
  };
}

export type Answered = string | { readonly text: string; readonly status: ToolMessage["status"] };
/** Runs rounds until there is an answer. `tool` plays all tools. */
export async function converse(
  text: string,
  tool: (name: string, input: Readonly<Record<string, unknown>>) => Answered = () => "ok",
  options: { readonly before?: readonly Message[]; readonly tools?: readonly string[] } = {},
): Promise<{
  readonly text: string;
  readonly rounds: readonly (readonly string[])[];
  readonly messages: readonly Message[];
}> {
  const messages: Message[] = [...(options.before ?? []), user(text)];
  const rounds: string[][] = [];
  for (let round = 1; round <= 12; round += 1) {
    const reply = await ask(request(messages, options.tools ?? ALL_TOOLS, `r${messages.length}`));
    if (reply.calls.length === 0)
      return { text: reply.text, rounds, messages: [...messages, assistant({ type: "text", text: reply.text })] };
    rounds.push(reply.calls.map((call) => `${call.name} ${JSON.stringify(call.input)}`));
    messages.push(assistant(...reply.calls));
    for (const call of reply.calls) {
      const answered = tool(call.name, call.input as Readonly<Record<string, unknown>>); // practice mode always sends objects
      messages.push(
        typeof answered === "string"
          ? result(call.callId, call.name, answered)
          : result(call.callId, call.name, answered.text, answered.status),
      );
    }
  }
  throw new Error(`no answer after 12 rounds: ${JSON.stringify(rounds)}`);
}
