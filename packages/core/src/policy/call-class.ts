/** What a call can do, as far as the policy tells calls apart. */
import type { JsonObject } from "../contract/base.ts";
import type { ToolCallPart } from "../contract/message.ts";
import type { JudgeContext } from "../contract/policy.ts";
import { isGroup } from "../lib/audience.ts";
import type { PathClass } from "../lib/paths/path-class.ts";
import { messageTo } from "../lib/session-key.ts";
import type { Endorsement } from "./endorsement.ts";

export type CallClass =
  | "read"
  | "fetch"
  | "fetch composed"
  | "search"
  | "search sensitive"
  | "write"
  | "exec"
  | "remember"
  | "remember for a group"
  | "cron"
  | "spawn"
  | "write protected"
  | "write outside"
  | "state"
  | "message here"
  | "message named"
  | "message elsewhere"
  | "mcp read"
  | "mcp read sensitive"
  | "mcp write named"
  | "mcp write"
  | "other"
  | "other write";

export interface ClassOptions {
  readonly endorsement: Endorsement;
  /** Where a path leads, for who reads the conversation. Default: inside. */
  readonly classifyPath?: ((path: string, state: JudgeContext["state"]) => PathClass) | undefined;
  /** `channel:chat` of people the operator has let in. */
  readonly isContact?: ((channel: string, chat: string) => boolean) | undefined;
}

/** A name that is not listed is one of our own tools that only reads, or of a plugin that says what it does. */
export function classOf(call: ToolCallPart, context: JudgeContext, options: ClassOptions): CallClass {
  const input = inputOf(call);
  const sensitive = context.state.label.confidentiality === "sensitive";
  switch (call.name) {
    case "exec":
      return "exec";
    case "write_file":
    case "edit_file":
      return fileClass(options.classifyPath?.(String(input["path"] ?? ""), context.state) ?? "inside");
    case "message":
      return messageClass(input, context, options);
    case "web_fetch":
      return fetchClass(call, context, options);
    case "web_search":
      return sensitive ? "search sensitive" : "search";
    case "remember":
      return isGroup(context.state.audience) ? "remember for a group" : "remember";
    case "cron":
      return input["action"] === "list" ? "read" : call.name;
    case "spawn":
      return "spawn";
    default:
      if (context.reach === "command") return "exec";
      if (!call.name.startsWith("mcp_") && context.reach !== "remote")
        return context.effect === "read" ? "other" : "other write";
      // What a server is asked it learns: with keys in view even a reading tool is an exit.
      if (context.effect === "read") return sensitive ? "mcp read sensitive" : "mcp read";
      return inOperatorsWords(input, context, options) ? "mcp write named" : "mcp write";
  }
}

function fileClass(place: PathClass): CallClass {
  switch (place) {
    case "inside":
      return "write";
    case "protected":
      return "write protected";
    case "outside":
      return "write outside";
    case "state":
      return "state";
  }
}

function messageClass(input: JsonObject, { origin, state }: JudgeContext, options: ClassOptions): CallClass {
  const { channel, chat } = messageTo(input, origin);
  if (channel === origin.channel && chat === origin.chat) return "message here";
  return options.isContact?.(channel, chat) === true || options.endorsement.isNamed(chat, state)
    ? "message named"
    : "message elsewhere";
}

function fetchClass(call: ToolCallPart, { state }: JudgeContext, { endorsement }: ClassOptions): CallClass {
  const url = String(inputOf(call)["url"] ?? "");
  if (endorsement.isNamed(url, state)) return "fetch";
  const mayFollow = state.label.confidentiality !== "sensitive";
  return mayFollow && endorsement.isQuoted(url, state, call.callId) ? "fetch" : "fetch composed";
}

/** Numbers and switches alone are nobody's words. */
function inOperatorsWords(input: JsonObject, { state }: JudgeContext, { endorsement }: ClassOptions): boolean {
  const said = texts(input);
  return said.length > 0 && said.every((text) => endorsement.isNamed(text, state));
}

/** Every string in it, at any depth. */
function texts(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(texts);
}

/** The arguments; a call without an object has none. */
export function inputOf(call: ToolCallPart): JsonObject {
  return typeof call.input === "object" && call.input !== null && !Array.isArray(call.input)
    ? (call.input as JsonObject)
    : {}; // just narrowed; TS keeps readonly arrays
}
