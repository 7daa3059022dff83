/** What a running gateway leaves in its state directory for commands of the same owner. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Note {
  readonly url: string;
  readonly pid: number;
  readonly token: string;
  /** It still reads what an earlier process left: it may be silent for a while. */
  readonly starting?: true;
}

export function readNote(home: string): Note | undefined {
  try {
    return JSON.parse(readFileSync(join(home, "gateway.json"), "utf8")) as Note; // written by the gateway
  } catch {
    return undefined; // none runs, or it is just starting
  }
}
