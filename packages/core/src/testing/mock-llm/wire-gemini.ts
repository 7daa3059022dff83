// Google Gemini generateContent. @see https://ai.google.dev/api/generate-content

import type { Fields } from "./json.ts";
import { fields, list, parseObject, plain, string } from "./json.ts";
import type { AnswerContext, FullPart, Wire, WireFinish, WireMessage, WirePart, WireRequest } from "./wire.ts";
import { sse } from "./wire.ts";

const FINISH: Readonly<Record<WireFinish, string>> = {
  stop: "STOP",
  "tool-calls": "STOP",
  length: "MAX_TOKENS",
  refusal: "SAFETY",
};
const STATUS: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

export const geminiWire: Wire = {
  api: "gemini",
  signed: true,
  read,
  json: (parts, context) =>
    responseOf(
      parts.map((part, index) => partJson(part, signatureFor(parts, index))),
      context,
      true,
    ),
  open: () => "",
  block(part, index, context, parts) {
    const chunk = (json: object): string => sse(responseOf([json], context, false));
    const signature = signatureFor(parts, index);
    switch (part.type) {
      case "call":
        return { start: chunk(partJson(part, signature)), delta: () => "", stop: "" };
      case "thinking":
        return { start: "", delta: (text) => chunk({ text, thought: true }), stop: "" };
      case "text":
        return { start: "", delta: (text) => chunk(partJson({ type: "text", text }, signature)), stop: "" };
    }
  },
  close: (_parts, context) => sse(responseOf([{ text: "" }], context, true)),
  failure: (status, message) => ({ error: { code: status, message, status: STATUS[status] ?? "INTERNAL" } }),
};

function read(body: Fields, path: string): WireRequest {
  const problems: string[] = [];
  const tools = list(body["tools"]).map(fields);
  const system = list(fields(body["systemInstruction"] ?? body["system_instruction"])["parts"]);
  const messages: WireMessage[] = [];
  const sequence: string[] = [];
  let calls = 0;
  let results = 0;
  for (const [index, value] of list(body["contents"]).entries()) {
    const content = fields(value);
    const role = string(content["role"]) || "user";
    if (role !== "user" && role !== "model" && role !== "function") {
      problems.push(`contents[${index}]: Please use a valid role: user, model.`);
      continue;
    }
    const parts = list(content["parts"]).map((item) =>
      partOf(fields(item), { call: () => `call-${++calls}`, result: () => `call-${++results}` }),
    );
    if (parts.length === 0) problems.push(`contents[${index}].parts must not be empty.`);
    const answers = parts.filter((part) => part.type === "result");
    const rest = parts.filter((part) => part.type !== "result");
    if (answers.length > 0) messages.push({ role: "tool", parts: answers });
    if (rest.length > 0) messages.push({ role: role === "model" ? "assistant" : "user", parts: rest });
    sequence.push(...list(content["parts"]).map((part) => `${role} ${plain(part)}`));
  }
  return {
    model: /models\/([^:]+):/.exec(path)?.[1] ?? "",
    stream: path.includes(":streamGenerateContent"),
    system: system.map((part) => string(fields(part)["text"])).join("\n"),
    toolNames: tools.flatMap((tool) =>
      list(tool["functionDeclarations"]).map((declaration) => string(fields(declaration)["name"])),
    ),
    messages,
    sequence: [`tools ${plain(tools)}`, ...system.map((part) => `system ${plain(part)}`), ...sequence],
    problems,
  };
}

/** This wire may leave ids out; calls and results are then paired by position. */
function partOf(part: Fields, next: { readonly call: () => string; readonly result: () => string }): WirePart {
  const signature = typeof part["thoughtSignature"] === "string" ? { signature: part["thoughtSignature"] } : {};
  if (part["functionCall"] !== undefined) {
    const call = fields(part["functionCall"]);
    return {
      type: "call",
      callId: string(call["id"]) || next.call(),
      name: string(call["name"]),
      arguments: JSON.stringify(call["args"] ?? {}),
      ...signature,
    };
  }
  if (part["functionResponse"] !== undefined) {
    const result = fields(part["functionResponse"]);
    const response = fields(result["response"]);
    const content = response["content"] ?? response["output"] ?? response["result"] ?? response["error"];
    return {
      type: "result",
      callId: string(result["id"]) || next.result(),
      name: string(result["name"]),
      text: typeof content === "string" ? content : plain(response),
    };
  }
  if (part["inlineData"] !== undefined) {
    const data = fields(part["inlineData"]);
    return { type: "image", mediaType: string(data["mimeType"]), data: string(data["data"]) };
  }
  if (part["thought"] === true) return { type: "thinking", text: string(part["text"]), ...signature };
  return typeof part["text"] === "string" ? { type: "text", text: part["text"] } : { type: "other", json: plain(part) };
}

/** The signature of a thought travels on the first call, or on the first text when nothing is called. */
function signatureFor(parts: readonly FullPart[], index: number): { readonly thoughtSignature?: string } {
  const thought = parts.find((part) => part.type === "thinking" && part.signature !== undefined);
  const call = parts.findIndex((part) => part.type === "call");
  const carrier = call >= 0 ? call : parts.findIndex((part) => part.type === "text");
  return thought?.type === "thinking" && thought.signature !== undefined && index === carrier
    ? { thoughtSignature: thought.signature }
    : {};
}

function partJson(part: FullPart, signature: { readonly thoughtSignature?: string }): object {
  switch (part.type) {
    case "call":
      return { functionCall: { id: part.id, name: part.name, args: parseObject(part.arguments) }, ...signature };
    case "thinking":
      return { text: part.text, thought: true };
    case "text":
      return { text: part.text, ...signature };
  }
}

function responseOf(parts: readonly object[], context: AnswerContext, last: boolean): object {
  const usage = context.usage;
  return {
    candidates: [
      { content: { role: "model", parts }, index: 0, ...(last && { finishReason: FINISH[context.finish] }) },
    ],
    ...(last &&
      usage !== undefined && {
        usageMetadata: {
          promptTokenCount: usage.input,
          candidatesTokenCount: usage.output,
          cachedContentTokenCount: usage.cacheRead,
          totalTokenCount: usage.input + usage.output,
        },
      }),
    modelVersion: context.model,
    responseId: context.id,
  };
}
