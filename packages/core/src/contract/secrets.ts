/** How secrets are kept out of what a model says: while it is streamed, and in what is kept of it. */

/** Text that grows, without secrets: what may be the beginning of one is held back until it is whole. */
export interface RedactedText {
  /** @returns what can be shown now. */
  push(text: string): string;
  /** @returns what was held back. */
  end(): string;
}

export interface SecretGuard {
  /** By value only: arguments of a call stay what the model wrote, as nothing in them is ours but a known value. */
  redactKnown(text: string): string;
  /** One for each text that grows. */
  stream(): RedactedText;
}
