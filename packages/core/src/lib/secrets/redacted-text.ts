/** Text that grows, without secrets: half a secret cannot be recognized, so what may be one waits until it is whole. */
import type { RedactedText } from "../../contract/services.ts";

/** What is longer is no secret: a page of base64, or a stream that never ends a word. A private key of 8,192 bits fits. */
const MAX_HELD_CHARS = 8_192;

/** @param tail Index from which the end of a text may be the beginning of a secret. */
export function createRedactedText(redact: (text: string) => string, tail: (text: string) => number): RedactedText {
  let held = "";
  const take = (at: number): string => {
    const whole = held.slice(0, at);
    held = held.slice(at);
    return whole === "" ? "" : redact(whole);
  };
  /** A whole secret may hold the beginning of another: none is cut in two. */
  const uncut = (at: number): number =>
    at === 0 || at === held.length || redact(held.slice(0, at)) + redact(held.slice(at)) === redact(held) ? at : 0;
  return {
    push: (text) => {
      held += text;
      const before = Math.max(0, held.length - MAX_HELD_CHARS);
      const at = uncut(before + tail(held.slice(before)));
      return take(at <= before && before > 0 ? held.length : at);
    },
    end: () => take(held.length),
  };
}
