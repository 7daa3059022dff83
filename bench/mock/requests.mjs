/** Reads a request of each API, and decides the answer its directive asks for. */
import { parseDirective } from "../../packages/core/src/testing/mock-llm/directive.ts";

export const textOf = (content) =>
  typeof content === "string"
    ? content
    : Array.isArray(content)
      ? content.map((p) => p?.text ?? (typeof p?.content === "string" ? p.content : "")).join("\n")
      : "";

/** Each API in the same four questions. */
export const APIS = {
  chat: {
    messages: (b) => b.messages ?? [],
    isUser: (m) => m.role === "user",
    toolResults: (m) => (m.role === "tool" ? 1 : 0),
    isSystem: (m) => m.role === "system" || m.role === "developer",
    system: () => "",
    toolNames: (b) => (b.tools ?? []).map((t) => t.function?.name ?? t.name ?? t.type),
  },
  responses: {
    messages: (b) => (typeof b.input === "string" ? [{ role: "user", content: b.input }] : (b.input ?? [])),
    isUser: (m) => m.role === "user",
    toolResults: (m) => (m.type === "function_call_output" ? 1 : 0),
    isSystem: (m) => m.role === "system" || m.role === "developer",
    system: (b) => b.instructions ?? "",
    toolNames: (b) => (b.tools ?? []).map((t) => t.name ?? t.type),
  },
  anthropic: {
    messages: (b) => b.messages ?? [],
    isUser: (m) => m.role === "user" && !(Array.isArray(m.content) && m.content.some((p) => p.type === "tool_result")),
    toolResults: (m) =>
      m.role === "user" && Array.isArray(m.content) ? m.content.filter((p) => p.type === "tool_result").length : 0,
    isSystem: () => false,
    system: (b) => textOf(b.system),
    toolNames: (b) => (b.tools ?? []).map((t) => t.name),
  },
};

/** What to answer: { kind: 'calls', calls } or { kind: 'text', chunks }. */
export function decide(api, body) {
  const A = APIS[api];
  const messages = A.messages(body);
  let script;
  let results = 0;
  for (let i = messages.length - 1; i >= 0; i--) {
    const m = messages[i];
    const n = A.toolResults(m);
    if (n) results += n;
    else if (A.isUser(m) && (script = parseDirective(textOf(m.content)))) break;
  }
  const offered = A.toolNames(body);
  if (!script || (!offered.length && !script.bare))
    return {
      kind: "text",
      aux: true,
      script: { ...parseDirective("[[bench]]"), text: "ok", record: script?.record ?? 1, id: script?.id ?? "" },
    };
  const round = Math.floor(results / script.parallel);
  if (round >= script.tools) return { kind: "text", script, round };
  if (!offered.includes(script.tool))
    return {
      kind: "text",
      script: {
        ...script,
        chunks: 1,
        text: `bench-error: tool ${script.tool} is not offered; offered: ${offered.join(",")}`,
      },
      round,
      missing: true,
    };
  const calls = Array.from({ length: script.parallel }, (_, i) => {
    const n = round * script.parallel + i + 1;
    return { id: `call_${messages.length}_${i}`, name: script.tool, args: script.args.replaceAll("{{n}}", String(n)) };
  });
  return { kind: "calls", calls, script, round };
}
