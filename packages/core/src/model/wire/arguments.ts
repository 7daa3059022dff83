// The argument text of a tool call → its value, without ever repairing it.
import type { Json } from "../../contract/base.ts";
import { parseJson } from "../../lib/parse-json.ts";

/** What a tool call keeps: the value that is checked and used, and the text when it says more than the value. */
export interface CallArguments {
  readonly input: Json;
  readonly inputText?: string;
}

/**
 * `{}` with the text verbatim when the text is not a JSON object: the tool layer then answers with an error. Blank text
 * is an empty object, as several vendors send it for tools without parameters.
 */
export function readArguments(text: string): CallArguments {
  if (text.trim() === "") return text === "" ? { input: {} } : { input: {}, inputText: text };
  const value = parseObject(text);
  if (value === undefined) return { input: {}, inputText: text };
  return JSON.stringify(value) === text ? { input: value } : { input: value, inputText: text };
}

/** The text of the arguments as it came, for wires that carry text. */
export function argumentText(call: CallArguments): string {
  return call.inputText ?? JSON.stringify(call.input);
}

/** True when the text is not a JSON object and so cannot be sent where an object belongs. */
export function isBroken(call: CallArguments): boolean {
  return call.inputText !== undefined && call.inputText.trim() !== "" && parseObject(call.inputText) === undefined;
}

function parseObject(text: string): { readonly [key: string]: Json } | undefined {
  const value = parseJson(text);
  // JSON.parse gives nothing but JSON. Undefined is broken: the model is told, nothing is guessed.
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as { readonly [key: string]: Json })
    : undefined;
}
