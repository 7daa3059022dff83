// How the open platform says no.

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Codes with their words. */
const REFUSALS = {
  10_003: "invalid param",
  10_014: "app secret invalid",
  230_001: "Your request contains an invalid request parameter.",
  230_002: "The bot can not be outside the group.",
  230_006: "Bot ability is not activated.",
  230_011: "The message was withdrawn.",
  230_012: "Bot is NOT the sender of the message.",
  230_013: "Bot has NO availability to this user.",
  230_020: "This operation triggers the frequency limit.",
  230_025: "The length of the message content reaches its limit.",
  230_027: "Lack of necessary permissions.",
  230_072: "The message has reached the number of times it can be edited.",
  230_099: "Failed to create card content",
  200_740: "the card does not exist",
  300_309: "streaming mode is closed",
  300_313: "the element does not exist",
  300_317: "sequence number compare failed",
  231_001: "reaction type is invalid.",
  231_002: "The operator has no permission to react on the specific message.",
  231_003: "The message is not found, maybe not exist or deleted.",
  231_011: "The request has an invalid reaction_id.",
  234_003: "File not in msg.",
  234_006: "The file size exceed the max value.",
  234_010: "File's size can't be 0.",
  234_011: "Can't recognize the image format.",
  99_991_400: "request trigger frequency limit",
  99_991_661: "Missing access token for authorization.",
  99_991_663: "Invalid access token for authorization.",
} as const;

/** Thrown by whoever answers a request. */
export class Refusal extends Error {
  readonly answer: Answer;

  constructor(
    code: number,
    msg: string,
    more: { readonly status?: number; readonly headers?: Answer["headers"]; readonly error?: unknown } = {},
  ) {
    super(msg);
    const { status = 400, headers, error } = more;
    this.answer = { status, body: { code, msg, ...(error !== undefined && { error }) }, ...(headers && { headers }) };
  }
}

/** A code of the platform. @param ext what it says beside its words */
export function refusal(
  code: keyof typeof REFUSALS,
  ext?: string,
  more?: ConstructorParameters<typeof Refusal>[2],
): Refusal {
  return new Refusal(code, REFUSALS[code] + (ext === undefined ? "" : `, ext=${ext}`), more);
}

/** @param scopes of which one would do */
export function denied(scopes: readonly string[]): Refusal {
  return new Refusal(99_991_672, `Access denied. One of the following scopes is required: [${scopes.join(", ")}].`, {
    error: { permission_violations: scopes.map((subject) => ({ type: "action_scope_required", subject })) },
  });
}
