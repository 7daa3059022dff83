// How Discord says no.

import type { Answer } from "./http.ts";

/** Codes of Discord with their status and words. */
const REFUSALS = {
  10_003: [404, "Unknown Channel"],
  10_008: [404, "Unknown Message"],
  10_013: [404, "Unknown User"],
  10_014: [400, "Unknown Emoji"],
  10_062: [404, "Unknown interaction"],
  20_012: [403, "You are not authorized to perform this action on this application"],
  40_005: [413, "Request entity too large"],
  40_060: [400, "Interaction has already been acknowledged."],
  50_001: [403, "Missing Access"],
  50_005: [403, "Cannot edit a message authored by another user"],
  50_006: [400, "Cannot send an empty message"],
  50_007: [403, "Cannot send messages to this user"],
  50_013: [403, "Missing Permissions"],
  50_027: [401, "Invalid Webhook Token"],
  50_109: [400, "The request body contains invalid JSON."],
} as const;

/** Thrown by whoever answers a request. */
export class Refusal extends Error {
  readonly answer: Answer;

  constructor(status: number, body: Readonly<Record<string, unknown>>) {
    super(String(body["message"]));
    this.answer = { status, body };
  }
}

/** A code of Discord. */
export function refusal(code: keyof typeof REFUSALS): Refusal {
  const [status, message] = REFUSALS[code];
  return new Refusal(status, { message, code });
}

/** 50035: a field is not as it has to be. @param path as `embeds.0.title` */
export function invalid(path: string, code: string, message: string): Refusal {
  const leaf = { _errors: [{ code, message }] };
  const errors = path
    .split(".")
    .reduceRight<Readonly<Record<string, unknown>>>((inner, name) => ({ [name]: inner }), leaf);
  return new Refusal(400, { message: "Invalid Form Body", code: 50_035, errors });
}
