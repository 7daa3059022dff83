/** Who reads a chat that nobody writes from just now: what is sent there was made for them. */
import type { Address, Session } from "@margay/core";
import { type Audience, groupOf, sessionKeyOf } from "@margay/core/internal";
import type { Groups } from "./groups.ts";
import { audienceOf, type People } from "./people.ts";

export interface ReadersSources {
  /** Called when something is sent, when the agent exists. */
  readonly find: (key: string) => Promise<Pick<Session, "state"> | undefined>;
  readonly people: Pick<People, "speaker">;
  readonly groups: Pick<Groups, "manners">;
}

/** @param by who is to read it where nothing else is known. @returns undefined: the owner alone, or a chat that the owner named. */
export type AudienceAt = (to: Address, by?: Audience) => Promise<Audience | undefined>;

export function audienceAt({ find, people, groups }: ReadersSources): AudienceAt {
  const usual = usualAt({ people, groups });
  return async (to, by) => {
    const known = (await find(sessionKeyOf(to)))?.state.audience ?? by;
    return known ?? usual(to);
  };
}

/** Who is to read a chat of which nothing is known but its address. */
export function usualAt({ people, groups }: Omit<ReadersSources, "find">): (to: Address) => Audience | undefined {
  return (to) => {
    if (groups.manners(to) !== undefined) return groupOf(to); // also before a word was said to us there
    // A private chat bears the id of who is there, also before a word was said or when its conversation is gone.
    const there = people.speaker(to.channel, to.chat);
    return there === undefined ? undefined : audienceOf(there);
  };
}
