/** Which session of the gateway is to be taken up, and from where. */
import type { ChannelHost } from "@margay/core/plugin";
import { isRecord, textOf } from "./json.ts";

export interface Cursor {
  readonly session: string;
  readonly resumeUrl: string;
  /** Of the last dispatch behind which nothing is missing. */
  readonly seq: number;
  /** When it was so. */
  readonly at: number;
  /** Who we are: a session that is taken up does not say it again. */
  readonly me: string;
  readonly name: string;
}

/** Undefined: there is no session to take up. */
export function cursorOf({ state }: ChannelHost): Cursor | undefined {
  const saved = state.cursor();
  if (!isRecord(saved)) return undefined;
  const { seq, at, ...texts } = saved;
  const [session, resumeUrl, me, name] = [texts["session"], texts["resumeUrl"], texts["me"], texts["name"]].map(textOf);
  if (session === undefined || resumeUrl === undefined || me === undefined || typeof seq !== "number") return undefined;
  return { session, resumeUrl, seq, at: typeof at === "number" ? at : 0, me, name: name ?? "" };
}
