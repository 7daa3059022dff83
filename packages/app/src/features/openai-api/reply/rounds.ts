/** The texts of a turn by round: blank ones are none, continued ones are one, and none holds a secret. */
import type { Finish } from "@margay/core/internal";
import { createRedactedText, type RedactedText } from "./redacted-text.ts";

export interface RoundText {
  readonly type: "text";
  readonly round: number;
  readonly text: string;
}

export interface Rounds {
  text(delta: string): readonly RoundText[];
  restart(): { readonly type: "restarted"; readonly round: number; readonly shown: boolean };
  /** The record is the truth: what did not come as deltas comes now. */
  end(text: string, finish: Finish): readonly RoundText[];
}

export function createRounds(redact: (text: string) => string): Rounds {
  let round = 0;
  /** The round has said more than blanks. */
  let spoke = false;
  let shown = false;
  let said = "";
  /** The blanks it began with. */
  let blank = "";
  let continued = false;
  let clean: RedactedText = createRedactedText(redact);

  const show = (text: string): readonly RoundText[] => {
    if (text === "") return [];
    shown = true;
    return [{ type: "text", round, text }];
  };
  const text = (delta: string): readonly RoundText[] => {
    said += delta;
    if (spoke || continued) {
      if (delta !== "") spoke = true;
      return show(clean.push(delta));
    }
    blank += delta;
    if (blank.trim() === "") return [];
    const first = blank.trimStart();
    blank = "";
    spoke = true;
    return show(clean.push(first));
  };
  const reset = (): void => {
    said = "";
    blank = "";
    spoke = false;
    shown = false;
    clean = createRedactedText(redact);
  };
  return {
    text,
    restart: () => {
      const restarted = { type: "restarted", round, shown } as const;
      reset();
      return restarted;
    },
    end: (whole, finish) => {
      const missing = whole.startsWith(said) ? text(whole.slice(said.length)) : [];
      const last = [...missing, ...show(clean.end())];
      const some = spoke || continued;
      continued = finish === "length" && some;
      if (some && !continued) round += 1;
      reset();
      return last;
    },
  };
}
